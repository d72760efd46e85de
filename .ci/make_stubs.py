"""Writes the parts of the stubs (pyext/numjit/*.pyi) that tables of the package say.

Options of decorators, names of types and of errors stand between `# [what]` and `# [end]`. A test
checks that they are what this would write; `--check` does, too.
"""

import inspect
import pathlib
import re
import sys

import numjit
import numjit.cuda
from numjit import errors, types
from numjit.option_docs import annotation_of
from numjit.options import OPTIONS
from numjit.stencils import _OPTIONS as STENCIL_OPTIONS

ROOT = pathlib.Path(__file__).resolve().parents[1] / "pyext" / "numjit"
WIDTH = 100
BLOCK = re.compile(r"( *)# \[(?!end)(.+)\]\n(?:.*\n)*? *# \[end\]\n")


def options_of(name):
    """A line for each option that is a keyword of the decorator."""
    from numjit.cuda.decorators import _OPTIONS as CUDA_OPTIONS

    rows = {"cuda.jit": CUDA_OPTIONS, "stencil": STENCIL_OPTIONS}.get(name, OPTIONS)
    decorator = numjit.cuda.jit if name == "cuda.jit" else getattr(numjit, name)
    for parameter in inspect.signature(decorator).parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY:
            row = rows[parameter.name]
            kind = annotation_of(row).replace("'", '"')
            line = f"{row.name}: {kind} = ...,"
            yield f"{line}  # {row.doc}" if len(line) + len(row.doc) < WIDTH - 8 else line


def names_of_types_and_errors(_):
    kept = sorted({name for name in numjit._TYPE_NAMES if hasattr(types, name)} | {"bool"})
    yield from (f"from numjit.errors import {name} as {name}" for name in sorted(errors.__all__))
    yield from (f"from numjit.types import {name} as {name}" for name in kept)


def all_types(_):
    """Classes and functions from their modules; the class of each type that there is one of."""
    imported, others = [], []
    for name, value in sorted(vars(types).items()):
        module = getattr(value, "__module__", None) or ""
        if name.startswith("_") or name in ("Signature", "typeof", "from_dtype"):
            continue
        if isinstance(value, types.Type):
            others.append(f"{name}: {type(value).__name__}")
        elif module.startswith("numjit.types.") and value.__name__ == name:
            imported.append(f"from {module} import {name} as {name}")
        elif module.startswith("numjit.types."):
            others.append(f"{name} = {value.__name__}")
    yield from sorted(imported)
    yield ""
    yield from others


BLOCKS = {
    "options of": options_of,
    "names of types and errors": names_of_types_and_errors,
    "all types": all_types,
}


def written(text):
    """A stub with its blocks made anew."""

    def block(found):
        indent, what = found[1], found[2]
        rule = next(rule for name, rule in BLOCKS.items() if what.startswith(name))
        lines = rule(what.removeprefix("options of").strip())
        body = "".join(f"{indent}{line}".rstrip() + "\n" for line in lines)
        return f"{indent}# [{what}]\n{body}{indent}# [end]\n"

    return BLOCK.sub(block, text)


def stale():
    """The stubs that differ from what this writes, and that text."""
    for path in sorted(ROOT.rglob("*.pyi")):
        text = path.read_text()
        if (new := written(text)) != text:
            yield path, new


def main():
    found = list(stale())
    for path, text in found:
        if "--check" in sys.argv:
            print(f"{path.relative_to(ROOT.parents[1])}: run python .ci/make_stubs.py")
        else:
            path.write_text(text)
    return 1 if found and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
