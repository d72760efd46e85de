"""Types of the user's own: what Numba's low-level extension API says of them.

A type with a StructModel is a frozen dataclass to the compiler. The callbacks of that API speak to
an interface (context, builder, pyapi) that in Numba writes LLVM IR. numjit runs those of `unbox`
and `box` on the objects themselves, each time that a value crosses between Python and compiled
code. Those of `lower_builtin` and `intrinsic` run once, when a call is compiled, over expressions;
what they build becomes the source of a Python function that is compiled in their place.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import inspect
import itertools
import re
from types import SimpleNamespace

import numpy as np

from numjit import _core, types
from numjit.compat import cgutils
from numjit.compat.cgutils import Builder, Cell, MissingName, NeedsLiteral, Struct, unsupported
from numjit.compat.llvm_operations import OPERATIONS
from numjit.compat.models import default_manager
from numjit.diagnostics import warn_user
from numjit.errors import NumbaWarning, TypingError
from numjit.extending import overload, overload_attribute
from numjit.library.core.intrinsics import pointer_at, stack_cell, stack_cells
from numjit.np.numpy_support import as_dtype
from numjit.signatures import Signature
from numjit.special import carray, literally
from numjit.types.rows import handle_of

# -- the type of an object -----------------------------------------------------------------------


class _TypeofImpl:
    """typeof_impl.register(cls): a function (object, context) that returns the type of objects."""

    def __init__(self):
        self._functions = {}

    def register(self, cls, func=None):
        if func is None:
            return functools.partial(self.register, cls)
        self._functions[cls] = func
        self.of_class.cache_clear()
        _core.register_typed_class(cls)
        return func

    @functools.cache  # noqa: B019 - there is one of them
    def of_class(self, cls):
        return next(
            (self._functions[base] for base in cls.__mro__ if base in self._functions), None
        )

    def __call__(self, value, context=None):
        return types.typeof(value)

    def type_of(self, value, context):
        """What the function that is registered for its class returns for an object."""
        return self.of_class(type(value))(value, context)


typeof_impl = _TypeofImpl()
_ARGUMENT, _CONSTANT = SimpleNamespace(purpose="argument"), SimpleNamespace(purpose="constant")


def row_of_object(value):
    """The row of the type that typeof_impl gives an object; None if it has none."""
    found = typeof_impl.type_of(value, _ARGUMENT)
    return None if found is None else handle_of(found)


# -- what values consist of ----------------------------------------------------------------------


def make_row(type_):
    """The row of a type that has a model; None if it has none."""
    if type_ not in default_manager:
        return None
    members = default_manager.lookup(type_).members
    cls = dataclasses.make_dataclass(
        type(type_).__name__,
        [name for name, _ in members],
        frozen=True,
        namespace={
            "_numjit_type_": type_,
            "_numjit_members_": {"is_converted": True},
            "_numjit_of_python_": classmethod(_unboxed),
            "_numjit_to_python_": _boxed,
        },
    )
    type_._value_class = cls
    return _core.structure(cls, [handle_of(member) for _, member in members])


def make_attribute_wrapper(typeclass, struct_attr, python_attr):
    """Lets compiled code read a member of a StructModel by the name of an attribute."""
    if not (isinstance(typeclass, type) and issubclass(typeclass, types.Type)):
        raise TypeError(f"typeclass should be a Type subclass, got {typeclass}")
    if struct_attr != python_attr:
        reader = eval(f"lambda self: self.{struct_attr}")
        overload_attribute(typeclass, python_attr)(lambda self: reader)


# -- between Python and compiled code ------------------------------------------------------------


class NativeValue:
    """What an unbox callback returns."""

    def __init__(self, value, is_error=None, cleanup=None):
        self.value = value
        self.is_error = is_error
        self.cleanup = cleanup


def _registry():
    callbacks = {}

    def register(typeclass):
        def decorate(function):
            callbacks[typeclass] = function
            return function

        return decorate

    def find(type_):
        return next((callbacks[cls] for cls in type(type_).__mro__ if cls in callbacks), None)

    return register, find


unbox, _find_unboxer = _registry()
box, _find_boxer = _registry()


def _unboxed(cls, value):
    type_ = cls._numjit_type_
    callback = _find_unboxer(type_)
    if callback is None:
        raise TypeError(f"cannot unbox {type_}: @unbox registers how")
    native = callback(type_, value, _Crossing())
    cell = native.value
    if native.is_error is True or not isinstance(cell, Struct) and dataclasses.fields(cls):
        raise TypeError(f"can't unbox {type(value).__name__} as {type_}")
    return cls(**cell.parts) if isinstance(cell, Struct) else cls()


def _boxed(self):
    callback = _find_boxer(self._numjit_type_)
    if callback is None:
        raise TypeError(
            f"cannot convert native {self._numjit_type_} to Python object: @box says how"
        )
    return callback(self._numjit_type_, self, _Crossing())


class _PythonApi:
    """Numba's pyapi, carried out at once."""

    pyobj = None  # its type in LLVM

    def get_null_object(self):
        return None

    def object_getattr_string(self, value, name):
        return getattr(value, name)

    object_getattr = object_getattr_string

    def object_setattr_string(self, value, name, new):
        setattr(value, name, new)

    def object_getitem(self, value, key):
        return value[key]

    tuple_getitem = list_getitem = dict_getitem_string = dict_getitem = object_getitem

    def call_function_objargs(self, function, arguments):
        return function(*arguments)

    def call(self, function, arguments=None, keywords=None):
        return function(*(arguments or ()), **(keywords or {}))

    def call_method(self, value, name, arguments=()):
        return getattr(value, name)(*arguments)

    def tuple_pack(self, items):
        return tuple(items)

    def dict_pack(self, items):
        return dict(items)

    def unserialize(self, value):
        return value

    serialize_object = unserialize
    number_long = long_from_longlong = long_from_signed_int = staticmethod(int)
    long_as_longlong = long_from_ssize_t = staticmethod(int)
    float_as_double = float_from_double = number_float = staticmethod(float)
    bool_from_bool = staticmethod(bool)

    def from_native_value(self, type_, value, env_manager=None):
        return _as_object(value)

    def to_native_value(self, type_, value):
        return NativeValue(value, False)

    def make_none(self):
        return None

    def import_module(self, name):
        return importlib.import_module(name)

    import_module_noblock = import_module

    def nothing(self, *args):
        """References are counted by Python itself; an error raises at once."""

    incref = decref = err_occurred = err_clear = nothing

    def __getattr__(self, name):
        if name[:2] == "__":
            raise AttributeError(name)
        raise unsupported(f"pyapi.{name}()", MissingName)


