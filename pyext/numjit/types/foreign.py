"""C functions that programs name by symbol or address."""

from __future__ import annotations

import ctypes
import sys

from numjit import _core
from numjit.derived import Derived
from numjit.library.core.addresses import calling


class WrapperAddressProtocol(Derived):
    """Base of classes whose objects are C functions: they know their address and signature."""

    def __wrapper_address__(self) -> int:
        """The address of the C function."""
        raise NotImplementedError

    def signature(self):
        """Its signature: types.float64(types.float64)."""
        raise NotImplementedError

    def _in_compiled_code(self):
        """What compiled code calls; ValueError if the address is none."""
        signature, address = self.signature(), self.__wrapper_address__()
        if not isinstance(address, int) or address <= 0:
            raise ValueError(
                f"wrapper address of {type(self)} instance must be a positive integer, "
                f"not {address!r}"
            )
        return calling(type(self).__name__, address, signature.return_type, signature.args)


def _address_in_llvmlite(symbol) -> int:
    """Where llvmlite, if a program has it, knows a symbol."""
    binding = sys.modules.get("llvmlite.binding")
    return (binding.address_of_symbol(symbol) or 0) if binding else 0


class ExternalFunction(WrapperAddressProtocol):
    """The C function that this process knows under a symbol."""

    def __init__(self, symbol, sig):
        self.symbol = symbol
        self.sig = sig

    @property
    def name(self) -> str:
        return self.symbol

    def __wrapper_address__(self) -> int:
        known = _core.symbol_address(self.symbol) or _address_in_llvmlite(self.symbol)
        if known:
            return known
        for library in (None, "libm.so.6"):
            try:
                function = getattr(ctypes.CDLL(library), self.symbol)
            except (AttributeError, OSError):
                continue
            return ctypes.cast(function, ctypes.c_void_p).value or 0
        raise NameError(f"this process has no symbol {self.symbol!r}")

    def signature(self):
        return self.sig

    def __repr__(self):
        return f"ExternalFunction({self.symbol!r}, {self.sig})"
