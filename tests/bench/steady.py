"""Run times of one kernel under every engine and C++, alternating in one process."""

import tempfile
from pathlib import Path

import catalogue
import cpp
from compare import fresh, outcome_difference
from timing import once

ROUND_SECONDS = 0.03


class Contender:
    def __init__(self, call):
        self.call = call
        self.best = float("inf")

    def play(self):
        """Calls for about ROUND_SECONDS, keeping the shortest time."""
        spent = 0.0
        while spent < ROUND_SECONDS:
            seconds, _ = once(self.call)
            self.best = min(self.best, seconds)
            spent += seconds


def _python_engine(name, engine, arguments):
    function = catalogue.load(name, engine).function
    checked = fresh(arguments)
    result = function(*checked)
    timed = fresh(arguments)
    return Contender(lambda: function(*timed)), (result, checked)


def _compiled(name, compiler, program, arguments, example, folder):
    entry = cpp.build(program, catalogue.cpp_source(name), Path(folder) / f"{compiler}.so")
    checked = cpp.Bound(entry, fresh(arguments), *example)
    result = checked.result()
    timed = cpp.Bound(entry, fresh(arguments), *example)
    return Contender(timed), (result, checked.keep)


def measure(name, engines, rounds):
    """{"ms": {engine or compiler: ms}, "errors": [text]}"""
    plain = catalogue.load(name, "python")
    small = plain.small()
    # Result types and C++ signatures come from the interpreter on the small input.
    example = plain.function(*small), small
    arguments = plain.arguments()
    contenders, outcomes, errors = {}, {}, []
    with tempfile.TemporaryDirectory() as folder:
        makers = {
            compiler: (_compiled, compiler, program, arguments, example, folder)
            for compiler, program in cpp.installed().items()
        } | {engine: (_python_engine, engine, arguments) for engine in engines.split(",") if engine}
        for label, (make, *rest) in makers.items():
            try:
                contenders[label], outcomes[label] = make(name, *rest)
            except Exception as error:
                errors.append(f"{label}: {type(error).__name__}: {error}")
        reference, *others = outcomes
        for label in others:
            got, wanted = outcomes[label], outcomes[reference]
            if example[0] is None or any(example[0] is a for a in example[1]):
                # The outcome lies in the arguments, whatever the call returned.
                got, wanted = (None, got[1]), (None, wanted[1])
            found = outcome_difference(got, wanted, plain.tolerance)
            if found:
                errors.append(f"MISMATCH {label} against {reference}: {found}")
        for _ in range(int(rounds)):
            for contender in contenders.values():
                contender.play()
    return {"ms": {k: c.best * 1e3 for k, c in contenders.items()}, "errors": errors}
