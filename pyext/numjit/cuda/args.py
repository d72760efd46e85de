"""Arguments of launches: cuda.In, cuda.Out, cuda.InOut say which way a host array is copied."""

import numpy as np


class ArgHint:
    def __init__(self, value):
        self.value = value


class In(ArgHint):
    """Copied to the device, not back."""


class Out(ArgHint):
    """Copied back, not to the device."""


class InOut(ArgHint):
    """Copied to the device and back."""


def wrap_arg(value, default=InOut):
    """An argument with its way of being copied, `default` where it has none."""
    return value if isinstance(value, ArgHint) else default(value)


_ON_DEVICE = (2, 13)  # of DLPack: memory of a device, managed memory


def exports_device_memory(obj):
    """Whether an object is an array on a device that only DLPack tells of."""
    if isinstance(obj, np.ndarray) or not hasattr(type(obj), "__dlpack_device__"):
        return False
    return obj.__dlpack_device__()[0] in _ON_DEVICE
