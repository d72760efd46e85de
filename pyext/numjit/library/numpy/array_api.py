"""What packages ask by array_api_compat: here all arrays are NumPy's. SciPy and scikit-learn bring
copies of it."""

import numpy as np

from ..core.registry import function
from .array_api_names import OTHER_NAMESPACES, OTHERS, OUR_NAMESPACE, OURS, keys


def helper(names):
    """Registers a function under the names that it has in each package."""

    def register(made):
        for key in keys(names):
            function(key)(made)
        return made

    return register


@helper(OURS)
def is_numpy_array(x):
    """Numbers are taken for Python's."""
    return isinstance(x, np.ndarray)


@helper("is_writeable_array")
def is_writeable_array(x):
    return isinstance(x, np.ndarray) and x.flags.writeable


@helper(OTHERS)
def is_other_array(x):
    return False


@helper(OUR_NAMESPACE)
def is_numpy_namespace(xp):
    return True


@helper(OTHER_NAMESPACES)
def is_other_namespace(xp):
    return False


@helper("array_namespace")
def array_namespace(*xs, api_version=None, use_compat=None):
    return np


@helper("_check_device")
def check_device(xp, device):
    if device is not None and device != "cpu":
        raise ValueError("Unsupported device for NumPy")


@helper("device")
def device(x, /):
    return "cpu"


@helper("to_device")
def to_device(x, device, /, *, stream=None):
    return x


@helper("size")
def size(x):
    return x.size
