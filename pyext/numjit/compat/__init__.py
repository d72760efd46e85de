"""What exists for programs written for Numba: import paths, data models, cgutils and the like."""
