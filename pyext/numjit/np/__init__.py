"""Numba's package of what is about NumPy."""
