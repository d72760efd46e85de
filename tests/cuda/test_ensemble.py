"""An ensemble integrator whose kernel computes with arrays, one member a block."""

import importlib.util
import pathlib
import subprocess

import numpy as np
import pytest
from numjit import cuda
from numjit.cuda.toolchain import find_tool

PROGRAM = pathlib.Path(__file__).parents[2] / "examples" / "cuda" / "ensemble.py"
SPEC = importlib.util.spec_from_file_location("ensemble", PROGRAM)
ensemble = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(ensemble)


def test_ensemble_agrees_with_numpy():
    integrate = cuda.jit(ensemble.make_kernel(ensemble.device_member()))
    zens, expected = ensemble.initial(), ensemble.initial()
    integrate[ensemble.MEMBERS, 1](zens, 3, *ensemble.PARAMETERS)
    for iens in range(0, ensemble.MEMBERS, 13):
        ensemble.in_numpy(expected, iens, 3, *ensemble.PARAMETERS)
        assert np.abs(zens[iens] - expected[iens]).max() < 1e-12


def test_its_ptx(tmp_path):
    signature = "void(f8[:, ::1], i8, f8, i8, f8, f8, f8, f8)"
    kernel = ensemble.make_kernel(ensemble.device_member())
    ptx = cuda.compile_ptx(kernel, signature, cc=(8, 0))[0]
    assert "numjit_scratch_allocate" in ptx and "numjit_scratch_release" in ptx
    if (ptxas := find_tool("ptxas")) is None:
        pytest.skip("there is no ptxas: pip install numjit[cuda]")
    source = tmp_path / "kernel.ptx"
    source.write_text(ptx)
    command = [ptxas, "-arch=sm_80", "-o", tmp_path / "kernel.cubin", source]
    subprocess.run(command, check=True, capture_output=True)
