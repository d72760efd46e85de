"""einsum: pairs of operands become matrix products."""

from __future__ import annotations

import math

import numpy as np

from .creation import asarray
from .manipulation import broadcast_to
from .products import matmul
from .reductions import reduce


def _parsed(subscripts, operands):
    """Labels of each operand and of the result; an ellipsis becomes capital letters of its own."""
    text = subscripts.replace(" ", "")
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    if len(terms) != len(operands):
        raise ValueError("more operands provided to einstein sum function than specified in the "
                         "subscripts string" if len(terms) < len(operands) else
                         "fewer operands provided to einstein sum function than specified in the "
                         "subscripts string")  # fmt: skip
    most = 0
    for term, each in zip(terms, operands):
        if "..." in term:
            most = max(most, each.ndim - len(term) + 3)
    extra = [chr(0x400 + i) for i in range(most)]
    made = []
    for term, each in zip(terms, operands):
        if "..." in term:
            count = each.ndim - len(term) + 3
            term = term.replace("...", "".join(extra[most - count :]))
        if len(term) != each.ndim:
            raise ValueError("operand has more dimensions than subscripts given in einstein sum, "
                             "but no '...' ellipsis provided to broadcast the extra dimensions."
                             if len(term) < each.ndim else
                             "einstein sum subscripts string contains too many subscripts for "
                             "operand")  # fmt: skip
        made.append(term)
    if arrow:
        result = right.replace("...", "".join(extra))
    else:
        joined = "".join(made)
        once = sorted(c for c in set(joined) if joined.count(c) == 1 and c not in extra)
        result = "".join(extra) + "".join(once)
    if len(set(result)) != len(result) or set(result) - set("".join(made)):
        raise ValueError("einstein sum subscripts string includes output subscript that never "
                         "appeared in an input, or twice")  # fmt: skip
    return made, result


def _diagonals(a, labels):
    """An operand in which each label occurs once."""
    for label in dict.fromkeys(labels):
        while labels.count(label) > 1:
            first = labels.index(label)
            second = labels.index(label, first + 1)
            a = a.diagonal(0, first, second)
            labels = labels[:first] + labels[first + 1 : second] + labels[second + 1 :] + label
    return a, labels


def _summed(a, labels, keep):
    axes = tuple(i for i, label in enumerate(labels) if label not in keep)
    if axes:
        a = reduce(np.add, a, axes, a.dtype)
        labels = "".join(label for label in labels if label in keep)
    return a, labels


def _product(a, left, b, right, keep):
    """The product of two operands, summed over labels that are in no other place."""
    a, left = _summed(a, left, set(right) | keep)
    b, right = _summed(b, right, set(left) | keep)
    both = [c for c in left if c in right]
    batch = [c for c in both if c in keep]
    summed = [c for c in both if c not in keep]
    only_a = [c for c in left if c not in right]
    only_b = [c for c in right if c not in left]
    size = {}
    for labels, each in ((left, a), (right, b)):
        for c, n in zip(labels, each.shape):
            if size.setdefault(c, n) != n and 1 not in (n, size[c]):
                raise ValueError("operands could not be broadcast together with remapped shapes")
            size[c] = max(size[c], n)
    a = broadcast_to(a, tuple(size[c] for c in left))
    b = broadcast_to(b, tuple(size[c] for c in right))
    a = a.transpose([left.index(c) for c in batch + only_a + summed])
    b = b.transpose([right.index(c) for c in batch + summed + only_b])

    def count(labels):
        return math.prod(size[c] for c in labels)

    found = matmul(
        a.reshape(count(batch), count(only_a), count(summed)),
        b.reshape(count(batch), count(summed), count(only_b)),
    )
    labels = batch + only_a + only_b
    return found.reshape(tuple(size[c] for c in labels)), "".join(labels)


def einsum(subscripts, *operands, dtype=None, optimize=False, **ignored):
    """np.einsum of a string."""
    if not isinstance(subscripts, str):
        raise NotImplementedError("einsum takes subscripts as a string")
    arrays = [asarray(each) for each in operands]
    terms, result = _parsed(subscripts, arrays)
    kind = np.result_type(*(each.dtype for each in arrays)) if dtype is None else np.dtype(dtype)
    rest = [_diagonals(each.astype(kind, copy=False), term) for each, term in zip(arrays, terms)]
    found, labels = rest.pop(0)
    while rest:
        other, more = rest.pop(0)
        keep = set(result).union(*(set(term) for _, term in rest))
        found, labels = _product(found, labels, other, more, keep)
    found, labels = _summed(found, labels, set(result))
    return found.transpose([labels.index(c) for c in result]) if labels != result else found
