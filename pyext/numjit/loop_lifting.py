"""Loops of interpreted functions as functions of their own, so that they can be compiled.

    def f(x, n):                          def f(x, n):
        print(x)                              print(x)
        s = 0.0                               s = 0.0
        for i in range(n):        ->          (s,) = $loop0(n, s)
            s += i * i                        return s
        return s
                                          def $loop0(n, s):
                                              for i in range(n):
                                                  s += i * i
                                              return (s,)

Outermost loops are taken out when their meaning stays the same: they leave only through their own
end, use plain local variables that surely have a value before the loop, and what is used after it
surely has a value then (numjit.loop_flow answers that). `make_loop` turns each new function into
what is called in its place. Line numbers stay those of the source, so tracebacks do not change.
"""

from __future__ import annotations

import ast
import linecache
import types

from numjit.loop_flow import LoopFacts, loop_facts

PREFIX = "__numjit_loop_"


def lift_loops(function, make_loop):
    """A function that does what `function` does with its loops replaced, and the replacements;
    (function, ()) if no loop can be taken out."""
    tree = function_tree(function)
    if tree is None or _has_private_names(tree, function):
        return function, ()
    facts = loop_facts(tree, frozenset(function.__code__.co_freevars), _is_constant_in(function))
    if not facts:
        return function, ()
    names = [f"{PREFIX}{index}" for index in range(len(facts))]
    loops = [
        make_loop(compile_tree(_loop_tree(name, fact), function))
        for name, fact in zip(names, facts)
    ]
    replaced = _Replace({id(fact.node): (name, fact) for name, fact in zip(names, facts)})
    outer = replaced.visit(tree)
    return compile_tree(outer, function, dict(zip(names, loops))), tuple(loops)


# -- reading the source ---------------------------------------------------------------------------


def function_tree(function) -> ast.FunctionDef | None:
    """The syntax tree of a function, at its own line numbers; None where there is no source."""
    code = function.__code__
    linecache.checkcache(code.co_filename)  # the module may be imported anew, after a change
    source = "".join(linecache.getlines(code.co_filename, function.__globals__))
    if not source:
        return None
    try:
        module = ast.parse(source)
    except SyntaxError:
        return None
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef) and node.name == code.co_name:
            first = min([node.lineno, *(item.lineno for item in node.decorator_list)])
            if first == code.co_firstlineno and _same_parameters(node, code):
                return node
    return None


def _same_parameters(node: ast.FunctionDef, code) -> bool:
    """A file that was edited since it was imported may show another function."""
    written = [
        item.arg for item in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
    ]
    return written == list(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])


def _has_private_names(tree: ast.AST, function) -> bool:
    """Names that the class around the function would mangle."""
    if "." not in function.__qualname__:
        return False
    names = (getattr(node, "id", getattr(node, "attr", "")) for node in ast.walk(tree))
    return any(name.startswith("__") and not name.endswith("__") for name in names if name)


def _is_constant_in(function):
    """Tells for a name from outside whether its value may be compiled in (a module, function or
    class) rather than handed to the loop."""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))

    def is_constant(name: str) -> bool:
        try:
            value = cells[name].cell_contents if name in cells else function.__globals__[name]
        except (KeyError, ValueError):
            return True  # a builtin, or not defined yet
        return isinstance(value, types.ModuleType) or callable(value)

    return is_constant


# -- making the functions -------------------------------------------------------------------------


def _loop_tree(name: str, fact: LoopFacts) -> ast.FunctionDef:
    result = ast.Return(tuple_of(fact.outputs, ast.Load()) if fact.outputs else None)
    return function_around(name, fact.inputs, [fact.node], result, fact.node)


def function_around(name, inputs, statements, result, node) -> ast.FunctionDef:
    """The function of `inputs` that runs statements, with the line numbers of `node`."""
    tree = ast.FunctionDef(
        name=name,
        args=ast.arguments(
            posonlyargs=[],
            args=[ast.arg(arg=item) for item in inputs],
            kwonlyargs=[],
            kw_defaults=[],
            defaults=[],
        ),
        body=[*statements, result],
        decorator_list=[],
        type_params=[],
    )
    for made in (tree, result):
        ast.copy_location(made, node)
    result.lineno = result.end_lineno = node.end_lineno or node.lineno
    return ast.fix_missing_locations(tree)


def tuple_of(names, context) -> ast.Tuple:
    return ast.Tuple([ast.Name(name, context) for name in names], context)


class _Replace(ast.NodeTransformer):
    """Puts calls in the place of the loops."""

    def __init__(self, loops: dict[int, tuple[str, LoopFacts]]):
        self._loops = loops

    def visit_For(self, node):
        found = self._loops.get(id(node))
        if found is None:
            return self.generic_visit(node)
        name, fact = found
        call = ast.Call(
            ast.Name(name, ast.Load()), [ast.Name(item, ast.Load()) for item in fact.inputs], []
        )
        if fact.outputs:
            made = ast.Assign([tuple_of(fact.outputs, ast.Store())], call)
        else:
            made = ast.Expr(call)
        ast.copy_location(made, node)
        made.end_lineno, made.end_col_offset = node.lineno, node.col_offset
        return ast.fix_missing_locations(made)

    visit_While = visit_For


def compile_tree(tree: ast.FunctionDef, function, extra: dict | None = None):
    """The function of a tree, living where `function` lives: its globals, closure and defaults.
    `extra` holds further closed-over names and their values."""
    extra = extra or {}
    code = function.__code__
    cells = dict(zip(code.co_freevars, function.__closure__ or ()))
    cells.update({name: types.CellType(value) for name, value in extra.items()})
    tree.decorator_list = []
    tree.returns = None
    _forget_values(tree.args)
    # Free variables are those of a function around it.
    around = ast.FunctionDef(
        name="__numjit_outer",
        args=ast.arguments(
            posonlyargs=[],
            args=[ast.arg(arg=name) for name in cells],
            kwonlyargs=[],
            kw_defaults=[],
            defaults=[],
        ),
        body=[tree],
        decorator_list=[],
        type_params=[],
    )
    ast.copy_location(around, tree)
    module = ast.fix_missing_locations(ast.Module([around], []))
    made = compile(module, code.co_filename, "exec", dont_inherit=True)
    inner = _code_named(_code_named(made, "__numjit_outer"), tree.name)
    is_whole = tree.name == code.co_name
    # Tracebacks name the user's function, also for what was taken out of it.
    inner = inner.replace(co_qualname=code.co_qualname, co_name=code.co_name)
    result = types.FunctionType(
        inner,
        function.__globals__,
        code.co_name,
        function.__defaults__ if is_whole else None,
        tuple(cells[name] for name in inner.co_freevars),
    )
    result.__module__ = function.__module__
    result.__qualname__ = function.__qualname__
    if is_whole:
        result.__kwdefaults__ = function.__kwdefaults__
        result.__doc__ = function.__doc__
    return result


def _forget_values(arguments: ast.arguments) -> None:
    """Defaults and annotations were evaluated once, when the function was defined. A default that
    is needed for the syntax becomes None; the values come with the function object."""
    arguments.defaults = [ast.Constant(None) for _ in arguments.defaults]
    arguments.kw_defaults = [item and ast.Constant(None) for item in arguments.kw_defaults]
    every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    for argument in (*every, arguments.vararg, arguments.kwarg):
        if argument is not None:
            argument.annotation = None


def _code_named(code, name: str):
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType) and constant.co_name == name:
            return constant
    raise LookupError(name)
