"""What programs take from inside of Numba: states of random numbers, functions compiled for types
at once."""

import random
import subprocess
import sys
import textwrap

import numjit
import numpy as np
import pytest
from numjit import njit, prange, types

pytest.importorskip("llvmlite", reason="numba.core.cpu has names that write LLVM IR by llvmlite")
from numjit.core.compiler import DEFAULT_FLAGS, Flags, compile_extra
from numjit.core.cpu import ParallelOptions
from numjit.np.ufunc import GUVectorize, Vectorize


@njit
def of_numpy():
    return np.random.random(), np.random.normal(1.0, 2.0), np.random.randint(0, 1000)


@njit
def of_python():
    return random.random(), random.gauss(1.0, 2.0), random.randrange(1000)


def test_random_states_of_numpy():
    from numjit import _helperlib

    state = _helperlib.rnd_get_np_state_ptr()
    source = np.random.RandomState(5)
    source.random_sample(7)  # stops in the middle of the words
    _, words, position, *_ = source.get_state()
    _helperlib.rnd_set_state(state, (int(position), [int(each) for each in words]))
    assert _helperlib.rnd_get_state(state) == (position, words.tolist())
    expected = [
        (source.random_sample(), source.normal(1.0, 2.0), source.randint(0, 1000))
        for _ in range(400)
    ]
    assert [of_numpy() for _ in range(400)] == expected
    kept = _helperlib.rnd_get_state(state)
    first = of_numpy()
    _helperlib.rnd_set_state(state, kept)
    assert of_numpy() == first


def test_random_states_of_python():
    from numjit import _helperlib

    state = _helperlib.rnd_get_py_state_ptr()
    source = random.Random(5)
    source.random()
    *words, position = source.getstate()[1]
    _helperlib.rnd_set_state(state, (position, words))
    expected = [(source.random(), source.gauss(1.0, 2.0), source.randrange(1000)) for _ in range(9)]
    assert [of_python() for _ in range(9)] == expected


def test_random_states_are_seeded_and_advanced():
    from numjit import _helperlib

    state = _helperlib.rnd_get_np_state_ptr()
    for seed in 0, 125, 2**32 - 5:
        _helperlib.rnd_seed(state, seed)
        position, words = _helperlib.rnd_get_state(state)
        assert (position, words) == (624, np.random.RandomState(seed).get_state()[1].tolist())
    source = np.random.RandomState(seed)
    source.random_sample()
    _helperlib.rnd_shuffle(state)
    assert _helperlib.rnd_get_state(state) == (0, source.get_state()[1].tolist())
    _helperlib.rnd_seed(state, bytes(range(64)))
    one = _helperlib.rnd_get_state(state)
    _helperlib.rnd_seed(state, bytes(range(1, 65)))
    assert _helperlib.rnd_get_state(state) != one


def test_wrong_random_states():
    from numjit import _helperlib

    state = _helperlib.rnd_get_np_state_ptr()
    with pytest.raises(ValueError, match="624"):
        _helperlib.rnd_set_state(state, (0, [1, 2]))
    with pytest.raises(ValueError, match="position"):
        _helperlib.rnd_set_state(state, (625, [1] * 624))


def test_helperlib_under_numbas_name():
    program = """
        import sys, numjit
        sys.modules["numba"] = numjit
        from numba import _helperlib
        import numba._helperlib
        assert numba._helperlib is _helperlib and _helperlib.rnd_get_np_state_ptr()
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(program)], check=True)


def compiled(function, arguments, result=None, flags=DEFAULT_FLAGS, variables=None):
    return compile_extra(None, None, function, arguments, result, flags, variables or {})


def test_compile_extra():
    def root(x):
        return np.sqrt(x)

    made = compiled(root, (types.float64,))
    assert made.entry_point(2.0) == 2.0**0.5 and not made.objectmode
    assert made.signature == types.float64(types.float64)
    assert "define" in made.library.get_llvm_str() and made.library.get_asm_str()
    made = compiled(root, (types.int64,), types.float32)
    assert made.signature.return_type == types.float32
    with pytest.raises(numjit.TypingError):
        compiled(root, (types.unicode_type,))


def test_compile_extra_with_flags():
    def total(a):
        result = 0.0
        for i in prange(len(a)):
            result += a[i]
        return result

    def kind(x):
        return type(x).__name__

    flags = Flags()
    flags.nrt = flags.fastmath = True
    flags.auto_parallel = ParallelOptions(True)
    a = np.arange(100000.0)
    made = compiled(total, (types.float64[::1],), flags=flags)
    assert made.entry_point(a) == a.sum() and "fast" in made.library.get_llvm_str()
    assert not Flags().fastmath and flags.copy().fastmath
    flags = Flags()
    flags.force_pyobject = True
    made = compiled(kind, (types.pyobject,), flags=flags)
    assert made.objectmode and made.entry_point({1}) == "set"
    with pytest.raises(AttributeError, match="unknown_flag"):
        flags.unknown_flag = True


def test_builders_of_ufuncs():
    made = Vectorize(lambda x, y: x + 2 * y, identity=0)
    made.add("float64(float64, float64)")
    made.add((types.int64, types.int64))
    made.disable_compile()
    made = made.build_ufunc()
    assert made(1, 2) == 5 and made(1.5, 2).dtype == np.float64 and made.ntypes == 2

    def shift(x, step, out):
        out[:] = x + step

    made = GUVectorize(shift, "(n),()->(n)")
    made.add((types.float64[:], types.float64, types.float64[:]))
    made = made.build_ufunc()
    assert made(np.arange(6.0).reshape(2, 3), 1).tolist() == [[1, 2, 3], [4, 5, 6]]
    made, out = GUVectorize(shift, "(n),()->(n)", is_dynamic=True), np.zeros(3, np.int64)
    made(np.arange(3), 1, out)
    assert out.tolist() == [1, 2, 3] and made.ntypes == 1
