"""The program of examples/ about blocks, whole arrays and graphs."""

import pathlib
import runpy


def test_blocks(capsys):
    path = pathlib.Path(__file__).parents[2] / "examples" / "cuda_blocks.py"
    runpy.run_path(str(path), run_name="__main__")
    text = capsys.readouterr().out
    assert "block 0: from -0.9999 to 0.9998, at 152" in text
    assert "510 values are positive; in four bins: [333 156 166 345]" in text
    assert "after 200 steps the deviation is 0.1236" in text
