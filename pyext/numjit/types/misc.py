"""None, strings, slices, ranges, functions, and the types that only carry a name."""

from __future__ import annotations

import importlib
import itertools

from numjit import _core
from numjit.upcalls import ask as _ask

from . import rows, scalars
from .abstract import (
    Callable,
    Dummy,
    Literal,
    Number,
    Opaque,
    Phantom,
    SimpleIterableType,
    SimpleIteratorType,
    Type,
    Undefined,
)
from .arrays import NumberClass
from .containers import Tuple
from .items import DataclassType
from .scalars import _LITERALS, Integer, NoneType, UnicodeType


class EllipsisType(Opaque):
    """`...` as an index."""

    def _make_row(self):
        return rows.parsed("...")


class PyObject(Dummy):
    """Any Python object; only the interpreter can work on it."""

    def is_precise(self):
        return False


class CharSeq(Type):
    """Items of arrays of dtype S: at most `count` bytes."""

    mutable = True

    def __init__(self, count):
        self.count = count
        super().__init__(f"[char x {count}]")

    @property
    def key(self):
        return self.count

    def _make_row(self):
        return rows.parsed(self.name)


class UnicodeCharSeq(CharSeq):
    """Items of arrays of dtype U: at most `count` characters."""

    def __init__(self, count):
        self.count = count
        Type.__init__(self, f"[unichr x {count}]")

    def __repr__(self):
        return f"UnicodeCharSeq({self.count})"


class RawPointer(Opaque):
    """An address without a type."""

    def _make_row(self):
        return rows.pointer(none)


@rows.of_kind("pointer")
class CPointer(Type):
    """An address of values of type `dtype`."""

    mutable = True

    def __init__(self, dtype, addrspace=None):
        self.dtype = dtype
        self.addrspace = addrspace
        super().__init__(f"{dtype}*" if addrspace is None else f"{dtype}_{addrspace}*")

    @property
    def key(self):
        return self.dtype, self.addrspace

    def _make_row(self):
        return None if self.dtype._handle is None else rows.pointer(self.dtype)

    @classmethod
    def _of_row(cls, row):
        return cls(rows.wrap_param(row))


class EphemeralPointer(CPointer):
    """An address of what lives as long as a call: the state of an iterator."""

    def _make_row(self):
        return None


@rows.of_kind("owner")
class MemInfoPointer(Type):
    """A counted reference to memory; `dtype` is what lies there."""

    mutable = True

    def __init__(self, dtype):
        self.dtype = dtype
        super().__init__(f"memory-managed *{dtype}")

    @property
    def key(self):
        return self.dtype

    def _make_row(self):
        return rows.parsed("owner")

    @classmethod
    def _of_row(cls, row):
        return cls(voidptr)


class Omitted(Opaque):
    """An argument that was left out; `value` is its default."""

    def __init__(self, default):
        self._value = default
        self._key = default if _is_hashable(default) else id(default)
        super().__init__(f"omitted(default={default!r})")

    @property
    def key(self):
        return type(self._value), self._key

    @property
    def value(self):
        return self._value


def _is_hashable(value) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


class SliceType(Type):
    """A slice with 2 or 3 members."""

    _has_one_row = False

    def __init__(self, name, members):
        self.members = members
        self.has_step = members >= 3
        super().__init__(name)

    @property
    def key(self):
        return self.members


class SliceLiteral(Literal, SliceType):
    """The type of one slice."""

    def __init__(self, value):
        Literal.__init__(self, value)
        self.members = 2 if value.step is None else 3
        self.has_step = self.members == 3

    @property
    def key(self):
        value = self.literal_value
        return value.start, value.stop, value.step

    @property
    def literal_type(self):
        return SliceType("slice<a:b:c>" if self.has_step else "slice<a:b>", self.members)


_LITERALS[slice] = SliceLiteral


@rows.of_kind("range")
class RangeType(SimpleIterableType):
    """A range of integers of type `dtype`."""

    def __init__(self, dtype):
        self.dtype = dtype
        super().__init__(f"range_state_{dtype}")

    @property
    def iterator_type(self):
        return RangeIteratorType(self.dtype)

    def _make_row(self):
        return rows.parsed(f"range_state_{self.dtype}")

    @classmethod
    def _of_row(cls, row):
        return cls(rows.wrap_param(row))


class RangeIteratorType(SimpleIteratorType):
    """The iterator of a range."""

    def __init__(self, dtype):
        super().__init__(f"range_iter_{dtype}", dtype)


class EnumerateType(SimpleIteratorType):
    """enumerate(iterable)."""

    def __init__(self, iterable_type):
        self.source_type = iterable_type.iterator_type
        item = Tuple((Integer("int64"), self.source_type.yield_type))
        super().__init__(f"enumerate({self.source_type})", item)


