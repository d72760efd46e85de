"""Loops over bytes, bits and digits: checksums, hashes, tables, counts."""

import numpy as np
from kernel import Kernel
from numjit import njit


@njit
def crc16(data):
    crc = 0xFFFF
    for i in range(len(data)):
        crc ^= int(data[i]) << 8
        for _ in range(8):
            if crc & 0x8000:
                crc = (crc << 1) ^ 0x1021
            else:
                crc = crc << 1
            crc &= 0xFFFF
    return crc


@njit
def xxhash64(data):
    p1, p2 = np.uint64(11400714785074694791), np.uint64(14029467366897019727)
    a, b, c, d = p1, p2, np.uint64(0), np.uint64(7)
    i = 0
    while i + 4 <= len(data):
        a = (a + data[i] * p2) * p1
        a = (a << np.uint64(31)) | (a >> np.uint64(33))
        b = (b + data[i + 1] * p2) * p1
        b = (b << np.uint64(31)) | (b >> np.uint64(33))
        c = (c + data[i + 2] * p2) * p1
        c = (c << np.uint64(31)) | (c >> np.uint64(33))
        d = (d + data[i + 3] * p2) * p1
        d = (d << np.uint64(31)) | (d >> np.uint64(33))
        i += 4
    return a ^ b ^ c ^ d


@njit
def looked_up(image, lut):
    out = np.empty_like(image)
    for i in range(len(image)):
        out[i] = lut[image[i]]
    return out


@njit
def popcounts(words):
    total = 0
    for w in words:
        while w:
            w &= w - 1
            total += 1
    return total


@njit
def histogram(x, bins, low, high):
    counts = np.zeros(bins, np.int64)
    scale = bins / (high - low)
    for v in x:
        k = int((v - low) * scale)
        if 0 <= k < bins:
            counts[k] += 1
    return counts


@njit
def palindromes(n):
    count = 0
    for i in range(n):
        r, x = 0, i
        while x > 0:
            r = r * 10 + x % 10
            x //= 10
        count += r == i
    return count


@njit
def run_lengths(a):
    values, lengths = np.empty_like(a), np.empty(len(a), np.int64)
    n, i = 0, 0
    while i < len(a):
        j = i
        while j < len(a) and a[j] == a[i]:
            j += 1
        values[n], lengths[n] = a[i], j - i
        n += 1
        i = j
    return values[:n], lengths[:n]


@njit
def parse_numbers(data):
    total, number = 0, 0
    for c in data:
        if 48 <= c <= 57:
            number = number * 10 + (int(c) - 48)
        else:
            total += number
            number = 0
    return total + number


@njit
def bit_reversal(n, bits):
    out = np.empty(n, np.int64)
    for i in range(n):
        r, x = 0, i
        for _ in range(bits):
            r = (r << 1) | (x & 1)
            x >>= 1
        out[i] = r
    return out


def bytes_of(n, seed=1):
    return np.random.default_rng(seed).integers(0, 256, n, dtype=np.uint8)


def text(n):
    return np.random.default_rng(4).choice(np.frombuffer(b"abc de\n0123", np.uint8), n)


def lut():
    return bytes_of(256, 3)


KERNELS = {
    "crc16": Kernel(crc16, lambda: (bytes_of(100_000),), lambda: (bytes_of(40),)),
    "xxhash64": Kernel(
        xxhash64,
        lambda: (np.random.default_rng(1).integers(0, 2**63, 100_000).astype(np.uint64),),
        lambda: (np.zeros(0, np.uint64),),
    ),
    "looked_up": Kernel(
        looked_up, lambda: (bytes_of(1_000_000), lut()), lambda: (bytes_of(50), lut())
    ),
    "popcounts": Kernel(
        popcounts,
        lambda: (np.random.default_rng(1).integers(0, 2**40, 50_000),),
        lambda: (np.random.default_rng(1).integers(0, 2**40, 50),),
    ),
    "histogram": Kernel(
        histogram,
        lambda: (np.random.default_rng(1).random(200_000), 64, 0.0, 1.0),
        lambda: (np.random.default_rng(1).random(20), 64, 0.0, 1.0),
    ),
    "palindromes": Kernel(palindromes, lambda: (100_000,), lambda: (300,)),
    "run_lengths": Kernel(run_lengths, lambda: (text(300_000) // 50,), lambda: (text(50) // 50,)),
    "parse_numbers": Kernel(parse_numbers, lambda: (text(500_000),), lambda: (text(50),)),
    "bit_reversal": Kernel(bit_reversal, lambda: (1 << 16, 16), lambda: (16, 4)),
}
