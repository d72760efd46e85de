"""``np.einsum``: the subscripts become a plan while the program is compiled.

A plan is a tuple of constants that `_plan` makes in Python; the functions below carry it out and
are specialised on it. Operands are contracted two at a time, from the left: sums of products over
labels that both have are matrix products, others are fused loops.
"""

import numpy as np

from ..core.array_expressions import evaluate
from ..core.axes import as_array
from ..core.compile_time import Answers
from ..core.intrinsics import is_constant, promote, refuse, strided
from ..core.registry import function
from .methods import product
from .products import stacked_product, tuple_of_range
from .reductions import put_in_place, reduce
from .tensor_products import contracted

# -- the plan, in Python ---------------------------------------------------------------------------

#: Labels of dimensions that "..." stands for, counted from the last.
_ELLIPSIS = [chr(0x100 + k) for k in range(33)]


def _labels(term, ndim, operand):
    """The labels of an operand's axes."""
    if "..." not in term:
        if "." in term:
            raise ValueError("einstein sum subscripts string contains a '.' that is not part of an "
                             "ellipsis ('...')")  # fmt: skip
        if len(term) < ndim:
            raise ValueError(
                "operand has more dimensions than subscripts given in einstein sum, but no '...' "
                "ellipsis provided to broadcast the extra dimensions."
            )
        if len(term) > ndim:
            raise ValueError(
                f"einstein sum subscripts string contains too many subscripts for operand {operand}"
            )
        return list(term)
    front, _, back = term.partition("...")
    count = ndim - len(front) - len(back)
    if count < 0 or "." in back:
        raise ValueError(
            f"einstein sum subscripts string contains too many subscripts for operand {operand}"
        )
    return [*front, *reversed(_ELLIPSIS[:count]), *back]


def _output(text, terms):
    every = [label for term in terms for label in term]
    most = max((_ELLIPSIS.index(x) + 1 for x in every if x in _ELLIPSIS), default=0)
    broadcast = list(reversed(_ELLIPSIS[:most]))
    if text is None:
        return broadcast + sorted(x for x in set(every) if every.count(x) == 1 and x.isalpha()
                                  and x not in _ELLIPSIS)  # fmt: skip
    if "..." not in text and most:
        raise ValueError(
            "output has more dimensions than subscripts given in einstein sum, but no '...' "
            "ellipsis provided to broadcast the extra dimensions."
        )
    front, _, back = text.partition("...")
    labels = [*front, *(broadcast if "..." in text else ()), *back]
    for x in labels:
        if labels.count(x) > 1:
            raise ValueError(
                f"einstein sum subscripts string includes output subscript '{x}' multiple times"
            )
        if x not in every:
            raise ValueError(
                f"einstein sum subscripts string included output subscript '{x}' which never "
                "appeared in an input"
            )
    return labels


def _own(labels, keep):
    """What is done with an operand alone: its diagonals, the axes that are summed, what is left."""
    unique = list(dict.fromkeys(labels))
    diagonal = tuple(tuple(i for i, x in enumerate(labels) if x == u) for u in unique)
    summed = tuple(i for i, x in enumerate(unique) if x not in keep)
    return (diagonal, summed), [x for x in unique if x in keep]


def _pair(a, b, keep):
    """How two operands become one, and its labels."""
    batch = [x for x in a if x in b and x in keep]
    total = [x for x in a if x in b and x not in keep]
    left, right = [x for x in a if x not in b], [x for x in b if x not in a]
    order_a = tuple(a.index(x) for x in batch + left + total)
    order_b = tuple(b.index(x) for x in batch + total + right)
    counts = (len(batch), len(left), len(right), len(total))
    return (order_a, order_b, counts), batch + left + right


