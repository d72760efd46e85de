"""What a jitted function offers besides being called."""

import inspect
import io
import pickle
import weakref

import numjit
import numpy as np
import pytest
from numjit import errors, float64, int64, jit, njit, types


def body(x, y=2):
    """Adds."""
    return x + y


@njit
def module_level(x):
    return x * 2


@pytest.fixture
def add():
    return njit(body)


def test_it_looks_like_the_function(add):
    assert add.py_func is body is add.__wrapped__
    assert (add.__name__, add.__qualname__, add.__doc__) == ("body", "body", "Adds.")
    assert add.__module__ == __name__
    assert str(inspect.signature(add)) == "(x, y=2)"
    assert add.func_code is body.__code__
    assert repr(add) == f"CPUDispatcher({body!r})"
    assert weakref.ref(add)() is add
    add.note = 3
    assert add.note == 3


def test_signatures_and_overloads(add):
    assert add.signatures == [] and add.nopython_signatures == [] and not add.overloads
    add(1, 2)
    add(1.5, 2.5)
    add(3, 4)
    assert add.signatures == [(int64, int64), (float64, float64)]
    assert add.nopython_signatures == [int64(int64, int64), float64(float64, float64)]
    entry = add.overloads[(int64, int64)]
    assert entry.signature == int64(int64, int64)
    assert entry.signature.return_type is int64 and not entry.objectmode and entry.lifted == ()
    assert entry.entry_point(3, 4) == 7
    assert add.get_overload((int64, int64))(3, 4) == 7
    assert add.get_compile_result((int64, int64)).signature == entry.signature
    assert add.get_metadata((int64, int64)) == entry.metadata


def test_callees_list_for_which_types_callers_had_them_compiled():
    @njit
    def inner(x):
        return x * 2

    @njit
    def middle(x):
        return inner(x) + 1

    @njit
    def outer(x, words):
        return middle(x), inner(words)

    assert inner.signatures == []
    outer(1, [1.5])
    words = types.List(float64, reflected=True)
    assert sorted(map(str, inner.signatures)) == sorted(map(str, [(int64,), (words,)]))
    assert middle.signatures == [(int64,)]
    assert middle.nopython_signatures == [int64(int64)]
    assert outer.signatures == [(int64, words)]
    # They are compiled for themselves where they are called, and then listed once.
    assert inner(3) == 6
    assert not any(key[0] is float64 for key in inner.signatures)
    assert inner(1.5) == 3.0
    assert [key for key in inner.signatures if key == (int64,)] == [(int64,)]
    assert list(inner.overloads) == [(int64,), (float64,)]
    inner.recompile()
    assert list(inner.overloads) == [(int64,), (float64,)]


def test_default_and_keyword_arguments(add):
    assert add(1) == 3
    assert add(y=5, x=1) == 6
    assert add(1, y=5) == 6
    for wrong, message in (
        (lambda: add(), "not enough arguments|missing"),
        (lambda: add(1, 2, 3), "too many arguments"),
        (lambda: add(1, z=3), "z|missing argument|unexpected"),
    ):
        with pytest.raises(TypeError, match=message):
            wrong()


def test_disable_compile(add):
    add(1.5, 2.5)
    add.disable_compile()
    assert add(1, 2) == 3.0
    with pytest.raises(TypeError, match="No matching definition for argument type"):
        add(1j, 2)
    with pytest.raises(RuntimeError, match="compilation disabled"):
        add.compile("(float32, float32)")
    add.compile("(float64, float64)")
    assert len(add.signatures) == 1
    add.disable_compile(False)
    assert add(1j, 2) == 1j + 2


def test_recompile_sees_new_globals():
    namespace = {}
    exec("k = 1\ndef f(x):\n    return x + k\n", namespace)
    f = njit(namespace["f"])
    assert f(1) == 2
    namespace["k"] = 10
    assert f(1) == 2
    f.recompile()
    assert f(1) == 11 and f.signatures == [(int64,)]


def test_compile(add):
    entry = add.compile("f8(f8, f8)")
    assert entry(1.0, 2.0) == 3.0
    add.compile((int64, int64))
    assert add.nopython_signatures == [float64(float64, float64), int64(int64, int64)]


def test_stats(add):
    assert add.stats.cache_path is None
    add(1, 2)
    assert sum(add.stats.cache_misses.values()) == 1 and not add.stats.cache_hits
    assert (int64, int64) in add.stats.cache_misses


