"""@vectorize and @guvectorize: NumPy ufuncs whose inner loops are compiled.

The objects are not numpy.ufunc themselves (that class cannot be derived from), but have all of its
attributes and methods; `.ufunc` is the real one. A loop belongs to one list of dtypes. Its machine
code is made in versions: for contiguous operands and for any strides when a loop is added by its
signature, else when a call first needs them; for scalars among the operands and for reductions when
that pays (pyext/call/ufuncs.cpp).
"""

from __future__ import annotations

import warnings
from types import FunctionType

import numpy as np

from numjit import _core, types
from numjit.decorators import signatures_of
from numjit.errors import TypingError
from numjit.functions import frameless, is_jitted
from numjit.gufuncs import GUFunc
from numjit.library.core.derived import elementwise, inner_loop
from numjit.option_docs import NOT_OF_FIXED_TYPES, with_options
from numjit.options import OPTIONS, check_options
from numjit.signatures import Signature, normalize_signature
from numjit.types.wrap import wrap
from numjit.ufunc_base import (
    _IDENTITIES,
    _Base,
    _codes,
    _compiled,
    _dtype_of,
    _is_fixed,
    _not_a_dtype,
    _scalar,
    key_of,
)
from numjit.upcalls import ask

_TARGETS = ("cpu", "parallel", "cuda")


@frameless
@with_options(OPTIONS.values(), left_out=NOT_OF_FIXED_TYPES)
def vectorize(ftylist_or_function=(), target="cpu", identity=None, **options):
    """Makes a ufunc of a function of scalars.

    `@vectorize([float64(float64, float64)])` has loops for these signatures: NumPy takes the first
    one that the arguments can be cast to safely, so order matters. `@vectorize` alone makes a loop
    for each combination of dtypes that it is called with. `identity` (0, 1, "reorderable" or None)
    is what reduce() starts with. With `target="parallel"` long loops run in several threads.
    """
    function, given = _split(ftylist_or_function)
    _check_target(target)
    if identity not in _IDENTITIES:
        raise ValueError(f"Invalid identity value {identity!r}")

    def decorate(function):
        signatures = given or signatures_of(_plain(function), options)
        if target == "cuda":
            check_options(options)
            if "nopython" in options:
                warnings.warn(
                    "nopython kwarg for cuda target is redundant", RuntimeWarning, stacklevel=2
                )
            return ask("ufunc of kernels")(_plain(function), signatures, identity)
        made = DUFunc(
            _plain(function), identity=identity, targetoptions=options | {"target": target}
        )
        for signature in signatures:
            made.add(signature)
        if signatures:
            made.disable_compile()
        return made

    return decorate(function) if function is not None else _core.frameless(decorate)


@frameless
@with_options(OPTIONS.values(), left_out=NOT_OF_FIXED_TYPES)
def guvectorize(ftylist, signature=None, target="cpu", identity=None, writable_args=(), **options):
    """Makes a generalised ufunc of a function of arrays that writes its results into the last ones.

    `@guvectorize([(float64[:], float64, float64[:])], "(n),()->(n)")`: the layout says which
    dimensions each operand has; the types are those that the function sees. Without signatures,
    `@guvectorize("(n),()->(n)")`, a loop is made for the dtypes of each call, which must pass its
    outputs.
    """
    if signature is None:
        ftylist, signature = [], ftylist
    if not isinstance(signature, str):
        raise TypeError(
            f"the layout of a gufunc is a string such as '(n),()->(n)', not {signature!r}"
        )
    if isinstance(ftylist, str):
        ftylist = [ftylist]
    _check_target(target)
    if identity not in _IDENTITIES:
        raise ValueError(f"Invalid identity value {identity!r}")

    def decorate(function):
        signatures = ftylist or signatures_of(_plain(function), options)
        if target == "cuda":
            if options.get("nopython") is False:
                raise TypeError("nopython flag must be True")
            if unknown := [repr(name) for name in options if name not in OPTIONS]:
                raise TypeError(
                    f"The following target options are not supported: {', '.join(unknown)}"
                )
            return ask("generalised ufunc of kernels")(_plain(function), signatures, signature)
        made = GUFunc(
            _plain(function),
            signature,
            identity=identity,
            is_dynamic=not signatures,
            targetoptions=options | {"target": target},
            writable_args=writable_args,
        )
        for each in signatures:
            made.add(each)
        if signatures:
            made.disable_compile()
        return made

    return _core.frameless(decorate)