def _plan(subscripts, ranks):
    text = subscripts.replace(" ", "")
    inputs, arrow, output = text.partition("->")
    terms = inputs.split(",")
    for x in text.replace("->", "").replace(",", "").replace(".", ""):
        if not (x.isascii() and x.isalpha()):
            raise ValueError(
                f"invalid subscript '{x}' in einstein sum subscripts string, subscripts must be "
                "letters"
            )
    if len(terms) != len(ranks):
        number = "fewer" if len(terms) > len(ranks) else "more"
        raise ValueError(
            f"{number} operands provided to einstein sum function than specified in the subscripts "
            "string"
        )
    terms = [_labels(t, n, k) for k, (t, n) in enumerate(zip(terms, ranks))]
    output = _output(output if arrow else None, terms)
    #: where each label is first, to compare extents: (operand, axis, operand, axis)
    first, equal = {}, []
    for k, term in enumerate(terms):
        for i, x in enumerate(term):
            if x not in _ELLIPSIS:
                place = first.setdefault(x, (k, i))
                if place != (k, i):
                    equal.append((*place, k, i))
    own, pairs, current = [], [], None
    for k, term in enumerate(terms):
        later = {x for other in terms[k + 1 :] for x in other}
        others = {x for j, other in enumerate(terms) if j != k for x in other}
        step, labels = _own(term, others | set(output))
        own.append(step)
        if current is None:
            current = labels
        else:
            step, current = _pair(current, labels, later | set(output))
            pairs.append(step)
    final = tuple(current.index(x) for x in output)
    return tuple(equal), tuple(own), tuple(pairs), final


class _Ranks:
    """Asked for the number of dimensions of one operand after the other: "r2", "r1", "plan"."""

    def __init__(self, subscripts, ranks):
        self.subscripts, self.ranks = subscripts, ranks

    def __call__(self, name):
        if name[1:].isdigit():
            ranks = (*self.ranks, int(name[1:]))
            return Answers(f"{self.subscripts}{ranks}", _Ranks(self.subscripts, ranks))
        try:
            plan, error = _plan(self.subscripts, self.ranks), ""
        except ValueError as problem:
            plan, error = (), str(problem)
        return {"plan": plan, "error": error}[name]


plans = Answers("plans", lambda subscripts: Answers(subscripts, _Ranks(subscripts, ())))
RANKS = tuple(f"r{n}" for n in range(33))

# -- carrying it out, in the subset ----------------------------------------------------------------


def with_ranks(plan, arrays):
    if len(arrays) == 0:
        return plan
    else:
        return with_ranks(getattr(plan, RANKS[arrays[0].ndim]), arrays[1:])


def check_extents(arrays, equal):
    if len(equal) > 0:
        k, i, m, j = equal[0]
        if arrays[k].shape[i] != arrays[m].shape[j]:
            if k == m:
                raise ValueError(
                    f"dimensions in operand {k} for collapsing index don't match "
                    f"({arrays[k].shape[i]} != {arrays[m].shape[j]})"
                )
            raise ValueError(
                f"operands could not be broadcast together: an index has {arrays[k].shape[i]} "
                f"elements in operand {k} and {arrays[m].shape[j]} in operand {m}"
            )
        check_extents(arrays, equal[1:])


def shape_of(a, groups):
    if len(groups) == 0:
        return ()
    else:
        return (a.shape[groups[0][0]],) + shape_of(a, groups[1:])


def sum_of(strides, group):
    if len(group) == 0:
        return 0
    else:
        return strides[group[0]] + sum_of(strides, group[1:])


def strides_of(a, groups):
    if len(groups) == 0:
        return ()
    else:
        return (sum_of(a.strides, groups[0]),) + strides_of(a, groups[1:])


def prepared(a, own, kind):
    diagonal, summed = own
    x = a if len(diagonal) == a.ndim else strided(
        a, 0, shape_of(a, diagonal), strides_of(a, diagonal)
    )  # fmt: skip
    if len(summed) == 0:
        return x
    else:
        return as_array(reduce(np.add, x, summed, kind))


