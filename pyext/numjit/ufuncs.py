"""@vectorize and @guvectorize: NumPy ufuncs whose inner loops are compiled.

The objects are not numpy.ufunc themselves (that class cannot be derived from), but have all of its
attributes and methods; `.ufunc` is the real one. A loop belongs to one list of dtypes. Its machine
code is made in versions: for contiguous operands and for any strides when a loop is added by its
signature, else when a call first needs them; for scalars among the operands and for reductions when
that pays (pyext/call/ufuncs.cpp).
"""

from __future__ import annotations

import functools
import inspect
import re
import threading
from types import FunctionType

import numpy as np

from numjit import _core, types
from numjit.decorators import dispatcher_of
from numjit.derived import Derived
from numjit.dispatcher import Dispatcher
from numjit.errors import NumbaNotImplementedError
from numjit.functions import frameless, is_jitted
from numjit.library.core.derived import elementwise, generalised, generalised_loop, inner_loop
from numjit.options import check_options, compiler_options
from numjit.pickling import _import_again, _importable, by_value
from numjit.signatures import Signature, normalize_signature
from numjit.types.wrap import wrap
from numjit.upcalls import ask

_TARGETS = ("cpu", "parallel", "cuda")
_IDENTITIES = {None: -1, 0: 0, 1: 1, "reorderable": -2}
_lock = threading.RLock()  # held while a ufunc is put together, never while something is compiled


@frameless
def vectorize(ftylist_or_function=(), target="cpu", identity=None, **options):
    """Makes a ufunc of a function of scalars.

    `@vectorize([float64(float64, float64)])` has loops for these signatures: NumPy takes the first
    one that the arguments can be cast to safely, so order matters. `@vectorize` alone makes a loop
    for each combination of dtypes that it is called with. `identity` (0, 1, "reorderable" or None)
    is what reduce() starts with. With `target="parallel"` long loops run in several threads.
    """
    function, signatures = _split(ftylist_or_function)
    _check_target(target)
    if identity not in _IDENTITIES:
        raise ValueError(f"Invalid identity value {identity!r}")

    def decorate(function):
        if target == "cuda":
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
        if target == "cuda":
            return ask("generalised ufunc of kernels")(_plain(function), ftylist, signature)
        made = GUFunc(
            _plain(function),
            signature,
            identity=identity,
            is_dynamic=not ftylist,
            targetoptions=options | {"target": target},
            writable_args=writable_args,
        )
        for each in ftylist:
            made.add(each)
        if ftylist:
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


def _is_fixed(function) -> bool:
    """Whether a function has no *args, **kwargs and keyword-only parameters."""
    code = function.__code__
    return not code.co_flags & 0x0C and not code.co_kwonlyargcount


def _scalar(type_):
    """The numjit type of elements as a dtype; TypeError if NumPy's loops cannot have it."""
    if isinstance(type_, types.Array):
        type_ = type_.dtype
    try:
        return np.dtype(str(type_))
    except TypeError:
        raise _not_a_dtype(type_) from None


def _not_a_dtype(type_):
    return NumbaNotImplementedError(f"{type_} cannot be represented as a NumPy dtype")


