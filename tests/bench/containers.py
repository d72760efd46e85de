"""Dicts, lists, sets, strings, closures: first calls, run times, what checked indices cost."""

import heapq
import importlib
import statistics
import time

import catalogue
import numpy as np
from engines import find_engine
from steady import Contender
from timing import once

COUNTED = 500_000
BOUNDS_SECONDS, LEAST_PAIRS = 0.5, 24  # a kernel and round
BOUNDED = tuple(name for name in catalogue.ROWS if name != "clip_ufunc")


def count_integers(a):
    counts = {}
    for x in a:
        if x in counts:
            counts[x] += 1
        else:
            counts[x] = 1
    return counts


def count_words(text):
    counts = {}
    for word in text.split():
        if word in counts:
            counts[word] += 1
        else:
            counts[word] = 1
    return counts


def tuple_keys(n):
    table = {}
    for i in range(n):
        table[(i % 3, i % 5)] = i * 1.5
    total = 0.0
    for key, value in table.items():
        total += key[0] * value
    return total


def split_lines(text):
    return [[cell.upper() for cell in line.split(",")] for line in text.split(";")]


def string_methods(text):
    found = text.upper().replace("O", "0").strip().find("W")
    return found, text.title(), text[::-1], text.startswith("he"), "-".join(["a", text])


def format_numbers(n):
    return f"{n:05d} {n / 3:.3f} {n}"


def list_methods(values):
    doubled = [v * 2 for v in values]
    doubled.append(1.5)
    doubled.sort()
    doubled.reverse()
    doubled.extend(values)
    doubled.insert(0, 7.0)
    return doubled.pop() + len(doubled) + doubled.index(7.0)


def sort_by_key(values):
    return sorted(values, key=lambda v: -v)


def heap_of_tuples(a):
    heap = [(0.0, 0)]
    for i in range(len(a)):
        heapq.heappush(heap, (a[i], i))
    total = 0.0
    while heap:
        total += heapq.heappop(heap)[0]
    return total


def set_operators(a):
    s, t = set(a), {1, 2, 3}
    return len(s | t), len(s & t), 3 in s, len(s - t)


def closures(n):
    k = 3

    def add(x):
        return x + k

    def twice(f, x):
        return f(f(x))

    total = 0
    for i in range(n):
        total += twice(add, i)
    return total


def generator(n):
    def squares(m):
        for i in range(m):
            yield i * i

    return sum(squares(n))


def _integers(n, top):
    return np.random.default_rng(0).integers(0, top, n)


# Each function with its arguments.
PROGRAMS = {
    count_integers: (_integers(5000, 1000),),
    count_words: ("the quick brown fox jumps over the lazy dog the end",),
    tuple_keys: (20,),
    split_lines: ("a,b,c;1,2,3",),
    string_methods: ("hello world",),
    format_numbers: (5,),
    list_methods: ([3.0, 1.0, 2.0],),
    sort_by_key: ([5, 3, 9, 1],),
    heap_of_tuples: (np.arange(20.0),),
    set_operators: (_integers(200, 50),),
    closures: (10,),
    generator: (50,),
}
NAMES = {function.__name__: function for function in PROGRAMS}


def first_call(name, engine):
    """The first call of one program, after a trivial function paid the one-time costs."""
    module = find_engine(engine)
    module.njit(lambda x: x + 1)(1)
    function = NAMES[name]
    compiled, arguments = module.njit(function), PROGRAMS[function]
    seconds, result = once(lambda: compiled(*arguments))
    if result != function(*arguments):
        raise AssertionError("MISMATCH: another result than the interpreter's")
    return {"first_ms": seconds * 1e3}


def run_times(engines, rounds):
    """{row: {engine or "numpy": ms}}; contenders take turns."""
    numbers, a = np.random.default_rng(1).random(COUNTED).tolist(), _integers(COUNTED, 1000)
    rows = {"count 500,000 integers": {}}
    lists = {"numpy": Contender(lambda: np.array(numbers))}
    arrays = {"numpy": lists["numpy"]}
    for engine in engines.split(","):
        module = find_engine(engine)
        typed_list = importlib.import_module(f"{engine}.typed").List
        count = module.njit(count_integers)
        if dict(count(a)) != count_integers(a):
            raise AssertionError("MISMATCH: other counts than the interpreter's")
        rows["count 500,000 integers"][engine] = Contender(lambda f=count: f(a))
        lists[engine] = Contender(lambda t=typed_list: t(numbers))
        arrays[engine] = Contender(lambda t=typed_list, x=np.array(numbers): t(x))
    rows |= {"typed.List of 500,000 floats": lists, "typed.List of an array": arrays}
    for _ in range(int(rounds)):
        for contenders in rows.values():
            for contender in contenders.values():
                contender.play()
    return {row: {who: c.best * 1e3 for who, c in of.items()} for row, of in rows.items()}


def relative(first, second, seconds):
    """Time of one call over that of another: the median of pairs of calls, behind each other as the
    machine changes its speed, each of both first as often."""
    ratios, end = [], time.perf_counter() + seconds
    while len(ratios) < LEAST_PAIRS or time.perf_counter() < end:
        a, b, c, d = (once(call)[0] for call in (first, second, second, first))
        ratios += [a / b, d / c]
    return statistics.median(ratios)


def bounds_cost(engine, rounds):
    """{kernel: run time with checked indices over run time without}; of the same arrays, as where
    they lie in memory can matter more."""
    config = importlib.import_module(engine).config
    costs = {}
    for name in BOUNDED:
        calls = []
        arguments = catalogue.load(name, engine).arguments()
        for checked in (1, 0):
            config.BOUNDSCHECK = checked
            kernel = catalogue.load(name, engine)
            kernel.function(*arguments)
            calls.append(lambda f=kernel.function, a=arguments: f(*a))
        costs[name] = relative(*calls, int(rounds) * BOUNDS_SECONDS)
    return costs


def measure(what, *arguments):
    return {"first": first_call, "steady": run_times, "bounds": bounds_cost}[what](*arguments)
