"""The source of a module of numjit.standalone: C tables of its functions, of types, and of what
machine code refers to. The headers of pyext/standalone work by them.
"""

from __future__ import annotations

import ctypes
import inspect
import marshal
import pickle
from dataclasses import dataclass

import numpy as np
from numpy.linalg import _umath_linalg

from numjit import _core
from numjit.errors import NumbaError
from numjit.np.numpy_support import as_dtype
from numjit.types.wrap import wrap

#: More of a global array is not written into a source.
_MOST_BYTES = 16 << 20


class NotStandalone(Exception):
    """Why a module needs numjit: an argument for each reason."""


@dataclass
class Function:
    """One that is exported, compiled."""

    name: str
    python: object
    prefix: str  # of its symbols
    nogil: bool
    file: bytes
    references: list
    outside: list
    features: str
    arguments: tuple
    result: object
    runs_long: bool
    lends_gil: bool


def c_string(text) -> str:
    data = text.encode("utf-8", "replace") if isinstance(text, str) else text
    safe = set(
        b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _-+./()[]{}<>,:;=*'"
    )
    return '"' + "".join(chr(c) if c in safe else f"\\{c:03o}" for c in data) + '"'


def _symbol(name) -> str:
    return f"__asm__({c_string(name)})"


_HIDDEN = '__attribute__((visibility("hidden")))'

