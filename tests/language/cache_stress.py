"""Processes that compile and load the same functions at once while others are killed and files are
damaged: `python cache_stress.py FOLDER SEED` is one of them, `stress` runs many."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

PROGRAM = """
from numjit import njit
import numpy as np

SCALE = 3.0

@njit
def helper(x):
    return x * SCALE + 1

{functions}
FUNCTIONS = [{names}]
"""
FUNCTION = """
@njit(cache=True)
def f{i}(x, a):
    total = helper(x) + {i}
    for k in range(a.size):
        total += a[k] * {i}
    if total < 0:
        raise ValueError("negative", {i})
    return total, [{i}, len(a)], a[::-1] + {i}
"""
COUNT = 10
ROUNDS = 8  # how often a process makes the functions anew


def expected(i, x, a):
    return x * 3.0 + 1 + i + a.sum() * i, [i, len(a)], a[::-1] + i


def work(folder, seed):
    """Calls all functions in some order; exits with an error if a result is wrong."""
    path = Path(folder, "program.py")
    code = compile(path.read_text(), path, "exec")
    chance = random.Random(seed)
    for _ in range(ROUNDS):
        namespace = {"__name__": "program"}
        exec(code, namespace)
        functions = list(enumerate(namespace["FUNCTIONS"]))
        chance.shuffle(functions)
        call(functions)


def call(functions):
    import numpy as np

    a = np.arange(20.0)
    for i, f in functions:
        number, items, array = f(2.0, a)
        right = expected(i, 2.0, a)
        assert (number, items) == right[:2] and (array == right[2]).all(), (i, number, items)
        try:
            f(-1e6, a)
        except ValueError as error:
            assert error.args == ("negative", i)
        else:
            raise AssertionError(f"f{i} did not raise")


def damage(chance, files):
    """Does one of the things that happen to files."""
    path = chance.choice(files)
    kind = chance.randrange(6)
    try:
        data = bytearray(path.read_bytes())
        if kind == 0:
            path.write_bytes(data[: chance.randrange(len(data) + 1)])
        elif kind == 1 and data:
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
            path.write_bytes(data)
        elif kind == 2:
            path.write_bytes(bytes(len(data)))
        elif kind == 3:
            other = chance.choice(files)
            path.write_bytes(other.read_bytes())
        elif kind == 4:
            path.unlink()
        else:
            # In place, so that a reader may see the beginning of one and the end of another.
            with open(path, "r+b") as file:
                file.truncate(chance.randrange(len(data) + 1))
                file.seek(0, 2)
                file.write(os.urandom(50))
    except FileNotFoundError:
        pass


def stress(folder, processes, seconds, seed):
    """Runs processes until the time is over; (how many ended well, how many were killed)."""
    chance = random.Random(seed)
    folder = Path(folder)
    functions = "".join(FUNCTION.format(i=i) for i in range(COUNT))
    names = ", ".join(f"f{i}" for i in range(COUNT))
    (folder / "program.py").write_text(PROGRAM.format(functions=functions, names=names))
    end = time.monotonic() + seconds
    running, well, killed = [], 0, 0
    while running or time.monotonic() < end:
        while len(running) < processes and time.monotonic() < end:
            command = [sys.executable, __file__, str(folder), str(chance.randrange(1 << 30))]
            child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            doomed = time.monotonic() + chance.uniform(0.05, 1.5) if chance.random() < 0.3 else None
            running.append((child, doomed))
        for item in list(running):
            child, doomed = item
            if doomed and time.monotonic() > doomed and child.poll() is None:
                child.send_signal(signal.SIGKILL)
            if child.poll() is None:
                continue
            running.remove(item)
            _, complaint = child.communicate()
            if child.returncode == -signal.SIGKILL and doomed:
                killed += 1
                continue
            assert child.returncode == 0, f"status {child.returncode}: {complaint.decode()}"
            well += 1
        files = list(folder.glob("__pycache__/*.njc*"))
        if files and chance.random() < 0.3:
            damage(chance, files)
        time.sleep(0.02)
    assert well > 0
    # Afterwards all is as if nothing had happened.
    for _ in range(2):
        subprocess.run([sys.executable, __file__, str(folder), "0"], check=True)
    return well, killed


if __name__ == "__main__":
    work(sys.argv[1], int(sys.argv[2]))
