"""cupyx.scipy.fft: transforms, which keep single precision."""

from __future__ import annotations

from numjit.cupy import fft as _fft

_NAMES = frozenset(
    "fft ifft fft2 ifft2 fftn ifftn rfft irfft rfft2 irfft2 rfftn irfftn hfft ihfft fftshift "
    "ifftshift fftfreq rfftfreq".split()
)


def next_fast_len(target, real=False):
    """The next number without prime factors above 7."""
    while True:
        rest = target
        for prime in (2, 3, 5, 7):
            while rest % prime == 0:
                rest //= prime
        if rest == 1:
            return target
        target += 1


def __getattr__(name):
    if name not in _NAMES:
        from numjit.cupyx.code import from_host

        found = globals()[name] = from_host("scipy.fft", name)
        return found
    function = getattr(_fft, name)
    if name.endswith(("shift", "freq")):
        return function

    def transform(x, *args, overwrite_x=False, plan=None, **keywords):
        if plan is not None:
            raise NotImplementedError("plans of transforms are kept by themselves")
        return function(x, *args, **keywords)

    transform.__name__ = name
    globals()[name] = transform
    return transform
