"""Which compiler the tests run: numjit, or with NUMJIT_TEST_ENGINE=numba Numba in its place.

The second is a check of the tests themselves, for those that use the common names only.
"""

import importlib
import os
import sys

ENGINE = os.environ.get("NUMJIT_TEST_ENGINE", "numjit")
if ENGINE != "numjit":
    sys.modules["numjit"] = importlib.import_module(ENGINE)
    sys.modules["numjit.errors"] = importlib.import_module(f"{ENGINE}.core.errors")


def live_blocks():
    """How many pieces of memory compiled code holds now."""
    if ENGINE != "numjit":
        return 0
    from numjit import _core

    return _core.live_blocks()
