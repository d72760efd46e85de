"""What is read from fields and lists stays alive while it is used, whoever overwrites the place."""

import numpy as np
import pytest
from numjit import deferred_type, njit, prange, types
from numjit.experimental import jitclass

ARRAY = types.float64[::1]


def make_holder(decorate):
    @decorate([("data", ARRAY), ("other", ARRAY), ("n", types.int64)])
    class Holder:
        def __init__(self, x):
            self.data = np.full(4, x)
            self.other = np.full(4, -x)
            self.n = 0

        def replace(self, x):
            self.data = np.full(4, x)
            self.n += 1

        def replace_rarely(self, x):
            if self.n > 2:
                self.replace(x)
            self.n += 1

        def swap(self):
            self.data, self.other = self.other, self.data

    return Holder


def make_outer(decorate, holder, inner):
    @decorate([("inner", inner)])
    class Outer:
        def __init__(self):
            self.inner = holder(1.0)

    return Outer


class Plain:
    Holder = make_holder(lambda spec: lambda cls: cls)
    Outer = make_outer(lambda spec: lambda cls: cls, Holder, None)


class Compiled:
    Holder = make_holder(jitclass)
    Outer = make_outer(jitclass, Holder, Holder.class_type.instance_type)


def programs(of, decorate, loop):
    Holder, Outer = of.Holder, of.Outer

    @decorate
    def reuse():  # takes memory that was freed
        return np.full(4, 100.0).sum() + len([np.full(4, 200.0), np.full(4, 300.0)])

    @decorate
    def assigned():
        h = Holder(1.0)
        old = h.data
        h.data = np.full(4, 9.0)
        return old[0] + reuse() + old[1]

    @decorate
    def assigned_to_itself():
        h = Holder(1.0)
        h.data = h.data
        view = h.data[1:]
        h.data = view.copy()
        return reuse() + view.sum() + h.data.sum()

    @decorate
    def write(h, g):
        old = h.data
        g.data = np.full(4, 9.0)
        reuse()
        return old.sum() + h.data[0]

    @decorate
    def another_name():
        h = Holder(1.0)
        return write(h, h)

    @decorate
    def another_field():
        h = Holder(1.0)
        old = h.data
        h.other = np.full(4, 9.0)
        h.n = 5
        return old.sum() + h.other[0] + reuse()

    @decorate
    def in_method():
        h = Holder(1.0)
        old = h.data
        h.replace(9.0)
        return old[0] + reuse() + h.data[0]

    @decorate
    def in_method_on_some_paths():
        h = Holder(1.0)
        total = 0.0
        for i in range(6):
            old = h.data
            h.replace_rarely(float(i))
            total += old[0] * 10 + reuse() + h.data[1]
        return total

    @decorate
    def swapped():
        h = Holder(1.0)
        old = h.data
        h.swap()
        h.swap()
        h.swap()
        h.data = np.full(4, 3.0)
        h.other = np.full(4, 4.0)
        return old[0] + reuse()

    @decorate
    def sum_after_replacing(a, h):
        h.replace(9.0)
        return a.sum() + reuse()

    @decorate
    def as_argument():
        h = Holder(1.0)
        return sum_after_replacing(h.data, h)

    @decorate
    def of_dead_instance():
        return Holder(1.0).data[1:].sum() + reuse()

    @decorate
    def returned(h):
        return h.data

    @decorate
    def returned_of_dead_instance():
        return returned(Holder(2.0))

    @decorate
    def replaced_inner():
        o = Outer()
        data = o.inner.data
        o.inner = Holder(5.0)
        return data[0] + reuse() + o.inner.data[0]

    @decorate
    def inner_kept():
        o = Outer()
        inner = o.inner
        o.inner = Holder(5.0)
        inner.data[0] += reuse()
        return inner.data[0] + o.inner.data[0]

    @decorate
    def chosen(flag):
        h, g = Holder(1.0), Holder(2.0)
        data = h.data if flag else g.data
        h.replace(3.0)
        g.replace(4.0)
        return data[0] + reuse()

    @decorate
    def both_chosen():
        return chosen(True) + 10 * chosen(False)

    @decorate
    def chain():
        h = Holder(1.0)
        a = h.data
        for i in range(10):
            a[0] += h.data[1] + i
            if i == 4:
                h.replace(2.0)
        return a[0] + h.data[0] + reuse()

    @decorate
    def fail(h):
        old = h.data
        h.replace(7.0)
        reuse()
        if old[0] == 1.0:
            raise ValueError("no")
        return 0.0

    @decorate
    def raised():
        h = Holder(1.0)
        before = h.data
        try:
            fail(h)
        except ValueError:
            return before[0] + h.data[0] + reuse()
        return 0.0

    @decorate
    def items(h):
        data = h.data
        for i in range(3):
            yield data[i] + h.data[i]
            h.replace(float(i))

    @decorate
    def generated():
        h = Holder(1.0)
        total = 0.0
        for x in items(h):
            total += x + reuse()
            h.replace(50.0)
        return total

    @decorate
    def list_item():
        rows = [np.full(4, 1.0), np.full(4, 2.0)]
        first = rows[0]
        rows[0] = np.full(4, 3.0)
        second = rows.pop()
        rows.clear()
        return first[0] + reuse() + second[0]

    @decorate
    def nested_list():
        rows = [[1.0, 2.0], [3.0]]
        first = rows[0]
        rows[0] = [9.0]
        rows.append([4.0])
        first.append(reuse())
        rows[1].append(rows[0][0])
        del rows[0]
        return sum(first) + rows[0][1]

    @decorate
    def table_value():
        table = {1: np.full(4, 1.0)}
        first = table[1]
        table[1] = np.full(4, 2.0)
        second = table[1]
        table.clear()
        return first[0] + second[0] + reuse()

    @loop
    def parallel():
        h = Holder(1.0)
        total = 0.0
        for i in prange(100):
            total += h.data[i % 4] + h.other[0] * i
        return total

    return (
        assigned,
        assigned_to_itself,
        another_name,
        another_field,
        in_method,
        in_method_on_some_paths,
        swapped,
        as_argument,
        of_dead_instance,
        returned_of_dead_instance,
        replaced_inner,
        inner_kept,
        both_chosen,
        chain,
        raised,
        generated,
        list_item,
        nested_list,
        table_value,
        parallel,
    )


