"""numjit.experimental.structref: fields that compiled code and Python share."""

import numpy as np
import pytest
from numjit import njit, typed, typeof, types
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


def test_new_gives_objects_of_the_class_of_define_boxing():
    @structref.register
    class NodeType(types.StructRef):
        pass

    class Node(structref.StructRefProxy):
        @property
        def value(self):
            return read(self)

    structref.define_boxing(NodeType, Node)
    node_type = NodeType([("value", types.int64)])

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
