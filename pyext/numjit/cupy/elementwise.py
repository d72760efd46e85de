"""ElementwiseKernel: a line of C++ for each element."""

from __future__ import annotations

import functools
import math
import operator

import numpy as np

from numjit import _core
from numjit.cuda.cudadrv.devices import get_context
from numjit.cuda.cudadrv.driver import get_driver

from .creation import empty
from .evaluate import _join_axes, _spread
from .ndarrays import ndarray
from .parameters import bound, checked_name, dtype_of, parsed, taken
from .text_arguments import Arguments, c_name, includes
from .text_compiler import compiled
from .text_kernels import LoadedModule, LoadedOnce, MadeAgain, check_device
from .texture import SurfaceObject, TextureObject

_THREADS = 128
_MOST_BLOCKS = 1 << 16


@functools.lru_cache(1024)
def _parsed(text, const):
    return parsed(text, const)


def _as_number(value):
    """A texture or surface as its handle, which is what C++ takes; all else as it is."""
    return np.uint64(value.ptr) if isinstance(value, (TextureObject, SurfaceObject)) else value


class ElementwiseKernel(MadeAgain):
    """A kernel over the elements of arrays that are broadcast together."""

    def __init__(
        self,
        in_params,
        out_params,
        operation,
        name="kernel",
        reduce_dims=True,
        preamble="",
        no_return=False,
        return_tuple=False,
        loop_prep="",
        after_loop="",
        options=(),
        doc=None,
        **ignored,
    ):
        self.in_params = _parsed(in_params, True)
        self.out_params = _parsed(out_params, False)
        self.params = self.in_params + self.out_params
        names = [each.name for each in self.params]
        if len(set(names)) != len(names):
            raise ValueError("a parameter has the name of another one")
        self.nin, self.nout = len(self.in_params), len(self.out_params)
        self.nargs = self.nin + self.nout
        self.operation, self.name = operation, checked_name(name)
        self.reduce_dims = reduce_dims
        self.preamble, self.no_return, self.return_tuple = preamble, no_return, return_tuple
        self.loop_prep, self.after_loop, self.options = loop_prep, after_loop, tuple(options)
        self._kernels, self._plans = LoadedOnce(), _core.TextPlans()
        if doc:
            self.__doc__ = doc

    def __call__(self, *args, size=None, block_size=_THREADS, stream=None, out=None):
        if out is None:
            found = self._plans.run(args, (block_size, -1 if size is None else size), stream)
            if found is not None:
                return self._returned(found, args)
        return self._call(args, size, block_size, stream, out)

    def _returned(self, found, args):
        """What a call returns of what a plan made, or what the driver reported."""
        if type(found) is int:
            get_driver().fail("cuLaunchKernel", found)
        if self.no_return:
            return None
        found = found or args[self.nin :]
        return found[0] if self.nout == 1 and not self.return_tuple else tuple(found)

    def _note(self, args, values, dtypes, launch, size, fresh):
        """Keeps what a launch needed, for calls with arguments of the same dtypes and layouts."""
        kernel, blocks, threads, arguments, shape = launch
        numbers, written = [], 0
        for i, (given, used) in enumerate(zip(args, values)):
            if type(used) is not ndarray:
                numbers.append((i, arguments.places[i], dtypes[i].num))
            elif given is not used:
                return  # a copy was made of it
            elif not self.params[i].const:
                written |= 1 << i
        made = [(shape, dtype) for dtype in dtypes[self.nin :]] if fresh else []
        launches = [(kernel.ptr, blocks, threads, *arguments.planned())]
        more = threads, -1 if size is None else size
        self._plans.add(tuple(args), more, launches, numbers, made, len(made), written)

    def _call(self, args, size, block_size, stream, out):
        values, outs = args[: self.nin], list(args[self.nin :])
        if out is not None:
            outs = list(out) if isinstance(out, tuple) else [out]
        if len(values) != self.nin or len(outs) not in (0, self.nout):
            raise TypeError(
                f"Wrong number of arguments for {self.name!r}. It must be either {self.nin} or "
                f"{self.nargs} (with outputs), but given {len(args)}."
            )
        handles = tuple(map(_as_number, values))
        has_textures = not all(map(operator.is_, handles, values))
        values = handles
        types = bound(self.out_params, outs, {}) if outs else {}
        types = bound(self.in_params, values, types)
        dtypes = [dtype_of(each, types) for each in self.params]
        values = [taken(*each) for each in zip(self.in_params, values, dtypes)]
        shape = self._shape(values, outs, size)
        if not outs:
            if size is None and any(each.raw for each in self.out_params):
                raise ValueError("Output array size is Undecided")
            outs = [empty(shape, dtype) for dtype in dtypes[self.nin :]]
        else:
            outs = [taken(*each) for each in zip(self.out_params, outs, dtypes[self.nin :])]
        check_device()
        if math.prod(shape):
            launch = self._launch([*values, *outs], dtypes, shape, types, block_size, stream)
            if out is None and not has_textures:
                used = [*values, *outs][: len(args)]
                self._note(args, used, dtypes, launch, size, len(args) == self.nin)
        if self.no_return:
            return None
        return outs[0] if self.nout == 1 and not self.return_tuple else tuple(outs)

    def _shape(self, values, outs, size):
        given = [
            value.shape
            for parameter, value in zip(self.params, [*values, *outs])
            if not parameter.raw and isinstance(value, ndarray)
        ]
        if size is not None:
            if given:
                raise ValueError(
                    "Specified 'size' can be used only if all of the ndarray are 'raw'"
                )
            return (size,)
        if not given and any(each.raw for each in self.params):
            raise ValueError("Loop size is undecided. Give an array that is not raw, or size=")
        shape = np.broadcast_shapes(*given)
        for parameter, value in zip(self.out_params, outs):
            if not parameter.raw and value.shape != shape:
                raise ValueError(f"Out shape is mismatched: {value.shape}, not {shape}")
        return shape

    def _launch(self, values, dtypes, shape, types, threads, stream):
        devices, forms = [], []
        looped = [
            i for i, value in enumerate(values)
            if isinstance(value, ndarray) and not self.params[i].raw
        ]  # fmt: skip
        arrays = {
            i: value._force() if self.params[i].const else value._for_writing()
            for i, value in enumerate(values) if isinstance(value, ndarray)
        }  # fmt: skip
        views = _looped([arrays[i] for i in looped], shape, self.reduce_dims)
        for i, view in zip(looped, views):
            arrays[i] = view
        for i, value in enumerate(values):
            found = arrays.get(i)
            devices.append(value if found is None else found)
            forms.append(None if found is None else (found.ndim, bool(found._c_contiguous)))
        kernel = self._kernel(tuple(dtypes), tuple(forms), tuple(sorted(types.items())))
        arguments = Arguments()
        for value, form in zip(devices, forms):
            if form is None:
                arguments.add(value)
            else:
                arguments.add_array(value)
        count = math.prod(shape)
        arguments.add(count)
        blocks = min((count + threads - 1) // threads, _MOST_BLOCKS)
        kernel.launch((blocks,), (threads,), arguments, 0, stream)
        return kernel, blocks, threads, arguments, shape

    def _kernel(self, dtypes, forms, types):
        def load():
            image, _ = compiled(self.text(dtypes, forms, types), (*self.options, "-w"))
            return LoadedModule(image).function(f"numjit_{self.name}")

        return self._kernels.get((get_context(), dtypes, forms, types), load)

    def text(self, dtypes, forms, types):
        """The C++ for dtypes, and (axes, whether it is contiguous) of each array."""
        declared, lines = [], []
        for parameter, dtype, form in zip(self.params, dtypes, forms):
            kind, name = c_name(dtype), parameter.name
            if form is None:
                declared.append(f"const {kind} {name}")
                continue
            const = "const " if parameter.const else ""
            view = f"_numjit_array<{const}{kind}, {form[0]}, {str(form[1]).lower()}>"
            declared.append(f"{view} {name if parameter.raw else '_raw_' + name}")
            if not parameter.raw:
                reference = "" if parameter.const else "&"
                lines.append(f"{const}{kind} {reference}{name} = _raw_{name}[i];")
        letters = "".join(f"typedef {c_name(dtype)} {letter};\n" for letter, dtype in types)
        return (
            f"{includes(dtypes)}{letters}{_marked(self.preamble, 'preamble')}\n"
            'extern "C" __global__ '
            f"void numjit_{self.name}({', '.join(declared)}, long long n) {{\n"
            f"_numjit_range _ind = {{n}};\n"
            f"{_marked(self.loop_prep, 'loop_prep')};\n"
            "for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n;\n"
            "     i += (long long)gridDim.x * blockDim.x) {\n"
            f"{chr(10).join(lines)}\n{_marked(self.operation, 'operation')};\n}}\n"
            f"{_marked(self.after_loop, 'after_loop')};\n}}\n"
        )


def _marked(text, name):
    """Text of the program, so that messages of the compiler have its lines."""
    return f'\n#line 1 "{name}"\n{text}\n#line 1 "generated"\n' if text else ""


def _looped(arrays, shape, join):
    """Views of arrays in a loop over a shape."""
    for flag in ("_c_contiguous", "_f_contiguous"):
        if join and all(each.shape == shape and getattr(each, flag) for each in arrays):
            item = [each.dtype.itemsize for each in arrays]
            return [
                each._at(each._pointer, (each.size,), (step,), each.dtype)
                for each, step in zip(arrays, item)
            ]
    strides = [_spread(each, shape) for each in arrays]
    extents = tuple(shape)
    if join:
        extents, strides = _join_axes(shape, strides)
    return [
        each._at(each._pointer, extents, tuple(steps), each.dtype)
        for each, steps in zip(arrays, strides)
    ]
