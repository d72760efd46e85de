"""Attributes and functions of Numba's that tools and older programs ask for."""

import inspect
import operator
import subprocess
import sys

import numjit
import numpy as np
import pytest
from numjit import guvectorize, jit, njit, types, vectorize
from numjit.errors import NumbaTypeError, NumbaWarning, UnsupportedError
from numjit.extending import lower_builtin, overload


@njit
def keywords(x, y=1, *, z=2):
    return x + y + z


def test_attributes_of_functions():
    plain = keywords.py_func
    assert keywords.__code__ is plain.__code__
    assert keywords.__defaults__ == (1,) and keywords.__kwdefaults__ == {"z": 2}
    assert inspect.signature(keywords) == inspect.signature(plain)


def test_annotation_info():
    keywords(1)
    ((place, signature), info), *rest = keywords.get_annotation_info().items()
    assert place.startswith(__file__) and signature == "(int64, int64, int64) -> int64"
    assert info["funcname"] == "keywords"
    assert "return x + y + z" in info["python_lines"][-1][1]
    assert any("add" in operation for lines in info["ir_lines"].values() for operation in lines)
    only = keywords.get_annotation_info((types.int64,) * 3)
    assert list(only) == [(place, signature)] and not rest


def test_object_mode_with_signatures():
    @jit((), forceobj=True)
    def nothing():
        return {"a": object}

    @jit((types.pyobject,), forceobj=True)
    def same(x):
        return x

    @jit("pyobject(pyobject, int64)", forceobj=True)
    def first(x, n):
        return [x] * n

    @jit((), forceobj=True)
    def any_types(x, y):
        return x, y

    assert nothing() == {"a": object} and any_types("a", None) == ("a", None)
    assert same({"a": 1}) == {"a": 1} and same(2.5) == 2.5
    assert first({"a": 1}, 2) == [{"a": 1}] * 2
    with pytest.raises(UnsupportedError, match="pyobject"):
        njit((types.pyobject,))(lambda x: x)


def test_object_mode_of_ufuncs():
    @vectorize(["float64(float64)"], forceobj=True)
    def more(x):
        return x + 1

    @guvectorize(["void(float64[:], float64[:])"], "(n)->(n)", forceobj=True)
    def twice(x, y):
        for i in range(len(x)):
            y[i] = x[i] * 2

    a = np.arange(3.0)
    assert more(a).tolist() == [1, 2, 3] and twice(a).tolist() == [0, 2, 4]


def test_overload_of_delitem():
    removed = []

    @overload(operator.delitem)
    def delete(x, i):
        if isinstance(x, types.UnicodeType):
            removed.append(str(i))
            return lambda x, i: None

    @njit
    def f(text, items):
        del text[0]
        del items[0]
        return items

    assert f("abc", [1, 2]) == [2] and removed == ["int64"]


def test_lowering_by_name_has_no_effect():
    with pytest.warns(NumbaWarning, match=r"lower_builtin\('array.sum'\) has no effect"):

        @lower_builtin("array.sum", types.Array)
        def lower(context, builder, sig, args):
            raise AssertionError

    assert callable(lower)


def test_pndindex():
    def f(a):
        total = 0.0
        for i, j in numjit.pndindex(a.shape):
            total += a[i, j] * (i + 2 * j)
        return total

    a = np.arange(6.0).reshape(2, 3)
    assert njit(f)(a) == njit(parallel=True)(f)(a) == f(a)


@pytest.mark.parametrize("name", ["gdb", "gdb_init", "gdb_breakpoint"])
def test_gdb_is_refused(name):
    function = getattr(numjit, name)
    for call in (function, njit(lambda: function())):
        with pytest.raises(UnsupportedError, match="run `gdb --args python"):
            call()


def test_containers_by_their_internal_names():
    from numjit.typed import dictobject, listobject

    @njit
    def f():
        made = dictobject.new_dict(types.int32, types.float64)
        made[1] = 2.5
        items = listobject.new_list(types.int8)
        items.append(3)
        return made, items

    made, items = f()
    assert dict(made) == {1: 2.5} and list(items) == [3]


def test_counts_of_memory():
    a = njit(lambda: np.zeros(5))()
    assert a.base.refcount == 1
    b = njit(lambda x: x[1:])(a)
    assert b.base is a or b.base.refcount >= 1


def test_identities_of_functions():
    from numjit.core.bytecode import FunctionIdentity

    first, second = map(FunctionIdentity.from_function, (keywords, keywords.py_func))
    assert first.func is second.func is keywords.py_func
    assert first.func_name == "keywords" and first.arg_names == ["x", "y", "z"]
    assert first.filename == __file__ and not first.is_generator
    assert first.unique_name != second.unique_name


def test_modules_that_packages_import():
    from numjit.core import interpreter, ir

    for module in (interpreter, ir):
        with pytest.raises(AttributeError):
            module.no_such_name