def _as_object(value):
    if isinstance(value, Struct):
        handle_of(value.type)
        return value.type._value_class(**value.parts)._numjit_to_python_()
    return value


class _Crossing:
    """The `c` of box and unbox callbacks."""

    env_manager = None
    pyapi = _PythonApi()

    def __init__(self):
        self.builder = Builder()

    @property
    def context(self):
        return _Context({})

    def unbox(self, type_, value):
        if _find_unboxer(type_):
            return _find_unboxer(type_)(type_, value, self)
        return NativeValue(value, False)

    def box(self, type_, value):
        return _as_object(value)


# -- operations ----------------------------------------------------------------------------------


class _Expression:
    """A value of compiled code while a callback runs: the source that computes it."""

    def __init__(self, source):
        self.source = source

    def __getitem__(self, index):
        return _Expression(f"{self.source}[{index}]")

    def __getattr__(self, name):
        if name[:2] == "__":
            raise AttributeError(name)
        return _Expression(f"{self.source}.{name}")

    def _select(self, a, b):
        return _Expression(f"({_source(a)} if {self.source} else {_source(b)})")

    def __neg__(self):
        return _Expression(f"(-{self.source})")

    def __bool__(self):
        raise unsupported("a decision of the callback by a value of compiled code")

    __hash__ = None


def _define_operators():
    def binary(symbol, swapped):
        def combine(self, other):
            both = [_source(other), self.source] if swapped else [self.source, _source(other)]
            return _Expression(f"({both[0]} {symbol} {both[1]})")

        return combine

    names = "add sub mul truediv and or xor lshift rshift".split()
    for symbol, name in zip("+ - * / & | ^ << >>".split(), names):
        setattr(_Expression, f"__{name}__", binary(symbol, False))
        setattr(_Expression, f"__r{name}__", binary(symbol, True))
    for symbol, name in zip("== != < <= > >=".split(), "eq ne lt le gt ge".split()):
        setattr(_Expression, f"__{name}__", binary(symbol, False))


_define_operators()


def _source(value) -> str:
    if isinstance(value, _Expression):
        return value.source
    if isinstance(value, np.generic):
        value = value.item()
    elif type(value).__module__.startswith("llvmlite."):  # a constant, made by hand
        value = getattr(value, "constant", value)
    if value is None or isinstance(value, bool | int | float | complex | str):
        return repr(value)
    raise unsupported(f"the value {value!r} of a callback")


