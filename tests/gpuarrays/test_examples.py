"""The programs of examples/ for GPU arrays."""

import pathlib
import subprocess
import sys

import pytest

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize(
    "arguments",
    [["gpu_kmeans.py", "--points", "3000", "--rounds", "3"], ["gpu_fusion.py"],
     ["gpu_source_module.py"]],
    ids=lambda arguments: arguments[0],
)  # fmt: skip
def test_examples(arguments):
    program, *rest = arguments
    subprocess.run([sys.executable, str(EXAMPLES / program), *rest], check=True)


def test_the_page():
    """The first program of docs/gpu-arrays.md."""
    text = (EXAMPLES.parent / "docs" / "gpu-arrays.md").read_text()
    exec(compile(text.split("```python\n")[1].split("```")[0], "gpu-arrays.md", "exec"), {})
