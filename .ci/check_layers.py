"""Checks that the stages depend only leftwards and stay free of what they must not know.

Each stage may include its own headers, those of the stages named in its row, and no header that
matches a forbidden prefix. `runtime` lies below them all: its table of operations and the layout
of its structures are what the other stages compile to. `make lint` runs it; the linker catches
only what is called.
"""

import pathlib
import re
import sys

PYTHON = ("Python.h", "numpy/", "pybind11/", "structmember.h")
LLVM = ("llvm/", "llvm-c/")

# stage: (stages it may include, headers it must not know)
LAYERS = {
    "runtime": ((), PYTHON + LLVM),
    "frontend": ((), PYTHON + LLVM),
    "typeinfer": (("frontend", "runtime"), PYTHON + LLVM),
    "codegen": (("typeinfer", "frontend", "runtime"), PYTHON),
    "pyext": (("codegen", "typeinfer", "frontend", "runtime"), ()),
}

INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]')


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


def main() -> int:
    found = list(complaints(pathlib.Path(__file__).resolve().parent.parent))
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
