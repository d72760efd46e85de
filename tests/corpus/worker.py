"""Compiles recorded functions and compares them with the interpreter, one line of JSON for each.

Runs in a process of its own (see __main__.py), since a function may hang or crash.
"""

import contextlib
import importlib
import inspect
import io
import json
import pickle
import random
import sys
import time
import traceback
import types
import warnings

import numpy as np
from corpus.record import is_plain
from language.support import check_same
from numjit import errors, njit

SECONDS = 0.2  # spent on each side of a timing


def find_function(module, name):
    """The undecorated function of that name; None if it cannot be reached by name."""
    found = importlib.import_module(module)
    for part in name.split("."):
        found = inspect.getattr_static(found, part, None)
        if isinstance(found, (staticmethod, classmethod)):
            found = found.__func__
    found = inspect.unwrap(found) if callable(found) else found
    if isinstance(found, types.FunctionType) and found.__code__.co_qualname == name:
        return found
    return None


def outcome(function, call):
    """(result, error, arguments afterwards) of a call with fresh copies of its arguments."""
    positional, keywords = pickle.loads(call)
    np.random.seed(0)
    random.seed(0)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            with contextlib.redirect_stdout(io.StringIO()):
                result = function(*positional, **keywords)
        if hasattr(result, "__next__"):
            result = [item for item, _ in zip(result, range(10_000))]
    except Exception as error:
        return None, error, None
    return result, None, (list(positional), keywords)


def differs(actual, expected, prepare) -> str | None:
    """How a compiled outcome differs from the interpreter's; None if it does not.

    `prepare` is applied to both: plain() or numbers().
    """
    if expected[1] is not None:
        if actual[1] is None:
            return f"no {type(expected[1]).__name__}"
        return None if isinstance(actual[1], type(expected[1])) else repr(actual[1])
    if actual[1] is not None:
        return repr(actual[1])
    try:
        check_same(prepare(actual[0]), prepare(expected[0]), 1e-9)
        check_same(prepare(actual[2][0]), prepare(expected[2][0]), 1e-9, "arguments afterwards")
    except AssertionError as error:
        return str(error)
    return None


def plain(value):
    """A value with dicts as lists of pairs and sets in order; None is an array without items."""
    if value is None or isinstance(value, (str, bytes, range, np.datetime64, np.timedelta64)):
        return ("as text", repr(value)) if value is None else value
    if isinstance(value, (tuple, list)):
        items = [plain(item) for item in value]
        return items if isinstance(value, list) else tuple(items)
    if hasattr(value, "items"):
        return [(plain(key), plain(item)) for key, item in value.items()]
    return value


def numbers(value):
    """plain() with all numbers as floats or complex numbers: where paths give an int and a float,
    compiled code gives a float (docs/language.md)."""
    value = plain(value)
    if isinstance(value, (tuple, list)):
        return type(value)(map(numbers, value))
    if isinstance(value, (bool, int, np.bool_, np.integer)):
        return float(value)
    return (
        value.astype(float)
        if isinstance(value, np.ndarray) and value.dtype.kind in "bui"
        else value
    )


def best_time(function, call):
    """Seconds of the fastest call."""
    best, end = float("inf"), time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        positional, keywords = pickle.loads(call)
        start = time.perf_counter()
        function(*positional, **keywords)
        best = min(best, time.perf_counter() - start)
    return best


def examine(module, name, calls) -> dict:
    function = find_function(module, name)
    if function is None:
        return {"status": "not reachable"}
    expected = []
    for call in calls:
        once, again = outcome(function, call), outcome(function, call)
        result = once[0]
        if once[1] is not None and isinstance(once[1], RecursionError):
            continue
        if inspect.isgeneratorfunction(function) or result is None or is_plain(result):
            if differs(again, once, plain) is None:
                expected.append((call, once))
    if not expected:
        return {"status": "no value"}
    compiled = njit(function)
    start, kinds = time.perf_counter(), True
    for call, wanted in expected:
        actual = outcome(compiled, call)
        wrong = differs(actual, wanted, numbers)
        if wrong is None:
            kinds &= differs(actual, wanted, plain) is None
            continue
        if isinstance(actual[1], errors.InternalError):
            return {"status": "internal error", "cause": str(actual[1])[:300]}
        if isinstance(actual[1], errors.NumbaError):
            return refusal(actual[1])
        if isinstance(actual[1], TypeError) and "_core" in repr(actual[1]):
            return {"status": "refused", "cause": repr(actual[1])[:300]}
        return {"status": "differs", "cause": wrong[:300]}
    answer = {"status": "agrees", "kinds": kinds, "first": time.perf_counter() - start}
    if all(wanted[1] is None for _, wanted in expected):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with contextlib.redirect_stdout(io.StringIO()):
                answer["plain_s"] = best_time(function, expected[0][0])
                answer["compiled_s"] = best_time(compiled, expected[0][0])
    return answer


def refusal(error) -> dict:
    """The first line of an error, and the line of source that it points at."""
    lines = str(error).splitlines()
    return {
        "status": "refused",
        "cause": f"{type(error).__name__}: {lines[0][:200]}",
        "text": "\n".join(lines[:8]),
    }


def main():
    with open(sys.argv[1], "rb") as file:
        recorded = pickle.load(file)
    out = sys.stdout
    sys.stdout = sys.stderr
    for line in sys.stdin:
        key = tuple(json.loads(line))
        try:
            answer = examine(*key, recorded[key])
        except BaseException:
            answer = {"status": "runner failed", "cause": traceback.format_exc()[-600:]}
        print(json.dumps(answer), file=out, flush=True)


if __name__ == "__main__":
    main()
