"""Lorenz's equations of 1996 by the classical Runge-Kutta method in float64, one system a thread:
8 variables, which fit in registers, and 40, which do not."""

import functools

import numpy as np
from gpu_kernel import GpuKernel, Problem, blocks

THREADS = 128
FORCING = 8.0

SOURCE = r"""
#define FORCING 8.0

__device__ void slope(const double *x, double *out) {
  for (int i = 0; i < SIZE; ++i)
    out[i] = (x[(i + 1) % SIZE] - x[(i + SIZE - 2) % SIZE]) * x[(i + SIZE - 1) % SIZE] - x[i] +
             FORCING;
}

extern "C" __global__ void advance(double *states, double dt, int steps, int members) {
  int member = blockIdx.x * blockDim.x + threadIdx.x;
  if (member < members) {
    double x[SIZE], stage[SIZE], k[SIZE], total[SIZE];
    for (int i = 0; i < SIZE; ++i)
      x[i] = states[i * members + member];
    for (int step = 0; step < steps; ++step) {
      slope(x, k);
      for (int i = 0; i < SIZE; ++i) {
        total[i] = k[i];
        stage[i] = x[i] + dt / 2 * k[i];
      }
      slope(stage, k);
      for (int i = 0; i < SIZE; ++i) {
        total[i] += 2 * k[i];
        stage[i] = x[i] + dt / 2 * k[i];
      }
      slope(stage, k);
      for (int i = 0; i < SIZE; ++i) {
        total[i] += 2 * k[i];
        stage[i] = x[i] + dt * k[i];
      }
      slope(stage, k);
      for (int i = 0; i < SIZE; ++i)
        x[i] += dt / 6 * (total[i] + k[i]);
    }
    for (int i = 0; i < SIZE; ++i)
      states[i * members + member] = x[i];
  }
}
"""


def kernels(size, cuda):
    @cuda.jit(device=True)
    def slope(x, out):
        for i in range(size):
            ahead, before, last = (i + 1) % size, (i + size - 2) % size, (i + size - 1) % size
            out[i] = (x[ahead] - x[before]) * x[last] - x[i] + FORCING

    @cuda.jit
    def advance(states, dt, steps):
        member = cuda.grid(1)
        if member < states.shape[1]:
            x = cuda.local.array(size, np.float64)
            stage = cuda.local.array(size, np.float64)
            k = cuda.local.array(size, np.float64)
            total = cuda.local.array(size, np.float64)
            for i in range(size):
                x[i] = states[i, member]
            for step in range(steps):
                slope(x, k)
                for i in range(size):
                    total[i] = k[i]
                    stage[i] = x[i] + dt / 2 * k[i]
                slope(stage, k)
                for i in range(size):
                    total[i] += 2 * k[i]
                    stage[i] = x[i] + dt / 2 * k[i]
                slope(stage, k)
                for i in range(size):
                    total[i] += 2 * k[i]
                    stage[i] = x[i] + dt * k[i]
                slope(stage, k)
                for i in range(size):
                    x[i] += dt / 6 * (total[i] + k[i])
            for i in range(size):
                states[i, member] = x[i]

    return (advance,)


def advanced(x, dt, steps):
    def slope(x):
        return (np.roll(x, -1, 0) - np.roll(x, 2, 0)) * np.roll(x, 1, 0) - x + FORCING

    for _ in range(steps):
        first = slope(x)
        second = slope(x + dt / 2 * first)
        third = slope(x + dt / 2 * second)
        fourth = slope(x + dt * third)
        x = x + dt / 6 * (first + 2 * second + 2 * third + fourth)
    return x


def problem(size, members, steps, full):
    members, steps = (members, steps) if full else (300, 5)
    states = FORCING + np.random.default_rng(10).normal(size=(size, members))
    dt = 0.01

    def run(launch, states):
        grid = (blocks(members, THREADS),)
        launch("advance", grid, (THREADS,), states, dt, steps, sizes=(members,))

    def expected():
        """Of every 100th system in full size."""
        some = slice(None), slice(None, None, 100 if full else 1)
        return {"states": (some, advanced(states[some], dt, steps))}

    return Problem({"states": states}, run, expected, 1e-11, restored=("states",))


def with_variables(size, members, steps):
    return GpuKernel(
        functools.partial(kernels, size),
        f"#define SIZE {size}\n{SOURCE}",
        functools.partial(problem, size, members, steps),
    )


KERNELS = {
    "Runge-Kutta, 8 variables": with_variables(8, 1 << 18, 50),
    "Runge-Kutta, 40 variables": with_variables(40, 1 << 16, 16),
}
