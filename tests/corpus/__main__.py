"""Compiles functions of packages that nobody wrote for a compiler.

    python -m corpus record DIR [PACKAGE...]   run the packages' tests and keep arguments
    python -m corpus run DIR [PACKAGE...]      compile, compare, time; results in DIR
    python -m corpus table DIR                 how many compile and agree; refusals by cause

`packages.toml` names the packages and their tests.
"""

import collections
import json
import math
import os
import pathlib
import pickle
import re
import select
import subprocess
import sys
import tomllib

HERE = pathlib.Path(__file__).parent
LIMIT = 40  # seconds for one function


def record(folder, packages, tests):
    for package in packages:
        subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-c", os.devnull,  # no marks of ours
             "-p", "corpus.record", "-p", "no:cacheprovider",
             "--corpus-out", str(folder / f"{package}.pickle"), "--corpus-package", package,
             "--pyargs", *tests[package]]
        )  # fmt: skip


class Worker:
    """A process that examines functions; it is started anew when one has taken it down."""

    def __init__(self, file):
        self.file, self.process = file, None

    def examine(self, key) -> dict:
        if self.process is None:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "corpus.worker", str(self.file)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                cwd=HERE.parent,
            )  # fmt: skip
        self.process.stdin.write((json.dumps(key) + "\n").encode())
        self.process.stdin.flush()
        ready = select.select([self.process.stdout], [], [], LIMIT)[0]
        line = self.process.stdout.readline() if ready else b""
        if line:
            return json.loads(line)
        self.process.kill()
        code = self.process.wait()
        self.process = None
        if ready:
            return {"status": "crashed", "cause": f"exit status {code}"}
        return {"status": "hangs", "cause": f"more than {LIMIT} s"}


def run(folder, packages):
    for package in packages:
        file = folder / f"{package}.pickle"
        with open(file, "rb") as opened:
            keys = sorted(pickle.load(opened))
        worker, results = Worker(file), []
        for key in keys:
            results.append({"module": key[0], "name": key[1]} | worker.examine(key))
        text = "\n".join(map(json.dumps, results))
        (folder / f"{package}.jsonl").write_text(text + "\n")
        print(package, dict(collections.Counter(each["status"] for each in results)))


def general(cause) -> str:
    """A cause without the names and numbers of one function."""
    cause = re.sub(r"'[^']*'|\"[^\"]*\"|`[^`]*`", "'...'", cause)
    return re.sub(r"\d+", "N", cause)


def table(folder):
    print(
        "| package | functions | compile | of them agree | with other kinds of numbers | refused | "
        "differ | crash or hang | time to the interpreter's |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    causes, everything = collections.Counter(), []
    for file in sorted(folder.glob("*.jsonl")):
        rows = [json.loads(line) for line in file.read_text().splitlines()]
        everything += rows
        print(row(file.stem, rows))
    print(row("all", everything))
    for each in everything:
        if each["status"] not in ("agrees", "no value", "not reachable"):
            causes[each["status"], general(each.get("cause", ""))] += 1
    print("\n| functions | cause |\n|---|---|")
    for (status, cause), count in causes.most_common(40):
        print(f"| {count} | {status}: {cause} |")


def row(name, rows) -> str:
    count = collections.Counter(each["status"] for each in rows)
    agree, differ = count["agrees"], count["differs"]
    down = count["crashed"] + count["hangs"] + count["internal error"]
    refused = count["refused"]
    total = agree + differ + down + refused
    ratios = [math.log(each["compiled_s"] / each["plain_s"]) for each in rows if "plain_s" in each]
    mean = math.exp(sum(ratios) / len(ratios)) if ratios else float("nan")
    share = f"{agree + differ} ({(agree + differ) / max(total, 1):.0%})"
    other = sum(each.get("kinds") is False for each in rows)
    return (
        f"| {name} | {total} | {share} | {agree} | {other} | {refused} | {differ} | {down} | "
        f"{mean:.2f} |"
    )


def main():
    command, folder = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    settings = tomllib.loads((HERE / "packages.toml").read_text())
    packages = sys.argv[3:] or list(settings["tests"])
    os.environ["PYTHONPATH"] = os.pathsep.join(
        filter(None, [str(HERE.parent), os.environ.get("PYTHONPATH")])
    )
    folder.mkdir(parents=True, exist_ok=True)
    if command == "record":
        record(folder, packages, settings["tests"])
    elif command == "run":
        run(folder, packages)
    elif command == "table":
        table(folder)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
