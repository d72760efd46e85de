"""python -m numjit.cupy check FILE...: which names of CuPy and PyCUDA a program uses, and which of
them are missing here."""

from __future__ import annotations

import argparse
import ast
import collections
import importlib
import pathlib
import sys

_PACKAGES = {"cupy": "numjit.cupy", "cupyx": "numjit.cupyx", "pycuda": "numjit.pycuda"}


def _chain(node):
    """["cp", "linalg", "norm"] of cp.linalg.norm; None for what is no chain of names."""
    names = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return [node.id, *reversed(names)]


def _imported(tree):
    """Names of a program -> what of the packages they are."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for each in node.names:
                if each.name.split(".")[0] in _PACKAGES:
                    path = each.name if each.asname else each.name.split(".")[0]
                    found[each.asname or path] = path
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            if node.module.split(".")[0] in _PACKAGES:
                for each in node.names:
                    found[each.asname or each.name] = f"{node.module}.{each.name}"
    return found


def names_of(text):
    """How often a program uses each name of the packages."""
    tree = ast.parse(text)
    imported = {"xp": "cupy", **_imported(tree)}
    counts = collections.Counter()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            if node.module.split(".")[0] in _PACKAGES:
                counts.update(f"{node.module}.{each.name}" for each in node.names)
    inner = {
        id(node.value) for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Attribute)
    }  # fmt: skip
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and id(node) not in inner:
            chain = _chain(node)
            if chain and chain[0] in imported:
                counts[".".join([imported[chain[0]], *chain[1:]])] += 1
    return counts


def is_there(name):
    """Whether this package has a name; of an object behind it nothing is asked."""
    package, *rest = name.split(".")
    value = importlib.import_module(_PACKAGES[package])
    for part in rest:
        if not isinstance(value, type(importlib)) and not hasattr(value, part):
            return True  # an attribute of a result, a class or a dtype
        try:
            value = getattr(value, part)
        except AttributeError:
            try:
                value = importlib.import_module(f"{value.__name__}.{part}")
            except ImportError:
                return False
    return True


def main(arguments=None) -> int:
    parser = argparse.ArgumentParser(prog="python -m numjit.cupy", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    check = commands.add_parser("check", help="count names of programs, and say what is missing")
    check.add_argument("files", nargs="+", metavar="FILE", type=pathlib.Path)
    chosen = parser.parse_args(arguments)
    counts = collections.Counter()
    for path in chosen.files:
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            counts += names_of(file.read_text())
    missing = {name: count for name, count in counts.items() if not is_there(name)}
    print(f"{len(counts)} names, {sum(counts.values())} uses; missing: {len(missing)} names, "
          f"{sum(missing.values())} uses")  # fmt: skip
    for name, count in sorted(missing.items(), key=lambda row: (-row[1], row[0])):
        print(f"{count:6}  {name}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
