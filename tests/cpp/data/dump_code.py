"""Writes the fixtures of the frontend's unit tests, for the Python that runs it.

    python3.12 tests/cpp/data/dump_code.py

writes frontend-3.12.txt (code objects of frontend_functions.py) beside this file, for
tests/cpp/code_fixture.h. What the interpreter says about its instructions is written by
frontend/opcodes/generate.py.
"""

import sys
from pathlib import Path
from types import CodeType

HERE = Path(__file__).parent
VERSION = f"{sys.version_info[0]}.{sys.version_info[1]}"


def constant_lines(value):
    if isinstance(value, CodeType):
        yield "code"
        yield from code_lines(value)
    elif isinstance(value, (tuple, frozenset)):
        yield f"tuple {len(value)}"
        for item in value:
            yield from constant_lines(item)
    elif isinstance(value, bool) or value is None or value is ...:
        yield repr(value).lower()
    elif isinstance(value, int):
        yield f"int {value}"
    elif isinstance(value, float):
        yield f"float {value!r}"
    elif isinstance(value, str):
        yield f"str {value}"
    else:
        raise TypeError(f"no fixture for constants of type {type(value)}")


def position_lines(code):
    for position in list(code.co_positions()):
        yield " ".join("-1" if part is None else str(part) for part in position)


def code_lines(code):
    yield f"name {code.co_name}"
    yield f"qualname {code.co_qualname}"
    yield f"line {code.co_firstlineno}"
    yield f"flags {code.co_flags}"
    yield f"args {code.co_argcount} {code.co_posonlyargcount} {code.co_kwonlyargcount}"
    local = list(code.co_varnames)
    local += [name for name in code.co_cellvars if name not in local]
    local += code.co_freevars
    for key, names in (
        ("names", code.co_names),
        ("varnames", code.co_varnames),
        ("cellvars", code.co_cellvars),
        ("freevars", code.co_freevars),
        ("localsplus", local),
    ):
        yield " ".join([key, *names])
    yield f"bytecode {code.co_code.hex()}"
    yield f"linetable {code.co_linetable.hex()}"
    yield f"exceptiontable {code.co_exceptiontable.hex()}"
    yield f"consts {len(code.co_consts)}"
    for value in code.co_consts:
        yield from constant_lines(value)


def main():
    # One function's body is too long for a source file that people read.
    body = "(" + " + ".join(f"a.name{i}" for i in range(130)) + ")"
    path = HERE / "frontend_functions.py"
    namespace = {"__name__": "frontend_functions"}
    source = path.read_text().replace("WIDE_BODY", body)
    exec(compile(source, path.name, "exec"), namespace)
    lines = []
    for function in namespace["FUNCTIONS"]:
        lines.append("function")
        lines.extend(code_lines(function.__code__))
        if function.__name__ == "nested_loops":
            positions = list(position_lines(function.__code__))
            lines.append(f"positions {len(positions)}")
            lines.extend(positions)
    (HERE / f"frontend-{VERSION}.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
