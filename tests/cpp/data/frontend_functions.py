"""Functions whose code objects are the fixtures of the frontend's unit tests (see dump_code.py)."""
# ruff: noqa: F821

import math

FACTOR = 3


def straight(a, b):
    c = a * b + 1
    c -= a
    return -c


def branches(a, b):
    if a < b and b or not a:
        return a
    elif a is None:
        return b
    return a if b != 2 else FACTOR


def nested_loops(a, limit):
    total = 0.0
    for i in range(len(a)):
        if a[i] > limit:
            continue
        for j in range(i):
            total += a[j] * math.sin(a[i])
            if total > 100:
                break
        else:
            total += 1
    return total


def while_else(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
        if steps > 1000:
            break
    else:
        return steps
    return -1


def for_else(items):
    for item in items:
        if item:
            return item
    else:
        return 0


def break_loop(items, x):
    for item in items:
        if item == x:
            x = item + 1
            break
    return x


def nested_tuples(items):
    total = 0
    for item in items:
        for factor in (2, 3.5):
            total += item * factor
    return total


def comprehension(a, n):
    return [x * n for x in a if x]


def nested_comprehension(a, n):
    x = n
    return {x: [y + x for y in range(n)] for x in a}, x


def generator_expression(a):
    return sorted(x * x for x in a)


def lazy_generator_expression(a):
    return any(x for x in a) + sum(x for x in a)


def assigning_generator_expression(a):
    y = 0
    return sum((y := x) for x in a) + y


def slices(a, i, j):
    a[i:j] = a[::2]
    b = a[1:]
    del a[0]
    b[i, j] = a[..., None]
    return b


def displays(a, b, *rest):
    first, (second, third) = a, b
    x, *middle, y = rest
    return (first, *rest, second), [1, 2, 3], [third, *middle], {x, y}, {"a": a, "b": b}


def calls(f, a, **options):
    f(a, 2, scale=3)
    f.method(a)
    f.method(a, scale=a.size)
    f(*a)
    f(*a, **options)
    return f(a, (lambda q: q)(1) if a else 2)


def texts(a, b):
    return f"{a}-{b!r:>10}{a:.3f}{b!s}"


def checks(a, n):
    assert n > 0, "n must be positive"
    if a is not None:
        raise ValueError("bad", n)
    raise KeyError(n) from a


def maybe_undefined(a):
    if a:
        x = 1
    return x


def deletes(a):
    b = a
    del b
    return b


def inner_function(a, n=2):
    def scaled(x, power=2, *, strict=None):
        return x**power * a

    def plain(x, power=2):
        return x**power * a + n

    return plain(n)


def recursive_inner(n):
    def down(k):
        return down(k - 1) if k else n

    return down(n)


def changed_capture(n):
    f = lambda: n
    n = n + 1
    return f()


def loop_capture(a):
    total = 0
    for i in range(a):
        total += (lambda x: x + i)(2)
    return total


def nonlocal_store(n):
    def step():
        nonlocal n
        n += 1

    step()
    return n


def nonlocal_with_defaults(n):
    total = 0

    def step(by=2, *, more=1):
        nonlocal total
        total += by + more
        return by

    while step() < n:
        n -= 1
    return total


def yields_from(a):
    yield from a
    for x in a:
        yield from x


def try_except(a):
    b = a
    try:
        b = 1 / a
    except ZeroDivisionError:
        b = 0
    return b


def with_statement(a):
    with a:
        return 1


def generator(a):
    yield a


def imports(a):
    import os

    return os.getpid() + a


def unknown_global(a):
    return no_such_name + a


def chained(a, b, c):
    return a < b <= c


def walrus(a):
    return [y for x in a if (y := x + 1) > 2], y


def many_constants(a):
    # More than 128 attributes, so that arguments need prefixes and loops have long jumps.
    for i in range(10):
        if a:
            WIDE_BODY
    return a


def closure_of(k):
    def add_closed(x):
        return x + k

    return add_closed


add_closed = closure_of(7)
FUNCTIONS = [value for value in list(globals().values()) if hasattr(value, "__code__")]
