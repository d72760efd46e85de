"""Checks that stages depend only leftwards, and the folders of a stage only on those before them.

Each stage may include its own headers, those of the stages named in its row, and no header that
matches a forbidden prefix. `runtime` lies below them all: its table of operations and the layout
of its structures are what the other stages compile to. Within a stage, folders and the headers at
its top may not include each other in a circle, nor may units: a header with the source of its name.
A header that several sources implement, as with functions that call each other over nested types,
has none of its name. `make lint` runs this; the linker catches only what is called.
"""

import pathlib
import re
import sys

PYTHON = ("Python.h", "numpy/", "pybind11/", "structmember.h")
LLVM = ("llvm/", "llvm-c/")

# Stage: (stages it may include, headers it must not know)
LAYERS = {
    "runtime": ((), PYTHON + LLVM),
    "frontend": ((), PYTHON + LLVM),
    "typeinfer": (("frontend", "runtime"), PYTHON + LLVM),
    "codegen": (("typeinfer", "frontend", "runtime"), PYTHON),
    "pyext": (("codegen", "typeinfer", "frontend", "runtime"), ()),
}

INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.MULTILINE)


def complaints(root: pathlib.Path):
    for stage, (allowed, forbidden) in LAYERS.items():
        files = sorted((root / stage).rglob("*.h")) + sorted((root / stage).rglob("*.cpp"))
        for path in files:
            for number, line in enumerate(path.read_text().splitlines(), 1):
                found = INCLUDE.match(line)
                if not found:
                    continue
                header = found[1]
                folder = header.partition("/")[0]
                if header.startswith(forbidden) or (
                    folder in LAYERS and folder != stage and folder not in allowed
                ):
                    yield f"{path.relative_to(root)}:{number}: {stage} must not include {header}"


def folder_of(path: str) -> str:
    """The folder within a stage that a source file lies in, or the file if it lies at the top."""
    return path.split("/")[1]


def unit_of(path: str) -> str:
    return path if path.endswith(".def") else path.rpartition(".")[0]


def units_used(root: pathlib.Path, stage: str, unit_of=unit_of) -> dict[str, dict[str, str]]:
    """For each unit of a stage the others that it includes, each with one file that does."""
    uses: dict[str, dict[str, str]] = {}
    for path in sorted((root / stage).rglob("*.[hc]*")):
        if path.suffix not in (".h", ".cpp", ".c"):
            continue
        name = str(path.relative_to(root))
        mine = uses.setdefault(unit_of(name), {})
        for header in INCLUDE.findall(path.read_text()):
            if header.startswith(f"{stage}/") and unit_of(header) != unit_of(name):
                mine.setdefault(unit_of(header), f"{name} includes {header}")
    return uses


def roads_from(start: str, uses: dict[str, dict[str, str]]) -> dict[str, list[str]]:
    """The units that a unit uses, over others or not, each with a shortest way to it."""
    roads = {unit: [reason] for unit, reason in uses.get(start, {}).items()}
    waiting = list(roads)
    for unit in waiting:
        for other, reason in uses.get(unit, {}).items():
            if other not in roads:
                roads[other] = [*roads[unit], reason]
                waiting.append(other)
    return roads


def circles(uses: dict[str, dict[str, str]]):
    """One shortest circle through each unit that lies on one, as the includes that make it."""
    told: set[frozenset[str]] = set()
    for start in uses:
        roads = roads_from(start, uses)
        if start in roads and frozenset(roads[start]) not in told:
            told.add(frozenset(roads[start]))
            yield roads[start]


def main() -> int:
    root = pathlib.Path(__file__).resolve().parent.parent
    found = list(complaints(root))
    for stage in LAYERS:
        for parts in (folder_of, unit_of):
            uses = units_used(root, stage, parts)
            found += ["a circle: " + "; ".join(circle) for circle in circles(uses)]
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
