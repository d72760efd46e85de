"""@jitclass: fields, methods, properties, operators, in Python and in compiled code."""

import operator

import numpy as np
import pytest
from language.support import assert_same
from numjit import carray, config, deferred_type, int64, njit, optional, typeof, types
from numjit.errors import TypingError
from numjit.experimental import jitclass


@jitclass([("value", types.int64), ("array", types.float64[:])])
class Bag:
    """A bag."""

    def __init__(self, value):
        self.value = value
        self.array = np.zeros(value)

    @property
    def size(self):
        return self.array.size

    @property
    def doubled(self):
        return self.value * 2

    @doubled.setter
    def doubled(self, x):
        self.value = x // 2

    def increment(self, by):
        for i in range(self.size):
            self.array[i] += by
        return self.array

    def grown(self, n):
        return Bag(self.value + n)

    @staticmethod
    def add(x, y):
        return x + y

    def added(self, x):
        return self.add(x, self.value)


@jitclass
class Annotated:
    x: float
    n: types.int32

    def __init__(self, x, n=3):
        self.x = x
        self.n = n

    def total(self, scale=2.0):
        return self.x * self.n * scale


@jitclass({"data": types.float64[::1]})
class Numbers:
    def __init__(self, data):
        self.data = data

    def __len__(self):
        return len(self.data)

    def __getitem__(self, i):
        return self.data[i]

    def __setitem__(self, i, x):
        self.data[i] = x

    def __contains__(self, x):
        for y in self.data:
            if y == x:
                return True
        return False

    def __eq__(self, other):
        return np.all(self.data == other.data)

    def __add__(self, other):
        return Numbers(self.data + other.data)

    def __radd__(self, number):
        return Numbers(number + self.data)

    def __iadd__(self, number):
        self.data += number
        return self

    def __neg__(self):
        return Numbers(-self.data)

    def __lt__(self, other):
        return self.data.sum() < other.data.sum()

    def __bool__(self):
        return len(self.data) > 1

    def __float__(self):
        return self.data.sum()

    def __int__(self):
        return int(self.data.sum())

    def __hash__(self):
        return len(self.data)

    def __call__(self, x):
        return self.data[0] * x


def test_in_python():
    bag = Bag(3)
    assert bag.value == 3 and bag.size == 3 and bag.array.tolist() == [0, 0, 0]
    assert bag.increment(2).tolist() == [2, 2, 2]
    bag.value = 7
    bag.array[1] = 5.0
    assert bag.doubled == 14 and bag.array.tolist() == [2, 5, 2]
    bag.doubled = 20
    assert bag.value == 10
    assert Bag.add(1, 2) == 3 and bag.added(5) == 15
    assert bag.grown(1).value == 11 and type(bag.grown(1)) is Bag
    assert isinstance(bag, Bag) and Bag.__name__ == "Bag" and Bag.__doc__ == "A bag."
    with pytest.raises(AttributeError):
        bag.colour = 1
    with pytest.raises(TypeError):
        bag.array = 3


def test_annotations_and_defaults():
    a = Annotated(2.5)
    assert (a.x, a.n, a.total(), a.total(1.0)) == (2.5, 3, 15.0, 7.5)
    assert Annotated(x=1, n=4).total() == 8.0


def test_in_compiled_code():
    @njit
    def f(n):
        bag = Bag(n)
        bag.increment(3)
        bag.doubled = 12
        return bag.array.sum() + bag.value + bag.size + Bag.add(1, 1), bag

    total, bag = f(4)
    assert total == 12 + 6 + 4 + 2 and bag.value == 6 and bag.array.tolist() == [3.0] * 4


def test_passed_by_reference():
    @njit
    def f(bag):
        bag.value += 1
        bag.array = bag.array + 1.0
        return bag

    bag = Bag(2)
    same = f(bag)
    assert bag.value == 3 and bag.array.tolist() == [1, 1]
    same.value = 9
    assert bag.value == 9


