"""How library functions are made known to the compiler."""

from typing import NamedTuple

from numjit import _core


class Row(NamedTuple):
    """What a library function is found by."""

    name: str
    when: str
    operands: tuple[str, ...]


#: Everything registered.
rows = {}
#: What names mean that are called, by name: for the support page and the generated tests.
registered = {}
#: Functions that are taken for rare paths.
rare = set()


def short_loops(python_function):
    """Declare that the loops of a library function end soon, whatever its arguments are: a search
    through a few slots, halvings of an index. They have no interrupt points."""
    python_function.short_loops = True
    return python_function


def callers_promotion(python_function):
    """Declare that literals beside arrays are what they are in the function that calls this one
    (``promotion=``). Other library functions rely on NumPy's promotion."""
    python_function.callers_promotion = True
    return python_function


def function(name, *, when="", operands=(), lazy=False, inline=True, listed=True):
    """Register the decorated function as what ``name`` means in compiled code.

    ``name`` is the qualified name of a Python object (``"numpy.sum"``), a method of a kind of type
    (``"Array.sum"``), an operator (``"operator.add"``) or an internal name (``"numjit.assign"``).
    ``operands``: of an operator, the kinds that it is meant for: ``("List", "List")``.
    ``when``: the use that is meant, if it is not the call: ``"attribute"`` and ``"assignment"``
    (reading and setting), ``"value"`` (a name of kernels that stands for a value), ``"times"``
    (calls for datetime64 and timedelta64), ``"keywords"`` (calls with keywords, or more operands,
    of what the compiler does otherwise). typeinfer/library_key.h has the list.

    The function is compiled like user code, specialised on the types of its arguments and on those
    of their values that are constants. ``lazy``: it takes element-wise expressions unevaluated.
    ``inline``: its code always becomes part of its callers. Without, it is taken for a rare path:
    it stays a function that is compiled, for size, when it is first called. ``listed``: the support
    page and the generated tests have it.
    """

    def register(python_function):
        rows[Row(name, when, tuple(operands))] = python_function
        if listed and not when and not operands:
            registered[name] = python_function
        if not inline:
            rare.add(python_function.__name__)
        _core.register_library(
            name,
            python_function,
            when=when,
            operands=",".join(operands),
            lazy=lazy,
            inline=inline,
        )
        return python_function

    return register
