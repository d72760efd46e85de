"""What ufuncs and generalised ufuncs share: loops by dtypes, calls, attributes of numpy.ufunc."""

from __future__ import annotations

import functools
import threading

import numpy as np

from numjit import _core, types
from numjit.decorators import dispatcher_of
from numjit.derived import Derived
from numjit.dispatcher import Dispatcher
from numjit.errors import NumbaNotImplementedError
from numjit.functions import frameless
from numjit.options import check_options, compiler_options
from numjit.pickling import reduce_made

_INT64 = np.dtype(np.int64).num
_IDENTITIES = {None: -1, 0: 0, 1: 1, "reorderable": -2}
_lock = threading.RLock()  # held while a ufunc is put together, never while something is compiled


def _is_fixed(function) -> bool:
    """Whether a function has no *args, **kwargs and keyword-only parameters."""
    code = function.__code__
    return not code.co_flags & 0x0C and not code.co_kwonlyargcount


def _scalar(type_):
    """The numjit type of elements as a dtype; TypeError if NumPy's loops cannot have it."""
    if isinstance(type_, types.Array):
        type_ = type_.dtype
    if isinstance(type_, types.Record):
        return _core.item_dtype(type_._handle)
    try:
        return np.dtype(str(type_))
    except TypeError:
        raise _not_a_dtype(type_) from None


def _not_a_dtype(type_):
    return NumbaNotImplementedError(f"{type_} cannot be represented as a NumPy dtype")


def _opaque(dtype):
    """Of a record its memory."""
    return np.dtype(f"V{dtype.itemsize}") if dtype.kind == "V" else dtype


def key_of(dtypes):
    """What finds the loop for input dtypes: their numbers, but records are told apart by fields,
    times by units."""
    return tuple(dtype if dtype.kind in "VmM" else dtype.num for dtype in dtypes)


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
        self._dispatcher._inner_loops = []
        self._identity = identity
        self._layout = layout
        self._writable = writable
        self._counts = nin, nout
        self._loops = {}
        self._explicit = False
        self._build()

    def _build(self):
        nin, nout = self._counts
        rows: list = []
        self._of_records = []
        self._of_times = []
        for types_, loop in self._loops.values():
            if self._is_hidden(types_[:nin]):
                continue
            dtypes = tuple(map(_scalar, types_))
            if any(dtype.kind in "mM" for dtype in dtypes):
                row = tuple(_INT64 if dtype.kind in "mM" else dtype.num for dtype in dtypes)
                self._of_times.append((dtypes, self._made(((row, loop),), ())))
            elif any(dtype.kind == "V" for dtype in dtypes):
                row = (*dtypes[:nin], *map(_opaque, dtypes[nin:]))
                self._of_records.append((dtypes, self._made((), ((row, loop),))))
            else:
                rows.append((tuple(dtype.num for dtype in dtypes), loop))
        numbers = (
            key
            for key, (types_, _) in self._loops.items()
            if all(_scalar(type_).kind not in "VmM" for type_ in types_)
        )
        is_open = not self._explicit or bool(self._of_records) or bool(self._of_times)
        self._bind(self._made(tuple(rows), ()), nin, is_open, tuple(numbers))

    def _made(self, rows, of_records):
        """A numpy.ufunc with loops. One with records has that alone: NumPy tells loops apart by
        classes of dtypes, of which all records have the same."""
        name, doc = self.__name__, self.__doc__
        nin, nout = self._counts
        identity = _IDENTITIES[self._identity]
        return _core.make_ufunc(
            name, doc, nin, nout, identity, self._layout, rows, of_records, self._writable
        )

    def _for_records(self, args):
        """The arguments of a call, behind the ufunc with the loop where some are records."""
        if self._of_times:
            args = self._for_times(args)
        if not self._of_records:
            return args
        given = [_dtype_of(value) for value in args[: self.nin]]
        nin = self.nin
        if any(dtype is not None and dtype.kind == "V" for dtype in given):
            best = [
                row
                for row in self._of_records
                if all(a == b for a, b in zip(given, row[0]) if "V" in (b.kind, a and a.kind))
            ]
        elif self.ufunc.types or None in given:
            best = []
        else:  # only results are records
            best = [
                row
                for row in self._of_records
                if all(b.kind != "V" and np.can_cast(a, b) for a, b in zip(given, row[0][:nin]))
            ]
        exact = [row for row in self._of_records if list(row[0][:nin]) == given]
        for dtypes, ufunc in (*exact, *best):
            makes_records = any(each.kind == "V" for each in dtypes[nin:])
            return (self._making(ufunc, dtypes[nin:]) if makes_records else ufunc, *args)
        return args

    def _for_times(self, args):
        """As _for_records, for loops over times: they have the units of the arguments, or finer
        ones. A loop that only makes times takes what can be cast to its inputs."""
        nin = self.nin
        given = [np.asarray(value).dtype for value in args[:nin]]

        def takes(a, b):
            return a.kind == b.kind if "m" in (a.kind.lower(), b.kind.lower()) else True

        for exact in (True, False):
            for dtypes, ufunc in self._of_times:
                pairs = list(zip(given, dtypes[:nin]))
                fits = all(a == b if exact else takes(a, b) and np.can_cast(a, b) for a, b in pairs)
                if fits and len(given) == nin:
                    return (self._on_numbers(ufunc, dtypes), *args)
        return args

    def _on_numbers(self, ufunc, dtypes):
        """A call of a ufunc whose times are int64s to NumPy, for which it has no units."""
        nin = self.nin

        def numbers(value, dtype):
            return np.asarray(value, dtype).view(np.int64) if dtype.kind in "mM" else value

        def times(result, dtype):
            return np.asarray(result).view(dtype)[()] if dtype.kind in "mM" else result

        def call(*args, out=None, **kwargs):
            outputs = args[nin:] or (out if isinstance(out, tuple) else (out,) * self.nout)
            for output, dtype in zip(outputs, dtypes[nin:]):
                if output is not None and dtype.kind in "mM" and output.dtype != dtype:
                    raise TypeError(f"an output has dtype {output.dtype}, not {dtype}")
            inputs = map(numbers, args[:nin], dtypes)
            if all(output is None for output in outputs):
                made = _core.call_checked(ufunc, *inputs, **kwargs)
                results = made if isinstance(made, tuple) else (made,)
                outputs = tuple(map(times, results, dtypes[nin:]))
            else:
                into = tuple(map(numbers, outputs, dtypes[nin:]))
                _core.call_checked(ufunc, *inputs, out=into, **kwargs)
            return outputs[0] if len(outputs) == 1 else outputs

        return call

    def _making(self, ufunc, dtypes):
        """A call of a ufunc whose results are records. To NumPy they are memory, and must be there:
        it would find no loop, or not know which fields they have."""
        nin = self.nin

        def call(*args, out=None, **kwargs):
            outputs = args[nin:] or (out if isinstance(out, tuple) else (out,))
            made = outputs[0] is None
            if made:
                outputs = tuple(map(np.empty, self._shapes_of_outputs(args[:nin]), dtypes))
            for output, dtype in zip(outputs, dtypes, strict=True):
                if output.dtype != dtype:
                    raise TypeError(f"an output has dtype {output.dtype}, not {dtype}")
            memory = [each.view(_opaque(each.dtype)) for each in outputs]
            _core.call_checked(ufunc, *args[:nin], *memory, **kwargs)
            if made:
                outputs = tuple(each if each.ndim else each[()] for each in outputs)
            return outputs[0] if len(outputs) == 1 else outputs

        return call

    def _shapes_of_outputs(self, inputs):
        return [np.broadcast_shapes(*map(np.shape, inputs))] * self.nout

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
        key = key_of(map(_scalar, types_[:nin]))
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
        if known is None or known.kind in "VmM" or not self._need((known, known)):
            return
        result = _scalar(self._loops[(known.num, known.num)][0][-1])
        if dtype is None and len(args) < 2 and self._need((result, result)):
            kwargs["dtype"] = result

    def __repr__(self):
        return f"<numjit.{type(self).__name__} {self.__name__!r}>"

    def __reduce__(self):
        given = type(self), self._arguments, self._signatures(), self._explicit
        return reduce_made(self, _rebuild, *given)

    def _pickled_with(self):
        return list(self._dispatcher._inner_loops)


