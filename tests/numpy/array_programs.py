"""Small programs in plain NumPy, of the kinds that NPBench collects: stencils, linear algebra,
dynamic programming, spectral methods, neural networks, physics. Each has a function ``arguments``
that gives its input; all are compiled as they stand. One long file: they share nothing but a
decorator, and are read one by one."""

import numpy as np

PROGRAMS = {}


def program(arguments):
    def register(function):
        PROGRAMS[function.__name__] = function, arguments
        return function

    return register


def floats(*shape, seed=0):
    return np.random.default_rng(seed + len(shape)).random(shape)


# -- stencils --------------------------------------------------------------------------------------


@program(lambda: (4, floats(30), floats(30, seed=1)))
def jacobi_1d(steps, A, B):
    for _ in range(1, steps):
        B[1:-1] = 0.33333 * (A[:-2] + A[1:-1] + A[2:])
        A[1:-1] = 0.33333 * (B[:-2] + B[1:-1] + B[2:])


@program(lambda: (4, floats(12, 12), floats(12, 12, seed=1)))
def jacobi_2d(steps, A, B):
    for _ in range(1, steps):
        B[1:-1, 1:-1] = 0.2 * (
            A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1]
        )
        A[1:-1, 1:-1] = 0.2 * (
            B[1:-1, 1:-1] + B[1:-1, :-2] + B[1:-1, 2:] + B[2:, 1:-1] + B[:-2, 1:-1]
        )


@program(lambda: (3, floats(8, 8, 8), floats(8, 8, 8, seed=1)))
def heat_3d(steps, A, B):
    for _ in range(1, steps):
        for source, target in ((A, B), (B, A)):
            middle = source[1:-1, 1:-1, 1:-1]
            target[1:-1, 1:-1, 1:-1] = (
                0.125 * (source[2:, 1:-1, 1:-1] - 2.0 * middle + source[:-2, 1:-1, 1:-1])
                + 0.125 * (source[1:-1, 2:, 1:-1] - 2.0 * middle + source[1:-1, :-2, 1:-1])
                + 0.125 * (source[1:-1, 1:-1, 2:] - 2.0 * middle + source[1:-1, 1:-1, :-2])
                + middle
            )


@program(lambda: (3, floats(8, 9), floats(8, 9, seed=1), floats(8, 9, seed=2), np.arange(3.0)))
def fdtd_2d(steps, ex, ey, hz, source):
    for t in range(steps):
        ey[0, :] = source[t]
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])


@program(lambda: (2, 10, floats(10, 10)))
def seidel_2d(steps, n, A):
    for _ in range(steps):
        for i in range(1, n - 1):
            A[i, 1:-1] += (
                A[i - 1, :-2] + A[i - 1, 1:-1] + A[i - 1, 2:] + A[i, 2:] + A[i + 1, :-2]
                + A[i + 1, 1:-1] + A[i + 1, 2:]
            )  # fmt: skip
            for j in range(1, n - 1):
                A[i, j] += A[i, j - 1]
                A[i, j] /= 9.0


@program(lambda: (floats(9, 9, 3), floats(9, 9, 3), floats(5, 5, 3)))
def hdiff(in_field, out_field, coeff):
    I, J = out_field.shape[0] - 4, out_field.shape[1] - 4
    lap = 4.0 * in_field[1 : I + 3, 1 : J + 3, :] - (
        in_field[2 : I + 4, 1 : J + 3, :] + in_field[0 : I + 2, 1 : J + 3, :]
        + in_field[1 : I + 3, 2 : J + 4, :] + in_field[1 : I + 3, 0 : J + 2, :]
    )  # fmt: skip
    res1 = lap[1:, 1 : J + 1, :] - lap[:-1, 1 : J + 1, :]
    flux_x = np.where(
        res1 * (in_field[2 : I + 3, 2 : J + 2, :] - in_field[1 : I + 2, 2 : J + 2, :]) > 0, 0, res1
    )
    res2 = lap[1 : I + 1, 1:, :] - lap[1 : I + 1, :-1, :]
    flux_y = np.where(
        res2 * (in_field[2 : I + 2, 2 : J + 3, :] - in_field[2 : I + 2, 1 : J + 2, :]) > 0, 0, res2
    )
    out_field[2 : I + 2, 2 : J + 2, :] = in_field[2 : I + 2, 2 : J + 2, :] - coeff * (
        flux_x[1:, :, :] - flux_x[:-1, :, :] + flux_y[:, 1:, :] - flux_y[:, :-1, :]
    )


