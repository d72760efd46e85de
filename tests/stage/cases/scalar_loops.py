"""Loops that stay scalar: what is known of their indices, and copies of their bodies."""

import numpy as np

# STAGE: typed


# TYPES: (int64, int64, int64[::1])
def remainders_by_one_number(n, m, out):
    # CHECK: function @remainders_by_one_number
    # CHECK: branch
    # CHECK: bool = const 0
    # CHECK: bool = const 0
    for i in range(n):
        out[i] = i % m
        if i & 1:
            out[i] += i // m
        while out[i] > m:
            out[i] -= (out[i] + 1) % m


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


# TYPES: (uint8[::1])
def tested_letter(text):
    # CHECK: function @tested_letter
    # CHECK-NOT: select
    # CHECK: return
    counts = np.zeros(26)
    for c in text:
        if 97 <= c <= 122:
            counts[c - 97] += 1
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


# TYPES: (int64[::1], int64[:, ::1])
def gathered_differences(sums, queries):
    # CHECK: define {{.*}}i32 @numjit.entry
    # CHECK-NOT: <{{[0-9]+}} x i64>
    # CHECK: ret i32
    total = 0
    for k in range(len(queries)):
        total ^= sums[queries[k, 1]] - sums[queries[k, 0]]
    return total


# TYPES: (int64[::1], int64[::1])
def gathered_in_a_row(table, indices):
    # Indices and results lie in a row: vectors.
    # CHECK: define {{.*}}i32 @numjit.entry
    # CHECK: store <{{[0-9]+}} x i64>
    out = np.empty(len(indices), np.int64)
    for k in range(len(indices)):
        out[k] = 3 * table[indices[k] & 255] + indices[k]
    return out


# TYPES: (float64[::1], float64[:, ::1], int64)
def product_that_runs_along(score, table, j):
    # CHECK: preheader.new:
    # CHECK: [[START:%.*]] = mul i64
    # CHECK: [[ROW:%.*]] = phi i64 [ [[START]], {{.*}} ], [ [[NEXT:%.*]], {{.*}} ]
    # CHECK-NOT: mul
    # CHECK: [[SECOND:%.*]] = add i64 [[ROW]], [[STRIDE:%.*]]
    # CHECK-NEXT: [[THIRD:%.*]] = add i64 [[SECOND]], [[STRIDE]]
    # CHECK-NEXT: [[FOURTH:%.*]] = add i64 [[THIRD]], [[STRIDE]]
    # CHECK-NEXT: [[NEXT]] = add i64 [[FOURTH]], [[STRIDE]]
    # CHECK-NOT: mul
    # CHECK: llvm.loop
    best = -np.inf
    for i in range(len(score)):
        s = score[i] + table[i, j]
        if s > best:
            best = s
    return best


# TYPES: (int64[::1], int64)
def base_that_is_moved(ways, coin):
    # CHECK: preheader.new:
    # CHECK: [[BACK:%.*]] = sub {{.*}}0, %
    # CHECK: [[BASE:%.*]] = getelementptr i64, ptr %ways, i64 [[BACK]]
    # CHECK: phi i64
    # CHECK-NOT: phi i64
    # CHECK: getelementptr i64, ptr [[BASE]], i64
    # CHECK: getelementptr i64, ptr [[BASE]], i64
    # CHECK: llvm.loop
    for i in range(coin, len(ways)):
        ways[i] += ways[i - coin]


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


# TYPES: (uint8[::1], uint8[::1])
def items_that_differ(text, pattern):
    # CHECK: [[SAME:%.*]] = icmp eq i8
    # CHECK-NEXT: br i1 [[SAME]], {{.*}}!prof [[RARELY:![0-9]+]]
    # CHECK: [[RARELY]] = !{!"branch_weights", i32 1, i32 2}
    found = 0
    for i in range(len(text) - len(pattern) + 1):
        j = 0
        while j < len(pattern) and text[i + j] == pattern[j]:
            j += 1
        found += j == len(pattern)
    return found


# TYPES: (int64[::1], int64)
def chunks_of_an_inner_loop(out, bits):
    # CHECK: define {{.*}}i32 @numjit.entry
    # CHECK-NOT: phi
    # CHECK: [[LONG:%.*]] = icmp sgt i64 %bits{{.*}}, 1048576
    # CHECK-NEXT: br i1 [[LONG]]
    # CHECK: phi
    for i in range(len(out)):
        r, x = 0, i
        for _ in range(bits):
            r = (r << 1) | (x & 1)
            x >>= 1
        out[i] = r
