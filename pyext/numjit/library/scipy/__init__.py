"""Functions of SciPy, where it is installed."""