@program(lambda: (floats(6, 5, 7), floats(7, 5, 7), floats(6, 5, 7), floats(6, 5, 7), 2.0))
def vadv(utens, wcon, u_pos, u_stage, dtr):
    I, J, K = utens.shape
    ccol, dcol, data = np.zeros((I, J, K)), np.zeros((I, J, K)), np.zeros((I, J))
    for k in range(1, K - 1):
        gav = -0.25 * (wcon[1:, :, k] + wcon[:-1, :, k])
        gcv = 0.25 * (wcon[1:, :, k + 1] + wcon[:-1, :, k + 1])
        ccol[:, :, k] = gcv * 0.5
        bcol = dtr - gav * 0.5 - ccol[:, :, k]
        dcol[:, :, k] = (
            dtr * u_pos[:, :, k] + utens[:, :, k] - gav * (u_stage[:, :, k - 1] - u_stage[:, :, k])
        )
        divided = 1.0 / (bcol - ccol[:, :, k - 1] * gav)
        ccol[:, :, k] = ccol[:, :, k] * divided
        dcol[:, :, k] = (dcol[:, :, k] - dcol[:, :, k - 1] * gav) * divided
    for k in range(K - 2, -1, -1):
        data[:] = dcol[:, :, k] - ccol[:, :, k] * data
        utens[:, :, k] = dtr * (data - u_pos[:, :, k])


def pressure_poisson(nit, p, dx, dy, b):
    pn = np.empty_like(p)
    for _ in range(nit):
        pn[:] = p.copy()
        across = (pn[1:-1, 2:] + pn[1:-1, 0:-2]) * dy**2
        down = (pn[2:, 1:-1] + pn[0:-2, 1:-1]) * dx**2
        both = 2 * (dx**2 + dy**2)
        p[1:-1, 1:-1] = (across + down) / both - dx**2 * dy**2 / both * b[1:-1, 1:-1]
        p[:, -1] = p[:, -2]
        p[0, :] = p[1, :]
        p[:, 0] = p[:, 1]
        p[-1, :] = 0


def build_up_b(b, rho, dt, u, v, dx, dy):
    b[1:-1, 1:-1] = rho * (
        1
        / dt
        * ((u[1:-1, 2:] - u[1:-1, 0:-2]) / (2 * dx) + (v[2:, 1:-1] - v[0:-2, 1:-1]) / (2 * dy))
        - ((u[1:-1, 2:] - u[1:-1, 0:-2]) / (2 * dx)) ** 2
        - 2 * ((u[2:, 1:-1] - u[0:-2, 1:-1]) / (2 * dy) * (v[1:-1, 2:] - v[1:-1, 0:-2]) / (2 * dx))
        - ((v[2:, 1:-1] - v[0:-2, 1:-1]) / (2 * dy)) ** 2
    )


@program(lambda: (11, 11, 5, 4, np.zeros((11, 11)), np.zeros((11, 11)), np.zeros((11, 11))))
def cavity_flow(nx, ny, nt, nit, u, v, p):
    dx, dy, dt, rho, nu = 2 / (nx - 1), 2 / (ny - 1), 0.001, 1.0, 0.1
    b = np.zeros((ny, nx))
    for _ in range(nt):
        un, vn = u.copy(), v.copy()
        build_up_b(b, rho, dt, u, v, dx, dy)
        pressure_poisson(nit, p, dx, dy, b)
        u[1:-1, 1:-1] = (
            un[1:-1, 1:-1]
            - un[1:-1, 1:-1] * dt / dx * (un[1:-1, 1:-1] - un[1:-1, 0:-2])
            - vn[1:-1, 1:-1] * dt / dy * (un[1:-1, 1:-1] - un[0:-2, 1:-1])
            - dt / (2 * rho * dx) * (p[1:-1, 2:] - p[1:-1, 0:-2])
            + nu * (dt / dx**2 * (un[1:-1, 2:] - 2 * un[1:-1, 1:-1] + un[1:-1, 0:-2])
                    + dt / dy**2 * (un[2:, 1:-1] - 2 * un[1:-1, 1:-1] + un[0:-2, 1:-1]))
        )  # fmt: skip
        v[1:-1, 1:-1] = (
            vn[1:-1, 1:-1]
            - un[1:-1, 1:-1] * dt / dx * (vn[1:-1, 1:-1] - vn[1:-1, 0:-2])
            - dt / (2 * rho * dy) * (p[2:, 1:-1] - p[0:-2, 1:-1])
            + nu * dt / dx**2 * (vn[1:-1, 2:] - 2 * vn[1:-1, 1:-1] + vn[1:-1, 0:-2])
        )
        u[0, :] = 0
        u[:, 0] = 0
        u[-1, :] = 1
        v[0, :] = 0
        v[:, -1] = 0