def test_operators():
    a, b = Numbers(np.arange(3.0)), Numbers(np.ones(3))
    assert len(a) == 3 and a[1] == 1.0 and 2.0 in a and 5.0 not in a
    a[1] = 7.0
    assert (a + b).data.tolist() == [1, 8, 3] and (-a).data.tolist() == [0, -7, -2]
    assert (1.0 + b).data.tolist() == [2, 2, 2]
    assert a == a and not a == b and b < a and bool(a) and hash(a) == 3
    assert float(b) == 3.0 and int(b) == 3 and b(4.0) == 4.0

    @njit
    def f(a, b):
        c = a + b
        c += 1.0
        c[0] = 100.0
        d = 2.0 + (-b)
        smaller = a < b
        return c.data, d[2], len(c), 100.0 in c, a == b, smaller, float(c), int(d), bool(a), b(3.0)

    c, *rest = f(a, b)
    assert c.tolist() == [100, 9, 4] and rest == [1.0, 3, True, False, False, 113.0, 3, True, 3.0]


node_type = deferred_type()


@jitclass([("value", types.int64), ("next", optional(node_type))])
class Node:
    def __init__(self, value):
        self.value = value
        self.next = None

    def prepend(self, value):
        node = Node(value)
        node.next = self
        return node


node_type.define(Node.class_type.instance_type)


def test_linked_list():
    @njit
    def build(n):
        head = Node(0)
        for i in range(1, n):
            head = head.prepend(i)
        return head

    @njit
    def total(head):
        s = head.value
        node = head.next
        while node is not None:
            s += node.value
            node = node.next
        return s

    head = build(5)
    assert total(head) == 10
    assert head.value == 4 and head.next.value == 3 and Node(1).next is None


@jitclass([("bag", Bag.class_type.instance_type), ("scale", types.float64)])
class Holder:
    def __init__(self, n):
        self.bag = Bag(n)
        self.scale = 2.0

    def total(self):
        return self.bag.increment(1.0).sum() * self.scale


def test_nested_and_in_lists():
    holder = Holder(3)
    assert holder.total() == 6.0 and holder.bag.array.tolist() == [1, 1, 1]

    @njit
    def f(n):
        bags = [Bag(i) for i in range(n)]
        bags[1].value = 10
        s = 0
        for bag in bags:
            s += bag.value
        return s, bags[2]

    s, bag = f(3)
    assert s == 12 and bag.value == 2


def test_signatures():
    instance = Bag.class_type.instance_type

    @njit(types.int64(instance))
    def f(bag):
        return bag.value

    assert f(Bag(3)) == 3
    assert "Bag" in str(instance)


@jitclass
class Pair:
    first: Annotated
    second: Annotated

    def __init__(self, first, second):
        self.first = first
        self.second = second

    def __abs__(self):
        return abs(self.first.x) + abs(self.second.x)

    def __divmod__(self, n):
        return int(self.first.x) // n, int(self.second.x) % n

    def __round__(self):
        return round(self.first.x)

    def __index__(self):
        return self.first.n

    def __hash__(self):
        return self.first.n + self.second.n

    def __eq__(self, other):
        return self.first.n == other.first.n and self.second.n == other.second.n

    def __str__(self):
        return f"{self.first.n} and {self.second.n}"


def test_annotations_with_jitclasses():
    pair = Pair(Annotated(1.5), Annotated(-7.0, 4))
    assert pair.first.x == 1.5 and pair.second.n == 4
    pair.second.x = 2.0
    assert pair.second.x == 2.0
    assert isinstance(typeof(pair), types.ClassInstanceType)
    assert isinstance(Pair.class_type, types.ClassType)
    assert typeof(pair).struct["first"] == Annotated.class_type.instance_type


def test_functions_that_ask_the_class():
    @njit
    def f(pair):
        return abs(pair), divmod(pair, 3), round(pair), operator.index(pair)

    assert f(Pair(Annotated(7.75), Annotated(-8.0))) == (15.75, (2, 1), 8, 3)
    with pytest.raises(TypingError, match="No implementation of function"):
        njit(lambda b: abs(b))(Bag(1))


def test_hashes_and_texts():
    @njit
    def f(pair, other):
        places = {pair: 1.5}
        places[other] = 2.5
        return hash(pair), str(pair), f"<{pair}>", len(places), places[other], pair == other

    pair, same = Pair(Annotated(1.0), Annotated(2.0, 4)), Pair(Annotated(3.0), Annotated(4.0, 4))
    assert f(pair, same) == (7, "3 and 4", "<3 and 4>", 1, 2.5, True)
    assert (hash(pair), str(pair), pair == same, len({pair, same})) == (7, "3 and 4", True, 1)