def prepared_all(arrays, own, kind):
    if len(arrays) == 0:
        return ()
    else:
        return (prepared(arrays[0], own[0], kind),) + prepared_all(arrays[1:], own[1:], kind)


def turned(a, order):
    return a if order == tuple_of_range(a.ndim) else np.transpose(a, order)


def last_axes(ndim, count):
    if count == 0:
        return ()
    else:
        return (ndim - count,) + last_axes(ndim, count - 1)


def contract(a, b, step):
    order_a, order_b, counts = step
    batch, left, right, total = counts
    x, y = turned(a, order_a), turned(b, order_b)
    if x.ndim == 0 and y.ndim == 0:
        return as_array(x[()] * y[()])
    elif total == 0:
        wide = x[(..., *((None,) * right))]
        return evaluate(wide * y[(*((slice(None),) * batch), *((None,) * left), ...)])
    elif left == 0 and right == 0 and batch > 0:
        kind = promote(x, y)
        return as_array(reduce(np.add, x * y, last_axes(batch + total, total), kind))
    elif batch == 0:
        return contracted(x, y, total)
    else:
        rows, columns = x.shape[batch : batch + left], y.shape[batch + total :]
        inner = product(x.shape[batch + left :])
        made = stacked_product(
            x.reshape(x.shape[:batch] + (product(rows), inner)),
            y.reshape(y.shape[:batch] + (inner, product(columns))),
        )
        return made.reshape(made.shape[:batch] + rows + columns)


def contract_all(a, arrays, pairs):
    if len(arrays) == 0:
        return a
    else:
        return contract_all(contract(a, arrays[0], pairs[0]), arrays[1:], pairs[1:])


def of_dtype(arrays, kind):
    if len(arrays) == 0:
        return ()
    else:
        a = arrays[0]
        return (a if a.dtype == kind else a.astype(kind),) + of_dtype(arrays[1:], kind)


def arrays_of(operands):
    if len(operands) == 0:
        return ()
    else:
        return (as_array(operands[0]),) + arrays_of(operands[1:])


def kind_of(arrays):
    if len(arrays) == 1:
        return arrays[0].dtype
    else:
        return promote(arrays[0], kind_of(arrays[1:]))


def summed(arrays, plan, out):
    equal, own, pairs, final = plan
    check_extents(arrays, equal)
    each = prepared_all(arrays, own, kind_of(arrays))
    result = contract_all(each[0], each[1:], pairs)
    if result.ndim == 0:
        return put_in_place(result[()], out)
    elif len(arrays) == 1:
        return put_in_place(turned(result, final), out)
    elif final == tuple_of_range(result.ndim):
        return put_in_place(result, out)
    else:
        return put_in_place(turned(result, final).copy(), out)


@function("numpy.einsum")
@function("numpy._core._multiarray_umath.c_einsum")
def einsum(
    subscripts,
    *operands,
    out=None,
    dtype=None,
    order: "skip" = "K",
    casting: "skip" = "safe",
    optimize: "skip" = False,
):
    """The subscripts are a literal string. Extents of one are repeated for "..." only. The order of
    the additions, and so the last bits, may differ from NumPy's."""
    if not isinstance(subscripts, str) or not is_constant(subscripts):
        return refuse(
            "np.einsum: the subscripts must be a literal string",
            'write them in the call: np.einsum("ij,jk->ik", a, b)',
        )
    else:
        arrays = arrays_of(operands)
        if len(arrays) == 0:
            raise ValueError("einsum needs at least one operand")
        plan = with_ranks(getattr(plans, subscripts), arrays)
        if plan.error != "":
            raise ValueError(plan.error)
        elif dtype is not None:
            return summed(of_dtype(arrays, np.dtype(dtype)), plan.plan, out)
        elif len(arrays) > 2:
            return summed(of_dtype(arrays, kind_of(arrays)), plan.plan, out)
        else:
            return summed(arrays, plan.plan, out)
