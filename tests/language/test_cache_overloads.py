"""Functions that use overloads and intrinsics are kept on disk: these are asked again, and an entry
is used only if they answer the same."""

import json
import os
import subprocess
import sys
import textwrap

import pytest

pytestmark = pytest.mark.one_python


@pytest.fixture
def program(tmp_path):
    """Runs a script in a fresh process, after changes in its text: (what f returned, whether it was
    a hit, what was written to stderr)."""
    script = tmp_path / "program.py"

    def run(source, *change, **environment):
        source = textwrap.dedent(source)
        if change:
            assert change[0] in source
            source = source.replace(*change)
        script.write_text(
            f"import json\n{source}\n"
            "result = f(*arguments)\n"
            "print(json.dumps([result, sum(f.stats.cache_hits.values())]))\n"
        )
        done = subprocess.run(
            [sys.executable, script], capture_output=True, text=True, timeout=120,
            env={**os.environ, **environment},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        result, hits = json.loads(done.stdout.splitlines()[-1])
        return result, hits == 1, done.stderr

    return run


OVERLOAD = """
    from numjit import njit, types
    from numjit.extending import overload

    OFFSET = 100

    @njit
    def helper(x):
        return x * 2

    def mine(x, scale=1):
        raise NotImplementedError

    @overload(mine)
    def _(x, scale=1):
        if isinstance(x, types.Integer):
            return lambda x, scale=1: helper(x) * scale + OFFSET
        return lambda x, scale=1: x

    @njit(cache=True)
    def f(x):
        return mine(x, scale=3) + mine(x + 0.5)

    arguments = (1,)
"""


def test_overloads_are_kept(program):
    assert program(OVERLOAD) == (107.5, False, "")
    assert program(OVERLOAD) == (107.5, True, "")


@pytest.mark.parametrize(
    "old, new, result",
    [
        ("x * 2", "x * 4", 113.5),
        ("OFFSET = 100", "OFFSET = 200", 207.5),
        ("return lambda x, scale=1: x\n", "return lambda x, scale=1: -x\n", 104.5),
        ("types.Integer", "types.Boolean", 2.5),
        ("scale + OFFSET", "scale - OFFSET", -92.5),
    ],
)
def test_what_overloads_say_is_compared(program, old, new, result):
    program(OVERLOAD)
    assert program(OVERLOAD, old, new)[:2] == (result, False)
    assert program(OVERLOAD, old, new)[:2] == (result, True)


def test_an_overload_that_is_gone(program):
    program(OVERLOAD)
    changed = OVERLOAD.replace("@overload(mine)", "").replace("def _", "@njit\n    def mine")
    changed = changed.replace("isinstance(x, types.Integer)", "True")
    changed = changed.replace("return lambda x, scale=1: helper", "return helper")
    changed = changed.replace("        return lambda x, scale=1: x\n", "")
    assert program(changed)[1] is False


MEMBERS = """
    import numpy as np
    from numjit import njit, types
    from numjit.extending import overload_attribute, overload_method

    @overload_method(types.Array, "sum_twice")
    def _(a):
        return lambda a: a.sum() * 2

    @overload_attribute(types.Array, "last")
    def _(a):
        return lambda a: a[-1]

    @njit(cache=True)
    def f(n):
        a = np.arange(n)
        return a.sum_twice() + a.last

    arguments = (4,)
"""


def test_methods_and_attributes(program):
    assert program(MEMBERS) == (15, False, "")
    assert program(MEMBERS) == (15, True, "")
    assert program(MEMBERS, "* 2", "* 3")[:2] == (21, False)


INTRINSIC = """
    from numjit import njit, types
    from numjit.extending import intrinsic

    FACTOR = 3.0

    @intrinsic
    def scaled(typingctx, x):
        def codegen(context, builder, sig, args):
            return builder.fmul(args[0], context.get_constant(types.float64, FACTOR))
        return types.float64(types.float64), codegen

    @njit(cache=True)
    def f(x):
        return scaled(x)

    arguments = (2.0,)
"""


def test_intrinsics(program):
    assert program(INTRINSIC) == (6.0, False, "")
    assert program(INTRINSIC) == (6.0, True, "")
    assert program(INTRINSIC, "FACTOR = 3.0", "FACTOR = 4.0")[:2] == (8.0, False)


ADDRESS = """
    import ctypes
    from numjit import njit, types
    from numjit.extending import intrinsic

    memory = ctypes.c_double(5.0)

    @intrinsic
    def value(typingctx):
        def codegen(context, builder, sig, args):
            address = context.add_dynamic_addr(builder, ctypes.addressof(memory), "memory")
            pointer = builder.bitcast(address, context.get_value_type(types.float64).as_pointer())
            return builder.load(pointer)
        return types.float64(), codegen

    @njit(cache=True)
    def f():
        return value()

    arguments = ()
"""


def test_addresses_are_of_one_process(program):
    pytest.importorskip("llvmlite", reason="needs llvmlite to write LLVM IR")
    for _ in range(2):
        result, hit, said = program(ADDRESS)
        assert (result, hit) == (5.0, False) and "uses addresses in LLVM IR" in said


MODEL = """
    from numjit import njit, types
    from numjit.extending import (
        NativeValue, intrinsic, make_attribute_wrapper, models, overload, overload_method,
        register_model, typeof_impl, type_callable, unbox,
    )
    from numjit.core import cgutils

    class Interval:
        def __init__(self, low, high):
            self.low, self.high = low, high

    class IntervalType(types.Type):
        def __init__(self, closed):
            self.closed = closed
            super().__init__(name=f"Interval({closed})")

    @typeof_impl.register(Interval)
    def _(value, context):
        return IntervalType(value.low == 0)

    @register_model(IntervalType)
    class IntervalModel(models.StructModel):
        def __init__(self, manager, type_):
            members = [("low", types.float64), ("high", types.float64)]
            models.StructModel.__init__(self, manager, type_, members)

    make_attribute_wrapper(IntervalType, "low", "low")
    make_attribute_wrapper(IntervalType, "high", "high")

    @unbox(IntervalType)
    def _(type_, value, c):
        made = cgutils.create_struct_proxy(type_)(c.context, c.builder)
        for name in ("low", "high"):
            part = c.pyapi.object_getattr_string(value, name)
            setattr(made, name, c.pyapi.float_as_double(c.pyapi.number_float(part)))
        return NativeValue(made._getvalue())

    @overload_method(IntervalType, "width")
    def _(self):
        closed = self.closed
        return lambda self: self.high - self.low + closed

    @intrinsic
    def interval(typingctx, low, high):
        def codegen(context, builder, sig, args):
            made = cgutils.create_struct_proxy(sig.return_type)(context, builder)
            made.low, made.high = args
            return made._getvalue()
        return IntervalType(False)(types.float64, types.float64), codegen

    @njit(cache=True)
    def f(each):
        return each.width() + interval(1.0, 4.0).width()

    arguments = (Interval(0.0, 2.0),)
"""


def test_types_of_a_program(program):
    """Also where they come into the code by an intrinsic."""
    assert program(MODEL) == (6.0, False, "")
    assert program(MODEL) == (6.0, True, "")
    assert program(MODEL, "Interval(0.0, 2.0)", "Interval(0.5, 2.5)")[:2] == (5.0, False)
    assert program(MODEL) == (6.0, True, "")
    assert program(MODEL, "self.high - self.low", "self.high * self.low")[:2] == (5.0, False)


AGAIN = """
    from numjit import njit
    from numjit.extending import overload

    def defined(shift):
        def mine(x):
            raise NotImplementedError

        @overload(mine)
        def _(x):
            return lambda x: x + shift

        @njit(cache=True)
        def f(x):
            return mine(x)
        return f

    before, f = defined(1)(0), defined(2)
    assert before == 1 and f(0) == 2
    arguments = (1,)
"""


def test_a_second_definition_in_one_process(program):
    for _ in range(2):
        result, _, said = program(AGAIN)
        assert result == 3 and said == ""


SPAWNED = """
    import multiprocessing
    from numjit import njit
    from numjit.extending import overload

    def mine(x):
        raise NotImplementedError

    @overload(mine)
    def _(x):
        return lambda x: x + 1

    @njit(cache=True)
    def f(x):
        return mine(x)

    def hits(x):
        return f(x), sum(f.stats.cache_hits.values())

    arguments = (1,)
    if __name__ == "__main__":
        f(1)
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            assert pool.map(hits, [1]) == [(2, 1)]
"""


def test_processes_that_are_spawned(program):
    """In them the program's module has another name."""
    assert program(SPAWNED) == (2, False, "")
    assert program(SPAWNED) == (2, True, "")


KEYS = """
    import os
    from numjit import njit, types
    from numjit.core import cgutils
    from numjit.extending import intrinsic, models, overload_method, register_model

    class Scaled(types.Type):
        def __init__(self, by):
            self.by = by
            super().__init__(name="Scaled")

        @property
        def key(self):
            return self.by

    @register_model(Scaled)
    class ScaledModel(models.StructModel):
        def __init__(self, manager, type_):
            models.StructModel.__init__(self, manager, type_, [("value", types.float64)])

    @overload_method(Scaled, "get")
    def _(self):
        by = self.by
        return lambda self: self.value * by

    @intrinsic
    def scaled(typingctx, x):
        def codegen(context, builder, sig, args):
            made = cgutils.create_struct_proxy(sig.return_type)(context, builder)
            made.value = args[0]
            return made._getvalue()
        return Scaled(3)(types.float64), codegen

    @njit(cache=True)
    def f(x):
        return scaled(x).get()

    arguments = (2.0,)
"""


def test_types_are_known_by_their_keys(program):
    """Two of one name differ in a number, which a method uses."""
    assert program(KEYS) == (6.0, False, "")
    assert program(KEYS) == (6.0, True, "")
    assert program(KEYS, "Scaled(3)", "Scaled(30)")[:2] == (60.0, False)
    assert program(KEYS, "Scaled(3)", "Scaled(30)")[:2] == (60.0, True)


ANY_NAME = """
    from numjit import njit, types
    from numjit.core import cgutils
    from numjit.core.imputils import lower_getattr_generic
    from numjit.core.typing.templates import AttributeTemplate
    from numjit.extending import infer_getattr, intrinsic, models, register_model

    class Pair(types.Type):
        def __init__(self):
            super().__init__(name="Pair")

    @register_model(Pair)
    class PairModel(models.StructModel):
        def __init__(self, manager, type_):
            members = [("x", types.float64), ("y", types.float64)]
            models.StructModel.__init__(self, manager, type_, members)

    @infer_getattr
    class PairAttributes(AttributeTemplate):
        key = Pair

        def generic_resolve(self, type_, name):
            if name in ("x", "y"):
                return types.float64

    @lower_getattr_generic(Pair)
    def _(context, builder, type_, value, name):
        made = cgutils.create_struct_proxy(type_)(context, builder, value=value)
        return getattr(made, name)

    @intrinsic
    def pair(typingctx, x):
        def codegen(context, builder, sig, args):
            made = cgutils.create_struct_proxy(sig.return_type)(context, builder)
            made.x = args[0]
            made.y = builder.fadd(args[0], args[0])
            return made._getvalue()
        return Pair()(types.float64), codegen

    @njit(cache=True)
    def f(x):
        made = pair(x)
        return made.x + made.y

    arguments = (2.0,)
"""


def test_attributes_of_any_name(program):
    """A question about a name registers what the next one finds."""
    assert program(ANY_NAME) == (6.0, False, "")
    assert program(ANY_NAME) == (6.0, True, "")