class ZipType(SimpleIteratorType):
    """zip(iterables)."""

    def __init__(self, iterable_types):
        self.source_types = tuple(iterable.iterator_type for iterable in iterable_types)
        item = Tuple(tuple(source.yield_type for source in self.source_types))
        super().__init__(f"zip({', '.join(map(str, self.source_types))})", item)


# -- things that are called, and values known at compile time only ---------------------------------


class Function(Callable, Opaque):
    """A builtin or NumPy function as a value; of templates: what they type."""

    def __init__(self, template):
        several = template if isinstance(template, (list, tuple)) else [template]
        self.templates = () if isinstance(template, str) else tuple(several)
        keys = {getattr(each, "key", None) for each in self.templates} or {template}
        if len(keys) != 1:
            raise ValueError(f"incompatible templates: keys = {keys}")
        (self.typing_key,) = keys
        super().__init__(template if isinstance(template, str) else f"Function({self.typing_key})")

    @property
    def key(self):
        return self.typing_key, self.templates


class BoundFunction(Callable, Opaque):
    """A method of a value of type `this`."""

    def __init__(self, template, this):
        self.template, self.this = template, this
        self.typing_key = getattr(template, "key", None)
        super().__init__(f"BoundFunction({self.typing_key} for {this})")

    @property
    def key(self):
        return self.template, self.this


class VarArg(Type):
    """Any number of arguments of type `dtype`, in lower_builtin()."""

    def __init__(self, dtype):
        self.dtype = dtype
        super().__init__(f"*{dtype}")

    @property
    def key(self):
        return self.dtype


class Dispatcher(Callable, Dummy):
    """A jitted function as a value."""

    def __init__(self, dispatcher):
        self.dispatcher = dispatcher
        super().__init__(f"type({dispatcher!r})")

    @property
    def key(self):
        return id(self.dispatcher)


class FunctionType(Type):
    """A function of a fixed signature as a value."""

    def __init__(self, signature):
        self.signature = signature
        super().__init__(self._text())

    @property
    def nargs(self):
        return len(self.signature.args)

    def _text(self):
        arguments = ", ".join(map(str, self.signature.args))
        return f"FunctionType[{self.signature.return_type}({arguments})]"

    @property
    def key(self):
        return self.signature

    def _make_row(self):
        return _core.typeof(_ask("class of function pointers")(self.signature)(0))


@rows.of_kind("module")
class Module(Dummy):
    """A Python module."""

    @classmethod
    def _of_row(cls, row):
        return cls(row.value)

    def __init__(self, pymod):
        self.pymod = pymod
        super().__init__(f"Module({pymod})")

    @property
    def key(self):
        return id(self.pymod)

    def _make_row(self):
        return rows.row_of(self.pymod)


class ExceptionClass(Callable, Phantom):
    """A class of exceptions."""

    def __init__(self, exc_class):
        self.exc_class = exc_class
        super().__init__(exc_class.__name__)

    @property
    def key(self):
        return self.exc_class


class TypeRef(Dummy):
    """A type as a value."""

    def __init__(self, instance_type):
        self.instance_type = instance_type
        super().__init__(f"typeref[{instance_type}]")

    @property
    def key(self):
        return self.instance_type


@rows.of_kind(None)
class Row(Opaque):
    """A row of the compiler's type table that no class here describes further."""

    @classmethod
    def _of_row(cls, row):
        return cls(row)

    def __init__(self, row):
        self._row = row
        super().__init__(str(row))

    get_call_type = Callable.get_call_type

    @property
    def key(self):
        return self._row

    @property
    def typing_key(self):
        """Of functions: which one."""
        return self._row.value


@rows.of_kind("function")
def _function(row):
    """A class of numbers, or what else is called."""
    text = str(row)
    number = getattr(scalars, text[6:-1], None) if text.startswith("class(") else None
    return NumberClass(number) if isinstance(number, Number | scalars.Boolean) else Row(row)


class Generator(SimpleIteratorType):
    """What calling a generator function returns."""

    _row = sent_type = return_type = None

    def __init__(self, gen_func, yield_type, arg_types, state_types, has_finalizer):
        self.gen_func = gen_func
        self.arg_types, self.state_types = tuple(arg_types), tuple(state_types)
        self.has_finalizer = has_finalizer
        super().__init__(f"{yield_type} generator(func={gen_func}, args={arg_types})", yield_type)

    @classmethod
    def _of_row(cls, row, types):
        item, sent, returned, *arguments = types
        self = cls(None, item, arguments, (), True)
        self._row, self.sent_type, self.return_type = row, sent, returned
        self.name = str(row)
        return self

    @property
    def key(self):
        return self._row or (self.gen_func, self.arg_types, self.yield_type, self.has_finalizer)


