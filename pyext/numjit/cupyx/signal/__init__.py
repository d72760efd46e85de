"""cupyx.signal: functions of radar and acoustics, which SciPy does not have."""

from __future__ import annotations

import importlib

_PLACES = {
    "radar": "pulse_compression pulse_doppler cfar_alpha ca_cfar mvdr",
    "convolution": "convolve1d2o convolve1d3o channelize_poly firfilter firfilter2 firfilter_zi",
    "acoustics": "complex_cepstrum inverse_complex_cepstrum real_cepstrum minimum_phase freq_shift",
}
_FROM = {name: place for place, names in _PLACES.items() for name in names.split()}


def __getattr__(name):
    if name not in _FROM:
        raise AttributeError(f"module 'numjit.cupyx.signal' has no attribute {name!r}")
    module = importlib.import_module(f"{__name__}.{_FROM[name]}")
    value = globals()[name] = getattr(module, name)
    return value


def __dir__():
    return sorted(_FROM)
