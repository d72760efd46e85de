"""Why loops are not vectorised, and what helps: a row for each reason."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, NamedTuple

from numjit.remarks import Call, LoopNode, Remark, holds, users


class Facts(NamedTuple):
    """What is known of a loop that stayed scalar."""

    remarks: list[Remark]
    calls: list[Call]
    loop: LoopNode
    options: dict
    strided: bool  # some array argument may have any strides
    vectorised_with: Callable[[Any], bool]  # whether it is, with such a value of fastmath

    def said(self, *names: str) -> list[Remark]:
        return [each for each in self.remarks if each.name.startswith(names)]

    def called(self, *names: str) -> list[Call]:
        """Calls at lines of the loop of functions with such names."""
        found = []
        for call in self.calls:
            spot = users(call.spots)
            if spot and holds(self.loop, spot) and call.callee.startswith(names):
                found.append(call)
        return found

    def nodes(self, *classes):
        return [node for node in ast.walk(self.loop.node) if isinstance(node, classes)]


class Reason(NamedTuple):
    """`holds` returns the line that is to blame, 0 for the whole loop, None where it does not."""

    name: str
    holds: Callable[[Facts], int | None]
    why: str
    advice: str


#: Runtime functions that loops may call all the same: they are not called in each iteration.
_HARMLESS = ("nj_poll", "nj_set_error", "nj_release", "nj_retain")
_BLOCKS = ("llvm.memcpy", "llvm.memmove", "llvm.memset")


def _line(found) -> int | None:
    """That of the first of some calls or remarks; None if there are none."""
    for each in found:
        spot = users(each.spots)
        return spot.line if spot else 0
    return None


def _python(facts):
    return _line(facts.called("nj_call_python", "nj_python_call"))


def _printing(facts):
    return _line(facts.called("nj_print"))


def _random(facts):
    return _line(facts.called("nj_random"))


def _memory(facts):
    names = "numjit_new", "nj_list", "nj_table", "nj_str", "nj_text", "nj_alloc", "nj_instance"
    return _line(call for call in facts.called(*names) if call.depth)


def _function(facts):
    """A call of a compiled function, which was too large to be inlined."""
    return _line(call for call in facts.called("python.") if call.depth)


def _other_call(facts):
    if not facts.said("CantVectorizeLibcall", "CantVectorizeCall"):
        return None
    own = [
        call
        for call in facts.called("")
        if call.depth and call.callee not in _HARMLESS and not call.callee.startswith(_BLOCKS)
    ]
    return _line(own)


def _division(facts):
    """A test for zero that leaves the loop."""
    if facts.options.get("error_model") == "numpy" or not _leaves(facts):
        return None
    raised = {(spot.line) for call in facts.called("nj_set_error") if (spot := users(call.spots))}
    for node in facts.nodes(ast.BinOp, ast.AugAssign):
        lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
        is_division = isinstance(node.op, ast.Div | ast.FloorDiv | ast.Mod)
        if is_division and not raised.isdisjoint(lines):
            return node.lineno
    return None


def _leaves(facts):
    """LLVM's remark about loops that may end before their count."""
    others = facts.said("NoCFGForSelect", "CantComputeNumberOfIterations")
    return others or [x for x in facts.remarks if "EarlyExit" in x.name or "Uncountable" in x.name]


def _bounds(facts):
    if not facts.options.get("boundscheck") or not _leaves(facts):
        return None
    return _line(facts.called("nj_set_error"))


def _raising(facts):
    nodes = facts.nodes(ast.Raise, ast.Assert)
    return nodes[0].lineno if nodes and _leaves(facts) else None


def _leaving(facts):
    nodes = facts.nodes(ast.Break, ast.Return)
    return nodes[0].lineno if nodes and _leaves(facts) else None


def _unknown_count(facts):
    is_while = isinstance(facts.loop.node, ast.While)
    return 0 if is_while and facts.said("CantCompute", "NonSimpleLoad", "TooMany") else None


def _fast(flags):
    """A value that is carried on, which LLVM may compute in another order with these flags."""

    def rule(facts):
        said = facts.said(
            "MissedExplicitlyDisabled",
            "CantReorderFPOps",
            "NonReduction",
            "VectorizationNotBeneficial",
        )
        if not said or facts.options.get("fastmath") or not _carried(facts):
            return None
        return 0 if facts.vectorised_with(flags) else None

    return rule


def _chosen_sum(facts):
    adds = [x for x in facts.nodes(ast.AugAssign) if isinstance(x.op, ast.Add | ast.Sub | ast.Mult)]
    return _fast(True)(facts) if adds else None


