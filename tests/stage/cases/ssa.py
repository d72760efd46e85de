"""Statements and expressions in untyped SSA, on every version of CPython."""

import math

FACTOR = 3

# STAGE: ssa


# TYPES: (float64)
def names(x):
    # CHECK-NOT: getattr
    # CHECK: const math.sin
    # CHECK: const 3
    # CHECK-NOT: getattr
    # CHECK: return
    return math.sin(x) * FACTOR


# TYPES: (int64)
def unknown_name(x):
    # CHECK: unbound 'no_such_name'
    return no_such_name + x


# TYPES: (int64, UniTuple(int64, 2), UniTuple(int64, 3))
def displays(a, b, rest):
    # CHECK: [[A:%[0-9]+]] = param 0 'a'
    # CHECK: [[B:%[0-9]+]] = param 1 'b'
    # CHECK: [[REST:%[0-9]+]] = param 2 'rest'
    # CHECK: unpack 2 [[B]]
    first, (second, third) = a, b
    # CHECK: unpack 2 star 1 [[REST]]
    x, *middle, y = rest
    # CHECK: [[TUPLE:%[0-9]+]] = list_to_tuple [[REST]]
    # CHECK-NEXT: op + %{{[0-9]+}}, [[TUPLE]]
    # CHECK: list %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}}
    # CHECK: dict %{{[0-9]+}}, [[A]], %{{[0-9]+}}, [[B]]
    return (first, *rest, second), [1, 2, 3], [third, *middle], {x, y}, {"a": a, "b": b}


# TYPES: (int64, int64)
def calls(f, a, **options):
    # CHECK: [[F:%[0-9]+]] = param 0 'f'
    # CHECK: [[A:%[0-9]+]] = param 1 'a'
    # CHECK: [[TWO:%[0-9]+]] = const 2
    # CHECK: [[THREE:%[0-9]+]] = const 3
    # CHECK: call [[F]], [[A]], [[TWO]], scale=[[THREE]]
    f(a, 2, scale=3)
    # CHECK: [[METHOD:%[0-9]+]] = getattr 'method' [[F]]
    # CHECK-NEXT: call [[METHOD]], [[A]]
    f.method(a)
    # CHECK: call_star [[F]], [[A]]{{ |$}}
    f(*a)
    # CHECK: call_star [[F]], [[A]], **%
    return f(*a, **options)


# TYPES: (float64, float64)
def formats(a, b):
    # CHECK: [[A:%[0-9]+]] = param 0 'a'
    # CHECK: [[B:%[0-9]+]] = param 1 'b'
    # CHECK: format 0 [[A]]{{ |$}}
    # CHECK: [[SPEC:%[0-9]+]] = const '>10'
    # CHECK: format 2 [[B]], [[SPEC]]
    # CHECK: format 1 [[B]]{{ |$}}
    return f"{a}-{b!r:>10}{a:.3f}{b!s}"


# TYPES: (int64)
def failed_assertion(n):
    # CHECK: [[CLASS:%[0-9]+]] = const builtins.AssertionError
    # CHECK: [[ERROR:%[0-9]+]] = call [[CLASS]]
    # CHECK: raise [[ERROR]]{{ |$}}
    assert n > 0, "n must be positive"
    return n


# TYPES: (int64)
def maybe_undefined(a):
    # CHECK: [[UNDEFINED:%[0-9]+]] = undef 'x'
    # CHECK: phi 'x' {{.*}}[[UNDEFINED]]
    if a:
        x = 1
    return x


# TYPES: (int64)
def deleted(a):
    b = a
    # CHECK: [[UNDEFINED:%[0-9]+]] = undef 'b'
    # CHECK: return [[UNDEFINED]]
    del b
    return b


# TYPES: (int64)
def recursive_inner(n):
    # CHECK: [[N:%[0-9]+]] = param 0 'n'
    # CHECK: [[SELF:%[0-9]+]] = undef 'down'
    # CHECK: function 0 recursive_inner.<locals>.down [[SELF]], [[N]]
    # CHECK-NOT: unsupported
    def down(k):
        return down(k - 1) if k else n

    return down(n)


# TYPES: (int64)
def changed_capture(n):
    f = (lambda: n,)
    # CHECK: unsupported 'variable 'n' changes after inner function '<lambda>' captured it
    n = n + 1
    return f[0]()


# TYPES: (int64)
def late_capture(n):
    # CHECK: [[N:%[0-9]+]] = param 0 'n'
    # CHECK: [[TWICE:%[0-9]+]] = op *
    # CHECK: [[G:%[0-9]+]] = function 0 late_capture.<locals>.<lambda> [[TWICE]]
    # CHECK: call [[G]]
    g = lambda: y
    y = n * 2
    return g()


# TYPES: (int64)
def context_manager(a):
    # CHECK: [[A:%[0-9]+]] = param 0 'a'
    # CHECK: [[ENTER:%[0-9]+]] = getattr '__enter__' [[A]]
    # CHECK: [[EXIT:%[0-9]+]] = getattr '__exit__' [[A]]
    # CHECK: call [[ENTER]]
    # CHECK: call [[EXIT]]
    # CHECK-NOT: call
    # CHECK: return
    with a:
        return 1


# TYPES: (int64)
def handler(a):
    b = a
    try:
        # CHECK: op / {{.*}}
        # CHECK: jump -> block{{[0-9]+}}, except block[[HANDLER:[0-9]+]]
        b = 1 / a
        # CHECK: block[[HANDLER]]:
        # CHECK: const numjit.caught
    except ZeroDivisionError:
        b = 0
    return b
