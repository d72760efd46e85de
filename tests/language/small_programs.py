"""Small programs as tutorials and notebooks have them, for test_small_programs.py: each `main_...`
runs one."""

import math
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import accumulate, combinations, groupby, product
from typing import NamedTuple

import numpy as np
from numjit import types
from numjit.experimental import jitclass

Point = namedtuple("Point", "x y")


class Reading(NamedTuple):
    station: str
    day: int
    value: float = 0.0


# -- lists of tuples -------------------------------------------------------------------------------


def main_trapezoid_of_pairs(points):
    points = sorted(points)
    area = 0.0
    for (x0, y0), (x1, y1) in zip(points[:-1], points[1:]):
        area += (x1 - x0) * (y0 + y1) / 2
    xs, ys = zip(*points)
    return area, min(xs), max(ys), [p for p in points if p[1] > 1]


def main_merge_intervals(intervals):
    merged = []
    for low, high in sorted(intervals, key=lambda pair: (pair[0], -pair[1])):
        if merged and low <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], high))
        else:
            merged.append((low, high))
    gaps = [(a[1], b[0]) for a, b in zip(merged, merged[1:])]
    return merged, gaps, sum([b - a for a, b in merged])


def main_polygon(vertices):
    twice, n = 0.0, len(vertices)
    for i, (x, y) in enumerate(vertices):
        nx, ny = vertices[(i + 1) % n]
        twice += x * ny - nx * y
    centre = Point(sum(x for x, _ in vertices) / n, sum(y for _, y in vertices) / n)
    return abs(twice) / 2, centre, centre._replace(y=0.0), centre.x


def main_ranking(results):
    best = {}
    for name, score, _ in results:
        if name not in best or best[name] < score:
            best[name] = score
    table = sorted(best.items(), key=lambda item: (-item[1], item[0]))
    return [f"{place + 1}. {name:<5}|{score:6.2f}" for place, (name, score) in enumerate(table)]


# -- dicts of arrays -------------------------------------------------------------------------------


def main_grouped_means(labels, values):
    groups = {}
    for label, value in zip(labels, values):
        if label in groups:
            groups[label] = np.append(groups[label], value)
        else:
            groups[label] = np.array([value])
    return {label: (group.mean(), group.std(), group.size) for label, group in groups.items()}


def main_particle_fields(n, steps):
    fields = {"x": np.linspace(0, 1, n), "v": np.zeros(n), "m": np.ones(n)}
    for _ in range(steps):
        force = -np.sin(fields["x"]) * fields["m"]
        fields["v"] += 0.1 * force / fields["m"]
        fields["x"] += 0.1 * fields["v"]
    energy = 0.5 * (fields["m"] * fields["v"] ** 2).sum()
    return energy, sorted(fields.keys()), {k: v.max() for k, v in fields.items()}


def main_sparse_rows(n):
    rows = {i: {(i + 1) % n: 1.0, (2 * i) % n: -0.5} for i in range(n)}
    x = np.arange(n, dtype=np.float64)
    y = np.zeros(n)
    for i, row in rows.items():
        for j, value in row.items():
            y[i] += value * x[j]
    return y, len([1 for row in rows.values() for _ in row])


def main_lookup_of_windows(signal, width):
    windows = {}
    for start in range(0, len(signal) - width + 1, width):
        windows[start] = signal[start : start + width].copy()
    loudest = max(windows, key=lambda start: np.abs(windows[start]).sum())
    return loudest, windows[loudest], windows.get(999, np.zeros(1))


# -- strings ---------------------------------------------------------------------------------------


def main_reverse_complement(sequence):
    pairs = {"A": "T", "T": "A", "C": "G", "G": "C"}
    turned = "".join([pairs[base] for base in reversed(sequence)])
    codons = [turned[i : i + 3] for i in range(0, len(turned) - 2, 3)]
    counts = Counter(codons)
    content = 100 * sum([base in "GC" for base in turned]) / len(turned)
    return turned, counts.most_common(2), f"{content:.1f}%", turned.find("GC")


