"""cupyx.GeneralizedUFunc."""

from numjit.cupy.gufuncs import GeneralizedUFunc  # noqa: F401