@program(lambda: (floats(9, 10), floats(9, 10, seed=1), 0.01, 1e-2))
def channel_flow(u, v, dt, tolerance):
    difference, steps = 1.0, 0
    while difference > tolerance and steps < 20:
        un = u.copy()
        u[1:-1, 1:-1] = un[1:-1, 1:-1] - dt * (
            un[1:-1, 1:-1] * (un[1:-1, 1:-1] - un[1:-1, :-2]) + v[1:-1, 1:-1]
        )
        u[1:-1, -1] = un[1:-1, -1] - dt * un[1:-1, -1] * (un[1:-1, -1] - un[1:-1, -2])
        u[0, :], u[-1, :] = 0, 0
        difference = (np.sum(u) - np.sum(un)) / np.sum(u)
        steps += 1
    return steps


@program(lambda: (1.5, floats(12, 10)))
def deriche(alpha, image):
    k = (1.0 - np.exp(-alpha)) ** 2 / (1.0 + alpha * np.exp(-alpha) - np.exp(2.0 * alpha))
    a1 = k
    a2 = k * np.exp(-alpha) * (alpha - 1.0)
    b1 = 2.0 ** (-alpha)
    b2 = -np.exp(-2.0 * alpha)
    y1, y2 = np.empty_like(image), np.empty_like(image)
    y1[:, 0] = a1 * image[:, 0]
    y1[:, 1] = a1 * image[:, 1] + a2 * image[:, 0] + b1 * y1[:, 0]
    for j in range(2, image.shape[1]):
        y1[:, j] = a1 * image[:, j] + a2 * image[:, j - 1] + b1 * y1[:, j - 1] + b2 * y1[:, j - 2]
    y2[:, -1] = 0.0
    y2[:, -2] = a1 * image[:, -1]
    for j in range(image.shape[1] - 3, -1, -1):
        y2[:, j] = (
            a1 * image[:, j + 1] + a2 * image[:, j + 2] + b1 * y2[:, j + 1] + b2 * y2[:, j + 2]
        )
    return y1 + y2


# -- linear algebra --------------------------------------------------------------------------------


@program(lambda: (1.5, 1.2, floats(4, 6), floats(4, 5), floats(5, 6)))
def gemm(alpha, beta, C, A, B):
    C[:] = alpha * A @ B + beta * C


@program(lambda: (1.5, 1.2, floats(4, 5), floats(5, 6), floats(6, 3), floats(4, 3)))
def k2mm(alpha, beta, A, B, C, D):
    D[:] = alpha * A @ B @ C + beta * D


@program(lambda: (floats(4, 5), floats(5, 3), floats(3, 2), floats(2, 4)))
def k3mm(A, B, C, D):
    return A @ B @ C @ D


@program(lambda: (floats(5, 6), floats(6)))
def atax(A, x):
    return (A @ x) @ A


@program(lambda: (floats(5, 6), floats(6), floats(5)))
def bicg(A, p, r):
    return r @ A, A @ p


@program(lambda: (floats(5), floats(5, seed=1), floats(5), floats(5, seed=3), floats(5, 5)))
def mvt(x1, x2, y1, y2, A):
    x1 += A @ y1
    x2 += y2 @ A


