"""@vectorize and @guvectorize with target='cuda': a thread for each element, or each inner call.

The kernels are written as text, since their number of parameters differs, around the user's
function as a device function.
"""

from __future__ import annotations

import functools

import numpy as np

from numjit import _core, njit
from numjit.cuda import kernel_names
from numjit.functions import FunctionLike
from numjit.pickling import reduce_made
from numjit.signatures import normalize_signature
from numjit.types.rows import handle_of
from numjit.types.wrap import wrap

from .api import device_array, to_device
from .cudadrv.devicearray import DeviceNDArray, as_cuda_array, is_cuda_array
from .decorators import jit
from .reduction import Reduce

_THREADS = 256


def _numpy(type_):
    return np.dtype(str(getattr(type_, "dtype", type_)))


def _made(text, **names):
    """The function that a text defines, as a kernel."""
    namespace = {"cuda": kernel_names, **names}
    exec(compile(text, "<numjit.cuda.ufuncs>", "exec"), namespace)
    return jit(namespace["kernel"])


def _inferred(function, arguments):
    """The type of the result where a signature does not say it."""
    return wrap(_core.infer(njit(function), [handle_of(each) for each in arguments]))


#: Of Python's numbers: the dtype that they are, and kinds of others that take them without loss.
_WEAK = {
    int: (np.dtype(np.int64), "iufc"),
    float: (np.dtype(float), "fc"),
    complex: (np.dtype(complex), "c"),
}


def _dtype_of(value):
    """The dtype that chooses the loop; of Python's numbers, their class."""
    if is_cuda_array(value):
        return as_cuda_array(value).dtype
    return type(value) if type(value) in _WEAK else np.asarray(value).dtype


def _is(have, want):
    return (_WEAK[have][0] if isinstance(have, type) else have) == want


def _fits(have, want):
    return want.kind in _WEAK[have][1] if isinstance(have, type) else np.can_cast(have, want)


def _loop_for(dtypes, loops):
    """The number of the loop whose inputs are what is given, or else of the first one that it can
    be cast to safely; None if there is none."""
    for suits in (_is, _fits):
        for number, inputs in enumerate(loops):
            if all(suits(have, want) for have, want in zip(dtypes, inputs)):
                return number
    return None


