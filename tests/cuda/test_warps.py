"""Exchange between the lanes of a warp."""

import numpy as np
import pytest
from cuda.simulated import simulated_only
from numjit import cuda
from numjit.errors import TypingError

ALL = 0xFFFFFFFF
LANES = np.arange(32)


@pytest.mark.parametrize("dtype", ["i4", "u4", "i8", "u8", "f4", "f8"])
def test_shuffles(dtype):
    @cuda.jit
    def k(x, out):
        t = cuda.threadIdx.x
        out[0, t] = cuda.shfl_sync(ALL, x[t], 5)
        out[1, t] = cuda.shfl_up_sync(ALL, x[t], 3)
        out[2, t] = cuda.shfl_down_sync(ALL, x[t], 2)
        out[3, t] = cuda.shfl_xor_sync(ALL, x[t], 16)

    x = (np.arange(32) * 1.5 + 7).astype(dtype)
    out = np.zeros((4, 32), dtype)
    k[1, 32](x, out)
    assert (out[0] == x[5]).all()
    assert np.array_equal(out[1], np.where(LANES >= 3, x[LANES - 3], x))
    assert np.array_equal(out[2], np.where(LANES + 2 < 32, x[(LANES + 2) % 32], x))
    assert np.array_equal(out[3], x[LANES ^ 16])


def test_votes():
    @cuda.jit
    def k(x, out):
        t = cuda.threadIdx.x
        out[0, t] = cuda.all_sync(ALL, x[t])
        out[1, t] = cuda.any_sync(ALL, x[t])
        out[2, t] = cuda.eq_sync(ALL, x[t])
        out[3, t] = cuda.ballot_sync(ALL, x[t])

    for x in (np.zeros(32, int), np.ones(32, int), LANES % 2):
        out = np.zeros((4, 32), np.uint32)
        k[1, 32](x, out)
        assert (out[0] == x.all()).all() and (out[1] == x.any()).all()
        assert (out[2] == (x.all() or not x.any())).all()
        assert (out[3] == sum(int(v) << i for i, v in enumerate(x))).all()


def test_lanes_of_a_mask_in_a_branch():
    @cuda.jit
    def k(out):
        t = cuda.threadIdx.x
        if t % 2 == 0:
            out[t] = cuda.ballot_sync(0x55555555, t < 8)
        else:
            out[t] = cuda.ballot_sync(0xAAAAAAAA, t < 8)

    out = np.zeros(32, np.uint32)
    k[1, 32](out)
    assert (out[::2] == 0x55).all() and (out[1::2] == 0xAA).all()


def test_match():
    @cuda.jit
    def k(x, out, same):
        t = cuda.threadIdx.x
        out[t] = cuda.match_any_sync(ALL, x[t])
        mask, alike = cuda.match_all_sync(ALL, x[t])
        same[t] = mask if alike else 0

    x = LANES % 4
    out, same = np.zeros(32, np.uint32), np.ones(32, np.uint32)
    k[1, 32](x, out, same)
    assert all(out[i] == sum(1 << j for j in range(32) if x[j] == x[i]) for i in range(32))
    assert not same.any()
    k[1, 32](np.full(32, 7), out, same)
    assert (same == ALL).all()


def test_lane_numbers_and_the_last_warp_that_is_not_full():
    @cuda.jit
    def k(lanes, masks, sums):
        t = cuda.grid(1)
        lanes[t] = cuda.laneid
        masks[t] = cuda.lanemask_lt()
        total = t
        step = 1
        while step < cuda.warpsize:
            total += cuda.shfl_xor_sync(ALL, total, step)
            step *= 2
        sums[t] = total

    lanes, masks, sums = np.zeros(64, int), np.zeros(64, np.uint32), np.zeros(64, int)
    k[1, 64](lanes, masks, sums)
    assert np.array_equal(lanes, np.arange(64) % 32)
    assert np.array_equal(masks, [(1 << (i % 32)) - 1 for i in range(64)])
    assert (sums[:32] == sum(range(32))).all() and (sums[32:] == sum(range(32, 64))).all()


def test_active_lanes():
    @cuda.jit
    def k(out):
        t = cuda.threadIdx.x
        if t < 20:
            out[t] = cuda.activemask()

    out = np.zeros(32, np.uint32)
    k[1, 32](out)
    assert (out[:20] == (1 << 20) - 1).all() and not out[20:].any()


@simulated_only
def test_a_mask_without_the_caller_is_an_error():
    @cuda.jit
    def k(out):
        out[cuda.threadIdx.x] = cuda.ballot_sync(1, True)

    with pytest.raises(RuntimeError, match="does not contain the lane that calls it, lane 1"):
        k[1, 32](np.zeros(32))


def test_active_lanes_behind_a_barrier():
    @cuda.jit
    def k(out):
        i = cuda.grid(1)
        cuda.syncwarp()
        out[i] = cuda.activemask()

    out = np.zeros(32, np.uint32)
    k[1, 32](out)
    assert (out == 0xFFFFFFFF).all()


def test_a_value_that_one_lane_has():
    @cuda.jit
    def broadcast(out, x):
        lane = cuda.laneid
        if lane == 3:
            value = x[lane]
        own = value
        value = cuda.shfl_sync(0xFFFFFFFF, value, 3)
        out[0, cuda.threadIdx.x], out[1, cuda.threadIdx.x] = value, own

    out = np.ones((2, 32))
    broadcast[1, 32](out, np.arange(32.0) + 0.5)
    assert (out[0] == 3.5).all() and (out[1] == 3.5 * (LANES == 3)).all()


def test_a_number_that_no_iteration_gave():
    @cuda.jit
    def last(x, out):
        for i in range(x.size - 3):
            found = i + 5
        out[0] = found + 1

    out = np.zeros(1, np.int64)
    last[1, 1](np.zeros(3), out)
    assert out[0] == 1
    last[1, 1](np.zeros(5), out)
    assert out[0] == 7


@pytest.mark.parametrize("vote", ["all_sync", "any_sync", "eq_sync", "ballot_sync"])
@pytest.mark.parametrize(
    "mask, flag, text",
    [
        ("f4", "i4", "Mask type must be an integer, not float32"),
        ("?", "i4", "Mask type must be an integer, not bool"),
        ("i4", "f8", "Predicate must be an integer or boolean, not float64"),
    ],
)
def test_what_votes_take(vote, mask, flag, text):
    count = getattr(cuda, vote)

    @cuda.jit
    def kernel(masks, flags, out):
        out[0] = count(masks[0], flags[0])

    with pytest.raises(TypingError, match=text):
        kernel[1, 1](np.ones(1, mask), np.ones(1, flag), np.zeros(1, "i4"))
    kernel[1, 1](np.array([1], "u8"), np.ones(1, bool), np.zeros(1, "i4"))


@pytest.mark.parametrize("space", ["shared", "local"])
def test_dtypes_that_are_texts(space):
    @cuda.jit
    def kernel(out):
        out[0] = getattr(cuda, space).array(4, "int33")[0]

    with pytest.raises(TypingError, match=r"array\(\): Invalid NumPy dtype specified: 'int33'"):
        kernel[1, 1](np.zeros(1))
