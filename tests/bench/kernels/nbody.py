"""Gravity between all pairs of bodies: vector square roots and divisions."""

import math

import numpy as np
from kernel import Kernel
from numjit import njit


@njit
def nbody(position, velocity, mass, steps, dt):
    n = position.shape[0]
    for _ in range(steps):
        for i in range(n):
            ax = ay = az = 0.0
            for j in range(n):
                dx = position[j, 0] - position[i, 0]
                dy = position[j, 1] - position[i, 1]
                dz = position[j, 2] - position[i, 2]
                square = dx * dx + dy * dy + dz * dz + 0.01
                pull = mass[j] / (square * math.sqrt(square))
                ax += dx * pull
                ay += dy * pull
                az += dz * pull
            velocity[i, 0] += dt * ax
            velocity[i, 1] += dt * ay
            velocity[i, 2] += dt * az
        for i in range(n):
            for k in range(3):
                position[i, k] += dt * velocity[i, k]


def bodies(n, steps):
    random = np.random.default_rng(1)
    return random.normal(size=(n, 3)), random.normal(size=(n, 3)), random.random(n) / n, steps, 1e-5


KERNEL = Kernel(nbody, lambda: bodies(200, 10), lambda: bodies(20, 2), tolerance=1e-10)
