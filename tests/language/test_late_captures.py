"""Inner functions that capture variables which are assigned behind their definition."""

import pytest
from numjit import njit
from numjit.errors import NumbaError


def assigned_later(n):
    def inner():
        return y

    y = n * 3
    return inner()


def assigned_again(n):
    def inner(a):
        return a + y

    y = n * 2
    first = inner(1)
    y = 100
    return first, inner(1)


def changed_parameter(n):
    def inner():
        return n

    first = inner()
    n += 5
    return first, inner()


def in_loop(n):
    def inner():
        return y * 10

    total = 0
    for y in range(n):
        total += inner()
    return total


def on_both_paths(n):
    def inner():
        return y

    if n > 2:
        y = 1.5
    else:
        y = 2.5
    return inner()


def a_lambda(n):
    f = lambda i: i * scale
    scale = n
    return [f(i) for i in range(3)]


def through_another(n):
    def outer(a):
        return inner(a) + z

    def inner(a):
        return a * y

    y = n
    z = 7
    first = outer(2)
    y = 50
    return first, outer(2)


def recursive(n):
    def power(k):
        return 1 if k == 0 else base * power(k - 1)

    base = n
    return power(4)


def with_defaults(n):
    def inner(a, b=2, *, c=3):
        return a + b * y + c

    y = n
    return inner(1), inner(1, 5), inner(1, c=0)


def with_computed_defaults(n):
    k = n
    out = []
    for i in range(3):

        def inner(a, b=k * i):
            return a + b + y

        y = 10 * i
        out.append(inner(1))
    return out


def given_to_others(n):
    def key(v):
        return -v if down else v

    down = n > 3
    return sorted([2, 3, 1], key=key), list(map(key, [1, 2]))


def returned(n):
    def inner(v):
        return v + y

    y = n
    return inner


def list_that_grows(n):
    def push(v):
        found.append(v)

    found = []
    for i in range(n):
        push(i)
    return found


def assigns_and_captures(n):
    def add(v):
        nonlocal total
        total += v * weight()

    def weight():
        return w

    w = n
    total = 0
    add(2)
    w = 10
    add(2)
    return total


FUNCTIONS = [
    assigned_later,
    assigned_again,
    changed_parameter,
    in_loop,
    on_both_paths,
    a_lambda,
    through_another,
    recursive,
    with_defaults,
    with_computed_defaults,
    given_to_others,
    list_that_grows,
    assigns_and_captures,
]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_values_of_the_moment(function):
    compiled = njit(function)
    for n in (1, 2, 5):
        assert compiled(n) == function(n)


def test_a_returned_function():
    @njit
    def use(n):
        return returned_compiled(n)(2)

    returned_compiled = njit(returned)
    assert use(5) == 7


def test_before_the_variable_has_a_value():
    def too_early(n):
        def inner():
            return y

        first = inner() if n > 5 else 0
        y = n
        return first + inner()

    with pytest.raises((NumbaError, UnboundLocalError, NameError)):
        assert njit(too_early)(9)


def even_or_odd(n):
    def even(k):
        return k == 0 or odd(k - 1)

    def odd(k):
        return k != 0 and even(k - 1)

    return even(n), odd(n)


def three_with_variables(n, limit):
    def first(k):
        return k if k <= 0 else second(k - 1) + step

    limit = limit + 1

    def second(k):
        return k if k > limit else third(k - 1)

    step = 0.5

    def third(k):
        return first(k - 1) * 2 if k % 2 else second(limit + 1)

    return first(n), second(n), third(n)


def in_a_loop(n):
    total = 0
    for i in range(n):

        def down(k):
            return k if k <= 0 else across(k - 1) + i

        def across(k):
            return down(k - 1) - 1

        total += down(n) + across(n)
    return total


def passed_on(n):
    def even(k):
        return k == 0 or odd(k - 1)

    def odd(k):
        return k != 0 and even(k - 1)

    return list(map(even, range(n))), sorted(range(n), key=odd)


def two_groups(n):
    def a(k):
        return k if k <= 0 else b(k - 1)

    def b(k):
        return a(k - 1) + c(k)

    def c(k):
        return k if k <= 0 else d(k - 2)

    def d(k):
        return c(k - 1) * 2

    def itself(k):
        return 1 if k <= 1 else k * itself(k - 1)

    return a(n), c(n), itself(n)


def in_an_inner_function(n):
    def around(m):
        def even(k):
            return k == 0 or odd(k - 1)

        def odd(k):
            return k != 0 and even(k - m)

        return even(n)

    return around(1)


