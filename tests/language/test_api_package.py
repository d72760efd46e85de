"""The package as a whole: what importing it loads, the command line, settings."""

import os
import subprocess
import sys
import textwrap

import numjit
import pytest
from numjit.dump import STAGES, dump_function
from numjit.inspection import ControlFlowGraph, _read_asm, _read_llvm


def run(*arguments, **environment):
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )


def test_importing_and_calling_loads_little():
    program = """
        import sys, numjit
        @numjit.njit
        def f(x):
            return x + 1
        assert f(1) == 2
        heavy = ("numjit.types", "numjit.errors", "inspect", "ast", "scipy", "concurrent")
        print([name for name in heavy if name in sys.modules and name not in before])
    """
    program = "import sys, numpy\nbefore = set(sys.modules)\n" + textwrap.dedent(program)
    made = run("-c", program)
    assert made.stdout.strip() == "[]", made.stdout + made.stderr


def test_names_of_the_package():
    for name in numjit.__all__:
        assert hasattr(numjit, name), name
    assert set(numjit.__all__) <= set(dir(numjit))
    assert numjit.TypingError is numjit.errors.TypingError
    numbers = tuple(map(int, numjit.__version__.split(".")))
    assert numjit.version_info[:3] == numjit.version_info.full == numbers
    assert numjit.version_info.short == numbers[:2] and numjit.version_info >= (0, 2)
    with pytest.raises(AttributeError, match="no attribute 'no_such_name'"):
        numjit.no_such_name


def test_star_import():
    namespace = {}
    exec("from numjit import *", namespace)
    assert {"njit", "float64", "prange", "optional"} <= set(namespace)


def test_special_functions_in_the_interpreter():
    assert list(numjit.prange(1, 4)) == [1, 2, 3]
    assert numjit.literal_unroll((1, "a")) == (1, "a")
    assert numjit.literally(3) == 3


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(
        "from numjit import njit\n\n"
        "def plain(a, n):\n    for i in range(n):\n        a[i] *= n\n    return a[0]\n\n"
        "@njit\ndef jitted(x):\n    return x + 1\n"
    )
    return path


@pytest.mark.parametrize("stage", STAGES)
def test_dump(program, stage):
    types = "(float64[:, ::1], int64)" if stage == "bytecode" else "(float64[::1], int64)"
    made = run("-m", "numjit", "dump", f"{program}::plain", "--types", types, "--stage", stage)
    assert made.returncode == 0, made.stderr
    assert made.stdout.strip()


def test_dump_of_a_jitted_function(program):
    made = run("-m", "numjit", "dump", f"{program}::jitted", "--types", "f8(f8)")
    assert made.returncode == 0 and "float64" in made.stdout


@pytest.mark.one_python
@pytest.mark.parametrize(
    ("place", "types", "complaint"),
    [
        ("{}", "()", "name a function as FILE.py::function"),
        ("{}::plane", "()", "did you mean plain?"),
        ("nowhere.py::f", "()", "there is no such file"),
        ("{}::plain", "(flot64,)", "unknown type name 'flot64'"),
        ("{}::jitted", "(none,)", "TypingError"),
    ],
)
def test_dump_complains(program, place, types, complaint):
    made = run("-m", "numjit", "dump", place.format(program), "--types", types)
    assert made.returncode == 1
    assert complaint in made.stderr and "Traceback" not in made.stderr


def test_dump_function_refuses_other_stages():
    with pytest.raises(ValueError, match="'types' is no stage"):
        dump_function(lambda: 1, "()", "types")
    with pytest.raises(TypeError, match="only Python functions"):
        dump_function(len, "()", "ssa")


def test_sysinfo():
    made = run("-m", "numjit", "-s")
    assert made.returncode == 0
    for word in ("numjit", "numpy", "Python", "config.DISABLE_JIT", "live blocks"):
        assert word in made.stdout


def test_settings_come_from_either_prefix():
    program = "import numjit; print(numjit.config.BOUNDSCHECK, numjit.config.DISABLE_JIT)"
    assert run("-c", program).stdout.split() == ["None", "False"]
    assert run("-c", program, NUMBA_BOUNDSCHECK="1").stdout.split() == ["True", "False"]
    assert run("-c", program, NUMJIT_BOUNDSCHECK="0").stdout.split() == ["False", "False"]


