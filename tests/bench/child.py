"""Runs one measurement in its own process: `python child.py MODULE ARGUMENT...` prints JSON."""

import importlib
import json
import sys

import catalogue  # noqa: F401  (sets the import path of kernels and examples)

if __name__ == "__main__":
    module, *arguments = sys.argv[1:]
    print(json.dumps(importlib.import_module(module).measure(*arguments)))
