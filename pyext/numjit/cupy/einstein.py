"""einsum: pairs of operands become matrix products."""

from __future__ import annotations

import math
import string
from operator import index

import numpy as np

from .creation import array, asarray
from .manipulation import broadcast_to, copyto
from .products import matmul
from .reductions import reduce


def _subscripts(operands):
    """Subscripts as a string, and the operands, of both forms of a call."""
    if not operands:
        raise ValueError("einsum needs subscripts and an operand")
    if isinstance(operands[0], str):
        text = operands[0].replace(" ", "")
        known = set(string.ascii_letters + ",->.")
        wrong = sorted(set(text) - known)
        if wrong or text.count("-") + text.count(">") != 2 * text.count("->"):
            raise ValueError(
                f"invalid subscript {wrong[0]!r} in einstein sum subscripts string, subscripts must"
                " be letters" if wrong else "einstein sum subscripts string has no valid '->'"
            )  # fmt: skip
        return text, operands[1:]
    rest, arrays, terms = list(operands), [], []
    while len(rest) > 1:
        arrays.append(rest.pop(0))
        terms.append(_of_list(rest.pop(0)))
    return ",".join(terms) + ("->" + _of_list(rest[0]) if rest else ""), arrays


def _of_list(items):
    """A list of integers as subscripts: letters that no string has."""
    return "".join("..." if each is Ellipsis else chr(0x500 + index(each)) for each in items)


def _parsed(text, operands):
    """Labels of each operand and of the result; an ellipsis becomes letters of its own."""
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    if len(terms) != len(operands) or not operands:
        raise ValueError("more operands provided to einstein sum function than specified in the "
                         "subscripts string" if len(terms) < len(operands) else
                         "fewer operands provided to einstein sum function than specified in the "
                         "subscripts string")  # fmt: skip
    for term in (*terms, right):
        if "." in term.replace("...", "", 1) or ("-" in term or ">" in term) or "," in right:
            raise ValueError("einstein sum subscripts string contains a '.' that is not part of "
                             "an ellipsis, or a second '->'")  # fmt: skip
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
        if most and "..." not in right:
            raise ValueError("output subscripts need an ellipsis: operands have axes in theirs")
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
            if a.shape[first] != a.shape[second]:
                raise ValueError(
                    "dimensions in single operand for collapsing index "
                    f"{label!r} don't match ({a.shape[first]} != {a.shape[second]})"
                )
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
            size[c] = n if size[c] == 1 else size[c]
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


def einsum(*operands, out=None, dtype=None, order="K", casting="safe", optimize=False):
    """np.einsum: subscripts as a string before the operands, or as a list behind each."""
    text, operands = _subscripts(operands)
    arrays = [asarray(each) for each in operands]
    terms, result = _parsed(text, arrays)
    if len(arrays) == 1 and set(terms[0]) == set(result):
        # A view, also where another dtype is asked for, as in NumPy.
        found, labels = _diagonals(arrays[0].view(), terms[0])
    else:
        found, labels = _contracted(arrays, terms, result, dtype, casting)
    if labels != result:
        found = found.transpose([labels.index(c) for c in result])
    if out is not None:
        copyto(out, found, casting)
        return out
    return found if order in ("K", "A", None) else array(found, copy=None, order=order)


def _contracted(arrays, terms, result, dtype, casting):
    kind = np.result_type(*(each.dtype for each in arrays)) if dtype is None else np.dtype(dtype)
    for each in arrays:
        if not np.can_cast(each.dtype, kind, casting):
            raise TypeError(
                f"Cannot cast operand from {each.dtype!r} to {kind!r} according to the rule "
                f"'{casting}'"
            )
    rest = [_diagonals(each.astype(kind, copy=False), term) for each, term in zip(arrays, terms)]
    found, labels = rest.pop(0)
    while rest:
        other, more = rest.pop(0)
        keep = set(result).union(*(set(term) for _, term in rest))
        found, labels = _product(found, labels, other, more, keep)
    return _summed(found, labels, set(result))