@program(lambda: (1.5, 1.2, floats(5, 5), *(floats(5, seed=i) for i in range(8))))
def gemver(alpha, beta, A, u1, v1, u2, v2, w, x, y, z):
    A += np.outer(u1, v1) + np.outer(u2, v2)
    x += beta * y @ A + z
    w += alpha * A @ x


@program(lambda: (1.5, 1.2, floats(5, 5), floats(5, 5, seed=1), floats(5)))
def gesummv(alpha, beta, A, B, x):
    return alpha * A @ x + beta * B @ x


@program(lambda: (floats(3, 4, 5), floats(5, 5)))
def doitgen(A, C4):
    nr, nq, n = A.shape
    A[:] = np.reshape(np.reshape(A, (nr, nq, 1, n)) @ C4, (nr, nq, n))


@program(lambda: (6.0, floats(6, 5)))
def covariance(float_n, data):
    mean = np.mean(data, axis=0)
    data -= mean
    M = data.shape[1]
    cov = np.zeros((M, M), dtype=data.dtype)
    for i in range(M):
        cov[i:M, i] = cov[i, i:M] = data[:, i] @ data[:, i:M] / (float_n - 1.0)
    return cov


@program(lambda: (6.0, floats(6, 5)))
def correlation(float_n, data):
    mean = np.mean(data, axis=0)
    stddev = np.std(data, axis=0)
    stddev[stddev <= 0.1] = 1.0
    data -= mean
    data /= np.sqrt(float_n) * stddev
    M = data.shape[1]
    corr = np.eye(M, dtype=data.dtype)
    for i in range(M - 1):
        corr[i + 1 : M, i] = corr[i, i + 1 : M] = data[:, i] @ data[:, i + 1 : M]
    return corr


@program(lambda: (floats(6),))
def durbin(r):
    y = np.empty_like(r)
    alpha, beta = -r[0], 1.0
    y[0] = -r[0]
    for k in range(1, r.shape[0]):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + np.dot(np.flip(r[:k]), y[:k])) / beta
        y[:k] += alpha * np.flip(y[:k])
        y[k] = alpha
    return y


@program(lambda: (floats(6, 5),))
def gramschmidt(A):
    Q, R = np.zeros_like(A), np.zeros((A.shape[1], A.shape[1]), dtype=A.dtype)
    for k in range(A.shape[1]):
        R[k, k] = np.sqrt(np.dot(A[:, k], A[:, k]))
        Q[:, k] = A[:, k] / R[k, k]
        for j in range(k + 1, A.shape[1]):
            R[k, j] = np.dot(Q[:, k], A[:, j])
            A[:, j] -= Q[:, k] * R[k, j]
    return Q, R


@program(lambda: (floats(6, 6) + 6 * np.eye(6),))
def lu(A):
    for i in range(A.shape[0]):
        for j in range(i):
            A[i, j] -= A[i, :j] @ A[:j, j]
            A[i, j] /= A[j, j]
        for j in range(i, A.shape[0]):
            A[i, j] -= A[i, :i] @ A[:i, j]


@program(lambda: (floats(6, 6) + 6 * np.eye(6), floats(6)))
def ludcmp(A, b):
    x, y = np.zeros_like(b), np.zeros_like(b)
    for i in range(A.shape[0]):
        for j in range(i):
            A[i, j] -= A[i, :j] @ A[:j, j]
            A[i, j] /= A[j, j]
        for j in range(i, A.shape[0]):
            A[i, j] -= A[i, :i] @ A[:i, j]
    for i in range(A.shape[0]):
        y[i] = b[i] - A[i, :i] @ y[:i]
    for i in range(A.shape[0] - 1, -1, -1):
        x[i] = (y[i] - A[i, i + 1 :] @ x[i + 1 :]) / A[i, i]
    return x, y


@program(lambda: (np.cov(floats(5, 20)) + np.eye(5),))
def cholesky(A):
    A[0, 0] = np.sqrt(A[0, 0])
    for i in range(1, A.shape[0]):
        for j in range(i):
            A[i, j] -= np.dot(A[i, :j], A[j, :j])
            A[i, j] /= A[j, j]
        A[i, i] -= np.dot(A[i, :i], A[i, :i])
        A[i, i] = np.sqrt(A[i, i])


