"""Types and operations of the user's own: what Numba's low-level extension API says of them.

The callbacks of that API (of `intrinsic`, `lower_builtin`, `box`, `unbox`, ...) write LLVM IR by
llvmlite's IRBuilder: ir_callbacks. Where llvmlite is not installed they run on a stand-in for the
builder, which knows a part of the interface: standin.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import inspect

from numjit import _core, types
from numjit.compat import registries
from numjit.compat.models import HAS_LLVMLITE, default_manager
from numjit.compat.registries import (
    ARGUMENT,
    CONSTANT,
    NativeValue,
    box,
    find_boxer,
    find_cast,
    find_constant,
    find_lowering,
    find_unboxer,
    lower_cast,
    lower_constant,
    typeof_impl,
    unbox,
)
from numjit.diagnostics import warn_user
from numjit.errors import NumbaWarning, TypingError
from numjit.extending import (
    overload,
    overload_attribute,
    overload_method,
    resolve_any_name,
    types_with_calls,
)
from numjit.library.core.intrinsics import member
from numjit.np.numpy_support import as_dtype
from numjit.signatures import Signature
from numjit.types.rows import handle_of

__all__ = [
    "NativeValue",
    "box",
    "find_boxer",
    "find_cast",
    "find_constant",
    "find_unboxer",
    "lower_cast",
    "lower_constant",
    "typeof_impl",
    "unbox",
]

if HAS_LLVMLITE:
    from numjit.compat import ir_callbacks as written

    standin = None
    typing_context = written.typing_context
else:
    from numjit.compat import standin

    typing_context = None


def row_of_object(value):
    """The row of the type that typeof_impl returns an object; None if it has none."""
    found = typeof_impl.type_of(value, ARGUMENT)
    return None if found is None else handle_of(found)


# -- what values consist of ---------------------------------------------------------------------


def make_row(type_):
    """The row of a type that has a model; None if it has none."""
    if not default_manager.has_own_model(type_):
        return None
    model = default_manager.lookup(type_)
    if getattr(model, "is_of_arrays", False):
        return None
    parts = model.parts()
    native = {"is_converted": True} | ({} if standin else {"is_native": True})
    if isinstance(type_, tuple(types_with_calls)):
        native["__call__"] = _called
    cls = dataclasses.make_dataclass(
        type(type_).__name__,
        [name for name, _ in parts],
        frozen=True,
        namespace={
            "_numjit_type_": type_,
            "_numjit_members_": native,
            "_numjit_of_python_": classmethod(_unboxed),
            "_numjit_to_python_": _boxed,
            "_numjit_boxing_": classmethod(_boxing),
            "_numjit_unboxing_": classmethod(_unboxing),
        },
    )
    type_._value_class = cls
    return _core.structure(cls, [handle_of(part.as_part) for _, part in parts])


def _called(self, *args, **kwargs):
    """What an overload of the method `__call__` says."""
    return self.__call__(*args, **kwargs)


def _boxing(cls):
    return written.boxing(cls._numjit_type_)


def _unboxing(cls):
    return written.unboxing(cls._numjit_type_)


def _unboxed(cls, value):
    return standin.unboxed(cls, value)


def _boxed(self):
    return standin.boxed(self)


def make_attribute_wrapper(typeclass, struct_attr, python_attr):
    """Lets compiled code read a member of a StructModel by the name of an attribute."""
    if not (isinstance(typeclass, type) and issubclass(typeclass, types.Type)):
        raise TypeError(f"typeclass should be a Type subclass, got {typeclass}")
    if struct_attr != python_attr:
        reader = eval(f"lambda self: member(self, {struct_attr!r})", {"member": member})
        overload_attribute(typeclass, python_attr)(lambda self: reader)


def constant_of(value):
    """What a global object is to the compiler; None if its construction is unknown."""
    type_ = typeof_impl.type_of(value, CONSTANT)
    callback = find_constant(type_)
    if callback is None or handle_of(type_) is None:
        return None
    if standin is None:
        return written.constant_of(type_, value)
    crossing = standin.Crossing()
    made = callback(crossing.context, crossing.builder, type_, value)
    members = dict(default_manager.lookup(type_).members)
    parts = {name: _of_number_type(members[name], part) for name, part in made.parts.items()}
    return type_._value_class(**parts)


def _of_number_type(type_, value):
    return as_dtype(type_).type(value) if isinstance(type_, types.Number) else value


# -- operations ---------------------------------------------------------------------------------


def type_callable(func):
    """Decorator of a function of a typing context that returns a typer of calls of `func`."""

    def decorate(function):
        add_typer(func, function(typing_context))
        return function

    return decorate


def add_typer(func, typer):
    registries.typers.setdefault(func, []).append(typer)
    _overload(func)


def lower_builtin(func, *argtypes, **kwargs):
    """Decorator of what builds a call of `func` for arguments of these types."""

    def decorate(callback):
        if isinstance(func, str) and _is_of_users(argtypes):  # the key of a method, or iteration
            registries.lowerings.setdefault(func, []).append((argtypes, callback))
            if func == "getiter":
                _overload_iteration(argtypes[0])
            return callback
        if isinstance(func, str):  # of Numba's own lowering, which has these names and no other
            warn_user(
                f"lower_builtin({func!r}) has no effect: numjit has no operation of that name",
                NumbaWarning,
            )
            return callback
        registries.lowerings.setdefault(func, []).append((argtypes, callback))
        _overload(func)
        return callback

    return decorate


lower = lower_builtin


def _is_of_users(argtypes) -> bool:
    """Whether the first argument is of a type that numjit does not have itself."""
    if standin is not None or not argtypes:
        return False
    cls = argtypes[0] if isinstance(argtypes[0], type) else type(argtypes[0])
    return not cls.__module__.startswith("numjit.")


def _overload_iteration(key):
    """Loops over a user's type go by the callbacks of "getiter" and "iternext"."""
    if not (isinstance(key, type) and issubclass(key, types.Type)):
        return

    @overload_method(key, "__iter__", strict=False)
    def choose(self):
        sig = _typed("getiter", (self,))
        start = find_lowering("getiter", (self,))
        if sig is None or start is None:
            return None
        iterator = sig.return_type
        step = find_lowering("iternext", (iterator,))
        first = written.function_of_callback(start, sig, ["self"], (self,))
        # The state is handed on: what the callback changes of it is in what it returns.
        parts = (iterator.yield_type, types.boolean, iterator)
        pair = Signature(types.Tuple(parts), (iterator,))
        following = written.function_of_callback(step, pair, ["self"], (iterator,))

        def items(self):
            iterator = first(self)
            while True:
                value, is_valid, iterator = following(iterator)
                if not is_valid:
                    return
                yield value

        return items


