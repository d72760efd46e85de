"""scipy.ndimage's interpolation over device arrays: coefficients of B-splines, and their values at
the coordinates that a transformation gives.

Source: P. Thevenaz, T. Blu, M. Unser, "Interpolation revisited", IEEE Trans. Medical Imaging 19(7),
2000; the modes beyond the edges are scipy.ndimage's.
"""

from __future__ import annotations

import math

import numpy as np

import numjit.cupy as cp
from numjit.cupy.indexing import launch
from numjit.cupy.kernel_text import cached, type_name, unravel

from .windows import back, indented, lines_first

NEAREST, WRAP, REFLECT, MIRROR, CONSTANT, GRID_WRAP, GRID_CONSTANT = range(7)

_POLES = {
    2: [math.sqrt(8) - 3],
    3: [math.sqrt(3) - 2],
    4: [
        math.sqrt(664 - math.sqrt(438976)) + math.sqrt(304) - 19,
        math.sqrt(664 + math.sqrt(438976)) - math.sqrt(304) - 19,
    ],
    5: [
        math.sqrt(67.5 - math.sqrt(4436.25)) + math.sqrt(26.25) - 6.5,
        math.sqrt(67.5 + math.sqrt(4436.25)) - math.sqrt(26.25) - 6.5,
    ],
}

#: The first coefficients of the two recursions, for what lies beyond the ends of a line.
_FIRST = {
    MIRROR: """\
last = z ** (n - 1)
power = z
total = c[i, 0] + last * c[i, n - 1]
for k in range(1, n - 1):
    total += power * (c[i, k] + last * c[i, n - 1 - k])
    power *= z
c[i, 0] = total / (1 - last * last)""",
    REFLECT: """\
last = z ** n
power = z
total = c[i, 0] + last * c[i, n - 1]
for k in range(1, n):
    total += power * (c[i, k] + last * c[i, n - 1 - k])
    power *= z
c[i, 0] = c[i, 0] + total * z / (1 - last * last)""",
    GRID_WRAP: """\
power = z
total = c[i, 0]
for k in range(1, n):
    total += power * c[i, n - k]
    power *= z
c[i, 0] = total / (1 - power)""",
}
_LAST = {
    MIRROR: "c[i, n - 1] = (z * c[i, n - 2] + c[i, n - 1]) * z / (z * z - 1)",
    REFLECT: "c[i, n - 1] = c[i, n - 1] * z / (z - 1)",
    GRID_WRAP: """\
power = z
total = c[i, n - 1]
for k in range(n - 1):
    total += power * c[i, k]
    power *= z
c[i, n - 1] = total * z / (power - 1)""",
}
_RECURSIONS = """\
def kernel(c, poles):
    i = cuda.grid(1)
    step = cuda.gridsize(1)
    n = c.shape[1]
    while i < c.shape[0]:
        for p in range(poles.shape[0]):
            z = poles[p]
            gain = (1 - z) * (1 - 1 / z)
            for k in range(n):
                c[i, k] = c[i, k] * gain
{first}
            for k in range(1, n):
                c[i, k] = c[i, k] + z * c[i, k - 1]
{last}
            for k in range(n - 2, -1, -1):
                c[i, k] = z * (c[i, k + 1] - c[i, k])
        i += step
"""


def _of_splines(mode):
    """The mode that coefficients are computed in."""
    if mode == GRID_WRAP:
        return GRID_WRAP
    return REFLECT if mode in (NEAREST, REFLECT) else MIRROR


def spline_filter1d(input, order, axis, output, mode):
    lines, shape = lines_first(input, axis)
    lines = cp.array(lines, dtype=float)
    if lines.shape[1] > 1 and lines.size:
        mode = _of_splines(mode)
        text = _RECURSIONS.format(first=indented(_FIRST[mode], 12), last=indented(_LAST[mode], 12))
        launch(cached(text), lines.shape[0], lines._for_writing(),
               cp.array(_POLES[order])._force())  # fmt: skip
    output[...] = back(lines, shape, axis)


