"""pycuda.elementwise: ElementwiseKernel."""

from __future__ import annotations

from numjit.cupy.elementwise import _marked
from numjit.cupy.text_arguments import Arguments
from numjit.cupy.text_compiler import compiled
from numjit.cupy.text_kernels import LoadedModule, check_device

from .cparse import added, head, parsed

_TEXT = """\
{head}
{preamble}
extern "C" __global__ void numjit_{name}({declared}, long long _start, long long _stop,
                                         long long _step) {{
  const long long n = _stop;
  {loop_prep};
  for (long long i = _start + (blockIdx.x * (long long)blockDim.x + threadIdx.x) * _step; i < _stop;
       i += (long long)gridDim.x * blockDim.x * _step) {{
    {operation};
  }}
  {after_loop};
}}
"""


class ElementwiseKernel:
    """A line of C for each i: ElementwiseKernel("float *z, float *x", "z[i] = 2*x[i]")."""

    def __init__(
        self, arguments, operation, name="kernel", keep=False, options=(), preamble="",
        loop_prep="", after_loop="",
    ):  # fmt: skip
        self.arguments, self.options, self.name = parsed(arguments), tuple(options or ()), name
        declared = ", ".join(map(str, self.arguments))
        self.text = _TEXT.format(
            head=head(declared + operation + preamble), preamble=_marked(preamble, "preamble"),
            name=name, declared=declared, loop_prep=_marked(loop_prep, "loop_prep"),
            operation=_marked(operation, "operation"), after_loop=after_loop,
        )  # fmt: skip
        self._function = None

    def __call__(self, *args, range=None, slice=None, stream=None):
        check_device()
        if len(args) != len(self.arguments):
            raise TypeError(f"{self.name} takes {len(self.arguments)} arguments, got {len(args)}")
        vectors = [v for each, v in zip(self.arguments, args) if each.is_vector]
        if self._function is None:
            image, _ = compiled(self.text, (*self.options, "-w"))
            self._function = LoadedModule(image).function(f"numjit_{self.name}")
        arguments = Arguments()
        added(arguments, self.arguments, args)
        size = vectors[0].size if vectors else 0
        bounds = (slice or _all).indices(size)
        if range is not None:
            bounds = range.start or 0, range.stop, range.step or 1
        if bounds[2] < 0:  # the same elements, counted upwards
            first, stop, step = bounds
            count = max(0, (first - stop - step - 1) // -step)
            bounds = first + (count - 1) * step, first + 1, -step
        for number in bounds:
            arguments.add(int(number))
        count = max(0, -(-(bounds[1] - bounds[0]) // bounds[2]))
        if count:
            self._function.launch(
                (min(-(-count // 256), 1 << 16),), (256,), arguments, 0,
                stream,
            )  # fmt: skip


_all = slice(None)
