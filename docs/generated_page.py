"""What the scripts that write a page of the documentation do with its text."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path


def main(path: Path, page: Callable[[], str]) -> int:
    """Writes the page; with --check only says by its exit code, 1, that it is not current."""
    text = page()
    if "--check" in sys.argv[1:]:
        return 0 if path.exists() and path.read_text() == text else 1
    path.write_text(text)
    return 0
