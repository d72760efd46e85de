"""numjit.experimental.structref: fields that compiled code and Python share."""

import concurrent.futures

import numpy as np
import pytest
from numjit import deferred_type, njit, typed, typeof, types
from numjit.errors import TypingError
from numjit.experimental import structref
from numjit.extending import overload, overload_attribute, overload_method


@structref.register
class ParticleType(types.StructRef):
    def preprocess_fields(self, fields):
        return tuple((name, types.unliteral(type_)) for name, type_ in fields)


class Particle(structref.StructRefProxy):
    def __new__(cls, name, place):
        return structref.StructRefProxy.__new__(cls, name, place)

    @property
    def name(self):
        return name_of(self)

    @property
    def place(self):
        return place_of(self)


structref.define_proxy(Particle, ParticleType, ["name", "place"])


@njit
def name_of(particle):
    return particle.name


@njit
def place_of(particle):
    return particle.place


@overload_method(ParticleType, "distance")
def distance(self, other):
    return lambda self, other: np.sqrt(((self.place - other.place) ** 2).sum())


@overload_attribute(ParticleType, "dimensions")
def dimensions(self):
    return lambda self: len(self.place)


def test_made_in_python_and_in_compiled_code():
    @njit
    def make(n):
        made = Particle("first", place=np.zeros(n))
        made.name = "second"
        made.place[0] = n
        return made

    @njit
    def look(a, b):
        return a.distance(b), a.name + b.name, a.dimensions

    here, there = Particle("here", np.array([1.0, 4.0])), make(2)
    assert isinstance(there, Particle)
    assert (there.name, there.place.tolist()) == ("second", [2.0, 0.0])
    assert look(here, there) == (np.sqrt(17), "heresecond", 2)


def test_changes_are_shared():
    @njit
    def move(particle):
        particle.place += 1.0
        particle.name = "moved"

    place = np.zeros(3)
    particle = Particle("still", place)
    move(particle)
    assert particle.name == "moved" and place.tolist() == [1.0, 1.0, 1.0]


def test_types_follow_from_the_fields():
    described = ParticleType(fields=(("name", types.unicode_type), ("place", types.float64[::1])))
    particle = Particle("p", np.zeros(1))
    assert typeof(particle) == described and isinstance(typeof(particle), ParticleType)
    assert described.field_dict["name"] == types.unicode_type

    @njit(types.unicode_type(described))
    def name(particle):
        return particle.name

    assert name(particle) == "p"
    with pytest.raises(TypeError):
        name(Particle("q", np.zeros(1, np.int64)))


def test_in_lists():
    @njit
    def total(n):
        particles = typed.List()
        for i in range(n):
            particles.append(Particle("p" * i, np.full(2, i)))
        s = 0
        for particle in particles:
            s += particle.place.sum() * len(particle.name)
        return s, particles[n - 1]

    s, last = total(3)
    assert s == 10 and last.name == "pp"


def test_new():
    @structref.register
    class PairType(types.StructRef):
        pass

    pair_type = PairType([("a", types.int64), ("b", types.float64), ("c", types.unicode_type)])

    @njit
    def make(n):
        pair = structref.new(pair_type)
        pair.a = n
        empty = (pair.b, len(pair.c))
        pair.b += 0.5
        pair.c = "text"
        return pair, empty

    pair, empty = make(3)
    assert isinstance(pair, structref.StructRefProxy) and empty == (0.0, 0)

    @njit
    def parts(pair):
        return pair.a, pair.b, pair.c

    assert parts(pair) == (3, 0.5, "text")
    with pytest.raises(TypeError, match="derive a class of types"):
        typeof_other = PairType([("x", types.int64)])
        njit(types.int64(typeof_other))(lambda pair: pair.x)

    @njit
    def of_class():
        return structref.new(PairType)

    with pytest.raises(TypingError, match="takes a type of structrefs, with its fields"):
        of_class()


def boxed(*fields, **members):
    """A type of values that compiled code makes, and their class in Python, with these members."""

    @structref.register
    class MadeType(types.StructRef):
        pass

    cls = type("Made", (structref.StructRefProxy,), members)
    structref.define_boxing(MadeType, cls)
    return MadeType(list(fields)), cls


def test_new_gives_objects_of_the_class_of_define_boxing():
    value = property(lambda self: read(self))
    node_type, Node = boxed(("value", types.int64), value=value)

    @njit
    def read(node):
        return node.value

    @njit
    def make(n):
        node = structref.new(node_type)
        node.value = n
        return node

    assert isinstance(make(4), Node) and make(4).value == 4


def test_truth_is_what_an_overload_of_bool_says():
    @structref.register
    class CountType(types.StructRef):
        pass

    class Count(structref.StructRefProxy):
        def __new__(cls, n):
            return structref.StructRefProxy.__new__(cls, n)

    structref.define_proxy(Count, CountType, ["n"])

    @overload(bool)
    def choose(count):
        if isinstance(count, CountType):
            return lambda count: count.n != 0

    @njit
    def truths(count):
        steps = 0
        while count and steps < 3:
            steps += 1
        return bool(count), not count, 1 if count else 0, steps, [1 for _ in range(2) if count]

    assert truths(Count(0)) == (False, True, 0, 0, [])
    assert truths(Count(5)) == (True, False, 1, 3, [1, 1])


