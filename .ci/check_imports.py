"""Checks that the modules of the Python package depend in one direction.

`make lint` runs this. A module imports only modules of its own layer and of those before it, and no
two modules import each other in a circle. Imports inside functions count like those at the top.
They have one of two reasons: they keep the start of a program short (the module is among those that
a program of STARTS loads, the imported one is not), or the imported one is in LATE.
"""

import ast
import pathlib
import sys
from typing import NamedTuple

from check_layers import circles

# Name of the layer: its modules and packages, by their names within numjit. The longest name wins.
LAYERS = {
    "ground": """
        functions derived upcalls places colours errors suggestions diagnostics config caching
        timing special python_calls debugging threadpools compat.entrypoints compat.numba_paths
        compat.cupy_paths
        profiling library.core
    """,
    "types": "types",
    "compiling": """
        signatures signature_text options option_docs dump inspection parallel_diagnostics
        remarks reasons report object_mode loop_flow loop_lifting pickling extending typed
        with_objmode np.numpy_support
    """,
    "library": """
        library library.core.foreign library.core.special_functions library.core.ufunc_loops
        library.core.catalogue
    """,
    "decorators": "dispatcher decorators",
    "features": """
        ufuncs gufuncs ufunc_base stencils jitclasses plain_classes closures experimental
        first_class callbacks standalone standalone_source pycc compat core np
        progress
    """,
    "package": "numjit",
    "kernels": "cuda",
    "gpu arrays": "cupy cupyx pycuda",
    "tools": "versions sysinfo notebook cache_commands __main__",
}

# What programs load.
CALLS_NJIT = (
    "numjit numjit.dispatcher numjit.options numjit.caching numjit.python_calls "
    "numjit.compat.entrypoints"
)
STARTS = {
    "calls a function under @njit": CALLS_NJIT,
    "computes with device arrays": CALLS_NJIT
    + " numjit.cupy numjit.cupy.ndarrays numjit.cupy.creation numjit.cupy.elementwise",
}

# Imported inside functions alone, and why.
LATE = {
    "IPython": "optional",
    "asyncio": "takes long; one method needs it",
    "packaging": "optional; tests need it",
    "pytest": "optional; tests need it",
    "cffi": "optional",
    "cloudpickle": "optional",
    "llvmlite": "optional",
    "numpy.random": "takes long; NumPy imports it late, too",
    "scipy": "optional, and takes long",
    "setuptools": "optional",
    "difflib": "only errors need it",
    "unicodedata": "only errors need it",
}

PACKAGE = pathlib.Path(__file__).parents[1] / "pyext" / "numjit"


class Import(NamedTuple):
    module: str
    line: int
    function: bool  # inside of one


def modules() -> dict[str, pathlib.Path]:
    """The files of the package by the full names of their modules."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def is_for_type_checkers(node) -> bool:
    return isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"


def imports_of(name: str, path: pathlib.Path, known) -> list[Import]:
    found = []

    def note(full: str, line: int, inside: bool):
        if full not in (name, "numjit._core"):
            found.append(Import(full, line, inside))

    def base_of(node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module
        parts = name.split(".")
        parts = parts if path.name == "__init__.py" else parts[:-1]
        parts = parts[: len(parts) - node.level + 1]
        return ".".join([*parts, *([node.module] if node.module else [])])

    def walk(node, inside: bool):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import):
                for alias in child.names:
                    note(alias.name, child.lineno, inside)
            elif isinstance(child, ast.ImportFrom):
                base = base_of(child)
                for alias in child.names:
                    full = f"{base}.{alias.name}"
                    is_module = full in known or full == "numjit._core"
                    note(full if is_module else base, child.lineno, inside)
            elif not is_for_type_checkers(child):
                is_function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
                walk(child, inside or is_function)

    walk(ast.parse(path.read_text()), False)
    return found


def layer_of(name: str) -> int:
    """The number of a module's layer, -1 if it is in none."""
    best = ""
    name = name.removeprefix("numjit.")
    number = -1
    for i, names in enumerate(LAYERS.values()):
        for each in names.split():
            if (name == each or name.startswith(each + ".")) and len(each) > len(best):
                best, number = each, i
    return number


def is_listed(module: str) -> bool:
    """Whether LATE names it, or a package that it is in."""
    parts = module.split(".")
    return any(".".join(parts[:n]) in LATE for n in range(1, len(parts) + 1))


def loaded_by(starts, imports) -> set[str]:
    """The modules that are imported with some, but for imports inside functions."""
    found, waiting = set(), list(starts)
    while waiting:
        name = waiting.pop()
        if name in found or name not in imports:
            continue
        found.add(name)
        waiting += [each.module for each in imports[name] if not each.function]
        waiting += [name.rpartition(".")[0]]
    return found


def complaints():
    known = modules()
    imports = {name: imports_of(name, path, known) for name, path in known.items()}
    starts = [loaded_by(names.split(), imports) for names in STARTS.values()]
    names = list(LAYERS)
    uses = {
        name: {
            each.module: f"{name} imports {each.module}" for each in each_of if each.module in known
        }
        for name, each_of in imports.items()
    }
    for name, each_of in imports.items():
        path = known[name].relative_to(PACKAGE.parents[1])
        mine = layer_of(name)
        if mine < 0:
            yield f"{path}: {name} is in no layer of .ci/check_imports.py"
            continue
        for module, line, inside in each_of:
            if module in known and layer_of(module) > mine:
                yield (
                    f"{path}:{line}: {name} ({names[mine]}) must not import {module} "
                    f"({names[layer_of(module)]})"
                )
            keeps_start_short = any(name in start and module not in start for start in starts)
            if inside and not (keeps_start_short or is_listed(module)):
                yield f"{path}:{line}: import {module} at the top of the module"
            if not inside and is_listed(module):
                yield f"{path}:{line}: import {module} where it is used"
    for circle in circles(uses):
        yield "a circle: " + "; ".join(circle)


def main() -> int:
    found = list(complaints())
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
