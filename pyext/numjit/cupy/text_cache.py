"""Machine code of kernels that are C++, kept on disk: cupy.cuda._compiler_cache."""

from __future__ import annotations

import contextlib
import os

from numjit import _core, config


def _folder():
    base = config.CACHE_DIR or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "numjit"
    )
    return os.path.join(base, "cuda-text")


def _hash_hexdigest(data):
    return _core.digest(data)


_hash_length = len(_hash_hexdigest(b""))
_default_cache_dir = _folder()


class DiskKernelCacheBackend:
    """A folder with a file for each kernel, which begins with a hash of the rest."""

    def __init__(self, cache_dir=None):
        self._given = cache_dir or os.environ.get("CUPY_CACHE_DIR")
        with contextlib.suppress(OSError):  # without a place to write nothing is kept
            os.makedirs(self._cache_dir, exist_ok=True)

    @property
    def _cache_dir(self):
        return self._given or _folder()

    def load(self, name):
        """What was kept under a name; None if nothing was, or if it has been damaged."""
        try:
            with open(os.path.join(self._cache_dir, name), "rb") as file:
                return self._decode_cubin(file.read())
        except OSError:
            return None

    def save(self, name, cubin, source=None):
        """Keeps bytes under a name, and the source beside them if that is asked for."""
        self._write_encoded(name, self._encode_cubin(cubin))
        if source and os.environ.get("CUPY_CACHE_SAVE_CUDA_SOURCE") == "1":
            self._write_encoded(f"{name}.cu", source.encode())

    @staticmethod
    def _encode_cubin(cubin):
        return _hash_hexdigest(cubin).encode("ascii") + cubin

    @staticmethod
    def _decode_cubin(data):
        mark, cubin = data[:_hash_length], data[_hash_length:]
        return cubin if mark == _hash_hexdigest(cubin).encode("ascii") else None

    def _write_encoded(self, name, data):
        """Writes a file whole."""
        from tempfile import NamedTemporaryFile

        with contextlib.suppress(OSError):
            os.makedirs(self._cache_dir, exist_ok=True)
            with NamedTemporaryFile(dir=self._cache_dir, delete=False) as file:
                file.write(data)
            os.replace(file.name, os.path.join(self._cache_dir, name))


#: What a file of a module with names of templates begins with.
_cache_payload_magic = b"numjit names\0"


def _encode_cache_payload(names, cubin):
    """A cubin behind the names that templates have in it."""
    rows = b"".join(name.encode() + b"\0" for name in names)
    return _cache_payload_magic + b"%d\0" % len(names) + rows + cubin


def _decode_cache_payload(payload, count):
    """So many names, and the cubin; None for what was not encoded with as many."""
    if not payload.startswith(_cache_payload_magic):
        return None
    number, _, rest = payload[len(_cache_payload_magic) :].partition(b"\0")
    if number != b"%d" % count:
        return None
    *names, cubin = rest.split(b"\0", count)
    return ([name.decode() for name in names], cubin) if len(names) == count else None