class _Context:
    """The target context; `names`: what the source of a function refers to."""

    def __init__(self, names):
        self._names = names

    def _name(self, value) -> str:
        name = f"g{len(self._names)}"
        self._names[name] = value
        return name

    def typed(self, type_, value):
        """The source of a value as a value of a type."""
        if isinstance(value, Struct):
            handle_of(value.type)
            members = dict(default_manager.lookup(value.type).members)
            parts = ", ".join(self.typed(members[name], part) for name, part in value.parts.items())
            return f"{self._name(value.type._value_class)}({parts})"
        if isinstance(value, Cell):
            if value.count is not None:
                return f"{self._name(stack_cells)}({self._name(value.type)}, {value.count})"
            held = value.value
            if value.type is not None:
                held = self.convert(0 if held is None else held, value.type)
            return f"{self._name(stack_cell)}({_source(held)})"
        if isinstance(type_, types.Number | types.Boolean):
            return f"{self._name(type_)}({_source(value)})"
        return _source(value)

    def item_at(self, pointer):
        """What a pointer points at."""
        return _Expression(f"{self._name(carray)}({_source(pointer)}, 1)[0]")

    def get_value_type(self, type_):
        """The type itself stands for the one of LLVM."""
        return type_

    get_data_type = get_argument_type = get_value_type

    def convert(self, value, type_):
        """What the builder's conversions give; `type_` is one of numjit's, or a number of LLVM."""
        type_ = _OF_LLVM.get(str(type_), type_)
        if isinstance(type_, types.CPointer) or type_ is types.voidptr:
            value = f"{self._name(pointer_at)}({_source(value)}, {self._name(type_)})"
            return _Expression(value)
        if not isinstance(type_, types.Number | types.Boolean):
            raise unsupported(f"a conversion to {type_}")
        return _Expression(self.typed(type_, value))

    def reinterpret(self, value, type_):
        """The bits of a number as one of another type."""
        type_ = _OF_LLVM.get(str(type_), type_)
        if not isinstance(type_, types.Number):
            return self.convert(value, type_)
        return _Expression(f"{_source(value)}.view({self._name(as_dtype(type_))})")

    @staticmethod
    def has_operation(name) -> bool:
        return name in OPERATIONS

    def operation(self, name, *values):
        return _Expression(f"{self._name(OPERATIONS[name])}({', '.join(map(_source, values))})")

    def get_constant(self, type_, value):
        return value

    nrt = SimpleNamespace(  # references are counted in the code that is made
        incref=lambda builder, type_, value: None, decref=lambda builder, type_, value: None
    )

    get_constant_generic = staticmethod(lambda builder, type_, value: value)

    def get_dummy_value(self):
        return None

    get_constant_null = staticmethod(lambda type_: None)

    def cast(self, builder, value, fromty, toty):
        return _Expression(self.typed(toty, value))

    def make_helper(self, builder, type_, value=None, ref=None):
        return cgutils.create_struct_proxy(type_)(self, builder, value, ref)

    def make_tuple(self, builder, type_, values):
        items = "".join(f"{_source(value)}, " for value in values)
        return _Expression(f"({items})")

    def compile_internal(self, builder, implementation, sig, args, **options):
        arguments = ", ".join(map(_source, args))
        return _Expression(f"{self._name(implementation)}({arguments})")

    def __getattr__(self, name):
        if name[:2] == "__":
            raise AttributeError(name)
        raise unsupported(f"context.{name}()", MissingName)


def _function_of(callback, sig, parameters, given):
    """The Python function that does what a callback builds for a signature.

    `given`: the types of the arguments; of literal ones the callback gets the number. If it needs
    that of another one, the function asks for it.
    """
    names = {}
    context = _Context(names)
    arguments = [
        literal.literal_value
        if isinstance(literal, types.IntegerLiteral) and isinstance(type_, types.Integer)
        else _Expression(context.typed(type_, _Expression(name)))
        for name, type_, literal in zip(parameters, sig.args, given)
    ]
    try:
        result = callback(context, Builder(context), sig, arguments)
    except NeedsLiteral as needed:
        return _asking_for(needed.expression.source, parameters)
    body = context.typed(sig.return_type, result)
    return eval(f"lambda {', '.join(parameters)}: {body}", names)


def _asking_for(source, parameters):
    """A function that asks for the value of that parameter which an expression is made of."""
    used = [name for name in parameters if re.search(rf"\b{name}\b", source)]
    if len(used) != 1:
        raise unsupported("memory on the stack of a computed size")
    return eval(f"lambda {', '.join(parameters)}: literally({used[0]})", {"literally": literally})


