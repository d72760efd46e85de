"""Ufuncs of other packages, through their own inner loops: the C functions that NumPy calls for
them. A call is for one element, whose arguments lie on the stack."""

import ctypes
import functools

import numpy as np

from numjit import types

from .axes import check_same_kind
from .derived import made, store_result
from .intrinsics import call_address, carray, stack_cell, stack_cells

#: The items of inner loops by their letters. Others, `long double` and objects, have no type here.
_ITEMS = {letter: np.dtype(letter).type for letter in "?bBhHiIlLqQfdFD"}
_LIKE_PYTHON = {np.bool_: bool, np.int64: int, np.float64: float, np.complex128: complex}
#: Offsets in NumPy's struct for ufuncs: the loops, and what is passed to each.
_LOOPS, _DATA = 32, 40


def _loops(ufunc):
    """(types of arguments and results, address, address of its data) of each loop."""
    if ufunc.signature is not None:
        return []
    member = ctypes.POINTER(ctypes.c_void_p).from_address
    loops, data = member(id(ufunc) + _LOOPS), member(id(ufunc) + _DATA)
    found = []
    for i, text in enumerate(ufunc.types):
        letters = text.replace("->", "")
        if set(letters) <= _ITEMS.keys() and loops[i]:
            items = tuple(_ITEMS[letter] for letter in letters)
            found.append((items, loops[i], (data[i] or 0) if data else 0))
    return found


@functools.cache
def _taken_as(item):
    """The classes of numbers that NumPy makes such items of without loss."""
    classes = [each for each in _ITEMS.values() if np.can_cast(each, item, "safe")]
    return tuple(classes) + tuple(_LIKE_PYTHON[each] for each in classes if each in _LIKE_PYTHON)


@functools.cache
def through_loops(ufunc):
    """The function in the subset that is called for a ufunc."""
    names = [f"x{i}" for i in range(ufunc.nin)]
    listed = ", ".join(names)
    words = {}
    source = ""
    for k in range(ufunc.nout):
        lines = [f"def element{k}({listed}):"]
        for i, (items, address, data) in enumerate(_loops(ufunc)):
            fits = []
            for j in range(ufunc.nin):
                words[f"classes{i}_{j}"] = _taken_as(items[j])
                fits.append(f"isinstance(x{j}, classes{i}_{j})")
            words[f"loop{i}_{k}"] = _one_call(ufunc, items, address, data, k)
            lines += [f"    if {' and '.join(fits)}:", f"        return loop{i}_{k}({listed})"]
        message = f"the ufunc {ufunc.__name__} has no loop for such numbers that can be compiled"
        lines.append(f"    return refuse({message!r}, 'call it in a block of objmode')")
        source += "\n".join(lines) + "\n"
    results = [f"map_elements(element{k}, (), {listed})" for k in range(ufunc.nout)]
    return with_out(ufunc, ", ".join(results), source, **words)


def with_out(ufunc, result, source="", **words):
    """A function in the subset that returns `result`, or puts it into `out`; `source` and `words`
    are what `result` is made of."""
    listed = ", ".join(f"x{i}" for i in range(ufunc.nin))
    lines = [f"def call({listed}, /, out=None):", "    if out is None:"]
    lines += [f"        return {result}"]
    if ufunc.nout == 1:
        words["store_checked"] = _store_checked
        lines += [f"    return store_checked(out, {result})"]
    else:
        lines += ["    return refuse('out= of a ufunc with several results')"]
    return made(ufunc.__name__, source + "\n".join(lines) + "\n", **words)


def _store_checked(out, result):
    check_same_kind(result, out[0] if isinstance(out, tuple) else out)
    return store_result(out, result)


def _one_call(ufunc, items, address, data, k):
    """The function in the subset that calls a loop, and returns its result number k."""
    kinds = [getattr(types, np.dtype(item).name.replace("bool", "boolean")) for item in items]
    words = {
        "stack_cell": stack_cell,
        "stack_cells": stack_cells,
        "call_address": call_address,
        "place": _place,
        "loop": address,
        "data": data,
        "none": types.none,
        "int64": types.int64,
        "parameters": (types.int64,) * 4,
        **{f"kind{i}": kind for i, kind in enumerate(kinds)},
    }
    listed = ", ".join(f"x{i}" for i in range(ufunc.nin))
    lines = [f"def call({listed}):", "    count = stack_cell(1)"]
    lines += [f"    places = stack_cells(int64, {len(kinds)})"]
    lines += [f"    steps = stack_cells(int64, {len(kinds)})"]
    for i in range(len(kinds)):
        cell = f"stack_cell(kind{i}(x{i}))" if i < ufunc.nin else f"stack_cells(kind{i}, 1)"
        lines += [f"    cell{i} = {cell}", f"    places[{i}] = place(cell{i})"]
        lines += [f"    steps[{i}] = 0"]
    given = "(place(places), place(count), place(steps), data)"
    lines += [f"    call_address(loop, none, parameters, {ufunc.__name__!r}, {given})"]
    lines += [f"    return cell{ufunc.nin + k}[0]"]
    return made(ufunc.__name__, "\n".join(lines) + "\n", **words)


def _place(pointer):
    """The address of what a pointer points to."""
    return carray(pointer, 1).ctypes.data