def _rebuild(function, cls, arguments, signatures, explicit):
    made = cls(function, **arguments)
    for signature in signatures:
        made._add_again(signature, explicit)
    if explicit:
        made.disable_compile()
    return made


def _dtype_of(value):
    """The dtype that a loop must have for an argument; None where numjit has no such type."""
    dtype = getattr(value, "dtype", None)
    if not isinstance(dtype, np.dtype):
        dtype = np.asarray(value).dtype
    if dtype.names is not None:
        return dtype if _core.item(dtype) is not None else None
    dtype = dtype.newbyteorder("=")
    if dtype.kind in "mM":
        return dtype if np.datetime_data(dtype) != ("generic", 1) else None
    if dtype.kind not in "biufc":
        return None
    canonical = np.dtype(dtype.name) if dtype.itemsize <= 16 else dtype
    return canonical if str(canonical) in _NAMES else None


_NAMES = frozenset(
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 "
    "complex64 complex128".split()
)


def _compiled(kernel, loop):
    """The dispatcher of a loop that NumPy calls: void(args, dimensions, steps)."""
    made = dispatcher_of(loop)
    if kernel._caches:
        made.keep_for(kernel)
    made.compile((types.CPointer(types.int64),) * 3)
    kernel._inner_loops.append(made)
    return made


def _codes(pattern, nin):
    """The letters of numjit.ufunc_loop for a pattern of pyext/call/ufuncs.cpp."""
    scalars = 1 << nin if nin <= 4 else 1
    if pattern == scalars:
        return "s" * (nin + 1)
    if pattern == scalars + 1:
        return "asa"
    return "".join("0" if pattern >> k & 1 else "c" for k in range(nin)) + "c"
