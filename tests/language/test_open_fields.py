"""Fields of plain classes that `__init__` leaves empty or None, and methods that it calls."""

import dataclasses
import heapq
import subprocess
import sys
import textwrap
from collections import Counter, defaultdict, deque
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numjit import njit
from numjit.errors import TypingError


class Stack:
    def __init__(self):
        self.items = []

    def push(self, x):
        self.items.append(x)

    def pop(self):
        return self.items.pop()

    def __len__(self):
        return len(self.items)

    def total(self):
        total = 0.0
        for x in self.items:
            total += x
        return total


class Graph:
    def __init__(self, n):
        self.neighbours = [[] for _ in range(n)]
        self.names = {}

    def add(self, a, b, weight):
        self.neighbours[a].append((b, weight))
        self.neighbours[b].append((a, weight))
        self.names[f"{a}-{b}"] = weight

    def weight(self, a):
        return sum([w for _, w in self.neighbours[a]])


class Queue:
    def __init__(self):
        self.heap = list()
        self.seen = dict()
        self.done = set()

    def put(self, priority, value):
        heapq.heappush(self.heap, (priority, value))
        self.seen[value] = self.seen.get(value, 0) + 1
        self.done.add(value)


class Collected:
    def __init__(self):
        self.last = deque(maxlen=3)
        self.by_rest = defaultdict(list)
        self.sums = defaultdict(float)
        self.counts = Counter()

    def put(self, x):
        self.last.append(x)
        self.by_rest[x % 3].append(x)
        self.sums[x % 3] += x
        self.counts[x % 2] += 1


class Memo:
    def __init__(self):
        self.memo = {}

    def fibonacci(self, n):
        if n in self.memo:
            return self.memo[n]
        result = n if n < 2 else self.fibonacci(n - 1) + self.fibonacci(n - 2)
        self.memo[n] = result
        return result


class Best:
    def __init__(self, name=None):
        self.value = None
        self.where = None
        self.name = name

    def see(self, x, i):
        if self.value is None or x > self.value:
            self.value = x
            self.where = i


class Lazy:
    def __init__(self, n):
        self.n = n
        self._squares = None
        self.never = None

    @property
    def squares(self):
        if self._squares is None:
            self._squares = np.arange(self.n) ** 2
        return self._squares


class Box:
    def __init__(self):
        self.content = None


class Base:
    def __init__(self, n):
        self.n = n
        self.reset()
        self.check(n)

    @staticmethod
    def check(n):
        if n > 50:
            raise ValueError("too many")

    def reset(self):
        self.items = []
        self.count = 0


class Derived(Base):
    def __init__(self, n, k):
        super().__init__(n)
        self.k = k
        self._fill(n)
        self._count(n > 2)

    def reset(self):
        super().reset()
        self.extra = {}

    def _fill(self, n):
        for i in range(n):
            self.items.append(i)
            self.extra[i] = self.k * i

    def _count(self, is_long):
        if not is_long:
            return
        self.count = self.count + 1


class Stepped:
    def __init__(self, n):
        self.x = 0.0
        for i in range(n):
            self.step(i)

    def step(self, i):
        self.x += i * 0.5


@dataclasses.dataclass
class Particle:
    x: float
    places: list = dataclasses.field(default_factory=list)
    seen: dict = dataclasses.field(default_factory=dict)

    def step(self, dt):
        self.x += dt
        self.places.append(self.x)
        self.seen[len(self.places)] = "here"


def fields_of_a_dataclass(n):
    p = Particle(0.0)
    for _ in range(n):
        p.step(0.5)
    return p.places, sorted(p.seen.items())


def stack(n):
    s = Stack()
    for i in range(n):
        s.push(i * 0.5)
    return s.pop(), len(s), s.total()


def two_stacks(n):
    ints, halves = Stack(), Stack()
    for i in range(n):
        ints.push(i)
    while len(ints) > 0:
        halves.push(ints.pop() * 0.5)
    return halves.items


def stacks_of_two_types(n):
    texts, numbers = Stack(), Stack()
    texts.push("a")
    numbers.push(n)
    return texts.items, numbers.items


def stack_that_widens(n):
    s, x = Stack(), 0
    for _ in range(n):
        s.push(x)
        x += 0.5
    return sum(s.items)  # x is a float from the start, as everywhere


def stack_that_stays_empty(n):
    s = Stack()
    return len(s), len(s.items) + n


def stack_of_arrays(n):
    s = Stack()
    s.push(np.ones(n))
    s.push(np.zeros(2))
    return [int(a.sum()) for a in s.items]


