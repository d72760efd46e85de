"""PTX of kernels: what is in it, and that NVIDIA's assembler takes it. No GPU is needed."""

import math
import os
import re
import subprocess
import warnings

import numpy as np
import pytest
from cuda import (
    kernels,
    test_bfloat16,
    test_blocks,
    test_half,
    test_kernels,
    test_records,
)
from numjit import config, cuda, errors, from_dtype, types
from numjit.cuda import libdevice
from numjit.cuda.toolchain import find_libdevice, find_tool

# `make test` sees to both; in CI their absence is a failure.
ptxas = find_tool("ptxas")
in_ci = bool(os.environ.get("CI"))
needs_ptxas = pytest.mark.skipif(
    ptxas is None and not in_ci, reason="there is no ptxas: pip install numjit[test-cuda]"
)
needs_libdevice = pytest.mark.skipif(
    not find_libdevice() and not in_ci, reason="there is no libdevice: pip install numjit[cuda]"
)
CAPABILITIES = [(7, 5), (8, 0), (9, 0)]


def ptx_of(kernel, signature, cc=(7, 5), **options):
    return cuda.compile_ptx(kernel, signature, cc=cc, **options)[0]


def assemble(ptx, cc, folder):
    source = folder / "kernel.ptx"
    source.write_text(ptx)
    subprocess.run(
        [ptxas, f"-arch=sm_{cc[0]}{cc[1]}", "-o", folder / "kernel.cubin", source],
        check=True,
        capture_output=True,
    )


def grid_barrier(out):
    cuda.cg.this_grid().sync()
    out[cuda.grid(1)] = 1


def printing(x):
    print("x is", x[0], cuda.threadIdx.x, 100 * "%")


def math_functions(x, y):
    i = cuda.grid(1)
    y[i] = math.exp(x[i]) + math.pow(x[i], 2.5) + math.erf(x[i]) + math.log1p(x[i]) % 3.0
    y[i] += np.arctan2(x[i], 2.0) + math.gamma(x[i]) + math.lgamma(x[i]) + math.hypot(x[i], 1.0)


@cuda.jit(device=True)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def recursion(out):
    i = cuda.grid(1)
    out[i] = fib(i)


def synchronisation(out):
    i = cuda.threadIdx.x
    cuda.threadfence()
    cuda.threadfence_block()
    cuda.threadfence_system()
    cuda.syncwarp()
    cuda.nanosleep(100)
    out[0] = cuda.syncthreads_count(i > 3)
    out[1] = cuda.syncthreads_and(i > 3)
    out[2] = cuda.syncthreads_or(i > 3)
    out[3] = cuda.match_any_sync(0xFFFFFFFF, i)
    lanes, same = cuda.match_all_sync(0xFFFFFFFF, i)
    out[4] = lanes if same else 0
    out[5] = cuda.all_sync(0xFFFFFFFF, i > 1) + cuda.any_sync(0xFFFFFFFF, i > 1)
    out[6] = cuda.eq_sync(0xFFFFFFFF, i > 1) + cuda.shfl_xor_sync(0xFFFFFFFF, i, 1)
    out[7] = cuda.shfl_up_sync(0xFFFFFFFF, i, 1) + cuda.lanemask_lt()
    out[8] = cuda.clz(i) + cuda.ffs(i) + cuda.brev(i) + cuda.popc(i)


def complex_numbers(z):
    i = cuda.grid(1)
    z[i] = z[i] * z[i] + abs(z[i]) - z[i].conjugate()


def packed(a, out):
    i = cuda.grid(1)
    a[i].x = a[i].x + 2.5
    a[i].y = a[i].y * a[i].x
    a[i].z = a[i].z * a[i].x
    out[i] = np.float64(a[i].x + a[i].y).view(np.int64)


def bfloat_arrays(x, factor):
    i = cuda.grid(1)
    x[i] = math.exp(x[i]) * factor + cuda.ldcg(x, i)
    cuda.stcs(x, i, x[i] / factor)
    cuda.atomic.max(x, 0, x[i])


def narrow_atomics(x):
    i = cuda.grid(1)
    cuda.atomic.add(x, i, x[0])
    cuda.atomic.max(x, i, x[1])
    cuda.atomic.exch(x, i, x[2])
    cuda.atomic.cas(x, i, x[3], x[4])