def _typed(key, args):
    """The signature of a call by the templates of a key."""
    for typer in registries.typers.get(key, ()):
        found = typer(*args)
        if found is not None:
            return found
    return None


class RefType(enum.Enum):
    """Who counts what an iterator returns."""

    NEW = 1
    BORROWED = 2
    UNTRACKED = 3


class _IterResult:
    """Where "iternext" stores its result."""

    def __init__(self, context, builder, pair):
        self._context, self._builder, self._pair = context, builder, pair

    def set_valid(self, is_valid=True):
        if isinstance(is_valid, bool):
            is_valid = self._pair[1].type(int(is_valid))
        self._pair[1] = is_valid

    def set_exhausted(self):
        self.set_valid(False)

    def is_valid(self):
        return self._pair[1]

    def yield_(self, value):
        self._pair[0] = value

    def yielded_value(self):
        return self._pair[0]


def iternext_impl(ref_type=None):
    """Decorator of a callback of "iternext", which gets an object that takes the result, too."""

    def decorate(callback):
        def build(context, builder, sig, args):
            proxy = context.make_helper(builder, sig.return_type)
            callback(context, builder, sig, args, _IterResult(context, builder, proxy))
            value = proxy._getvalue()
            value = builder.insert_value(value, args[0], 2)
            if ref_type is RefType.BORROWED:
                context.nrt.incref(builder, sig.return_type, value)
            else:
                context.nrt.incref(builder, sig.args[0], args[0])
            return value

        return functools.wraps(callback)(build)

    return decorate