@program(lambda: (np.cov(floats(5, 20)) + np.eye(5),))
def cholesky2(A):
    A[:] = np.linalg.cholesky(A) + np.triu(A, k=1)


@program(lambda: (floats(6, 6) + np.eye(6), floats(6), floats(6, seed=2)))
def trisolv(L, x, b):
    for i in range(x.shape[0]):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]


@program(lambda: (1.5, floats(5, 5), floats(5, 6)))
def trmm(alpha, A, B):
    for i in range(B.shape[0]):
        for j in range(B.shape[1]):
            B[i, j] += np.dot(A[i + 1 :, i], B[i + 1 :, j])
    B *= alpha


@program(lambda: (1.5, 1.2, floats(4, 6), floats(4, 4), floats(4, 6, seed=1)))
def symm(alpha, beta, C, A, B):
    temp2 = np.empty((C.shape[1],), dtype=C.dtype)
    C *= beta
    for i in range(C.shape[0]):
        for j in range(C.shape[1]):
            C[:i, j] += alpha * B[i, j] * A[i, :i]
            temp2[j] = B[:i, j] @ A[i, :i]
        C[i, :] += alpha * B[i, :] * A[i, i] + alpha * temp2


@program(lambda: (1.5, 1.2, floats(5, 5), floats(5, 4)))
def syrk(alpha, beta, C, A):
    for i in range(A.shape[0]):
        C[i, : i + 1] *= beta
        for k in range(A.shape[1]):
            C[i, : i + 1] += alpha * A[i, k] * A[: i + 1, k]


@program(lambda: (1.5, 1.2, floats(5, 5), floats(5, 4), floats(5, 4, seed=1)))
def syr2k(alpha, beta, C, A, B):
    for i in range(A.shape[0]):
        C[i, : i + 1] *= beta
        for k in range(A.shape[1]):
            C[i, : i + 1] += A[: i + 1, k] * alpha * B[i, k] + B[: i + 1, k] * alpha * A[i, k]


@program(lambda: (np.array([0, 2, 3, 6]), np.array([0, 3, 1, 0, 1, 2]), floats(6), floats(4)))
def spmv(rows, columns, values, x):
    y = np.empty(rows.size - 1, values.dtype)
    for i in range(rows.size - 1):
        cols = columns[rows[i] : rows[i + 1]]
        vals = values[rows[i] : rows[i + 1]]
        y[i] = vals @ x[cols]
    return y


@program(lambda: (floats(12, 4), floats(12), 1e-3))
def conjugate_gradient(A, b, tolerance):
    M, rhs = A.T @ A + np.eye(A.shape[1]), A.T @ b
    x = np.zeros(A.shape[1])
    r = rhs - M @ x
    p = r.copy()
    rsold = r @ r
    for _ in range(len(rhs)):
        Ap = M @ p
        alpha = rsold / (p @ Ap)
        x += alpha * p
        r -= alpha * Ap
        rsnew = r @ r
        if np.sqrt(rsnew) < tolerance:
            break
        p = r + (rsnew / rsold) * p
        rsold = rsnew
    return x


# -- dynamic programming, graphs, bits -------------------------------------------------------------


@program(lambda: (np.random.default_rng(0).integers(1, 50, (7, 7)),))
def floyd_warshall(path):
    for k in range(path.shape[0]):
        path[:] = np.minimum(path[:], np.add.outer(path[:, k], path[k, :]))


def match(b1, b2):
    if b1 + b2 == 3:
        return 1
    else:
        return 0


@program(lambda: (9, np.random.default_rng(0).integers(0, 4, 9)))
def nussinov(n, seq):
    table = np.zeros((n, n), np.int32)
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            if j - 1 >= 0:
                table[i, j] = max(table[i, j], table[i, j - 1])
            if i + 1 < n:
                table[i, j] = max(table[i, j], table[i + 1, j])
            if j - 1 >= 0 and i + 1 < n:
                if i < j - 1:
                    pair = table[i + 1, j - 1] + match(seq[i], seq[j])
                    table[i, j] = max(table[i, j], pair)
                else:
                    table[i, j] = max(table[i, j], table[i + 1, j - 1])
            for k in range(i + 1, j):
                table[i, j] = max(table[i, j], table[i, k] + table[k + 1, j])
    return table


