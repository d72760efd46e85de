"""python -m numjit: dumps of the compiler's stages, and facts about this installation."""

from __future__ import annotations

import argparse
import json
import os
import runpy
import sys

import numjit
from numjit import cache_commands
from numjit.dispatcher import Dispatcher
from numjit.dump import STAGES, dump_function
from numjit.errors import NumbaError
from numjit.places import near
from numjit.sysinfo import facts, report


def main(arguments=None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m numjit", description="A just-in-time compiler for numeric Python."
    )
    parser.add_argument("-s", "--sysinfo", action="store_true", help="print facts for a report")
    parser.add_argument("--sys-json", metavar="FILE", help="write the same facts as JSON")
    parser.add_argument("--version", action="version", version=_version())
    for name, text in _PRINTED.items():
        parser.add_argument(
            f"--{name}",
            metavar="FILE",
            nargs=argparse.REMAINDER,
            help=f"run a program, then print {text} of its compiled functions",
        )
    commands = parser.add_subparsers(dest="command")
    dump = commands.add_parser("dump", help="print what a stage of the compiler makes")
    dump.add_argument("place", metavar="FILE.py::function")
    dump.add_argument(
        "--types", default="()", help="argument types, as in (float64[:, ::1], int64)"
    )
    dump.add_argument(
        "--stage",
        default="typed",
        choices=STAGES,
        help="; ".join(f"{name}: {text}" for name, text in STAGES.items()),
    )
    cache_commands.add_parser(commands)
    chosen = parser.parse_args(arguments)
    if chosen.sysinfo:
        print(report())
        return 0
    if chosen.sys_json:
        with open(chosen.sys_json, "w") as file:
            json.dump(dict(facts()), file, indent=2)
        return 0
    for name in _PRINTED:
        if program := getattr(chosen, name.replace("-", "_")):
            return _run_and_print(program, name)
    if chosen.command == "dump":
        return _dump(chosen)
    if chosen.command == "cache":
        return cache_commands.run(chosen)
    parser.print_help()
    return 2


# What is printed of a program's functions, under the names of Numba's options.
_PRINTED = {
    "annotate": "the types beside the source",
    "dump-optimized": "the optimised LLVM IR",
    "dump-llvm": "the LLVM IR",
    "dump-assembly": "the assembly",
    "dump-cfg": "the control flow",
}


def _version() -> str:
    return numjit.__version__


def _run_and_print(program: list, what: str) -> int:
    path, *arguments = program
    if not os.path.exists(path):
        return _complain(f"{path}: there is no such file")
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    sys.argv = [path, *arguments]
    namespace = runpy.run_path(path, run_name="__main__")
    functions = {id(value): value for value in namespace.values() if isinstance(value, Dispatcher)}
    for function in functions.values():
        if what == "annotate":
            function.inspect_types()
            continue
        ask = {"dump-assembly": function.inspect_asm, "dump-cfg": function.inspect_cfg}
        for signature, text in ask.get(what, function.inspect_llvm)().items():
            print(f"; {function.__name__} {signature}")
            print(text)
    return 0


def _dump(chosen) -> int:
    path, separator, name = chosen.place.rpartition("::")
    if not separator:
        return _complain(f"{chosen.place}: name a function as FILE.py::function")
    if not os.path.exists(path):
        return _complain(f"{path}: there is no such file")
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    namespace = runpy.run_path(path)
    value = namespace
    for part in name.split("."):
        value = value.get(part) if isinstance(value, dict) else getattr(value, part, None)
        if value is None:
            functions = [key for key, item in namespace.items() if callable(item)]
            return _complain(f"{path} defines no {name}. {near(name, functions)}".rstrip(". "))
    try:
        print(dump_function(value, chosen.types, chosen.stage))
    except NumbaError as error:
        return _complain(f"{type(error).__name__}: {error}")
    return 0


def _complain(text: str) -> int:
    print(text, file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
