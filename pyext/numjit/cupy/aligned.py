"""cupy.make_aligned_dtype: records whose fields lie as kernels want them."""

from __future__ import annotations

import numpy as np

_ALIGNMENT = "__cuda_alignment__"


def make_aligned_dtype(dtype, *, alignment=-1, recurse=True):
    """A dtype of records whose fields lie at multiples of their sizes, complex ones included, with
    padding at the end for arrays of them. A larger alignment is kept as metadata."""
    dtype = np.dtype(dtype)
    if dtype.names is None:
        raise ValueError(f"make_aligned_dtype() only supports structured dtypes, not {dtype}")
    made, least = _aligned(dtype, recurse)
    if alignment == -1 or alignment == least:
        return made
    if alignment < least or alignment & (alignment - 1):
        raise ValueError(f"the alignment has to be a power of two of at least {least} bytes")
    spec = {key: [made.fields[name][i] for name in made.names]
            for i, key in enumerate(("formats", "offsets"))}  # fmt: skip
    size = -(-made.itemsize // alignment) * alignment
    spec |= {"names": list(made.names), "itemsize": size}
    return np.dtype(spec, metadata={_ALIGNMENT: alignment})


def _aligned(dtype, recurse):
    """A dtype with its fields aligned, and what it has to be aligned to itself."""
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        made, alignment = _aligned(base, recurse)
        return np.dtype((made, shape)), alignment
    if dtype.names is None:
        return dtype, 1 if dtype.kind in "VSU" else dtype.itemsize
    given = (dtype.metadata or {}).get(_ALIGNMENT, 1)
    if not recurse:
        return dtype, max(given, dtype.alignment)
    formats, offsets, end, largest = [], [], 0, given
    for name in dtype.names:
        made, alignment = _aligned(dtype.fields[name][0], recurse)
        end = -(-end // alignment) * alignment
        formats.append(made)
        offsets.append(end)
        end += made.itemsize
        largest = max(largest, alignment)
    size = -(-end // largest) * largest
    spec = {"names": list(dtype.names), "formats": formats, "offsets": offsets, "itemsize": size}
    return np.dtype(spec), largest
