"""Blocks of `with objmode(y="float64[:]"):` in compiled functions.

    def f(x):                                def f(x):
        with objmode(y="float64[:]"):   ->       (y,) = $block(x)
            y = anything(x)                      return y.sum()
        return y.sum()
                                             def $block(x):
                                                 y = anything(x)
                                                 return (y,)

The block becomes a function that the interpreter runs. It is handed the local variables that it
reads, and returns those that are declared, converted to their types. Line numbers stay those of
the source.

`with parallel_chunksize(n):` becomes an assignment of the number before the block, and one behind
it that puts back what was there.
"""

from __future__ import annotations

import ast
import builtins

from numjit.diagnostics import make_error
from numjit.errors import UnsupportedError
from numjit.loop_lifting import compile_tree, function_around, function_tree, tuple_of
from numjit.python_calls import PythonCall
from numjit.signature_text import parse_type
from numjit.special import parallel_chunksize, set_parallel_chunksize
from numjit.types import Tuple, Type
from numjit.types.rows import handle_of

_SET_CHUNKS = "__numjit_set_chunks"


class objmode:
    """In compiled code: the block runs in the interpreter, and assigns variables of these types."""

    def __init__(self, *args, **types):
        if args:
            raise UnsupportedError("objectmode context doesn't take any positional arguments")
        self.types = types

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return None


objmode_context = objmode  # its name among Numba's modules


def rewritten(function):
    """The function with its blocks turned into calls; itself if it has none."""
    tree = function_tree(function)
    if tree is None:
        return function  # the with statement is refused where it stands
    names = _Names(function)
    contexts = {node: names.context(node) for node in ast.walk(tree) if isinstance(node, ast.With)}
    if not any(contexts.values()):
        return function
    local = frozenset(function.__code__.co_varnames + function.__code__.co_cellvars)
    calls, places = {}, {}
    for number, (node, context) in enumerate(contexts.items()):
        if context is None:
            continue
        _check_body(node, function, context.__name__)
        if context is parallel_chunksize:
            calls[_SET_CHUNKS] = set_parallel_chunksize
            places[id(node)] = f"__numjit_chunks_{number}"
            continue
        outputs = names.outputs(node)
        inputs = _inputs(node.body, local)
        name = f"__numjit_objmode_{number}"
        body = compile_tree(_body_tree(name, node, inputs, tuple(outputs)), function)
        calls[name] = PythonCall(body, _tuple(outputs.values()))
        places[id(node)] = (name, inputs, tuple(outputs))
    return compile_tree(_Replace(places).visit(tree), function, calls)


def _tuple(members):
    for member in (members := tuple(members)):
        handle_of(member)  # refuses what compiled code does not know
    return Tuple(members)


# -- reading the source ----------------------------------------------------------------------------


class _Names:
    """What names outside of the function mean."""

    def __init__(self, function):
        cells = zip(function.__code__.co_freevars, function.__closure__ or ())
        self.scope = dict(vars(builtins))
        self.scope.update(function.__globals__)
        self.scope.update((name, cell.cell_contents) for name, cell in cells if _is_filled(cell))
        self.function = function

    def value(self, node: ast.expr):
        code = compile(ast.Expression(node), self.function.__code__.co_filename, "eval")
        return eval(code, self.scope)

    def context(self, node: ast.With):
        """What a block is under, if that is known here: objmode or parallel_chunksize."""
        if len(node.items) != 1 or not isinstance(node.items[0].context_expr, ast.Call):
            return None
        try:
            value = self.value(node.items[0].context_expr.func)
        except Exception:  # a local variable, or anything else
            return None
        return value if value in (objmode, parallel_chunksize) else None

    def no_type(self, keyword: ast.keyword, reason: str) -> Exception:
        code, value = self.function.__code__, keyword.value
        place = (
            *(code.co_filename, self.function.__qualname__, code.co_firstlineno),
            *(value.lineno, value.end_lineno, value.col_offset, value.end_col_offset, ""),
        )
        text = f"Error handling objmode argument {keyword.arg!r}. {reason}"
        return make_error("CompilerError", text, [place], 'a type is written y="float64[:]"')

    def _why(self, error: Exception) -> str:
        if isinstance(error, NameError):
            kind = "Freevar" if error.name in self.function.__code__.co_freevars else "Global"
            return f"{kind} {error.name!r} is not defined."
        if isinstance(error, AttributeError):
            return f"Getattr cannot be resolved at compile-time: {error}"
        return str(error)

    def outputs(self, node: ast.With) -> dict:
        """The declared variables and their types."""
        call = node.items[0].context_expr
        if call.args:
            raise UnsupportedError("objectmode context doesn't take any positional arguments")
        outputs = {}
        for keyword in call.keywords:
            try:
                value = self.value(keyword.value)
                type_ = parse_type(value) if isinstance(value, str) else value
            except Exception as error:
                raise self.no_type(keyword, self._why(error)) from error
            if not isinstance(type_, Type):
                what = "The value must be a compile-time constant either as a non-local variable or"
                reason = (
                    f"{what} a getattr expression that refers to a Numba type. {value!r} is none"
                )
                raise self.no_type(keyword, reason)
            outputs[keyword.arg] = type_
        return outputs


