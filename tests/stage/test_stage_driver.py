"""The driver of the stage tests, tried with a compiler that the tests make up."""

import sys
import textwrap

import pytest
import stage_driver
from stage_driver import CaseError, CaseFailure, read_cases


class MadeUpError(Exception):
    def __init__(self, message, line):
        super().__init__(message)
        self.line = line


@pytest.fixture
def cases_of(tmp_path):
    def read(text):
        path = tmp_path / "case.py"
        path.write_text(textwrap.dedent(text))
        return read_cases(path)

    return read


TWO_CASES = """\
    # STAGE: ssa

    # TYPES: (int64)
    def first(a):
        # CHECK: name first
        return a  # CHECK-NEXT: types (int64)

    # STAGE: typed
    # TYPES: (float64[:, ::1], int64)
    def second(a, n):
        return helper(n)


    def helper(n):
        return n

    # CHECK: name second
    # CHECK: stage typed
"""


def made_up_dump(function, types, stage):
    return f"name {function.__name__}\ntypes {types}\nstage {stage}\n"


def test_sections_have_their_function_stage_types_and_lines(cases_of):
    found = [(case.id, case.types, case.first_line, case.last_line) for case in cases_of(TWO_CASES)]
    assert found == [
        ("first-ssa", "(int64)", 3, 8),
        ("second-typed", "(float64[:, ::1], int64)", 9, 18),
    ]


def test_a_dump_that_matches_passes(cases_of):
    for case in cases_of(TWO_CASES):
        case.run(made_up_dump, MadeUpError)


def test_a_dump_that_does_not_match_names_the_line_of_the_case(cases_of):
    second = cases_of(TWO_CASES)[1]
    with pytest.raises(CaseFailure, match=r"case\.py:18:\d+: error: CHECK: expected string"):
        second.run(lambda *_: "name second\nstage ssa\n", MadeUpError)


def test_checks_of_another_section_do_not_count(cases_of):
    first = cases_of(TWO_CASES)[0]
    first.run(lambda *_: "name first\ntypes (int64)\n", MadeUpError)


def test_an_empty_dump_fails(cases_of):
    with pytest.raises(CaseFailure):
        cases_of(TWO_CASES)[0].run(lambda *_: "", MadeUpError)


AN_ERROR = r"""
    # STAGE: typed
    # TYPES: (int64, unicode_type)
    def wrong(a, text):
        b = a * 2
        return b + text  # ERROR: no \+ for int64 and unicode_type
"""


def raising(message, line):
    def dump(*_):
        raise MadeUpError(message, line)

    return dump


def test_the_expected_error_passes(cases_of):
    (case,) = cases_of(AN_ERROR)
    case.run(raising("there is no + for int64 and unicode_type", 6), MadeUpError)


@pytest.mark.parametrize(
    ("dump", "complaint"),
    [
        (raising("no + for int64 and unicode_type", 5), "blames line 5"),
        (raising("no - for int64", 6), "does not match"),
        (made_up_dump, "no error, but one was expected"),
    ],
)
def test_another_error_fails(cases_of, dump, complaint):
    (case,) = cases_of(AN_ERROR)
    with pytest.raises(CaseFailure, match=rf"case\.py:6: .*{complaint}"):
        case.run(dump, MadeUpError)


def test_an_error_of_another_class_is_not_swallowed(cases_of):
    def dump(*_):
        raise KeyError("internal")

    with pytest.raises(KeyError):
        cases_of(AN_ERROR)[0].run(dump, MadeUpError)


