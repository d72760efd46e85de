"""The C functions behind the methods of ``numpy.random.Generator``.

``distributions.normal(rng, loc, scale)`` calls NumPy's own ``random_normal`` in compiled code: the
module of the Generator exports it, as NumPy's manual says for Numba and cffi. So numbers are those
of the NumPy that is installed, whatever bit generator they come from.
"""

import ctypes

#: Codes of the table below; types are imported when a program draws its first number.
_TYPES = {
    "d": "float64",
    "f": "float32",
    "l": "int64",
    "L": "uint64",
    "I": "uint32",
    "H": "uint16",
    "B": "uint8",
    "?": "boolean",
    "v": "none",
}

#: result, parameters behind the bit generator, names
_FUNCTIONS = """
    d -    standard_uniform standard_exponential standard_normal standard_cauchy
    f -    standard_uniform_f standard_exponential_f standard_normal_f
    d d    exponential standard_gamma chisquare pareto weibull power rayleigh standard_t
    d dd   normal uniform gamma beta f laplace gumbel logistic lognormal wald vonmises
    d dd   noncentral_chisquare
    d ddd  noncentral_f triangular
    f f    standard_gamma_f
    l d    poisson logseries geometric zipf
    l dd   negative_binomial
    l dlp  binomial
    l lll  hypergeometric
    L L    interval
    L LLL? bounded_uint64
    v lpplp multinomial
    v lp   standard_uniform_fill standard_exponential_fill standard_exponential_inv_fill
    v lp   standard_normal_fill
    v lp   standard_uniform_fill_f standard_exponential_fill_f standard_exponential_inv_fill_f
    v lp   standard_normal_fill_f
    v LLl?p bounded_uint64_fill
    v IIl?p bounded_uint32_fill
    v HHl?p bounded_uint16_fill
    v BBl?p bounded_uint8_fill
    v ??l?p bounded_bool_fill
"""

_signatures = {}
for _line in _FUNCTIONS.split("\n"):
    if _line.strip():
        _result, _parameters, *_names = _line.split()
        for _name in _names:
            _signatures[_name] = (_result, "p" + _parameters.strip("-"))
_made = {}


def _type(code):
    from numjit import types

    return types.CPointer(types.none) if code == "p" else getattr(types, _TYPES[code])


def __getattr__(name):
    if name not in _signatures:
        raise AttributeError(name)
    if name not in _made:
        from numpy.random import _generator

        from ..core import foreign

        symbol = "random_" + name
        address = ctypes.cast(
            getattr(ctypes.CDLL(_generator.__file__), symbol), ctypes.c_void_p
        ).value
        result, parameters = _signatures[name]
        _made[name] = foreign.calling(symbol, address, _type(result), tuple(map(_type, parameters)))
    return _made[name]
