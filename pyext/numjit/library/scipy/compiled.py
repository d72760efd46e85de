"""SciPy's functions that are written in other languages: the interpreter executes them."""

from numjit import types
from numjit.errors import LiteralTypingError, TypingError

from ..core.registry import function
from ..python.compiled_elsewhere import register
from .compiled_names import TEXTS


def _known(argument, name):
    if isinstance(argument, types.Literal):
        return argument.literal_value
    raise LiteralTypingError(f"the argument {name!r} must be known at compile time")


def _eigenvalues(a, left, right, *flags):
    given = {"left": left, "right": right}
    vectors = ["complex {0}" if _known(x, name) else "none" for name, x in given.items()]
    return f"(complex {{0}}[{a.ndim - 1}], none, {vectors[0]}, {vectors[1]}, list of failure)"


def _singular_values(a, driver, compute_uv, *flags):
    s = f"real {{0}}[{a.ndim - 1}]"
    if _known(compute_uv, "compute_uv"):
        return f"({{0}}, {s}, {{0}}, list of failure)"
    return f"({s}, list of failure)"


def _least_squares(a, b, cond, driver, *flags):
    if a.ndim != 2:
        raise TypingError("lstsq() takes no stacks of matrices in compiled code")
    s = "none" if _known(driver, "lapack_driver") == "gelsy" else "real {0}[1]"
    return f"({{1}}, int, {s}, list of failure)"


def _orthogonal(a, overwrite, mode, pivoting):
    if _known(mode, "mode") > 2:
        raise TypingError("qr() has no mode 'raw' in compiled code")
    order = f"int32[{a.ndim - 1}]" if _known(pivoting, "pivoting") else "none"
    return f"({{0}}, {{0}}, none, {order}, list of failure)"


#: Functions of the arguments' types that give the text, and the parameters.
_FUNCTIONS = {
    "_det": (lambda a, *flags: f"{{0}}[{a.ndim - 2}]", "a, overwrite_a"),
    "_eig": (_eigenvalues, "a, left, right, overwrite_a, overwrite_b"),
    "_lstsq": (_least_squares, "a, b, cond, driver, overwrite_a, overwrite_b"),
    "_lu": (
        lambda a, *flags: f"(int32[{a.ndim - 1}], {{0}}, {{0}})",
        "a, permute_l, overwrite_a",
    ),
    "_qr": (_orthogonal, "a, overwrite_a, mode, pivoting"),
    "_svd": (_singular_values, "a, driver, compute_uv, full_matrices, overwrite_a"),
}
for _name, (_text_for, _parameters) in _FUNCTIONS.items():
    register(f"scipy.linalg._batched_linalg.{_name}", _text_for, _parameters)


def _by_count(texts):
    return lambda *arguments: texts.get(len(arguments), texts.get(None))


for _name, _texts in TEXTS.items():
    register(_name, _by_count(_texts))


@function("scipy.linalg._misc._datacopied", listed=False)
def _datacopied(arr, original):
    return False  # whether it may be overwritten
