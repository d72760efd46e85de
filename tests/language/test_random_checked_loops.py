"""Random nests of loops whose indices are checked, with arrays that are often too short."""

import random

import pytest
from language.test_checked_loops import outcome
from numjit import njit

pytestmark = pytest.mark.one_python

SEEDS = range(20)
PROGRAMS, INPUTS = 5, 25  # a seed; a program
LENGTHS = (0, 1, 2, 3, 4, 6, 9, 13)


class Writer:
    """Writes statements over three arrays, two bounds n and m, and the numbers s, t, u."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.lines = []

    def line(self, indent, text):
        self.lines.append("    " * indent + text)

    def index(self, counters):
        pick = self.rng.choice
        at, k = pick(counters), self.rng.randint(0, 3)
        return pick([at, at, f"{at} + {k}", f"{at} + {k}", f"{at} * 2", f"{pick(counters)} + {at}"])

    def item(self, counters):
        return f"{self.rng.choice('abc')}[{self.index(counters)}]"

    def loop(self, indent, counters):
        counter = "ijkl"[len(counters)]
        starts = ["n", "n", "m", "len(a)", "1, n", "2, m", "0, n, 2", f"{(counters or 'n')[-1]}, n"]
        self.line(indent, f"for {counter} in range({self.rng.choice(starts)}):")
        for _ in range(self.rng.randint(1, 3)):
            self.statement(indent + 1, [*counters, counter])

    def statement(self, indent, counters):
        rng = self.rng
        match rng.choices(range(8), (35, 15, 10, 8, 8, 15, 6, 3))[0]:
            case 0:
                self.line(indent, f"s = s * 0.5 + {self.item(counters)}")
            case 1:
                self.line(indent, f"t += {self.item(counters)} * {self.item(counters)}")
            case 2:
                self.line(indent, f"{self.item(counters)} = s")
            case 3:
                self.line(indent, f"u = {self.index(counters)}")
            case 4:
                at = rng.choice(["n", "m", "3", "len(a)"])
                self.line(indent, f"if {rng.choice(counters)} == {at}:")
                leave = ["break", "continue", "return s, t, u", "s += 1", "raise ValueError"]
                self.line(indent + 1, rng.choice(leave))
            case 5 if len(counters) < 4:
                self.loop(indent, counters)
            case 6 if len(counters) < 4:
                self.guarded(indent, counters)
            case _:
                self.line(indent, "s, t = t, s")

    def guarded(self, indent, counters):
        self.line(indent, "try:")
        self.loop(indent + 1, counters)
        self.line(indent, "except IndexError:")
        self.line(indent + 1, "t = t - 1 + u")

    def program(self):
        for _ in range(self.rng.randint(1, 2)):
            self.rng.choice([self.loop, self.loop, self.guarded])(1, [])
        start = ["def f(a, b, c, n, m):", "    s, t, u = 0.0, 0.0, 0"]
        return "\n".join([*start, *self.lines, "    return s, t, u"])


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's, of numbers that grow
@pytest.mark.parametrize("seed", SEEDS)
def test_as_the_interpreter(seed):
    for number in range(PROGRAMS):
        writer, scope = Writer(seed * PROGRAMS + number), {}
        text = writer.program()
        exec(text, scope)
        compiled = njit(boundscheck=True)(scope["f"])
        for _ in range(INPUTS):
            lengths = writer.rng.choices(LENGTHS, k=3)
            n, m = writer.rng.choice((-1, 0, 1, 2, 4, 7, 9)), writer.rng.choice((0, 1, 2, 5, 7))
            expected = outcome(scope["f"], lengths, n, m)
            assert outcome(compiled, lengths, n, m) == expected, (text, lengths, n, m)
