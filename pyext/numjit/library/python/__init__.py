"""Builtins, methods of Python's containers and strings, and modules of the standard library."""
