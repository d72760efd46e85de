"""numjit under Numba's name: `sys.modules["numba"] = numjit`."""

import subprocess
import sys

import pytest

PROGRAMS = {
    "modules are the same": """
        import numba.core, numba.cuda, numba.core.types, numjit.core.types, numjit.cuda
        assert numba.core is numjit.core and numba.cuda is numjit.cuda
        assert numba.core.types is numjit.core.types
    """,
    "names of packages": """
        from numba.core import types, cgutils, errors
        from numba.core.types import Type
        from numba.core.typing import signature
        from numba.experimental import jitclass, structref
        from numba.typed import List
        from numba.typed.typedlist import List as Same
        assert Same is List and isinstance(types.int64, Type)
    """,
    "names that do not exist": """
        import importlib.util
        for name in ("numba.nonsense", "numba.core.nonsense", "numba.nonsense.more"):
            try:
                __import__(name)
            except ModuleNotFoundError as error:
                assert "nonsense" in str(error)
            else:
                raise AssertionError(name)
    """,
    "version": """
        import numba
        from numba import __version__, version_info
        assert __version__ == numba.__version__ == numjit.__version__ == version_info.string
        assert version_info >= (0, 60) and version_info.major == 0
        del sys.modules["numba"]
        assert numjit.__version__ == numjit._core.__version__ < __version__
    """,
    "pickles": """
        import pickle
        import numba.core.types
        assert pickle.loads(pickle.dumps(numba.core.types.int64)) is numba.int64
    """,
    "cross2d": """
        import numpy as np
        from numba import njit
        from numba.np.extensions import cross2d
        f = njit(lambda a, b: cross2d(a, b))
        a, b = np.arange(6.0).reshape(3, 2), np.arange(6.0)[::-1].reshape(3, 2)
        assert f(a, b).tolist() == (a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).tolist()
        assert f(a[0], b[0]) == -5.0 and f((1.0, 2.0), (3.0, 4.0)) == -2.0
        try:
            f(np.ones(3), np.ones(3))
        except ValueError:
            pass
        else:
            raise AssertionError
    """,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    lines = PROGRAMS[name].splitlines()
    text = "\n".join(line[8:] for line in lines)
    text = 'import sys\nimport numjit\nsys.modules["numba"] = numjit\n' + text
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
