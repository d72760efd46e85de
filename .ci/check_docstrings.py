"""Checks that functions of the library say what NumPy's own documentation does not.

`make lint` runs this. In the modules of MODULES every function of NumPy's has a docstring:
accuracy, the algorithm with its source, errors, where it differs from NumPy. Elsewhere one is
written where there is something to say. Exits with 1 if one is missing; `--count` prints how many
there are.
"""

import ast
import pathlib
import sys

LIBRARY = pathlib.Path(__file__).resolve().parents[1] / "pyext" / "numjit" / "library"

# Numerical algorithms: what is computed how, and what goes wrong, is worth a line each.
MODULES = """
    numpy/covariance.py
    numpy/cumulative.py
    numpy/decompositions.py
    numpy/histograms.py
    numpy/linalg.py
    numpy/nan_statistics.py
    numpy/norms.py
    numpy/order_statistics.py
    numpy/polynomial.py
    numpy/sorting.py
    numpy/statistics.py
""".split()


def registered_name(decorator) -> str:
    """The name in `@function("numpy.sort")`; "" for other decorators."""
    if not isinstance(decorator, ast.Call) or getattr(decorator.func, "id", "") != "function":
        return ""
    first = decorator.args[0] if decorator.args else None
    return first.value if isinstance(first, ast.Constant) else ""


def functions():
    """Module, line and name of each function of the library, and whether it has a docstring."""
    for path in sorted(LIBRARY.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef):
                names = [name for each in node.decorator_list if (name := registered_name(each))]
                if names:
                    module = str(path.relative_to(LIBRARY))
                    yield module, node.lineno, names[0], ast.get_docstring(node) is not None


def main() -> int:
    rows = list(functions())
    if "--count" in sys.argv:
        print(f"{sum(row[3] for row in rows)} of {len(rows)} functions have a docstring")
    missing = [
        f"pyext/numjit/library/{module}:{line}: {name}: a docstring: accuracy, algorithm, errors"
        for module, line, name, has in rows
        if not has and module in MODULES and name.startswith("numpy.")
    ]
    print(*missing, sep="\n", end="\n" if missing else "")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
