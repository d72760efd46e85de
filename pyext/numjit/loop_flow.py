"""Which outermost loops of a function can be taken out, and what goes in and out of them.

One walk over the statements keeps the set of variables that surely have a value. It is the flow
analysis of a language without surprises: anything unusual (del, nested functions that share the
variables, exec) makes a loop, or the whole function, stay where it is.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import NamedTuple


class LoopFacts(NamedTuple):
    """A loop that can be taken out: what it reads from before, what of it is read afterwards."""

    node: ast.For | ast.While
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


# In a loop: ways out of it other than its end, and statements that bind names in other ways.
_REFUSED = (
    ast.Return,
    ast.Yield,
    ast.YieldFrom,
    ast.Await,
    ast.AsyncFor,
    ast.AsyncWith,
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Lambda,
    ast.Global,
    ast.Nonlocal,
    ast.Import,
    ast.ImportFrom,
    ast.Delete,
    ast.Try,
    ast.TryStar,
    ast.With,
    ast.Match,
    ast.GeneratorExp,
)
# In a function: its variables are seen from elsewhere.
_SHARING = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.GeneratorExp)
_INTROSPECTION = frozenset(["locals", "vars", "exec", "eval", "dir", "super", "globals"])
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def loop_facts(
    tree: ast.FunctionDef, free: frozenset[str], is_constant: Callable[[str], bool]
) -> list[LoopFacts]:
    """The loops of a function that can be taken out, in order. `free` are the closed-over names."""
    names = Names().read(tree.body)
    if names.loads & _INTROSPECTION or names.declared:
        return []
    parameters = {argument.arg for argument in ast.walk(tree.args) if isinstance(argument, ast.arg)}
    local = parameters | names.stores
    shared = _shared_names(tree)
    walk = _Walk(local, shared, free, is_constant)
    walk.block(tree.body, set(parameters))
    return walk.facts(tree)


class Names:
    """Names that a piece of code loads, stores and declares; comprehensions keep theirs."""

    def __init__(self):
        self.loads: set[str] = set()
        self.stores: set[str] = set()
        self.declared: set[str] = set()

    def read(self, nodes) -> Names:
        for node in nodes:
            self._read(node)
        return self

    def _read(self, node):
        if isinstance(node, _COMPREHENSIONS):
            inner = Names().read(ast.iter_child_nodes(node))
            walrus = {item.target.id for item in ast.walk(node) if isinstance(item, ast.NamedExpr)}
            self.loads |= inner.loads - (inner.stores - walrus)
            self.stores |= walrus
            return
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Load):
                self.loads.add(node.id)
            else:
                self.stores.add(node.id)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            self.declared.update(node.names)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            self.stores.add(node.name)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            self.stores.add(node.name)
        elif isinstance(node, ast.alias):
            self.stores.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.MatchAs | ast.MatchStar) and node.name:
            self.stores.add(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            self.stores.add(node.rest)
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            self.loads.add(node.target.id)
        for child in ast.iter_child_nodes(node):
            self._read(child)


def _shared_names(tree: ast.FunctionDef) -> set[str]:
    """Every name that occurs in a nested function, class or generator expression."""
    shared: set[str] = set()
    for node in ast.walk(tree):
        if node is not tree and isinstance(node, _SHARING):
            names = Names().read(ast.iter_child_nodes(node))
            shared |= names.loads | names.stores | names.declared
    return shared


class _Walk:
    """Goes through the statements in order; `defined` is what surely has a value, None behind a
    statement that never ends normally."""

    def __init__(self, local, shared, free, is_constant):
        self.local, self.shared, self.free, self.is_constant = local, shared, free, is_constant
        self.candidates: list[tuple[ast.stmt, set[str], set[str]]] = []
        self.jumps: list[list[set[str]]] = []  # of the innermost loop: defined at each break
        self.depth = 0  # loops around, their `else` clauses included

    def block(self, body: list[ast.stmt], defined: set[str] | None) -> set[str] | None:
        for statement in body:
            if defined is None:
                break
            defined = self.statement(statement, defined)
        return defined

    def statement(self, node: ast.stmt, defined: set[str]) -> set[str] | None:
        if isinstance(node, ast.Return | ast.Raise | ast.Continue):
            return None
        if isinstance(node, ast.Break):
            self.jumps[-1].append(set(defined))
            return None
        if isinstance(node, ast.If):
            defined = defined | self._surely_bound(node.test)
            return _both(self.block(node.body, set(defined)), self.block(node.orelse, set(defined)))
        if isinstance(node, ast.For | ast.AsyncFor | ast.While):
            return self._loop(node, defined)
        if isinstance(node, ast.With | ast.AsyncWith | ast.Try | ast.TryStar):
            # Handlers and `finally` see variables in the middle of a loop: loops in here stay.
            return (defined | self._bound(getattr(node, "items", []))) - _unbound_in(node)
        if isinstance(node, ast.Match):
            ways = [self.block(c.body, defined | self._bound([c.pattern])) for c in node.cases]
            return defined if any(way is not None for way in ways) else None
        if isinstance(node, ast.Delete):
            return defined - Names().read(node.targets).stores
        return defined | self._surely_bound(node)

    def _loop(self, node, defined: set[str]) -> set[str] | None:
        outermost = not self.depth
        self.depth += 1
        head = node.test if isinstance(node, ast.While) else node.iter
        before = defined | self._surely_bound(head)
        inside = before | (set() if isinstance(node, ast.While) else self._bound([node.target]))
        self.jumps.append([])
        self.block(node.body, set(inside))
        breaks = self.jumps.pop()
        endless = isinstance(node, ast.While) and _is_true(node.test)
        normal = None if endless else self.block(node.orelse, set(before))
        after = normal
        for at_break in breaks:
            after = at_break if after is None else after & at_break
        self.depth -= 1
        if outermost and not isinstance(node, ast.AsyncFor) and after is not None:
            self.candidates.append((node, set(defined), set(after)))
        return after

    @staticmethod
    def _bound(nodes) -> set[str]:
        return Names().read(nodes).stores

    @staticmethod
    def _surely_bound(node) -> set[str]:
        """Names a statement binds whenever it ends: not those of `:=` in short-circuit places."""
        if isinstance(node, ast.AnnAssign) and node.value is None:
            return set()
        stores = Names().read([node]).stores
        for inner in ast.walk(node):
            if isinstance(inner, ast.NamedExpr):
                stores.discard(inner.target.id)
        return stores

    def facts(self, tree) -> list[LoopFacts]:
        return [fact for item in self.candidates if (fact := self._fact(tree, *item))]

    def _fact(self, tree, node, defined, after) -> LoopFacts | None:
        if any(isinstance(inner, _REFUSED) for inner in ast.walk(node)):
            return None
        names = Names().read([node])
        if (names.loads | names.stores) & self.shared & self.local or names.stores & self.free:
            return None
        outside = {name for name in names.loads - self.local if not self.is_constant(name)}
        read_after = Names().read(_behind(tree.body, node)).loads & names.stores
        # A variable that keeps its old value when no iteration runs must come in too.
        inputs = (_exposed(node) & self.local) | (read_after & defined)
        if not inputs <= defined or not read_after <= after:
            return None
        return LoopFacts(node, tuple(sorted(inputs | outside)), tuple(sorted(read_after)))


def _unbound_in(node: ast.stmt) -> set[str]:
    """Names that lose their value in a piece of code: deleted ones, and those of handlers."""
    handlers = {
        inner.name
        for inner in ast.walk(node)
        if isinstance(inner, ast.ExceptHandler) and inner.name
    }
    deleted = [inner for inner in ast.walk(node) if isinstance(inner, ast.Delete)]
    return (handlers - {None}) | Names().read(deleted).stores


def _both(first, second):
    if first is None:
        return second
    return first if second is None else first & second


def _is_true(test: ast.expr) -> bool:
    return isinstance(test, ast.Constant) and bool(test.value)


def _behind(body: list[ast.stmt], node: ast.stmt) -> list[ast.stmt] | None:
    """The statements that run after `node`, which lies somewhere in `body`."""
    for index, statement in enumerate(body):
        if statement is node:
            return body[index + 1 :]
        for inner in _ways(statement):
            found = _behind(inner, node)
            if found is not None:
                return found + body[index + 1 :]
    return None


def _ways(statement: ast.stmt) -> list[list[ast.stmt]]:
    if isinstance(statement, ast.Match):
        return [case.body for case in statement.cases]
    # Loops are not looked into: only outermost ones are taken out.
    return [statement.body, statement.orelse] if isinstance(statement, ast.If) else []


def _exposed(loop: ast.stmt) -> set[str]:
    """Names that may be read in the loop before the loop has written them."""
    walk = _Exposed()
    walk.statement(loop, set())
    return walk.names


class _Exposed:
    """Collects reads of names that are not surely written before."""

    def __init__(self):
        self.names: set[str] = set()

    def block(self, body, bound: set[str] | None) -> set[str] | None:
        for statement in body:
            if bound is None:
                break
            bound = self.statement(statement, bound)
        return bound

    def statement(self, node: ast.stmt, bound: set[str]) -> set[str] | None:
        if isinstance(node, ast.Break | ast.Continue):
            return None
        if isinstance(node, ast.If):
            self.read([node.test], bound)
            return _both(self.block(node.body, set(bound)), self.block(node.orelse, set(bound)))
        if isinstance(node, ast.For):
            self.read([node.iter, node.target], bound)
            self.block(node.body, bound | Names().read([node.target]).stores)
            self.block(node.orelse, set(bound))
            return bound
        if isinstance(node, ast.While):
            self.read([node.test], bound)
            self.block(node.body, set(bound))
            self.block(node.orelse, set(bound))
            return bound
        self.read([node], bound)
        return None if isinstance(node, ast.Raise) else bound | _Walk._surely_bound(node)

    def read(self, nodes, bound: set[str]) -> None:
        self.names |= Names().read(nodes).loads - bound
