"""Writes docs/arguments.md: what can be passed, as the rows of tests/language/arguments.py say.

python docs/make_arguments_page.py            writes the page
"""

import sys
from pathlib import Path

PAGE = Path(__file__).with_name("arguments.md")
sys.path.insert(0, str(PAGE.parents[1] / "tests"))

from language.arguments import KINDS  # noqa: E402

HEAD = """\
# Arguments

What Python programs pass to compiled functions, and what it is there. This page is written by
`docs/make_arguments_page.py` from the rows of `tests/language/arguments.py`; `test_arguments.py`
calls functions with values of each row, and compares with the interpreter. How the items of lists
and sets get one type: [containers.md](containers.md).
"""


def cell(text):
    return (
        text.replace(".*", " ... ")
        .replace("\\", "")
        .replace("(list|set)", "list")
        .replace("|", "\\|")
    )


def page():
    lines = [HEAD]
    for group in dict.fromkeys(each.group for each in KINDS):
        rows = [each for each in KINDS if each.group == group]
        lines += [f"## {group.capitalize()}\n", "| argument | in compiled code |", "|---|---|"]
        for each in rows:
            if not each.refused:
                lines.append(f"| {each.name} | {cell(each.comes_as)} |")
        lines += ["", "| refused | the error says |", "|---|---|"]
        lines += [f"| {each.name} | `{cell(each.refused)}` |" for each in rows if each.refused]
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    PAGE.write_text(page())
