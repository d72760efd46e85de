"""The table of instructions is that of the interpreter that runs the tests."""

import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "frontend" / "opcodes"


def check(script):
    return subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)


def test_numbers_and_caches():
    assert check(FOLDER / "generate.py").stderr == ""


@pytest.mark.parametrize("change", ["number", "missing row", "missing file"])
def test_what_differs_is_found(tmp_path, change):
    name = f"3.{sys.version_info[1]}.def"
    lines = (FOLDER / name).read_text().splitlines(keepends=True)
    if change == "number":
        lines[-1] = lines[-1].replace(", ", ", 1", 1)
    elif change == "missing row":
        del lines[-1]
    (tmp_path / "generate.py").write_text((FOLDER / "generate.py").read_text())
    if change != "missing file":
        (tmp_path / name).write_text("".join(lines))
    checked = check(tmp_path / "generate.py")
    assert checked.returncode == 1 and "does not hold the instructions" in checked.stderr
