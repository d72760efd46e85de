"""Special functions of real numbers, which kernels call by their names in SciPy."""

from __future__ import annotations

import math

import numpy as np

from numjit.cuda import libdevice


def digamma(x):
    """The logarithmic derivative of gamma: reflection, recurrence, and Stirling's series."""
    if x == 0:
        return -math.copysign(math.inf, x)
    shift = 0.0
    if x < 0:
        if x == math.floor(x):
            return math.nan
        shift = -math.pi / math.tan(math.pi * (x - math.floor(x)))
        x = 1 - x
    while x < 10:
        shift -= 1 / x
        x += 1
    y = 1 / (x * x)
    series = y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y * (1 / 240 - y * (
        1 / 132 - y * (691 / 32760 - y / 12))))))  # fmt: skip
    return shift + math.log(x) - 0.5 / x - series


def zeta(x, q):
    """Hurwitz's zeta function, by Euler's and Maclaurin's formula."""
    if x == 1:
        return math.inf
    if x < 1:
        return math.nan
    if q == -math.inf:
        return math.inf
    if q <= 0:
        if q == np.floor(q):
            return math.inf
        if x != np.floor(x):
            return math.nan
    if x != x or q != q:
        return math.nan
    if q == math.inf:
        return 0.0
    if x == math.inf:  # as SciPy
        return math.nan if q > 1 else (1.0 if q == 1 else math.inf)
    total, count = 0.0, 0
    while count < 10 or q <= 10:
        total += q**-x
        q += 1
        count += 1
    total += q ** (1 - x) / (x - 1) + 0.5 * q**-x
    term = x * q ** (-x - 1)
    numbers = (
        1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -691 / 1307674368000,
        1 / 74724249600, -3617 / 10670622842880000,
    )  # fmt: skip
    for j in range(8):
        total += numbers[j] * term
        term *= (x + 2 * j + 1) * (x + 2 * j + 2) / (q * q)
    return total


def polygamma(n, x):
    """The derivative of order n >= 1 of digamma."""
    sign = 1.0 if n % 2 == 1 else -1.0
    return sign * math.gamma(n + 1.0) * zeta(n + 1.0, x)


def _gamma_series(a, x):
    """gammainc(a, x), by its power series."""
    term = total = 1 / a
    n = a
    for _ in range(5000):
        n += 1
        term *= x / n
        total += term
        if abs(term) < abs(total) * 1e-17:
            break
    return total * math.exp(a * math.log(x) - x - math.lgamma(a))


def _gamma_fraction(a, x):
    """gammaincc(a, x), by its continued fraction (Lentz's method)."""
    b = x + 1 - a
    c = 1e300
    d = 1 / b
    found = d
    for i in range(1, 5000):
        factor = -i * (i - a)
        b += 2
        d = factor * d + b
        d = 1e-300 if d == 0 else d
        c = b + factor / c
        c = 1e-300 if c == 0 else c
        d = 1 / d
        step = d * c
        found *= step
        if abs(step - 1) < 1e-16:
            break
    return found * math.exp(a * math.log(x) - x - math.lgamma(a))


#: Coefficients of Temme's expansion: of powers of eta, in rows of powers of 1 / a.
_TEMME = (
    (
        -0.3333333333333333, 0.08333333333333333, -0.014814814814814815, 0.0011574074074074073,
        0.0003527336860670194, -0.0001787551440329218, 3.919263178522438e-05,
        -2.185448510679992e-06, -1.85406221071516e-06, 8.296711340953087e-07,
        -1.7665952736826078e-07, 6.707853543401498e-09, 1.0261809784240309e-08,
        -4.382036018453353e-09,
    ),
    (
        -0.001851851851851852, -0.003472222222222222, 0.0026455026455026454,
        -0.0009902263374485596, 0.00020576131687242798, -4.018775720164609e-07,
        -1.8098550334489977e-05, 7.64916091608111e-06, -1.6120900894563446e-06,
        4.647127802807434e-09, 1.378633446915721e-07, -5.752545603517705e-08, 0.0, 0.0,
    ),
    (
        0.004133597883597883, -0.0026813271604938273, 0.0007716049382716049,
        2.0093878600823047e-06, -0.0001073665322636516, 5.2923448829120125e-05,
        -1.2760635188618728e-05, 3.423578734096138e-08, 1.3721957309062934e-06,
        -6.298992138380055e-07, 0.0, 0.0, 0.0, 0.0,
    ),
    (
        0.0006494341563786008, 0.00022947209362139917, -0.0004691894943952557,
        0.00026772063206283885, -7.561801671883977e-05, -2.396505113867297e-07,
        1.1082654115347302e-05, -5.6749528269915965e-06, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
    ),
    (
        -0.0008618882909167117, 0.0007840392217200666, -0.0002990724803031902,
        -1.4638452578843418e-06, 6.641498215465122e-05, -3.968365047179435e-05, 0.0, 0.0, 0.0,
        0.0, 0.0, 0.0, 0.0, 0.0,
    ),
    (
        -0.00033679855336635813, -6.972813758365857e-05, 0.0002772753244959392,
        -0.00019932570516188847, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
    ),
)  # fmt: skip


