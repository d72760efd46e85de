"""cupy.lib: stride_tricks."""

from . import stride_tricks  # noqa: F401

__path__: list = []  # a package of CuPy, see compat/cupy_paths.py
