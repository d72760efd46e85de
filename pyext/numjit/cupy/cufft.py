"""Transforms of device arrays along axes, by cuFFT."""

from __future__ import annotations

import math

import numpy as np

from . import cufft_plans
from .creation import ascontiguousarray, empty, zeros
from .cufft_plans import (  # noqa: F401
    CUFFT_C2C,
    CUFFT_C2R,
    CUFFT_D2Z,
    CUFFT_FORWARD,
    CUFFT_INVERSE,
    CUFFT_R2C,
    CUFFT_Z2D,
    CUFFT_Z2Z,
    TYPES,
    Plan,
    Plan1d,
    PlanNd,
    XtPlanNd,
    get_current_plan,
    getVersion,
    is_single,
)

MOST_AXES = 3  # of one transform of cuFFT


def _resized(a, lengths):
    """The first elements along the last axes, and zeros behind them."""
    before = a.shape[: a.ndim - len(lengths)]
    given = a.shape[len(before) :]
    if given == lengths:
        return a
    kept = (..., *(slice(min(pair)) for pair in zip(given, lengths)))
    if all(n <= m for n, m in zip(lengths, given)):
        return a[kept]
    out = zeros((*before, *lengths), a.dtype)
    out[kept] = a[kept]
    return out


def transform(a, kind, direction, lengths, axes, callbacks=(), given=None):
    """A transform along at most three axes, without its factor. `kind` is C2C, R2C or C2R and
    `lengths` are those of its real or complex side, whichever is longer; the result is `given` if
    that can hold it."""
    if kind == "C2C" and len(axes) > 1 and not callbacks:
        axes, lengths = _in_order_of_memory(a.strides, axes, lengths)
    before = a.ndim - len(axes)
    is_last = axes == list(range(before, a.ndim))
    lines, order = a, None
    if not is_last:
        order = [*(axis for axis in range(a.ndim) if axis not in axes), *axes]
        lines = a.transpose(order)
    halved = lengths if kind == "C2C" else (*lengths[:-1], lengths[-1] // 2 + 1)
    number = TYPES[kind][not is_single(a.dtype)]
    dtype, result = cufft_plans.DTYPES[number]
    data = _resized(lines, halved if kind == "C2R" else lengths)
    if data.dtype != dtype or kind == "C2R":  # cuFFT overwrites what it makes real numbers of
        data = data.astype(dtype)
    data = data if data._c_contiguous else ascontiguousarray(data)
    out, batches = given, lines.shape[:before]
    if out is None or not is_last or out.dtype != result or not out._c_contiguous:
        out = empty((*batches, *(halved if kind == "R2C" else lengths)), result)
    if out.size:
        plan = cufft_plans.kept_plan(lengths, number, math.prod(batches), callbacks)
        plan.fft(data, out, direction)
    return out if is_last else out.transpose(np.argsort(order).tolist())


def _in_order_of_memory(strides, axes, lengths):
    """The axes and lengths, the longest stride first: then fewer arrays are copied."""
    pairs = sorted(zip(axes, lengths), key=lambda pair: -strides[pair[0]])
    return [axis for axis, _ in pairs], tuple(length for _, length in pairs)


def transform_all(a, kind, direction, lengths, axes, loads=(), stores=()):
    """A transform along any number of axes, as many at once as cuFFT can, the last first (C2R: the
    last at the end). The first reads by `loads`, the last writes by `stores`."""
    if len(axes) == 1:
        return transform(a, kind, direction, tuple(lengths), axes, (*loads, *stores))
    steps = _steps(axes, kind)
    for number, places in enumerate(steps):
        is_first, is_end = number == 0, number == len(steps) - 1
        own = "C2C"
        if kind == "R2C" and is_first or kind == "C2R" and is_end:
            own = kind
        a = transform(
            a, own, direction, tuple(lengths[i] for i in places), [axes[i] for i in places],
            (*(loads if is_first else ()), *(stores if is_end else ())),
        )  # fmt: skip
    return a


def _steps(axes, kind):
    """Which axes are transformed together, as places in `axes`: the last ones of them first."""
    steps = []
    for place in reversed(range(len(axes))):
        step = steps[-1] if steps else []
        if not step or len(step) == MOST_AXES or axes[place] in (axes[i] for i in step):
            steps.append([place])
        else:
            step.insert(0, place)
    return steps[::-1] if kind == "C2R" else steps