def _log1p_rest(x):
    """log1p(x) - x, precise near 0."""
    if abs(x) > 0.1:
        return math.log1p(x) - x
    term = -x
    total = 0.0
    for k in range(2, 40):
        term *= -x
        total -= term / k
        if abs(term) < abs(total) * 1e-18:
            break
    return total


def _gamma_expansion(a, x, sign):
    """gammainc (sign -1) or gammaincc (sign 1) for a large a and x near it.

    Source: N. M. Temme, "The asymptotic expansion of the incomplete gamma functions", SIAM J. Math.
    Anal. 10, 1979; the coefficients are those of DLMF 8.12.
    """
    rest = _log1p_rest((x - a) / a)
    eta = math.copysign(math.sqrt(-2 * rest), x - a)
    total = 0.0
    scale = 1.0
    for row in _TEMME:
        inner = 0.0
        for k in range(13, -1, -1):
            inner = inner * eta + row[k]
        total += inner * scale
        scale /= a
    total *= math.exp(a * rest) / math.sqrt(2 * math.pi * a)
    return 0.5 * math.erfc(sign * eta * math.sqrt(a / 2)) + sign * total


def gammainc(a, x):
    """The regularised lower incomplete gamma function."""
    if a < 0 or x < 0 or a != a or x != x:
        return math.nan
    if a == 0:
        return 1.0 if x > 0 else math.nan
    if x == 0:
        return 0.0
    if x == math.inf:
        return math.nan if a == math.inf else 1.0
    if a == math.inf:
        return 0.0
    if a > 200 and abs(x - a) < 0.3 * a:
        return _gamma_expansion(a, x, -1)
    return _gamma_series(a, x) if x < a + 1 else 1 - _gamma_fraction(a, x)


def gammaincc(a, x):
    """1 - gammainc(a, x)."""
    if a < 0 or x < 0 or a != a or x != x:
        return math.nan
    if a == 0:
        return 0.0 if x > 0 else math.nan
    if x == 0:
        return 1.0
    if x == math.inf:
        return math.nan if a == math.inf else 0.0
    if a == math.inf:
        return 1.0
    if a > 200 and abs(x - a) < 0.3 * a:
        return _gamma_expansion(a, x, 1)
    return 1 - _gamma_series(a, x) if x < a + 1 else _gamma_fraction(a, x)


def _beta_fraction(a, b, x):
    """The continued fraction of betainc (Lentz's method)."""
    c = 1.0
    d = 1 - (a + b) * x / (a + 1)
    d = 1 / (1e-300 if d == 0 else d)
    found = d
    for m in range(1, 5000):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        d = 1 + even * d
        c = 1 + even / c
        d = 1 / (1e-300 if d == 0 else d)
        c = 1e-300 if c == 0 else c
        found *= d * c
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d = 1 + odd * d
        c = 1 + odd / c
        d = 1 / (1e-300 if d == 0 else d)
        c = 1e-300 if c == 0 else c
        found *= d * c
        if abs(d * c - 1) < 1e-16:
            break
    return found


def betainc(a, b, x):
    """The regularised incomplete beta function."""
    if a != a or b != b or x != x or a < 0 or b < 0 or x < 0 or x > 1:
        return math.nan
    if (a == 0 and b == 0) or (a == math.inf and b == math.inf):
        return math.nan
    if a == 0 or b == math.inf:  # all at x = 0
        return 1.0 if x > 0 else 0.0
    if b == 0 or a == math.inf:  # all at x = 1
        return 0.0 if x < 1 else 1.0
    if x == 0 or x == 1:
        return float(x)
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    if x < (a + 1) / (a + b + 2):
        return front * _beta_fraction(a, b, x) / a
    return 1 - front * _beta_fraction(b, a, 1 - x) / b


