"""cupyx.scipy.special: SciPy's ufuncs, whose dtypes SciPy's own objects say.

Those of real numbers that have a text here are part of expressions, as NumPy's are; all others
work on the host, with copies.
"""

from __future__ import annotations

import numpy as np

import numjit.cupy as cp
from numjit.cuda.cudadrv.driver import simulated
from numjit.cuda.toolchain import find_libdevice
from numjit.cupy import ufuncs

from ..code import from_host, in_numpy_code, module, on_host
from ..elements import apply_text

#: Texts of ufuncs; `special` is natives/special_functions.py.
_TEXTS = {
    "erf": "math.erf({0})",
    "erfc": "math.erfc({0})",
    "erfcx": "libdevice.erfcx(np.float64({0}))",
    "erfinv": "libdevice.erfinv(np.float64({0}))",
    "erfcinv": "libdevice.erfcinv(np.float64({0}))",
    "ndtri": "libdevice.normcdfinv(np.float64({0}))",
    "ndtr": "0.5 * math.erfc(-{0} * 0.7071067811865476)",
    "j0": "libdevice.j0(np.float64({0}))",
    "j1": "libdevice.j1(np.float64({0}))",
    "i0": "libdevice.cyl_bessel_i0(np.float64({0}))",
    "i1": "libdevice.cyl_bessel_i1(np.float64({0}))",
    "gammaln": "(-math.inf if {0} == -math.inf else math.lgamma({0}))",
    "exp2": "np.exp2({0})",
    "exp10": "10.0 ** {0}",
    "expm1": "np.expm1({0})",
    "log1p": "np.log1p({0})",
    "cbrt": "np.cbrt({0})",
    "logit": "np.log({0} / (1 - {0}))",
    "gammainc": "special.gammainc(np.float64({0}), np.float64({1}))",
    "gammaincc": "special.gammaincc(np.float64({0}), np.float64({1}))",
    "betainc": "special.betainc(np.float64({0}), np.float64({1}), np.float64({2}))",
}
_TEXTS |= {
    name: f"special.{name}({', '.join(f'np.float64({{{i}}})' for i in range(count))})"
    for names, count in (
        ("i0e i1e ellipk ellipkm1 entr log_ndtr log_expit expit gammasgn exprel cosm1", 1),
        ("xlogy xlog1py rel_entr kl_div huber pseudo_huber boxcox boxcox1p inv_boxcox "
         "inv_boxcox1p", 2),
    )
    for name in names.split()
}  # fmt: skip
_TEXTS["psi"] = "special.digamma(np.float64({0}))"


class _Special:
    """A ufunc of SciPy: on the device where its text holds, else on the host."""

    def __init__(self, function, text):
        ufuncs.more_texts[function] = (text,)
        self._function, self._text = function, text
        self._device, self._host = ufuncs.wrapped(function), on_host(function)
        self.__name__ = self.name = function.__name__
        self.__doc__ = function.__doc__
        self.nin, self.nout, self.types = function.nin, function.nout, function.types

    def __call__(self, *args, out=None, **keywords):
        args = [cp.asarray(each) if isinstance(each, (list, tuple)) else each for each in args]
        kinds = {getattr(getattr(each, "dtype", None), "kind", "f") for each in args}
        if "c" in kinds or any(isinstance(each, complex) for each in args) or self._missing():
            return self._host(*args, out=out, **keywords)
        return self._device(*args, out=out, **keywords)

    def _missing(self):
        """Whether the text needs NVIDIA's libdevice, and it is not there."""
        if "libdevice" not in self._text and self._text[:8] != "special.":
            return False
        return not simulated() and not find_libdevice()

    def __repr__(self):
        return f"<ufunc '{self.name}'>"


def zeta(x, q=None, out=None):
    """Riemann's zeta function; with q Hurwitz's."""
    if q is None:
        return from_host("scipy.special", "zeta")(x, out=out)
    x, q = cp.asarray(x), cp.asarray(q)
    x = x.astype(np.result_type(x.dtype, q.dtype, "f4"), copy=False)
    return apply_text("zeta", "special.zeta({0}, {1})", (x, q), out)


def multigammaln(a, d):
    """The logarithm of the multivariate gamma function."""
    a = cp.asarray(a)
    if not np.isscalar(d) or d != int(d):
        raise ValueError("d should be a positive integer (dimension)")
    if (a <= 0.5 * (d - 1)).any():
        raise ValueError(f"condition a > 0.5 * (d-1) not met: d = {d}")
    found = (d * (d - 1) * 0.25) * np.log(np.pi)
    for j in range(1, int(d) + 1):
        found = found + _ufunc("gammaln")(a - (j - 1.0) / 2)
    return found.astype(np.float64, copy=False)


def sinc(x):
    """sin(pi x) / (pi x)."""
    return cp.sinc(cp.asarray(x))


def _ufunc(name):
    found = globals().get(name)
    if found is None:
        import scipy.special

        function = getattr(scipy.special, name)
        found = globals()[name] = _Special(function, _TEXTS[name])
    return found


#: Functions that are SciPy's Python, and the modules that have them.
_PYTHON = {
    name: f"scipy.special.{place}"
    for place, names in {
        "_logsumexp": "logsumexp softmax log_softmax",
        "_basic": "polygamma",
    }.items()
    for name in names.split()
}


def __getattr__(name):
    if name in _TEXTS:
        return _ufunc(name)
    if name == "digamma":
        return _ufunc("psi")
    if name in _PYTHON:
        found = globals()[name] = in_numpy_code(getattr(module(_PYTHON[name]), name))
        return found
    if name in ("btdtr", "btdtri"):
        return _ufunc("betainc") if name == "btdtr" else __getattr__("betaincinv")
    if name == "sph_harm":
        return _spherical_harmonics
    found = globals()[name] = from_host("scipy.special", name)
    return found


def _spherical_harmonics(m, n, theta, phi, out=None):
    """Y of degree n and order m at azimuth theta and polar angle phi."""
    return from_host("scipy.special", "sph_harm_y")(n, m, phi, theta, out=out)
