"""How many steps each point of the complex plane takes to leave the circle of radius 2."""

import numpy as np
from demo import Demo
from numjit import njit


@njit
def escape_time(c, limit):
    z = 0j
    for step in range(limit):
        if z.real * z.real + z.imag * z.imag > 4.0:
            return step
        z = z * z + c
    return limit


@njit
def mandelbrot(width, height, limit):
    steps = np.empty((height, width), np.int64)
    for i in range(height):
        for j in range(width):
            c = complex(-2.2 + 3.2 * j / width, -1.2 + 2.4 * i / height)
            steps[i, j] = escape_time(c, limit)
    return steps


def load():
    return 600, 450, 100


def small():
    return 60, 45, 100


def with_numpy(width, height, limit):
    y, x = np.mgrid[:height, :width]
    c = (-2.2 + 3.2 * x / width) + 1j * (-1.2 + 2.4 * y / height)
    z = np.zeros_like(c)
    steps = np.full(c.shape, limit)
    inside = np.ones(c.shape, bool)
    for step in range(limit):
        left = inside & (z.real * z.real + z.imag * z.imag > 4.0)
        steps[left] = step
        inside &= ~left
        z[inside] = z[inside] * z[inside] + c[inside]
    return steps


DEMOS = [
    Demo("Mandelbrot", mandelbrot, load, small, 100, with_numpy, lambda steps: np.log1p(steps))
]
