"""Writes the table of instructions of the CPython that runs it, from its own module `opcode`.

    python3.12 frontend/opcodes/generate.py            writes frontend/opcodes/3.12.def
    python3.12 frontend/opcodes/generate.py --check    fails if that file says something else

The numbers and sizes of a version come from here and from nowhere else. What the instructions do
is said once for all versions, in frontend/opcodes.def.
"""

import opcode
import sys
from pathlib import Path

VERSION = f"{sys.version_info[0]}.{sys.version_info[1]}"
PATH = Path(__file__).parent / f"{VERSION}.def"
HEADER = f"""\
// The instructions of CPython {VERSION}: INSTRUCTION(name, number, code units of inline cache).
// Written by frontend/opcodes/generate.py.
"""


def instructions():
    """Name, number and cache size of what code objects hold, in the order of the numbers.

    Pseudo-instructions (from 256) exist in the compiler only; instrumented ones replace others
    while a tool watches, and `co_code` does not show them.
    """
    caches = opcode._inline_cache_entries
    for name, number in sorted(opcode.opmap.items(), key=lambda item: item[1]):
        if number < 256 and not name.startswith("INSTRUMENTED_"):
            # A dict by names since 3.13, a list by numbers before.
            size = caches.get(name, 0) if isinstance(caches, dict) else caches[number]
            yield name, number, size


def table():
    rows = [f"INSTRUCTION({name}, {number}, {size})\n" for name, number, size in instructions()]
    return HEADER + "".join(rows)


def main():
    if "--check" not in sys.argv[1:]:
        PATH.write_text(table())
    elif not PATH.exists() or PATH.read_text() != table():
        sys.exit(f"{PATH} does not hold the instructions of this CPython {VERSION}: run {__file__}")


if __name__ == "__main__":
    main()