@program(lambda: (np.random.default_rng(0).integers(0, 256, 40).astype(np.uint8),))
def crc16(data, poly=0x8408):
    crc = 0xFFFF
    for b in data:
        cur_byte = 0xFF & b
        for _ in range(8):
            if (crc & 0x0001) ^ (cur_byte & 0x0001):
                crc = (crc >> 1) ^ poly
            else:
                crc >>= 1
            cur_byte >>= 1
    crc = ~crc & 0xFFFF
    crc = (crc << 8) | ((crc >> 8) & 0xFF)
    return crc & 0xFFFF


# -- spectral methods ------------------------------------------------------------------------------


@program(lambda: (16, 2, 4, floats(16) + 1j * floats(16, seed=1)))
def stockham_fft(N, R, K, x):
    dft_mat = np.empty((R, R), dtype=np.complex128)
    i, j = np.mgrid[0:R, 0:R]
    dft_mat[:] = np.exp(-2.0j * np.pi * i * j / R)
    y = x.copy()
    ii_coord, jj_coord = np.mgrid[0:R, 0 : R**K]
    for k in range(K):
        yv = np.reshape(y, (R**k, R, R ** (K - k - 1)))
        tmp_perm = np.transpose(yv, axes=(1, 0, 2))
        D = np.empty((R, R**k, R ** (K - k - 1)), dtype=np.complex128)
        tmp = np.exp(-2.0j * np.pi * ii_coord[:, : R**k] * jj_coord[:, : R**k] / R ** (k + 1))
        D[:] = np.repeat(np.reshape(tmp, (R, R**k, 1)), R ** (K - k - 1), axis=2)
        tmp_twid = np.reshape(tmp_perm * D, (R, R ** (K - 1)))
        y = np.reshape(dft_mat @ tmp_twid, (N,))
    return y


@program(lambda: (floats(16),))
def filtered(signal):
    spectrum = np.fft.rfft(signal)
    spectrum[np.abs(np.fft.rfftfreq(signal.shape[0])) > 0.25] = 0
    return np.fft.irfft(spectrum)


@program(lambda: (2, 5, floats(5, 3, 3) + 1j * floats(5, 3, 3, seed=1), floats(4) + 1j))
def contour_integral(slab_per_bc, num_points, Ham, int_pts):
    P0 = np.zeros((3, 2), dtype=np.complex128)
    P1 = np.zeros((3, 2), dtype=np.complex128)
    Y = np.ones((3, 2), dtype=np.complex128)
    for idx in range(int_pts.shape[0]):
        z = int_pts[idx]
        Tz = np.zeros((3, 3), dtype=np.complex128)
        for n in range(2 * slab_per_bc + 1):
            zz = np.power(z, slab_per_bc - n)
            Tz += zz * Ham[n]
        X = np.linalg.inv(Tz) @ Y
        if abs(z) < 1.0:
            X = -X
        P0 += X
        P1 += z * X
    return P0, P1


@program(lambda: (floats(2, 3, 2, 2) + 0j, floats(2, 3, 2, 2) + 0j, floats(2, 2, 3, 2, 2)))
def scattering_self_energies(G, D, dH):
    Sigma = np.zeros_like(G)
    for k in range(G.shape[0]):
        for E in range(G.shape[1]):
            for q in range(D.shape[0]):
                for i in range(dH.shape[1]):
                    dHG = G[k, E] @ dH[q, i, E]
                    dHD = dH[q, i, E] * D[q, E, i, i]
                    Sigma[k, E] += dHG @ dHD
    return Sigma


# -- physics and geometry --------------------------------------------------------------------------


@program(lambda: (-1.75, 0.25, -1.0, 1.0, 12, 10, 15, 2.0))
def mandelbrot1(xmin, xmax, ymin, ymax, xn, yn, maxiter, horizon):
    X = np.linspace(xmin, xmax, xn).astype(np.float64)
    Y = np.linspace(ymin, ymax, yn).astype(np.float64)
    C = X + Y[:, None] * 1j
    N = np.zeros(C.shape, dtype=np.int64)
    Z = np.zeros(C.shape, dtype=np.complex128)
    for n in range(maxiter):
        inside = np.less(abs(Z), horizon)
        N[inside] = n
        Z[inside] = Z[inside] ** 2 + C[inside]
    N[N == maxiter - 1] = 0
    return Z, N


