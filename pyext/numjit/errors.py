"""The exceptions and warnings of numjit, under Numba's names.

A user's mistake raises a subclass of NumbaError that is also the Python exception a reader
expects (a TypingError is a TypeError). A bug of numjit raises InternalError.

`str(error)` is the whole report as numjit.diagnostics lays it out: message, source line with a
caret, the way out. `error.msg` is the message alone; `filename`, `line` and `column` (from 1) say
what is blamed.
"""

from __future__ import annotations

from typing import NamedTuple

from numjit.colours import ipython_traceback
from numjit.places import column_of, render


class Loc(NamedTuple):
    """Where an error is, as in Numba's `error.loc`."""

    filename: str | None
    line: int | None
    col: int | None

    def __str__(self):
        return f"{self.filename} ({self.line})"


class NumbaError(Exception):
    """Base of everything that numjit raises about a user's program."""

    def __init__(self, msg="", loc=None, highlighting=True, *, places=(), hint=""):
        """`places`: numjit.diagnostics.Place rows, what is blamed first. `loc` (anything with
        `filename`, `line` and `col`) and `highlighting` are what Numba's callers pass."""
        super().__init__(msg)
        self.msg = str(msg)
        self._given_loc = loc
        self.places = tuple(places)
        self.hint = hint
        self.contexts: list[str] = []

    @property
    def loc(self):
        """The place that is blamed; None if there is none."""
        if not self.places:
            return self._given_loc
        return Loc(self.filename, self.line, self.column)

    @property
    def filename(self) -> str | None:
        return self.places[0].filename if self.places else getattr(self.loc, "filename", None)

    @property
    def line(self) -> int | None:
        return self.places[0].line if self.places else getattr(self.loc, "line", None)

    @property
    def column(self) -> int | None:
        """Column of the blamed text in its line, counted in characters from 1."""
        if not self.places:
            return getattr(self.loc, "col", None)
        return column_of(self.places[0])

    def add_context(self, msg: str) -> NumbaError:
        """Appends a line about where the error came up; returns the error."""
        self.contexts.append(str(msg))
        return self

    def patch_message(self, new_message: str) -> None:
        self.msg = str(new_message)
        self.args = (self.msg, *self.args[1:])

    def __str__(self) -> str:
        return "\n".join([render(self.msg, self.places, self.hint), *self.contexts])

    def _render_traceback_(self):
        """IPython asks for it."""
        return ipython_traceback(self)

    def __reduce__(self):
        return _rebuild, (type(self), self.msg, self.places, self.hint, self.contexts)


def _rebuild(cls, msg, places, hint, contexts):
    error = make_exception(cls, msg, places, hint)
    error.contexts = list(contexts)
    return error


def make_exception(cls, msg, places=(), hint=""):
    """An instance of `cls`, whatever arguments its own constructor takes."""
    error = cls.__new__(cls, msg)
    NumbaError.__init__(error, msg, places=places, hint=hint)
    return error


# -- the program cannot be compiled --------------------------------------------------------------


class TypingError(NumbaError, TypeError):
    """The types of the program don't fit together."""


class UnsupportedError(NumbaError, NotImplementedError):
    """Valid Python that numjit doesn't compile."""


class UnsupportedRewriteError(UnsupportedError):
    """A transformation that numjit doesn't do."""


class UnsupportedBytecodeError(UnsupportedError):
    """Bytecode that numjit doesn't compile."""


class UnsupportedParforsError(NumbaError):
    """A parallel loop of a form that numjit doesn't compile."""


class ByteCodeSupportError(NumbaError):
    """The function's bytecode cannot be read."""


class CompilerError(NumbaError):
    """The program is refused by a later stage than type inference."""


class LoweringError(NumbaError):
    """No machine code can be made for a typed operation."""


class ForbiddenConstruct(LoweringError):
    """An operation that the present target refuses."""


class ConstantInferenceError(NumbaError):
    """A value that must be known at compile time isn't."""


class IRError(NumbaError):
    """The program's structure is wrong."""


class RedefinedError(IRError):
    """A name is defined twice."""


class NotDefinedError(IRError):
    """A variable is used where it has no value."""


class VerificationError(IRError):
    """A stage made a program that breaks its rules."""


class DeprecationError(NumbaError):
    """A form that has been removed."""


class NumbaRuntimeError(NumbaError, RuntimeError):
    """An error of the runtime library."""


