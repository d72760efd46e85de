"""Checks that no file of the product is over 600 lines long and no function over 60.

`make lint` runs this. What is longer for a reason stands in LONG with that reason. The docstring of
a Python function does not count.
"""

import ast
import pathlib
import re
import sys

FOLDERS = ("frontend", "typeinfer", "codegen", "runtime", "pyext")
MOST_OF_FILE, MOST_OF_FUNCTION = 600, 60

# file, or file::function: why it is longer
CASES = "one switch, with a line or two for each case"
LONG = {
    "frontend/instructions.cpp::StackMachine::execute": CASES,
    "typeinfer/infer/ssa_rules.cpp::SsaRules::dispatch": CASES,
    "typeinfer/ir/scalar_ops.cpp::resolve_python": CASES,
    "typeinfer/ir/typed_ir_parse.cpp::operands": CASES,
    "typeinfer/ir/verifier.cpp::check_types": CASES,
    "runtime/random_numpy.cpp::binomial_by_rejection": "a published algorithm as one loop",
    "pyext/api/compiler_api.cpp::add_compiler": "a list of what the module has",
}

# Those that are to be cut where two ideas meet.
NOT_CUT_YET = """
""".split()

# What is no code to count braces in: comments, strings, characters, lines of the preprocessor.
NOT_CODE = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\''
    r"|^[ \t]*#(?:\\\n|[^\n])*",
    re.DOTALL | re.MULTILINE,
)
SCOPE = re.compile(r"\b(namespace|class|struct|union|enum|extern)\b")
NAME = re.compile(r"(operator\s*\W{1,3}|[~\w:]+)\s*\(")


def python_functions(text: str):
    """Name and length of each function that is in no other."""

    def walk(node, prefix):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ClassDef):
                yield from walk(child, f"{prefix}{child.name}.")
            elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                first = child.body[0]
                has_doc = ast.get_docstring(child, clean=False) is not None
                doc = first.end_lineno - first.lineno + 1 if has_doc else 0
                yield f"{prefix}{child.name}", child.end_lineno - child.lineno + 1 - doc
            elif not isinstance(child, ast.expr):
                yield from walk(child, prefix)

    yield from walk(ast.parse(text), "")


def cpp_functions(text: str):
    """The same of C++, as clang-format lays it out: a space before the brace that opens a body."""
    code = NOT_CODE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    head = depth = 0  # where the declaration begins; braces open in the body or initialiser
    name, start = "", 0
    for found in re.finditer(r"[{};]", code):
        at = found.start()
        if found[0] == "{" and depth == 0:
            declaration = code[head:at]
            called = NAME.search(declaration)
            is_whole = declaration.count("(") == declaration.count(")")  # no default argument
            is_body = is_whole and code[at - 1].isspace()
            if called and is_body and "=" not in declaration[: called.start()]:
                begin = head + len(declaration) - len(declaration.lstrip())
                name, start, depth = called[1], code.count("\n", 0, begin), 1
            elif SCOPE.search(declaration) and "=" not in declaration:
                head = at + 1
            else:
                name, depth = "", 1
        elif found[0] == "{":
            depth += 1
        elif found[0] == "}" and depth:
            depth -= 1
            if depth == 0 and name:
                yield name, code.count("\n", 0, at) - start + 1
                head = at + 1
        elif not depth:
            head = at + 1


def too_long(root: pathlib.Path):
    """What is over a limit: its key in LONG, its lines, the limit."""
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in (".py", ".h", ".cpp", ".c") or not path.is_file():
                continue
            key, text = str(path.relative_to(root)), path.read_text()
            lines = text.count("\n")
            if lines > MOST_OF_FILE:
                yield key, lines, MOST_OF_FILE
            functions = python_functions if path.suffix == ".py" else cpp_functions
            for name, length in functions(text):
                if length > MOST_OF_FUNCTION:
                    yield f"{key}::{name}", length, MOST_OF_FUNCTION


def main() -> int:
    found = {key: (lines, most) for key, lines, most in too_long(pathlib.Path(__file__).parents[1])}
    complaints = [
        f"{key}: {lines} lines, more than {most}"
        for key, (lines, most) in found.items()
        if key not in LONG and key not in NOT_CUT_YET
    ]
    complaints += [
        f"{key}: short enough by now: strike it out in .ci/check_sizes.py"
        for key in (*LONG, *NOT_CUT_YET)
        if key not in found
    ]
    print(*complaints, sep="\n", end="\n" if complaints else "")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