@program(lambda: (-1.75, 0.25, -1.0, 1.0, 12, 10, 15, 2.0))
def mandelbrot2(xmin, xmax, ymin, ymax, xn, yn, itermax, horizon):
    Xi, Yi = np.mgrid[0:xn, 0:yn]
    X = np.linspace(xmin, xmax, xn)[Xi]
    Y = np.linspace(ymin, ymax, yn)[Yi]
    C = X + Y * 1j
    N_ = np.zeros(C.shape, dtype=np.int64)
    Z_ = np.zeros(C.shape, dtype=np.complex128)
    Xi, Yi, C = Xi.reshape(xn * yn), Yi.reshape(xn * yn), C.reshape(xn * yn)
    Z = np.zeros(C.shape, np.complex128)
    for i in range(itermax):
        if not len(Z):
            break
        np.multiply(Z, Z, Z)
        np.add(Z, C, Z)
        rest = np.abs(Z) > horizon
        N_[Xi[rest], Yi[rest]] = i + 1
        Z_[Xi[rest], Yi[rest]] = Z[rest]
        keep = ~rest
        Z, Xi, Yi, C = Z[keep], Xi[keep], Yi[keep], C[keep]
    return Z_.T, N_.T


def acceleration(pos, mass, G, softening):
    x, y, z = pos[:, 0:1], pos[:, 1:2], pos[:, 2:3]
    dx, dy, dz = x.T - x, y.T - y, z.T - z
    inv_r3 = dx**2 + dy**2 + dz**2 + softening**2
    inv_r3[inv_r3 > 0] = inv_r3[inv_r3 > 0] ** (-1.5)
    ax = G * (dx * inv_r3) @ mass
    ay = G * (dy * inv_r3) @ mass
    az = G * (dz * inv_r3) @ mass
    return np.hstack((ax, ay, az))


def energy(pos, vel, mass, G):
    KE = 0.5 * np.sum(np.sum(mass * vel**2))
    x, y, z = pos[:, 0:1], pos[:, 1:2], pos[:, 2:3]
    dx, dy, dz = x.T - x, y.T - y, z.T - z
    inv_r = np.sqrt(dx**2 + dy**2 + dz**2)
    inv_r[inv_r > 0] = 1.0 / inv_r[inv_r > 0]
    PE = G * np.sum(np.sum(np.triu(-(mass * mass.T) * inv_r, 1)))
    return KE, PE


@program(lambda: (floats(6, 1), floats(6, 3), floats(6, 3, seed=1), 5, 0.01, 1.0, 0.1))
def nbody(mass, pos, vel, Nt, dt, G, softening):
    vel -= np.mean(mass * vel, axis=0) / np.mean(mass)
    acc = acceleration(pos, mass, G, softening)
    KE, PE = np.ndarray(Nt + 1, dtype=np.float64), np.ndarray(Nt + 1, dtype=np.float64)
    KE[0], PE[0] = energy(pos, vel, mass, G)
    for i in range(Nt):
        vel += acc * dt / 2.0
        pos += vel * dt
        acc = acceleration(pos, mass, G, softening)
        vel += acc * dt / 2.0
        KE[i + 1], PE[i + 1] = energy(pos, vel, mass, G)
    return KE, PE


@program(lambda: tuple(floats(20, seed=i) for i in range(4)))
def arc_distance(theta_1, phi_1, theta_2, phi_2):
    temp = (
        np.sin((theta_2 - theta_1) / 2) ** 2
        + np.cos(theta_1) * np.cos(theta_2) * np.sin((phi_2 - phi_1) / 2) ** 2
    )
    return 2 * np.arctan2(np.sqrt(temp), np.sqrt(1 - temp))


@program(lambda: (floats(50), floats(50, seed=1), 7))
def azimint_naive(data, radius, npt):
    rmax = radius.max()
    res = np.zeros(npt, dtype=np.float64)
    for i in range(npt):
        r1 = rmax * i / npt
        r2 = rmax * (i + 1) / npt
        mask_r12 = np.logical_and((r1 <= radius), (radius < r2))
        res[i] = data[mask_r12].mean()
    return res