def _is_filled(cell) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True


def _check_body(node: ast.With, function, context: str) -> None:
    """Control stays in the block: it becomes a function, or something is put back behind it."""
    stack: list = [(statement, False) for statement in node.body]
    while stack:
        item, in_loop = stack.pop()
        if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            continue
        leaves = isinstance(item, (ast.Return, ast.Yield, ast.YieldFrom, ast.Await)) or (
            isinstance(item, (ast.Break, ast.Continue)) and not in_loop
        )
        if leaves:
            raise UnsupportedError(
                f"unsupported control flow in a with {context} block: "
                f"{type(item).__name__.lower()} in line {item.lineno} of {function.__qualname__}"
            )
        inside = in_loop or isinstance(item, (ast.For, ast.While))
        stack.extend((child, inside) for child in ast.iter_child_nodes(item))


def _inputs(body: list, local: frozenset) -> tuple:
    """Local variables that the block reads before it surely has assigned them, in order of name."""
    read: set = set()
    assigned: set = set()

    def visit(node):
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Store):
                assigned.add(node.id)
            elif node.id in local and node.id not in assigned:
                read.add(node.id)
            return
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.For):
            value = node.iter if isinstance(node, ast.For) else node.value
            if value is not None:
                visit(value)
            if not isinstance(node, ast.For):
                for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                    visit(target)
                return
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            if node.target.id in local and node.target.id not in assigned:
                read.add(node.target.id)
        if isinstance(node, _SOMETIMES):
            before = set(assigned)
            for child in ast.iter_child_nodes(node):
                visit(child)
            assigned.intersection_update(before)
            return
        if isinstance(node, _SCOPES):
            inner = _own_names(node)
            for name in ast.walk(node):
                if isinstance(name, ast.Name) and name.id in local - assigned - inner:
                    read.add(name.id)
            if isinstance(node, ast.FunctionDef):
                assigned.add(node.name)
            return
        for child in ast.iter_child_nodes(node):
            visit(child)

    for statement in body:
        visit(statement)
    # A variable that only the block assigns has no value before it.
    return tuple(sorted(read))


_SOMETIMES = (ast.If, ast.For, ast.While, ast.Try, ast.Match, ast.IfExp, ast.BoolOp)
_SCOPES = (
    ast.FunctionDef,
    ast.Lambda,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
)


def _own_names(node: ast.AST) -> set:
    """Names that an inner scope binds itself."""
    names = {item.arg for item in ast.walk(node) if isinstance(item, ast.arg)}
    for item in ast.walk(node):
        if isinstance(item, ast.Name) and isinstance(item.ctx, ast.Store):
            names.add(item.id)
    return names


# -- making the functions --------------------------------------------------------------------------


def _body_tree(name: str, node: ast.With, inputs: tuple, outputs: tuple) -> ast.FunctionDef:
    result = ast.Return(tuple_of(outputs, ast.Load()))
    return function_around(name, inputs, node.body, result, node)


class _Replace(ast.NodeTransformer):
    """Puts calls in the place of the blocks."""

    def __init__(self, places: dict):
        self._places = places

    def visit_With(self, node):
        found = self._places.get(id(node))
        if found is None:
            return self.generic_visit(node)
        if isinstance(found, str):
            return self._in_chunks(node, found)
        name, inputs, outputs = found
        call = ast.Call(
            ast.Name(name, ast.Load()), [ast.Name(item, ast.Load()) for item in inputs], []
        )
        if outputs:
            made = ast.Assign([tuple_of(outputs, ast.Store())], call)
        else:
            made = ast.Expr(call)
        ast.copy_location(made, node.items[0].context_expr)
        return ast.fix_missing_locations(made)

    def _in_chunks(self, node, before: str) -> list:
        """before = set(n); the block; set(before)"""
        call = node.items[0].context_expr
        start = ast.Assign([ast.Name(before, ast.Store())], _set_chunks(call.args, call.keywords))
        end = ast.Expr(_set_chunks([ast.Name(before, ast.Load())], []))
        for made in (start, end):
            ast.fix_missing_locations(ast.copy_location(made, call))
        body = [self.visit(statement) for statement in node.body]
        flat = [each for item in body for each in (item if isinstance(item, list) else [item])]
        return [start, *flat, end]


def _set_chunks(arguments, keywords) -> ast.Call:
    return ast.Call(ast.Name(_SET_CHUNKS, ast.Load()), arguments, keywords)
