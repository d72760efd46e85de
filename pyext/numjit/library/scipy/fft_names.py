"""What of ``scipy.fft`` there is in compiled code."""

#: Modules of the functions in C++, by versions of SciPy.
MODULES = ("scipy.fft._duccfft.pyduccfft", "scipy.fft._pocketfft.pypocketfft")
#: Modules of the functions in Python that call these.
HELPERS = ("scipy.fft._duccfft.helper", "scipy.fft._pocketfft.helper")
BASIC, REAL = "scipy.fft._basic", "scipy.fft._realtransforms"

OF_ONE_AXIS = "fft ifft rfft irfft hfft ihfft".split()
OF_TWO_AXES = "fft2 ifft2 rfft2 irfft2".split()
OF_ALL_AXES = "fftn ifftn rfftn irfftn".split()

FOURIER = [
    *(f"{BASIC}.{name}" for name in (*OF_ONE_AXIS, *OF_TWO_AXES, *OF_ALL_AXES)),
    *(f"{module}.{name}" for module in MODULES for name in "good_size prev_good_size".split()),
    *(f"{module}.{name}" for module in MODULES for name in "c2c r2c c2r".split()),
    *(f"{module}.{name}" for module in HELPERS for name in "_workers _datacopied".split()),
]
TRIGONOMETRIC = [f"{REAL}.{name}{n}" for name in ("dct", "idct", "dst", "idst") for n in ("", "n")]
