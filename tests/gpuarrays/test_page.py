"""The page about GPU arrays; `tests/cuda/test_examples.py` runs the programs."""

import pathlib

DOCS = pathlib.Path(__file__).parents[2] / "docs"


def test_the_page():
    """The first program of docs/gpu-arrays.md."""
    text = (DOCS / "gpu-arrays.md").read_text()
    exec(compile(text.split("```python\n")[1].split("```")[0], "gpu-arrays.md", "exec"), {})
