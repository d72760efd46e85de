"""NumPy functions as bench rows: one line each, `name | arguments | what is called`.

An argument is `parameter` or `parameter = expression` over n, the number of elements; plain
parameters are those of ARGUMENTS. A call with ` = ` outside of brackets is a statement.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

SIZES = (100, 1_000_000)

ARGUMENTS = {
    "a": "rng.normal(size=n)",
    "b": "rng.normal(size=n)",
    "c": "rng.normal(size=n)",
    "i": "rng.integers(0, n, n)",
    "k": "rng.integers(0, 100, n)",
    "m": "rng.normal(size=n) > 0",
    "r": "int(n ** 0.5)",
    "s": "rng.normal(size=(int(n ** 0.5),) * 2) + 2 * np.eye(int(n ** 0.5))",
    "t": "rng.normal(size=(int(n ** 0.5),) * 2)",
    "h": "(lambda q: q + q.T)(rng.normal(size=(min(int(n ** 0.5), 300),) * 2))",
    "v": "rng.normal(size=int(n ** 0.5))",
    "w": "rng.normal(size=int(n ** 0.5))",
    "q": "rng.normal(size=(max(3, int(n ** 0.25)),) * 2)",
}

_ROWS = """
sum               | a | np.sum(a)
prod              | a | np.prod(a)
mean              | a | np.mean(a)
var               | a | np.var(a)
std               | a | np.std(a)
min               | a | np.min(a)
max               | a | np.max(a)
argmin            | a | np.argmin(a)
argmax            | a | np.argmax(a)
any               | a = np.zeros(n, bool) | np.any(a)
all               | a = np.ones(n, bool) | np.all(a)
median            | a | np.median(a)
cumsum            | a | np.cumsum(a)
diff              | a | np.diff(a)
ptp               | a | np.ptp(a)
count_nonzero     | m | np.count_nonzero(m)
sum-axis0         | t | np.sum(t, axis=0)
sum-axis1         | t | np.sum(t, axis=1)
sort              | a | np.sort(a)
argsort           | a | np.argsort(a)
partition         | a | np.partition(a, 7)
unique            | k | np.unique(k)
searchsorted      | a = np.sort(rng.normal(size=n)), b | np.searchsorted(a, b)
histogram         | a | np.histogram(a, 20)
bincount          | k | np.bincount(k)
interp            | a = np.sort(rng.normal(size=n)), b, c | np.interp(b, a, c)
concatenate       | a, b | np.concatenate((a, b))
stack             | a, b | np.stack((a, b))
vstack            | a, b | np.vstack((a, b))
hstack            | a, b | np.hstack((a, b))
where             | m, a, b | np.where(m, a, b)
clip              | a | np.clip(a, -0.5, 0.5)
roll              | a | np.roll(a, 7)
flip              | a | np.flip(a)
repeat            | a | np.repeat(a, 3)
tile              | a | np.tile(a, 3)
take              | a, i | np.take(a, i)
nonzero           | m | np.nonzero(m)
broadcast_to      | v, r | np.broadcast_to(v, (r, r))
meshgrid          | v, w | np.meshgrid(v, w)
eye               | r | np.eye(r)
diag              | v | np.diag(v)
tril              | t | np.tril(t)
outer             | v, w | np.outer(v, w)
dot               | a, b | np.dot(a, b)
matmul            | s, t | s @ t
vdot              | a, b | np.vdot(a, b)
kron              | q | np.kron(q, q)
trace             | s | np.trace(s)
linalg.solve      | s, v | np.linalg.solve(s, v)
linalg.inv        | s | np.linalg.inv(s)
linalg.det        | s | np.linalg.det(s)
linalg.norm       | s | np.linalg.norm(s)
linalg.eigh       | h | np.linalg.eigh(h)
mask-get          | a, m | a[m]
mask-set          | a, m | a[m] = 1.5
index-get         | a, i | a[i]
index-set         | a, i | a[i] = 1.5
random.seed       | n | np.random.seed(n)
random.random     | n | np.random.random(n)
random.rand       | n | np.random.rand(n)
random.randn      | n | np.random.randn(n)
random.normal     | n | np.random.normal(1.0, 2.0, n)
random.uniform    | n | np.random.uniform(-1.0, 2.0, n)
random.randint    | n | np.random.randint(0, 1000, n)
random.shuffle    | a | np.random.shuffle(a)
random.permutation| a | np.random.permutation(a)
random.choice     | a, n | np.random.choice(a, n)
exp               | a | np.exp(a)
add-broadcast     | t, v | t + v
sin-out           | a, b | np.sin(a, out=b)
fused-sqrt        | a, b, c | np.sqrt(a * a + b * b) * c - 2 * a / (b + 1)
"""


@dataclass(frozen=True)
class NumpyRow:
    name: str
    parameters: tuple
    makers: tuple  # expressions over n
    call: str

    @property
    def is_statement(self):
        return re.search(r"\s=\s", re.sub(r"\(.*\)", "", self.call)) is not None

    def program(self, namespace):
        """The Python function that makes the call."""
        text = self.call if self.is_statement else f"return {self.call}"
        exec(f"def f({', '.join(self.parameters)}):\n    {text}\n", namespace)
        return namespace["f"]

    def arguments(self, n):
        rng = np.random.default_rng(0)
        return [eval(maker, {"np": np, "rng": rng, "n": n}) for maker in self.makers]


def _row(line):
    name, arguments, call = map(str.strip, line.split("|", 2))
    pairs = [a.partition("=") for a in re.split(r",\s*(?=[a-z]\b(?!\())", arguments)]
    parameters = tuple(p.strip() for p, _, _ in pairs)
    makers = tuple(e.strip() or ARGUMENTS.get(p.strip(), p.strip()) for p, _, e in pairs)
    return NumpyRow(name, parameters, makers, call)


# The prefix tells them from kernels.
ROWS = {f"np.{row.name}": row for row in map(_row, _ROWS.strip().splitlines())}
