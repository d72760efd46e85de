"""What box, unbox, lower_builtin and intrinsic callbacks take from Numba's `cgutils`.

In Numba these write LLVM IR. Here the callbacks run once (lower_builtin, intrinsic) or each time
that a value crosses (box, unbox), and their values are Python objects, or expressions of which the
source of a function is made: see numjit.native_types.
"""

from __future__ import annotations

import contextlib

from numjit.errors import UnsupportedError
from numjit.models import default_manager

__all__ = [
    "Builder",
    "alloca_once",
    "alloca_once_value",
    "create_struct_proxy",
    "early_exit_if",
    "early_exit_if_null",
    "false_bit",
    "if_likely",
    "if_unlikely",
    "is_not_null",
    "is_null",
    "true_bit",
]

true_bit, false_bit = True, False


def unsupported(what):
    """The error about a part of the interface that only makes sense for LLVM."""
    return UnsupportedError(
        f"{what} makes LLVM IR in Numba; numjit has nothing in its place",
        hint="write the operation in Python with @overload, @overload_method or "
        "@overload_attribute; for a class of objects use @jitclass, structref or a dataclass",
    )


def __getattr__(name):
    if name[:2] == "__":
        raise AttributeError(name)
    raise unsupported(f"cgutils.{name}")


class Cell:
    """Memory for one value."""

    def __init__(self, value=None):
        self.value = value


class Struct:
    """A value of a type that has a StructModel: its parts by name."""

    def __init__(self, type_, parts):
        self.type = type_
        self.parts = dict(parts)


class _Proxy:
    """The parts of a struct as attributes that can be assigned."""

    def __init__(self, type_, value):
        names = [name for name, _ in default_manager.lookup(type_).members]
        if isinstance(value, Struct):
            parts = value.parts
        else:
            parts = {name: getattr(value, name) for name in names} if value is not None else {}
        self.__dict__.update(_type=type_, _names=names, _parts=dict(parts))

    def __getattr__(self, name):
        try:
            return self._parts[name]
        except KeyError:
            raise AttributeError(f"{self._type} has no value for a part {name!r}") from None

    def __setattr__(self, name, value):
        if name not in self._names:
            raise AttributeError(f"{self._type} has no part {name!r}; it has {self._names}")
        self._parts[name] = value

    def _getvalue(self):
        missing = [name for name in self._names if name not in self._parts]
        if missing:
            raise ValueError(f"the parts {missing} of {self._type} are not set")
        return Struct(self._type, self._parts)


def create_struct_proxy(fe_type, kind="value"):
    """A maker of proxies: `create_struct_proxy(type)(context, builder, value=...)`."""
    if kind != "value":
        raise unsupported(f"a struct proxy of kind {kind!r}")

    def make(context, builder, value=None, ref=None):
        return _Proxy(fe_type, value if ref is None else ref.value)

    return make


class Builder:
    """Carries out what callbacks ask of an IRBuilder, on objects or expressions."""

    def __init__(self, convert=None):
        self._skipping = 0  # inside of blocks whose condition is false
        self._convert = convert  # (value, type) -> the expression of its conversion

    # -- conversions ----------------------------------------------------------------------------

    def trunc(self, value, type_, name=""):
        return self._convert(value, type_) if self._convert else value

    sext = fpext = fptrunc = sitofp = fptosi = inttoptr = ptrtoint = trunc

    # -- memory ---------------------------------------------------------------------------------

    def store(self, value, cell):
        if not self._skipping:
            cell.value = value

    def load(self, cell, name=""):
        return cell.value

    # -- control flow ---------------------------------------------------------------------------

    @contextlib.contextmanager
    def if_then(self, condition, likely=None):
        """A block that has no effect unless the condition, which must be known, holds."""
        if not isinstance(condition, bool):
            raise unsupported("a branch on a value of compiled code")
        self._skipping += not condition
        try:
            yield
        finally:
            self._skipping -= not condition

    # -- arithmetic -----------------------------------------------------------------------------

    def add(self, a, b, name="", flags=()):
        return a + b

    def sub(self, a, b, name="", flags=()):
        return a - b

    def mul(self, a, b, name="", flags=()):
        return a * b

    def neg(self, a, name="", flags=()):
        return -a

    def fdiv(self, a, b, name="", flags=()):
        return a / b

    def and_(self, a, b, name=""):
        return a & b

    def or_(self, a, b, name=""):
        return a | b

    def xor(self, a, b, name=""):
        return a ^ b

    def not_(self, a, name=""):
        return not a if isinstance(a, bool) else ~a

    fadd, fsub, fmul, fneg = add, sub, mul, neg

    def shl(self, a, b, name="", flags=()):
        return a << b

    def ashr(self, a, b, name="", flags=()):
        return a >> b

    def select(self, condition, a, b, name="", flags=()):
        if isinstance(condition, bool):
            return a if condition else b
        return condition._select(a, b)

    def icmp_signed(self, operator, a, b, name=""):
        return _COMPARISONS[operator](a, b)

    fcmp_ordered = icmp_signed

    def extract_value(self, aggregate, index, name=""):
        if isinstance(aggregate, Struct):
            return list(aggregate.parts.values())[index]
        return aggregate[index]

    def __getattr__(self, name):
        if name[:2] == "__":
            raise AttributeError(name)
        raise unsupported(f"builder.{name}()")


_COMPARISONS = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def alloca_once(builder, type_, size=None, name="", zfill=False):
    return Cell()


def alloca_once_value(builder, value, name="", zfill=False):
    return Cell(value)


def is_null(builder, value):
    return value is None


def is_not_null(builder, value):
    return value is not None


@contextlib.contextmanager
def early_exit_if(builder, stack, condition):
    """A block for a failure. Objects that fail raise at once, so nothing may come behind it."""
    with builder.if_then(condition):
        yield
    if condition:
        builder._skipping += 1
        stack.callback(lambda: setattr(builder, "_skipping", builder._skipping - 1))


def early_exit_if_null(builder, stack, value):
    return early_exit_if(builder, stack, is_null(builder, value))


def if_likely(builder, condition):
    return builder.if_then(condition)


if_unlikely = if_likely
