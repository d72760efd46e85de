"""python -m fuzz [--count N] [--seed S]: random programs, compared with the interpreter.

Programs run in child processes, so that one that kills its process is found, too. What differs is
made small and printed; the exit status says whether anything did.
"""

import argparse
import subprocess
import sys
import time

CHUNK = 100


def _work(first, count):
    from fuzz.runner import failure, kind_of, program, reduced, source

    for seed in range(first, first + count):
        print(f"at {seed}", flush=True)
        functions = program(seed)
        problem = failure(functions, seed)
        if problem is None:
            continue
        kind = kind_of(problem)
        small = reduced(functions, seed, lambda each: kind_of(failure(each, seed)) == kind)
        print(f"--- seed {seed}: {problem}\n    reduced: {failure(small, seed)}")
        print(source(small, False), flush=True)


def main():
    parser = argparse.ArgumentParser(prog="python -m fuzz")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, help="stop after this time")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.child:
        return _work(chosen.seed, chosen.count)
    start, done, bad = time.monotonic(), 0, 0
    while done < chosen.count:
        if chosen.seconds and time.monotonic() - start > chosen.seconds:
            break
        count, first = min(CHUNK, chosen.count - done), chosen.seed + done
        command = [sys.executable, "-m", "fuzz", "--child", "--seed", str(first)]
        child = subprocess.run([*command, "--count", str(count)], capture_output=True, text=True)
        lines = child.stdout.splitlines()
        told = [line for line in lines if not line.startswith("at ")]
        bad += sum(line.startswith("--- seed") for line in told)
        if told:
            print("\n".join(told), flush=True)
        if child.returncode != 0:
            last = next((line[3:] for line in reversed(lines) if line.startswith("at ")), first)
            print(f"--- seed {last}: status {child.returncode}\n{child.stderr[-2000:]}", flush=True)
            bad += 1
            done = int(last) + 1 - chosen.seed
        else:
            done += count
    print(f"{done} programs, {bad} differ, {time.monotonic() - start:.0f} s")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