class LiteralTypingError(TypingError):
    """A value that has no literal type."""


class RequireLiteralValue(TypingError):
    """An argument must be a compile-time constant."""


class UntypedAttributeError(TypingError, AttributeError):
    """A type has no such attribute."""


class NumbaTypeError(TypingError):
    """The TypeError of an overload."""


class NumbaValueError(TypingError, ValueError):
    """The ValueError of an overload, found at compile time."""


class NumbaAttributeError(TypingError, AttributeError):
    """The AttributeError of an overload."""


class NumbaIndexError(TypingError, IndexError):
    """The IndexError of an overload, found at compile time."""


class NumbaKeyError(TypingError, KeyError):
    """The KeyError of an overload, found at compile time."""


class NumbaNameError(TypingError, NameError):
    """A name that is not defined."""


class NumbaAssertionError(TypingError, AssertionError):
    """A failed assertion of an overload."""


class NumbaNotImplementedError(TypingError, NotImplementedError):
    """An overload that isn't written for these types."""


class ForceLiteralArg(NumbaError):
    """Raised by an overload: call it again with these arguments as literals."""

    def __init__(self, arg_indices, fold_arguments=None, loc=None):
        super().__init__("arguments must be compile-time constants", loc=loc)
        self.requested_args = frozenset(arg_indices)
        self.fold_arguments = fold_arguments

    def bind_fold_arguments(self, fold_arguments):
        return ForceLiteralArg(self.requested_args, fold_arguments, loc=self.loc)

    def combine(self, other):
        return ForceLiteralArg(self.requested_args | other.requested_args, loc=self.loc)

    def __or__(self, other):
        return self.combine(other)

    def __reduce__(self):
        return ForceLiteralArg, (self.requested_args, self.fold_arguments)


# -- wrong use of the decorators ------------------------------------------------------------------


class SignatureError(NumbaError, TypeError):
    """A signature that cannot be read."""


class SignatureNameError(SignatureError, NameError):
    """A name in a signature that is no type."""


class UnknownOptionError(NumbaError, KeyError):
    """An option that the decorator doesn't have."""


class OptionValueError(NumbaError, ValueError):
    """A value that an option doesn't take."""


class OptionTypeError(OptionValueError, TypeError):
    """A value of a type that an option doesn't take."""


# -- bugs of numjit -------------------------------------------------------------------------------


class InternalError(NumbaError):
    """A bug of numjit, not of the program that is compiled."""


class InternalTargetMismatchError(InternalError):
    """A function of one target met another target."""


class NonexistentTargetError(InternalError):
    """A target that doesn't exist."""


# -- warnings -------------------------------------------------------------------------------------


class NumbaWarning(Warning):
    """Base of everything that numjit warns about."""

    def __init__(self, msg="", loc=None, highlighting=True):
        super().__init__(msg)
        self.msg = msg
        self.loc = loc


class NumbaObjectModeWarning(NumbaWarning):
    """A function of @jit runs in the interpreter because it cannot be typed."""


class NumbaIgnoredOptionWarning(NumbaWarning):
    """An option that is accepted and has no effect yet."""


class NumbaPerformanceWarning(NumbaWarning):
    """The program could run faster if written otherwise."""


class NumbaDeprecationWarning(NumbaWarning, DeprecationWarning):
    """A form that will go."""


class NumbaPendingDeprecationWarning(NumbaWarning, PendingDeprecationWarning):
    """A form that will be deprecated."""


class NumbaParallelSafetyWarning(NumbaWarning):
    """A parallel loop that may give other results than a serial one."""


class NumbaTypeSafetyWarning(NumbaWarning):
    """A conversion that may lose information."""


class NumbaExperimentalFeatureWarning(NumbaWarning):
    """A feature that may still change."""


class NumbaInvalidConfigWarning(NumbaWarning):
    """A setting that makes no sense."""


class NumbaPedanticWarning(NumbaWarning):
    """A warning for those who write extensions."""


class NumbaIRAssumptionWarning(NumbaPedanticWarning):
    """A transformation left the program in an unusual form."""


class NumbaDebugInfoWarning(NumbaWarning):
    """Debug information is incomplete."""


class NumbaSystemWarning(NumbaWarning):
    """The system lacks something that numjit could use."""


__all__ = [
    name
    for name, value in list(globals().items())
    if isinstance(value, type) and issubclass(value, NumbaError | NumbaWarning)
]
