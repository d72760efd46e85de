"""Calls of compiled functions that profilers see (NUMJIT_PROFILE_CALLS)."""

from __future__ import annotations


def show_calls(dispatcher):
    """Makes calls from Python go through a frame with the function's name and place.

    `cProfile`, `sys.setprofile`, `sys.settrace` and `sys.monitoring` see frames, and of other
    objects that are called no more than Python's own builtins. Calls in compiled code stay unseen.
    """
    call = dispatcher._call

    def shown(*args, **kwargs):
        return call(*args, **kwargs)

    code = dispatcher.py_func.__code__
    shown.__code__ = shown.__code__.replace(
        co_name=code.co_name,
        co_qualname=code.co_qualname,
        co_filename=code.co_filename,
        co_firstlineno=code.co_firstlineno,
        co_linetable=b"",
    )
    dispatcher._frame = shown