#: Lines that bring a coordinate `x` into an axis of n elements.
_COORDINATE = {
    NEAREST: "",
    MIRROR: """\
x = abs(x)
if n <= 1:
    x = 0.0
elif x > n - 1:
    period = 2.0 * n - 2
    x = x - period * math.floor(x / period)
    if x >= n:
        x = period - x""",
    REFLECT: """\
if x < 0:
    x = -x - 1
if n <= 1:
    x = 0.0
elif x < 0 or x > n - 1:
    period = 2.0 * n
    x = x - period * math.floor(x / period)
    if x >= n:
        x = period - x - 1""",
    WRAP: """\
if n <= 1:
    x = 0.0
elif x < 0:
    x = x + (n - 1.0) * (math.floor(-x / (n - 1.0)) + 1)
elif x > n - 1:
    x = x - (n - 1.0) * math.floor(x / (n - 1.0))""",
    GRID_WRAP: """\
if n <= 1:
    x = 0.0
elif x < 0 or x > n - 1:
    x = x - n * math.floor(x / n)""",
    CONSTANT: "if x < 0 or x > n - 1:\n    inside = False\n    x = 0.0",
    GRID_CONSTANT: "",
}
#: The same for the index `p` of a coefficient.
_INDEX = {
    NEAREST: "p = min(max(p, 0), n - 1)",
    MIRROR: "if n == 1:\n    p = 0\nelse:\n    p = p % (2 * n - 2)\n"
            "    if p >= n:\n        p = 2 * n - 2 - p",
    REFLECT: "p = p % (2 * n)\nif p >= n:\n    p = 2 * n - 1 - p",
    GRID_WRAP: "p = p % n",
    GRID_CONSTANT: "if p < 0 or p >= n:\n    there = False\n    p = 0",
}  # fmt: skip
_INDEX[CONSTANT] = _INDEX[WRAP] = _INDEX[MIRROR]

#: Weights of the coefficients near a coordinate, whose fraction is t: centred for even orders.
_WEIGHTS = {
    0: ["1.0"],
    1: ["1 - t", "t"],
    2: ["0.5 * (0.5 - t) ** 2", "0.75 - t * t", "0.5 * (0.5 + t) ** 2"],
    3: [
        "(1 - t) ** 3 / 6",
        "(t * t * (t - 2) * 3 + 4) / 6",
        "((1 - t) ** 2 * (-1 - t) * 3 + 4) / 6",
        "t ** 3 / 6",
    ],
    4: [
        "(0.5 - t) ** 4 / 24",
        "((19 - 44 * t) + 24 * t * t + (16 - 16 * t) * t ** 3) / 96",
        "(115 - 120 * t * t + 48 * t ** 4) / 192",
        "((19 + 44 * t) + 24 * t * t - (16 + 16 * t) * t ** 3) / 96",
        "(0.5 + t) ** 4 / 24",
    ],
    5: [
        "(1 - t) ** 5 / 120",
        "(26 - 50 * t + 20 * t * t + 20 * t ** 3 - 20 * t ** 4 + 5 * t ** 5) / 120",
        "(66 - 60 * t * t + 30 * t ** 4 - 10 * t ** 5) / 120",
        "(26 + 50 * t + 20 * t * t - 20 * t ** 3 - 20 * t ** 4 + 10 * t ** 5) / 120",
        "(1 + 5 * t + 10 * t * t + 10 * t ** 3 + 5 * t ** 4 - 5 * t ** 5) / 120",
        "t ** 5 / 120",
    ],
}
_TRANSFORM = """\
def kernel(a, out, coordinates, offset, cval, npad, grid_mode):
    i = cuda.grid(1)
    step = cuda.gridsize(1)
    weights = cuda.local.array(({ndim}, {count}), np.float64)
    places = cuda.local.array(({ndim}, {count}), np.int64)
    while i < out.size:
{unraveled}
        inside = True
{axes}
        value = cval
        if inside:
            value = 0.0
            for number in range({count} ** {ndim}):
                rest = number
                weight = 1.0
                there = True
{product}
                if there:
                    value += weight * np.float64(a[{index}])
                else:
                    value += weight * cval
        out[{out_index}] = {result}
        i += step
"""
_AXIS = """\
x = {coordinate} + npad
n = a.shape[{axis}]
{mapped}
begin = np.int64(math.floor({nearest}))
t = x - begin
{weights}
for k in range({count}):
    p = begin - {before} + k
    there = True
{inside}
    places[{axis}, k] = p if there else -1"""


