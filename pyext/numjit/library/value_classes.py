"""Classes whose objects are values made of some attributes: one row each.

An object comes in as its attributes, and is made by calling the class with them, or `maker`. What
its methods and operators do is registered as ``"module.Class.method"``, by functions of `module`,
which is imported by the first program that uses one of them.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from numjit import _core


class ValueClass(NamedTuple):
    """A row of `VALUE_CLASSES`."""

    fields: str  #: attributes, in the order in which the class is called
    item: str | None = None  #: the type that all of them have; None: each has its own
    module: str | None = None  #: of this package: what has the methods
    methods: str = ""
    maker: Callable | None = None  #: called with class and attributes where the class takes others


_CONTEXT = "__enter__ __exit__"
_OBJECTS = "python.collection_objects"
_DICT = """__bool__ __contains__ __delitem__ __eq__ __getitem__ __iter__ __len__ __ne__ __setitem__
    clear copy get items keys pop popitem setdefault update values"""
_UNION = " __ior__ __or__ __ror__"

VALUE_CLASSES = {
    "contextlib._GeneratorContextManager": ValueClass("gen", None, "python.contexts", _CONTEXT),
    "contextlib.nullcontext": ValueClass("enter_result", None, "python.contexts", _CONTEXT),
    "contextlib.suppress": ValueClass("_exceptions", None, "python.contexts", _CONTEXT),
    "numpy.errstate": ValueClass("", None, "python.contexts", _CONTEXT),
    "warnings.catch_warnings": ValueClass("", None, "python.contexts", _CONTEXT),
    # `_items` of an object is a list or dict of its items, which are written back when they change.
    "collections.Counter": ValueClass(
        "_items",
        None,
        _OBJECTS,
        _DICT
        + """ __add__ __and__ __iadd__ __iand__ __ior__ __isub__ __or__ __repr__ __ror__ __str__
        __sub__ elements most_common subtract total""",
    ),
    "collections.OrderedDict": ValueClass(
        "_items", None, _OBJECTS, _DICT + _UNION + " move_to_end"
    ),
    "collections.defaultdict": ValueClass("default_factory _items", None, _OBJECTS, _DICT + _UNION),
    "collections.deque": ValueClass(
        "_items maxlen",
        None,
        "python.deques",
        """__add__ __bool__ __contains__ __delitem__ __eq__ __ge__ __getitem__ __gt__ __iadd__
        __iter__ __le__ __len__ __lt__ __ne__ __repr__ __reversed__ __setitem__ __str__ append
        appendleft clear copy count extend extendleft index insert pop popleft remove reverse
        rotate""",
    ),
    "datetime.timedelta": ValueClass(
        "days seconds microseconds",
        "int64",
        "python.durations",
        """__abs__ __add__ __bool__ __divmod__ __eq__ __floordiv__ __ge__ __gt__ __hash__ __le__
        __lt__ __mod__ __mul__ __ne__ __neg__ __pos__ __repr__ __rmul__ __str__ __sub__ __truediv__
        total_seconds""",
    ),
    "fractions.Fraction": ValueClass(
        "numerator denominator",
        "int64",
        "python.fraction_numbers",
        """__abs__ __add__ __bool__ __ceil__ __complex__ __divmod__ __eq__ __float__ __floor__
        __floordiv__ __ge__ __gt__ __hash__ __int__ __le__ __lt__ __mod__ __mul__ __ne__ __neg__
        __pos__ __pow__ __radd__ __rdivmod__ __repr__ __rfloordiv__ __rmod__ __rmul__ __round__
        __rpow__ __rsub__ __rtruediv__ __str__ __sub__ __truediv__ __trunc__ as_integer_ratio
        conjugate is_integer limit_denominator""",
    ),
    "numjit.library.python.raised_classes.ClassOfCaught": ValueClass(
        "exception", None, "python.raised_classes", "__eq__ __ne__ __repr__ __str__"
    ),
    "numpy.__array_namespace_info__": ValueClass(
        "", None, "numpy.conversion", "capabilities default_device default_dtypes devices"
    ),
    "numpy._core._multiarray_umath._array_converter": ValueClass(
        "_values scalar_input",
        None,
        "numpy.conversion",
        "__getitem__ __iter__ __len__ as_arrays result_type wrap",
    ),
    "numpy.polynomial.polynomial.Polynomial": ValueClass(
        "coef domain window", None, "numpy.polynomial", "__call__ degree"
    ),
    "re.Pattern": ValueClass(
        "pattern flags groups",
        None,
        "python.regular_expressions",
        "__eq__ __ne__ findall finditer fullmatch match search split sub subn",
        maker=lambda cls, pattern, flags, groups: re.compile(pattern, flags),
    ),
    **dict.fromkeys(
        (
            f"scipy.sparse._{kind}.{kind}_{what}"
            for kind in ("csr", "csc")
            for what in ("matrix", "array")
        ),
        ValueClass(
            "data indices indptr shape",
            maker=lambda cls, data, indices, indptr, shape: cls((data, indices, indptr), shape),
        ),
    ),
}


def names_of(name, row):
    """What a row announces: the class and its methods."""
    return [name, *(f"{name}.{method}" for method in row.methods.split())]


def register(package):
    """Makes the rows known to the compiler."""
    for name, row in VALUE_CLASSES.items():
        item = row.item and _core.scalar(row.item)
        _core.register_value_class(name, row.fields.split(), item, row.maker)
        if row.module:
            for each in names_of(name, row):
                _core.announce_library(each, f"{package}.{row.module}")