def test_boundscheck_everywhere():
    program = """
        import numpy, numjit
        @numjit.njit
        def f(a):
            return a[5]
        try:
            f(numpy.zeros(2))
        except IndexError:
            print("checked")
    """
    assert run("-c", textwrap.dedent(program), NUMBA_BOUNDSCHECK="1").stdout == "checked\n"


LLVM = """\
define i32 @f(i64 %n) {
  %c = icmp sgt i64 %n, 0
  br i1 %c, label %body, label %exit

body:                                             ; preds = %0
  br label %exit

exit:
  ret i32 0
}
define i32 @other() {
  ret i32 1
}
"""

ASM = """\
\t.text
f:
\ttestq\t%rdi, %rdi
\tjle\t.LBB0_2
\taddq\t$1, %rax
.LBB0_2:
\tretq
"""


def test_control_flow_of_texts():
    graph = _read_llvm(LLVM)
    assert (graph.name, list(graph.blocks)) == ("f", ["entry", "body", "exit"])
    assert graph.edges == [("entry", "body"), ("entry", "exit"), ("body", "exit")]
    graph = _read_asm(ASM)
    assert (graph.name, list(graph.blocks)) == ("f", ["f", ".LBB0_2"])
    assert set(graph.edges) == {("f", ".LBB0_2")}
    assert isinstance(graph, ControlFlowGraph) and graph.dot.startswith("digraph")


def test_programs_are_run_and_their_functions_printed(program):
    program.write_text(program.read_text() + "\nprint('result', jitted(1))\n")
    for option, word in (
        ("--annotate", "return x + 1"),
        ("--dump-optimized", "define"),
        ("--dump-assembly", "ret"),
        ("--dump-cfg", "digraph"),
    ):
        made = run("-m", "numjit", option, str(program))
        assert made.returncode == 0, made.stderr
        assert "result 2" in made.stdout and word in made.stdout


def test_sysinfo_as_json(tmp_path):
    import json

    made = run("-m", "numjit", "--sys-json", str(tmp_path / "facts.json"))
    assert made.returncode == 0, made.stderr
    assert "numpy" in json.loads((tmp_path / "facts.json").read_text())


def test_settings_of_numba_that_mean_nothing_here():
    program = "import numjit; c = numjit.config; print(c.OPT, c.DUMP_IR, c.LOOP_VECTORIZE)"
    assert run("-c", program).stdout.split() == ["3", "False", "True"]
    assert run("-c", program, NUMBA_OPT="1").stdout.split() == ["1", "False", "True"]


def test_ensure_parallel_support(monkeypatch):
    """Programs ask it before they choose parallel=True, and take its error for a no."""
    parfor = numjit.parfors.parfor
    assert parfor.ensure_parallel_support() is None
    monkeypatch.setattr("numjit.compat.core_names.MACHINE_BITS", 32)
    with pytest.raises(numjit.errors.UnsupportedParforsError, match="64 bits"):
        parfor.ensure_parallel_support()


def test_paths_of_numbas_modules():
    """In a process of its own: importing a module makes it an attribute of its package."""
    program = """
import numjit
from numjit import types
import numjit.core.types.containers, numjit.experimental.jitclass, numjit.stencils.stencil
from numjit.core import config, errors, types as core_types
from numjit.core.dispatcher import Dispatcher
from numjit.core.registry import CPUDispatcher
from numjit.core.typing import signature
from numjit.core.typing.typeof import typeof
from numjit.core.types.abstract import Type
from numjit.experimental import jitclass
from numjit.misc.special import prange
from numjit.np.ufunc.dufunc import DUFunc
from numjit.typed.typedlist import List
from numjit.types.npytypes import Array

assert core_types is types and numjit.core.types.containers.Tuple is types.Tuple
assert Array is types.Array and Type is types.Type
assert errors is numjit.errors and config is numjit.config and List is numjit.typed.List
assert isinstance(numjit.njit(lambda x: x), (CPUDispatcher, Dispatcher))
assert signature(types.int64, types.int32) == types.int64(types.int32)
assert typeof(1) is types.int64 and numjit.np.numpy_support.from_dtype("S3") == types.CharSeq(3)

@jitclass([("x", types.int64)])
class Point:
    def __init__(self, x):
        self.x = x

@numjit.stencil
def shifted(a):
    return a[1]

assert Point(3).x == 3 and type(numjit.vectorize(lambda x: x)) is DUFunc
try:
    import numjit.core.nowhere
except ImportError:
    print("done")
"""
    made = run("-c", program)
    assert made.stdout == "done\n", made.stderr
