"""Wall-clock helpers shared by the demo and the benchmarks."""

import time


def once(call):
    """(seconds, result) of one call."""
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def best(call, seconds=0.2, most=50):
    """The shortest of as many calls as fit in `seconds`, at least two."""
    times = [once(call)[0], once(call)[0]]
    while sum(times) < seconds and len(times) < most:
        times.append(once(call)[0])
    return min(times)


def readable(seconds):
    """Three digits and a unit: 0.0123 -> '12.3 ms'."""
    units = (("s", 1.0), ("ms", 1e-3), ("us", 1e-6))
    unit, size = next((u for u in units if seconds >= 0.9995 * u[1]), units[-1])
    value = seconds / size
    digits = 2 if value < 9.995 else 1 if value < 99.95 else 0
    return f"{value:.{digits}f} {unit}"
