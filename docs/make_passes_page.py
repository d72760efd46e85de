"""Writes docs/passes.md: the passes over typed IR and the parts of LLVM's pipelines.

python docs/make_passes_page.py            writes the page
python docs/make_passes_page.py --check    exit code 1 if it is not current
"""

from __future__ import annotations

import sys
from pathlib import Path

from numjit import _core

PAGE = Path(__file__).with_name("passes.md")

HEAD = """\
# Passes

This page is written by `docs/make_passes_page.py` from the compiler's own list;
`tests/stage/test_passes_page.py` sees to it that the page is current. Passes run in this order.
[Add a pass](add-a-pass.md) says how one is written; `NUMJIT_DUMP=name,name` prints typed IR after
the passes over it that are named.
"""

TITLES = {
    "typed": "Over typed IR",
    "llvm": "LLVM's, for the processor",
    "llvm of kernels": "LLVM's, for kernels of GPUs",
}


def page() -> str:
    lines = [HEAD]
    for stage, title in TITLES.items():
        lines += [f"## {title}\n", "| name | when | what it does |", "|---|---|---|"]
        lines += [
            f"| `{name}` | {when} | {what} |"
            for of, name, when, what in _core.passes()
            if of == stage
        ]
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    from generated_page import main

    sys.exit(main(PAGE, page))