_SIGNED = {f"int{bits}": ("NJ_SIGNED", bits // 8, f"NPY_INT{bits}") for bits in (8, 16, 32, 64)}
_UNSIGNED = {f"u{n}": ("NJ_UNSIGNED", b, f"NPY_U{t[4:]}") for n, (_, b, t) in _SIGNED.items()}
#: By the text of a type: kind, bytes, NumPy's number.
_NUMBERS = {
    "bool": ("NJ_BOOL", 1, "NPY_BOOL"),
    **_SIGNED,
    **_UNSIGNED,
    "float32": ("NJ_FLOAT", 4, "NPY_FLOAT"),
    "float64": ("NJ_FLOAT", 8, "NPY_DOUBLE"),
    "complex64": ("NJ_COMPLEX", 8, "NPY_CFLOAT"),
    "complex128": ("NJ_COMPLEX", 16, "NPY_CDOUBLE"),
}

#: By the kind of a type: its name in C.
_KINDS = {
    "none": "NJ_NONE",
    "array": "NJ_ARRAY",
    "unicode": "NJ_STRING",
    "string": "NJ_LITERAL",
    "bytes": "NJ_BYTES",
    "tuple": "NJ_TUPLE",
    "namedtuple": "NJ_NAMED_TUPLE",
    "optional": "NJ_OPTIONAL",
    "list": "NJ_LIST",
    "exception": "NJ_EXCEPTION",
    "datetime": "NJ_TIME",
    "timedelta": "NJ_TIME",
    "record": "NJ_RECORD",
}
#: Those that go to Python only.
_RESULTS = {"string", "exception"}

#: How names of the runtime start, and of what the compiler itself calls.
_OF_THE_RUNTIME = "nj_", "numjit_new_", "do_scheduling_", "__"
#: Functions of the runtime for which a host is needed that knows the compiler.
_NEED_NUMJIT = {
    "nj_call_python": "it calls Python (object mode, or a function that is not compiled)",
    "nj_error_attribute": "it reads attributes of an exception that it caught",
    "nj_call_entry": "it calls functions that are values",
    "nj_box_value": "it makes Python objects",
    "nj_unbox_value": "it reads Python objects",
    "nj_raise_pending": "it calls Python",
}

#: What a class has that defines nothing.
_EMPTY_CLASS = {
    *("__module__", "__doc__", "__dict__", "__weakref__"),
    *("__firstlineno__", "__static_attributes__"),
}

_SOURCE = """\
/* Written by numjit.pycc. */
#include "pyext/standalone/module.h"

{definitions}
static PyMethodDef methods[] = {{
{methods}
  {{NULL, NULL, 0, NULL}}}};
static nj_function *const functions[] = {{{functions}}};
static nj_dtype *const dtypes[] = {{{dtypes}}};
static nj_class *const classes[] = {{{classes}}};
static nj_constant *const constants[] = {{{constants}}};
static const nj_module content = {{
  {features}, functions, nj_outside_rows, dtypes, classes, constants,
  {count}, {outside}, {dtype_count}, {class_count}, {constant_count}}};

static int fill(PyObject *module) {{ return nj_fill(module, &content); }}

static PyModuleDef_Slot slots[] = {{{{Py_mod_exec, fill}}, {{0, NULL}}}};
static struct PyModuleDef module = {{
  PyModuleDef_HEAD_INIT, {name}, NULL, 0, methods, slots, NULL, NULL, NULL}};

PyMODINIT_FUNC PyInit_{init}(void) {{ return PyModuleDef_Init(&module); }}
"""


class Source:
    """The source of a module, put together function by function."""

    def __init__(self, name):
        self.functions = []
        self._name = name
        self._types = {}  # row -> its name in C
        self._elements = {}  # the same of elements that are no numbers
        self._dtypes = {}  # pickled -> name
        self._classes = {}
        self._own_classes = []  # names in C
        self._constants = []  # names in C
        self._texts = {}  # names of symbols for the bytes of literals
        self._outside = {}  # (file, symbol) -> number
        self._lines = []

    def add(self, function):
        """Raises NotStandalone with all that is wrong with it."""
        reasons = []

        def tried(make, *arguments):
            try:
                return make(*arguments)
            except NotStandalone as problem:
                reasons.extend(reason for reason in problem.args if reason not in reasons)

        for row in function.arguments:
            tried(self._argument, row)
        tried(self._type, function.result)
        for number, reference in enumerate(function.references):
            tried(self._reference, f"{function.prefix}reference.{number}", *reference)
        for symbol in function.outside:
            tried(self._outside_symbol, symbol)
        if reasons:
            raise NotStandalone(*reasons)
        self._function(function)
        self.functions.append(function)

    def text(self) -> str:
        rows = [
            f"  {{{'NULL' if file is None else c_string(file)}, {c_string(symbol)}, NULL}},"
            for file, symbol in self._outside
        ] or ["  {NULL, NULL, NULL},"]
        outside = [
            "static __attribute__((used)) nj_outside nj_outside_rows[] = {",
            *rows,
            "};",
        ]
        count = range(len(self.functions))
        return _SOURCE.format(
            definitions="\n".join(self._lines + outside),
            methods="\n".join(self._method(i, f) for i, f in enumerate(self.functions)),
            functions=", ".join(f"&function_{i}" for i in count),
            features=c_string(self.functions[0].features if self.functions else ""),
            count=len(self.functions),
            outside=len(self._outside),
            dtypes=", ".join(f"&{each}" for each in self._dtypes.values()) or "NULL",
            dtype_count=len(self._dtypes),
            classes=", ".join(f"&{each}" for each in self._own_classes) or "NULL",
            class_count=len(self._own_classes),
            constants=", ".join(f"&{each}" for each in self._constants) or "NULL",
            constant_count=len(self._constants),
            name=c_string(self._name),
            init=self._name,
        )

    # -- types --

    def _argument(self, row) -> str:
        found = _first(row, lambda part: part.kind in _RESULTS)
        lists = [part for part in (row, *_parts_of(row)) if part.kind == "list"]
        if any(_first(part.params[0], lambda inner: inner.kind == "list") for part in lists):
            raise NotStandalone("lists of lists as arguments")
        if found:
            raise NotStandalone(f"arguments of type {found.text}")
        return self._type(row)

    def _type(self, row) -> str:
        """The name of a type's table in C."""
        if row not in self._types:
            name = self._types[row] = f"type_{len(self._types)}"
            fields = self._fields(row)
            leaves = ", ".join(f"{{{b}, {o}, {int(w)}}}" for b, o, w in _core.leaves(row))
            self._lines.append(
                f"static const nj_leaf {name}_leaves[] = {{{leaves or '{0, 0, 0}'}}};"
            )
            fields |= {
                "text": c_string(row.text),
                "slots": len(_core.leaves(row)),
                "leaves": f"{name}_leaves",
                "memory_size": _core.memory_size(row),
            }
            if row.kind == "array":
                parts = [self._element(row.params[0])]
            else:
                parts = [self._type(part) for part in _parts_of(row)]
            if parts:
                table = ", ".join(f"&{part}" for part in parts)
                self._lines.append(f"static const nj_type *const {name}_params[] = {{{table}}};")
                fields |= {"count": len(parts), "params": f"{name}_params"}
            text = ", ".join(f".{key} = {value}" for key, value in fields.items())
            self._lines.append(f"static const nj_type {name} = {{{text}}};")
        return self._types[row]

    def _fields(self, row) -> dict:
        """The part of a type's table that is its own kind's."""
        if row.kind == "scalar" and row.text in _NUMBERS:
            kind, size, number = _NUMBERS[row.text]
            return {"kind": kind, "bytes": size, "number": number}
        if row.kind not in _KINDS or (row.kind == "list" and row.typed):
            raise NotStandalone(f"values of type {row.text}")
        fields: dict = {"kind": _KINDS[row.kind]}
        if row.kind == "array":
            fields |= {
                "ndim": row.ndim,
                "layout": f"'{row.layout}'",
                "readonly": int(row.readonly),
                "is_unaligned": int(row.unaligned),
            }
        elif row.kind == "bytes":
            fields["readonly"] = int(row.readonly)
        elif row.kind == "record":
            fields["dtype"] = f"&{self._pickled(np.dtype((np.record, _dtype(row))))}"
        elif fields["kind"] == "NJ_TIME":
            fields["dtype"] = f"&{self._pickled(_dtype(row))}"
        elif row.kind == "list":
            fields["item"] = f"&{self._item(row.params[0])}"
        elif row.kind == "string":
            fields["constant"] = c_string(row.text)
        elif row.kind in ("namedtuple", "exception") and row.cls is not None:
            fields["cls"] = f"&{self._class(row.cls)}"
        return fields

    def _element(self, row) -> str:
        """The table of the type of an array's elements."""
        if row.text in _NUMBERS:
            return self._type(row)
        if row not in self._elements:
            dtype = _dtype(row)
            name = self._elements[row] = f"element_{len(self._elements)}"
            fields = f".kind = NJ_ELEMENT, .text = {c_string(row.text)}, .bytes = {dtype.itemsize}"
            self._lines.append(
                f"static const nj_type {name} = {{{fields}, .dtype = &{self._pickled(dtype)}}};"
            )
        return self._elements[row]

    def _pickled(self, dtype) -> str:
        """The name of a dtype in C."""
        data = pickle.dumps(dtype)
        if data not in self._dtypes:
            name = self._dtypes[data] = f"dtype_{len(self._dtypes)}"
            self._lines.append(f"static nj_dtype {name} = {{{c_string(data)}, {len(data)}, NULL}};")
        return self._dtypes[data]

    def _class(self, cls) -> str:
        if not isinstance(cls, type) or "<locals>" in cls.__qualname__:
            raise NotStandalone(f"it refers to {cls!r}, which no module has")
        if cls not in self._classes:
            module, base = cls.__module__, "NULL"
            if module == "__main__":
                module, base = self._name, f"&{self._base(cls)}"
            name = self._classes[cls] = f"class_{len(self._classes)}"
            if base != "NULL":
                self._own_classes.append(name)
            place = f"{c_string(module)}, {c_string(cls.__qualname__)}"
            self._lines.append(f"static nj_class {name} = {{{place}, NULL, {base}}};")
        return self._classes[cls]

    def _base(self, cls) -> str:
        """Of a class of the program that compiles, which the module makes for itself."""
        is_plain = issubclass(cls, Exception) and len(cls.__bases__) == 1
        if not is_plain or not _EMPTY_CLASS.issuperset(vars(cls)) or "." in cls.__qualname__:
            raise NotStandalone(
                f"{cls.__qualname__} is defined in the program: put it into a module"
            )
        return self._class(cls.__bases__[0])

    # -- what machine code refers to --

    def _alias(self, symbol, name, ctype, shape=""):
        self._lines.append(
            f"extern {ctype} r{len(self._lines)}{shape} {_symbol(symbol)} "
            f'__attribute__((alias("{name}"), visibility("hidden")));'
        )

    def _memory(self, symbol, data, alignment=1):
        """Constant bytes; a 0 follows."""
        self._lines.append(
            f"extern const char r{len(self._lines)}[{len(data) + 1}] {_symbol(symbol)} {_HIDDEN};"
        )
        self._lines.append(
            f"__attribute__((aligned({alignment}))) const char r{len(self._lines) - 1}"
            f"[{len(data) + 1}] = {c_string(data)};"
        )

    def _reference(self, symbol, kind, rows, content):
        if kind == "type":
            self._alias(symbol, self._type(rows[0]), "const nj_type")
        elif kind == "object":
            self._alias(symbol, self._class(content), "nj_class")
        elif kind == "text":
            self._memory(symbol, content)
        elif kind == "owner":
            self._owner(symbol)
        elif kind == "array data":
            self._array(symbol, content)
        elif kind == "list item":
            self._alias(symbol, self._item(rows[0]), "const nj_item")
        elif kind == "print site":
            self._print_site(symbol, rows)
        elif kind == "owner slots":
            self._owner_slots(symbol, rows[0])
        elif kind == "C function":
            self._c_function(symbol, content)
        elif kind == "memory":
            self._container(symbol, content)
        else:
            raise NotStandalone(f"it refers to a {kind}")

    def _owner(self, symbol):
        """Of a global array, whose memory stays: a block that is never released to the end."""
        if "static nj_block constant_block = {.count = INT64_MAX / 2};" not in self._lines:
            self._lines.append("static nj_block constant_block = {.count = INT64_MAX / 2};")
        self._alias(symbol, "constant_block", "nj_block")

    def _array(self, symbol, array):
        if not isinstance(array, np.ndarray) or array.dtype.hasobject:
            raise NotStandalone("it uses a global array of objects")
        if not (array.flags.c_contiguous or array.flags.f_contiguous):
            raise NotStandalone("it uses a global array that is not contiguous")
        if array.nbytes > _MOST_BYTES:
            raise NotStandalone(f"it uses a global array of {array.nbytes} bytes")
        self._memory(symbol, array.tobytes("A"), alignment=64)

    def _container(self, symbol, content):
        """A global list, dict or set: of numbers the block that it is in this process."""
        if len(content) == 3:
            self._made_at_import(symbol, *content)
            return
        kind, (item,), numbers, *parts = content
        name = f"container_{len(self._lines)}"
        for number, data in enumerate(parts):
            self._lines.append(
                f"static __attribute__((aligned(64))) char {name}_{number}[] = {c_string(data)};"
            )
        fields = [*numbers, *(f"(void *){name}_{number}" for number in range(len(parts)))]
        fields += [0, f"&{self._item(item)}"]
        text = ", ".join(map(str, fields))
        self._lines.append(
            f"static struct {{ nj_block block; {kind} content; }} {name} = "
            f"{{{{.count = INT64_MAX / 2}}, {{{text}}}}};"
        )
        self._alias(symbol, name, f"__typeof__({name})")

    def _made_at_import(self, symbol, kind, rows, value):
        (item,) = rows
        is_table = kind == "nj_table"
        if _first(item, lambda part: part.kind in ("list", "dict", "set")):
            raise NotStandalone("it uses a global list, dict or set of containers")
        if is_table and item.params[1].kind != "unicode":
            raise NotStandalone(f"it uses a global dict or set with keys of {item.params[1].text}")
        name = f"constant_{len(self._constants)}"
        table = self._argument(item)
        try:
            data = pickle.dumps(value)
        except Exception as error:
            raise NotStandalone(f"it uses a global that cannot be pickled: {error}") from None
        self._constants.append(name)
        self._lines += [
            f"static struct {{ nj_block block; {kind} content; }} {name}_block = "
            "{.block = {.count = INT64_MAX / 2}};",
            f"static nj_constant {name} = {{&{name}_block.content, {int(is_table)}, &{table}, "
            f"&{self._item(item)}, {c_string(data)}, {len(data)}, 0}};",
        ]
        self._alias(symbol, f"{name}_block", f"__typeof__({name}_block)")

    def _item(self, row) -> str:
        owners = [offset for _, offset, is_owner in _core.leaves(row) if is_owner]
        name = f"item_{len(self._lines)}"
        if owners:
            self._lines.append(
                f"static const uint32_t {name}_owners[] = {{{', '.join(map(str, owners))}}};"
            )
        self._lines.append(
            f"static const nj_item {name} = {{{_core.memory_size(row)}, {len(owners)}, "
            f"{name + '_owners' if owners else 'NULL'}}};"
        )
        return name

    def _print_site(self, symbol, rows):
        types = [self._type(row) for row in rows]
        name = f"site_{len(self._lines)}"
        table = ", ".join(f"&{each}" for each in types) or "NULL"
        self._lines.append(f"static const void *const {name}_types[] = {{{table}}};")
        self._lines.append(f"static const nj_print_site {name} = {{{len(types)}, {name}_types}};")
        self._alias(symbol, name, "const nj_print_site")

    def _owner_slots(self, symbol, row):
        owners = [i for i, (_, _, is_owner) in enumerate(_core.leaves(row)) if is_owner]
        name = f"owners_{len(self._lines)}"
        self._lines.append(
            f"static const int64_t {name}[] = {{{', '.join(map(str, owners)) or 0}}};"
        )
        self._alias(symbol, name, "const int64_t", f"[{max(len(owners), 1)}]")

    def _c_function(self, symbol, content):
        """A jump to what is found when the module is imported."""
        if content is None:
            raise NotStandalone("it calls a C function that has no name (ctypes, np.fft)")
        file, name = content
        if _is_of_numpy(name):
            file = None
        number = self._outside.setdefault((file, name), len(self._outside))
        offset = f"nj_outside_rows+{24 * number + 16}"
        self._lines.append(
            f'__asm__(".text\\n.globl \\"{symbol}\\"\\n.hidden \\"{symbol}\\"\\n'
            f'.type \\"{symbol}\\", @function\\n\\"{symbol}\\": jmp *{offset}(%rip)\\n");'
        )

    def _outside_symbol(self, symbol):
        if symbol.startswith("numjit.bytes."):
            if symbol not in self._texts:
                self._texts[symbol] = True
                self._memory(symbol, bytes.fromhex(symbol.removeprefix("numjit.bytes.")), 4)
        elif symbol in _NEED_NUMJIT:
            raise NotStandalone(_NEED_NUMJIT[symbol])
        elif symbol.startswith("nj_sim"):
            raise NotStandalone("it is a kernel")
        elif not symbol.startswith(_OF_THE_RUNTIME) and not _is_of_libc(symbol):
            raise NotStandalone(f"it calls {symbol}, which numjit has the address of")

    # -- functions --

    def _function(self, function):
        number = len(self.functions)
        code = function.python.__code__
        places = f"{function.prefix}places"
        has_places = places.encode() + b"\0" in function.file
        params = ", ".join(f"&{self._types[row]}" for row in function.arguments) or "NULL"
        has_rest = bool(code.co_flags & inspect.CO_VARARGS)
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + has_rest]
        listed = ", ".join(map(c_string, names)) or "NULL"
        defaults = _marshalled(function.python)
        hidden = f"{_symbol(function.prefix + 'entry')} {_HIDDEN}"
        self._lines += [
            f"extern int32_t entry_{number}(const uint64_t *, uint64_t *) {hidden};",
            f"static const nj_type *const function_{number}_params[] = {{{params}}};",
            f"static const char *const function_{number}_names[] = {{{listed}}};",
        ]
        if has_places:
            self._lines.append(
                f"extern const nj_places places_{number} {_symbol(places)} {_HIDDEN};"
            )
        fields = {
            "name": c_string(code.co_name),
            "file": c_string(code.co_filename),
            "line": code.co_firstlineno,
            "entry": f"entry_{number}",
            "places": f"&places_{number}" if has_places else "NULL",
            "result": f"&{self._types[function.result]}",
            "count": len(function.arguments),
            "positional": code.co_argcount,
            "has_rest": int(has_rest),
            "params": f"function_{number}_params",
            "names": f"function_{number}_names",
            "defaults": "NULL" if defaults is None else c_string(defaults),
            "defaults_size": len(defaults or b""),
            "runs_long": int(function.runs_long),
            "lends_gil": int(function.lends_gil),
            "without_gil": int(function.nogil),
        }
        text = ", ".join(f".{key} = {value}" for key, value in fields.items())
        self._lines += [
            f"static nj_function function_{number} = {{{text}}};",
            f"static PyObject *call_{number}(PyObject *module, PyObject *const *arguments, "
            "Py_ssize_t count, PyObject *keywords) {",
            f"  (void)module;\n  return nj_call(&function_{number}, arguments, count, keywords);",
            "}",
        ]

    @staticmethod
    def _method(number, function) -> str:
        parameters = inspect.signature(function.python).parameters.values()
        plain = [each.replace(annotation=inspect.Parameter.empty) for each in parameters]
        text = str(inspect.Signature(plain))
        doc = f"{function.name}($module, /, {text[1:]}\n--\n\n"
        doc += function.python.__doc__ or ""
        return (
            f"  {{{c_string(function.name)}, (PyCFunction)(void (*)(void))call_{number}, "
            f"METH_FASTCALL | METH_KEYWORDS, {c_string(doc)}}},"
        )


def _first(row, holds):
    """The first part of a type of which something holds; the elements of arrays are none."""
    if holds(row):
        return row
    return next(filter(None, (_first(part, holds) for part in _parts_of(row))), None)


def _parts_of(row) -> tuple:
    """The types of the values in a value; what lies in memory as NumPy has it is no value."""
    return () if row.kind in ("array", "record") else row.params


def _dtype(row):
    try:
        return as_dtype(wrap(row))
    except NumbaError:
        raise NotStandalone(f"elements of type {row.text}") from None


def _marshalled(function):
    """The default values of a function, by parameter."""
    values = function.__defaults__ or ()
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    defaults = dict(zip(names[len(names) - len(values) :], values, strict=True))
    defaults |= function.__kwdefaults__ or {}
    try:
        return marshal.dumps(defaults) if defaults else None
    except ValueError:
        raise NotStandalone("it has default values that are no constants") from None


def _is_of_libc(symbol) -> bool:
    return any(hasattr(ctypes.CDLL(name), symbol) for name in ("libm.so.6", "libc.so.6"))


def _is_of_numpy(symbol) -> bool:
    return hasattr(ctypes.CDLL(_umath_linalg.__file__), symbol)