def complex_atomics(x, y):
    cuda.atomic.add(x, cuda.grid(1), 1j)
    cuda.atomic.sub(y, cuda.grid(2), 1 + 2j)


PACKED = from_dtype(np.dtype([("flag", "i1"), ("x", "f8"), ("y", "f4"), ("z", "c8")]))


@pytest.mark.parametrize(
    "letters, dtype", [("b8", "int8"), ("b16", "float16"), ("b32", "float32"), ("b64", "int64")]
)
def test_cache_hints(letters, dtype):
    ptx = ptx_of(test_kernels.hinted, f"void({dtype}[::1], {dtype}[:, ::1])", (9, 0))
    for name in "ld ca,ld cg,ld cs,ld lu,ld cv,st cg,st cs,st wb,st wt".split(","):
        assert name.replace(" ", ".global.") + "." + letters in ptx


def test_print_of_truth_has_both_texts():
    def k(flag, x):
        print(flag, x)

    ptx = ptx_of(k, "void(boolean, int64)")
    for text in ("True", "False", "%s %lld\n"):
        assert ", ".join(str(ord(letter)) for letter in text) in ptx


def dates(a, b, out):
    i = cuda.grid(1)
    out[i] = a[i] < b[i]


def libdevice_pairs(x, i):
    x[0], x[1] = libdevice.sincos(x[0])
    x[2], i[0] = libdevice.frexp(x[2])
    x[3], x[4] = libdevice.modf(x[3])


PROGRAMS = [
    (kernels.axpy, "void(float64, float64[:], float64[:])"),
    (kernels.axpy, "void(float32, float32[::1], float32[::1])"),
    (kernels.matmul, "void(float32[:, ::1], float32[:, ::1], float32[:, ::1])"),
    (kernels.rk4, "void(float64[::1], float64, int64)"),
    (kernels.atomics, "void(float64[::1], int32[::1], float64[::1])"),
    (kernels.atomics, "void(float32[::1], uint64[::1], float32[::1])"),
    (kernels.warp, "void(float64[::1])"),
    (kernels.dynamic_shared, "void(float64[::1], float64[::1])"),
    (kernels.constant_table, "void(float64[::1])"),
    (kernels.local_sort, "void(float64[:, ::1])"),
    (grid_barrier, "void(int32[::1])"),
    (printing, "void(float64[::1])"),
    (math_functions, "void(float64[::1], float64[::1])"),
    (math_functions, "void(float32[::1], float32[::1])"),
    (recursion, "void(int64[::1])"),
    (synchronisation, "void(int64[::1])"),
    (complex_numbers, "void(complex128[::1])"),
    (test_records.move, (types.Array(test_records.PARTICLE_TYPE, 1, "C"), types.float64[::1])),
    (test_records.local_records, "void(float64[::1])"),
    (test_records.vectors, "void(float64[::1])"),
    (dates, (types.NPDatetime("D")[::1], types.NPDatetime("D")[::1], types.boolean[::1])),
    (libdevice_pairs, "void(float64[::1], int32[::1])"),
    (test_half.arithmetic, "void(float16[::1], float16[::1], float16[:, ::1])"),
    (test_half.functions, "void(float16[::1], float16[:, ::1])"),
    (test_bfloat16.arithmetic, "void(uint16[::1], uint16[::1], uint16[:, ::1])"),
    (bfloat_arrays, "void(bfloat16[::1], bfloat16)"),
    *((narrow_atomics, f"void({each}[::1])") for each in ("int8", "uint16", "float16")),
    (complex_atomics, "void(complex64[::1], complex128[:, ::1])"),
    (test_blocks.sums_of_block, "void(float32[::1], float64[:, ::1])"),
    (test_blocks.sums_of_block, "void(int16[::1], float64[:, ::1])"),
    (test_blocks.composed, "void(float64[::1], float64[:, ::1])"),
    (test_blocks.sorted_in_block, "void(int64[::1], int64[:, ::1])"),
    (packed, (types.Array(PACKED, 1, "C"), types.int8[::1])),
]


