"""The functions of NVIDIA's libdevice, for kernels: libdevice.sinf(x)."""

from __future__ import annotations

from typing import NamedTuple

from numjit import types
from numjit.library.cuda import libdevice as simulator
from numjit.library.cuda.device import extern_function, extern_pair
from numjit.np.numpy_support import as_dtype
from numjit.signatures import Signature

# Types of the result and of the arguments: d float64, f float32, s int16, i int32, l int64 (as in
# Numba, for unsigned integers too).
_TABLE = {
    "d:d": (
        "acos acosh asin asinh atan atanh cbrt ceil cos cosh cospi cyl_bessel_i0 cyl_bessel_i1 erf "
        "erfc erfcinv erfcx erfinv exp exp10 exp2 expm1 fabs floor j0 j1 lgamma log log10 log1p "
        "log2 logb nearbyint normcdf normcdfinv rcbrt rint round rsqrt sin sinh sinpi sqrt tan "
        "tanh tgamma trunc y0 y1 drcp_rn drcp_rd drcp_ru drcp_rz rcp64h dsqrt_rn dsqrt_rd dsqrt_ru "
        "dsqrt_rz"
    ),
    "f:f": (
        "acosf acoshf asinf asinhf atanf atanhf cbrtf ceilf cosf coshf cospif cyl_bessel_i0f "
        "cyl_bessel_i1f erff erfcf erfcinvf erfcxf erfinvf expf exp10f exp2f expm1f fabsf floorf "
        "j0f j1f lgammaf logf log10f log1pf log2f logbf nearbyintf normcdff normcdfinvf rcbrtf "
        "rintf roundf rsqrtf sinf sinhf sinpif sqrtf tanf tanhf tgammaf truncf y0f y1f fast_cosf "
        "fast_exp10f fast_expf fast_log10f fast_log2f fast_logf fast_sinf fast_tanf fast_tanhf "
        "frcp_rn frcp_rd frcp_ru frcp_rz frsqrt_rn fsqrt_rn fsqrt_rd fsqrt_ru fsqrt_rz saturatef"
    ),
    "d:dd": (
        "atan2 copysign fdim fmax fmin fmod hypot nextafter pow remainder rhypot dadd_rn dadd_rd "
        "dadd_ru dadd_rz ddiv_rn ddiv_rd ddiv_ru ddiv_rz dmul_rn dmul_rd dmul_ru dmul_rz "
        "dsub_rn dsub_rd dsub_ru dsub_rz"
    ),
    "f:ff": (
        "atan2f copysignf fdimf fmaxf fminf fmodf hypotf nextafterf powf remainderf rhypotf "
        "fast_fdividef fast_powf fadd_rn fadd_rd fadd_ru fadd_rz fdiv_rn fdiv_rd fdiv_ru fdiv_rz "
        "fmul_rn fmul_rd fmul_ru fmul_rz fsub_rn fsub_rd fsub_ru fsub_rz"
    ),
    "d:ddd": "fma fma_rn fma_rd fma_ru fma_rz norm3d rnorm3d",
    "f:fff": "fmaf fmaf_rn fmaf_rd fmaf_ru fmaf_rz fmaf_ieee_rn fmaf_ieee_rd fmaf_ieee_ru "
    "fmaf_ieee_rz "
    "norm3df rnorm3df",
    "d:dddd": "norm4d rnorm4d",
    "f:ffff": "norm4df rnorm4df",
    "d:di": "ldexp powi scalbn",
    "f:fi": "ldexpf powif scalbnf",
    "d:id": "jn yn",
    "f:if": "jnf ynf",
    "i:d": "finitef ilogb isinfd isnand signbitd double2hiint double2loint double2int_rn "
    "double2int_rd double2int_ru double2int_rz double2uint_rn double2uint_rd double2uint_ru "
    "double2uint_rz",
    "i:f": "ilogbf isinff isnanf signbitf float_as_int float2int_rn float2int_rd float2int_ru "
    "float2int_rz float2uint_rn float2uint_rd float2uint_ru float2uint_rz float_as_uint",
    "l:d": "double_as_longlong llrint llround double2ll_rn double2ll_rd double2ll_ru double2ll_rz "
    "double2ull_rn double2ull_rd double2ull_ru double2ull_rz",
    "l:f": "llrintf llroundf float2ll_rn float2ll_rd float2ll_ru float2ll_rz "
    "float2ull_rn float2ull_rd float2ull_ru float2ull_rz",
    "d:l": "longlong_as_double ll2double_rn ll2double_rd ll2double_ru ll2double_rz "
    "ull2double_rn ull2double_rd ull2double_ru ull2double_rz nan",
    "f:l": "ll2float_rn ll2float_rd ll2float_ru ll2float_rz ull2float_rn ull2float_rd ull2float_ru "
    "ull2float_rz",
    "f:i": "int_as_float int2float_rn int2float_rd int2float_ru int2float_rz uint2float_rn "
    "uint2float_rd "
    "uint2float_ru uint2float_rz uint_as_float nanf",
    "d:i": "int2double_rn uint2double_rn",
    "s:f": "float2half_rn",
    "f:s": "half2float",
    "f:d": "double2float_rn double2float_rd double2float_ru double2float_rz",
    "d:ii": "hiloint2double",
    "i:i": "abs brev clz ffs popc",
    "l:l": "brevll llabs",
    "i:l": "clzll ffsll popcll",
    "i:ii": "max min mul24 mulhi umax umin umul24 umulhi hadd rhadd uhadd urhadd",
    "l:ll": "llmax llmin ullmax ullmin mul64hi umul64hi",
    "i:iii": "byte_perm sad usad",
}
_SIGNATURES = {name: types for types, names in _TABLE.items() for name in names.split()}
_SIGNATURES["finitef"] = "i:f"
_SIGNATURES["isfinited"] = "i:d"