def _launch(kernel, count, stream, arguments):
    blocks = min((count + _THREADS - 1) // _THREADS, 1 << 16)
    kernel.launch_quietly((blocks, _THREADS, stream), *arguments)


def _device(value, stream, dtype=None):
    """An operand on the device; a scalar as an array of no dimensions."""
    if is_cuda_array(value):
        array = as_cuda_array(value)
        return array if dtype is None or array.dtype == dtype else _cast(array, dtype, stream)
    array = np.asarray(value, dtype)
    if array.ndim and not (array.flags.c_contiguous or array.flags.f_contiguous):
        array = np.ascontiguousarray(array)
    return to_device(array, stream=stream)


def _cast(array, dtype, stream):
    return to_device(array.copy_to_host(stream=stream).astype(dtype), stream=stream)


def _spread(array, shape):
    """A view of an array with the shape of a result: repeated axes have a stride of 0."""
    strides = [0] * (len(shape) - array.ndim)
    for n, step, wanted in zip(array.shape, array.strides, shape[len(strides) :]):
        strides.append(0 if n == 1 and wanted != 1 else step)
    return DeviceNDArray(shape, tuple(strides), array.dtype, array.stream, array.gpu_data)


def _result(out, any_device, stream):
    if any_device:
        return out
    host = out.copy_to_host(stream=stream)
    if stream:
        stream.synchronize()
    return host if host.ndim else host[()]


class _Pickled(FunctionLike):
    """What a decorator made; it pickles as its function does, with the decorator's arguments."""

    def _pickled_with(self):
        return []

    def __reduce__(self):
        return reduce_made(self, type(self), *self._made_with)


class CUDAUFunc(_Pickled):
    """A ufunc whose loops run on the device."""

    def __init__(self, function, signatures, identity=None):
        self._made_with = list(signatures), identity
        if not signatures:
            raise TypeError(
                "@vectorize with target='cuda' needs signatures: write "
                "@vectorize(['float64(float64)'], target='cuda')"
            )
        functools.update_wrapper(self, function)
        self.py_func, self.identity = function, identity
        self._device = jit(function, device=True)
        self._loops = []
        for signature in signatures:
            arguments, result = normalize_signature(signature)
            if result is None:
                result = _inferred(function, arguments)
            self._loops.append((tuple(_numpy(each) for each in arguments), _numpy(result)))
        self.nin, self.nout = len(self._loops[0][0]), 1
        self.max_blocksize = _THREADS

    @property
    def types(self):
        return [
            "".join(each.char for each in inputs) + "->" + result.char
            for inputs, result in self._loops
        ]

    def _loop(self, dtypes):
        number = _loop_for(dtypes, [inputs for inputs, _ in self._loops])
        if number is None:
            raise TypeError(
                f"No matching signature found for {self.__name__} and operands of types "
                + ", ".join(getattr(each, "__name__", str(each)) for each in dtypes)
            )
        return self._loops[number]

    @functools.cache  # noqa: B019 (ufuncs live as long as their module)
    def _kernel(self, ndim):
        inputs = [f"a{i}" for i in range(self.nin)]
        lines = [f"def kernel({', '.join(inputs)}, out):", "    i = cuda.grid(1)"]
        lines += ["    step = cuda.gridsize(1)", "    while i < out.size:"]
        index = "i"
        if ndim > 1:
            lines.append("        rest = i")
            for axis in reversed(range(ndim)):
                lines.append(f"        i{axis} = rest % out.shape[{axis}]")
                lines.append(f"        rest = rest // out.shape[{axis}]")
            index = ", ".join(f"i{axis}" for axis in range(ndim))
        call = ", ".join(f"{each}[{index}]" for each in inputs)
        lines += [f"        out[{index}] = function({call})", "        i += step"]
        return _made("\n".join(lines), function=self._device)

    def __call__(self, *args, out=None, stream=0):
        if len(args) == self.nin + 1 and out is None:
            *args, out = args
        if len(args) != self.nin:
            raise TypeError(f"{self.__name__}() takes {self.nin} arguments, got {len(args)}")
        any_device = any(map(is_cuda_array, args))
        dtypes = [_dtype_of(each) for each in args]
        inputs, dtype = self._loop(dtypes)
        operands = [_device(each, stream, want) for each, want in zip(args, inputs)]
        shape = np.broadcast_shapes(*(each.shape for each in operands))
        target = as_cuda_array(out) if out is not None and is_cuda_array(out) else None
        if target is None:
            target = device_array(shape, dtype, stream=stream)
        elif target.shape != shape:
            raise ValueError(f"out has shape {target.shape}, the result has shape {shape}")
        if target.size:
            flat = target._c_contiguous and all(
                each.shape == shape and each._c_contiguous for each in operands
            )
            if flat or not shape:
                arrays = [each.reshape(-1) for each in (*operands, target)]
            else:
                arrays = [*(_spread(each, shape) for each in operands), target]
            _launch(self._kernel(1 if flat else max(1, len(shape))), target.size, stream, arrays)
        if out is not None and not is_cuda_array(out):
            target.copy_to_host(out, stream=stream)
            return out
        return _result(target, any_device or out is not None, stream)

    def reduce(self, arg, stream=0):
        """The elements of a vector, combined from the first to the last in any order."""
        if self.nin != 2:
            raise TypeError("gufunc must be a binary ufunc")
        if arg.ndim != 1:
            raise TypeError("must have at least 1 dimension")
        if arg.shape[0] == 1:
            return arg[0]
        if not hasattr(self, "_reduce"):
            self._reduce = Reduce(self.py_func)
        return self._reduce(arg[1:], init=arg[0], stream=stream)

    def __repr__(self):
        return f"<CUDAUFunc {self.__name__}>"


class CUDAGUFunc(_Pickled):
    """A generalised ufunc: a thread for each call of the user's function."""

    def __init__(self, function, signatures, layout):
        self._made_with = list(signatures), layout
        functools.update_wrapper(self, function)
        self.py_func, self.signature = function, layout
        left, _, right = layout.replace(" ", "").partition("->")
        self._inputs, self._outputs = _layouts(left), _layouts(right)
        self.nin, self.nout = len(self._inputs), len(self._outputs)
        self._device = jit(function, device=True)
        self._loops = []
        for signature in signatures:
            arguments, result = normalize_signature(signature)
            if result is not None and str(result) not in ("none", "void"):
                raise TypeError(
                    "guvectorized functions cannot return values: signature "
                    f"{signature} specifies {result} return type"
                )
            self._loops.append(tuple(_numpy(each) for each in arguments))
        if not self._loops:
            raise TypeError("@guvectorize with target='cuda' needs signatures")
        self._kernel = self._make_kernel([hasattr(each, "ndim") for each in arguments])

    def _check_count(self, count, out):
        every = self.nin + self.nout
        if count not in (self.nin, every):
            ending = "" if count == 1 else "s"
            raise TypeError(
                f"gufunc accepts {self.nin} positional arguments (when only inputs are given) or "
                f"{every} positional arguments (when both inputs and outputs are given). "
                f"Got {count} positional argument{ending}."
            )
        if count == every and out is not None:
            raise ValueError("cannot specify argument 'out' as both positional and keyword")

    def _loop_of(self, args):
        """The dtypes of the loop for arguments; NumPy's numbers of the host are cast where none
        takes them as they are."""
        dtypes = [_dtype_of(each) for each in args]
        number = _loop_for(dtypes, self._loops)
        if number is None:
            dtypes = [
                type(each.item()) if isinstance(each, np.number) else dtype
                for each, dtype in zip(args, dtypes)
            ]
            number = _loop_for(dtypes, self._loops)
        if number is None:
            raise TypeError(f"No matching signature found for {self.__name__}")
        return self._loops[number]

    def _make_kernel(self, takes_array):
        """The kernel; `takes_array` says of each argument whether the function has it as an array,
        also where the layout has a scalar."""
        names = [f"a{i}" for i in range(self.nin + self.nout)]
        parts = []
        for name, dims, is_output in [
            *((n, d, False) for n, d in zip(names, self._inputs)),
            *((n, d, True) for n, d in zip(names[self.nin :], self._outputs)),
        ]:
            at = "i" if is_output else f"i % {name}.shape[0]"
            if not dims and (is_output or takes_array[len(parts)]):
                parts.append(f"{name}[{at}:{at} + 1]")
            else:
                parts.append(f"{name}[{at}]")
        text = [
            f"def kernel({', '.join(names)}, count):",
            "    i = cuda.grid(1)",
            "    step = cuda.gridsize(1)",
            "    while i < count:",
            f"        function({', '.join(parts)})",
            "        i += step",
        ]
        return _made("\n".join(text), function=self._device)

    def __call__(self, *args, out=None, stream=0):
        self._check_count(len(args), out)
        given = list(args[self.nin :])
        if out is not None:
            given = list(out) if isinstance(out, tuple) else [out]
        args = args[: self.nin]
        any_device = any(map(is_cuda_array, args))
        loop = self._loop_of(args)
        operands = [_device(each, stream, want) for each, want in zip(args, loop)]
        extents, outer = {}, []
        for array, dims in zip(operands, self._inputs):
            if array.ndim < len(dims):
                raise ValueError(f"{self.__name__}: an operand has too few dimensions")
            cut = array.ndim - len(dims)
            outer.append(array.shape[:cut])
            for name, n in zip(dims, array.shape[cut:]):
                if extents.setdefault(name, n) != n:
                    raise ValueError(
                        f"{self.__name__}: dimension {name} is {extents[name]} and {n}"
                    )
        loop_shape = np.broadcast_shapes(*outer)
        count = int(np.prod(loop_shape))
        arrays = []
        for array, dims, own in zip(operands, self._inputs, outer):
            core = array.shape[len(own) :]
            if own != loop_shape and int(np.prod(own)) != 1:
                host = np.broadcast_to(array.copy_to_host(stream=stream), loop_shape + core)
                array = to_device(np.ascontiguousarray(host), stream=stream)
            if not array._c_contiguous:
                array = to_device(np.ascontiguousarray(array.copy_to_host()), stream=stream)
            arrays.append(array.reshape(-1, *core) if core else array.reshape(-1))
        results = []
        for i, dims in enumerate(self._outputs):
            core = tuple(extents[name] for name in dims)
            dtype = loop[self.nin + i]
            if i < len(given) and is_cuda_array(given[i]):
                result = as_cuda_array(given[i])
            else:
                result = device_array(loop_shape + core, dtype, stream=stream)
                if i < len(given):
                    result.copy_to_device(np.asarray(given[i], dtype), stream=stream)
            results.append(result)
            arrays.append(result.reshape(-1, *core) if core else result.reshape(-1))
        if count:
            _launch(self._kernel, count, stream, (*arrays, count))
        final = []
        for i, result in enumerate(results):
            if i < len(given) and result is not given[i] and not is_cuda_array(given[i]):
                if given[i].ndim < result.ndim:  # a scalar operand was an array of one element
                    result = _without_ones(result, given[i].shape)
                result.copy_to_host(given[i], stream=stream)
                final.append(given[i])
            else:
                final.append(_result(result, any_device or i < len(given), stream))
        return final[0] if len(final) == 1 else tuple(final)

    def __repr__(self):
        return f"<CUDAGUFunc {self.__name__}>"


def _without_ones(array, shape):
    """The array in a shape that has fewer leading axes of one element, if it has that shape."""
    ones = array.ndim - len(shape)
    return array.reshape(shape) if array.shape == (1,) * ones + tuple(shape) else array


def _layouts(text):
    """[("m", "n"), ()] of "(m,n),()"."""
    return [
        tuple(name for name in part.strip("()").split(",") if name)
        for part in text.replace("),(", ")|(").split("|")
    ]