class _Base(_core.UFunc, Derived):
    """What ufuncs and generalised ufuncs share.

    Their loops are rows of `_loops`: dtype numbers of the inputs -> (types, loop).
    """

    def __init__(self, function, options, identity, nin, nout, layout, writable):
        functools.update_wrapper(self, function)
        self.py_func = function
        options = dict(options)
        self._parallel = options.pop("target", "cpu") == "parallel"
        self.targetoptions = {"nopython": True, **options}
        checked = check_options(options)
        checked.setdefault("error_model", "numpy")
        self._dispatcher = Dispatcher(function, compiler_options(checked), checked)
        self._identity = identity
        self._layout = layout
        self._writable = writable
        self._counts = nin, nout
        self._loops = {}
        self._explicit = False
        self._build()

    def _build(self):
        nin, nout = self._counts
        rows = tuple(
            (tuple(_scalar(type_).num for type_ in types_), loop)
            for types_, loop in self._loops.values()
            if not self._is_hidden(types_[:nin])
        )
        name, doc = self.__name__, self.__doc__
        made = _core.make_ufunc(
            name, doc, nin, nout, _IDENTITIES[self._identity], self._layout, rows, self._writable
        )
        self._bind(made, nin, not self._explicit, tuple(self._loops))

    def _is_hidden(self, inputs):
        """Whether an earlier loop takes these inputs: with signatures, the first one that they can
        be cast to counts. NumPy would look for the very types first."""
        if not self._explicit or self._layout:
            return False
        for types_, _ in self._loops.values():
            earlier = types_[: len(inputs)]
            if earlier == inputs:
                return False
            pairs = zip(inputs, earlier)
            if all(np.can_cast(_scalar(a), _scalar(b), "safe") for a, b in pairs):
                return True
        return False

    def _add_loop(self, types_, core, loop_of, now, any_strides):
        """`loop_of(pattern)` is called for code when a call needs it, and `now` for contiguous
        operands. With `any_strides` there is code for all that the first calls may bring."""
        nin, nout = self._counts
        sizes = tuple(_scalar(type_).itemsize for type_ in types_)
        loop = _core.make_loop(nin, nout, sizes, core, loop_of, self._parallel)
        if now:
            _core.compile_loop(loop, any_strides)
        key = tuple(_scalar(type_).num for type_ in types_[:nin])
        with _lock:
            self._loops[key] = tuple(types_), loop
            self._build()

    def build_ufunc(self):
        """Numba's name for making the ufunc; here it is always made."""
        return self

    def disable_compile(self):
        """From now on NumPy casts arguments to the dtypes compiled so far, or refuses them."""
        with _lock:
            self._explicit = True
            self._build()

    # -- as a ufunc ----------------------------------------------------------------------------

    @property
    def nin(self):
        return self._counts[0]

    @property
    def nout(self):
        return self._counts[1]

    @property
    def nargs(self):
        return sum(self._counts)

    @property
    def ntypes(self):
        return len(self._loops)

    @property
    def types(self):
        def text(types_):
            return "".join(_scalar(type_).char for type_ in types_)

        nin = self.nin
        return [f"{text(types_[:nin])}->{text(types_[nin:])}" for types_, _ in self._loops.values()]

    @property
    def identity(self):
        return self.ufunc.identity

    @property
    def signature(self):
        return self.ufunc.signature

    @property
    def __signature__(self):
        return inspect.signature(self.py_func)

    @property
    def is_dynamic(self):
        return not self._explicit

    @frameless
    def reduce(self, array, *args, **kwargs):
        """numpy.ufunc.reduce"""
        self._need_reduction(array, args, kwargs)
        return _core.call_checked(self.ufunc.reduce, array, *args, **kwargs)

    @frameless
    def accumulate(self, array, *args, **kwargs):
        """numpy.ufunc.accumulate"""
        self._need_reduction(array, args, kwargs)
        return _core.call_checked(self.ufunc.accumulate, array, *args, **kwargs)

    @frameless
    def reduceat(self, array, indices, *args, **kwargs):
        """numpy.ufunc.reduceat"""
        self._need_reduction(array, args, kwargs)
        return _core.call_checked(self.ufunc.reduceat, array, indices, *args, **kwargs)

    @frameless
    def outer(self, A, B, **kwargs):
        """numpy.ufunc.outer"""
        A, B = self._prepare(A, B)
        return _core.call_checked(self.ufunc.outer, A, B, **kwargs)

    @frameless
    def at(self, a, indices, *b):
        """numpy.ufunc.at"""
        b = self._prepare(a, *b)[1:]
        return _core.call_checked(self.ufunc.at, a, indices, *b)

    def _need_reduction(self, array, args, kwargs):
        """Makes the loop of a reduction, whose result has the type of its first operand: sums of
        int8 are int64 if the function's are. `args`: axis and dtype, if they are positional."""
        if self._explicit or self._counts != (2, 1):
            return
        dtype = kwargs.get("dtype", args[1] if len(args) > 1 else None)
        known = _dtype_of(array) if dtype is None else np.dtype(dtype)
        if known is None or not self._need((known, known)):
            return
        result = _scalar(self._loops[(known.num, known.num)][0][-1])
        if dtype is None and len(args) < 2 and self._need((result, result)):
            kwargs["dtype"] = result

    def __repr__(self):
        return f"<numjit.{type(self).__name__} {self.__name__!r}>"

    def __reduce__(self):
        function = self.py_func
        if _importable(self, function):
            return _import_again, (function.__module__, function.__qualname__)
        signatures = self._signatures() if self._explicit else None
        return _rebuild, (type(self), by_value(function), self._arguments, signatures)


def _rebuild(cls, function, arguments, signatures):
    made = cls(function, **arguments)
    for signature in signatures or ():
        made.add(signature)
    if signatures is not None:
        made.disable_compile()
    return made


def _dtype_of(value):
    """The dtype that a loop must have for an argument; None where numjit has no such type."""
    dtype = getattr(value, "dtype", None)
    if not isinstance(dtype, np.dtype):
        dtype = np.asarray(value).dtype
    dtype = dtype.newbyteorder("=")
    if dtype.kind not in "biufc":
        return None
    canonical = np.dtype(dtype.name) if dtype.itemsize <= 16 else dtype
    return canonical if str(canonical) in _NAMES else None