@pytest.mark.parametrize(
    "f, arguments",
    [
        (even_or_odd, (7,)),
        (even_or_odd, (0,)),
        (three_with_variables, (9, 3)),
        (three_with_variables, (4, 10)),
        (in_a_loop, (5,)),
        (passed_on, (6,)),
        (two_groups, (9,)),
        (in_an_inner_function, (4,)),
    ],
)
def test_functions_that_call_one_another(f, arguments):
    assert njit(f)(*arguments) == f(*arguments)


def test_functions_that_call_one_another_are_returned():
    def make(step):
        def even(k):
            return k <= 0 or odd(k - step)

        def odd(k):
            return k > 0 and even(k - step)

        return even, odd

    for mine, python in zip(njit(make)(1), make(1), strict=True):
        assert [mine(k) for k in range(6)] == [python(k) for k in range(6)]


def test_functions_that_call_one_another_before_they_are_there():
    def too_early(n):
        def even(k):
            return k == 0 or odd(k - 1)

        early = even(n)

        def odd(k):
            return k != 0 and even(k - 1)

        return early

    def another_time(n):
        def even(k):
            return k == 0 or odd(k - 1)

        def odd(k):
            return k != 0 and even(k - 1)

        early = even(n)
        odd = abs  # noqa: F811
        return early, even(n)

    for f in (too_early, another_time):
        with pytest.raises(NumbaError, match="odd"):
            njit(f)(3)


def test_a_function_that_is_kept_while_its_variable_changes_is_refused():
    def kept(n):
        def inner():
            return y

        y = n
        functions = [inner]
        y = 100
        return functions[0]()

    with pytest.raises(NumbaError, match="changes after"):
        njit(kept)(3)


def generator_of_a_later_value(n):
    def gen():
        yield y
        yield y + 1

    y = n * 2
    return list(gen())


def generators_made_between_changes(n):
    def gen(k):
        for i in range(k):
            yield y + i

    out = []
    for y in range(n):
        for v in gen(2):
            out.append(v)
    y = 100
    return out, list(gen(1)), sum(gen(3))


def generator_with_a_log(n):
    def gen():
        try:
            for i in range(n):
                yield i
        finally:
            log.append(-1)

    log = [0]
    g = gen()
    first = next(g)
    g.close()
    return first, log


def generator_used_up_before_a_change(n):
    y = 1

    def gen():
        yield y

    before = list(gen())
    for v in gen():
        before.append(v)
    y = n
    return before, y


def generator_in_a_loop_that_changes(n):
    y = 0

    def gen():
        yield y

    out = []
    for _ in range(n):
        out.append(next(gen()))
        y += 2
    return out


def generators_used_up_at_once(n):
    out, words, keys = [], [], set()
    for y in range(n):
        out.extend((y * i for i in range(2)))
        words.append(",".join((str(y + i) for i in range(2))))
        keys.update((y - i for i in range(2)))
        out.append(sum((y * i for i in range(3))))
    return out, words, sorted(keys)


@pytest.mark.parametrize(
    "program",
    [
        generators_used_up_at_once,
        generator_of_a_later_value,
        generators_made_between_changes,
        generator_with_a_log,
        generator_used_up_before_a_change,
        generator_in_a_loop_that_changes,
    ],
    ids=lambda program: program.__name__,
)
def test_generators(program):
    for n in (1, 4):
        assert njit(program)(n) == program(n)


def changes_between_items(n):
    y = 1

    def gen():
        yield y
        yield y

    g = gen()
    a = next(g)
    y = n
    return a, next(g)


def changes_before_the_first_item(n):
    y = 1

    def gen():
        yield y

    g = gen()
    y = n
    return list(g)


def changes_in_the_loop(n):
    y = 1

    def gen():
        yield y
        yield y

    out = []
    for v in gen():
        out.append(v)
        y += n
    return out


def changes_behind_an_expression(n):
    y = 1
    g = (y + i for i in range(3))
    y = n
    return list(g)


def generators_in_a_list(n):
    kept = []
    for y in range(n):
        kept.append((y * i for i in range(2)))
    return [list(g) for g in kept]


def generators_in_a_comprehension(n):
    kept = [(y * i for i in range(2)) for y in range(n)]
    return [list(g) for g in kept]


def maps_in_a_dict(n):
    kept = {}
    for y in range(n):
        kept[y] = map(lambda i: y * i, range(2))
    return [list(kept[k]) for k in range(n)]


@pytest.mark.parametrize(
    "program",
    [
        generators_in_a_list,
        maps_in_a_dict,
        changes_between_items,
        changes_before_the_first_item,
        changes_in_the_loop,
        changes_behind_an_expression,
    ],
    ids=lambda program: program.__name__,
)
def test_changes_while_a_generator_waits_are_refused(program):
    with pytest.raises(NumbaError, match="changes after inner function"):
        njit(program)(3)