@needs_ptxas
@needs_libdevice
@pytest.mark.parametrize("cc", CAPABILITIES, ids=lambda cc: f"sm_{cc[0]}{cc[1]}")
@pytest.mark.parametrize(
    "kernel, signature", PROGRAMS, ids=[f"{k.__name__}-{i}" for i, (k, _) in enumerate(PROGRAMS)]
)
def test_the_assembler_takes_it(kernel, signature, cc, tmp_path):
    assemble(ptx_of(kernel, signature, cc), cc, tmp_path)


@needs_ptxas
@pytest.mark.parametrize("options", [{"debug": True, "opt": False}, {"lineinfo": True}])
def test_lines_and_debug(options, tmp_path):
    ptx = ptx_of(kernels.axpy, "void(float64, float64[:], float64[:])", **options)
    assert "\t.loc\t" in ptx
    assemble(ptx, (7, 5), tmp_path)


def test_debug_with_optimisation_warns(monkeypatch):
    text = "not supported by CUDA"
    for options in ({}, {"opt": True}):
        with pytest.warns(errors.NumbaInvalidConfigWarning, match=text) as warned:
            cuda.jit(debug=True, **options)
        assert warned[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cuda.jit()
        cuda.jit(debug=True, opt=False)
        monkeypatch.setattr(config, "OPT", 0)
        cuda.jit(debug=True)


@pytest.mark.parametrize("abi", ["c", "numba"])
def test_lines_of_a_function_are_those_of_its_file(abi):
    ptx = cuda.compile(lambda x: x + 1, "int64(int64)", lineinfo=True, abi=abi)[0]
    files = re.findall(r'\.file\s+\d+ "(.*)"', ptx)
    assert files and all(name.endswith("test_ptx.py") for name in files)


def test_target_and_kernel():
    ptx = ptx_of(kernels.axpy, "void(float64, float64[::1], float64[::1])", (9, 0))
    assert ".target sm_90" in ptx
    assert ".visible .entry axpy(" in ptx
    # Memory of arguments is global, a product and a sum are one instruction.
    assert "ld.global" in ptx and "st.global" in ptx and "fma.rn.f64" in ptx
    assert "%tid.x" in ptx and "%ctaid.x" in ptx


@cuda.jit(device=True)
def tendency(z):
    change = np.empty(40)
    for i in range(40):
        change[i] = (z[(i + 1) % 40] - z[i - 2]) * z[i - 1] - z[i] + 8.0
    return change


def runge_kutta(states, dt, steps):
    i = cuda.grid(1)
    if i < states.shape[0]:
        z = np.empty(40)
        for j in range(40):
            z[j] = states[i, j]
        for _ in range(steps):
            a = dt * tendency(z)
            b = dt * tendency(z + a / 2)
            c = dt * tendency(z + b / 2)
            d = dt * tendency(z + c)
            z = z + a / 6 + b / 3 + c / 3 + d / 6
        for j in range(40):
            states[i, j] = z[j]


def report_of(kernel, signature, folder):
    """What ptxas says of registers and spills."""
    source = folder / "kernel.ptx"
    source.write_text(ptx_of(kernel, signature, (9, 0)))
    command = [ptxas, "-v", "-arch=sm_90", "-o", folder / "kernel.cubin", source]
    return subprocess.run(command, capture_output=True, text=True, check=True).stderr


@needs_ptxas
def test_arrays_that_are_added_last_are_not_kept_until_then(tmp_path):
    report = report_of(runge_kutta, "void(float64[:, ::1], float64, int64)", tmp_path)
    # 1,160 bytes if all of a, b, c and d are alive where z is computed.
    assert int(re.search(r"(\d+) bytes spill stores", report)[1]) < 300, report


def chase(states, steps):
    i = cuda.grid(1)
    if i < states.shape[1]:
        x = cuda.local.array(16, np.float64)
        for j in range(16):
            x[j] = states[j, i]
        for _ in range(steps):
            for j in range(16):
                x[j] += x[(j + 1) % 16] * x[(j + 5) % 16]
        for j in range(16):
            states[j, i] = x[j]


@needs_ptxas
def test_addresses_are_not_kept_over_a_loop(tmp_path):
    report = report_of(chase, "void(float64[:, ::1], int64)", tmp_path)
    # Two for each of 16 numbers, two for each of 16 addresses if they are kept.
    assert int(re.search(r"Used (\d+) registers", report)[1]) <= 64, report


def test_bits_of_floats_are_stored_from_registers_of_their_own():
    # ptxas 13.0 converts the number where it stores a part of what a float instruction computed.
    ptx = ptx_of(packed, PROGRAMS[-1][1], (9, 0))
    computed = set(re.findall(r"\.f(?:16|32|64)\s+(%\w+),", ptx))
    stored = re.findall(r"st\.global\.b8 .*, (%\w+);", ptx)
    assert len(stored) == 8 + 4 + 8 + 1 and not computed & set(stored)


def test_double_arithmetic_is_not_speculated():
    def k(x):
        v = x[0]
        if v > 1:
            v = v * v + v
        x[0] = v

    assert "selp.f64" not in ptx_of(k, "void(float64[::1])")
    assert "selp.f32" in ptx_of(k, "void(float32[::1])")


def test_no_fusion():
    ptx = cuda.compile(
        kernels.axpy,
        "void(float64, float64[::1], float64[::1])",
        device=False,
        abi="numba",
        fma=False,
    )[0]
    assert "fma.rn.f64" not in ptx


def test_fastmath():
    def k(x, y):
        y[0] = x[0] / x[1]
        y[1] = math.sin(x[0])

    exact = ptx_of(k, "void(float32[::1], float32[::1])")
    fast = ptx_of(k, "void(float32[::1], float32[::1])", fastmath=True)
    assert "div.rn.f32" in exact
    assert "div.approx" in fast and "sin.approx" in fast


def test_shared_memory():
    ptx = ptx_of(kernels.matmul, PROGRAMS[2][1])
    assert ptx.count("[1024]") >= 2 and "ld.shared" in ptx and "bar.sync" in ptx
    ptx = ptx_of(kernels.dynamic_shared, PROGRAMS[7][1])
    assert ".extern .shared" in ptx and "%dynamic_smem_size" in ptx


def test_arrays_of_the_same_shape_are_not_the_same():
    def k(out):
        a = cuda.shared.array(32, np.float64)
        b = cuda.shared.array(32, np.float64)
        i = cuda.threadIdx.x
        a[i] = i
        b[i] = 2 * i
        cuda.syncthreads()
        out[i] = a[31 - i] + b[31 - i]

    assert ptx_of(k, "void(float64[::1])").count(".shared .align") == 2


def test_atomics():
    ptx = ptx_of(kernels.atomics, PROGRAMS[4][1])
    for text in ("add.f64", "add.u32", "or.b32", "and.b32", "xor.b32", "cas.b32", "exch.b32"):
        assert f".{text}" in ptx, text


def test_the_declared_result_of_a_function():
    ptx, result = cuda.compile(lambda x, y: x + y, "int32(int32, int32)")
    assert str(result) == "int32" and ".param .b32 func_retval0" in ptx
    assert str(cuda.compile(lambda x, y: x + y, "(int32, int32)")[1]) == "int64"


def test_device_function():
    ptx, result = cuda.compile(lambda x, y: x * y + 1, "(float64, float64)", cc=(8, 0))
    assert str(result) == "float64"
    assert ".func" in ptx and ".visible" in ptx
    assert cuda.compile_ptx(lambda x: x + 1, "(int32,)", device=True)[1] is not None
    named, _ = cuda.compile(lambda x: x, "(float64,)", abi_info={"abi_name": "identity"}, cc=(8, 0))
    assert " identity(" in named


def test_launch_bounds_and_registers():
    ptx = ptx_of(kernels.axpy, PROGRAMS[0][1], launch_bounds=(128, 4))
    assert ".maxntid 128" in ptx and ".minnctapersm 4" in ptx


def test_raises_are_recorded_with_debug_only():
    def k(x):
        if x[0] > 3:
            raise ValueError("too big")

    assert "numjit_raised" in ptx_of(k, "void(float64[::1])", debug=True)
    assert "numjit_raised" not in ptx_of(k, "void(float64[::1])")


def test_declared_functions():
    twice = cuda.declare_device("twice", "float64(float64)")

    def k(x):
        x[0] = twice(x[0])

    ptx = ptx_of(k, "void(float64[::1])")
    assert ".extern .func" in ptx and "twice" in ptx


@needs_libdevice
def test_libdevice():
    def k(x):
        x[0] = libdevice.rsqrt(x[0])

    assert "rsqrt.approx" in ptx_of(k, "void(float64[::1])")


# -- refusals -----------------------------------------------------------------------------------


def test_a_kernel_returns_nothing():
    with pytest.raises(errors.TypingError, match="CUDA kernel must have void return type"):
        ptx_of(lambda x: x[0], "(float64[::1],)")


def test_names_of_kernels_outside_of_kernels():
    from numjit import njit

    @njit
    def f(x):
        return x + cuda.threadIdx.x

    with pytest.raises(errors.TypingError, match="outside of a kernel"):
        f(1)
    with pytest.raises(NotImplementedError, match="host"):
        cuda.syncthreads()


def test_shapes_of_shared_arrays_are_known():
    def k(n):
        cuda.shared.array(n, np.float64)[0] = 1

    with pytest.raises(errors.TypingError, match="must be known at compile time"):
        ptx_of(k, "void(int64)")


def test_atomics_on_truth_values():
    def k(x):
        cuda.atomic.add(x, 0, 1)

    with pytest.raises(errors.TypingError, match="integers and floats"):
        ptx_of(k, "void(boolean[::1])")


def test_unknown_options():
    with pytest.raises(errors.UnknownOptionError, match="Unrecognized options"):
        cuda.jit(fastmaths=True)


# -- options ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "bounds, expected",
    [
        (128, (128, 0, 0)),
        ((256,), (256, 0, 0)),
        ((256, 2), (256, 2, 0)),
        ((256, 2, 4), (256, 2, 4)),
    ],
)
def test_launch_bounds(bounds, expected):
    ptx = ptx_of(kernels.axpy, PROGRAMS[0][1], (9, 0), launch_bounds=bounds)
    for name, value in zip((".maxntid", ".minnctapersm", ".maxclusterrank"), expected, strict=True):
        assert re.findall(rf"{name} (\d+)", ptx) == ([str(value)] if value else [])


