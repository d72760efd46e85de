"""cupy.exceptions: NumPy's."""

from numpy.exceptions import AxisError, ComplexWarning, TooHardError, VisibleDeprecationWarning

__all__ = ["AxisError", "ComplexWarning", "TooHardError", "VisibleDeprecationWarning"]
