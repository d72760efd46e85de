"""python -m numjit: dumps of the compiler's stages, and facts about this installation."""

from __future__ import annotations

import argparse
import os
import runpy
import sys


def main(arguments=None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m numjit", description="A just-in-time compiler for numeric Python."
    )
    parser.add_argument("-s", "--sysinfo", action="store_true", help="print facts for a report")
    commands = parser.add_subparsers(dest="command")
    dump = commands.add_parser("dump", help="print what a stage of the compiler makes")
    from numjit.dump import STAGES

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
    chosen = parser.parse_args(arguments)
    if chosen.sysinfo:
        from numjit.sysinfo import report

        print(report())
        return 0
    if chosen.command == "dump":
        return _dump(chosen)
    parser.print_help()
    return 2


def _dump(chosen) -> int:
    from numjit.dump import dump_function
    from numjit.errors import NumbaError

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
            from numjit.diagnostics import near

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