def _sampled(input, output, coordinate, arrays, order, mode, cval, npad, grid_mode=False):
    """Values of a spline; coordinate(axis) is the text of a coordinate."""
    if not output.size:
        return
    count, ndim = order + 1, input.ndim
    axes, product = [], []
    for axis in range(ndim):
        weights = "\n".join(
            f"weights[{axis}, {k}] = {text}" for k, text in enumerate(_WEIGHTS[order])
        )
        axes.append(
            _AXIS.format(
                axis=axis,
                coordinate=coordinate(axis),
                mapped=_COORDINATE[mode],
                nearest="x" if order & 1 else "x + 0.5",
                weights=weights,
                count=count,
                before=order // 2,
                inside=indented(_INDEX[mode], 4),
            )  # fmt: skip
        )
        product.append(
            f"k = rest % {count}\nrest = rest // {count}\nweight *= weights[{axis}, k]\n"
            f"p{axis} = places[{axis}, k]\nif p{axis} < 0:\n    there = False\n    p{axis} = 0"
        )
    text = _TRANSFORM.format(
        ndim=ndim, count=count, unraveled="\n".join(unravel(output.ndim, "out", " " * 8)),
        axes=indented("\n".join(axes), 8), product=indented("\n".join(product), 16),
        index=", ".join(f"p{axis}" for axis in range(ndim)),
        out_index=", ".join(f"i{axis}" for axis in range(output.ndim)),
        result=_rounded(output.dtype),
    )  # fmt: skip
    one, other = (cp.asarray(each, dtype=float)._force() for each in arrays)
    launch(cached(text), output.size, input._force(), output._for_writing(), one, other,
           float(cval), int(npad), int(grid_mode))  # fmt: skip


def _rounded(dtype):
    """A value as an element: integers are rounded, unsigned ones are not negative."""
    if dtype.kind == "i":
        return f"{type_name(dtype)}(value + 0.5 if value > 0 else value - 0.5)"
    if dtype.kind in "ub":
        return f"{type_name(dtype)}(value + 0.5 if value > -1 else 0.0)"
    return f"{type_name(dtype)}(value)"


def geometric_transform(
    input, mapping, coordinates, matrix, shift, output, order, mode, cval, npad, extra_arguments,
    extra_keywords,
):  # fmt: skip
    if mapping is not None:
        # A function of Python from an output's indices to coordinates: it is called on the host.
        places = np.ndindex(*output.shape)
        found = [mapping(at, *extra_arguments, **extra_keywords) for at in places]
        coordinates = cp.array(np.array(found).T.reshape(input.ndim, *output.shape))
    at = ", ".join(f"i{axis}" for axis in range(output.ndim))
    if coordinates is not None:

        def text(axis):
            return f"coordinates[{axis}, {at}]"

        arrays = coordinates, cp.zeros(1)
    else:
        shift = cp.zeros(input.ndim) if shift is None else shift

        def text(axis):
            terms = (f"coordinates[{axis}, {each}] * i{each}" for each in range(output.ndim))
            return f"offset[{axis}] + {' + '.join(terms)}"

        arrays = matrix, shift
    _sampled(input, output, text, arrays, order, mode, cval, npad)


def zoom_shift(input, zoom, shift, output, order, mode, cval, npad, grid_mode):
    shift = cp.zeros(input.ndim) if shift is None else shift
    zoom = cp.ones(input.ndim) if zoom is None else zoom
    half = 0.5 if grid_mode else 0.0
    _sampled(input, output,
             lambda axis: f"(i{axis} + offset[{axis}] + {half}) * coordinates[{axis}] - {half}",
             (zoom, shift), order, mode, cval, npad, grid_mode)  # fmt: skip