def _small_gather(facts):
    said = facts.said("MissedExplicitlyDisabled")
    return 0 if said and (facts.options.get("fastmath") or not _carried(facts)) else None


def _assigned(facts):
    """Names and array elements that the loop assigns to, without its own variables."""
    found = []
    for node in facts.nodes(ast.Assign, ast.AugAssign):
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            found += target.elts if isinstance(target, ast.Tuple) else [target]
    return found


def _carried(facts):
    """Whether iterations may add up something: a generator in `sum` has no name for it."""
    if not isinstance(facts.loop.node, ast.For | ast.While):
        return True
    changed = {ast.unparse(each) for each in _assigned(facts)}
    return any(
        ast.unparse(node) in changed and isinstance(node.ctx, ast.Load)
        for node in facts.nodes(ast.Name, ast.Subscript)
    ) or any(
        isinstance(node.target, ast.Name | ast.Subscript) for node in facts.nodes(ast.AugAssign)
    )


def _unknown_address(facts):
    return _line(facts.said("CantIdentifyArrayBounds"))


def _indices(facts, line):
    """The indices in a line of the loop, axis by axis."""
    for node in facts.nodes(ast.Subscript):
        if node.lineno == line:
            yield from node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]


def _moving_index(facts):
    """An index that the loop changes as it goes, besides its own variable."""
    line = _unknown_address(facts)
    changed = {each.id for each in _assigned(facts) if isinstance(each, ast.Name)}
    for index in _indices(facts, line):
        if any(isinstance(each, ast.Name) and each.id in changed for each in ast.walk(index)):
            return line
    return None


def _computed_index(facts):
    """An index of which more is computed than sums and products."""
    line = _unknown_address(facts)
    simple = ast.Add, ast.Sub, ast.Mult
    for index in _indices(facts, line):
        for each in ast.walk(index):
            if isinstance(each, ast.Call) or (
                isinstance(each, ast.BinOp) and not isinstance(each.op, simple)
            ):
                return line
    return None


def _along_column(facts):
    """The loop's variable is an index, and not the last one."""
    if not facts.said("UnsafeDep", "CantIdentifyArrayBounds", "VectorizationNotBeneficial"):
        return None
    target = getattr(facts.loop.node, "target", None)
    if not isinstance(target, ast.Name):
        return None
    for node in facts.nodes(ast.Subscript):
        if isinstance(node.slice, ast.Tuple):
            used = [target.id in _names(index) for index in node.slice.elts]
            if any(used) and not used[-1]:
                return node.lineno
    return None


def _names(node):
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _gather(facts):
    """Something is loaded at an index that comes from an array."""
    for node in facts.nodes(ast.Subscript):
        if any(isinstance(each, ast.Subscript) for each in ast.walk(node.slice)):
            return _unknown_address(facts)
    return None


def _scatter(facts):
    """Something is stored at an index that comes from an array."""
    if not facts.said("CantIdentifyArrayBounds", "UnsafeDep"):
        return None
    for node in facts.nodes(ast.Assign, ast.AugAssign):
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            if isinstance(target, ast.Subscript):
                if any(isinstance(each, ast.Subscript) for each in ast.walk(target.slice)):
                    return node.lineno
    return None


def _dependence(*texts):
    def rule(facts):
        said = [each for each in facts.said("UnsafeDep") if any(x in each.text for x in texts)]
        return _line(said)

    return rule


def _strided(facts):
    said = facts.said("UnsafeDep", "CantIdentifyArrayBounds", "VectorizationNotBeneficial")
    is_blamed = [each for each in said if "loop carried" not in each.text]
    return _line(is_blamed) and 0 if facts.strided and is_blamed else None


def _recurrence(facts):
    said = facts.said("NonReduction", "MissedExplicitlyDisabled", "CantReorderFPOps")
    return _line(said)


def _integer_division(facts):
    if not facts.said("VectorizationNotBeneficial"):
        return None
    for node in facts.nodes(ast.BinOp, ast.AugAssign):
        if isinstance(node.op, ast.FloorDiv | ast.Mod):
            return node.lineno
    return None


def _not_beneficial(facts):
    return 0 if facts.said("VectorizationNotBeneficial") else None


def _branches(facts):
    return _line(facts.said("NoCFGForSelect"))


