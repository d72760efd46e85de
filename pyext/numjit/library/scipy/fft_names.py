"""What of ``scipy.fft`` there is in compiled code."""

#: Modules of the functions in C++, by versions of SciPy.
MODULES = ("scipy.fft._duccfft.pyduccfft", "scipy.fft._pocketfft.pypocketfft")

_BASIC = """
    fft ifft rfft irfft hfft ihfft fft2 ifft2 rfft2 irfft2 fftn ifftn rfftn irfftn
"""
_REAL = "dct idct dst idst dctn idctn dstn idstn"

FOURIER = [
    *(f"scipy.fft._basic.{name}" for name in _BASIC.split()),
    *(f"{module}.{name}" for module in MODULES for name in ("good_size", "prev_good_size")),
]
TRIGONOMETRIC = [f"scipy.fft._realtransforms.{name}" for name in _REAL.split()]
