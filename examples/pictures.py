"""Pictures of the results and of the times, as PNG files."""

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt


def write_image(path, values):
    plt.imsave(path, np.asarray(values, float), cmap="magma")


def write_bar_chart(path, rows, engines):
    """Times on a logarithmic axis, one group of bars for each program."""
    series = {
        "interpreter": [row.interpreter for row in rows],
        "NumPy": [row.numpy for row in rows],
    }
    for engine in engines:
        series[engine] = [row.steady.get(engine, np.nan) for row in rows]
    figure, axes = plt.subplots(figsize=(9, 0.6 * len(rows) + 1.5))
    height = 0.8 / len(series)
    for i, (label, seconds) in enumerate(series.items()):
        axes.barh(np.arange(len(rows)) + i * height, np.array(seconds) * 1e3, height, label=label)
    axes.set_yticks(np.arange(len(rows)) + 0.4 - height / 2, [row.name for row in rows])
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.set_xlabel("milliseconds")
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    plt.close(figure)


def write_lines(path, lines, across, up):
    """A line for each name: {name: {x: y}}."""
    figure, axes = plt.subplots(figsize=(6, 4))
    for name, points in lines.items():
        axes.plot(list(points), list(points.values()), marker="o", label=name)
    longest = max(lines.values(), key=len)
    axes.plot(list(longest), list(longest), color="grey", linestyle=":", label="ideal")
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    axes.set_xticks(list(longest))
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    plt.close(figure)
