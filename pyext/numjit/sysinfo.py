"""Facts about the machine and the installation, for reports of bugs."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import sys

import numjit
from numjit import _core, config


def facts() -> list[tuple[str, str]]:
    """Names and values, in the order they are printed."""
    found = [
        ("numjit", numjit.__version__),
        ("Python", sys.version.replace("\n", " ")),
        ("platform", platform.platform()),
        ("processors", f"{len(os.sched_getaffinity(0))} of {os.cpu_count()}"),
    ]
    for name in ("numpy", "scipy", "cloudpickle", "numba"):
        try:
            found.append((name, importlib.metadata.version(name)))
        except importlib.metadata.PackageNotFoundError:
            found.append((name, "not installed"))
    for name in ("llvm_version", "cpu_name"):
        if hasattr(_core, name):
            value = getattr(_core, name)
            found.append((name, str(value() if callable(value) else value)))
    found += [
        (f"config.{setting.name}", str(getattr(config, setting.name)))
        for setting in config.SETTINGS
    ]
    found.append(("live blocks", str(_core.live_blocks())))
    return found


def report() -> str:
    return "\n".join(f"{name:<36}{value}" for name, value in facts())
