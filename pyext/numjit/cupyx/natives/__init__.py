"""What takes the place of SciPy's compiled modules for device arrays (see ../code.py)."""
