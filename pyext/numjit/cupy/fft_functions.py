"""What NumPy's transforms call inside: fft, ifft, rfft_n_even, rfft_n_odd, irfft over one axis.

numpy.fft's own Python runs over these (numpy_code.py). On a device they are cuFFT's."""

from __future__ import annotations

import numpy as np
from numpy.fft import _pocketfft_umath

from numjit.cuda.cudadrv.driver import simulated

from .creation import array
from .cufft import CUFFT_FORWARD, CUFFT_INVERSE, transform
from .interchange import asnumpy


def _on_host(name, a, factor, out, axis):
    function = getattr(_pocketfft_umath, name)
    data = np.moveaxis(asnumpy(a), axis, -1)
    result = None
    if out is not None:
        result = np.moveaxis(np.empty(out.shape, out.dtype), axis, -1)
    found = function(data, factor, out=result)
    return array(np.moveaxis(found, -1, axis))


def _on_device(name, a, length, axis, out):
    if name.startswith("rfft"):
        if a.dtype.kind == "c":
            raise TypeError(
                f"ufunc '{name}' not supported for the input types, and the inputs could not be "
                "safely coerced to any supported types according to the casting rule ''safe''"
            )
        lengths = (2 * (length - 1) + (name == "rfft_n_odd"),)
        return transform(a, "R2C", CUFFT_FORWARD, lengths, [axis], given=out)
    kind = "C2R" if name == "irfft" else "C2C"
    direction = CUFFT_FORWARD if name == "fft" else CUFFT_INVERSE
    return transform(a, kind, direction, (length,), [axis], given=out)


def _transform(name):
    def called(a, fct, out=None, axes=None, **ignored):
        axis = axes[0][0] if axes else -1
        factor = np.asarray(asnumpy(fct))
        if simulated():
            found = _on_host(name, a, factor, out, axis)
        else:
            length = out.shape[axis] if out is not None else a.shape[axis]
            found = _on_device(name, a, length, axis % a.ndim, out)
            if factor != 1:
                found *= factor.item()
            if out is not None and found._buffer is out._buffer and found.shape == out.shape:
                return out
        if out is None:
            return found
        out[...] = found
        return out

    return called


fft, ifft = _transform("fft"), _transform("ifft")
rfft_n_even, rfft_n_odd = _transform("rfft_n_even"), _transform("rfft_n_odd")
irfft = _transform("irfft")
