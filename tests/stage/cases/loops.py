"""A counting loop on its way: iterator state in SSA, a counter in typed IR, packed code at the end."""

import numpy as np

# STAGE: bytecode


# TYPES: (int64)
def count(n):
    # CHECK: {{[Ff]or_?[Ii]ter|FOR_ITER}}
    total = 0
    for i in range(n):
        total += i
    return total


# STAGE: ssa


# TYPES: (int64)
def iterator_state(n):
    # CHECK: function iterator_state(n)
    # CHECK: phi
    # CHECK: next
    # CHECK: next_valid
    # CHECK: branch
    total = 0
    for i in range(n):
        total += i
    return total


# STAGE: typed


# TYPES: (float64[:, ::1])
def matrix_sum(a):
    # CHECK: function @matrix_sum(a: array(float64, 2d, C)) -> float64
    # CHECK-NOT: select
    # CHECK: load {{.*}} alias=ArrayData
    # CHECK-NOT: retain
    # CHECK: return
    total = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            total += a[i, j]
    return total


# TYPES: (int64)
def fib(n):
    # CHECK: function @fib(n: int64) -> int64 may_raise recursive
    # CHECK: stack_check
    # CHECK: call @fib
    return n if n < 2 else fib(n - 1) + fib(n - 2)


# TYPES: (float64[:], int64)
def only_the_taken_branch(a, n):
    # CHECK: function @only_the_taken_branch
    # CHECK-NOT: branch
    # CHECK: return
    if a.ndim == 1:
        return n
    else:
        return "never typed" + n


# TYPES: (float64[::1], float64[::1])
def one_loop_without_temporaries(a, b):
    # CHECK: function @one_loop_without_temporaries
    # CHECK: call @evaluate(
    # CHECK-NOT: call @evaluate(
    # CHECK: function @evaluate(
    # CHECK: alloc
    # CHECK: call @store_all
    # CHECK: return
    return np.sqrt(a * b)


# STAGE: asm


# TYPES: (float64[::1], float64[::1], float64, float64[::1])
def packed(a, b, c, d):
    # CHECK: vmulpd
    # CHECK: vaddpd
    for i in range(len(a)):
        a[i] = b[i] * c + d[i]


# STAGE: llvm


# TYPES: (float64[::1])
def zero_divisor(a):
    # CHECK: define {{.*}}i32 @numjit.entry
    # CHECK: fcmp oeq double
    # CHECK: call void @nj_set_error
    # CHECK: fdiv double
    return 1.0 / a[0]


# TYPES: (float64[::1], int64[::1])
def results_of_inlined_calls(a, i):
    # CHECK: define {{.*}}i32 @numjit.entry
    # CHECK-NOT: insertvalue
    # CHECK-NOT: extractvalue
    # CHECK: ret i32
    return a[i]


# TYPES: (int64)
def failing_calls_return_at_once(n):
    # CHECK: define internal {{.*}}failing_calls_return_at_once
    # CHECK: call fastcc
    # CHECK-NOT: exit
    # CHECK: label %fine{{.*}}, label %common.ret
    # CHECK: call fastcc
    # CHECK-NOT: exit
    # CHECK: label %fine{{.*}}, label %common.ret
    # CHECK: call fastcc
    # CHECK-NOT: exit
    # CHECK: label %fine{{.*}}, label %common.ret
    # CHECK: call fastcc
    # CHECK-NOT: exit
    # CHECK: label %fine{{.*}}, label %common.ret
    if n < 2:
        return n
    return failing_calls_return_at_once(n - 1) + failing_calls_return_at_once(n - 2)