def test_errors():
    @njit
    def unknown(particle):
        return particle.mass

    with pytest.raises(TypingError, match="Unknown attribute 'mass'"):
        unknown(Particle("p", np.zeros(1)))
    with pytest.raises(TypeError):
        Particle("p")
    with pytest.raises(ValueError):
        structref.register(types.StructRef)


# -- preprocess_fields, optional fields, fields of the own type ----------------------------------


@structref.register
class LinkType(types.StructRef):
    def preprocess_fields(self, fields):
        self.name = f"LinkType#{id(self)}"  # as Numba wants it before Optional(self)
        return (("value", types.Optional(types.int64)), ("next", types.Optional(self)))


class Link(structref.StructRefProxy):
    def __new__(cls, value, next):
        return structref.StructRefProxy.__new__(cls, value, next)

    value = property(njit(lambda self: self.value))
    next = property(njit(lambda self: self.next))

    @value.setter
    def value(self, given):
        set_value(self, given)


structref.define_proxy(Link, LinkType, ["value", "next"])


@njit
def set_value(link, value):
    link.value = value


@overload_method(LinkType, "negate")
def negate(self):
    def implementation(self):
        if self.value is not None:
            self.value = -self.value

    return implementation


@njit
def chain(n):
    first = Link(0, None)
    for i in range(1, n):
        first = Link(i, first)
    return first


@njit
def total(first):
    s = 0
    link = first
    while link is not None:
        if link.value is not None:
            s += link.value
        link = link.next
    return s


def test_optional_fields():
    link = Link(None, None)
    assert link.value is None and link.next is None
    link.value = 3
    assert link.value == 3
    njit(lambda link: link.negate())(link)
    assert link.value == -3
    link.value = None
    assert link.value is None
    with pytest.raises(TypingError, match="Cannot cast unicode_type to OptionalType.int64."):
        Link("text", None)


def test_linked_list():
    first = chain(5)
    assert isinstance(first, Link) and isinstance(first.next.next, Link)
    assert total(first) == 10 and first.next.value == 3
    assert total(Link(7, first)) == 17  # made by Python
    assert typeof(first) == typeof(Link(None, None)) and isinstance(typeof(first), LinkType)


def test_a_ring():
    @njit
    def close(link):
        link.next = link
        return link.next.next

    link = Link(4, None)
    assert close(link).value == 4
    njit(lambda link: link.next.negate())(link)
    assert link.value == -4 and link.next.next.value == -4
    set_next = njit(lambda link: setattr(link, "next", None))
    set_next(link)  # what refers to itself is never released


def test_in_containers_and_threads():
    links = typed.List()
    for i in range(3):
        links.append(Link(i, None))

    @njit(nogil=True)
    def increase(links, by):
        for link in links:
            if link.value is not None:
                link.value += by
        return links[0].value

    assert increase(links, 10) == 10 and links[2].value == 12
    assert increase((links[0], links[1]), 1) == 11
    by_name = typed.Dict.empty(types.unicode_type, typeof(links[0]))
    by_name["a"] = links[2]
    assert njit(lambda d: d["a"].value)(by_name) == 12
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        seen = list(pool.map(lambda n: total(Link(n, links[0])), range(200)))
    assert seen == [n + 11 for n in range(200)]


tree_type = deferred_type()


@structref.register
class TreeType(types.StructRef):
    def preprocess_fields(self, fields):
        below = types.Optional(tree_type)
        return (("key", types.float64), ("left", below), ("right", below))


class Tree(structref.StructRefProxy):
    def __new__(cls, key, left=None, right=None):
        return structref.StructRefProxy.__new__(cls, key, left, right)


structref.define_proxy(Tree, TreeType, ["key", "left", "right"])
tree_type.define(TreeType([]))


@njit
def insert(tree, key):
    if tree is None:
        return Tree(key, None, None)
    if key < tree.key:
        tree.left = insert(tree.left, key)
    else:
        tree.right = insert(tree.right, key)
    return tree


@njit
def in_order(tree, found):
    if tree is not None:
        in_order(tree.left, found)
        found.append(tree.key)
        in_order(tree.right, found)


def test_tree_of_a_deferred_type():
    keys = np.random.default_rng(3).permutation(50).astype(float)

    @njit
    def sort(keys):
        tree = Tree(keys[0], None, None)
        for key in keys[1:]:
            insert(tree, key)
        found = [0.0 for _ in range(0)]
        in_order(tree, found)
        return np.array(found), tree

    found, tree = sort(keys)
    assert found.tolist() == list(range(50))
    assert isinstance(tree, Tree) and typeof(Tree(2)) == typeof(tree)  # an int becomes a float


