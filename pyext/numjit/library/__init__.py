"""What NumPy's functions and Python's containers do, written in the subset that numjit compiles.

Importing this package registers every function with the compiler; nothing is compiled before it is
used.
"""

from . import (  # noqa: F401
    array_expressions,
    bisection,
    classes,
    complex_math,
    creation,
    cuda,
    cumulative,
    dicts,
    hashing,
    heaps,
    indexing,
    limits,
    linalg,
    lists,
    manipulation,
    math_functions,
    methods,
    operator_functions,
    parallel,
    polynomial,
    products,
    python_builtins,
    random,
    random_generator,
    reductions,
    searching,
    sets,
    sorting,
    statistics,
    stride_tricks,
    strings,
    tables,
    times,
    ufuncs,
    windows,
)
