"""Writes docs/api.md: the public names with their signatures and docstrings.

python docs/make_api_page.py            writes the page
python docs/make_api_page.py --check    exit code 1 if it is not current
"""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from pathlib import Path

PAGE = Path(__file__).with_name("api.md")

#: Module -> names, in the order of the page.
NAMES = {
    "numjit": (
        "jit njit vectorize guvectorize stencil cfunc jit_module prange typeof typed.List "
        "typed.Dict typed.Set objmode literally literal_unroll ProgressBar set_num_threads "
        "get_num_threads get_thread_id set_parallel_chunksize"
    ),
    "numjit.experimental": "jitclass structref.define_proxy",
    "numjit.dispatcher": "Dispatcher",
    "numjit.extending": "overload overload_method overload_attribute register_jitable intrinsic",
    "numjit.cuda": "jit to_device device_array pinned_array stream event reduce synchronize",
    "numjit.pycc": "CC",
}

HEAD = """\
# API

This page is written by `docs/make_api_page.py` out of the docstrings, and
`tests/language/test_docs.py` sees to it that it is current. Types are those of
[arguments](arguments.md), errors those of [errors](errors.md).
"""


def resolved(module: str, path: str):
    value = importlib.import_module(module)
    for part in path.split("."):
        if not hasattr(value, part):
            importlib.import_module(f"{value.__name__}.{part}")
        value = getattr(value, part)
    return value


def signature_of(value) -> str:
    try:
        text = str(inspect.signature(value))
    except (TypeError, ValueError):
        return "(...)"
    text = re.sub(r"<(?:function|class|object) ?'?([\w.]+).*?>", r"\1", text)
    return text.replace("(self, ", "(").replace("(self)", "()")


def text_of(value) -> str:
    """A docstring as Markdown: options, each with a line of text below, become a list."""
    text = inspect.getdoc(value) or ""
    return re.sub(r"^(\w[^\n]*)\n {4}(\S[^\n]*)\n?$", r"- `\1`: \2", text, flags=re.M)


def section(module: str, path: str) -> list[str]:
    value = resolved(module, path)
    name = f"{module}.{path}"
    lines = [
        f"### {name}",
        "",
        "```text",
        f"{path}{signature_of(value)}",
        "```",
        "",
        text_of(value),
    ]
    if inspect.isclass(value):
        for member, item in sorted(vars(value).items()):
            doc = inspect.getdoc(item)
            if (
                not member.startswith("_")
                and doc
                and (callable(item) or isinstance(item, property))
            ):
                shown = member + (signature_of(item) if callable(item) else "")
                lines += ["", f"- `{shown}`: {doc.split(chr(10) * 2)[0].replace(chr(10), ' ')}"]
    return [*lines, ""]


def page() -> str:
    lines = [HEAD]
    for module, names in NAMES.items():
        lines += [f"## {module}", ""]
        for path in names.split():
            lines += section(module, path)
    return "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    from generated_page import main

    sys.exit(main(PAGE, page))
