"""Programs that call one NumPy function, made from its parameters and their samples.

For every function there are *combinations*: which optional parameters are passed, and how. Their
literals stand in the program's text, since constants decide what is compiled. Combinations cover
every pair of choices of two parameters. The plain call meets every sample of the arguments, other
combinations meet some of them. With NUMJIT_ALL_CASES=1 in the environment there are all
combinations, and each meets every sample.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import os
import re
import warnings
import zlib
from dataclasses import dataclass, field

import numpy as np
from language.support import clone
from numjit.library.core.catalogue import (
    is_numpy_function,
    numpy_object,
    parameters_of,
    scalar_operations,
)
from numjit.library.core.registry import registered

from .samples import CHOICES, VALUES, Given, Literal, word_of

ALL_CASES = bool(os.environ.get("NUMJIT_ALL_CASES"))
ROWS = 2  # samples that a combination with keywords meets; one of a function's other names
MOST_COMBINATIONS = 10, 1000  # pairwise, all

# Results that a compiled function cannot return as they are, or that hold no values.
PROGRAMS = {
    "numpy.ndenumerate": "[x for i, x in {}], [i for i, x in {}]",
    "numpy.ndindex": "[i for i in {}]",
    "numpy.nditer": "[x.item() for x in {}]",
    "numpy.iinfo": "{}.min, {}.max, {}.bits, {}.kind",
    "numpy.finfo": "{}.min, {}.max, {}.eps, {}.tiny, {}.bits, {}.precision, {}.resolution",
    "numpy.random.seed": "{}, np.random.random()",
    "numpy.random.default_rng": "{}.random(3)",
    "numpy.result_type": "np.zeros(1, {})",
    "numpy.promote_types": "np.zeros(1, {})",
    "numpy.common_type": "np.zeros(1, {})",
    "numpy.vectorize": "{}(np.arange(3.0), np.array([[2], [3]])), {}(1.5, 2)",
}
PROGRAMS |= dict.fromkeys(["numpy.empty", "numpy.empty_like", "numpy.ndarray"], "({} * 0) ** 0")


# -- parameters ---------------------------------------------------------------------------------


@functools.cache
def positional_only(name):
    """Names of parameters that NumPy takes without keyword only."""
    try:
        parameters = inspect.signature(numpy_object(name)).parameters.values()
    except (AttributeError, ValueError, TypeError):
        return frozenset()
    return frozenset(p.name for p in parameters if p.kind is p.POSITIONAL_ONLY)


# -- combinations -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Several:
    """So many run-time arguments for a parameter of the form *args."""

    count: int
    word: str


@dataclass
class Plan:
    """How one function is called: arguments that are always passed, and choices for others."""

    name: str
    required: list = field(default_factory=list)  # (parameter, word)
    options: list = field(default_factory=list)  # (parameter, [choices]); None: not passed


def plan_of(name):
    plan = Plan(name)
    for p in parameters_of(name):
        word = word_of(name, p.name, p.annotation)
        if p.kind is p.VAR_KEYWORD:
            continue
        if p.kind is p.VAR_POSITIONAL:
            choices = CHOICES.get(word) or [Several(n, word) for n in (2, 1, 3)]
            plan.options.append((p.name, list(choices)))
        elif p.default is p.empty:
            if word in VALUES:
                plan.required.append((p.name, word))
            else:
                plan.options.append((p.name, list(CHOICES[word])))
        elif word in CHOICES:
            if CHOICES[word]:
                plan.options.append((p.name, [None, *CHOICES[word]]))
        else:
            plan.options.append((p.name, [None, Given("given", _sample(word))]))
    return plan


def _sample(word):
    def make(call):
        found = VALUES[word](call.values)
        return found[call.row % len(found)]

    return make


def pairwise(sizes):
    """Index tuples in which every pair of choices of two parameters occurs; first all zeros."""
    uncovered = {
        ((i, a), (j, b))
        for i, j in itertools.combinations(range(len(sizes)), 2)
        for a in range(sizes[i])
        for b in range(sizes[j])
    }
    single = {(i, a) for i in range(len(sizes)) for a in range(sizes[i])}

    def pairs(row):
        return set(itertools.combinations(sorted(row.items()), 2))

    row = dict.fromkeys(range(len(sizes)), 0)
    while True:
        yield tuple(row[i] for i in range(len(sizes)))
        uncovered -= pairs(row)
        single -= set(row.items())
        if not uncovered and not single:
            return
        row = dict(min(uncovered)) if uncovered else dict([min(single)])
        for i in range(len(sizes)):
            if i not in row:
                gain = [len(pairs(row | {i: a}) & uncovered) for a in range(sizes[i])]
                row[i] = max(range(sizes[i]), key=lambda a: (gain[a], (i, a) in single))


def each_once(sizes):
    """Every choice alone, the others left out."""
    yield (0,) * len(sizes)
    for i, size in enumerate(sizes):
        for a in range(1, size):
            yield tuple(a if j == i else 0 for j in range(len(sizes)))


def combinations(plan):
    """Dicts from optional parameters to what is passed."""
    first = {p: choices[0] for p, choices in plan.options}
    # Choices that NumPy refuses are tried alone: they would hide what others do.
    refused = [
        (p, c) for p, choices in plan.options for c in choices[1:] if is_refused(plan, first, p, c)
    ]
    options = [(p, [c for c in choices if (p, c) not in refused]) for p, choices in plan.options]
    sizes = [len(choices) for _, choices in options]
    short, long = MOST_COMBINATIONS
    if ALL_CASES:
        rows = itertools.islice(itertools.product(*map(range, sizes)), long)
    elif is_twin(plan.name):
        rows = each_once(sizes)
    else:
        rows = itertools.islice(pairwise(sizes), short)
    for row in rows:
        yield {p: choices[i] for (p, choices), i in zip(options, row)}
    for p, choice in refused:
        yield first | {p: choice}


def is_refused(plan, first, parameter, choice):
    """Whether NumPy raises for every sample when one parameter is passed so, and only then."""

    def raises(chosen):
        case = Case(plan, 0, {p: c for p, c in chosen.items() if c is not None})
        f = case.program()
        return all(call.outcome(f)[1] for call in case.calls())

    return raises(first | {parameter: choice}) and not raises(first)


@functools.cache
def is_twin(name):
    """A method or another name of a function that is tested in every way under its own name."""
    if name not in registered:
        return numpy_object(name).__name__ != name.rpartition(".")[2]
    same = [n for n, f in registered.items() if f is registered[name] and is_numpy_function(n)]
    return name != max(same, key=lambda n: (n.startswith("numpy."), n))


# -- programs -----------------------------------------------------------------------------------


def program(parameters, result, before=""):
    """def f(parameters): return result; the text is kept for messages."""
    text = f"def f({parameters}):\n{before}    return {result}\n"
    namespace = {"np": np}
    exec(text, namespace)
    namespace["f"].text = text
    return namespace["f"]


@functools.cache
def rows_of(name):
    """(number, values of the required parameters) for every sample. Who changes one clones it."""
    required = plan_of(name).required
    lengths, rows = 1, []
    while len(rows) < lengths:
        number, row = len(rows), []
        for i, (_, word) in enumerate(required):
            found = VALUES[word](tuple(row))
            # The second argument changes at another pace, or pairs would repeat.
            row.append(found[(number if i == 0 else number + number // len(found)) % len(found)])
            lengths = max(lengths, len(found))
        rows.append((number, tuple(row)))
    return rows


@dataclass
class Case:
    """One combination of one function."""

    plan: Plan
    number: int
    chosen: dict  # parameter -> Literal, Given, Several; not those that are left out

    @property
    def name(self):
        return self.plan.name

    @property
    def label(self):
        texts = []
        for p, choice in self.chosen.items():
            if isinstance(choice, Several):
                texts.append(f"{p}={choice.count} values")
            else:
                text = choice.text if isinstance(choice, Literal) else choice.label
                texts.append(f"{p}={text}")
        return ",".join(texts) or "plain"

    def program(self, without=()):
        """The Python function; its parameters are the required ones, then the given ones."""
        parameters, arguments = [], []
        positional = positional_only(self.name)
        required = dict(self.plan.required)
        for p in parameters_of(self.name):
            if p.name in required:
                parameters.append(p.name)
                arguments.append(p.name)
                continue
            choice = self.chosen.get(p.name)
            if choice is None or p.name in without:
                continue
            bare = p.kind in (p.VAR_POSITIONAL, p.POSITIONAL_ONLY) or p.name in positional
            keyword = "" if bare or p.default is p.empty else f"{p.name}="
            if isinstance(choice, Literal):
                if choice.text:
                    arguments.append(keyword + choice.text)
            elif isinstance(choice, Several):
                names = [f"{p.name}{i}" for i in range(choice.count)]
                parameters += names
                arguments += names
            else:
                parameters.append(p.name)
                arguments.append(keyword + p.name)
        if self.name.startswith("Array."):
            call = f"{arguments[0]}.{self.name[6:]}({', '.join(arguments[1:])})"
        else:
            call = f"np.{self.name[6:]}({', '.join(arguments)})"
        result = PROGRAMS.get(self.name, "{}").replace("{}", call)
        seeded = self.name.startswith("numpy.random.") and self.name != "numpy.random.seed"
        before = "    np.random.seed(42)\n" if seeded else ""
        return program(", ".join(parameters), result, before)

    @property
    def is_brief(self):
        """Whether it meets some of the samples only."""
        return bool(self.chosen or is_twin(self.name)) and not ALL_CASES

    def calls(self):
        """The calls that the program is tried on."""
        rows = rows_of(self.name)
        if self.name in scalar_operations() and not ALL_CASES:
            # They share all code but the operation: each meets half of the samples.
            rows = rows[zlib.crc32(self.name.encode()) % 2 :: 2]
        few = 1 if is_twin(self.name) else ROWS
        if self.is_brief and len(rows) > ROWS and self.plan.required:
            # Prime to the number of rows, so that combinations meet different ones.
            start, step = self.number * ROWS, len(rows) // ROWS
            rows = [rows[(start + i * step + i % 2) % len(rows)] for i in range(few)]
        for number, row in rows:
            yield Call(self, number, row)


@dataclass
class Call:
    case: Case
    row: int
    values: tuple  # of the required parameters

    def arguments(self):
        """What the program is called with, a fresh copy where order matters."""
        found = []
        required = dict(zip((p for p, _ in self.case.plan.required), self.values))
        for p in parameters_of(self.case.name):
            choice = self.case.chosen.get(p.name)
            if p.name in required:
                found.append(required[p.name])
            elif isinstance(choice, Given):
                found.append(choice.make(self))
            elif isinstance(choice, Several):
                samples = VALUES[choice.word](self.values)
                found += [samples[(self.row + 2 * i) % len(samples)] for i in range(choice.count)]
        return tuple(found)

    def result_without(self, parameter):
        """What NumPy gives when one parameter is left out, None if that raises."""
        case = Case(self.case.plan, self.case.number, dict(self.case.chosen))
        case.chosen.pop(parameter)
        return Call(case, self.row, self.values).outcome(case.program())[0]

    def outcome(self, f):
        """(result, exception) of the plain function."""
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return f(*clone(self.arguments())), None
        except Exception as error:
            return None, error

    @property
    def first(self):
        return self.values[0] if self.values else None

    def __str__(self):
        def show(value):
            if isinstance(value, np.ndarray):
                flags = "" if value.flags.c_contiguous else f", strides {value.strides}"
                return f"array({value.tolist()}, {value.dtype}{flags})"
            return repr(value)

        return ", ".join(map(show, self.arguments()))


@functools.cache
def cases_of(name):
    plan = plan_of(name)
    found = []
    for number, combination in enumerate(combinations(plan)):
        chosen = {p: choice for p, choice in combination.items() if choice is not None}
        missing = set()
        # A positional argument cannot be passed behind one that is left out.
        for p in reversed(parameters_of(name)):
            if p.name in chosen and p.name in positional_only(name):
                missing = {q.name for q in parameters_of(name) if q.name in positional_only(name)}
                break
        for p, choices in plan.options:
            if p in missing and p not in chosen:
                before = [q.name for q in parameters_of(name)]
                if any(before.index(q) > before.index(p) for q in chosen if q in missing):
                    chosen[p] = next(c for c in choices if c is not None)
        if "where" in chosen and isinstance(numpy_object(name), np.ufunc):
            # Without out, the elements that the mask leaves out are anything.
            chosen.setdefault("out", CHOICES["out"][0])
        chosen = {p.name: chosen[p.name] for p in parameters_of(name) if p.name in chosen}
        case = Case(plan, number, chosen)
        if case.label not in {c.label for c in found}:
            found.append(case)
    return found


def identifier(name, label):
    return re.sub(r"\s+", "", f"{name}-{label}")
