"""Kernels on a GPU: numjit.cuda beside numba-cuda and CUDA C++, in one process on one device.

    python tests/bench/cuda_cpp.py              the table
    python tests/bench/cuda_cpp.py sort stencil the kernels whose names contain a word

The C++ is compiled by NVRTC. Times are medians of events, the engines taking turns. Each result is
checked first.
"""

import math
import statistics
import sys
import warnings

import numpy as np
from compare import difference
from gpu_kernel import catalogue

ROUNDS = 21
FILLING = 1 << 29  # bytes of an array that is copied before a run, which takes about 0.25 ms
LAUNCHES_OF_A_FILLING = 10


class Python:
    """The kernels under numjit.cuda, or a module like it."""

    def __init__(self, cuda):
        self.cuda = cuda

    def array(self, host):
        return self.cuda.to_device(host)

    def on_host(self, array):
        return array.copy_to_host()

    def copy(self, source, target):
        target.copy_to_device(source)

    def launcher(self, kernel):
        found = {each.py_func.__name__: each for each in kernel.kernels(self.cuda)}

        def launch(name, grid, block, *arguments, sizes=()):
            found[name][grid, block](*arguments)

        return launch


class Cpp(Python):
    """The same in C++, with numjit's arrays and events."""

    def __init__(self, cuda):
        import numjit.cupy

        super().__init__(cuda)
        self.cp = numjit.cupy

    def array(self, host):
        return self.cp.asarray(host)

    def on_host(self, array):
        return self.cp.asnumpy(array)

    def copy(self, source, target):
        self.cuda.as_cuda_array(target).copy_to_device(self.cuda.as_cuda_array(source))

    def launcher(self, kernel):
        module = self.cp.RawModule(code=kernel.source)
        found = {}

        def launch(name, grid, block, *arguments, sizes=()):
            if name not in found:
                found[name] = module.get_function(name)
            values = (np.int32(each) if type(each) is int else each for each in arguments + sizes)
            found[name](grid, block, tuple(values))

        return launch


class Contender:
    """A kernel with its arrays under one engine."""

    def __init__(self, engine, kernel, problem):
        self.engine, self.problem, self.launches = engine, problem, 0
        self.launch = engine.launcher(kernel)
        self.arrays = {name: engine.array(each) for name, each in problem.arrays.items()}
        self.kept = {name: engine.array(problem.arrays[name]) for name in problem.restored}

    def run(self):
        self.problem.run(self.launch, **self.arrays)

    def mismatch(self, expected):
        """None, or what differs from the expected values after the first run."""
        self.problem.run(self._counted, **self.arrays)
        for name, (some, values) in expected.items():
            got = self.engine.on_host(self.arrays[name])[some]
            if found := difference(got, values, self.problem.tolerance):
                return f"{name}: {found}"
        return None

    def _counted(self, *arguments, sizes=()):
        self.launches += 1
        self.launch(*arguments, sizes=sizes)

    def time(self, fill):
        """Milliseconds of the device. Copies keep it busy while the host makes the launches."""
        cuda = self.engine.cuda
        start, end = cuda.event(), cuda.event()
        for name, kept in self.kept.items():
            self.engine.copy(kept, self.arrays[name])
        for _ in range(1 + self.launches // LAUNCHES_OF_A_FILLING):
            fill()
        start.record()
        self.run()
        end.record()
        end.synchronize()
        return cuda.event_elapsed_time(start, end)


def contenders(engines, name, kernel, problem):
    """{engine: Contender} of those whose results are right, and what is wrong with the others."""
    expected, found, errors = problem.expected(), {}, []
    for label, engine in engines.items():
        try:
            contender = Contender(engine, kernel, problem)
            wrong = contender.mismatch(expected)
        except Exception as error:
            wrong = described(error)
        if wrong:
            errors.append(f"{name}, {label}: {wrong}")
        else:
            found[label] = contender
    return found, errors


def times(engines, fill, name, kernel):
    """{engine: milliseconds}, and errors."""
    found, errors = contenders(engines, name, kernel, kernel.problem(True))
    measured = {label: [] for label in found}
    for _ in range(ROUNDS):
        for label, contender in found.items():
            measured[label].append(contender.time(fill))
    return {label: statistics.median(each) for label, each in measured.items()}, errors


def numba_engine():
    np.row_stack = np.vstack  # numba-cuda under NumPy 2.5
    from numba import cuda

    cuda.current_context()
    return Python(cuda)


def cpp_engine():
    from numjit import cuda

    engine = Cpp(cuda)
    engine.cp.RawModule(code='extern "C" __global__ void nothing() {}').compile()
    return engine


def all_engines():
    """{name: engine} of those that are there."""
    from numjit import cuda

    engines = {"numjit": Python(cuda)}
    for name, make in (("numba-cuda", numba_engine), ("C++", cpp_engine)):
        try:
            engines[name] = make()
        except Exception as error:
            print(f"{name}: {described(error)}")
    return engines


def described(error):
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:300]


def filling(cuda):
    """A function that copies an array: it empties the caches too."""
    source, target = (cuda.device_array(FILLING, np.uint8) for _ in "ab")
    return lambda: target.copy_to_device(source)


def cell(value, width, digits):
    return f"{'-':>{width}}" if math.isnan(value) else f"{value:{width}.{digits}f}"


def main():
    warnings.simplefilter("ignore")
    words, engines = sys.argv[1:], all_engines()
    fill = filling(engines["numjit"].cuda)
    labels, peers = ("numjit", "numba-cuda", "C++"), ("numba-cuda", "C++")
    ratios, wrong = {peer: [] for peer in peers}, False
    print(f"{'milliseconds':30}{'numjit':>11}{'numba-cuda':>11}{'C++':>11}{'/numba':>8}{'/C++':>8}")
    for name, kernel in catalogue().items():
        if words and not any(word in name for word in words):
            continue
        found, errors = times(engines, fill, name, kernel)
        found = {label: found.get(label, math.nan) for label in labels}
        row = [cell(found[label], 11, 3) for label in labels]
        for peer in peers:
            ratio = found["numjit"] / found[peer]
            ratios[peer] += [] if math.isnan(ratio) else [ratio]
            row.append(cell(ratio, 8, 2))
        print(f"{name:30}" + "".join(row), *errors, sep="\n", flush=True)
        wrong = wrong or bool(errors)
    means = (statistics.geometric_mean(each) if each else math.nan for each in ratios.values())
    print(f"{'geometric mean':63}" + "".join(cell(mean, 8, 2) for mean in means))
    return wrong


if __name__ == "__main__":
    sys.exit(main())
