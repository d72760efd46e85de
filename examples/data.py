"""Real inputs: the sample photographs that scikit-learn ships."""

import numpy as np
from sklearn.datasets import load_sample_image


def photograph(name="china.jpg", step=1):
    """Colour planes first, float64 in 0..1: shape (3, height, width)."""
    pixels = load_sample_image(name)[::step, ::step] / 255.0
    return np.ascontiguousarray(pixels.transpose(2, 0, 1))


def grey_photograph():
    return np.ascontiguousarray(photograph().mean(axis=0))


def patches(count=64, size=28):
    """`count` patches of the flower photograph, row by row: (count, 3, size, size)."""
    planes = photograph("flower.jpg")
    per_row = planes.shape[2] // size
    corners = [divmod(i, per_row) for i in range(count)]
    return np.stack([planes[:, r * size :, c * size :][:, :size, :size] for r, c in corners])


def edge_filters(count=16, size=5):
    """Oriented edge detectors (odd Gabor), same for each colour: (count, 3, size, size)."""
    y, x = np.mgrid[:size, :size] - size // 2
    angles = (np.arange(count) * np.pi / count)[:, None, None]
    across = x * np.cos(angles) + y * np.sin(angles)
    wave = np.exp(-(x * x + y * y) / 4.0) * np.sin(across * 1.6)
    return np.repeat(wave[:, None], 3, axis=1) / 3
