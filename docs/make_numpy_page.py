"""Writes docs/numpy.md: what of NumPy compiled code has, as the library's registry says.

python docs/make_numpy_page.py            writes the page
python docs/make_numpy_page.py --check    exit code 1 if it is not current
"""

from __future__ import annotations

import inspect
import sys
from pathlib import Path

import numpy as np
from numjit import _core
from numjit.library.core import catalogue
from numjit.library.core.registry import registered, rows

PAGE = Path(__file__).with_name("numpy.md")

HEAD = """\
# NumPy in compiled code

This page is written by `docs/make_numpy_page.py` from the library itself; `tests/numpy` compares
every function on it with NumPy, over dtypes, memory layouts and keywords. NumPy's version here is
{version}: parameters that its functions have and ours lack are listed as not supported. A call
that passes one of them does not compile, and the message names it.

Arrays of bool, (unsigned) integers of 8 to 64 bits, `float16`, `float32`, `float64`, `complex64`
and `complex128` are supported. Where NumPy makes `float16` of something else (`np.sin` of bools and
8-bit integers) the result is `{half}`. A scalar that is an argument has a type of its own (a Python
float is `float64` also beside `float32` arrays); literals are weak, as in NumPy.
"""

# Parameters that only matter to kinds of arrays that compiled code does not have.
MEANINGLESS = {"like", "subok", "device"}


def signature(name):
    """The parameters as they are written in a call, without self."""
    shown, keyword_only = [], False
    for p in catalogue.parameters_of(name)[catalogue.is_method(name) :]:
        text = p.name
        if p.kind is p.VAR_POSITIONAL:
            text, keyword_only = "*" + text, True
        elif p.kind is p.KEYWORD_ONLY and not keyword_only:
            shown.append("*")
            keyword_only = True
        if p.default is not p.empty:
            known = p.default is not np._NoValue
            default = p.default.__name__ if inspect.isclass(p.default) else repr(p.default)
            text = f"{text}={default}" if known else f"[{text}]"
        shown.append(text)
    return f"`{name.rpartition('.')[2]}({', '.join(shown)})`"


def note(name):
    """The first paragraph of the docstring."""
    text = inspect.getdoc(registered[name]) if name in registered else None
    return " ".join(text.partition("\n\n")[0].split()).replace("|", "\\|") if text else ""


def table(header, rows):
    lines = [f"| {' | '.join(header)} |", "|---" * len(header) + "|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def functions_table(names):
    rows = []
    for name in names:
        lacking = [p for p in catalogue.lacking_parameters(name) if p not in MEANINGLESS]
        rows.append((signature(name), ", ".join(f"`{p}`" for p in lacking), note(name)))
    return table(("function", "not supported", "notes"), rows)


# -- universal functions ------------------------------------------------------------------------

DTYPES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
          "float32", "float64", "complex64", "complex128")  # fmt: skip


def short(dtype):
    return (
        dtype.replace("complex", "c").replace("float", "f").replace("uint", "u").replace("int", "i")
    )


def result_dtype(name, operands, dtype):
    call = f"np.{name[6:]}({', '.join('abcd'[:operands])})"
    text = catalogue.inferred_type(call, [f"{dtype}[::1]"] * operands)
    return text and text.removeprefix("readonly ").removeprefix("array(").partition(",")[0]


def ufuncs_table(names):
    """A row for each set of names that mean the same."""
    rows = {}
    for name in names:
        operands = len([p for p in catalogue.parameters_of(name) if p.default is p.empty])
        results = [result_dtype(name, operands, dtype) for dtype in DTYPES]
        cells = tuple(short(r) if r else "" for r in results)
        rows.setdefault((id(catalogue.numpy_object(name)), operands, cells), []).append(name[6:])
    return table(
        ("ufunc", *map(short, DTYPES)),
        [(" ".join(f"`{n}`" for n in same), *cells) for (_, _, cells), same in rows.items()],
    )


def page():
    scalar = catalogue.scalar_operations()
    names = [n for n in catalogue.functions() if catalogue.numpy_object(n, None) is not None]
    plain = [n for n in names if n not in scalar]
    half = result_dtype("numpy.sin", 1, "int8")
    parts = [HEAD.format(version=".".join(np.__version__.split(".")[:2]), half=half)]

    def section(title, text, *more):
        parts.append("\n\n".join([f"## {title}", text, *more]) + "\n")

    def of(prefix, depth):
        return [n for n in plain if n.startswith(prefix) and n.count(".") == depth]

    section("Functions", functions_table(of("numpy.", 1)))
    for module, title in (
        ("fft", "Fourier transforms"),
        ("linalg", "Linear algebra"),
        ("random", "Random numbers"),
    ):
        if found := of(f"numpy.{module}.", 2):
            section(f"{title}: `numpy.{module}`", functions_table(found))
    generator = "numpy.random._generator.Generator."
    section(
        "Random generators: methods of `numpy.random.Generator`",
        "A generator is an argument, or made by `np.random.default_rng(seed)`. Its numbers come"
        " from NumPy's own C functions: the stream, and"
        " the generator's state afterwards, are those of the interpreter.",
        functions_table(sorted(n for n in registered if n.startswith(generator))),
    )
    for module, title in (
        ("polynomial.polynomial", "Polynomials"),
        ("polynomial.polyutils", "Coefficients"),
        ("lib.stride_tricks", "Views"),
    ):
        found = [n for n in names if n.startswith(f"numpy.{module}.")]
        section(f"{title}: `numpy.{module}`", functions_table(found))
    if methods := of("Array.", 1):
        section("Methods of arrays", functions_table(methods))
    computed = {
        row.name[6:] for row in rows if row.name.startswith("Array.") and row.when == "attribute"
    }
    attributes = sorted({*_core.attribute_names("Array"), *computed})
    section("Attributes of arrays", ", ".join(f"`{n}`" for n in attributes))
    brackets = sorted(n.split(".")[1] for n in registered if n.endswith(".__getitem__")
                      and n.startswith("numpy.") and not n.startswith("numpy._"))  # fmt: skip
    section(
        "Objects that are indexed",
        ", ".join(f"`np.{n}[...]`" for n in brackets)
        + ". `np.r_` and `np.c_` take `'axis'`, `'axis,ndim'` and `'axis,ndim,place'`; numbers"
        " among their items are not weak beside `float32` arrays.",
    )
    methods = sorted(n.partition(".")[2] for n in registered if n.startswith("Function."))
    section(
        "Methods of universal functions",
        "Of ufuncs with two operands (`at` of those with one too): "
        + ", ".join(f"`{n}`" for n in methods if "__" not in n)
        + ". Reductions of functions that have no identity, and are not"
        " `reorderable`, take one axis.",
    )
    keywords = " and ".join(f"`{k}`" for k in catalogue.ufunc_keywords(2))
    section(
        "Universal functions",
        f"Beside their operands they take {keywords}. The table has the dtype of the result for"
        " arrays (or two arrays) of one dtype; where it is empty, the types are refused. Operands"
        " of two dtypes are promoted as in NumPy. Element-wise expressions of any length are one"
        " loop without temporary arrays.",
        ufuncs_table(scalar),
    )
    return "\n".join(parts)


if __name__ == "__main__":
    from generated_page import main

    sys.exit(main(PAGE, page))