_OF_LLVM = {
    "i1": types.boolean,
    "i8": types.int8,
    "i16": types.int16,
    "i32": types.int32,
    "i64": types.int64,
    "float": types.float32,
    "double": types.float64,
}

#: Function -> typers; function -> [(types of arguments, callback)]
_typers: dict = {}
_lowerings: dict = {}
#: Type or class of types -> callback
_constants: dict = {}
_known: set = set()


def type_callable(func):
    """Decorator of a function of a typing context that returns a typer of calls of `func`."""

    def decorate(function):
        _typers.setdefault(func, []).append(function(None))
        _overload(func)
        return function

    return decorate


def lower_builtin(func, *argtypes, **kwargs):
    """Decorator of what builds a call of `func` for arguments of these types."""

    def decorate(callback):
        if isinstance(func, str):  # of Numba's own lowering, which has these names and no other
            warn_user(
                f"lower_builtin({func!r}) has no effect: numjit has no operation of that name",
                NumbaWarning,
            )
            return callback
        _lowerings.setdefault(func, []).append((argtypes, callback))
        _overload(func)
        return callback

    return decorate


def lower_constant(type_):
    """Decorator of what builds a constant of a type from a global object."""

    def decorate(callback):
        _constants[type_] = callback
        return callback

    return decorate


def constant_of(value):
    """What a global object is to the compiler; None if nothing says how it is made."""
    type_ = typeof_impl.type_of(value, _CONSTANT)
    callback = next(
        (_constants[key] for key in (type_, *type(type_).__mro__) if key in _constants), None
    )
    if callback is None or handle_of(type_) is None:
        return None
    crossing = _Crossing()
    made = callback(crossing.context, crossing.builder, type_, value)
    members = dict(default_manager.lookup(type_).members)
    parts = {name: _of_number_type(members[name], part) for name, part in made.parts.items()}
    return type_._value_class(**parts)


def _of_number_type(type_, value):
    return as_dtype(type_).type(value) if isinstance(type_, types.Number) else value


def impl_ret_borrowed(context, builder, retty, ret):
    """The result of a callback: references are counted in the code that is made of it."""
    return ret


impl_ret_new_ref = impl_ret_untracked = impl_ret_borrowed


def _overload(func):
    if func in _known:
        return
    _known.add(func)

    @overload(func, strict=False)
    def choose(*args, **kwargs):
        for typer in _typers.get(func, ()):
            try:
                given = inspect.signature(typer).bind(*args, **kwargs)
            except TypeError:
                continue
            result = typer(*given.args, **given.kwargs)
            if result is not None:
                return _lowered(func, result, given.args, list(given.arguments))
        return None


def _lowered(func, result, args, parameters):
    sig = result if isinstance(result, Signature) else Signature(result, tuple(args))
    for argtypes, callback in reversed(_lowerings.get(func, ())):
        if len(argtypes) == len(args) and all(map(_accepts, argtypes, args)):
            return _function_of(callback, sig, parameters, args)
    raise TypingError(f"no lower_builtin() of {func.__name__} takes {sig}")


def _accepts(wanted, given) -> bool:
    if wanted is types.Any:
        return True
    return isinstance(given, wanted) if isinstance(wanted, type) else wanted == given


def intrinsic(*args, **kwargs):
    """Decorator of a function of a typing context and types, which gives a signature and what
    builds the operation."""
    if not args:
        return functools.partial(intrinsic, **kwargs)
    (define,) = args
    parameters = list(inspect.signature(define).parameters)[1:]

    @functools.wraps(define)
    def operation(*args, **kwargs):
        raise NotImplementedError(f"<intrinsic {define.__name__}> is not usable in pure-python")

    literal = kwargs.get("prefer_literal", False)

    # In the caller's frame: a pointer to memory on the stack may be the result.
    @overload(operation, strict=False, inline="always", prefer_literal=literal)
    def choose(*args):
        made = define(None, *args)
        if made is None:
            return None
        sig, codegen = made
        names = list(itertools.islice(parameters, len(args)))
        return _function_of(codegen, sig, names, args)

    return operation


def _refused(name, instead):
    def refuse(*args, **kwargs):
        raise unsupported(f"{name}(), in whose place there is {instead},")

    refuse.__name__ = name
    return refuse


lower_getattr = _refused("lower_getattr", "overload_attribute")
lower_getattr_generic = _refused("lower_getattr_generic", "overload_attribute")
lower_setattr = _refused("lower_setattr", "a structref")
lower_setattr_generic = _refused("lower_setattr_generic", "a structref")
lower_cast = _refused("lower_cast", "a function that converts")
