"""Functions as values of a fixed signature: what types.FunctionType means in compiled code.

A value is a frozen dataclass of one number: the address at which the host, too, would enter the
machine code of a function compiled for the signature. There is one class for each signature.
"""

from __future__ import annotations

import dataclasses
import functools
from types import FunctionType

from numjit import types
from numjit.decorators import njit
from numjit.errors import TypingError
from numjit.extending import overload
from numjit.library.core.addresses import calling
from numjit.library.core.intrinsics import call_entry, pointer_at
from numjit.with_objmode import objmode

_codes: list = []  # For ever: values hold addresses in them
_functions: dict = {}  # address -> function


def _address_of(function, signature) -> int:
    """Where a function, compiled for a signature, is entered; TypeError if it is none."""
    code = _compile(_callable(function, signature), signature)
    _codes.append(code)
    _functions[code.entry_address] = function
    return code.entry_address


def _callable(function, signature):
    """What compiled code calls for a function."""
    if isinstance(function, types.WrapperAddressProtocol):
        own = function.signature()
        if own != signature:
            raise TypeError(f"a function of signature {own} is given where {signature} is wanted")
        return function._in_compiled_code()
    if not callable(function) or isinstance(function, type):
        raise TypeError(f"can't unbox {type(function).__name__} as a function of {signature}")
    return function


def _compile(function, signature):
    names = ", ".join(f"x{i}" for i in range(len(signature.args)))
    compiled = njit(signature)(eval(f"lambda {names}: function({names})", {"function": function}))
    return next(iter(compiled._specializations()))


def _pointer(value, kind):
    """`a.ctypes` as the address of its items, other values as they are."""
    raise NotImplementedError


@overload(_pointer)
def _choose_pointer(value, kind):
    is_ctypes = getattr(getattr(value, "_row", None), "kind", None) == "method"
    if is_ctypes:
        return lambda value, kind: pointer_at(value.data, kind)
    return lambda value, kind: value


def _converting(parameters):
    """A function of a tuple of arguments, which it gives as call_entry() takes them."""
    names, items = {"_pointer": _pointer}, ""
    for i, each in enumerate(parameters):
        names[f"_kind{i}"] = each
        is_pointer = isinstance(each, types.CPointer)
        items += f"_pointer(arguments[{i}], _kind{i}), " if is_pointer else f"arguments[{i}], "
    return eval(f"lambda arguments: ({items})", names)


@functools.cache
def entry_of_c_function(signature):
    """What compiled code calls with the address of a C function for the one in such a value."""
    result, parameters, known = signature.return_type, tuple(signature.args), {}

    def made(address):
        if address not in known:
            function = calling("C function", address, result, parameters)
            known[address] = _address_of(function, signature)
        return known[address]

    def entry(address):
        with objmode(found=types.int64):
            found = made(address)
        return found

    return entry


@functools.cache
def pointer_class(signature):
    """The class of functions of a signature."""
    result, parameters = signature.return_type, tuple(signature.args)
    has_pointers = any(isinstance(each, types.CPointer) for each in parameters)
    convert = _converting(parameters) if has_pointers else None
    known = {}  # function -> its value

    def of_python(function):
        if function not in known:
            known[function] = cls(_address_of(function, signature))
        return known[function]

    def entry_address(function):
        raise TypeError("entry_address can only be used in compiled code")

    @overload(entry_address)
    def choose(function):
        given = getattr(function, "dispatcher", None) or getattr(function, "inner_function", None)
        if given is None or (isinstance(given, FunctionType) and given.__closure__):
            raise TypingError(
                f"cannot convert {function} to {types.FunctionType(signature)}: only a jitted "
                "function or an inner one that captures nothing has an address"
            )
        address = of_python(given).address
        return lambda function: address

    def of_function(function):
        return cls(entry_address(function))

    def call(self, *arguments):
        return call_entry(self.address, result, parameters, arguments)

    def call_converting(self, *arguments):
        return call_entry(self.address, result, parameters, convert(arguments))

    namespace = {
        "_numjit_signature_": signature,
        "_numjit_members_": {
            "__call__": call_converting if has_pointers else call,
            "of_function": staticmethod(of_function),
            "is_converted": True,
        },
        "_numjit_of_python_": staticmethod(of_python),
        "_numjit_to_python_": lambda self: _functions.get(self.address),
    }
    namespace |= {"__module__": __name__, "__annotations__": {"address": int}}
    # make_dataclass() wants a name that is an identifier.
    cls = dataclasses.dataclass(frozen=True)(
        type(str(types.FunctionType(signature)), (), namespace)
    )
    return cls
