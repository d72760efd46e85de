"""ReductionKernel: lines of C++ that map elements, combine two, and make a result."""

from __future__ import annotations

import math

import numpy as np

from numjit import _core
from numjit.cuda.cudadrv import devices
from numjit.cuda.cudadrv.driver import get_driver

from .creation import empty
from .elementwise import _marked, _parsed
from .evaluate import new_array
from .manipulation import broadcast_to
from .ndarrays import ndarray
from .parameters import bound, checked_name, dtype_of, taken
from .reductions import axes_of, reduced_shape
from .text_arguments import Arguments, c_name, includes
from .text_compiler import compiled
from .text_kernels import LoadedModule, LoadedOnce, MadeAgain, check_device

_THREADS = 256

_TEXT = """\
{head}
{preamble}
typedef {reduce_type} _type_reduce;
#define _numjit_combine(a, b) ({reduce})
extern "C" __global__ void numjit_{name}({declared}, _type_reduce *_partial, long long _results,
                                  long long _count, long long _parts) {{
  __shared__ __align__(16) char _memory[sizeof(_type_reduce) * {threads}];
  _type_reduce *_shared = reinterpret_cast<_type_reduce *>(_memory);
  const long long _k = blockIdx.x / _parts;
  const long long _first = blockIdx.x % _parts * {threads} + threadIdx.x;
  _numjit_range _ind = {{_results * _count}};
  bool _any = false;
  _type_reduce _s{start};
  for (long long _r = _first; _r < _count; _r += _parts * {threads}) {{
    const long long i = _k * _count + _r, _j = _r, _J = _r;
    {loads}
    _type_reduce _value = {map};
    {combine}
    _any = true;
  }}
  _shared[threadIdx.x] = _s;
  __shared__ bool _full[{threads}];
  _full[threadIdx.x] = _any || {identity};
  __syncthreads();
  for (int _half = {threads} / 2; _half > 0; _half /= 2) {{
    if (threadIdx.x < _half && _full[threadIdx.x + _half]) {{
      _type_reduce b = _shared[threadIdx.x + _half], a = _shared[threadIdx.x];
      _shared[threadIdx.x] = _full[threadIdx.x] ? _numjit_combine(a, b) : b;
      _full[threadIdx.x] = true;
    }}
    __syncthreads();
  }}
  if (threadIdx.x == 0) {{
    if (_partial) {{
      _partial[blockIdx.x] = _shared[0];
    }} else {{
      const long long i = _k;
      _type_reduce a = _shared[0];
      {outputs}
      {post};
    }}
  }}
}}
"""