def _split(first):
    """(function or None, signatures) of what @vectorize got first."""
    if isinstance(first, FunctionType) or is_jitted(first):
        return first, ()
    if isinstance(first, str):
        return None, (first,)
    if isinstance(first, Signature):
        raise TypeError("'Signature' object is not iterable: write @vectorize([signature])")
    return None, tuple(first)


def _check_target(target):
    if target not in _TARGETS:
        raise ValueError(f"Unsupported target: {target}")


def _plain(function):
    if is_jitted(function):
        function = function.py_func
    if not isinstance(function, FunctionType):
        raise TypeError(f"The decorated object is not a function (got type {type(function)}).")
    return function


class DUFunc(_Base):
    """A ufunc that @vectorize made; loops are added for the dtypes of calls."""

    def __init__(self, py_func, identity=None, cache=False, targetoptions=None):
        options = dict(targetoptions or {})
        if cache:
            options["cache"] = cache
        self._arguments = {"identity": identity, "targetoptions": options}
        count = py_func.__code__.co_argcount
        super().__init__(py_func, options, identity, max(count, 1), 1, None, ())

    def _check_parameters(self):
        """TypingError for other functions where they are used: packages decorate all that they
        have, as Numba does not look."""
        if self.py_func.__code__.co_argcount == 0 or not _is_fixed(self.py_func):
            raise TypingError(
                f"{self.py_func.__name__}() must take a fixed number of arguments, at least one, "
                "to be a ufunc"
            )

    @frameless
    def add(self, sig):
        """Adds a loop for a signature, in any form that @jit takes."""
        arguments, result = normalize_signature(sig)
        self._dispatcher._check_count(arguments)
        self._add(arguments, result, now=True)

    def _add_again(self, sig, now):
        """Adds a loop of a pickled one, whose code may have come along."""
        self._add(*normalize_signature(sig), now)

    def _compile_for_argtys(self, argtys, return_type=None):
        """What programs for Numba call in place of `add`."""
        self.add(tuple(argtys) if return_type is None else return_type(*argtys))

    def _add(self, arguments, result=None, now=False):
        self._check_parameters()
        for type_ in arguments:
            _scalar(type_)
        if result is None:
            rows = tuple(type_._handle for type_ in arguments)
            result = wrap(_core.infer(self._dispatcher, rows))
        if isinstance(result, types.IntEnumMember):  # in arrays there are numbers
            result = result.dtype
        types_ = (*arguments, result)
        for type_ in types_:
            if isinstance(type_, types.Array):
                raise _not_a_dtype(type_)
        _scalar(result)
        kernel, nin = self._dispatcher, len(arguments)

        def compile(pattern):
            return _compiled(kernel, inner_loop(kernel, types_, _codes(pattern, nin)))

        self._add_loop(types_, None, compile, now, now)

    def _need(self, dtypes):
        """Whether there is a loop for exactly these dtypes, which is made if it may be."""
        key = key_of(dtypes)
        if key not in self._loops and not self._explicit:
            self._add(tuple(types.from_dtype(dtype) for dtype in dtypes))
        return key in self._loops

    @frameless
    def _prepare(self, *args, **keywords):
        """The arguments of a call, whose dtypes have a loop of their own now.

        Python's numbers are taken as what they are in compiled code, not as weak scalars.
        """
        inputs = args[: self.nin]
        if len(inputs) < self.nin or self._explicit:
            return self._for_records(args)
        converted = [
            value if hasattr(value, "__array_ufunc__") else np.asarray(value) for value in inputs
        ]
        dtypes = [_dtype_of(value) for value in converted]
        if any(dtype is None for dtype in dtypes) or not self._need(dtypes):
            return args
        return self._for_records((*converted, *args[self.nin :]))

    def _in_compiled_code(self):
        self._check_parameters()
        signatures = ()
        if self._explicit:
            signatures = tuple(types_ for types_, _ in self._loops.values())
        return elementwise(self._dispatcher, self.__name__, signatures, self.nin)

    def _signatures(self):
        return [Signature(types_[-1], types_[:-1]) for types_, _ in self._loops.values()]
