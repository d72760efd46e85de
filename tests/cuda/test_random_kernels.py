"""Some of the random kernels of fuzz/kernels.py."""

import pytest
from fuzz.kernels import check


@pytest.mark.filterwarnings("ignore::numjit.errors.NumbaPerformanceWarning")
@pytest.mark.parametrize("seed", range(1, 25))
def test_kernel_and_model_agree(seed):
    what = check(seed)
    assert what is None, what