_NAMES = frozenset(
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 "
    "complex128".split()
)


class DUFunc(_Base):
    """A ufunc that @vectorize made; loops are added for the dtypes of calls."""

    def __init__(self, py_func, identity=None, cache=False, targetoptions=None):
        options = dict(targetoptions or {})
        if cache:
            options["cache"] = cache
        self._arguments = {"identity": identity, "targetoptions": options}
        count = py_func.__code__.co_argcount
        if count == 0 or not _is_fixed(py_func):
            raise TypeError(
                f"{py_func.__name__}() must take a fixed number of arguments, at least one, to "
                "become a ufunc"
            )
        super().__init__(py_func, options, identity, count, 1, None, ())

    @frameless
    def add(self, sig):
        """Adds a loop for a signature, in any form that @jit takes."""
        arguments, result = normalize_signature(sig)
        self._dispatcher._check_count(arguments)
        self._add(arguments, result, now=True)

    def _compile_for_argtys(self, argtys, return_type=None):
        """What programs for Numba call in place of `add`."""
        self.add(tuple(argtys) if return_type is None else return_type(*argtys))

    def _add(self, arguments, result=None, now=False):
        for type_ in arguments:
            _scalar(type_)
        if result is None:
            rows = tuple(type_._handle for type_ in arguments)
            result = wrap(_core.infer(self._dispatcher, rows))
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
        key = tuple(dtype.num for dtype in dtypes)
        if key not in self._loops and not self._explicit:
            self._add(tuple(types.from_dtype(dtype) for dtype in dtypes))
        return key in self._loops

    @frameless
    def _prepare(self, *args):
        """The arguments of a call, whose dtypes have a loop of their own now.

        Python's numbers are taken as what they are in compiled code, not as weak scalars.
        """
        inputs = args[: self.nin]
        if len(inputs) < self.nin or self._explicit:
            return args
        converted = [
            value if hasattr(value, "__array_ufunc__") else np.asarray(value) for value in inputs
        ]
        dtypes = [_dtype_of(value) for value in converted]
        if any(dtype is None for dtype in dtypes) or not self._need(dtypes):
            return args
        return (*converted, *args[self.nin :])

    def _in_compiled_code(self):
        signatures = ()
        if self._explicit:
            signatures = tuple(types_ for types_, _ in self._loops.values())
        return elementwise(self._dispatcher, self.__name__, signatures, self.nin)

    def _signatures(self):
        return [Signature(types_[-1], types_[:-1]) for types_, _ in self._loops.values()]


def _compiled(kernel, loop):
    """The dispatcher of a loop that NumPy calls: void(args, dimensions, steps)."""
    made = dispatcher_of(loop)
    if kernel._caches:
        made.keep_for(kernel)
    made.compile((types.CPointer(types.int64),) * 3)
    return made


def _codes(pattern, nin):
    """The letters of numjit.ufunc_loop for a pattern of pyext/call/ufuncs.cpp."""
    scalars = 1 << nin if nin <= 4 else 1
    if pattern == scalars:
        return "s" * (nin + 1)
    if pattern == scalars + 1:
        return "asa"
    return "".join("0" if pattern >> k & 1 else "c" for k in range(nin)) + "c"


# -- generalised -----------------------------------------------------------------------------------


class Layout:
    """The dimensions of operands from text: "(n),(3)->(n)" has inputs (0,), (1,), output (0,)."""

    def __init__(self, text):
        compact = "".join(text.split())
        operand = r"\((?:\w+\??(?:,\w+\??)*)?\)"
        operands = rf"{operand}(?:,{operand})*"
        if not re.fullmatch(rf"{operands}(?:->(?:{operands})?)?", compact):
            token = re.sub(operand, "", compact.replace("->", "")).strip(",")[:1] or compact
            raise ValueError(f'bad token in signature "{token}" of the layout {text!r}')
        inputs, _, outputs = compact.partition("->")
        self.text = compact if outputs else inputs
        names: dict[str, int] = {}

        def dimensions(part):
            return tuple(
                tuple(
                    names.setdefault(name.rstrip("?"), len(names))
                    for name in group.split(",")
                    if name
                )
                for group in re.findall(r"\(([^)]*)\)", part)
            )

        self.inputs = dimensions(inputs)
        known = set(names)
        self.outputs = dimensions(outputs)
        undefined = [name for name in names if name not in known and not name.isdigit()]
        if undefined:
            raise NameError(f"undefined output symbols: {', '.join(undefined)}")

        #: Numbers of the dimensions that have a size.
        self.fixed = {number: int(name) for name, number in names.items() if name.isdigit()}

    @property
    def core(self):
        return self.inputs + self.outputs


