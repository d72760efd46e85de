"""The launch that a kernel is compiled for, while it is compiled: for what generates code."""

from __future__ import annotations

import contextlib
import threading

from numjit import _core

_local = threading.local()


def key_of(launcher):
    """What tells launch configurations apart for code that is made for one."""
    return launcher.griddim, launcher.blockdim, launcher.sharedmem


class LaunchConfig:
    """A configured kernel, `kernel[griddim, blockdim, stream, sharedmem]`, and the arguments of a
    call."""

    def __init__(self, dispatcher, launcher, args):
        self.dispatcher, self.launcher, self.args = dispatcher, launcher, tuple(args)
        self.griddim, self.blockdim = launcher.griddim, launcher.blockdim
        self.stream, self.sharedmem = launcher.stream, launcher.sharedmem
        self.key = key_of(launcher)

    @property
    def pre_launch_callbacks(self):
        return self.launcher.pre_launch_callbacks

    def mark_kernel_as_launch_config_sensitive(self):
        """From now on the kernel is compiled for each configuration that it is launched with."""
        self.dispatcher.for_configurations()

    def is_kernel_launch_config_sensitive(self):
        return self.dispatcher.per_configuration is not None

    def __repr__(self):
        return f"<launch of {self.dispatcher.__name__} {self.griddim} {self.blockdim}>"


@contextlib.contextmanager
def compiling(dispatcher, launcher, args):
    """Within, a kernel is compiled for a launch."""
    if launcher is None:
        yield
        return
    before = getattr(_local, "current", None)
    _local.current = config = LaunchConfig(dispatcher, launcher, args)
    for wanted, capture in getattr(_local, "captures", ()):
        if wanted is dispatcher:
            capture["config"] = config
    try:
        yield
    finally:
        _local.current = before


def current_launch_config():
    """What is compiled for in this thread, or None."""
    config = getattr(_local, "current", None)
    if config is not None:
        # What an overload answers now holds for this launch: it is not kept for others.
        _core.note_overload("")
    return config


def ensure_current_launch_config():
    """What is compiled for in this thread."""
    config = current_launch_config()
    if config is None:
        raise RuntimeError("No launch configuration: no kernel is being compiled for a launch")
    return config


@contextlib.contextmanager
def capture_compile_config(dispatcher):
    """Within, a launch of this thread that compiles the kernel leaves its configuration in the
    dict, under "config"."""
    captures = _local.__dict__.setdefault("captures", [])
    capture = {"config": None}
    captures.append((dispatcher, capture))
    try:
        yield capture
    finally:
        captures[:] = [each for each in captures if each[1] is not capture]