def main_run_lengths(text):
    runs = [(key, len(list(group))) for key, group in groupby(text)]
    packed = "".join([f"{count}{key}" for key, count in runs])
    unpacked, number = "", ""
    for c in packed:
        if c.isdigit():
            number += c
        else:
            unpacked += c * int(number)
            number = ""
    return runs, packed, unpacked == text


def main_parse_log(lines):
    totals, errors = {}, []
    for number, line in enumerate(lines, start=1):
        parts = line.strip().split(" ")
        if len(parts) != 3:
            errors.append((number, f"line {number}: {len(parts)} fields"))
            continue
        try:
            value = float(parts[2])
        except ValueError:
            errors.append((number, f"line {number}: no number {parts[2]!r}"))
            continue
        key = parts[0].upper() + "/" + parts[1].lower()
        totals[key] = totals.get(key, 0.0) + value
    return totals, errors


def main_caesar(text, shift):
    out = []
    for c in text:
        if "a" <= c <= "z":
            out.append(chr((ord(c) - ord("a") + shift) % 26 + ord("a")))
        elif c.isupper():
            out.append(chr((ord(c) - 65 + shift) % 26 + 65))
        else:
            out.append(c)
    word = "".join(out)
    return word, word.title().swapcase(), word.split(), word.count("l"), word.zfill(15)


# -- dates -----------------------------------------------------------------------------------------


def main_monthly_sums(dates, values):
    months = dates.astype("datetime64[M]")
    sums = {}
    for month, value in zip(months, values):
        sums[month] = sums.get(month, 0.0) + value
    first = dates.min()
    return (
        [(str(m), s) for m, s in sums.items()],
        (dates - first).max(),
        first + np.timedelta64(7, "D"),
    )


def main_gaps_in_times(times):
    steps = times[1:] - times[:-1]
    usual = steps[0]
    for step in steps:
        usual = min(usual, step)
    late = [i for i in range(len(steps)) if steps[i] > 2 * usual]
    return late, usual, steps.astype(np.int64).sum(), usual / np.timedelta64(1, "s")


# -- records ---------------------------------------------------------------------------------------


def main_stars(table):
    nearest, bright = 0, []
    for i in range(len(table)):
        row = table[i]
        if row.distance < table[nearest].distance:
            nearest = i
        if row["magnitude"] < 2:
            bright.append((i, row.distance))
    table[nearest].magnitude += 0.5
    table["distance"] *= 3.26
    return nearest, bright, table["distance"].mean(), table


def main_kicks(particles, dt):
    for p in particles:
        p.v[0] += dt * -p.x[0]
        for axis in range(2):
            p.x[axis] += dt * p.v[axis]
        p.hits = p.hits + 1 if p.x[0] > 0 else 0
    return particles, particles["x"][:, 0].sum(), np.sqrt((particles["x"] ** 2).sum(axis=1))


# -- named tuples and dataclasses ------------------------------------------------------------------


def main_readings(readings):
    by_station = {}
    for reading in readings:
        by_station.setdefault(reading.station, []).append(reading)
    report = []
    for station, items in by_station.items():
        best = max(items, key=lambda r: r.value)
        report.append((station, best.day, best, sum([r.value for r in items])))
    extra = Reading("new", 3)
    return report, extra, extra.value, Reading(day=1, station="k", value=2.5)


@dataclass
class Body:
    mass: float
    position: np.ndarray
    velocity: np.ndarray


def main_two_bodies(steps):
    sun = Body(1.0, np.zeros(2), np.zeros(2))
    earth = Body(3e-6, np.array([1.0, 0.0]), np.array([0.0, 1.0]))
    bodies = [sun, earth]
    for _ in range(steps):
        for body in bodies:
            for other in bodies:
                if body is not other:
                    r = other.position - body.position
                    body.velocity += 0.01 * other.mass * r / (r @ r) ** 1.5
        for body in bodies:
            body.position = body.position + 0.01 * body.velocity
    return earth.position, sun.velocity, sum([body.mass for body in bodies])