def test_errors():
    with pytest.raises(TypingError, match="Unknown attribute 'nothing'"):
        njit(lambda b: b.nothing)(Bag(1))
    with pytest.raises(TypeError, match="spec values should be Numba type instances"):
        jitclass([("x", int)])(type("C", (), {}))
    with pytest.raises(NameError, match="name shadowing"):

        @jitclass([("f", types.int64)])
        class D:
            def f(self):
                return 1


def test_boolean_fields_take_the_truth_of_what_has_a_length():
    @jitclass([("flag", types.boolean)])
    class Flag:
        def __init__(self, flag):
            self.flag = flag

    given = ["text", "", (1, 2), (), np.ones(1), np.zeros(1), [1], 2.5, 0]
    assert [Flag(each).flag for each in given] == [bool(each) for each in given]
    with pytest.raises(TypingError, match="cannot convert none to bool"):
        Flag(None)


def test_subclasses_are_decorated():
    class Derived(Bag):
        pass

    with pytest.raises(TypeError, match="decorated with @jitclass, too"):
        Derived(3)


@jitclass([("n", types.int64)])
class Base:
    step = 3

    def __init__(self, n):
        self.n = n

    def value(self):
        return self.n

    def twice(self):
        return 2 * self.value()

    @property
    def half(self):
        return self.n / 2

    @classmethod
    def make(cls, x):
        return cls(x + cls.step)


@jitclass([("q", types.float64)])
class Middle(Base):
    def __init__(self, n, q):
        super().__init__(n)
        self.q = q

    def value(self):
        return super().value() + self.q


@jitclass([])
class Last(Middle):
    step = 5

    def value(self):
        return super().value() * 10

    @property
    def half(self):
        return self.n / 4


def test_inheritance():
    middle, last = Middle(3, 0.5), Last(3, 0.5)
    assert (middle.n, middle.q, middle.value(), middle.twice(), middle.half) == (
        3,
        0.5,
        3.5,
        7,
        1.5,
    )
    assert (last.value(), last.twice(), last.half, last.step) == (35.0, 70.0, 0.75, 5)
    assert isinstance(last, Base) and isinstance(last, Middle) and issubclass(Last, Base)
    assert not isinstance(middle, Last) and not isinstance(Base(1), Middle)

    @njit
    def f(n):
        a, b = Middle(n, 0.5), Last(n, 0.5)
        return a.twice(), b.twice(), a.n, b.half

    assert f(3) == (7.0, 70.0, 3, 0.75)


def test_class_methods_and_constants():
    assert Base.make(2).n == 5 and Base.step == 3 and Base(1).make(4).n == 7

    @njit
    def f(x):
        return Base.make(x).n, Base(x).make(x).n, Base.step

    assert f(2) == (5, 5, 3)


def test_types_of_instances_and_classes():
    bag = Bag(3)
    assert bag._numba_type_ == typeof(bag) == Bag.class_type.instance_type
    assert isinstance(typeof(bag), types.misc.ClassInstanceType)

    @njit
    def again(bag, n):
        return type(bag)(bag.value + n)

    other = again(bag, 5)
    assert isinstance(other, Bag) and other.value == 8


def test_disable_jit(monkeypatch):
    class Plain:
        def __init__(self, x):
            self.x = x

    monkeypatch.setattr(config, "DISABLE_JIT", True)
    assert jitclass([("x", types.int64)])(Plain) is Plain
    assert jitclass({"x": types.int64})(Plain) is Plain


def test_instances_that_were_never_set():
    own = deferred_type()

    @jitclass([("x", types.int64), ("next", own), ("pair", types.UniTuple(own, 2))])
    class Node:
        def __init__(self, x):
            self.x = x

    own.define(Node.class_type.instance_type)
    node = Node(1)
    for read in (lambda n: n.next.x, lambda n: n.next, lambda n: n.pair[1].x):
        with pytest.raises(AttributeError, match="field '(next|pair)' was never set"):
            njit(read)(node)
    node.next = Node(2)
    assert njit(lambda n: n.next.x)(node) == 2


@jitclass([("x", types.int64), ("y", types.float64)])
class Settings:
    """What the class is for."""

    def __init__(self, x, *rest, y=2.5, k=1, **others):
        """How it is made."""
        self.x = x * k + len(rest) * 100 + len(others) * 1000
        self.y = y

    def __float__(self):
        return self.y

    def __index__(self):
        return self.x

    def half(self):
        """Half of it."""
        return self.y / 2


