"""Small loops of one kind of work each, under every engine, alternating in one process.

    python tests/bench/loops.py [NAME]... [--rounds N]

prints their times and the ratio to Numba's.  A file in kernels/loops has `KERNELS`, loops by name;
they make their objects themselves or get arrays, and give a result that is compared with the
interpreter's.
"""

import argparse
import json
import subprocess
import sys

import catalogue
from compare import difference, fresh
from engines import load_source
from steady import Contender

FOLDER = catalogue.KERNELS / "loops"
FILES = sorted(path.stem for path in FOLDER.glob("*.py"))


def load(file, engine):
    """{name: kernel} of one file."""
    return load_source(FOLDER / f"{file}.py", engine).KERNELS


def names(file):
    return list(load(file, "python"))


def mismatch(kernel, plain):
    """None, or how the result differs from the interpreter's, for the small arguments."""
    got, wanted = (each.function(*each.small()) for each in (kernel, plain))
    return difference(got, wanted, plain.tolerance)


def measure(file, engines, rounds, *only):
    """{name: {engine: ms}}, and what went wrong as text."""
    kernels = {engine: load(file, engine) for engine in engines.split(",")}
    loops, errors = {}, []
    for name, plain in load(file, "python").items():
        if only and name not in only:
            continue
        loops[name] = {}
        for engine, of in kernels.items():
            try:
                if found := mismatch(of[name], plain):
                    errors.append(f"MISMATCH {name}, {engine}: {found}")
                arguments = fresh(of[name].arguments())
                loops[name][engine] = Contender(lambda f=of[name].function, a=arguments: f(*a))
            except Exception as error:
                errors.append(f"{name}, {engine}: {type(error).__name__}: {error}")
    for _ in range(int(rounds)):
        for contenders in loops.values():
            for contender in contenders.values():
                contender.play()
    times = {name: {e: c.best * 1e3 for e, c in of.items()} for name, of in loops.items()}
    return {"ms": times, "errors": errors}


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("names", nargs="*", metavar="NAME")
    options.add_argument("--rounds", type=int, default=7)
    chosen = options.parse_args()
    for file in FILES:
        if chosen.names and not set(chosen.names) & {file, *names(file)}:
            continue
        only = [] if file in chosen.names else chosen.names
        command = [sys.executable, catalogue.HERE / "child.py", "loops", file, "numjit,numba"]
        done = subprocess.run(
            [*command, str(chosen.rounds), *only], stdout=subprocess.PIPE, text=True, check=True
        )
        got = json.loads(done.stdout.splitlines()[-1])
        for name, times in got["ms"].items():
            ours, numba = (times.get(engine, float("nan")) for engine in ("numjit", "numba"))
            print(f"{name:28} {ours:9.3f} {numba:9.3f} {ours / numba:7.2f}", flush=True)
        print(*got["errors"], sep="\n", end="\n" if got["errors"] else "")


if __name__ == "__main__":
    main()
