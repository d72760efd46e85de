"""Random programs of nested try statements and loops, as functions and as generators."""

import itertools
import random
import types

import numpy as np
import pytest
from numjit import njit
from numjit.errors import TypingError

CLASSES = ["ZeroDivisionError", "ValueError", "EA", "EB", "(EB, ValueError)", "Exception"]
RAISED = ["EA(x)", "EB(y, 2.5)", "ValueError", "IndexError"]
SEEDS = range(15)


class EA(Exception):
    pass


class EB(EA):
    pass


@njit
def helper(v):
    if v % 5 == 2:
        raise EB(v)
    if v % 5 == 3:
        return 10 // (v % 3)
    return v + 1


class Writer:
    """Writes statements over the integers x, y, z, a list and an array."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.lines = []

    def variable(self):
        return self.rng.choice("xyz")

    def line(self, indent, text):
        self.lines.append("    " * indent + text)

    def body(self, depth, in_loop, in_finally, indent):
        for _ in range(self.rng.randint(1, 3)):
            self.statement(depth, in_loop, in_finally, indent)

    def statement(self, depth, in_loop, in_finally, indent):
        rng, a, b = self.rng, self.variable(), self.variable()
        simple = [
            f"{a} = ({b} * 3 + {rng.randint(-2, 5)}) % 17",
            f"{a} = 7 // ({b} % {rng.randint(2, 4)})",
            f"log.append({a})",
            f"if ({a} + {rng.randint(0, 5)}) % 3 == 0: raise {rng.choice(RAISED)}",
            "rows.append(rows[-1] + x)",
            f"if {a} % 4 == 1: {rng.choice(['break', 'continue'])}" if in_loop else "y += 1",
            "z -= 1" if in_finally else f"if {a} == 9: return x, y, z, log, rows[-1].sum(), 0",
            "x = helper(y)",
        ]
        choice = rng.random()
        if depth == 0 or choice < 0.6:
            self.line(indent, rng.choice(simple))
        elif choice < 0.75:
            self.line(indent, f"for i{depth} in range({rng.randint(1, 4)}):")
            self.body(depth - 1, True, in_finally, indent + 1)
        else:
            self.try_statement(depth, in_loop, in_finally, indent)

    def try_statement(self, depth, in_loop, in_finally, indent):
        rng = self.rng
        self.line(indent, "try:")
        self.body(depth - 1, in_loop, in_finally, indent + 1)
        handlers = rng.sample(CLASSES, rng.randint(0, 2))
        for cls in handlers:
            self.line(indent, f"except {cls}{rng.choice(['', ' as e'])}:")
            self.body(depth - 1, in_loop, in_finally, indent + 1)
            if rng.random() < 0.2:
                self.line(indent + 1, "raise")
        if handlers and rng.random() < 0.4:
            self.line(indent, "else:")
            self.body(depth - 1, in_loop, in_finally, indent + 1)
        if not handlers or rng.random() < 0.4:
            self.line(indent, "finally:")
            self.body(depth - 1, False, True, indent + 1)


def source(seed, is_generator):
    writer = Writer(seed)
    writer.body(3, False, False, 1)
    start = ["def f(x, y, z):", "    log = [0]", "    rows = [np.zeros(2)]"]
    text = "\n".join([*start, *writer.lines, "    return x, y, z, log, rows[-1].sum(), len(rows)"])
    if is_generator:
        text = text.replace("log.append(", "yield (") + "\n    yield 0"
    return text


def outcome(f, args, is_generator):
    items = []
    try:
        if not is_generator:
            return f(*args)
        for item in itertools.islice(f(*args), 50):
            items.append(item)
        return items
    except (EA, ValueError, IndexError, ZeroDivisionError) as error:
        return items, type(error), error.args if isinstance(error, EA) else None


@pytest.mark.parametrize("seed", SEEDS)
def test_as_the_interpreter(seed):
    is_generator = seed % 3 == 0
    text = source(seed, is_generator)
    scope = {"np": np, "EA": EA, "EB": EB, "helper": helper.py_func}
    exec(compile(text, f"<program {seed}>", "exec"), scope)
    plain = scope["f"]
    compiled = njit(types.FunctionType(plain.__code__, {**scope, "helper": helper}, "f"))
    for args in [(1, 2, 3), (0, 0, 0), (4, 9, 5)]:
        expected = outcome(plain, args, is_generator)
        try:
            assert outcome(compiled, args, is_generator) == expected, text
        except TypingError as error:  # a variable without a value on any path there
            assert "before it is assigned" in str(error), text
            return
