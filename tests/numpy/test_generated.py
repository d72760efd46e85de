"""Every NumPy function of the library, compared with NumPy: value, dtype, shape, errors, views.

The cases come from the functions' parameters (cases.py) and the samples for them (samples.py);
where numjit differs on purpose is a table in differences.py. A function that is registered is
tested here, or the test with its name fails.
"""

import warnings
from fnmatch import fnmatchcase

import numpy as np
import pytest
from language.support import clone, compiled
from numjit.errors import NumbaError
from numjit.library.core.catalogue import (
    CONTEXT_MANAGERS,
    functions,
    is_method_of_a_class,
    is_numpy_function,
    numpy_object,
)
from numjit.library.core.registry import registered

from .cases import cases_of, identifier
from .comparison import check_outcome
from .differences import OPEN, difference_of, open_reason

NAMES = functions()


def generated():
    """(name, case) for each combination; a name without samples has a case that tells so."""
    for name in NAMES:
        if numpy_object(name, None) is None:
            reason = f"this NumPy ({np.__version__}) has no {name}"
            yield pytest.param(name, None, id=name, marks=pytest.mark.skip(reason))
            continue
        try:
            cases = cases_of(name)
        except LookupError as error:
            yield pytest.param(name, error, id=f"{name}-no samples")
            continue
        for case in cases:
            label = identifier(name, case.label)
            reason = open_reason(label)
            marks = [pytest.mark.xfail(reason=reason, strict=True)] if reason else []
            yield pytest.param(name, case, id=label, marks=marks)


def attempt(f, arguments):
    try:
        return f(*arguments), None
    except Exception as error:
        return None, error


@pytest.fixture(autouse=True)
def random_state():
    """The plain functions seed NumPy's own generator."""
    state = np.random.get_state()
    yield
    np.random.set_state(state)


@pytest.mark.parametrize("name, case", list(generated()))
def test_function(name, case):
    if isinstance(case, LookupError):
        pytest.fail(str(case), pytrace=False)
    f = case.program()
    failures = []
    for call in case.calls():
        arguments = call.arguments()
        mine, theirs = clone(arguments), clone(arguments)
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = attempt(f, theirs)
            known = len(compiled(f).signatures)
            actual = attempt(compiled(f), mine)
        types = compiled(f).nopython_signatures if actual[1] is None else ()
        result_type = types[-1].return_type if len(types) > known else None
        try:
            check_outcome(
                name,
                (actual, mine),
                (expected, theirs),
                result_type,
                difference_of(call),
                case.chosen,
            )
        except AssertionError as failure:
            failures.append(f"{failure}\n    for {call}")
        actual = None
    if failures:
        shown = "\n".join(failures[:3])
        more = f"\nand {len(failures) - 3} more" if len(failures) > 3 else ""
        pytest.fail(f"{f.text}{shown}{more}", pytrace=False)


@pytest.mark.parametrize("name", [n for n in NAMES if numpy_object(n, None) is not None])
def test_some_sample_is_valid(name):
    """Samples that NumPy always refuses test nothing."""
    for case in cases_of(name):
        f = case.program()
        if any(call.outcome(f)[1] is None for call in case.calls()):
            return
    pytest.fail(f"NumPy refuses every sample for {name}: see tests/numpy/samples.py", pytrace=False)


def test_no_function_is_left_out():
    """What is registered under NumPy's names is in the list that the tests are made from.

    Methods of random generators and polynomials need one: test_random_generator.py and
    test_polynomial.py have them.
    """
    functions = {n for n in registered if n.startswith(("numpy.", "Array."))}
    functions = {n for n in functions if "._" not in n}
    functions = {n for n in functions - CONTEXT_MANAGERS if not is_method_of_a_class(n)}
    left_out = {n for n in functions - set(NAMES) if "__" not in n and "(" not in n}
    assert left_out == set()
    assert all(is_numpy_function(n) for n in NAMES)


def test_open_rows_have_tests():
    labels = [
        identifier(name, case.label)
        for name in NAMES
        if numpy_object(name, None)
        for case in cases_of(name)
    ]
    for pattern in OPEN:
        assert any(fnmatchcase(label, pattern) for label in labels), pattern


def test_samples_of_plain_calls():
    """The plain call of a function meets the dtypes, dimensions and layouts that it should."""
    (plain,) = [case for case in cases_of("numpy.sum") if not case.chosen]
    arrays = [call.first for call in plain.calls()]
    assert {a.dtype.char for a in arrays} >= set("?bHilLfdFD")
    assert {a.ndim for a in arrays} == {0, 1, 2, 3}
    assert any(a.size == 0 for a in arrays) and any(not a.flags.writeable for a in arrays)
    assert any(min(a.strides, default=0) < 0 for a in arrays)


def test_errors_of_the_comparison_are_seen():
    """A wrong value, dtype or error class does not pass."""
    one, two = np.ones(2), np.full(2, 2.0)
    right = ((one, None), ())
    for wrong in (two, one.astype("f"), one[:1], (one,), None):
        with pytest.raises(AssertionError):
            check_outcome("numpy.sum", ((wrong, None), ()), right, None, None)
    with pytest.raises(AssertionError):
        check_outcome("numpy.sum", ((None, KeyError()), ()), ((None, ValueError()), ()), None, None)
    with pytest.raises(AssertionError):
        check_outcome("numpy.sum", ((None, NumbaError("no")), ()), right, None, None)
