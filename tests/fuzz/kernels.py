"""Random kernels, run by numjit.cuda and by a sequential model in plain Python.

    python -m fuzz.kernels --seed 1 --count 1000        (in tests/, in the simulator or on a GPU)

A kernel is a list of phases with a barrier after each. In a phase a thread reads one array in
shared memory anywhere, writes another one in its own place, and adds to counters by atomics, so
the order of threads does not matter. The model runs one phase after the other, and in each one
thread after the other. Both are made of one text: what a thread has for itself is `{a}` there, a
name in the kernel and an item `a[t]` in the model.
"""

from __future__ import annotations

import argparse
import random
import sys

import numpy as np

_THREADS, _BLOCKS, _COUNTERS = 64, 3, 8
_MASK = 0xFFFFF  # products of two such numbers fit into an int64
_INTEGERS, _REALS = "abc", "uv"


class _Program:
    """The lines of a kernel, and of the model."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.kernel, self.model = [], []
        self.read = 0  # the array in shared memory that this phase reads
        for _ in range(self.random.randint(2, 5)):
            self.phase()

    # -- expressions ------------------------------------------------------------------------------

    def integer(self, depth=2):
        pick = self.random.random()
        if depth == 0 or pick < 0.25:
            leaves = [f"{{{name}}}" for name in _INTEGERS]
            leaves += ["t", "g", str(self.random.randint(-9, 99)), "{own}"]
            return self.random.choice(leaves)
        if pick < 0.4:
            return f"s{self.read}[({self.integer(depth - 1)}) % {_THREADS}]"
        left, right = self.integer(depth - 1), self.integer(depth - 1)
        if pick < 0.5:
            return f"(({left}) * ({right}) & {_MASK})"
        if pick < 0.6:
            return f"(({left}) {self.random.choice(['//', '%'])} {self.random.randint(1, 17)})"
        if pick < 0.68:
            return f"(({left}) >> {self.random.randint(0, 5)})"
        if pick < 0.76:
            return f"({left} if {self.condition(depth - 1)} else {right})"
        if pick < 0.84:
            return f"{self.random.choice(['min', 'max'])}({left}, {right})"
        return f"({left} {self.random.choice(['+', '-', '^', '|', '&'])} {right})"

    def condition(self, depth=1):
        operator = self.random.choice(["<", "<=", "==", "!=", ">", ">="])
        made = f"{self.integer(depth)} {operator} {self.integer(depth)}"
        if depth and self.random.random() < 0.3:
            made = f"({made}) {self.random.choice(['and', 'or'])} not ({self.condition(0)})"
        return made

    def real(self, depth=2):
        if depth == 0:
            return self.random.choice([*(f"{{{name}}}" for name in _REALS), "0.5", "1.25"])
        pick = self.random.random()
        if pick < 0.25:
            return f"float({self.integer(1)})"
        if pick < 0.4:
            return f"abs({self.real(depth - 1)})"
        operator = self.random.choice("+-*")
        return f"({self.real(depth - 1)} {operator} {self.real(depth - 1)})"

    # -- statements -------------------------------------------------------------------------------

    def statements(self, count, depth=2):
        """Lines of one thread."""
        lines = []
        for _ in range(count):
            pick = self.random.random()
            if pick < 0.4:
                name = self.random.choice(_INTEGERS)
                lines.append(f"{{{name}}} = ({self.integer()}) & {_MASK}")
            elif pick < 0.5:
                name = self.random.choice(_REALS)
                lines.append(f"{{{name}}} = ({self.real()}) * 0.125")
            elif pick < 0.65:
                lines.append(f"{{own}} = ({self.integer()}) & {_MASK}")
            elif pick < 0.8:
                at, what = self.integer(1), self.integer(1)
                lines.append(f"{{add}}(h, ({at}) % {_COUNTERS}, {what})")
            elif depth and pick < 0.92:
                lines.append(f"if {self.condition()}:")
                lines += _indented(self.statements(self.random.randint(1, 2), depth - 1))
                if self.random.random() < 0.5:
                    lines.append("else:")
                    lines += _indented(self.statements(self.random.randint(1, 2), depth - 1))
            elif depth:
                bound = self.random.choice(["3", "t % 4", "({a}) % 5"])
                lines.append(f"for k{depth} in range({bound}):")
                lines += _indented(self.statements(self.random.randint(1, 2), depth - 1))
        return lines or ["pass"]

    def phase(self):
        """What all threads do together, or one after the other, up to a barrier."""
        name, lane = self.random.choice(_INTEGERS), self.random.randint(1, 31)
        pick = self.random.random()
        if pick < 0.2:
            self.kernel.append(f"{name} = cuda.shfl_xor_sync(0xFFFFFFFF, {name}, {lane})")
            self.model.append(f"{name} = [{name}[t ^ {lane}] for t in threads]")
        elif pick < 0.35:
            self.kernel.append(f"{name} = cuda.shfl_down_sync(0xFFFFFFFF, {name}, {lane})")
            there = f"t + {lane} if t % 32 + {lane} < 32 else t"
            self.model.append(f"{name} = [{name}[{there}] for t in threads]")
        elif pick < 0.5:
            self.kernel.append(f"{name} += cuda.syncthreads_count({name} % 3 == 1)")
            self.model.append(f"count = sum(each % 3 == 1 for each in {name})")
            self.model.append(f"{name} = [each + count for each in {name}]")
        elif pick < 0.6:
            self.kernel.append(f"{name} ^= cuda.ballot_sync(0xFFFFFFFF, {name} & 1) & {_MASK}")
            self.model.append(f"bits = [sum(({name}[w + i] & 1) << i for i in range(32))")
            self.model.append(f"        for w in range(0, {_THREADS}, 32)]")
            self.model.append(f"{name} = [{name}[t] ^ (bits[t // 32] & {_MASK}) for t in threads]")
        lines = self.statements(self.random.randint(2, 5))
        written = f"s{1 - self.read}[t]"
        own = {each: each for each in (*_INTEGERS, *_REALS)}
        of_all = {each: f"{each}[t]" for each in own}
        self.kernel += [each.format(own=written, add="cuda.atomic.add", **own) for each in lines]
        self.kernel.append("cuda.syncthreads()")
        self.model += ["for t in threads:", "    g = first + t"]
        self.model += _indented(each.format(own=written, add="add", **of_all) for each in lines)
        self.read = 1 - self.read

    # -- the whole --------------------------------------------------------------------------------

    def kernel_text(self):
        begin = [
            "t, g = cuda.threadIdx.x, cuda.grid(1)",
            f"s0 = cuda.shared.array({_THREADS}, np.int64)",
            f"s1 = cuda.shared.array({_THREADS}, np.int64)",
            f"h = cuda.shared.array({_COUNTERS}, np.int64)",
            f"if t < {_COUNTERS}:",
            "    h[t] = 0",
            "a, b, c, u, v = x[g], t, g % 7, 0.5 * t, 1.5",
            "s0[t], s1[t] = a, t",
            "cuda.syncthreads()",
        ]
        end = [
            f"out[g] = a + b * 3 + c * 5 + s{self.read}[t]",
            "real[g] = u + v",
            f"if t < {_COUNTERS}:",
            "    cuda.atomic.add(counts, t, h[t])",
        ]
        return "\n".join(
            ["def kernel(x, out, real, counts):", *_indented([*begin, *self.kernel, *end])]
        )

    def model_text(self):
        begin = [
            f"threads, h = range({_THREADS}), [0] * {_COUNTERS}",
            "a = [x[first + t] for t in threads]",
            "b, c = [*threads], [(first + t) % 7 for t in threads]",
            f"u, v = [0.5 * t for t in threads], [1.5] * {_THREADS}",
            "s0, s1 = [*a], [*threads]",
        ]
        end = [
            "for t in threads:",
            f"    out[first + t] = a[t] + b[t] * 3 + c[t] * 5 + s{self.read}[t]",
            "    real[first + t] = u[t] + v[t]",
            f"for i in range({_COUNTERS}):",
            "    counts[i] += h[i]",
        ]
        return "\n".join(
            [
                "def model(x, out, real, counts, first):",
                *_indented([*begin, *self.model, *end]),
            ]
        )


def _indented(lines):
    return [f"    {line}" for line in lines]


def _add(array, index, value):
    array[index] += value


def _defined(text, name, **names):
    namespace = dict(names)
    exec(compile(text, f"<{name}>", "exec"), namespace)
    return namespace[name]


def check(seed):
    """None where kernel and model agree, else the kernel's text and what differs."""
    from numjit import cuda

    program = _Program(seed)
    text = program.kernel_text()
    size = _THREADS * _BLOCKS
    x = np.random.default_rng(seed).integers(0, _MASK, size)

    def results():
        return np.zeros(size, np.int64), np.zeros(size), np.zeros(_COUNTERS, np.int64)

    wanted, found = results(), results()
    model = _defined(program.model_text(), "model", add=_add)
    lists = [each.tolist() for each in wanted]
    for block in range(_BLOCKS):
        model(x.tolist(), *lists, block * _THREADS)
    # Sums and products are rounded one by one, as Python does.
    kernel = cuda.jit(fma=False)(_defined(text, "kernel", cuda=cuda, np=np))
    try:
        kernel[_BLOCKS, _THREADS](x, *found)
    except Exception as error:
        return f"{text}\n{type(error).__name__}: {error}"
    for name, have, want in zip(("out", "real", "counts"), found, lists, strict=True):
        if have.tolist() != want:
            at = next(i for i in range(len(want)) if have[i] != want[i])
            return f"{text}\n{name}[{at}] is {have[at]}, the model has {want[at]}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=200)
    given = parser.parse_args()
    failed = 0
    for seed in range(given.seed, given.seed + given.count):
        what = check(seed)
        if what is not None:
            failed += 1
            print(f"seed {seed}:\n{what}\n", flush=True)
    print(f"{given.count} kernels, {failed} differ")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
