"""Errors blame the line and the expression."""

import numpy as np

# STAGE: typed


# TYPES: (int64)
def unknown_name(x):
    y = x + 1
    return y + unknown  # ERROR: name 'unknown' is not defined


# TYPES: (float64[:], float64[:])
def unknown_attribute(a, b):
    return a.shap  # ERROR: Unknown attribute 'shap'


# TYPES: (float64[:, :])
def too_many_indices(a):
    total = 0.0
    total += a[0, 0, 0]  # ERROR: cannot index .* with 3 indices
    return total


# TYPES: (int64)
def two_types(n):
    if n > 0:
        x = (1, 2)
    else:
        x = np.zeros(3)  # ERROR: Cannot unify
    for item in x:
        n += 1
    return n


# TYPES: (int64)
def no_operator(n):
    return n + "text"  # ERROR: No implementation of function operator.add


# TYPES: (float64[:])
def float_index(a):
    return a[1.5]  # ERROR: cannot index .* with float64


# TYPES: (int64)
def unassigned(n):
    if n is None:
        x = 1
    return x  # ERROR: variable 'x' is used before it is assigned