# -- closures --------------------------------------------------------------------------------------


def main_integrators(n):
    def rule(weight_left, weight_right):
        def integrate(f, a, b):
            h = (b - a) / n
            total = 0.0
            for i in range(n):
                total += h * (weight_left * f(a + i * h) + weight_right * f(a + (i + 1) * h))
            return total

        return integrate

    left, trapezoid = rule(1.0, 0.0), rule(0.5, 0.5)
    return left(math.sin, 0.0, 1.0), trapezoid(lambda x: x * x, 0.0, 2.0)


def main_counter_closure(n):
    seen, count = {}, 0

    def collatz(k):
        nonlocal count
        steps = 0
        while k != 1:
            if k in seen:
                return steps + seen[k]
            k = k // 2 if k % 2 == 0 else 3 * k + 1
            steps += 1
            count += 1
        return steps

    for k in range(2, n):
        seen[k] = collatz(k)
    return max(seen.values()), count, reduce(lambda a, b: a + b, [seen[k] for k in range(2, 6)], 0)


def main_memo_of_paths(rows, columns):
    memo = {}

    def paths(i, j):
        if i == 0 or j == 0:
            return 1
        if (i, j) not in memo:
            memo[i, j] = paths(i - 1, j) + paths(i, j - 1)
        return memo[i, j]

    return paths(rows, columns), len(memo)


# -- generators ------------------------------------------------------------------------------------


def primes():
    found, n = [], 2
    while True:
        for p in found:
            if p * p > n:
                found.append(n)
                yield n
                break
            if n % p == 0:
                break
        else:
            found.append(n)
            yield n
        n += 1


def pairs_within(n, limit):
    for a, b in combinations(range(n), 2):
        if b - a <= limit:
            yield a, b


def main_generated(n):
    some = []
    for p in primes():
        if p > n:
            break
        some.append(p)
    close = list(pairs_within(6, 2))
    return some, close, list(accumulate(some)), sum(a * b for a, b in pairs_within(n, 3))


def smoothed(alpha):
    level = 0.0
    while True:
        x = yield level
        level += alpha * (x - level)


def main_sent_values(values):
    smoother = smoothed(0.5)
    next(smoother)
    out = []
    for x in values:
        out.append(smoother.send(x))
    smoother.close()
    return out


def tree_walk(tree, at):
    if at < len(tree):
        yield from tree_walk(tree, 2 * at + 1)
        yield tree[at]
        yield from tree_walk(tree, 2 * at + 2)


def main_batches(values, size):
    def batches():
        batch = []
        for value in values:
            batch.append(value)
            if len(batch) == size:
                yield np.array(batch)
                batch = []
        if batch:
            yield np.array(batch)

    return [b.sum() for b in batches()], [len(b) for b in batches()]


# -- jitclasses ------------------------------------------------------------------------------------


@jitclass([("count", types.int64), ("mean", types.float64), ("square", types.float64)])
class Welford:
    def __init__(self):
        self.count = 0
        self.mean = 0.0
        self.square = 0.0

    def add(self, x):
        self.count += 1
        delta = x - self.mean
        self.mean += delta / self.count
        self.square += delta * (x - self.mean)
        return self

    @property
    def variance(self):
        return self.square / (self.count - 1) if self.count > 1 else math.nan

    def __len__(self):
        return self.count

    @staticmethod
    def of(values):
        made = Welford()
        for x in values:
            made.add(x)
        return made


def main_welford(values):
    w = Welford()
    for x in values:
        w.add(x)
    v = Welford.of(values[:3])
    return w.mean, w.variance, len(w), v.add(1.0).add(2.0).count, Welford().variance


