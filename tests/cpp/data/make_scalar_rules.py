"""Writes scalar_rules.inc: the result types that Numba and NumPy give, for the tests of scalar_ops.

    python make_scalar_rules.py > scalar_rules.inc

A row is {form, name, types}: one character of NumPy's for each operand type, or pair of them in row
order, and '.' where there is no such operation. float16, which numjit lacks, counts as float32.
"""

import math
import operator
import warnings

import numpy as np
from numba import types
from numba.core.registry import cpu_target

NAMES = """bool int8 int16 int32 int64 uint8 uint16 uint32 uint64
float32 float64 complex64 complex128""".split()
PYTHON = {
    operator: """add sub mul truediv floordiv mod pow lshift rshift and_ or_ xor lt le eq ne
    neg pos invert not_""",
    math: "sqrt exp sin fabs floor ceil trunc isnan isinf isfinite",
}
# Where numjit does not follow Numba: bool ** int32 gives float32 there by accident, and math.isnan
# and cmath.isnan are one row.
CORRECTIONS = {("operator.pow", "bool", "int32"): "l"}
for test in "isnan", "isinf", "isfinite":
    for operand in "complex64", "complex128":
        CORRECTIONS[(f"math.{test}", operand)] = "?"
NUMPY = """
add subtract multiply divide logaddexp floor_divide negative positive power float_power
remainder fmod absolute fabs rint sign conjugate exp exp2 log log2 log10 expm1 log1p sqrt square
cbrt reciprocal gcd lcm sin cos tan arcsin arccos arctan arctan2 hypot sinh cosh tanh arcsinh
arccosh arctanh deg2rad rad2deg bitwise_and bitwise_or bitwise_xor invert left_shift right_shift
greater less_equal not_equal equal logical_and logical_or logical_not maximum minimum fmax fmin
isfinite isinf isnan signbit copysign nextafter ldexp floor ceil trunc spacing heaviside
bitwise_count
""".split()


def row(form, name, arity, result):
    if arity == 1:
        types_text = "".join(result(a) for a in NAMES)
    else:
        types_text = "".join(result(a, b) for a in NAMES for b in NAMES)
    lines = [types_text[i : i + 78] for i in range(0, len(types_text), 78)]
    print(f'{{Form::{form}, "{name}",')
    print("\n".join(f'    "{line}"' for line in lines) + "},")


def python_rows():
    context = cpu_target.typing_context
    context.refresh()
    for module, functions in PYTHON.items():
        for name in functions.split():
            function = getattr(module, name)
            qualified = f"{module.__name__}.{name}"

            def result(*names, function=function, qualified=qualified):
                if (qualified, *names) in CORRECTIONS:
                    return CORRECTIONS[(qualified, *names)]
                try:
                    signature = context.resolve_function_type(
                        function,
                        tuple(getattr(types, n) if n != "bool" else types.boolean for n in names),
                        {},
                    )
                except Exception:
                    return "."
                return "." if signature is None else np.dtype(str(signature.return_type)).char

            binary = function in (getattr(operator, n, None) for n in PYTHON[operator].split()[:16])
            row("Python", qualified, 2 if binary else 1, result)


def numpy_rows():
    for name in NUMPY:
        ufunc = getattr(np, name)

        def result(*names, ufunc=ufunc):
            try:
                dtype = ufunc(*(np.ones(1, n) for n in names)).dtype
            except TypeError:
                return "."
            return {"e": "f", "q": "l", "Q": "L"}.get(dtype.char, dtype.char)

        row("NumPy", f"numpy.{name}", ufunc.nin, result)


warnings.simplefilter("ignore")
print("// Made by make_scalar_rules.py with Numba 0.68 and NumPy 2; not to be edited.")
python_rows()
numpy_rows()
