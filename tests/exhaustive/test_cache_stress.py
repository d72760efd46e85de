"""The cache on disk under 16 processes for 8 s; NUMJIT_STRESS_SECONDS sets another time."""

import os

from language.cache_stress import stress


def test_stress(tmp_path):
    seconds = float(os.environ.get("NUMJIT_STRESS_SECONDS", "8"))
    well, killed = stress(
        tmp_path, processes=16, seconds=seconds, seed=int.from_bytes(os.urandom(4))
    )
    print(f"{well} processes ended well, {killed} were killed")
