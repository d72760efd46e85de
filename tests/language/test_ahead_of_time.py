"""numjit.pycc: extension modules of functions that were compiled ahead of time, in the form that
needs numjit. What other modules do is in test_ahead_of_time_alone.py."""

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import textwrap

import numpy as np
import pytest
from numjit import objmode, types
from numjit.standalone import write_module
from numjit.standalone_source import NotStandalone

_COMPILER = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")[0]
_HEADER = os.path.join(sysconfig.get_path("include"), "Python.h")

pytestmark = pytest.mark.skipif(
    not shutil.which(_COMPILER) or not os.path.exists(_HEADER),
    reason="pycc needs a C compiler and Python.h",
)

SOURCE = """
    import math
    import numpy as np
    from numjit import njit, types
    from numjit.pycc import CC

    cc = CC("rates")
    cc.output_dir = "made"
    SHIFT = 10

    @njit
    def helper(x):
        return x + SHIFT

    @cc.export("multf", "f8(f8, f8)")
    @cc.export("multi", "i4(i4, i4)")
    def mult(a, b):
        return a * b

    @cc.export("fib", "i8(i8)")
    def fib(n):
        return n if n < 2 else fib(n - 1) + fib(n - 2)

    @cc.export("shifted", "f8[:](f8[:])")
    def shifted(a):
        return np.sqrt(a) + helper(1)

    @cc.export("text", "unicode_type(unicode_type)")
    def text(s):
        return f"{s} {math.pi:.3f}"

    # Python's sets are only known to numjit.
    @cc.export("count", (types.Set(types.int64, reflected=True),))
    def count(items):
        items.add(len(items))
        return len(items)

    if __name__ == "__main__":
        cc.compile()
"""

USE = """
    import sys
    sys.path.insert(0, "made")
    import numpy as np
    import rates

    assert "program" not in sys.modules
    print(rates.multf(3, 4), rates.multi(3, 4), rates.fib(20), rates.text("pi"))
    print(rates.shifted(np.array([4.0, 9.0])).tolist())
    print(rates.__name__, rates.multf.__module__, rates.fib.signatures)
    try:
        rates.multf("x", 1)
    except TypeError as error:
        print("TypeError")
    items = {5}
    print(rates.count(items), items)
    functions = [f for f in vars(rates).values() if hasattr(f, "stats")]
    print(sum(sum(f.stats.cache_hits.values()) for f in functions))
"""


@pytest.fixture
def run(tmp_path):
    def run(source, name="use.py"):
        path = tmp_path / name
        path.write_text(textwrap.dedent(source))
        environment = {**os.environ, "NUMJIT_CACHE_DIR": str(tmp_path / "cache")}
        made = subprocess.run(
            [sys.executable, path], cwd=tmp_path, env=environment, capture_output=True, text=True
        )
        assert made.returncode == 0, made.stderr
        return made

    return run


def test_module(run, tmp_path):
    warning = run(SOURCE, "program.py").stderr
    assert "needs numjit" in warning and "count(): values of type reflected set(int64)" in warning
    assert os.listdir(tmp_path / "made") == ["rates" + sysconfig.get_config_var("EXT_SUFFIX")]
    (tmp_path / "program.py").unlink()  # the module needs its source no more
    expected = [
        "12.0 12 6765 pi 3.142",
        "[13.0, 14.0]",
        "rates rates [(int64,)]",
        "TypeError",
        "2 {1, 5}",
        "6",
    ]
    assert run(USE).stdout.splitlines() == expected
    assert run(USE).stdout.splitlines() == expected

    # Code that is not what this machine would make is compiled anew.
    for entry in (tmp_path / "cache").glob("**/*.njc"):
        entry.write_bytes(b"damaged")
    assert run(USE).stdout.splitlines() == [*expected[:-1], "0"]


def test_properties(tmp_path):
    from numjit.pycc import CC

    cc = CC("package.module")
    assert cc.name == "package.module"
    assert cc.output_file == "module" + sysconfig.get_config_var("EXT_SUFFIX")
    assert cc.output_dir == os.path.dirname(os.path.abspath(__file__))
    assert (cc.verbose, cc.target_cpu, cc.use_nrt) == (False, "host", True)
    cc.output_dir, cc.output_file = str(tmp_path), "other.so"

    @cc.export("one", "i8()")
    def one():
        return 1

    assert one() == 1
    with pytest.raises(KeyError, match="duplicated export symbol one"):
        cc.export("one", "i8()")(one)
    with pytest.raises(TypeError):
        cc.export("two", "i8()")(len)


GLOBAL_ROWS = [[1], [2, 3]]
GLOBAL_PAIRS = {("a", 1): 2}
GAPS = np.arange(10.0)[::2]


def _with_keywords(**options):
    return 1


def _objects(x):
    with objmode(y="int64"):
        y = id(x)
    return y


@pytest.mark.parametrize(
    ("function", "arguments", "reason"),
    [
        (_with_keywords, (), "**kwargs"),
        (_objects, (types.int64,), "it calls Python"),
        (lambda i: GLOBAL_ROWS[i][0], (types.int64,), "a global list, dict or set of containers"),
        (lambda s: GLOBAL_PAIRS[s, 1], (types.unicode_type,), "a global dict or set with keys of"),
        (lambda i: GAPS[i], (types.int64,), "not contiguous"),
        (lambda s: len(s), (types.Set(types.int64, reflected=True),), "reflected set(int64)"),
        (lambda d: len(d), (types.DictType(types.int64, types.int64),), "DictType"),
        (lambda a: np.fft.fft(a), (types.complex128[:],), "a C function that has no name"),
        (lambda x: x, (types.float16,), "float16"),
        (lambda x: {x}, (types.int64,), "set(int64)"),
    ],
)
def test_reasons(function, arguments, reason, tmp_path):
    """Why a module needs numjit."""
    exported = {"f": (function, arguments, {"nopython": True})}
    with pytest.raises(NotStandalone) as raised:
        write_module("made", exported, "host", str(tmp_path))
    assert any(text.startswith("f(): ") and reason in text for text in raised.value.args), (
        raised.value.args
    )
