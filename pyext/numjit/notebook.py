"""IPython's extension: `%load_ext numjit` makes the magics %%njit and %jit_report."""

from __future__ import annotations

import ast

from numjit.decorators import njit
from numjit.functions import is_jitted
from numjit.options import check_options

_DECORATOR = "__numjit_cell_decorator"


def load_ipython_extension(shell):
    """IPython calls it for `%load_ext numjit`."""
    shell.register_magic_function(_Cell(shell), "cell", "njit")
    shell.register_magic_function(_Report(shell), "line", "jit_report")


def unload_ipython_extension(shell):
    """IPython calls it for `%unload_ext numjit`."""
    shell.magics_manager.magics["cell"].pop("njit", None)
    shell.magics_manager.magics["line"].pop("jit_report", None)


class _Cell:
    """%%njit [option=value ...]

    Compiles the functions that the cell defines, and runs the cell:

        %%njit parallel=True fastmath=True
        def total(a):
            ...

    The options are those of numjit.njit. Functions with decorators, and those within others, stay
    as they are written.
    """

    def __init__(self, shell):
        self._shell = shell
        self.__doc__ = type(self).__doc__

    def __call__(self, line, cell):
        __tracebackhide__ = True
        shell = self._shell
        source = shell.transform_cell(cell)
        number = len(shell.user_ns.get("In", [])) - 1
        name = shell.compile.cache(source, number, raw_code=cell)
        tree = shell.transform_ast(shell.compile.ast_parse(source, filename=name))
        options = check_options(self._options(line))  # a cell is there to be run: at once
        shell.user_ns[_DECORATOR] = njit(**options)
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and not node.decorator_list:
                decorator = ast.copy_location(ast.Name(_DECORATOR, ast.Load()), node)
                node.decorator_list = [ast.fix_missing_locations(decorator)]
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(shell.compile(tree, name, "exec"), shell.user_global_ns, shell.user_ns)
        if last is None:
            return None
        value = shell.compile(ast.Expression(last.value), name, "eval")
        return eval(value, shell.user_global_ns, shell.user_ns)

    def _options(self, line):
        """The keywords of a call, with or without commas between them."""
        from IPython.core.error import UsageError

        try:
            call = ast.parse(f"f({_with_commas(line)})", mode="eval").body
            if not isinstance(call, ast.Call) or call.args or None in _names(call):
                raise SyntaxError("not options")
        except SyntaxError:
            raise UsageError(f"%%njit takes options such as parallel=True, not {line!r}") from None
        namespace = self._shell.user_ns
        return {
            keyword.arg: eval(compile(ast.Expression(keyword.value), "<%%njit>", "eval"), namespace)
            for keyword in call.keywords
        }


def _names(call):
    return [keyword.arg for keyword in call.keywords]


def _with_commas(line):
    """`a=1 b={1, 2}` as `a=1, b={1, 2}`: a comma goes where the text stops being an expression."""
    done, current = [], ""
    for word in line.split():
        starts = word.partition("=")[0].isidentifier() and "=" in word
        if starts and current and _is_whole(current):
            done.append(current)
            current = word
        else:
            current = f"{current} {word}" if current else word
    return ", ".join(part.rstrip(",") for part in [*done, current] if part)


def _is_whole(text):
    try:
        ast.parse(f"f({text})")
    except SyntaxError:
        return False
    return True


class _Report:
    """%jit_report function

    Shows what was compiled of a function: `function.report()`.
    """

    def __init__(self, shell):
        self._shell = shell
        self.__doc__ = type(self).__doc__

    def __call__(self, line):
        from IPython.core.error import UsageError

        if not line.strip():
            raise UsageError("%jit_report needs the name of a compiled function")
        value = self._shell.ev(line)
        if not is_jitted(value):
            raise UsageError(f"{line.strip()} is no compiled function but {type(value).__name__}")
        return value.report()
