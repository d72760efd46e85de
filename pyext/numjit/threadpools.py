"""numjit's threads beside those of BLAS and OpenMP, for threadpoolctl.

threadpoolctl finds the thread pools of a process by the files of the libraries that it has loaded,
and takes classes for more kinds of them. It is optional, and nothing here imports it.
"""

import functools
import sys

from numjit import _core


def show_to_threadpoolctl():
    """Makes `threadpool_info` list numjit and `threadpool_limits` limit its parallel loops, if the
    program has imported threadpoolctl. A limit holds in the thread that sets it."""
    module = sys.modules.get("threadpoolctl")
    if hasattr(module, "register"):  # 3.2 and newer
        _show(module)


@functools.cache
def _show(threadpoolctl):
    class Threads(threadpoolctl.LibController):
        user_api = internal_api = "numjit"
        filename_prefixes = ("_core",)
        check_symbols = ("numjit_version",)

        def get_num_threads(self):
            return _core.get_num_threads()

        def set_num_threads(self, num_threads):
            _core.set_num_threads(max(1, min(num_threads, _core.thread_limit())))

        def get_version(self):
            return _core.__version__

    threadpoolctl.register(Threads)
