"""The import paths of numba.core: `numjit.core.errors`, `.types`, `.config`, `.typing`, ..."""

import sys

from numjit import config, dispatcher, errors, extending, signatures, types

for _name, _module in (
    ("errors", errors),
    ("types", types),
    ("config", config),
    ("extending", extending),
    ("dispatcher", dispatcher),
    ("sigutils", signatures),
    ("typing", signatures),
):
    sys.modules[f"{__name__}.{_name}"] = globals()[_name] = _module
