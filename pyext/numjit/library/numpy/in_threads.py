"""Functions for one thread of a kernel, in place of the runtime's and LAPACK's on the processor:
sorting, systems of equations, eigenvalues of symmetric matrices.

Arrays are small there, and memory is what a thread has least of.
"""

import numpy as np

from ..core.registry import function


def is_less(x, y):
    """The order of NumPy's sort: NaN and NaT are last."""
    if isinstance(x, (complex, np.complex64)):
        if x.real == y.real or (x.real != x.real and y.real != y.real):
            return is_less(x.imag, y.imag)
        else:
            return is_less(x.real, y.real)
    else:
        return x < y or (y != y and x == x)


# -- sorting --------------------------------------------------------------------------------------


def merge(order, other, line, low, middle, high):
    """Two sorted runs of ``order`` to one of ``other``; of equal elements the left one is first."""
    i, j = low, middle
    for k in range(low, high):
        if i < middle and (j >= high or not is_less(line[order[j]], line[order[i]])):
            other[k] = order[i]
            i += 1
        else:
            other[k] = order[j]
            j += 1


def sort_positions(order, line):
    """``order`` becomes the positions of the elements of ``line`` in their order; stable."""
    n = line.shape[0]
    for i in range(n):
        order[i] = i
    other = np.empty(n, np.int64)
    width, turned = 1, False
    while width < n:
        for low in range(0, n, 2 * width):
            middle = min(low + width, n)
            high = min(low + 2 * width, n)
            if turned:
                merge(other, order, line, low, middle, high)
            else:
                merge(order, other, line, low, middle, high)
        turned = not turned
        width *= 2
    if turned:
        for i in range(n):
            order[i] = other[i]


def sort_line(out, line):
    """By insertion: neither memory nor comparisons that a short line would not need anyway."""
    for i in range(line.shape[0]):
        x = line[i]
        j = i
        while j > 0 and is_less(x, out[j - 1]):
            out[j] = out[j - 1]
            j -= 1
        out[j] = x


#: Beyond this length sorting by insertion takes longer than what else there is.
SHORT = 24


def sift_down(line, start, end):
    root = start
    while 2 * root + 1 < end:
        child = 2 * root + 1
        if child + 1 < end and is_less(line[child], line[child + 1]):
            child += 1
        if not is_less(line[root], line[child]):
            return
        line[root], line[child] = line[child], line[root]
        root = child


