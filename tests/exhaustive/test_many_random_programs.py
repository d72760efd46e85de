"""More random programs than the language tests have time for, other ones in each run.

A failing program is printed in full; NUMJIT_RANDOM_PROGRAMS sets how many are tried.
"""

import os

from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st
from language.programs import array_programs, scalar_programs
from language.test_random_programs import INPUTS, compare_arrays, compare_scalars

COUNT = int(os.environ.get("NUMJIT_RANDOM_PROGRAMS", "150"))
common = dict(
    max_examples=COUNT, deadline=None, suppress_health_check=list(HealthCheck), database=None
)

integers = st.integers(-1000, 1000)


@settings(**common)
@given(scalar_programs(), integers, integers, st.floats(-1e6, 1e6), st.booleans())
def test_scalar_programs(source, i, j, x, p):
    note(source)
    compare_scalars(source, [*INPUTS, (i, j, x, p)])


@settings(**common)
@given(array_programs())
def test_array_programs(source):
    note(source)
    compare_arrays(source)