def stack_filled_from_outside(n):
    s = Stack()
    s.items.extend([1, 2, n])
    s.items = s.items + [n]
    return s.items


def list_of_stacks(n):
    stacks = [Stack() for _ in range(n)]
    for i in range(n):
        stacks[i].push(i)
    return [s.pop() for s in stacks]


def graph(n):
    g = Graph(n)
    for i in range(n):
        g.add(i, (i * 3 + 1) % n, 0.5 * i)
    return [len(each) for each in g.neighbours], g.weight(1), len(g.names)


def queue(n):
    q = Queue()
    for i in range(n):
        q.put((i * 7919) % 13, i % 5)
    order = []
    while len(q.heap) > 3:
        priority, value = heapq.heappop(q.heap)
        order.append(priority * 100 + value)
    return order, sorted(q.seen.items()), len(q.done)


def collected(n):
    c = Collected()
    for i in range(n):
        c.put(i)
    return (
        list(c.last),
        sorted(c.by_rest.items()),
        sorted(c.sums.items()),
        c.counts[1],
        c.counts[77],
    )


def memo(n):
    return Memo().fibonacci(n)


def best(n):
    b = Best()
    for i in range(n):
        b.see((i * 7) % 5 + 0.5, i)
    return b.value, b.where, b.name


def lazy(n):
    z = Lazy(n)
    return int(z.squares.sum() + z.squares[-1]), z.never is None


def instance_in_a_box(n):
    box = Box()
    box.content = Best("x")
    box.content.see(n, 1)
    return box.content.value, box.content.name


def list_in_a_box(n):
    box = Box()
    for i in range(n):
        box.content = [i] if box.content is None else box.content + [i]
    return box.content


def dict_in_a_box(n):
    box = Box()
    box.content = {}
    for i in range(n):
        box.content[i] = 2 * i
    return sorted(box.content.items())


def emptied_box(n):
    box = Box()
    box.content = (n, 2.5)
    box.content = None
    return box.content


def methods_in_init(n):
    d = Derived(n, 3)
    d.items.append(9)
    return d.items, sorted(d.extra.items()), d.count


def reset_later(n):
    d = Derived(n, 3)
    d.reset()
    d.items.append(1)
    return d.items, len(d.extra), d.n


def steps_in_init(n):
    return Stepped(n).x


PROGRAMS = [
    fields_of_a_dataclass,
    stack,
    two_stacks,
    stacks_of_two_types,
    stack_that_widens,
    stack_that_stays_empty,
    stack_of_arrays,
    stack_filled_from_outside,
    list_of_stacks,
    graph,
    queue,
    collected,
    memo,
    best,
    lazy,
    instance_in_a_box,
    list_in_a_box,
    dict_in_a_box,
    emptied_box,
    methods_in_init,
    reset_later,
    steps_in_init,
]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("n", [2, 7])
def test_programs(f, n):
    assert repr(njit(f)(n)) == repr(f(n))


def test_instances_become_objects():
    def f(n):
        s = Stack()
        for i in range(n):
            s.push(i)
        return s

    made = njit(f)(3)
    assert type(made) is Stack and list(made.items) == [0, 1, 2]


def test_threads_compile_and_call():
    f = njit(graph)
    with ThreadPoolExecutor(16) as pool:
        assert set(map(repr, pool.map(f, [7] * 64))) == {repr(graph(7))}


def test_errors_of_methods_that_init_calls():
    with pytest.raises(ValueError, match="too many"):
        njit(lambda n: Base(n).n)(51)


def test_item_that_was_never_put():
    with pytest.raises(IndexError):
        njit(lambda n: Stack().items[n])(0)


class Counted:
    def __init__(self, n):
        self.n = n
        self.callback()


REFUSED = {
    "no_method": (lambda n: Counted(n).n, "'callback' is called before __init__ ends, and no"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    f, text = REFUSED[name]
    with pytest.raises(TypingError, match=text):
        njit(f)(3)


def test_the_disk_cache_keeps_functions_with_open_fields(tmp_path):
    program = textwrap.dedent("""\
        from numjit import njit

        class Stack:
            def __init__(self):
                self.items = []
                self.top = None

        @njit(cache=True)
        def f(x):
            s = Stack()
            s.items.append(x)
            s.top = s.items[0]
            return s.items, s.top

        print(f(2), f(0.5), sum(f.stats.cache_hits.values()))
        """)
    path = tmp_path / "program.py"
    path.write_text(program)
    runs = [
        subprocess.run([sys.executable, path], capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    ]
    assert runs == ["([2], 2) ([0.5], 0.5) 0\n", "([2], 2) ([0.5], 0.5) 2\n"]
