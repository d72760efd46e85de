"""What box, unbox, lower_builtin and intrinsic callbacks take from Numba's `cgutils`.

In Numba these write LLVM IR. Here the callbacks run once (lower_builtin, intrinsic) or each time
that a value crosses (box, unbox), and their values are Python objects, or expressions of which the
source of a function is made: see numjit.compat.native_types.
"""

from __future__ import annotations

import contextlib

from numjit import types
from numjit.compat.models import default_manager
from numjit.errors import UnsupportedError

__all__ = [
    "Builder",
    "alloca_once",
    "alloca_once_value",
    "bool_t",
    "create_struct_proxy",
    "early_exit_if",
    "early_exit_if_null",
    "false_bit",
    "get_or_insert_function",
    "if_likely",
    "if_unlikely",
    "int32_t",
    "int8_t",
    "intp_t",
    "is_not_null",
    "is_null",
    "true_bit",
    "voidptr_t",
]

true_bit, false_bit = True, False
bool_t, int8_t, int32_t, intp_t = types.boolean, types.int8, types.int32, types.intp
voidptr_t = types.voidptr


class MissingName(UnsupportedError, AttributeError):
    """A name that only makes sense for LLVM: hasattr() is False."""


def unsupported(what, cls=UnsupportedError):
    """The error about a part of the interface that only makes sense for LLVM."""
    return cls(
        f"{what} makes LLVM IR in Numba; numjit has nothing in its place",
        hint="write the operation in Python with @overload, @overload_method or "
        "@overload_attribute; for a class of objects use @jitclass, structref or a dataclass",
    )


def __getattr__(name):
    if name[:2] == "__":
        raise AttributeError(name)
    raise unsupported(f"cgutils.{name}", MissingName)


class NeedsLiteral(Exception):
    """A callback needs a number when it runs, and has an expression."""

    def __init__(self, expression):
        super().__init__(expression)
        self.expression = expression


class Cell:
    """Memory for a value, which is 0 at first, or for `count` values of a type."""

    def __init__(self, value=None, type_=None, count=None):
        self.value = value
        self.type = type_
        self.count = count


class LlvmFunction:
    """What stands for an intrinsic function of LLVM."""

    def __init__(self, name):
        self.name = name


def get_or_insert_function(module, fnty, name):
    """An intrinsic function of LLVM, such as "llvm.ctpop.i8", for Builder.call()."""
    if not name.startswith("llvm."):
        raise unsupported(f"a call of the C function {name!r} by its name")
    return LlvmFunction(name.split(".")[1])


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
        return Struct(self._type, {name: self._parts[name] for name in self._names})


def create_struct_proxy(fe_type, kind="value"):
    """A maker of proxies: `create_struct_proxy(type)(context, builder, value=...)`."""
    if kind != "value":
        raise unsupported(f"a struct proxy of kind {kind!r}")

    def make(context, builder, value=None, ref=None):
        return _Proxy(fe_type, value if ref is None else ref.value)

    return make


class Builder:
    """Carries out what callbacks ask of an IRBuilder, on objects or expressions."""

    def __init__(self, context=None):
        self._conditions = 0  # how many around are false
        self._jump = None  # the block that a branch goes to
        self._context = context  # of expressions

    @property
    def _is_skipping(self):
        return self._conditions > 0 or self._jump is not None

    # -- conversions ----------------------------------------------------------------------------

    def trunc(self, value, type_, name=""):
        return self._context.convert(value, type_) if self._context else value

    sext = fpext = fptrunc = sitofp = fptosi = fptoui = inttoptr = ptrtoint = trunc

    def zext(self, value, type_, name=""):
        if isinstance(value, bool | int):
            return value
        return self._context.convert(self._as_unsigned(value), type_)

    uitofp = zext

    def bitcast(self, value, type_, name=""):
        """Between numbers of the same size, or between pointers."""
        return self._context.reinterpret(value, type_) if self._context else value

    def _as_unsigned(self, value):
        return self._context.operation("as_unsigned", value) if self._context else value

    # -- memory ---------------------------------------------------------------------------------

    def store(self, value, cell):
        if not isinstance(cell, Cell):
            raise unsupported("a store to an address")
        if not self._is_skipping:
            cell.value = value

    def load(self, cell, name=""):
        return cell.value if isinstance(cell, Cell) else self._context.item_at(cell)

    # -- calls ----------------------------------------------------------------------------------

    module = None  # for get_or_insert_function()

    def call(self, function, arguments, name=""):
        if not isinstance(function, LlvmFunction) or not self._context.has_operation(function.name):
            shown = f"llvm.{function.name}" if isinstance(function, LlvmFunction) else function
            raise unsupported(f"a call of {shown}")
        return self._context.operation(function.name, *arguments)

    # -- control flow ---------------------------------------------------------------------------

    @contextlib.contextmanager
    def if_then(self, condition, likely=None):
        """A block that has no effect unless the condition, which must be known, holds."""
        if not isinstance(condition, bool):
            raise unsupported("a branch on a value of compiled code")
        self._conditions += not condition
        try:
            yield
        finally:
            self._conditions -= not condition

    @contextlib.contextmanager
    def if_else(self, condition, likely=None):
        """Two blocks, of which one has an effect."""
        yield self.if_then(condition), self.if_then(self.not_(condition))

    def append_basic_block(self, name=""):
        return object()

    def goto_block(self, block):
        """What comes later in LLVM's function has no effect here: for failures, which raise."""
        return self.if_then(False)

    def branch(self, block):
        """Nothing has an effect up to where the block begins."""
        if not self._is_skipping:
            self._jump = block

    def position_at_end(self, block):
        if self._jump is block:
            self._jump = None

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
        return not a if isinstance(a, bool) else self._context.operation("not_", a)

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

    def icmp_unsigned(self, operator, a, b, name=""):
        return self.icmp_signed(operator, self._as_unsigned(a), self._as_unsigned(b))

    def fcmp_unordered(self, operator, a, b, name=""):
        """True where an operand is NaN, too."""
        return self.not_(self.fcmp_ordered(_OPPOSITES[operator], a, b))

    def extract_value(self, aggregate, index, name=""):
        if isinstance(aggregate, Struct):
            return list(aggregate.parts.values())[index]
        return aggregate[index]

    def __getattr__(self, name):
        if name[:2] == "__":
            raise AttributeError(name)
        if self._context and self._context.has_operation(name):
            return lambda *values, name="", flags=(), of=name: self._context.operation(of, *values)
        raise unsupported(f"builder.{name}()", MissingName)


_OPPOSITES = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_COMPARISONS = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def alloca_once(builder, type_, size=None, name="", zfill=False):
    if size is None:
        return Cell(type_=type_)
    if not isinstance(size, int):
        raise NeedsLiteral(size)
    return Cell(type_=type_, count=size)


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
        stack.enter_context(builder.if_then(False))


def early_exit_if_null(builder, stack, value):
    return early_exit_if(builder, stack, is_null(builder, value))


def if_likely(builder, condition):
    return builder.if_then(condition)


if_unlikely = if_likely