def test_versions(cases_of):
    this = "%d.%d" % sys.version_info[:2]
    body = "# STAGE: ssa\n# TYPES: ()\ndef f():\n    # PYTHON: {}\n    return 1  # CHECK: x\n"
    wanted = [
        cases_of(body.format(limit))[0].wanted() for limit in (f">={this}", f"<{this}", "<4.0")
    ]
    assert wanted == [True, False, True]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("def f(): return 1  # CHECK: x\n", "no `# TYPES:`"),
        ("# TYPES: ()\ndef f(): return 1  # CHECK: x\n", "no `# STAGE:`"),
        ("# STAGE: types\n# TYPES: ()\ndef f(): return 1  # CHECK: x\n", "'types' is no stage"),
        ("# STAGE: ssa\n# TYPES: ()\n", "no function"),
        ("# STAGE: ssa\n# TYPES: ()\ndef f(): return 1\n", "neither a CHECK nor an ERROR"),
        (
            "# STAGE: ssa\n# TYPES: ()\ndef f():\n  # CHECK: x\n  return 1  # ERROR: y\n",
            "both CHECK and ERROR",
        ),
        (
            "# STAGE: ssa\n# TYPES: ()\ndef f():\n  x = 1  # ERROR: x\n  return x  # ERROR: y\n",
            "a second `# ERROR:`",
        ),
    ],
)
def test_a_case_file_that_tests_nothing_is_refused(cases_of, text, complaint):
    with pytest.raises(CaseError, match=complaint):
        cases_of(text)


def test_a_missing_filecheck_is_told(monkeypatch, tmp_path):
    monkeypatch.delenv("NUMJIT_FILECHECK", raising=False)
    monkeypatch.setitem(sys.modules, "numjit", None)
    monkeypatch.setattr(stage_driver, "__file__", str(tmp_path / "tests" / "stage_driver.py"))
    with pytest.raises(CaseError, match="not built"):
        stage_driver.find_program("numjit-filecheck")


def tir_cases_of(tmp_path, text):
    path = tmp_path / "case.tir"
    path.write_text(textwrap.dedent(text))
    return stage_driver.read_tir_cases(path)


FOLDS = """\
    ; TEST: a sum folds
    ; RUN: cleanup
    ; RUN: PLAIN: ranges
    function @f() -> int64 {
    b0:
      %0: int64 = const 1
      %1: int64 = index_add %0, %0
      return %1
    }
    ; CHECK: const 2
    ; PLAIN: function @f

    ; TEST: it does not
    ; RUN: cleanup
    function @f() -> int64 {
    b0:
      %0: int64 = const 1
      %1: int64 = index_add %0, %0
      return %1
    }
    ; CHECK: index_add
"""


def test_typed_ir_is_run_and_checked(tmp_path):
    folds, fails = tir_cases_of(tmp_path, FOLDS)
    assert (folds.id, folds.first_line, folds.last_line) == ("a sum folds", 1, 12)
    assert folds.runs == [("CHECK", ["cleanup"]), ("PLAIN", ["ranges"])]
    folds.run()
    with pytest.raises(CaseFailure, match="case.tir:21:.*expected string not found"):
        fails.run()


@pytest.mark.parametrize(
    "words, body, complaint",
    [
        ("cleanupp", "  return %0", "there is no pass cleanupp"),
        ("cleanup", "  retur %0", r"case.tir:6: "),
        ("cleanup", "  %1: int64 = const 1\n  return %2", "case.tir:8: "),
    ],
)
def test_broken_typed_ir_is_told(tmp_path, words, body, complaint):
    text = (
        f"; TEST: broken\n; RUN: {words}\nfunction @f(n: int64) -> int64 {{\nb0:\n"
        f"  %0: int64 = param.0\n{body}\n}}\n; CHECK: f\n"
    )
    (case,) = tir_cases_of(tmp_path, text)
    with pytest.raises(CaseFailure, match=complaint):
        case.run()


@pytest.mark.parametrize(
    "text, complaint",
    [
        ("; RUN: cleanup\n", "no `; TEST:` line"),
        ("; TEST: one\n; CHECK: x\n", "no `; RUN:` line"),
        ("; TEST: one\n; RUN: cleanup\n", "no CHECK line"),
        ("; TEST: one\n; RUN: TWICE: cleanup\n; CHECK: x\n", "no TWICE line"),
    ],
)
def test_a_file_of_typed_ir_that_tests_nothing_is_refused(tmp_path, text, complaint):
    with pytest.raises(CaseError, match=complaint):
        tir_cases_of(tmp_path, text)
