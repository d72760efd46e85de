"""Loops that make small arrays and lists."""

import numpy as np
from kernel import Kernel
from numjit import njit, prange


@njit
def array_of_items(n):
    total = 0.0
    for i in range(n):
        a = np.array([1.0, 2.0, i * 0.5])
        total += a[0] + a[1] * a[2]
    return total


@njit
def array_of_zeros(n):
    total = 0.0
    for i in range(n):
        a = np.zeros(32)
        a[i % 32] = i
        total += a[3] + a[i % 7]
    return total


@njit
def small_list(n):
    total = 0
    for i in range(n):
        pair = [i, i + 1]
        total += pair[0] * pair[1] % 7
    return total


@njit
def carried_array(n):
    y = np.ones(3)
    for i in range(n):
        y = y * (1.0 + 1e-9 * (i % 3))
    return y.sum()


@njit
def small_vectors(n):
    a, total = np.array([1.0, 2.0, 3.0]), 0.0
    for i in range(n):
        b = a + i
        total += np.dot(a, b) + np.sum(b * b)
    return total


@njit
def small_matrix(n):
    total = 0.0
    for i in range(n):
        turn = np.array([[0.0, -1.0], [1.0, i * 1e-6]])
        total += turn[0, 0] * turn[1, 1] - turn[0, 1] * turn[1, 0]
    return total


@njit
def copied_row(x):
    total = 0.0
    for i in range(len(x)):
        row = x[i].copy()
        row[0] += 1.0
        total += row[0] * row[1]
    return total


@njit
def oscillator(t, y):
    return np.array([y[1], -y[0]])


@njit
def rk4(f, y, h, steps):
    t = 0.0
    for _ in range(steps):
        k1 = f(t, y)
        k2 = f(t + h / 2, y + h / 2 * k1)
        k3 = f(t + h / 2, y + h / 2 * k2)
        k4 = f(t + h, y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        t += h
    return y


@njit
def fft(x):
    n = len(x)
    if n == 1:
        return x.copy()
    even, odd = fft(x[::2]), fft(x[1::2])
    result = np.empty(n, np.complex128)
    for k in range(n // 2):
        turned = np.exp(-2j * np.pi * k / n) * odd[k]
        result[k] = even[k] + turned
        result[k + n // 2] = even[k] - turned
    return result


@njit(parallel=True)
def array_reduction(n):
    acc, one = np.zeros(8), np.ones(8)
    for _ in prange(n):
        acc += one
    return acc


@njit(parallel=True)
def array_reduction_rows(x):
    acc = np.zeros(x.shape[1])
    for i in prange(x.shape[0]):
        acc += x[i]
    return acc


@njit
def longest_increasing(x):
    tails = []
    for v in x:
        low, high = 0, len(tails)
        while low < high:
            middle = (low + high) // 2
            if tails[middle] < v:
                low = middle + 1
            else:
                high = middle
        if low == len(tails):
            tails.append(v)
        else:
            tails[low] = v
    return len(tails)


@njit
def business_days(monday, one, n):
    count = 0
    day = monday
    for _ in range(n):
        if int((day - monday) / one) % 7 < 5:
            count += 1
        day = day + one
    return count


def rows(n, width):
    return (np.random.default_rng(4).random((n, width)),)


def signal(n):
    return (np.random.default_rng(5).random(n) + 0j,)


KERNELS = {
    "array_of_items": Kernel(array_of_items, lambda: (200_000,), lambda: (50,)),
    "array_of_zeros": Kernel(array_of_zeros, lambda: (200_000,), lambda: (50,)),
    "small_list": Kernel(small_list, lambda: (200_000,), lambda: (50,)),
    "carried_array": Kernel(carried_array, lambda: (100_000,), lambda: (50,)),
    "small_vectors": Kernel(small_vectors, lambda: (50_000,), lambda: (50,)),
    "small_matrix": Kernel(small_matrix, lambda: (100_000,), lambda: (50,)),
    "copied_row": Kernel(copied_row, lambda: rows(100_000, 4), lambda: rows(20, 4)),
    "rk4": Kernel(
        rk4,
        lambda: (oscillator, np.array([1.0, 0.0]), 1e-3, 10_000),
        lambda: (oscillator, np.array([1.0, 0.0]), 1e-3, 10),
    ),
    "fft": Kernel(fft, lambda: signal(4096), lambda: signal(64)),
    "array_reduction": Kernel(array_reduction, lambda: (1_000_000,), lambda: (100,)),
    "array_reduction_rows": Kernel(
        array_reduction_rows, lambda: rows(50_000, 16), lambda: rows(64, 16), tolerance=1e-9
    ),
    "longest_increasing": Kernel(
        longest_increasing, lambda: (rows(1, 50_000)[0][0],), lambda: (rows(1, 100)[0][0],)
    ),
    "business_days": Kernel(
        business_days,
        lambda: (np.datetime64("2024-01-01"), np.timedelta64(1, "D"), 500_000),
        lambda: (np.datetime64("2024-01-01"), np.timedelta64(1, "D"), 100),
    ),
}
