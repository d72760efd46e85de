"""The typing context of callbacks, and functions by what stands for them in types."""

from __future__ import annotations

import functools

from numjit import _core, types
from numjit.compat.conversions import best_case, conversion
from numjit.compat.models import Missing
from numjit.decorators import njit
from numjit.errors import TypingError, UnsupportedError
from numjit.functions import is_jitted
from numjit.signatures import Signature
from numjit.types.rows import handle_of
from numjit.types.wrap import wrap


@functools.cache
def with_arity(function, count):
    names = ", ".join(f"a{i}" for i in range(count))
    if is_jitted(function) or not callable(function):
        return function
    return eval(f"lambda {names}: function({names})", {"function": function})


def callable_of(function):
    """The function behind what stands for it in types."""
    for name in ("dispatcher", "typing_key", "key", "_function"):
        found = getattr(function, name, None)
        if isinstance(function, types.Type) and found is not None:
            return found
    if isinstance(function, str):
        raise UnsupportedError(f"context.get_function({function!r}): Numba's own lowering has it")
    return function


class TypingContext:
    """The typing context of callbacks."""

    def resolve_value_type(self, value):
        return types.typeof(value)

    resolve_value_type_prefer_literal = resolve_value_type

    def resolve_argument_type(self, value):
        return types.typeof(value)

    resolve_data_type = resolve_argument_type

    def resolve_function_type(self, func, args, kws=None):
        """The signature of a call of a function with arguments of these types."""
        function = with_arity(callable_of(func), len(args))
        result = _result_of(function, tuple(args))
        return Signature(result, tuple(args))

    def resolve_getattr(self, typ, attr):
        return _result_of(_getter(attr), (typ,))

    def unify_types(self, *typelist):
        """The type of a variable that has values of all of them, in any order; None if there is
        none."""
        return _unified(sorted(typelist, key=lambda each: getattr(each, "bitwidth", 0)))

    def unify_pairs(self, first, second):
        """The type of a variable that has values of both; None if there is none."""
        return _unified((first, second))

    def can_convert(self, fromty, toty):
        """The Conversion of a type to another one; None if there is none."""
        return conversion(self, fromty, toty)

    def resolve_overload(
        self,
        key,
        cases,
        args,
        kws,
        allow_ambiguous=True,
        unsafe_casting=True,
        exact_match_required=False,
    ):
        """The signature that suits arguments of types best; None if none does."""
        if kws:
            return None
        if exact_match_required:
            cases = [case for case in cases if tuple(case.args) == tuple(args)]
        return best_case(self, key, cases, tuple(args), allow_ambiguous, unsafe_casting)

    def refresh(self):
        """Nothing is read ahead."""

    def __getattr__(self, name):
        if name[:2] == "__":
            raise AttributeError(name)
        raise Missing(f"the typing context's {name} has no counterpart in numjit")


@functools.cache
def _getter(attr):
    return eval(f"lambda value: value.{attr}")


def _unified(typelist):
    first, *others = typelist
    try:
        for other in others:
            if first != other:
                first = _result_of(_either, (types.boolean, first, other))
    except (TypingError, UnsupportedError):
        return None
    return first


def _either(condition, a, b):
    return a if condition else b


def _result_of(function, arguments):
    compiled = function if is_jitted(function) else njit(function)
    return wrap(_core.infer(compiled, [handle_of(each) for each in arguments]))


typing_context = TypingContext()
