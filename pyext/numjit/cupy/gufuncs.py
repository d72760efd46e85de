"""Functions of arrays with a signature such as (i,j),(j)->(i): cupyx.GeneralizedUFunc."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np
from numpy.exceptions import AxisError

from .creation import array, asarray, empty
from .manipulation import broadcast_to
from .ndarrays import ndarray

_NAME = r"\s*[A-Za-z_]\w*\s*(?:\?|\|1)?\s*"
_GROUP = rf"\s*\(\s*(?:{_NAME}(?:,{_NAME})*)?\)\s*"
_GROUPS = rf"(?:{_GROUP}(?:,{_GROUP})*)?"
_SIGNATURE = re.compile(rf"{_GROUPS}->\s*{_GROUP}(?:,{_GROUP})*")


def _parse_gufunc_signature(signature):
    """Dimensions of the arguments and of the results, each (name, may be missing, may be 1), and
    how many names there are."""
    if not isinstance(signature, str) or not _SIGNATURE.fullmatch(signature):
        raise ValueError(f"not a valid signature: {signature!r}")
    parts = [_parsed(part) for part in signature.split("->")]
    names = {name for part in parts for group in part for name, _, _ in group}
    return parts[0] or [()], parts[1], len(names)


def _parsed(text):
    groups = re.findall(r"\(([^()]*)\)", text)
    return [
        tuple(
            (each.strip(" ?").removesuffix("|1").strip(), "?" in each, "|1" in each)
            for each in group.split(",")
            if each.strip()
        )
        for group in groups
    ]


@dataclass
class _Sizes:
    """Sizes of the dimensions that names stand for, and the names that no argument has."""

    known: dict = field(default_factory=dict)
    missing: set = field(default_factory=set)

    def note(self, group, sizes, absent):
        for (name, _, may_be_one), size in zip(group, sizes):
            if size is None:
                if name in self.known:
                    raise ValueError(f"the dimension {name} is missing in one argument only")
                self.missing.add(name)
                continue
            if name in self.missing:
                raise ValueError(f"the dimension {name} is missing in one argument only")
            before = self.known.setdefault(name, size)
            if before != size and not (may_be_one and size == 1):
                if before != 1 or name not in self._may_grow:
                    raise ValueError(f"the dimension {name} is {before} and {size}")
                self.known[name] = size
            if may_be_one:
                self._may_grow.add(name)

    _may_grow: set = field(default_factory=set)


class GeneralizedUFunc:
    """Calls a function for each element of the dimensions that its signature does not name."""

    def __init__(
        self, func, signature, *, supports_batched=False, supports_out=False, signatures=(),
        name=None, doc=None,
    ):  # fmt: skip
        self._function = func
        self.signature = signature
        self._inputs, self._outputs, _ = _parse_gufunc_signature(signature)
        self._batched, self._takes_out = supports_batched, supports_out
        self.nin, self.nout = len(self._inputs), len(self._outputs)
        self.nargs = self.nin + self.nout
        self._loops = [self._loop(each) for each in signatures]
        self.__name__ = name or getattr(func, "__name__", "gufunc")
        self.__doc__ = doc or func.__doc__

    def _loop(self, given):
        """The dtypes of a row of `signatures`, and its function."""
        text, function = (given, self._function) if isinstance(given, str) else given
        inputs, arrow, outputs = text.partition("->")
        if not arrow or len(inputs) != self.nin or len(outputs) != self.nout:
            raise ValueError(f"not a signature of {self.nin} and {self.nout} dtypes: {text!r}")
        return tuple(map(np.dtype, inputs)), tuple(map(np.dtype, outputs)), function

    def __call__(
        self, *args, out=None, axes=None, axis=None, keepdims=False, order="K", dtype=None,
        casting="same_kind", signature=None,
    ):  # fmt: skip
        if len(args) not in (self.nin, self.nargs):
            raise TypeError(f"{self.__name__}() takes {self.nin} arguments, not {len(args)}")
        outs = list(args[self.nin :]) or ([None] * self.nout if out is None else _tuple(out))
        given = [asarray(each) for each in args[: self.nin]]
        inputs, outputs, function = self._chosen([each.dtype for each in given], casting, signature)
        if inputs is not None:
            given = [each.astype(want, copy=False) for each, want in zip(given, inputs)]
        in_axes, out_axes = self._axes(axes, axis, keepdims)
        arrays, sizes, loop = self._arranged(given, in_axes)
        targets = [
            None if each is None else _moved_back(each, group, at, sizes, keepdims)
            for each, group, at in zip(outs, self._outputs, out_axes)
        ]
        found = self._run(function, arrays, targets, sizes, loop)
        made = []
        for place, (value, group) in enumerate(zip(found, self._outputs)):
            wanted = dtype or (outputs[place] if outputs else value.dtype)
            made.append(
                self._finished(
                    value.astype(wanted, copy=False), group, out_axes[place], outs[place], sizes,
                    keepdims, _order(order, given),
                )
            )  # fmt: skip
        return made[0] if self.nout == 1 else tuple(made)

    def _chosen(self, dtypes, casting, signature):
        """The dtypes of the arguments and results, None where they are as given, and what computes
        them."""
        if signature is not None:
            wanted = "".join(np.dtype(each).char for each in signature) if (
                isinstance(signature, tuple)) else signature.replace("->", "")  # fmt: skip
            for inputs, outputs, function in self._loops:
                row = "".join(each.char for each in (*inputs, *outputs))
                if wanted and wanted in (row, row[self.nin :]):
                    if not all(map(np.can_cast, dtypes, inputs, [casting] * self.nin)):
                        break
                    return inputs, outputs, function
            raise TypeError(f"no loop of {self.__name__} has the signature {signature!r}")
        for inputs, outputs, function in self._loops:
            if all(np.can_cast(have, want, casting) for have, want in zip(dtypes, inputs)):
                return inputs, outputs, function
        return None, None, self._function

    def _axes(self, axes, axis, keepdims):
        """The axes of each argument and of each result that its dimensions are."""
        groups = [*self._inputs, *self._outputs]
        if axis is not None:
            names = {name for group in groups for name, _, _ in group}
            if axes is not None:
                raise TypeError("cannot specify both 'axis' and 'axes'")
            if len(names) != 1 or any(len(group) > 1 for group in groups):
                raise ValueError("'axis' is for signatures with one dimension")
            found = [(axis,) if group else () for group in groups]
        elif axes is None:
            found = [tuple(range(-len(group), 0)) for group in groups]
        else:
            if not isinstance(axes, list):
                raise TypeError("axes should be a list")
            found = [each if isinstance(each, tuple) else (each,) for each in axes]
            if len(found) == self.nin and not any(self._outputs):
                found += [()] * self.nout
            if len(found) != len(groups):
                raise ValueError("axes should be a list with an entry for all operands")
        if keepdims:
            if any(self._outputs) or len({len(group) for group in self._inputs}) != 1:
                raise TypeError("keepdims is for arguments of equal dimensions, results of none")
            found[self.nin :] = [found[0]] * self.nout
        return found[: self.nin], found[self.nin :]

    def _arranged(self, given, axes):
        """The arguments with their own dimensions last and all dimensions that there are, the sizes
        of these, and the shape of the others."""
        sizes, arrays, loops = _Sizes(), [], []
        for each, group, at in zip(given, self._inputs, axes):
            absent = max(len(group) - each.ndim, 0)
            dropped = [place for place, (_, optional, _) in enumerate(group) if optional][:absent]
            if len(dropped) < absent:
                raise ValueError(f"{self.__name__}: an argument does not have enough dimensions")
            count = len(group) - absent
            at = at[len(at) - count :] if _is_last(at) else at
            each = _moved(each, at, count)
            have = iter(each.shape[each.ndim - count :])
            core = [None if place in dropped else next(have) for place in range(len(group))]
            sizes.note(group, core, absent)
            loop = each.shape[: each.ndim - count]
            arrays.append(each.reshape(*loop, *(1 if size is None else size for size in core)))
            loops.append(loop)
        return arrays, sizes, np.broadcast_shapes(*loops)

    def _run(self, function, arrays, targets, sizes, loop):
        """The results with all dimensions that the signature names."""
        cores = [len(group) for group in self._inputs]
        arrays = [
            each if each.shape[: each.ndim - core] == loop
            else broadcast_to(each, loop + each.shape[each.ndim - core :])
            for each, core in zip(arrays, cores)
        ]  # fmt: skip
        with_out = self._takes_out and all(each is not None for each in targets)
        if self._batched or not loop:
            return self._once(function, arrays, targets, with_out)
        made = None
        for place in np.ndindex(*loop):
            parts = [each[place] for each in targets] if with_out else None
            found = self._once(function, [each[place] for each in arrays], parts, with_out)
            if with_out:
                continue
            if made is None:
                made = [empty(loop + each.shape, each.dtype) for each in found]
            for whole, each in zip(made, found):
                whole[place] = each
        if made is None and not with_out:
            shapes = [
                tuple(sizes.known.get(name, 1) for name, _, _ in group) for group in self._outputs
            ]
            made = [empty(loop + shape, arrays[0].dtype) for shape in shapes]
        return targets if with_out else made

    def _once(self, function, arrays, targets, with_out):
        if not with_out:
            return [asarray(each) for each in _tuple(function(*arrays))]
        function(*arrays, out=targets[0] if self.nout == 1 else tuple(targets))
        return targets

    def _finished(self, value, group, axes, out, sizes, keepdims, order):
        """A result without the dimensions that are missing, in its axes and in `out`."""
        loop = value.ndim - len(group)
        absent = tuple(
            loop + place for place, (name, _, _) in enumerate(group) if name in sizes.missing
        )
        if absent:
            value = value.squeeze(absent)
            axes = axes[len(absent) :] if _is_last(axes) else axes
        if keepdims:
            value = value.reshape(value.shape + (1,) * len(axes))
        count = len(axes) if keepdims else len(group) - len(absent)
        value = _back(value, axes, count)
        if out is None:
            return value if order == "K" else array(value, copy=None, order=order)
        if out.shape != value.shape:
            raise ValueError(f"out has the shape {out.shape}, the result {value.shape}")
        if not np.can_cast(value.dtype, out.dtype, "same_kind"):
            raise TypeError(f"a result of {value.dtype} cannot be cast to out, of {out.dtype}")
        out[...] = value
        return out


_GUFunc = GeneralizedUFunc


def _tuple(value):
    return list(value) if isinstance(value, (tuple, list)) else [value]


def _is_last(axes):
    return axes == tuple(range(-len(axes), 0))


def _checked(axes, count):
    if len(axes) != count:
        raise AxisError(f"an operand has {count} dimensions of the signature, not {len(axes)}")
    return axes


def _moved(value, axes, count):
    """The array with its axes of the signature last."""
    if not count or _is_last(_checked(axes, count)):
        return value
    rest = [axis % value.ndim for axis in axes]
    if any(not -value.ndim <= axis < value.ndim for axis in axes):
        raise AxisError(f"axes {axes} are out of bounds for an array of {value.ndim} dimensions")
    order = [axis for axis in range(value.ndim) if axis not in rest] + rest
    return value.transpose(order)


def _back(value, axes, count):
    """The array with its last axes where they belong."""
    if not count or _is_last(_checked(axes, count)):
        return value
    places = [axis % value.ndim for axis in axes]
    order, left = [None] * value.ndim, iter(range(value.ndim - count))
    for number, place in enumerate(places):
        order[place] = value.ndim - count + number
    return value.transpose([next(left) if each is None else each for each in order])


def _moved_back(out, group, axes, sizes, keepdims):
    """A view of an array for a result, as the function writes it; None where there is none."""
    if sizes.missing or keepdims or not isinstance(out, ndarray):
        return None
    return _moved(out, axes, len(group))


def _order(order, given):
    if order == "A":
        return "F" if all(each._f_contiguous for each in given) else "C"
    return order
