"""Names of the vectors of kernels."""

_SCALARS = "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64"

#: Name -> scalar, number of components.
VECTORS = {f"{scalar}x{n}": (scalar, n) for scalar in _SCALARS.split() for n in (1, 2, 3, 4)}
