"""Compiling and running in several threads."""

import subprocess
import sys
import threading

import numpy as np
import pytest
from numjit import njit


def run_all(functions):
    """Runs the functions in a thread each, started together; re-raises what one of them raised."""
    barrier = threading.Barrier(len(functions))
    errors = []

    def run(function):
        try:
            barrier.wait()
            function()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(function,)) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def long_function(seed):
    """A function of its own, with enough in it that compiling takes a while."""
    lines = "\n".join(f"        total += math.sin(i * {k}.5) * {seed}" for k in range(12))
    namespace = {}
    exec(
        "import math\ndef f(n):\n    total = 0.0\n"
        f"    for i in range(n):\n{lines}\n    return total\n",
        namespace,
    )
    return namespace["f"]


def test_eight_threads_compile_once():
    f = njit(long_function(1))
    results = []
    run_all([lambda: results.append(f(3))] * 8)
    assert len(results) == 8 and len(set(results)) == 1
    assert len(f.signatures) == 1
    assert results[0] == pytest.approx(f.py_func(3))
    assert sum(f.stats.cache_misses.values()) == 1


def test_threads_compile_different_types_of_one_function():
    f = njit(lambda x: x + x)
    values = [1, 1.5, 1j, np.float32(1), np.int8(1), np.ones(2), np.ones((2, 2)), (1)]
    run_all([lambda v=v: f(v) for v in values])
    assert len(f.signatures) == 7


def test_threads_compile_different_functions():
    functions = [njit(long_function(seed)) for seed in range(8)]
    run_all([lambda f=f: f(2) for f in functions])
    assert all(len(f.signatures) == 1 for f in functions)
    assert functions[2](5) == pytest.approx(functions[2].py_func(5))


def test_mutual_calls_do_not_deadlock():
    namespace = {"njit": njit}
    exec(
        "@njit\ndef even(n):\n    return True if n == 0 else odd(n - 1)\n"
        "@njit\ndef odd(n):\n    return False if n == 0 else even(n - 1)\n",
        namespace,
    )
    even, odd = namespace["even"], namespace["odd"]
    results = []
    run_all([lambda: results.append(even(10)), lambda: results.append(not odd(10))] * 4)
    assert results == [True] * 8


def spin(flags, mine, other, limit):
    """Counts steps until the other thread has shown that it runs."""
    steps = 1
    flags[mine] = steps
    while flags[other] == 0 and steps < limit:
        steps += 1
        flags[mine] = steps
    return steps


LIMIT = 5_000_000_000


def test_nogil_functions_run_side_by_side():
    meet = njit(nogil=True)(spin)
    flags = np.zeros(16, np.int64)
    meet(flags, 0, 8, 10)
    flags[:] = 0
    steps = []
    # Neither returns before the other has started: with the GIL held this would never end.
    run_all(
        [
            lambda: steps.append(meet(flags, 0, 8, LIMIT)),
            lambda: steps.append(meet(flags, 8, 0, LIMIT)),
        ]
    )
    assert max(steps) < LIMIT


def test_other_python_threads_run_beside_a_nogil_function():
    meet = njit(nogil=True)(spin)
    flags = np.zeros(16, np.int64)
    meet(flags, 0, 8, 10)
    flags[:] = 0

    def answer():
        while not flags[0]:
            pass
        flags[8] = 1

    run_all([lambda: meet(flags, 0, 8, LIMIT), answer])
    assert flags[8] == 1


def test_results_of_threads_do_not_mix():
    @njit(nogil=True)
    def total(values):
        result = 0.0
        for value in values:
            result += value
        return result

    arrays = [np.full(1000, float(k)) for k in range(8)]
    total(arrays[0])
    seen = {}

    def work(k):
        seen[k] = [total(arrays[k]) for _ in range(200)]

    run_all([lambda k=k: work(k) for k in range(8)])
    for k in range(8):
        assert set(seen[k]) == {1000.0 * k}


def test_exceptions_of_threads_do_not_mix():
    @njit(nogil=True)
    def fails(k):
        raise ValueError(k)

    def work(k):
        for _ in range(100):
            with pytest.raises(ValueError) as caught:
                fails(k)
            assert caught.value.args == (k,)

    run_all([lambda k=k: work(k) for k in range(4)])


# sys.stdout is no file: one that a thread holds when it is ended is a fatal error of CPython's.
DAEMONS = """
import io, sys, threading, time
from numjit import njit, objmode

sys.stdout = io.StringIO()

@njit
def prints(n):
    for i in range(n):
        print(i)

@njit(nogil=True)
def calls_python(n):
    for i in range(n):
        with objmode():
            for _ in range(100):
                pass

for f in (prints, calls_python):
    f(1)
    for _ in range(4):
        threading.Thread(target=f, args=(10**9,), daemon=True).start()
time.sleep(0.2)
"""


def test_daemon_threads_end_in_python_that_compiled_code_called(tmp_path):
    """CPython ends such threads by unwinding their stacks when the process ends."""
    program = tmp_path / "daemons.py"
    program.write_text(DAEMONS)
    for _ in range(3):
        command = [sys.executable, str(program)]
        run = subprocess.run(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False
        )
        assert run.returncode == 0, run.stderr


DAEMON_IN_PYTHON = """
import sys
import threading
import time

from numjit import njit
from numjit.extending import overload, typeof_impl

inside = threading.Event()

def stay():
    inside.set()
    while True:
        time.sleep(0.001)

class Slow:
    __slots__ = ()

    def __getattr__(self, name):
        stay()

class Meta(type):
    def __getattribute__(self, name):
        stay()

class Registered:
    pass

class SlowClass(metaclass=Meta):
    pass

def overloaded():
    pass

@overload(overloaded)
def overload_of_it():
    stay()

@typeof_impl.register(Registered)
def type_of(value, context):
    stay()

slow = Slow()
WORK = {
    "overload": lambda: njit(lambda: overloaded())(),
    "attribute": lambda: njit(lambda: slow.x)(),
    "attribute of a class": lambda: njit(lambda: SlowClass.x)(),
    "argument": lambda: njit(lambda x: x)(slow),
    "typeof": lambda: njit(lambda x: x)(Registered()),
}
threading.Thread(target=WORK[sys.argv[1]], daemon=True).start()
assert inside.wait(60)
"""


@pytest.mark.parametrize(
    "where", ["overload", "attribute", "attribute of a class", "argument", "typeof"]
)
def test_daemon_threads_end_in_python_that_a_compilation_called(tmp_path, where):
    program = tmp_path / "daemon.py"
    program.write_text(DAEMON_IN_PYTHON)
    run = subprocess.run(
        [sys.executable, str(program), where], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