def test_deferred_types_without_preprocessing():
    own = deferred_type()

    @structref.register
    class NodeType(types.StructRef):
        pass

    node_type = NodeType([("x", types.int64), ("next", types.Optional(own)), ("self", own)])
    own.define(node_type)

    @njit
    def make():
        last, first = structref.new(node_type), structref.new(node_type)
        last.x, first.x, first.next = 1, 2, last
        return first

    node = make()
    assert typeof(node) == node_type
    assert njit(lambda n: (n.x, n.next.x, n.next.next is None))(node) == (2, 1, True)
    for never_set in (lambda n: n.self.x, lambda n: n.self):
        with pytest.raises(AttributeError, match="field 'self' was never set"):
            njit(never_set)(node)


def test_fields_are_processed_once():
    @structref.register
    class MaybeType(types.StructRef):
        def preprocess_fields(self, fields):
            return [(name, types.Optional(type_)) for name, type_ in fields]

    class Maybe(structref.StructRefProxy):
        def __new__(cls, x):
            return structref.StructRefProxy.__new__(cls, x)

    structref.define_proxy(Maybe, MaybeType, ["x"])
    maybe = Maybe(1.5)
    assert typeof(maybe).field_dict == {"x": types.Optional(types.float64)}
    assert typeof(maybe) is typeof(Maybe(2.5))
    read = njit(lambda m: m.x)
    njit(lambda m: setattr(m, "x", None))(maybe)
    assert read(maybe) is None and read(Maybe(1.5)) == 1.5
    assert read(Maybe(np.ones(2))).tolist() == [1.0, 1.0]


def test_what_preprocess_fields_raises():
    @structref.register
    class WrongType(types.StructRef):
        def preprocess_fields(self, fields):
            raise ValueError("no such fields")

    class Wrong(structref.StructRefProxy):
        def __new__(cls, x):
            return structref.StructRefProxy.__new__(cls, x)

    structref.define_proxy(Wrong, WrongType, ["x"])
    with pytest.raises(TypingError, match="cannot make a Wrong: ValueError: no such fields"):
        Wrong(1)


def test_fields_that_python_has_no_object_for():
    """Python holds a reference to the block, and asks compiled functions for its fields."""
    pointers = ("p", types.voidptr), ("m", types.MemInfoPointer(types.voidptr))
    n = property(lambda self: count(self))
    holder_type, Holder = boxed(*pointers, ("n", types.int64), n=n)

    @njit
    def count(holder):
        return holder.n

    @njit
    def make(n):
        holder = structref.new(holder_type)
        holder.n = n
        return holder

    holder = make(5)
    assert isinstance(holder, Holder) and holder.n == 5
    assert njit(lambda holders: sum([count(each) for each in holders]))([holder, make(7)]) == 12


def test_returned_pointers_out_of_fields():
    """The block is released before the function returns, though its field goes on."""
    pointer_type, _ = boxed(("p", types.voidptr), ("n", types.int64))

    @njit
    def nothing():
        return structref.new(pointer_type).p

    @njit
    def make(n):
        made = structref.new(pointer_type)
        made.n, made.p = n, nothing()
        return made.n

    assert make(5) == 5


@structref.register
class CounterType(types.StructRef):
    """Has fields that values are not made of, in front of those that they are."""

    def __init__(self, fields):
        hidden = [("memory", types.MemInfoPointer(types.voidptr)), ("place", types.voidptr)]
        super().__init__([*hidden, ("count", types.int64), *fields])

    def preprocess_fields(self, fields):
        return tuple((name, types.unliteral(type_)) for name, type_ in fields)


class Counter(structref.StructRefProxy):
    pass


structref.define_proxy(Counter, CounterType, ["step", "data"])


def test_fields_that_the_type_adds():
    @njit
    def counts(data):
        counter = Counter(data=data, step=2)
        before = counter.count
        counter.count += counter.step
        other = Counter(3, data)
        other.memory, other.place = counter.memory, counter.place
        return before, counter.count, other.count, counter.data[1] + other.step

    assert counts(np.arange(4.0)) == (0, 2, 0, 4.0)
    with pytest.raises(TypingError, match="takes 2 arguments, got 3"):
        njit(lambda data: Counter(0, 2, data).step)(np.arange(4.0))


def test_a_hidden_field_in_python():
    @structref.register
    class MarkedType(types.StructRef):
        def __init__(self, fields):
            super().__init__([*fields, ("mark", types.unicode_type)])

    class Marked(structref.StructRefProxy):
        pass

    structref.define_proxy(Marked, MarkedType, ["value"])

    @njit
    def mark(marked, text):
        marked.mark += text
        return marked.mark, marked.value

    marked = Marked(1.5)
    assert isinstance(marked, Marked) and mark(marked, "a") == ("a", 1.5)
    assert mark(marked, "b") == ("ab", 1.5)


def test_a_type_of_certain_fields():
    @structref.register
    class TextType(types.StructRef):
        def __init__(self, fields):
            (_, type_) = fields[0]
            if type_ != types.unicode_type:
                raise TypeError(f"a text, not {type_}")
            super().__init__(fields)

    class Text(structref.StructRefProxy):
        pass

    structref.define_proxy(Text, TextType, ["text"])
    assert njit(lambda text: Text(text).text)("abc") == "abc"
    with pytest.raises(TypingError, match="a text, not float64"):
        Text(1.5)