def test_keyword_only_parameters_of_constructors():
    assert (Settings(1).y, Settings(1, y=3.0).y, Settings(x=2, k=4).x) == (2.5, 3.0, 8)
    assert Settings(1, 2, 3).x == 201 and Settings(1, a=1, b=2).x == 2001
    assert njit(lambda: Settings(1, 2, k=3, z=5).x)() == 1103


def test_docstrings():
    assert Settings.__doc__ == "What the class is for."
    assert Settings.__init__.__doc__ == "How it is made."
    assert Settings.half.__doc__ == "Half of it."


def test_conversions_through_methods():
    def converted(a):
        return float(a), int(a), complex(a)

    assert converted(Settings(3)) == njit(converted)(Settings(3)) == (2.5, 3, 2.5 + 0j)

    def of_numpy(a):
        return (
            np.float32(a), np.float64(a), np.int32(a), np.uint8(a), np.complex64(a), np.bool_(a),
        )  # fmt: skip

    assert_same(of_numpy, Settings(3))

    @jitclass([("x", types.int64)])
    class Index:
        def __init__(self, x):
            self.x = x

        def __index__(self):
            return self.x

    assert converted(Index(7)) == njit(converted)(Index(7)) == (7.0, 7, 7 + 0j)


def test_constructors_return_nothing():
    @jitclass([("x", types.int64)])
    class Wrong:
        def __init__(self, x):
            self.x = x
            return x

    with pytest.raises(TypingError, match=r"__init__\(\) should return None, not int64"):
        Wrong(1)


@jitclass([("a", types.float64[:]), ("n", types.int64)])
class Weighted:
    def __init__(self, a):
        self.a = a
        self.n = 3

    def total(self):
        return self.a.sum() * self.n


def test_pickles_of_instances():
    import pickle

    value = Weighted(np.arange(4.0))
    value.n = 5
    one, two = pickle.loads(pickle.dumps([value, value]))
    assert one is two and one.total() == value.total() == 30 and one.n == 5
    one.a[0] = 100
    assert value.a[0] == 0


def test_private_fields():
    @jitclass([("__value", int64), ("_other", int64), ("__dunder__", int64)])
    class _Hidden:
        def __init__(self, value):
            self.__value = value
            self._other = 2
            self.__dunder__ = 3

        def total(self):
            return self.__value + self._other + self.__dunder__

    made = _Hidden(5)
    assert made.total() == njit(lambda x: x.total())(made) == 10
    assert made._Hidden__value == 5


def test_displays_for_fields_that_are_typed_containers():
    @jitclass(
        [
            ("items", types.ListType(int64)),
            ("pairs", types.ListType(types.UniTuple(int64, 2))),
            ("table", types.DictType(types.unicode_type, types.float64)),
        ]
    )
    class Store:
        def __init__(self, n):
            self.items = []
            self.pairs = [(i, i * i) for i in range(n)]
            self.table = {}

        def fill(self, n):
            self.items = [n, n + 1]
            found = []
            for i in range(n):
                found.append((i, n))
            self.pairs = found
            self.table = {"n": 1.5}

    @njit
    def local(n):
        store = Store(n)
        store.items.append(n)
        store.fill(n)
        items = store.items
        items.append(7)
        return len(store.items), len(store.pairs)

    store = Store(3)
    assert len(store.items) == 0 and list(store.pairs) == [(0, 0), (1, 1), (2, 4)]
    store.items.append(5)
    assert list(store.items) == [5]
    store.fill(2)
    assert list(store.items) == [2, 3] and list(store.pairs) == [(0, 2), (1, 2)]
    assert dict(store.table) == {"n": 1.5}
    assert local(2) == (3, 2)


@jitclass([("p", types.voidptr), ("q", types.CPointer(types.int64))])
class Addresses:
    def __init__(self, p, q):
        self.p = p
        self.q = q


def test_addresses_as_integers():
    numbers = np.array([3, 4, 5])
    address = numbers.ctypes.data
    made = njit(lambda a: Addresses(a, a))(address)
    assert njit(lambda x: carray(x.q, 3).sum())(made) == 12
    assert njit(lambda x: carray(x.q, 3).sum())(Addresses(address, address)) == 12
