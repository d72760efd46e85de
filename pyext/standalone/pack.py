"""Compresses a file: pack.py FROM TO."""

import lzma
import pathlib
import sys

source, target = map(pathlib.Path, sys.argv[1:])
target.parent.mkdir(parents=True, exist_ok=True)
target.write_bytes(lzma.compress(source.read_bytes()))