class GUFunc(_Base):
    """A generalised ufunc that @guvectorize made."""

    def __init__(
        self,
        py_func,
        signature,
        identity=None,
        cache=None,
        is_dynamic=False,  # told by whether there are signatures
        targetoptions=None,
        writable_args=(),
    ):
        options = dict(targetoptions or {})
        if cache:
            options["cache"] = cache
        self._arguments = {
            "signature": signature,
            "identity": identity,
            "targetoptions": options,
            "writable_args": writable_args,
        }
        layout = Layout(signature)
        code = py_func.__code__
        if code.co_argcount != len(layout.core) or not _is_fixed(py_func):
            raise TypeError(
                f"the layout {signature!r} has {len(layout.core)} operands, but "
                f"{py_func.__name__}() takes {code.co_argcount} arguments"
            )
        names = code.co_varnames[: len(layout.inputs)]
        writable = []
        for each in writable_args:
            if isinstance(each, str) and each not in names:
                raise ValueError(f"writable_args: {each!r} is no input of {py_func.__name__}()")
            writable.append(names.index(each) if isinstance(each, str) else each)
        self._parsed = layout
        super().__init__(
            py_func,
            options,
            identity,
            len(layout.inputs),
            len(layout.outputs),
            layout.text,
            tuple(writable),
        )

    @property
    def signature(self):
        return self._parsed.text

    @frameless
    def add(self, fty):
        """Adds a loop for the types of all operands: `(float64[:], float64[:])`."""
        arguments, result = normalize_signature(fty)
        if result not in (None, types.none):
            raise TypeError("gufunc kernel must have void return type")
        core, nin = self._parsed.core, self.nin
        if len(arguments) != len(core):
            raise TypeError(
                f"Signature mismatch: {len(arguments)} argument types given, but the layout "
                f"{self.signature} has {len(core)} operands"
            )
        for number, (type_, dimensions) in enumerate(zip(arguments, core, strict=True), 1):
            is_array = isinstance(type_, types.Array)
            if dimensions and not is_array:
                raise TypeError(f"scalar type {type_} given for non scalar argument #{number}")
            if is_array and type_.ndim != (len(dimensions) or 1):
                raise TypeError(f"type and shape signature mismatch for arg #{number}")
            if number > nin and not is_array:
                raise TypeError(
                    f"scalar type {type_} given for output #{number}: it must be an array that "
                    f"the function can write to, {type_}[:]"
                )
        self._add(arguments, any_strides=True)

    def _add(self, arguments, any_strides=False):
        for type_ in arguments:
            _scalar(type_)
        kernel, types_, core = self._dispatcher, tuple(arguments), self._parsed.core

        def compile(pattern):
            return _compiled(kernel, generalised_loop(kernel, types_, core, pattern == 0))

        self._add_loop(types_, core, compile, True, any_strides)

    @frameless
    def _prepare(self, *args):
        if self._explicit:
            return args
        if len(args) < self.nargs:
            name = self.__name__
            raise TypeError(
                f"Too few arguments for function '{name}'. Note that the pattern "
                "`out = gufunc(Arg1, Arg2, ..., ArgN)` is not allowed. Use "
                "`gufunc(Arg1, Arg2, ..., ArgN, out) instead."
            )
        dtypes = [_dtype_of(value) for value in args[: self.nargs]]
        if any(dtype is None for dtype in dtypes):  # a dtype equals None if it is float64
            return args
        if tuple(dtype.num for dtype in dtypes[: self.nin]) not in self._loops:
            arguments = []
            for k, (dtype, dimensions) in enumerate(zip(dtypes, self._parsed.core, strict=True)):
                type_ = types.from_dtype(dtype)
                if dimensions or k >= self.nin:
                    type_ = types.Array(type_, len(dimensions) or 1, "A")
                arguments.append(type_)
            self._add(tuple(arguments))
        nin = self.nin
        return (*(a if hasattr(a, "dtype") else np.asarray(a) for a in args[:nin]), *args[nin:])

    def _in_compiled_code(self):
        signatures = ()
        if self._explicit:
            signatures = tuple(
                tuple(_scalar(type_) for type_ in types_) for types_, _ in self._loops.values()
            )
            arrays = [
                isinstance(type_, types.Array) for type_ in next(iter(self._loops.values()))[0]
            ]
        else:
            arrays = [bool(each) or k >= self.nin for k, each in enumerate(self._parsed.core)]
        return generalised(
            self._dispatcher,
            self.__name__,
            self._parsed.core,
            self._parsed.fixed,
            self.nin,
            arrays,
            signatures,
        )

    def _signatures(self):
        return [types_ for types_, _ in self._loops.values()]
