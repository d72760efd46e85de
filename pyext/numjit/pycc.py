"""Compiling ahead of time, under the names of numba.pycc: `CC` writes an extension module.

    cc = CC("rates")

    @cc.export("discount", "f8(f8, i8)")
    def discount(rate, years): ...

    cc.compile()  # import rates; rates.discount(0.05, 10)

The module holds the exported functions, by value, and their machine code in the form in which the
cache on disk keeps it (docs/cache.md). Importing it loads that code and starts no compiler. Where
the code is not what compiling would give (another processor, another version of numjit or NumPy)
the functions are compiled when the module is imported.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import marshal
import os
import pickle
import shlex
import subprocess
import sys
import sysconfig
import tempfile
import warnings
from functools import partial
from hashlib import sha256
from types import CellType, CodeType, FunctionType, ModuleType

from numjit.caching import users_folder
from numjit.compat.numba_paths import part_of
from numjit.decorators import _make
from numjit.dispatcher import Dispatcher
from numjit.errors import NumbaWarning
from numjit.signatures import Signature, normalize_signature
from numjit.standalone import Parts, write_module
from numjit.standalone_source import NotStandalone

__all__ = ["CC"]

__path__: list[str] = []  # numba_paths.py has the modules in it
__getattr__ = partial(part_of, __name__)


class CC:
    """An extension module that is going to be made: `export` its functions, then `compile`."""

    def __init__(self, extension_name, source_module=None):
        self._name = extension_name
        self._exported: dict[str, tuple] = {}  # name -> function, signature
        if source_module is None:
            path = sys._getframe(1).f_globals.get("__file__")
        elif isinstance(source_module, ModuleType):
            path = source_module.__file__
        else:
            raise TypeError(f"expected a module, got {type(source_module).__name__}")
        self._output_dir = os.path.dirname(os.path.abspath(path)) if path else os.getcwd()
        self._output_file = self._basename + sysconfig.get_config_var("EXT_SUFFIX")
        self.verbose = False
        #: The processor that code is for: this machine's, or a name that LLVM has for one.
        self.target_cpu = "host"
        self.use_nrt = True

    @property
    def name(self) -> str:
        """The name of the module, as it is imported."""
        return self._name

    @property
    def _basename(self) -> str:
        return self._name.rpartition(".")[2]

    @property
    def output_dir(self) -> str:
        """The folder that `compile` writes to: that of the calling source, until it is set."""
        return self._output_dir

    @output_dir.setter
    def output_dir(self, value):
        self._output_dir = value

    @property
    def output_file(self) -> str:
        """The name of the file in `output_dir`."""
        return self._output_file

    @output_file.setter
    def output_file(self, value):
        self._output_file = value

    def export(self, exported_name, sig):
        """Decorator: the function is in the module, under this name and for this signature."""
        arguments, result = normalize_signature(sig)
        signature = arguments if result is None else Signature(result, arguments)

        def decorate(function):
            if exported_name in self._exported:
                raise KeyError(f"duplicated export symbol {exported_name}")
            options = {}
            if isinstance(function, Dispatcher):
                options = {**function.targetoptions}
                python = function.py_func
            else:
                python = function
            if not isinstance(python, FunctionType):
                raise TypeError(f"only functions can be exported, not {python!r}")
            self._exported[exported_name] = (python, signature, {**options, "nopython": True})
            return function

        return decorate

    def compile(self) -> None:
        """Compiles the exported functions and writes the module."""
        os.makedirs(self.output_dir, exist_ok=True)
        target = os.path.join(self.output_dir, self.output_file)
        with tempfile.TemporaryDirectory(prefix="numjit-pycc-") as folder:
            parts = self._parts(folder)
            includes = [sysconfig.get_path("include"), *parts.includes]
            command = [
                *shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc"),
                *("-shared", "-fPIC", "-O1", *(f"-I{each}" for each in includes)),
                *(parts.source, *parts.objects, *parts.options, "-o", target),
            ]
            if self.verbose:
                print(shlex.join(command))
            try:
                subprocess.run(command, check=True, capture_output=not self.verbose, text=True)
            except FileNotFoundError:
                raise RuntimeError(
                    f"pycc needs a C compiler, and there is no {command[0]}; name one in CC"
                ) from None
            except subprocess.CalledProcessError as error:
                raise RuntimeError(f"the C compiler failed:\n{error.stderr or ''}") from None

    def distutils_extension(self, **kwargs):
        """The module as an Extension for setup(ext_modules=[...]) of setuptools."""
        from setuptools import Extension

        folder = os.path.join("build", f"pycc-{self._name}")
        os.makedirs(folder, exist_ok=True)
        parts = self._parts(folder)

        def with_ours(key, ours):
            return [*ours, *kwargs.pop(key, ())]

        return Extension(
            name=kwargs.pop("name", self._name),
            sources=with_ours("sources", [parts.source]),
            include_dirs=with_ours("include_dirs", parts.includes),
            extra_objects=with_ours("extra_objects", parts.objects),
            extra_link_args=with_ours("extra_link_args", parts.options),
            **kwargs,
        )

    def _parts(self, folder) -> Parts:
        """What the C compiler makes the module of, in files of a folder."""
        try:
            return write_module(self._basename, self._exported, self.target_cpu, folder)
        except NotStandalone as problem:
            warnings.warn(
                f"the module {self._name} needs numjit: {'; '.join(problem.args)}",
                NumbaWarning,
                stacklevel=3,
            )
        return Parts(self._write_source(folder), [], [], [])

    def _write_source(self, folder) -> str:
        path = os.path.join(folder, f"{self._basename}.c")
        with open(path, "w") as file:
            file.write(_source(self._basename, self._content()))
        return path

    def _content(self) -> bytes:
        """What the module holds, see `fill`."""
        made, entries = [], {}
        own = {function.__module__ for function, *_ in self._exported.values()}
        with tempfile.TemporaryDirectory(prefix="numjit-pycc-") as folder:
            for name, (function, signature, options) in self._exported.items():
                # The copy that the module will have: its globals are those that it uses.
                function = pickle.loads(_dumps(function, own))
                made.append((name, _dumps(function, {_OWN}), signature, options))
                _compile(function, signature, options, (folder, name))
            for entry in os.listdir(folder):
                with open(os.path.join(folder, entry), "rb") as file:
                    entries[entry] = file.read()
        return pickle.dumps((made, entries))

    def __repr__(self):
        return f"CC({self._name!r}, {list(self._exported)})"


def _compile(function, signature, options, home) -> Dispatcher:
    made = _make(function, (), {**options, "cache": True})
    made.keep_in(*home)
    made.compile(signature)
    made.disable_compile()
    return made


def fill(module, content: bytes) -> None:
    """Puts the functions into a module that is being imported; its C code calls this."""
    functions, entries = pickle.loads(content)
    folder = _unpacked(module.__name__, content, entries)
    for name, function, signature, options in functions:
        made = _compile(pickle.loads(function), signature, options, (folder, name))
        made.__module__ = module.__name__
        setattr(module, name, made)


def _unpacked(name: str, content: bytes, entries: dict) -> str:
    """The folder where the code lies as files, which the cache reads. What cannot be written there
    is compiled."""
    folder = os.path.join(users_folder(), "pycc", f"{name}-{sha256(content).hexdigest()[:16]}")
    with contextlib.suppress(OSError):
        os.makedirs(folder, exist_ok=True)
        for entry, data in entries.items():
            path = os.path.join(folder, entry)
            if not os.path.exists(path):
                with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
                    file.write(data)
                os.replace(file.name, path)
    return folder


# -- functions by value ---------------------------------------------------------------------------

_OWN = "numjit.pycc.module"  # what functions in a module of ours call their module


def _dumps(function, own: set) -> bytes:
    stream = io.BytesIO()
    _Pickler(stream, own).dump(function)
    return stream.getvalue()


class _Pickler(pickle.Pickler):
    """Functions of the modules `own` are pickled by value, with the globals that they use."""

    def __init__(self, stream, own):
        super().__init__(stream)
        self.own = own

    def reducer_override(self, value):
        if isinstance(value, ModuleType):
            return importlib.import_module, (value.__name__,)
        if isinstance(value, Dispatcher) and value.py_func.__module__ in self.own:
            return _dispatcher, (value.py_func, dict(value.targetoptions))
        if type(value) is FunctionType and value.__module__ in self.own:
            # Made before its globals are read: it may be one of them.
            cells = len(value.__closure__ or ())
            state = (
                _globals_used(value),
                [cell.cell_contents for cell in value.__closure__ or ()],
                value.__defaults__,
                value.__kwdefaults__,
            )
            arguments = (marshal.dumps(_placeless(value.__code__)), value.__qualname__, cells)
            return _function, arguments, state, None, None, _set_state
        return NotImplemented


def _placeless(code: CodeType) -> CodeType:
    """The code under the bare name of its file: what the cache keeps is code of an existing file or
    of none, and the source may be missing where the module is imported."""
    filename = f"<{os.path.basename(code.co_filename).strip('<>')}>"
    inner = tuple(
        _placeless(item) if isinstance(item, CodeType) else item for item in code.co_consts
    )
    return code.replace(co_filename=filename, co_consts=inner)


def _function(code, qualname, cells):
    function = FunctionType(
        marshal.loads(code),
        {"__builtins__": __builtins__, "__name__": _OWN},
        closure=tuple(CellType() for _ in range(cells)),
    )
    function.__qualname__, function.__module__ = qualname, _OWN
    return function


def _set_state(function, state):
    names, contents, function.__defaults__, function.__kwdefaults__ = state
    function.__globals__.update(names)
    for cell, value in zip(function.__closure__ or (), contents, strict=True):
        cell.cell_contents = value


def _dispatcher(function, options):
    return _make(function, (), options)


def _globals_used(function) -> dict:
    names, codes = set(), [function.__code__]
    while codes:
        code = codes.pop()
        names.update(code.co_names)
        codes += [item for item in code.co_consts if isinstance(item, CodeType)]
    return {name: function.__globals__[name] for name in names & function.__globals__.keys()}


# -- the module in C ------------------------------------------------------------------------------

_SOURCE = """\
/* Written by numjit.pycc. */
#include <Python.h>

static const unsigned char content[] = {%(bytes)s};

static int fill(PyObject *module) {
  PyObject *pycc = PyImport_ImportModule("numjit.pycc");
  PyObject *done =
      pycc ? PyObject_CallMethod(pycc, "fill", "Oy#", module, (const char *)content,
                                 (Py_ssize_t)sizeof content)
           : NULL;
  Py_XDECREF(pycc);
  Py_XDECREF(done);
  return done ? 0 : -1;
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, fill}, {0, NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "%(name)s", NULL, 0, NULL, slots};

PyMODINIT_FUNC PyInit_%(name)s(void) { return PyModuleDef_Init(&module); }
"""


def _source(name: str, content: bytes) -> str:
    rows = (content[at : at + 32] for at in range(0, len(content), 32))
    numbers = ",\n".join(",".join(map(str, row)) for row in rows)
    return "#define PY_SSIZE_T_CLEAN\n" + _SOURCE % {"name": name, "bytes": numbers}