@jitclass([("data", types.float64[:]), ("start", types.int64), ("size", types.int64)])
class Ring:
    def __init__(self, capacity):
        self.data = np.zeros(capacity)
        self.start = 0
        self.size = 0

    def push(self, x):
        n = len(self.data)
        self.data[(self.start + self.size) % n] = x
        if self.size < n:
            self.size += 1
        else:
            self.start = (self.start + 1) % n

    def __getitem__(self, i):
        if i >= self.size:
            raise IndexError("out of the ring")
        return self.data[(self.start + i) % len(self.data)]

    def __contains__(self, x):
        for i in range(self.size):
            if self[i] == x:
                return True
        return False


def main_ring(n):
    ring = Ring(4)
    for i in range(n):
        ring.push(i * 1.5)
    try:
        ring[10]
        failed = ""
    except IndexError as e:
        failed = str(e)
    return [ring[i] for i in range(ring.size)], 3.0 in ring, -1.0 in ring, failed


# -- collections and the rest ----------------------------------------------------------------------


def visit(graph, start, order):
    queue, seen = deque([start]), {start}
    while queue:
        at = queue.popleft()
        order.append(at)
        for to in graph[at]:
            if to not in seen:
                seen.add(to)
                queue.append(to)


def main_components(n, edges):
    graph = defaultdict(list)
    for a, b in edges:
        graph[a].append(b)
        graph[b].append(a)
    parts, done = [], set()
    for node in range(n):
        if node in done or node not in graph:
            continue
        order = []
        visit(graph, node, order)
        done.update(order)
        parts.append(sorted(order))
    return parts, [node for node in range(n) if node not in graph]


def main_cache(requests, size):
    cache, hits = OrderedDict(), 0
    for key in requests:
        if key in cache:
            hits += 1
            cache.move_to_end(key)
        else:
            cache[key] = len(cache)
            if len(cache) > size:
                cache.popitem(last=False)
    return hits, list(cache)


def main_continued_fraction(x, terms):
    whole, value = [], x
    for _ in range(terms):
        part = math.floor(value)
        whole.append(part)
        if value == part:
            break
        value = 1 / (value - part)
    approximation = Fraction(whole[-1])
    for part in whole[-2::-1]:
        approximation = part + 1 / approximation
    return whole, approximation, float(approximation), str(approximation)


def main_truth_table(names):
    rows = []
    for values in product([False, True], repeat=2):
        a, b = values
        rows.append((a, b, a and not b, (a or b) != (a and b)))
    header = " ".join([name.rjust(3) for name in names])
    return header, rows, all([r[3] == (r[0] ^ r[1]) for r in rows])


def main_life(board, steps):
    for _ in range(steps):
        near = np.zeros(board.shape, np.int64)
        for dy in (-1, 0, 1):
            for dx in (-1, 0, 1):
                if (dy, dx) != (0, 0):
                    near += np.roll(np.roll(board, dy, axis=0), dx, axis=1)
        board = ((near == 3) | ((board == 1) & (near == 2))).astype(board.dtype)
    return board, ["".join(["#" if cell else "." for cell in row]) for row in board]


def main_matrix_of_lists(rows):
    columns = [list(column) for column in zip(*rows)]
    flat = [x for row in rows for x in row]
    product_ = [[sum([a * b for a, b in zip(r, c)]) for c in columns] for r in rows]
    *head, last = flat
    flat[1:3] = [0, 0, 0]
    del flat[::2]
    return columns, product_, head, last, flat, max(rows), rows.index([3, 4])


def main_match_shapes(shapes):
    total, notes = 0.0, []
    for shape in shapes:
        match shape:
            case ("circle", r, _):
                total += math.pi * r**2
            case ("square", a, _):
                total += a * a
            case ("box", a, b) if a > b:
                notes.append(f"wide {a}")
                total += a * b
            case (kind, _, _):
                notes.append("no " + kind)
    return total, notes


def main_while_with_flags(limit):
    found, i = [], 0
    while (i := i + 1) < limit:
        if i % 2:
            continue
        for j in range(2, i):
            if i % j == 0 and j % 2:
                break
        else:
            found.append(i)
            continue
        if len(found) > 5:
            break
    else:
        return found, -1
    return found, i
