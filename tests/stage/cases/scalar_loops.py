"""Loops that stay scalar: what is known of their indices, and copies of their bodies."""

import numpy as np

# STAGE: typed


# TYPES: (float64[::1], int64)
def tested_index(x, bins):
    # CHECK: function @tested_index
    # CHECK-NOT: select
    # CHECK: return
    counts = np.zeros(1000)
    for v in x:
        k = int(v)
        if 0 <= k < bins:
            counts[k] += 1
    return counts[0]


# TYPES: (int64[::1], int64)
def distance_from_the_start(ways, coin):
    # CHECK: function @distance_from_the_start
    # CHECK: select
    # CHECK-NOT: select
    # CHECK: return
    total = 0
    for a in range(coin, 1000):
        total += ways[a] + ways[a - coin]
    return total


# TYPES: (int64[::1])
def position_carried_by_two_loops(a):
    # CHECK: function @position_carried_by_two_loops
    # CHECK-NOT: select
    # CHECK: return
    runs, i = 0, 0
    while i < len(a):
        j = i
        while j < len(a) and a[j] == a[i]:
            j += 1
        runs += 1
        i = j
    return runs


# TYPES: (uint64[::1])
def four_at_a_time(data):
    # CHECK: function @four_at_a_time
    # CHECK-NOT: select
    # CHECK: return
    s = np.uint64(0)
    i = 0
    while i + 4 <= len(data):
        s ^= data[i] + data[i + 1] * data[i + 2] - data[i + 3]
        i += 4
    return s


# STAGE: llvm


# TYPES: (float64[::1], int64[::1], float64[::1])
def gathered_sum(data, indices, x):
    # CHECK: define {{.*}}i32 @numjit.entry
    # CHECK-NOT: <{{[0-9]+}} x double>
    # CHECK: ret i32
    total = 0.0
    for k in range(len(data)):
        total += data[k] * x[indices[k]]
    return total


# TYPES: (int64[::1], int64)
def shared_remainder(a, n):
    # CHECK: define {{.*}}i32 @numjit.entry
    # CHECK: urem i64 {{.*}}, 1000
    # CHECK: store i64
    # CHECK-NOT: urem
    # CHECK: store i64
    # CHECK: store i64
    # CHECK: store i64
    # CHECK: store i64
    # CHECK: store i64
    # CHECK: store i64
    # CHECK: store i64
    # CHECK: urem i64 {{.*}}, 1000
    # CHECK: ret i32
    for i in range(n):
        a[i % 1000] = i