def _modified_bessel(x, order):
    """I of an order at x > 30, times exp(-x): Hankel's asymptotic series."""
    total = term = 1.0
    for k in range(1, 30):
        step = -(4.0 * order * order - (2 * k - 1) ** 2) / (k * 8 * x)
        if abs(step) >= 1:
            break
        term *= step
        total += term
    return total / math.sqrt(2 * math.pi * x)


def i0e(x):
    x = abs(x)
    if x > 30:
        return _modified_bessel(x, 0)
    return libdevice.cyl_bessel_i0(x) * math.exp(-x)


def i1e(x):
    size = abs(x)
    if size > 30:
        return math.copysign(_modified_bessel(size, 1), x)
    return libdevice.cyl_bessel_i1(x) * math.exp(-size)


def ellipkm1(p):
    """The complete elliptic integral of the first kind at 1 - p: the arithmetic-geometric mean."""
    if p == 0:
        return math.inf
    if p < 0 or p != p:
        return math.nan
    a, b = 1.0, math.sqrt(p)
    while abs(a - b) > 1e-15 * a:
        a, b = (a + b) / 2, math.sqrt(a * b)
    return math.pi / (a + b)


def ellipk(m):
    return ellipkm1(1 - m)


def xlogy(x, y):
    return 0.0 if x == 0 and y == y else x * np.log(y)


def xlog1py(x, y):
    return 0.0 if x == 0 and y == y else x * np.log1p(y)


def entr(x):
    if x != x:
        return x
    if x > 0:
        return -x * math.log(x)
    return 0.0 if x == 0 else -math.inf


def rel_entr(x, y):
    if x != x or y != y:
        return math.nan
    if x > 0 and y > 0:
        return x * math.log(x / y)
    return 0.0 if x == 0 and y >= 0 else math.inf


def kl_div(x, y):
    if x != x or y != y:
        return math.nan
    if x > 0 and y > 0:
        return x * math.log(x / y) - x + y
    return float(y) if x == 0 and y >= 0 else math.inf


def huber(delta, r):
    if delta < 0:
        return math.inf
    size = abs(r)
    return 0.5 * r * r if size <= delta else delta * (size - 0.5 * delta)


def pseudo_huber(delta, r):
    if delta < 0:
        return math.inf
    if delta == 0 or r == 0:
        return 0.0
    v = r / delta
    return delta * delta * (math.sqrt(1 + v * v) - 1) if abs(v) > 1e-4 else (
        delta * delta * v * v / (math.sqrt(1 + v * v) + 1)
    )  # fmt: skip


def log_ndtr(x):
    if x < -1:
        return math.log(libdevice.erfcx(-x / math.sqrt(2.0)) / 2) - x * x / 2
    return math.log1p(-math.erfc(x / math.sqrt(2.0)) / 2)


def log_expit(x):
    return x - math.log1p(math.exp(x)) if x < 0 else -math.log1p(math.exp(-x))


def expit(x):
    return 1 / (1 + np.exp(-x))


def boxcox(x, power):
    if x == 0 and power == 0:
        return -math.inf
    return np.log(x) if abs(power) < 1e-19 else np.expm1(power * np.log(x)) / power


def boxcox1p(x, power):
    lg = np.log1p(x)
    if abs(power) < 1e-19 or (abs(lg) < 1e-289 and abs(power) < 1e273):
        return lg
    return np.expm1(power * lg) / power


def inv_boxcox(y, power):
    return np.exp(y) if power == 0 else np.exp(np.log1p(power * y) / power)


def inv_boxcox1p(y, power):
    return np.expm1(y) if power == 0 else np.expm1(np.log1p(power * y) / power)


def gammasgn(x):
    if x != x:
        return x
    if x > 0:
        return 1.0
    if x == 0:
        return math.copysign(1.0, x)
    low = math.floor(x)
    if low == x or x == -math.inf:
        return math.nan
    return 1.0 if low % 2 == 0 else -1.0


def exprel(x):
    if abs(x) < 1e-16:
        return 1.0
    return math.inf if x > 717 else math.expm1(x) / x


def cosm1(x):
    half = math.sin(x / 2)
    return -2 * half * half
