"""Tests of what the simulator alone does."""

import pytest
from numjit import cuda

simulated_only = pytest.mark.skipif(
    not cuda.is_simulated(), reason="a GPU does not notice: it hangs, or gives a wrong result"
)
