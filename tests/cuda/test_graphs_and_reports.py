"""Graphs of launches, and what kernel.report() says."""

import numpy as np
import pytest
from numjit import cuda
from numjit.cuda.reports import Multiprocessor, blocks_by_limit


@cuda.jit
def add(x, value):
    x[cuda.grid(1)] += value


def test_graph_repeats_launches():
    x = cuda.to_device(np.zeros(8))
    with cuda.graph() as steps:
        add[1, 8, steps.stream](x, 1)
        add[1, 8, steps.stream](x, 0.5)
    steps.stream.synchronize()
    assert not x.copy_to_host().any()  # recorded, not run
    for _ in range(3):
        steps.launch()
    other = cuda.stream()
    steps(other)
    other.synchronize()
    steps.stream.synchronize()
    assert x.copy_to_host().tolist() == [6] * 8
    add[1, 8](x, 1)
    assert x.copy_to_host().tolist() == [7] * 8
    with pytest.raises(RuntimeError, match="records once"):
        with steps:
            pass


def test_a_graph_after_an_error():
    x = cuda.to_device(np.zeros(8))
    with pytest.raises(ZeroDivisionError):
        with cuda.graph():
            raise ZeroDivisionError
    add[1, 8](x, 2)
    assert x.copy_to_host().tolist() == [2] * 8


def test_limits_of_a_multiprocessor():
    h200 = Multiprocessor(2048, 32, 65536, 233472)
    assert blocks_by_limit(h200, 256, 32, 0) == {"threads": 8, "blocks": 32, "registers": 8}
    assert blocks_by_limit(h200, 256, 33, 0)["registers"] == 6
    assert blocks_by_limit(h200, 32, 0, 100_000) == {
        "threads": 64,
        "blocks": 32,
        "shared memory": 2,
    }
    assert blocks_by_limit(h200, 33, 255, 0)["registers"] == 4


def test_report():
    @cuda.jit
    def k(x):
        memory = cuda.shared.array(64, np.float64)
        memory[cuda.threadIdx.x] = x[cuda.threadIdx.x]
        cuda.syncthreads()
        x[cuda.threadIdx.x] = memory[63 - cuda.threadIdx.x]

    x = np.arange(64.0)
    k[1, 64](x)
    text = k.report(64)
    assert text.startswith("k(array(float64, 1d, C))\n") and " 512 bytes" in text
    assert ("known on a GPU only" in text) == cuda.is_simulated()
    assert ("occupancy  " in text) != cuda.is_simulated()
    assert k.report(64, 100, k.signatures[0]).count(" 612 bytes") == 1
