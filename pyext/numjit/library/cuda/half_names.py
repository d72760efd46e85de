"""The names of cuda.fp16, cuda.bf16 and cuda.fp8."""

_BOTH = """
    hadd hsub hmul hdiv hfma hneg habs heq hne hge hgt hle hlt hmax hmin hsin hcos hlog hlog2 hlog10
    hexp hexp2 hexp10 hsqrt hrsqrt hrcp hceil hfloor htrunc hrint
"""
FP16 = _BOTH.split()

INTEGERS = "int16 uint16 int32 uint32 int64 uint64".split()
#: To the nearest, towards zero, down, up.
ROUNDINGS = "rn rz rd ru".split()

BF16 = f"""
    {_BOTH}
    hadd_rn hsub_rn hmul_rn hadd_sat hsub_sat hmul_sat hfma_sat hfma_relu hmax_nan hmin_nan
    hequ hneu hgeu hgtu hleu hltu hisnan hisinf htanh htanh_approx
    float32_to_bfloat16 float64_to_bfloat16 bfloat16_to_float32
    bfloat16_to_int8_rz bfloat16_to_uint8_rz
    bfloat16_as_int16 bfloat16_as_uint16 int16_as_bfloat16 uint16_as_bfloat16
""".split()
for _mode in ROUNDINGS:
    BF16.append(f"float32_to_bfloat16_{_mode}")
    for _integer in INTEGERS:
        BF16 += [f"{_integer}_to_bfloat16_{_mode}", f"bfloat16_to_{_integer}_{_mode}"]

KEYS = [f"numjit.cuda.fp16.{name}" for name in FP16]
KEYS += [f"numjit.cuda.bf16.{name}" for name in BF16]

FP8 = """
    fp8_e4m3 fp8_e5m2 fp8_e8m0
    cvt_float_to_fp8 cvt_double_to_fp8 cvt_halfraw_to_fp8 cvt_bfloat16raw_to_fp8
    cvt_float_to_e8m0 cvt_double_to_e8m0 cvt_bfloat16raw_to_e8m0
    cvt_fp8_to_halfraw cvt_e8m0_to_bf16raw
""".split()
KEYS_OF_8_BITS = [f"numjit.cuda.fp8.{name}" for name in FP8]
