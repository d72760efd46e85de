"""Filters of images of bytes."""

import numpy as np
from kernel import Kernel
from numjit import njit


@njit
def box_blur_bytes(image):
    h, w = image.shape
    out = image.copy()
    for y in range(1, h - 1):
        for x in range(1, w - 1):
            total = 0
            for dy in range(-1, 2):
                for dx in range(-1, 2):
                    total += int(image[y + dy, x + dx])
            out[y, x] = total // 9
    return out


@njit
def sobel_bytes(image):
    h, w = image.shape
    out = np.zeros((h, w), np.uint8)
    for y in range(1, h - 1):
        for x in range(1, w - 1):
            gx = (
                int(image[y - 1, x + 1])
                + 2 * int(image[y, x + 1])
                + int(image[y + 1, x + 1])
                - int(image[y - 1, x - 1])
                - 2 * int(image[y, x - 1])
                - int(image[y + 1, x - 1])
            )
            gy = (
                int(image[y + 1, x - 1])
                + 2 * int(image[y + 1, x])
                + int(image[y + 1, x + 1])
                - int(image[y - 1, x - 1])
                - 2 * int(image[y - 1, x])
                - int(image[y - 1, x + 1])
            )
            out[y, x] = min(255, abs(gx) + abs(gy))
    return out


@njit
def median3(image):
    h, w = image.shape
    out = image.copy()
    window = np.empty(9, image.dtype)
    for y in range(1, h - 1):
        for x in range(1, w - 1):
            n = 0
            for dy in range(-1, 2):
                for dx in range(-1, 2):
                    window[n] = image[y + dy, x + dx]
                    n += 1
            for i in range(1, 9):
                v, j = window[i], i - 1
                while j >= 0 and window[j] > v:
                    window[j + 1] = window[j]
                    j -= 1
                window[j + 1] = v
            out[y, x] = window[4]
    return out


@njit
def grayscale(rgb):
    h, w, _ = rgb.shape
    out = np.empty((h, w), np.uint8)
    for y in range(h):
        for x in range(w):
            out[y, x] = np.uint8(0.299 * rgb[y, x, 0] + 0.587 * rgb[y, x, 1] + 0.114 * rgb[y, x, 2])
    return out


def rng():
    return np.random.default_rng(1)


def bytes_2d(n):
    return rng().integers(0, 256, (n, n), dtype=np.uint8)


KERNELS = {
    "box_blur_bytes": Kernel(box_blur_bytes, lambda: (bytes_2d(300),), lambda: (bytes_2d(8),)),
    "sobel_bytes": Kernel(sobel_bytes, lambda: (bytes_2d(300),), lambda: (bytes_2d(8),)),
    "median3": Kernel(median3, lambda: (bytes_2d(100),), lambda: (bytes_2d(8),)),
    "grayscale": Kernel(
        grayscale,
        lambda: (rng().integers(0, 256, (300, 300, 3), dtype=np.uint8),),
        lambda: (rng().integers(0, 256, (5, 5, 3), dtype=np.uint8),),
    ),
}
