"""Programs as users write them, for test_user_programs.py: each `main_...` runs one."""

import heapq

import numpy as np
from numjit import typed, types

# -- finance ---------------------------------------------------------------------------------------


def main_american_options(spot, strike, rate, volatility, steps, paths, seed):
    """Longstaff and Schwartz: the value of going on is regressed on the paths in the money."""
    np.random.seed(seed)
    dt = 1.0 / steps
    prices = np.empty((steps + 1, paths))
    prices[0] = spot
    for t in range(1, steps + 1):
        z = np.random.standard_normal(paths)
        drift = (rate - 0.5 * volatility**2) * dt
        prices[t] = prices[t - 1] * np.exp(drift + volatility * np.sqrt(dt) * z)
    cash = np.maximum(strike - prices[-1], 0)
    for t in range(steps - 1, 0, -1):
        cash *= np.exp(-rate * dt)
        chosen = np.where(prices[t] < strike)[0]
        if chosen.size == 0:
            continue
        x, y = prices[t][chosen], cash[chosen]
        basis = np.column_stack((np.ones_like(x), x, x**2))
        value = basis @ np.linalg.lstsq(basis, y)[0]
        for k in range(chosen.size):
            if strike - x[k] > value[k]:
                cash[chosen[k]] = strike - x[k]
    return cash.mean() * np.exp(-rate * dt)


def main_order_book(orders):
    bids = typed.Dict.empty(key_type=types.int64, value_type=types.float64)
    asks = typed.Dict.empty(key_type=types.int64, value_type=types.float64)
    trades = []
    for side, price, quantity in orders:
        book, other = (bids, asks) if side == 0 else (asks, bids)
        rest = quantity
        while rest > 0 and len(other) > 0:
            best = -1
            for p in other:
                if best == -1 or (side == 0 and p < best) or (side == 1 and p > best):
                    best = p
            if (side == 0 and best > price) or (side == 1 and best < price):
                break
            done = min(rest, other[best])
            rest -= done
            other[best] -= done
            trades.append((best, done))
            if other[best] <= 0:
                del other[best]
        if rest > 0:
            book[price] = book.get(price, 0.0) + rest
    return trades, sorted(list(bids.keys())), sorted(list(asks.keys()))


# -- graphs ----------------------------------------------------------------------------------------


def main_dijkstra(n):
    graph = {}
    for i in range(n):
        graph[i] = [((i * 7 + 3) % n, 1.0 + i % 3), ((i * 5 + 1) % n, 2.5)]
    distance = {i: np.inf for i in range(n)}
    distance[0] = 0.0
    heap = []
    heapq.heappush(heap, (0.0, 0))
    while heap:
        d, u = heapq.heappop(heap)
        if d > distance[u]:
            continue
        for v, weight in graph[u]:
            if d + weight < distance[v]:
                distance[v] = d + weight
                heapq.heappush(heap, (distance[v], v))
    return [distance[i] for i in range(n)]


def manhattan(a, b):
    return abs(a[0] - b[0]) + abs(a[1] - b[1])


def main_a_star(grid, start, goal):
    heap = [(manhattan(start, goal), 0, start)]
    came, cost = {start: start}, {start: 0}
    while heap:
        _, _, current = heapq.heappop(heap)
        if current == goal:
            path = [current]
            while current != start:
                current = came[current]
                path.append(current)
            return path[::-1]
        for d in [(0, 1), (1, 0), (0, -1), (-1, 0)]:
            near = (current[0] + d[0], current[1] + d[1])
            if min(near) < 0 or near[0] >= grid.shape[0] or near[1] >= grid.shape[1]:
                continue
            if grid[near]:
                continue
            price = cost[current] + 1
            if near not in cost or price < cost[near]:
                cost[near] = price
                came[near] = current
                heapq.heappush(heap, (price + manhattan(near, goal), price, near))
    return [(-1, -1)]


# -- strings ---------------------------------------------------------------------------------------


def main_huffman(text):
    count = {}
    for c in text:
        count[c] = count.get(c, 0) + 1
    heap, left, right, symbols = [], [], [], []
    for c, k in sorted([(c, k) for c, k in count.items()]):
        heapq.heappush(heap, (k, len(symbols)))
        symbols.append(c)
        left.append(-1)
        right.append(-1)
    while len(heap) > 1:
        a, i = heapq.heappop(heap)
        b, j = heapq.heappop(heap)
        heapq.heappush(heap, (a + b, len(symbols)))
        symbols.append("")
        left.append(i)
        right.append(j)
    codes = {}
    stack = [(len(symbols) - 1, "")]
    while stack:
        i, prefix = stack.pop()
        if left[i] < 0:
            codes[symbols[i]] = prefix
        else:
            stack.append((left[i], prefix + "0"))
            stack.append((right[i], prefix + "1"))
    return "".join([codes[c] for c in text])