# The first that applies is reported.
REASONS = (
    Reason(
        "python",
        _python,
        "the interpreter is called in each iteration",
        "take the `with objmode` block out of the loop",
    ),
    Reason("print", _printing, "it prints", "print after the loop"),
    Reason(
        "random",
        _random,
        "random numbers are drawn one after another",
        "draw an array before the loop: np.random.random(n)",
    ),
    Reason(
        "memory",
        _memory,
        "memory is allocated in each iteration",
        "make arrays and lists before the loop, and fill them in it",
    ),
    Reason(
        "boundscheck",
        _bounds,
        "boundscheck=True tests an index in each iteration",
        "compile without boundscheck=True",
    ),
    Reason(
        "division",
        _division,
        "a division may raise ZeroDivisionError, which ends the loop",
        'compile with error_model="numpy"',
    ),
    Reason(
        "function",
        _function,
        "it calls a function that is too large to become a part of the loop",
        "let the function do the loop's work: pass it the whole array",
    ),
    Reason(
        "call",
        _other_call,
        "it calls a function that has no vector form",
        "the functions that have one are listed in docs/vector-math.md",
    ),
    Reason(
        "raise",
        _raising,
        "an exception may end the loop",
        "look for what is wrong in a loop of its own, or after this one",
    ),
    Reason(
        "leave",
        _leaving,
        "the loop may be left before its end",
        "let it run to its end, and keep what it finds in an array or a variable",
    ),
    Reason(
        "while",
        _unknown_count,
        "how often the loop runs is not known when it starts",
        "write it as `for i in range(n)`",
    ),
    Reason(
        "sum",
        _fast({"reassoc", "nsz"}),
        "a sum or product of floats keeps its order",
        'compile with fastmath={"reassoc", "nsz"}, or use np.sum or np.prod',
    ),
    Reason(
        "chosen sum",
        _chosen_sum,
        "a sum of some of the floats keeps its order",
        "compile with fastmath=True, or always add something: `s += x if x > 0 else 0.0`",
    ),
    Reason(
        "extreme",
        _fast({"nnan", "nsz"}),
        "the least or largest of floats depends on their order where some are NaN",
        'compile with fastmath={"nnan", "nsz"}, or use np.min or np.max',
    ),
    Reason(
        "small gather",
        _small_gather,
        "items of one or two bytes are loaded at computed indices, which no processor does at once",
        "nothing helps, but larger items",
    ),
    Reason(
        "strides",
        _strided,
        "the elements of an array may lie apart",
        "pass contiguous arrays (np.ascontiguousarray), or declare float64[::1]",
    ),
    Reason(
        "column",
        _along_column,
        "the loop runs along another axis than the last one, where elements lie apart",
        "let the innermost loop run along the last axis, or over a copy of the column",
    ),
    Reason(
        "dependence",
        _dependence("Backward loop carried", "Forward loop carried"),
        "an iteration reads or writes what another one writes",
        "write into another array, if the old values are meant",
    ),
    Reason(
        "scatter",
        _scatter,
        "it stores at indices that come from an array: iterations may meet at an element",
        "nothing is to be done in this loop; compute what is stored in one before it",
    ),
    Reason(
        "gather",
        _gather,
        "it loads at indices that come from an array: an element may be stored before",
        "take the elements before the loop: t = a[indices]",
    ),
    Reason(
        "moving index",
        _moving_index,
        "where an element lies depends on the iterations before",
        "compute the index from the loop's variable, or choose by a mask: a[a > 0]",
    ),
    Reason(
        "computed index",
        _computed_index,
        "where an element lies is computed by more than sums and products",
        "walk through parts of the array: part = a[start : start + n], indexed from 0",
    ),
    Reason(
        "negative index",
        _unknown_address,
        "an index may be negative, and then counts from the end",
        "take a part of the array before the loop, part = a[k:], and index that from 0",
    ),
    Reason(
        "unknown dependence",
        _dependence(""),
        "iterations may meet at an element",
        "write into another array",
    ),
    Reason(
        "recurrence",
        _recurrence,
        "a value goes from iteration to iteration",
        "compute it from the loop's index, or use a function of NumPy: np.cumsum, np.argmin",
    ),
    Reason(
        "integer division",
        _integer_division,
        "processors divide integers one by one",
        "divide by a constant power of two, or floats",
    ),
    Reason(
        "slower",
        _not_beneficial,
        "vectors would not be faster here, says LLVM",
        "nothing is to be done, or use narrower types: float32, int32",
    ),
    Reason(
        "branch",
        _branches,
        "a branch does what cannot be undone",
        "compute both sides and choose: np.where, or a conditional expression",
    ),
)


def moves_a_block(facts: Facts) -> bool:
    """Whether the loop became a copy or a fill of memory, a block at each interrupt point."""
    return bool(facts.called(*_BLOCKS) and facts.said("CantVectorizeLibcall"))


def reason_of(facts: Facts) -> tuple[Reason | None, int]:
    """Why a loop stayed scalar, and the line that is to blame (0: the loop as a whole)."""
    for reason in REASONS:
        line = reason.holds(facts)
        if line is not None:
            return reason, line
    return None, 0