def test_modules_are_attributes_of_their_packages():
    paths = """core.typeconv cpython.charseq cpython.unicode np.arrayobj np.ufunc.parallel
        np.unsafe.ndarray typed.typedlist typed.dictobject experimental.function_type pycc.cc
        cuda.core.types"""
    program = "".join(f"numjit.{path}\n" for path in paths.split())
    subprocess.run([sys.executable, "-c", f"import numjit\n{program}"], check=True)
    for package in (numjit.np, numjit.typed, numjit.experimental, numjit.cuda, numjit.core):
        with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
            _ = package.nothing


def test_names_of_linear_algebra():
    from numjit.np.arraymath import _get_inner_prod
    from numjit.np.linalg import _copy_to_fortran_order, get_blas_kind

    kinds = (types.float32, types.float64, types.complex64, types.complex128)
    assert "".join(map(get_blas_kind, kinds)) == "sdcz"
    with pytest.raises(NumbaTypeError, match="unsupported dtype for cholesky"):
        get_blas_kind(types.int64, "cholesky")
    for a in (np.arange(6.0).reshape(2, 3), np.arange(6.0).reshape(3, 2).T, np.arange(4)[::2]):
        copy = njit(lambda a: _copy_to_fortran_order(a))(a)
        assert copy.flags.f_contiguous and not np.shares_memory(copy, a)
        assert copy.dtype == a.dtype and (copy == a).all()
    product = _get_inner_prod("float64", "float64")
    assert njit(lambda a: product(a, a))(np.arange(4.0)) == 14


def test_routines_that_programs_take_from_scipy():
    pytest.importorskip("scipy")
    from numjit.np.linalg import ensure_blas, ensure_lapack

    assert ensure_blas() is None and ensure_lapack() is None


def test_types_of_star_arguments():
    pair = types.StarArgTuple((types.int64, types.float64))
    assert pair.name == "StarArgTuple(int64, float64)" and isinstance(pair, types.Tuple)
    assert pair != types.Tuple((types.int64, types.float64))
    same = types.StarArgTuple((types.int64, types.int64))
    assert type(same) is types.StarArgUniTuple and same.count == 2
    assert same == types.StarArgUniTuple(types.int64, 2) != types.UniTuple(types.int64, 2)


def test_type_of_random_generators_by_its_name():
    made = types.NumPyRandomGeneratorType("NumPyRandomGeneratorType")
    assert made == types.npy_rng == numjit.typeof(np.random.default_rng())


def test_names_of_extending():
    from numjit import errors, extending

    assert extending.errors is errors and extending.utils.pysignature is inspect.signature
    from numjit.core.typing.templates import infer

    assert extending.infer is infer
    callback = inspect.signature(lambda x, axis: None)
    with pytest.raises(errors.LiteralTypingError):
        extending.sentry_literal_args(callback, ["axis"], (types.int64, types.intp), {})
    extending.sentry_literal_args(callback, ["axis"], (types.int64, types.literal(1)), {})


def test_classes_of_caches():
    """Packages derive classes of them, and fall back where Numba's internals are others."""
    from numjit.core import caching

    class Locked(caching.IndexDataCacheFile):
        pass

    with pytest.raises(UnsupportedError, match="files of their own"):
        Locked(cache_path="folder", filename_base="f", source_stamp=0)
    none = caching.NullCache()
    none.save_overload(None, None)
    assert none.load_overload(None, None) is None and none.cache_path is None


def test_statistics_of_memory_are_switched_by_both_names():
    from numjit.core.runtime import _nrt_python, rtsys

    assert _nrt_python.memsys_stats_enabled()
    try:
        _nrt_python.memsys_disable_stats()
        assert not rtsys.memsys_stats_enabled()
    finally:
        _nrt_python.memsys_enable_stats()
    assert rtsys.memsys_stats_enabled()


def test_lock_of_the_compiler():
    from numjit.core.compiler_lock import global_compiler_lock, require_global_compiler_lock

    @global_compiler_lock
    def inside(x):
        require_global_compiler_lock()
        return x

    assert inside(3) == 3
    with global_compiler_lock, global_compiler_lock:
        require_global_compiler_lock()
        assert inside(4) == 4
    with pytest.raises(AssertionError, match="not held"):
        require_global_compiler_lock()
    with pytest.raises(ZeroDivisionError), global_compiler_lock:
        inside(1 / 0)
    assert not global_compiler_lock.is_locked()


def test_threads_of_object_mode_are_warned_of():
    with pytest.warns(NumbaWarning, match="object mode won't allow parallel execution"):
        f = jit(forceobj=True, nogil=True)(lambda x: x + 1)
    assert f(1) == 2


def test_object_mode_by_its_inner_name():
    from numjit.core.withcontexts import objmode_context

    @njit
    def f(x):
        with objmode_context(y="int64"):
            y = len(str(x))
        return x + y

    assert f(123) == 126 and f.py_func(5) == 6
