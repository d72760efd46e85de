"""What NumPy's functions and Python's containers do, written in the subset that numjit compiles.

Importing this package registers every function with the compiler; nothing is compiled before it is
used.
"""

from .core import (  # noqa: F401
    array_expressions,
    classes,
    hashing,
    parallel,
    tables,
)
from .cuda import (  # noqa: F401
    device,
)
from .numpy import (  # noqa: F401
    comparison,
    creation,
    cumulative,
    indexing,
    joining,
    limits,
    linalg,
    manipulation,
    methods,
    picking,
    polynomial,
    products,
    random,
    random_generator,
    reductions,
    searching,
    sorting,
    statistics,
    stride_tricks,
    times,
    ufuncs,
    windows,
)
from .python import (  # noqa: F401
    bisection,
    complex_functions,
    complex_math,
    dicts,
    heaps,
    interpreter,
    lists,
    math_functions,
    operator_functions,
    python_builtins,
    sets,
    strings,
)
