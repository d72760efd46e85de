"""The programs of examples/cuda: each checks what it computes, and says what it found."""

import os
import pathlib
import subprocess
import sys

import pytest

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples" / "cuda"
SAID = {
    "array_expressions.py": ["a polynomial:", "one kernel:"],
    "array_kmeans.py": ["3 rounds:"],
    "block_algorithms.py": [
        "block 0: from -0.9999 to 0.9998, at 152",
        "510 values are positive; in four bins: [333 156 166 345]",
    ],
    "ensemble.py": ["40 variables", "396 variables", "960 variables"],
    "graph.py": ["the deviation is 0.1236"],
    "linked.py": ["this program needs a GPU", "the farthest of 1000 points: 3.927"],
    "source_module.py": ["right"],
}
ARGUMENTS = {"array_kmeans.py": ["--points", "3000", "--rounds", "3"]}


def test_every_program_is_here():
    assert sorted(SAID) == sorted(path.name for path in EXAMPLES.glob("*.py"))


@pytest.mark.parametrize("name", SAID)
def test_example(name):
    command = [sys.executable, str(EXAMPLES / name), *ARGUMENTS.get(name, [])]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    said = SAID[name]
    if name == "linked.py":
        said = said[os.environ["NUMJIT_CUDA_SIMULATOR"] == "0" :][:1]
    for text in said:
        assert text in done.stdout, done.stdout