@program(lambda: (floats(50), floats(50, seed=1), 7))
def azimint_hist(data, radius, npt):
    histu = np.histogram(radius, npt)[0]
    histw = np.histogram(radius, npt, weights=data)[0]
    return histw / histu


@program(lambda: (floats(6, 6),))
def go_fast(a):
    trace = 0.0
    for i in range(a.shape[0]):
        trace += np.tanh(a[i, i])
    return a + trace


@program(lambda: (np.arange(20).reshape(4, 5), np.arange(20).reshape(4, 5) * 7, 4, 3, 9))
def compute(array_1, array_2, a, b, c):
    return np.clip(array_1, 2, 10) * a + array_2 * b + c


# -- neural networks -------------------------------------------------------------------------------


def relu(x):
    return np.maximum(x, 0)


@program(lambda: (floats(2, 3, 4, 4).astype(np.float32),))
def softmax(x):
    tmp_max = np.max(x, axis=-1, keepdims=True)
    tmp_out = np.exp(x - tmp_max)
    tmp_sum = np.sum(tmp_out, axis=-1, keepdims=True)
    return tmp_out / tmp_sum


def softmax_of_rows(x):
    tmp_max = np.max(x, axis=-1, keepdims=True)
    tmp_out = np.exp(x - tmp_max)
    return tmp_out / np.sum(tmp_out, axis=-1, keepdims=True)


@program(lambda: (floats(4, 5), floats(5, 6), floats(6), floats(6, 3), floats(3)))
def mlp(x, w1, b1, w2, b2):
    x = relu(x @ w1 + b1)
    return softmax_of_rows(x @ w2 + b2)


def convolved(x, weights):
    K = weights.shape[0]
    N, H_out, W_out = x.shape[0], x.shape[1] - K + 1, x.shape[2] - K + 1
    output = np.empty((N, H_out, W_out, weights.shape[3]), dtype=x.dtype)
    for i in range(H_out):
        for j in range(W_out):
            output[:, i, j, :] = np.sum(
                x[:, i : i + K, j : j + K, :, np.newaxis] * weights[np.newaxis, :, :, :],
                axis=(1, 2, 3),
            )
    return output


@program(lambda: (floats(2, 6, 6, 3), floats(2, 2, 3, 4), floats(4)))
def conv2d_bias(x, weights, bias):
    return convolved(x, weights) + bias


def maxpool2d(x):
    output = np.empty([x.shape[0], x.shape[1] // 2, x.shape[2] // 2, x.shape[3]], dtype=x.dtype)
    for i in range(x.shape[1] // 2):
        for j in range(x.shape[2] // 2):
            output[:, i, j, :] = np.max(x[:, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2, :], axis=(1, 2))
    return output


@program(lambda: (floats(2, 10, 10, 1), floats(3, 3, 1, 2), floats(2), floats(32, 5), floats(5)))
def lenet(x, conv, conv_bias, fc, fc_bias):
    x = relu(convolved(x, conv) + conv_bias)
    x = maxpool2d(x)
    x = np.reshape(x, (x.shape[0], 4 * 4 * 2))
    return relu(x @ fc + fc_bias)


def batchnorm2d(x, eps=1e-5):
    mean = np.mean(x, axis=0, keepdims=True)
    std = np.std(x, axis=0, keepdims=True)
    return (x - mean) / np.sqrt(std + eps)


@program(lambda: (floats(2, 6, 6, 3), floats(1, 1, 3, 2), floats(3, 3, 2, 2), floats(1, 1, 2, 3)))
def resnet(x, conv1, conv2, conv3):
    padded = np.zeros((x.shape[0], x.shape[1] + 2, x.shape[2] + 2, conv1.shape[3]))
    padded[:, 1:-1, 1:-1, :] = convolved(x, conv1)
    y = relu(batchnorm2d(padded))
    y = relu(batchnorm2d(convolved(y, conv2)))
    y = convolved(y, conv3)
    return relu(batchnorm2d(y) + x)
