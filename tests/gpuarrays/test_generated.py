"""Every NumPy function of the library over device arrays, compared with NumPy: value, dtype, shape,
error class, arguments afterwards. The calls are those of tests/numpy/test_generated.py, fewer of
them: a combination of keywords, or a method that a function is too, meets one sample."""

from itertools import islice

import numpy as np
import pytest
from gpuarrays.generated import DIFFERENCES, outcome_of
from numjit.library.core.catalogue import functions, numpy_object
from numpy_cases.cases import cases_of

NAMES = [name for name in functions() if numpy_object(name, None) is not None]
UNWRITTEN = {
    "empty empty_like ndarray": "NumPy does not write such an array, either",
    "linalg.cond linalg.matrix_norm linalg.matrix_rank": "cuSOLVER reads what it has not written",
    "linalg.pinv linalg.svd linalg.svdvals": "cuSOLVER reads what it has not written",
}
MARKS = {
    f"numpy.{name}": pytest.mark.unwatched("initcheck", reason=reason)
    for names, reason in UNWRITTEN.items()
    for name in names.split()
}


@pytest.mark.parametrize("name", [pytest.param(name, marks=MARKS.get(name, ())) for name in NAMES])
def test_function(name):
    state = np.random.get_state()
    try:
        failures = []
        for case in cases_of(name):
            for call in islice(case.calls(), 1 if case.is_brief else None):
                found = outcome_of(name, call)
                if found is not None:
                    failures.append(f"{case.label}: {found}\n    for {call}")
    finally:
        np.random.set_state(state)
    if failures:
        pytest.fail(f"{len(failures)} calls differ\n" + "\n".join(failures[:4]), pytrace=False)


def test_rows_have_functions():
    from fnmatch import fnmatchcase

    for names, *_ in DIFFERENCES:
        assert any(fnmatchcase(name, names) for name in NAMES), names
