"""python -m numjit cache: lists, prunes and builds the cache on disk (docs/cache.md)."""

from __future__ import annotations

import importlib.util
import os
import pkgutil
import re
import runpy
import sys
import time
from typing import NamedTuple

from numjit import caching

_NAME = re.compile(r"(?P<stem>.+?)\.(?P<function>.+)-(?P<line>\d+)-[0-9a-f]{32}(\.\d+)?\.njc$")
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_DAY = 86400.0


class Entry(NamedTuple):
    """A file of the cache."""

    path: str
    stem: str
    function: str
    line: int
    size: int
    written: float  # seconds since 1970, by the clock of the file system


def entries(folders) -> list[Entry]:
    """The entries in some folders and below, the newest first. What goes while we look is left
    out."""
    found = []
    for top in folders:
        for folder, _, names in os.walk(top):
            for name in names:
                match = _NAME.match(name)
                path = os.path.join(folder, name)
                try:
                    facts = os.stat(path) if match else None
                except OSError:
                    continue
                if facts:
                    parts = match["stem"], match["function"], int(match["line"])
                    found.append(Entry(path, *parts, facts.st_size, facts.st_mtime))
    return sorted(found, key=lambda entry: -entry.written)


def add_parser(commands) -> None:
    """The command `cache` and its own commands."""
    cache = commands.add_parser("cache", help="list, prune and build the cache on disk")
    own = cache.add_subparsers(dest="what", required=True)
    for name, text in (("list", "print the entries"), ("prune", "remove entries")):
        each = own.add_parser(name, help=text)
        each.add_argument(
            "folder", nargs="*", help="where to look, and below; that of the user if there is none"
        )
        if name == "prune":
            each.add_argument("--bytes", type=size_of, help="keep the newest, up to 500M, 2G, ...")
            each.add_argument("--days", type=float, help="remove what is older")
            each.add_argument("--all", action="store_true", help="remove every entry")
    build = own.add_parser("build", help="compile a package into a cache beside its sources")
    build.add_argument("package", help="its name, as in import")
    build.add_argument(
        "--run", metavar="FILE", action="append", default=[], help="a program that calls functions"
    )


def run(chosen) -> int:
    """Runs the command line."""
    if chosen.what == "build":
        return build(chosen.package, chosen.run)
    found = entries(chosen.folder or [caching.users_folder()])
    if chosen.what == "list":
        return list_entries(found)
    if chosen.bytes is None and chosen.days is None and not chosen.all:
        print("say what is to go: --bytes, --days or --all", file=sys.stderr)
        return 2
    return prune(found, 0 if chosen.all else chosen.bytes, chosen.days)


def size_of(text: str) -> int:
    """Bytes of "300", "20K", "500M", "2G"."""
    match = re.fullmatch(r"(\d+)([KMG]?)B?", text.strip().upper())
    if not match:
        raise ValueError(text)
    return int(match[1]) * _UNITS[match[2]]


def list_entries(found) -> int:
    now = time.time()
    for entry in found:
        days = (now - entry.written) / _DAY
        print(
            f"{entry.size:9d} {days:7.1f} d  {entry.function}:{entry.line} of {entry.stem}  "
            f"{os.path.dirname(entry.path)}"
        )
    print(f"{len(found)} entries, {sum(entry.size for entry in found)} bytes")
    return 0


def prune(found, most_bytes, days) -> int:
    """Removes what is older than `days` and, the oldest first, what is over `most_bytes`."""
    now, kept, gone, freed = time.time(), 0, 0, 0
    for entry in found:
        too_old = days is not None and now - entry.written > days * _DAY
        if not too_old and (most_bytes is None or kept + entry.size <= most_bytes):
            kept += entry.size
            continue
        try:
            os.unlink(entry.path)
        except OSError:
            continue
        gone, freed = gone + 1, freed + entry.size
    print(f"removed {gone} entries, {freed} bytes; {kept} bytes are kept")
    return 0


def build(package: str, programs) -> int:
    """Imports all modules of a package and runs programs, with the code of functions of the package
    that have cache=True in folders beside their sources, which later processes read and never
    write."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        print(f"there is no package {package}", file=sys.stderr)
        return 1
    (top, *_) = spec.submodule_search_locations
    caching.building = os.path.join(os.path.abspath(top), "")
    try:
        modules = [importlib.import_module(package)]
        for each in pkgutil.walk_packages(modules[0].__path__, package + "."):
            if not each.name.endswith("__main__"):
                modules.append(importlib.import_module(each.name))
        for program in programs:
            runpy.run_path(program, run_name="__main__")
    finally:
        caching.building = ""
    found = [entry for entry in entries([top]) if caching.INSTALLED in entry.path]
    print(f"{len(found)} entries, {sum(entry.size for entry in found)} bytes below {top}")
    return 0