#: By the name of a class of Python's that the compiler knows: what makes the type object of a row
#: and of the type objects of its parameters.
OF_CLASS: dict = {}


def of_class(name):
    """Makes a class the one of the types of the objects of a class of Python's."""

    def note(cls):
        OF_CLASS[name] = cls._of_params
        return cls

    return note


@of_class("numpy.random._generator.Generator")
class NumPyRandomGeneratorType(Type):
    """A numpy.random.Generator."""

    def __init__(self, name="NumPyRandomGeneratorType"):
        super().__init__("NumPyRandomGeneratorType")

    @staticmethod
    def _of_params(*_):
        return npy_rng

    def _make_row(self):
        return rows.random_generator()


class _ValueType(Type):
    """The one type of the objects of a class of which compiled code has values."""

    _example: tuple  #: the class's module, its name and the arguments that make an object

    def __init__(self):
        super().__init__(str(self._row or self._make_row()))

    @classmethod
    def _of_params(cls, *_):
        return cls()

    def _make_row(self):
        module, name, *arguments = self._example
        return rows.row_of(getattr(importlib.import_module(module), name)(*arguments))


@of_class("fractions.Fraction")
class FractionType(_ValueType):
    """A fractions.Fraction whose numerator and denominator have 64 bits."""

    _example = ("fractions", "Fraction", 0)


@of_class("datetime.timedelta")
class TimedeltaType(_ValueType):
    """A datetime.timedelta."""

    _example = ("datetime", "timedelta", 0)


@of_class("numpy.polynomial.polynomial.Polynomial")
class PolynomialType(Type):
    """A numpy.polynomial.Polynomial."""

    def __init__(self, coef, domain, window):
        self.coef, self.domain, self.window = coef, domain, window
        super().__init__(f"PolynomialType({coef}, {domain}, {window})")

    @classmethod
    def _of_params(cls, *params):
        return cls(*params)

    @property
    def key(self):
        return self.coef, self.domain, self.window


_deferred = itertools.count(1)


class DeferredType(Type):
    """A type that is named before it is known: `define` tells it once."""

    def __init__(self):
        self._define = None
        self._number = next(_deferred)
        super().__init__(f"DeferredType#{self._number}")

    @property
    def key(self):
        return self._number

    def get(self):
        if self._define is None:
            raise RuntimeError("deferred type not defined")
        return self._define

    def define(self, type_):
        if self._define is not None:
            raise TypeError("deferred type already defined")
        if not isinstance(type_, Type):
            raise TypeError(f"arg is not a Type; got: {type(type_)}")
        self._define = type_

    def _make_row(self):
        return self.get()._handle


deferred_type = DeferredType

none = NoneType("none")
ellipsis = EllipsisType("...")
pyobject = PyObject("pyobject")
unicode_type = UnicodeType("unicode_type")
npy_rng = NumPyRandomGeneratorType()
voidptr = RawPointer("void*")
Any = Phantom("any")
undefined = Undefined("undefined")
unknown = Dummy("unknown")
pyfunc_type = Opaque("pyfunc")
code_type = Opaque("code")
ffi = Opaque("ffi")
ffi_forced_object = Opaque("ffi_forced_object")
slice2_type = SliceType("slice<a:b>", 2)
slice3_type = SliceType("slice<a:b:c>", 3)
range_state32_type = RangeType(Integer("int32"))
range_state64_type = RangeType(Integer("int64"))
unsigned_range_state64_type = RangeType(Integer("uint64"))
range_iter32_type = RangeIteratorType(Integer("int32"))
range_iter64_type = RangeIteratorType(Integer("int64"))
unsigned_range_iter64_type = RangeIteratorType(Integer("uint64"))


rows.only_of_kind("none", none)
rows.only_of_kind("ellipsis", ellipsis)
rows.only_of_kind("unicode", unicode_type)
rows.only_of_kind("pyobject", pyobject)


@rows.of_kind("slice")
def _slice(row):
    return slice2_type if str(row) == slice2_type.name else slice3_type


@rows.of_kind("charseq")
def _char_seq(row):
    """[char x 3] or [unichr x 3]"""
    kind, _, count = str(row).strip("[]").split()
    return (CharSeq if kind == "char" else UnicodeCharSeq)(int(count))


@rows.of_kind("generator")
def _generator(row):
    return Generator._of_row(row, rows.wrap_all(row.params))


@rows.of_kind("struct")
def _dataclass(row):
    if hasattr(row.cls, "_numjit_type_"):
        return row.cls._numjit_type_
    if hasattr(row.cls, "_numjit_signature_"):
        return FunctionType(row.cls._numjit_signature_)
    make = OF_CLASS.get(f"{row.cls.__module__}.{row.cls.__qualname__}")
    if make is not None:
        return make(*rows.wrap_all(row.params))
    return DataclassType(row.cls, rows.wrap_all(row.params))