def sort_heap(line):
    """Equal numbers cannot be told apart: this need not be stable."""
    n = line.shape[0]
    for start in range(n // 2 - 1, -1, -1):
        sift_down(line, start, n)
    for end in range(n - 1, 0, -1):
        line[0], line[end] = line[end], line[0]
        sift_down(line, 0, end)


def sort_lines(out, a, axis):
    """numpy.sort of ``a`` to ``out``, which may be the same."""
    if a.ndim == 1:
        if a.shape[0] <= SHORT:
            sort_line(out, a)
        else:
            for i in range(a.shape[0]):
                out[i] = a[i]
            sort_heap(out)
    elif axis != 0:
        for i in range(a.shape[0]):
            sort_lines(out[i], a[i], axis - 1)
    else:
        last = a.ndim - 1
        for i in range(a.shape[last]):
            sort_lines(out[..., i], a[..., i], 0)


def argsort_lines(out, a, axis):
    if a.ndim == 1:
        sort_positions(out, a)
    elif axis != 0:
        for i in range(a.shape[0]):
            argsort_lines(out[i], a[i], axis - 1)
    else:
        last = a.ndim - 1
        for i in range(a.shape[last]):
            argsort_lines(out[..., i], a[..., i], 0)


# -- systems of equations -------------------------------------------------------------------------


def factorise(a, pivots):
    """LAPACK's getrf: rows are exchanged for the largest pivot; 0, or the number of a pivot 0."""
    n, info = a.shape[0], 0
    for k in range(n):
        p = k
        for i in range(k + 1, n):
            if abs(a[i, k]) > abs(a[p, k]):
                p = i
        pivots[k] = p + 1
        if a[p, k] == 0:
            info = info if info else k + 1
        else:
            if p != k:
                for j in range(n):
                    a[k, j], a[p, j] = a[p, j], a[k, j]
            for i in range(k + 1, n):
                a[i, k] = a[i, k] / a[k, k]
                for j in range(k + 1, n):
                    a[i, j] = a[i, j] - a[i, k] * a[k, j]
    return info


def substitute(a, pivots, b):
    """``b`` becomes the solution, for one right side; ``a`` is factorised."""
    n = a.shape[0]
    for k in range(n):
        p = pivots[k] - 1
        b[k], b[p] = b[p], b[k]
    for i in range(n):
        for j in range(i):
            b[i] = b[i] - a[i, j] * b[j]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            b[i] = b[i] - a[i, j] * b[j]
        b[i] = b[i] / a[i, i]


def solve_in_place(a, b):
    """LAPACK's gesv."""
    pivots = np.empty(a.shape[0], np.int64)
    info = factorise(a, pivots)
    if info == 0:
        if b.ndim == 1:
            substitute(a, pivots, b)
        else:
            for j in range(b.shape[1]):
                substitute(a, pivots, b[:, j])
    return info


def root_of_matrix(a, upper):
    """Cholesky's factor in the place of ``a``, of which one triangle counts; LAPACK's info."""
    n = a.shape[0]
    if upper:
        for i in range(n):
            for j in range(i):
                a[i, j] = np.conj(a[j, i])
    for j in range(n):
        square = a[j, j].real
        for k in range(j):
            square -= (a[j, k] * np.conj(a[j, k])).real
        if not square > 0:
            return j + 1
        size = np.sqrt(square)
        a[j, j] = size
        for i in range(j + 1, n):
            x = a[i, j]
            for k in range(j):
                x = x - a[i, k] * np.conj(a[j, k])
            a[i, j] = x / size
    for i in range(n):
        for j in range(i + 1, n):
            if upper:
                a[i, j] = np.conj(a[j, i])
                a[j, i] = 0
            else:
                a[i, j] = 0
    return 0


# -- eigenvalues of symmetric matrices ------------------------------------------------------------


def rotate(a, v, p, q):
    """Jacobi's rotation, which makes ``a[p, q]`` 0."""
    n = a.shape[0]
    size = abs(a[p, q])
    phase = a[p, q] / size
    theta = (a[q, q].real - a[p, p].real) / (2 * size)
    t = np.copysign(1 / (abs(theta) + np.sqrt(theta * theta + 1)), theta)
    c = 1 / np.sqrt(t * t + 1)
    s = t * c
    for k in range(n):
        x, y = a[k, p], a[k, q]
        a[k, p] = c * x - s * np.conj(phase) * y
        a[k, q] = s * phase * x + c * y
        x, y = v[k, p], v[k, q]
        v[k, p] = c * x - s * np.conj(phase) * y
        v[k, q] = s * phase * x + c * y
    for k in range(n):
        x, y = a[p, k], a[q, k]
        a[p, k] = c * x - s * phase * y
        a[q, k] = s * np.conj(phase) * x + c * y


#: Sweeps: convergence is quadratic, six are enough for matrices of hundreds of rows.
SWEEPS = 30


def eigenvalues(v, w, lower):
    """Eigenvalues in ascending order to ``w``, eigenvectors to the columns of ``v``, of which one
    triangle is the matrix. False if there is no convergence: for NaN and infinity."""
    n = v.shape[0]
    a = np.empty((n, n), v.dtype)
    for i in range(n):
        for j in range(n):
            given = (j <= i) if lower else (i <= j)
            a[i, j] = v[i, j] if given else np.conj(v[j, i])
    for i in range(n):
        for j in range(n):
            v[i, j] = 1 if i == j else 0
    for _ in range(SWEEPS):
        rest = 0
        for p in range(n):
            for q in range(p + 1, n):
                size = abs(a[p, q])
                if size != size:
                    return False
                # What is below the last place of both diagonal elements is none.
                if abs(a[p, p]) + size != abs(a[p, p]) or abs(a[q, q]) + size != abs(a[q, q]):
                    rest += 1
                    rotate(a, v, p, q)
        if rest == 0:
            for i in range(n):
                w[i] = a[i, i].real
            sort_columns(v, w)
            return True
    return False


def sort_columns(v, w):
    n = w.shape[0]
    for i in range(n):
        least = i
        for j in range(i + 1, n):
            if w[j] < w[least]:
                least = j
        if least != i:
            w[i], w[least] = w[least], w[i]
            for k in range(n):
                v[k, i], v[k, least] = v[k, least], v[k, i]


# -- numbers --------------------------------------------------------------------------------------


@function("numjit.round_in_threads")
def round_in_threads(x, digits):
    """round(x, digits) as Numba's kernels have it: by a multiplication, so that the last place may
    differ from Python's, which rounds the decimal number."""
    if not np.isfinite(x) or x == 0:
        return x
    elif digits > 22:
        first, second = 10.0 ** min(digits - 22, 308), 1e22
        scaled = (x * first) * second
        return np.rint(scaled) / second / first if np.isfinite(scaled) else x
    elif digits >= 0:
        power = 10.0**digits
        scaled = x * power
        return np.rint(scaled) / power if np.isfinite(scaled) else x
    elif digits < -308:
        return 0.0 * x
    else:
        power = 10.0**-digits
        return np.rint(x / power) * power