def impl_ret_borrowed(context, builder, retty, ret):
    """The result of a callback, whose references others count: it gets counts of its own."""
    if standin is None and retty is not types.none:
        context.nrt.incref(builder, retty, ret)
    return ret


def impl_ret_new_ref(context, builder, retty, ret):
    """The result of a callback, which has counts of its own or none."""
    return ret


impl_ret_untracked = impl_ret_new_ref
_known: set = set()


def _overload(func):
    try:
        if func in _known:
            return
        _known.add(func)
    except TypeError:  # no key
        return

    @overload(func, strict=False, inline="always")
    def choose(*args, **kwargs):
        for typer in registries.typers.get(func, ()):
            try:
                given = inspect.signature(typer).bind(*args, **kwargs)
            except TypeError:
                continue
            result = typer(*given.args, **given.kwargs)
            if result is not None:
                return _lowered(func, result, given.args, list(given.arguments))
        return None


def _names(parameters, count) -> list:
    """Names for so many arguments: those of the parameters, as far as they are single ones."""
    plain = [name for name in parameters if name.isidentifier()]
    return [*plain, *(f"a{i}" for i in range(count))][:count] if len(plain) < count else plain


def _lowered(func, result, args, parameters):
    sig = result if isinstance(result, Signature) else Signature(result, tuple(args))
    callback = find_lowering(func, sig.args) or find_lowering(func, args)
    if callback is None:
        if not registries.lowerings.get(func):  # a type alone, of what has code elsewhere
            return None
        raise TypingError(f"no lower_builtin() of {_name(func)} takes {sig}")
    if sig.pysig is not None and standin is None:
        return _called_by_name(callback, sig)
    names = parameters if len(parameters) == len(args) else _names((), len(args))
    return _function_of(callback, sig, names, args)


def _called_by_name(callback, sig):
    """The function has the parameters, and their defaults, that the signature names."""
    parameters = sig.pysig.parameters.values()
    defaults = {p.name: p.default for p in parameters if p.default is not p.empty}
    names = [p.name for p in parameters]
    return written.function_of_callback(callback, sig, names, sig.args, defaults)


def lowered_method(key, sig, names):
    """The Python function of a method, whose callback is registered for a key."""
    callback = find_lowering(key, sig.args)
    if callback is None:
        raise TypingError(f"no lower_builtin() of {key!r} takes {sig}")
    return written.function_of_callback(callback, sig, names, sig.args)


def _name(func):
    return getattr(func, "__name__", repr(func))


def _function_of(callback, sig, names, given):
    if standin is None:
        return written.function_of_callback(callback, sig, names, given)
    return standin.function_of(callback, sig, names, given)


def intrinsic(*args, **kwargs):
    """Decorator of a function of a typing context and types, which returns a signature and what
    builds the operation."""
    if not args:
        return functools.partial(intrinsic, **kwargs)
    (define,) = args
    parameters = inspect.signature(define).replace(
        parameters=list(inspect.signature(define).parameters.values())[1:]
    )

    @functools.wraps(define)
    def operation(*args, **kwargs):
        raise NotImplementedError(f"<intrinsic {define.__name__}> is not usable in pure-python")

    literal = kwargs.get("prefer_literal", False)

    # In the caller's frame: a pointer to memory on the stack may be the result.
    @overload(operation, strict=False, inline="always", prefer_literal=literal)
    def choose(*args, **kwargs):
        try:
            given = parameters.bind(*args, **kwargs)
        except TypeError as error:
            raise TypingError(str(error)) from None
        made = define(typing_context, *given.args, **given.kwargs)
        if made is None:
            return None
        sig, codegen = made
        return _intrinsic_call(codegen, sig, parameters, given)

    return operation


def _intrinsic_call(codegen, sig, parameters, given):
    star = next(
        (p.name for p in parameters.parameters.values() if p.kind == p.VAR_POSITIONAL), None
    )
    names, types_ = [], []
    for name, value in given.arguments.items():
        if name == star:
            names += [f"{name}{i}" for i in range(len(value))]
            types_ += value
        else:
            names.append(name)
            types_.append(value)
    rest = given.arguments.get(star, ())
    if (
        star
        and sig.args
        and isinstance(sig.args[-1], types.BaseTuple)
        and (tuple(sig.args[-1].types) == tuple(rest))
    ):
        return _packing_star(codegen, sig, names, star)
    return _function_of(codegen, sig, names, types_)