PROGRAMS = list(
    zip(
        programs(Plain, lambda f: f, lambda f: f),
        programs(Compiled, njit, njit(parallel=True)),
        strict=True,
    )
)


@pytest.mark.parametrize(("plain", "compiled"), PROGRAMS, ids=[p.__name__ for p, _ in PROGRAMS])
def test_overwritten(plain, compiled):
    for _ in range(3):
        np.testing.assert_array_equal(compiled(), plain())


def test_reading_a_field_counts_nothing():
    @njit
    def walk(h, n):
        for i in range(n):
            h.data[i % 4] = h.other[i % 3] + h.n
        return h.data[0]

    h = Compiled.Holder(2.0)
    assert walk(h, 10) == -2.0
    (code,) = walk.inspect_llvm().values()
    assert "nj_retain" not in code and "nj_release" not in code


def test_a_node_takes_over_the_list_behind_it():
    """What the variable held, the field does: there is nothing to count."""
    of_node = deferred_type()

    @jitclass([("value", types.int64), ("next", types.optional(of_node))])
    class Node:
        def __init__(self, value, next):
            self.value = value
            self.next = next

    of_node.define(Node.class_type.instance_type)

    @njit
    def push(n):
        head = None
        for i in range(n):
            head = Node(i, head)
        return head

    @njit
    def both(n):
        first, total = push(n), 0
        second = Node(-1, first)
        while first is not None and second is not None:
            total += first.value * second.value
            first, second = first.next, second.next
        return total, second is None

    assert both(5) == (4 * -1 + 3 * 4 + 2 * 3 + 1 * 2, False)
    assert push(3).value == 2
    (code,) = push.inspect_llvm().values()
    assert "call void @nj_retain" not in code


def test_instances_of_python():
    @njit
    def replace(h, g):
        old = h.data
        g.replace(3.0)
        return old

    h = Compiled.Holder(1.0)
    old = h.data
    got = replace(h, h)
    assert got[0] == old[0] == 1.0 and h.data[0] == 3.0
    del h
    assert got.sum() == old.sum() == 4.0