# Functions that write a second result through a pointer: their arguments, the type behind it, and
# whether the function itself returns the first one.
_PAIRS = {
    "frexp": ("d", "i", "d"),
    "frexpf": ("f", "i", "f"),
    "modf": ("d", "d", "d"),
    "modff": ("f", "f", "f"),
    "remquo": ("dd", "i", "d"),
    "remquof": ("ff", "i", "f"),
    "sincos": ("d", "d", ""),
    "sincosf": ("f", "f", ""),
    "sincospi": ("d", "d", ""),
    "sincospif": ("f", "f", ""),
    "fast_sincosf": ("f", "f", ""),
}


_LETTERS = {
    "d": types.float64,
    "f": types.float32,
    "i": types.int32,
    "l": types.int64,
    "s": types.int16,
}


class Parameter(NamedTuple):
    """A parameter of a function; `is_ptr`: the function writes a result of this type through it."""

    name: str
    ty: types.Type
    is_ptr: bool = False


def _functions():
    """(type of the result, parameters) of each function, by its symbol."""
    found = {}
    for name, signature in _SIGNATURES.items():
        result, _, letters = signature.partition(":")
        rows = [Parameter(f"x{i}", _LETTERS[each]) for i, each in enumerate(letters)]
        found[f"__nv_{name}"] = _LETTERS[result], rows
    for name, (letters, behind, result) in _PAIRS.items():
        rows = [Parameter(f"x{i}", _LETTERS[each]) for i, each in enumerate(letters)]
        pointers = ["p"] if result else ["sptr", "cptr"]
        rows += [Parameter(each, _LETTERS[behind], True) for each in pointers]
        found[f"__nv_{name}"] = _LETTERS[result] if result else types.void, rows
    return found


def create_signature(retty, args):
    """The signature of a function in kernels, where its results are values."""
    results = [] if retty == types.void else [retty]
    results += [each.ty for each in args if each.is_ptr]
    result = results[0] if len(results) == 1 else types.Tuple(results)
    return Signature(result, tuple(each.ty for each in args if not each.is_ptr))


def _pair(name):
    arguments, behind, result = _PAIRS[name]
    return extern_pair(
        f"__nv_{name}",
        _LETTERS[result] if result else types.void,
        tuple(_LETTERS[each] for each in arguments),
        _LETTERS[behind],
        simulator.found(simulator.PAIRS, name),
    )


def __getattr__(name):
    if name == "functions":
        globals()[name] = _functions()
        return globals()[name]
    if name in _PAIRS:
        globals()[name] = made = _pair(name)
        return made
    signature = _SIGNATURES.get(name)
    if signature is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    result, _, parameters = signature.partition(":")
    simulated = simulator.found(simulator.FUNCTIONS, name)
    made = extern_function(
        f"__nv_{name}",
        _LETTERS[result],
        tuple(_LETTERS[letter] for letter in parameters),
        simulated and simulator.rounded(simulated, as_dtype(_LETTERS[result]).type),
    )
    globals()[name] = made
    return made


def __dir__():
    return sorted({*globals(), *_SIGNATURES, *_PAIRS})