@pytest.mark.parametrize("bounds", [0, -1, 2048, (1, 2, 3, 4), "128", (128, 1.5), True])
def test_wrong_launch_bounds(bounds):
    with pytest.raises((TypeError, ValueError), match="launch_bounds"):
        cuda.jit(launch_bounds=bounds)(kernels.axpy)


@needs_ptxas
@pytest.mark.parametrize("cc", [(9, 0, "a"), "9.0a", "90a"])
def test_what_one_architecture_alone_has(cc, tmp_path):
    ptx = ptx_of(kernels.axpy, PROGRAMS[0][1], cc)
    assert ".target sm_90a" in ptx
    assemble(ptx, (9, "0a"), tmp_path)


@pytest.mark.parametrize("cc", ["9.0x", (9,), (9, 0, "b"), ("9", "0"), (1, 2, "a", 3)])
def test_wrong_capabilities(cc):
    with pytest.raises(ValueError, match="compute capability"):
        ptx_of(kernels.axpy, PROGRAMS[0][1], cc)


def test_carveout():
    for given, percent in (("MaxL1", 0), ("maxshared", 100), ("default", -1), (-1, -1), (40, 40)):
        made = cuda.jit(shared_memory_carveout=given)(kernels.axpy)
        assert made.targetoptions["shared_memory_carveout"] == percent
    for wrong, error in (
        ("most", ValueError),
        (101, ValueError),
        (-2, ValueError),
        (0.5, TypeError),
    ):
        with pytest.raises(error, match="shared_memory_carveout"):
            cuda.jit(shared_memory_carveout=wrong)(kernels.axpy)


@needs_libdevice
def test_fast_tanh_of_the_oldest_processor():
    def k(out, x):
        out[0] = libdevice.fast_tanhf(x)

    assert "tanh.approx.f32" in ptx_of(k, "void(float32[::1], float32)", (7, 5))
