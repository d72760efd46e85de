"""The base classes of types, with Numba's names, so that `isinstance` in overloads reads the same.

Types are interned: equal constructor calls give one object, so equality is identity. A type that
the compiler knows stands for a row of its type table (numjit._core.Type), made when first asked
for.
"""

from __future__ import annotations

import functools
import itertools
import sys
from typing import TYPE_CHECKING, Any, overload

from numjit.upcalls import ask as _ask

if TYPE_CHECKING:
    from numjit.types.arrays import Array
    from numjit.types.signature import Signature

_interned: dict = {}
_codes = itertools.count()


class _TypeMeta(type):
    def __call__(cls, *args, **kwargs):
        made = super().__call__(*args, **kwargs)
        if type(made) is not cls:  # Tuple of equal types is a UniTuple, already interned
            return made
        found = _interned.setdefault((cls, made.key), made)
        if found is made:
            made._made_of = (args, kwargs)
        return found


def _remake(cls, args, kwargs):
    return cls(*args, **kwargs)


def _restore(cls, state):
    """A type of a program's own. What it was made with may hold an object that holds the type: in a
    pickle that object is made first, and filled last."""
    made = cls.__new__(cls)
    for name, value in state.items():
        setattr(made, name, value)
    return _interned.setdefault((cls, made.key), made)


class Type(metaclass=_TypeMeta):
    """Base of all types. A user's own subclass calls `super().__init__(name=...)`."""

    mutable = False
    reflected = False
    # Classes that are defined further up, which calling and indexing a type make.
    _signature_class: type
    _array_class: type
    _made_of: tuple[tuple, dict]  # the arguments that it was made with

    def __init__(self, name: str):
        self.name = name

    @property
    def key(self):
        """What makes two types of one class equal."""
        return self.name

    @property
    def as_part(self):
        """The type of such a value in a tuple or structure."""
        return self

    @property
    def mangling_args(self):
        return self.name, ()

    @functools.cached_property
    def _code(self) -> int:
        """A number of its own."""
        return next(_codes)

    @property
    def is_internal(self) -> bool:
        """Whether it is a type of this package, not of a program."""
        return type(self).__module__.startswith("numjit.")

    def is_precise(self) -> bool:
        return True

    def __str__(self):
        return self.name

    def __repr__(self):
        return self.name

    def __reduce__(self):
        if self.is_internal:
            return _remake, (type(self), *self._made_of)
        derived = "_row", "_value_class", "_made_of", "_code"
        slots = (each for cls in type(self).__mro__ for each in vars(cls).get("__slots__", ()))
        names = dict.fromkeys([*self.__dict__, *slots])
        state = {
            name: getattr(self, name)
            for name in names
            if name not in derived and hasattr(self, name)
        }
        return _restore, (type(self), state)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    # -- the row of the compiler's type table ------------------------------------------------

    _row = None
    _has_one_row = True  #: False: it stands for several

    @property
    def _handle(self):
        """The row, or None: the compiler doesn't know the type."""
        row = self._row
        if row is None:
            row = self._row = self._make_row()
        return row

    def _make_row(self):
        """A type of the user's own has a row if a model is registered for it."""
        if "numjit.compat.models" not in sys.modules:
            return None
        return _ask("row of a type with a model")(self)

    # -- signatures, arrays and conversions by calling and indexing a type -------------------

    @overload
    def __call__(self, *args: Type) -> Signature: ...

    @overload
    def __call__(self, value: Any, /) -> Any: ...

    def __call__(self, *args):
        if len(args) == 1 and not isinstance(args[0], Type):
            return self.cast_python_value(args[0])
        return self._signature_class(self, tuple(args))

    def cast_python_value(self, value):
        raise NotImplementedError(f"{self} does not convert Python values")

    __iter__ = None  # Python would ask for items 0, 1, ... and get a KeyError

    def __getitem__(self, index: slice | tuple[slice, ...]) -> Array:
        ndim, layout = _axes(index)
        return self._array_class(dtype=self, ndim=ndim, layout=layout)


def _axes(index) -> tuple[int, str]:
    """What stands between the brackets of float64[:, ::1]: number of dimensions and layout."""
    axes = index if isinstance(index, tuple) else (index,)
    for axis in axes:
        if not (isinstance(axis, slice) and axis.start is None and axis.stop is None):
            raise KeyError(
                f"Can only index numba types with slices with no start or stop, got {axis}."
            )
    if not axes:
        raise KeyError("an array type needs at least one axis, as in float64[:]")
    if axes[-1].step == 1:
        return len(axes), "C"
    return len(axes), "F" if axes[0].step == 1 else "A"


# The hierarchy: rows of (name, bases, meaning) would hide the classes from readers and tools.


class Dummy(Type):
    """A type without values of its own at run time."""


class Opaque(Dummy):
    """A value that programs only hand around."""


class Phantom(Dummy):
    """A type that exists at compile time only."""


class Undefined(Dummy):
    """A variable that has no type yet."""

    def is_precise(self):
        return False


class Hashable(Type):
    """Values with a hash."""


class Number(Hashable):
    """Integers, floats and complex numbers."""


class Callable(Type):
    """Values that can be called."""

    def get_call_type(self, context, args, kws):
        """The signature of a call, asked of a typing context."""
        return context.resolve_function_type(self, args, kws)


class DTypeSpec(Type):
    """What stands for a dtype in arguments of NumPy functions."""


class IterableType(Type):
    """Values that `for` accepts."""


class IteratorType(IterableType):
    """Values that `next` accepts."""


class SimpleIterableType(IterableType):
    """An iterable whose iterator type is fixed."""


class SimpleIteratorType(IteratorType):
    """An iterator over items of one type."""

    def __init__(self, name, yield_type):
        self._yield_type = yield_type
        super().__init__(name)

    @property
    def yield_type(self):
        return self._yield_type

    @property
    def iterator_type(self):
        return self


class Sized(Type):
    """Values that `len` accepts."""


class ConstSized(Sized):
    """Values whose length is part of the type."""


class Container(Sized, IterableType):
    """Collections of items of one type."""


class Sequence(Container):
    """Containers with an order."""


class MutableSequence(Sequence):
    """Sequences that can be written to."""

    mutable = True


class ArrayCompatible(Type):
    """Values that np.asarray accepts."""


class Literal(Type):
    """The type of one value. Made by `types.literal`; `literal_value` is the value."""

    literal_class: type | None = None

    def __init__(self, value):
        self.literal_value = value
        # Not super(): a literal is also an Integer, a Boolean, ..., which would read its own name.
        Type.__init__(self, f"Literal[{type(value).__name__}]({value})")

    @property
    def key(self):
        value = self.literal_value
        return type(value), value if getattr(value, "__hash__", None) else self.name

    @property
    def literal_type(self):
        """The type of the value without the value."""
        raise NotImplementedError

    def _make_row(self):
        return self.literal_type._handle