def test_timings(add):
    assert add.timings() == {}
    before = sum(numjit.timings().values())
    add(1, 2)
    once = add.timings()
    assert once and all(value >= 0 for value in once.values())
    assert add.timings((int64, int64)) == once
    add(1.5, 2.5)
    assert sum(add.timings().values()) > sum(once.values())
    assert sum(numjit.timings().values()) >= before + sum(once.values()) * 0.99


def test_inspect_llvm_and_asm(add):
    add(1, 2)
    add(1.5, 2.5)
    assert set(add.inspect_llvm()) == set(add.inspect_asm()) == set(add.signatures)
    assert "define" in add.inspect_llvm((int64, int64))
    assert "fadd" in add.inspect_llvm((float64, float64))
    assert "ret" in add.inspect_asm((float64, float64))
    assert add.inspect_llvm()[(int64, int64)] == add.inspect_llvm((int64, int64))
    for inspect_ in (add.inspect_llvm, add.inspect_asm, add.inspect_cfg):
        with pytest.raises(KeyError):
            inspect_((types.complex64,))


def test_inspect_types(add):
    add(1, 2)
    out = io.StringIO()
    add.inspect_types(file=out)
    text = out.getvalue()
    assert "return x + y" in text and "int64" in text
    assert f"# --- LINE {body.__code__.co_firstlineno + 2} ---" in text
    shown = add.inspect_types(pretty=True)
    assert "return x + y" in shown and shown._repr_html_().startswith("<pre>")
    with pytest.raises(ValueError, match="`file` must be None"):
        add.inspect_types(file=out, pretty=True)


def test_inspect_cfg():
    @njit
    def loop(n):
        total = 0
        for i in range(n):
            if i % 3:
                total += i * i % 7
        return total

    loop(3)
    for graph in (loop.inspect_cfg((int64,)), loop.inspect_disasm_cfg((int64,))):
        text = str(graph)
        assert text.startswith("digraph") and "->" in text and graph.blocks
    assert list(loop.inspect_cfg()) == loop.signatures


def test_methods():
    class Counter:
        @njit
        def static_like(self, x):
            return x

        @staticmethod
        @njit
        def twice(x):
            return 2 * x

    assert Counter.twice(3) == Counter().twice(3) == 6
    assert isinstance(Counter.static_like, type(module_level))
    assert Counter().static_like.__self__.__class__ is Counter
    assert Counter().static_like(1) == 1


def test_pickled_by_reference():
    assert pickle.loads(pickle.dumps(module_level)) is module_level


def test_as_an_argument_and_a_global():
    @njit
    def apply(function, x):
        return function(x)

    assert apply(module_level, 4) == 8
    assert "module_level" in str(numjit.typeof(module_level))


def test_exceptions_have_no_frames_of_numjit():
    @njit
    def fails(n):
        if n > 0:
            raise ValueError("positive", n)
        return n

    with pytest.raises(ValueError) as caught:
        fails(3)
    assert caught.value.args == ("positive", 3)
    files = [str(entry.path) for entry in caught.traceback]
    assert set(files) == {__file__}
    assert caught.traceback[-1].lineno + 1 == fails.py_func.__code__.co_firstlineno + 3

    @njit
    def untyped(x):
        return x + None

    with pytest.raises(errors.TypingError) as caught:
        untyped(1)
    assert {str(entry.path) for entry in caught.traceback} == {__file__}


def test_nan_arguments_do_not_confuse_the_dispatcher():
    @njit
    def same(x):
        return x

    assert np.isnan(same(float("nan"))) and np.isnan(same(float("nan")))
    assert len(same.signatures) == 1


def test_a_dropped_dispatcher_frees_itself():
    import gc

    made = njit(lambda x: x + 1)
    made(1)
    made.inspect_asm()
    gone = weakref.ref(made)
    del made
    gc.collect()
    assert gone() is None


def test_many_types():
    @njit
    def same(x):
        return x

    dtypes = "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64".split()
    for name in dtypes * 2:
        assert same(getattr(np, name)(3)) == 3
        assert (same(np.ones(2, name)) == 1).all()
    assert len(same.signatures) == 2 * len(dtypes)


def test_bare_jit_is_nopython_where_it_can():
    @jit
    def f(x):
        return x + 1

    assert f(1) == 2 and f.nopython_signatures == [int64(int64)]
