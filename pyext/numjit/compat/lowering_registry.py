"""Numba's registries of lowered functions. What is registered counts at once, for processor and
kernels."""

from __future__ import annotations

from . import native_types

__all__ = ["Registry", "lower", "lower_attr", "lower_constant", "registry"]


class Registry:
    """Decorators as `numjit.extending` has them, under the names that they have in a registry."""

    def __init__(self, name="unspecified"):
        self.name = name

    lower = staticmethod(native_types.lower_builtin)
    lower_constant = staticmethod(native_types.lower_constant)
    lower_cast = staticmethod(native_types.lower_cast)
    lower_getattr = staticmethod(native_types.lower_getattr)
    lower_getattr_generic = staticmethod(native_types.lower_getattr_generic)
    lower_setattr = staticmethod(native_types.lower_setattr)
    lower_setattr_generic = staticmethod(native_types.lower_setattr_generic)


registry = Registry("cudaimpl")
lower, lower_attr, lower_constant = registry.lower, registry.lower_getattr, registry.lower_constant