def main_common_subsequence(a, b):
    table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(len(a)):
        for j in range(len(b)):
            same = a[i] == b[j]
            table[i + 1][j + 1] = table[i][j] + 1 if same else max(table[i][j + 1], table[i + 1][j])
    found, i, j = "", len(a), len(b)
    while i > 0 and j > 0:
        if a[i - 1] == b[j - 1]:
            found = a[i - 1] + found
            i, j = i - 1, j - 1
        elif table[i - 1][j] >= table[i][j - 1]:
            i -= 1
        else:
            j -= 1
    return found


def main_csv(text):
    rows = []
    for line in text.split("\n"):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        rows.append([float(item) for item in line.split(",")])
    table = np.empty((len(rows), len(rows[0])))
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            table[i, j] = value
    return table, "\n".join([f"{row[0]:8.3f}|{len(row):>3}" for row in rows])


# -- learning, physics, numerics -------------------------------------------------------------------


def main_mixture(x, count, steps):
    """EM for a mixture of normal distributions."""
    mean = np.linspace(x.min(), x.max(), count)
    deviation, weight = np.ones(count), np.ones(count) / count
    share = np.empty((x.size, count))
    for _ in range(steps):
        for j in range(count):
            z = (x - mean[j]) / deviation[j]
            share[:, j] = weight[j] * np.exp(-0.5 * z**2) / deviation[j]
        share /= share.sum(axis=1)[:, np.newaxis]
        total = share.sum(axis=0)
        mean = (share * x[:, None]).sum(axis=0) / total
        deviation = np.sqrt((share * (x[:, None] - mean) ** 2).sum(0) / total)
        weight = total / x.size
    return mean, deviation, weight


def van_der_pol(t, y, mu):
    return np.array([y[1], mu * (1 - y[0] ** 2) * y[1] - y[0]])


def heun(f, t, y, end, tolerance, args=()):
    h, times = 0.01, [t]
    while t < end:
        h = min(h, end - t)
        k1 = f(t, y, *args)
        k2 = f(t + h, y + h * k1, *args)
        error = np.max(np.abs(k2 - k1)) * h / 2
        if error <= tolerance:
            t += h
            y = y + h * (k1 + k2) / 2
            times.append(t)
        h *= min(4.0, max(0.1, 0.9 * (tolerance / (error + 1e-300)) ** 0.5))
    return np.array(times), y


def main_adaptive_steps(mu):
    times, y = heun(van_der_pol, 0.0, np.array([2.0, 0.0]), 1.0, 1e-4, (mu,))
    return times.size, times[-1], y


def main_annealing(n, steps, seed):
    """A tour of points, by reversing parts of it; its length is a closure over the points."""
    np.random.seed(seed)
    points = np.random.random((n, 2))
    tour = np.arange(n)
    np.random.shuffle(tour)

    def length(tour):
        total = 0.0
        for i in range(n):
            total += np.sqrt(((points[tour[i]] - points[tour[(i + 1) % n]]) ** 2).sum())
        return total

    best, temperature = length(tour), 1.0
    for _ in range(steps):
        i, j = sorted(np.random.randint(0, n, 2))
        other = tour.copy()
        other[i : j + 1] = other[i : j + 1][::-1]
        found = length(other)
        if found < best or np.random.random() < np.exp((best - found) / temperature):
            tour, best = other, found
        temperature *= 0.95
    return tour, best


def main_lattice_boltzmann(nx, ny, steps, tau):
    ex = np.array([0, 1, 0, -1, 0, 1, -1, -1, 1])
    ey = np.array([0, 0, 1, 0, -1, 1, 1, -1, -1])
    w = np.array([4 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 36, 1 / 36, 1 / 36, 1 / 36])
    f = np.ones((9, nx, ny)) * w.reshape(9, 1, 1)
    f[1] *= 1.1
    density = f.sum(axis=0)
    for _ in range(steps):
        density = f.sum(axis=0)
        ux, uy = np.zeros((nx, ny)), np.zeros((nx, ny))
        for k in range(9):
            ux += ex[k] * f[k]
            uy += ey[k] * f[k]
        ux /= density
        uy /= density
        for k in range(9):
            along = ex[k] * ux + ey[k] * uy
            wanted = 1 + 3 * along + 4.5 * along**2 - 1.5 * (ux**2 + uy**2)
            f[k] += (w[k] * density * wanted - f[k]) / tau
        moved = np.empty_like(f)
        for k in range(9):
            for i in range(nx):
                for j in range(ny):
                    moved[k, (i + ex[k]) % nx, (j + ey[k]) % ny] = f[k, i, j]
        f = moved
    return density


# -- puzzles ---------------------------------------------------------------------------------------


def fits(board, row, column, value):
    for i in range(9):
        if board[row, i] == value or board[i, column] == value:
            return False
    r, c = row // 3 * 3, column // 3 * 3
    return not (board[r : r + 3, c : c + 3] == value).any()


def main_sudoku(board):
    for row in range(9):
        for column in range(9):
            if board[row, column] == 0:
                for value in range(1, 10):
                    if fits(board, row, column, value):
                        board[row, column] = value
                        if main_sudoku(board):
                            return True
                        board[row, column] = 0
                return False
    return True