class ReductionKernel(MadeAgain):
    """A reduction along axes."""

    def __init__(
        self,
        in_params,
        out_params,
        map_expr,
        reduce_expr,
        post_map_expr,
        identity,
        name="reduce_kernel",
        reduce_type=None,
        reduce_dims=True,
        preamble="",
        options=(),
    ):
        self.in_params = _parsed(in_params, True)
        self.out_params = _parsed(out_params, False)
        self.params = self.in_params + self.out_params
        self.nin, self.nout = len(self.in_params), len(self.out_params)
        self.nargs = self.nin + self.nout
        self.map_expr, self.reduce_expr = map_expr, reduce_expr
        self.post_map_expr, self.name = post_map_expr, checked_name(name)
        self.identity = None if identity is None or identity == "" else str(identity)
        self.reduce_type, self.preamble, self.options = reduce_type, preamble, tuple(options)
        self._kernels, self._plans = LoadedOnce(), _core.TextPlans()

    def __call__(self, *args, out=None, axis=None, keepdims=False, stream=None):
        more = None
        if out is None and len(args) == self.nin:
            more = _words(axis, keepdims)
            found = self._plans.run(args, more, stream) if more else None
            if type(found) is int:
                get_driver().fail("cuLaunchKernel", found)
            if found is not None:
                return found[0] if self.nout == 1 else found
        return self._call(args, out, axis, keepdims, stream, more)

    def _call(self, args, out, axis, keepdims, stream, more):
        values, outs = args[: self.nin], list(args[self.nin :])
        if out is not None:
            if outs:
                raise ValueError("cannot specify 'out' as both a positional and keyword argument")
            outs = list(out) if isinstance(out, tuple) else [out]
        if len(values) != self.nin or len(outs) not in (0, self.nout):
            raise TypeError(f"Wrong number of arguments for {self.name!r}: {len(args)}")
        types = bound(self.out_params, outs, {}) if outs else {}
        types = bound(self.in_params, values, types)
        dtypes = [dtype_of(each, types) for each in self.params]
        values = [taken(*each) for each in zip(self.in_params, values, dtypes)]
        arrays = [
            value for parameter, value in zip(self.in_params, values)
            if isinstance(value, ndarray) and not parameter.raw
        ]  # fmt: skip
        shape = np.broadcast_shapes(*(each.shape for each in arrays))
        axes = axes_of(axis, len(shape))
        result = reduced_shape(shape, axes, keepdims)
        if not outs:
            outs = [empty(result, dtype) for dtype in dtypes[self.nin :]]
        for each in outs:
            if each.shape != result:
                raise ValueError(f"Out shape is mismatched: {each.shape}, not {result}")
        if not math.prod(shape[axis] for axis in axes) and self.identity is None:
            raise ValueError("zero-size array to reduction operation "
                             f"{self.name} which has no identity")  # fmt: skip
        check_device()
        if math.prod(result):
            plan = self._launch(values, outs, dtypes, shape, axes, types, stream)
            if more and all(
                type(one) is ndarray and one is other for one, other in zip(args, values)
            ):
                launches, between = plan
                made = [(result, dtype) for dtype in dtypes[self.nin :]]
                made += [] if between is None else [between]
                self._plans.add(args, more, launches, [], made, self.nout, 0)
        return outs[0] if self.nout == 1 else tuple(outs)

    def _launch(self, values, outs, dtypes, shape, axes, types, stream):
        order = [axis for axis in range(len(shape)) if axis not in axes] + list(axes)
        given = []
        for parameter, value in zip(self.in_params, values):
            if isinstance(value, ndarray) and not parameter.raw:
                value = value if value.shape == shape else broadcast_to(value, shape)
                value = value.transpose(order) if order != sorted(order) else value
            given.append(value._force() if isinstance(value, ndarray) else value)
        targets = [each._for_writing() for each in outs]
        results = math.prod(outs[0].shape)
        count = math.prod(shape[axis] for axis in axes)
        parts = min(max(1, (count + 8 * _THREADS - 1) // (8 * _THREADS)), max(1, 1024 // results))
        letters = tuple(sorted(types.items()))
        kernel = self._kernel(tuple(dtypes), _forms([*given, *targets]), letters, False)
        if parts == 1:
            return [self._run(kernel, [*given, *targets], None, results, count, 1, stream)], None
        form = (results * parts * kernel.reduce_size,), np.dtype("u1")
        partial = new_array(*form)
        second = self._kernel(tuple(dtypes), _forms([*given, *targets]), letters, True)
        return [
            self._run(kernel, [*given, *targets], partial, results, count, parts, stream),
            self._run(second, [*given, *targets, partial], None, results, parts, 1, stream),
        ], form

    def _run(self, kernel, values, partial, results, count, parts, stream):
        arguments = Arguments()
        extra = values[len(self.params) :]
        for value in values[: len(self.params)]:
            if hasattr(value, "_pointer"):
                arguments.add_array(value)
            else:
                arguments.add(value)
        for each in extra:
            arguments.add_pointer(each._pointer)
        if partial is not None:
            arguments.add_pointer(partial._pointer)
        else:
            arguments.add_bytes(bytes(8))
        for number in (results, count, parts):
            arguments.add(number)
        kernel.launch((results * parts,), (_THREADS,), arguments, 0, stream)
        return kernel.ptr, results * parts, _THREADS, *arguments.planned()

    def _kernel(self, dtypes, forms, types, of_parts):
        def load():
            image, _ = compiled(self.text(dtypes, forms, types, of_parts), (*self.options, "-w"))
            found = LoadedModule(image).function(f"numjit_{self.name}")
            # Dynamic memory is not used: what the kernel shares is its states and a flag each.
            found.reduce_size = found.attribute("shared_size_bytes") // _THREADS
            return found

        return self._kernels.get((devices.get_context(), dtypes, forms, types, of_parts), load)

    def text(self, dtypes, forms, types, of_parts):
        """The C++ for dtypes and forms of the arguments; `of_parts` combines states."""
        declared, loads, outputs = [], [], []
        for number, (parameter, dtype, form) in enumerate(zip(self.params, dtypes, forms)):
            kind, name, out = c_name(dtype), parameter.name, number >= self.nin
            if form is None:
                declared.append(f"const {kind} {name}")
                continue
            const = "" if out else "const "
            view = f"_numjit_array<{const}{kind}, {form[0]}, {str(form[1]).lower()}>"
            declared.append(f"{view} {name if parameter.raw else '_raw_' + name}")
            if out:
                outputs.append(f"{kind} &{name} = _raw_{name}[i];")
            elif not parameter.raw:
                loads.append(f"const {kind} {name} = _raw_{name}[i];")
        kind = self.reduce_type or c_name(dtypes[self.nin])
        try:
            kind = c_name(np.dtype(kind))
        except TypeError:
            pass
        if of_parts:
            declared.append("const _type_reduce *_parts_in")
        letters = "".join(f"typedef {c_name(dtype)} {letter};\n" for letter, dtype in types)
        head = includes(dtypes) + letters
        preamble = _marked(self.preamble, "preamble")
        combine = (
            "if (_any) { _type_reduce a = _s, b = _value; _s = _numjit_combine(a, b); } else {"
        )
        combine += " _s = _value; }"
        return _TEXT.format(
            head=head,
            preamble=preamble,
            reduce_type=kind,
            reduce=self.reduce_expr,
            name=self.name,
            declared=", ".join(declared),
            threads=_THREADS,
            start="" if self.identity is None else f" = _type_reduce({self.identity})",
            identity="false" if self.identity is None else "true",
            loads=" ".join([] if of_parts else loads),
            map="_parts_in[i]" if of_parts else f"({self.map_expr})",
            combine=combine,
            outputs=" ".join(outputs),
            post=self.post_map_expr,
        )


def _words(axis, keepdims):
    """The axes of a call as integers; None for others."""
    axes = () if axis is None else axis if type(axis) is tuple else (axis,)
    if not all(type(each) is int for each in axes):
        return None
    return (-1 if axis is None else len(axes), bool(keepdims), *axes)


def _forms(values):
    return tuple(
        (value.ndim, bool(value._c_contiguous)) if hasattr(value, "_pointer") else None
        for value in values
    )