def _packing_star(codegen, sig, names, star):
    """The callback takes what `*args` holds as one tuple."""
    fixed = [name for name in names if not name.startswith(star)]
    rest = names[len(fixed) :]
    inner = _function_of(codegen, sig, [*fixed, star], sig.args)
    packed = "".join(f"{name}, " for name in rest)
    call = f"inner({''.join(f'{name}, ' for name in fixed)}({packed}))"
    return eval(f"lambda {', '.join(names)}: {call}", {"inner": inner})


# -- attributes ---------------------------------------------------------------------------------

#: Class of types -> what resolves attributes: templates.AttributeTemplate
_resolvers: dict = {}


def add_resolver(key, template):
    if hasattr(template, "generic_resolve") and not _of_any_name:
        resolve_any_name(_resolve_later)
        _of_any_name.append(True)
    _resolvers.setdefault(key, []).append(template)


_of_any_name: list = []


def _resolve_later(type_, name):
    """Registers an attribute that only a template's generic_resolve() knows: "method",
    "attribute", or None for what is neither."""
    if isinstance(type_, types.Type) and name[:2] != "__":
        found = _resolvers and resolve_attribute(type_, name)
        if isinstance(found, types.BoundFunction):
            announce_method(type(type_), name)
            return "method"
        if found:
            overload_getter(type(type_), name)
            return "attribute"
    return None


def resolve_attribute(type_, name):
    """The type of an attribute by the templates of a type; None if none knows it."""
    for cls in (type_, *type(type_).__mro__):
        for template in _resolvers.get(cls, ()):
            found = template(typing_context).resolve(type_, name)
            if found is not None:
                return found
    return None


def _refuse_without_llvmlite(name):
    if standin is not None:
        raise standin.unsupported(f"{name}(), in whose place there is overload_attribute,")


def _member(callbacks, typ, name):
    def decorate(callback):
        callbacks[typ, name] = callback
        return callback

    return decorate


def lower_getattr(typ, attr):
    """Decorator of what reads an attribute of values of a type."""
    _refuse_without_llvmlite("lower_getattr")
    key = typ if isinstance(typ, type) else type(typ)

    def decorate(callback):
        registries.getters[typ, attr] = callback
        overload_getter(key, attr)
        return callback

    return decorate


def lower_getattr_generic(typ):
    """Decorator of what reads all attributes of values of a type."""
    return _member(registries.getters, typ, None)


def lower_setattr(typ, attr):
    """Decorator of what sets an attribute of values of a type."""
    return _member(registries.setters, typ, attr)


def lower_setattr_generic(typ):
    """Decorator of what sets all attributes of values of a type."""
    return _member(registries.setters, typ, None)


_methods: set = set()


def announce_method(key, attr):
    """Lets compiled code call a method whose bound function a template returns."""
    if (key, attr) in _methods:
        return
    _methods.add((key, attr))

    @overload_method(key, attr, strict=False, inline="always")
    def choose(self, *args, **kws):
        found = resolve_attribute(self, attr)
        template = getattr(found, "template", None)
        if template is None:
            return None
        sig = template(typing_context).apply(args, kws)
        if sig is None:
            return None
        whole = Signature(sig.return_type, (self, *sig.args))
        names = ["self", *(f"a{i}" for i in range(len(sig.args)))]
        return lowered_method(template.key, whole, names)


_read: set = set()


def overload_getter(key, attr):
    """Lets compiled code read an attribute by its callback."""
    if (key, attr) in _read:
        return
    _read.add((key, attr))

    @overload_attribute(key, attr, strict=False, inline="always")
    def choose(value):
        callback, takes_name = registries.find_member(registries.getters, value, attr)
        result = resolve_attribute(value, attr)
        if callback is None or result is None or isinstance(result, types.BoundFunction):
            return None
        return written.function_of_getter(callback, value, result, attr, takes_name)
