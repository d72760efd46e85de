"""Checks the wheel of a folder: its size, what it links to and what it exports.

LLVM must stay inside the module: a second copy of it is loaded by numba, torch and others into
the same process, and no machine has our version of it installed. The libraries of SLEEF and oneTBB
lie beside it. None of the three asks for a C library newer than the one that the name claims.
"""

import email
import lzma
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib
import zipfile

MAX_PACKED_MB = 20
MAX_UNPACKED_MB = 50
PLATFORM, GLIBC = "manylinux_2_28_x86_64", (2, 28)
# A wheel claims the Python that it was built for, and pip reads what the project claims.
ROOT = pathlib.Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
TESTED_PYTHONS = [
    "cp" + classifier.rpartition(" ")[2].replace(".", "")
    for classifier in PROJECT["classifiers"]
    if re.search(r":: Python :: 3\.\d+$", classifier)
]
CLAIMED_PYTHONS = set(PROJECT["requires-python"].split(","))
EXPORTED = {
    "PyInit__core",
    "numjit_version",
    "__jit_debug_descriptor",
    "__jit_debug_register_code",
}
ALLOWED_LIBRARIES = (
    "libc.so",
    "libm.so",
    "libtbb.so",
    "libdl.so",
    "libpthread.so",
    "librt.so",
    "ld-linux",
)
LIBRARIES = ("numjit/libsleef.so.3", "numjit/libtbb.so.12")
# What modules of numjit.pycc are made of, and what of newer C libraries that must not ask for.
RUNTIME = "numjit/numjit_runtime.o.xz"
HEADERS = ("numjit/include/runtime/runtime.h", "numjit/include/pyext/standalone/module.h")
NEWER_NAMES = {
    *("arc4random", "pthread_cond_clockwait", "_dl_find_object", "__libc_single_threaded"),
    *("__isoc23_strtol", "__isoc23_strtoll", "__isoc23_strtoul", "__isoc23_strtoull"),
}


def run(*command: str) -> list[str]:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def newer(path: str) -> dict[str, list[str]]:
    """Versions of glibc after the claimed one that a library asks for, with what it asks for."""
    found = {}
    for line in run("objdump", "-T", path):
        match = re.search(r"GLIBC_((\d+)\.(\d+)[\d.]*|ABI_\w+)\)? +(\S+)$", line)
        if match and (not match[2] or (int(match[2]), int(match[3])) > GLIBC):
            found.setdefault(match[1], []).append(match[4])
    return found


def complaints(wheel: pathlib.Path):
    megabyte = 1e6
    with zipfile.ZipFile(wheel) as archive, tempfile.TemporaryDirectory() as folder:
        packed = wheel.stat().st_size / megabyte
        unpacked = sum(entry.file_size for entry in archive.infolist()) / megabyte
        print(f"{wheel.name}: {packed:.1f} MB, unpacked {unpacked:.1f} MB")
        if packed > MAX_PACKED_MB:
            yield f"larger than {MAX_PACKED_MB} MB"
        if unpacked > MAX_UNPACKED_MB:
            yield f"larger than {MAX_UNPACKED_MB} MB when unpacked"
        if wheel.name.split("-")[-3] not in TESTED_PYTHONS:
            yield f"is for a Python other than {', '.join(TESTED_PYTHONS)}"
        (metadata,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        claimed = email.message_from_bytes(archive.read(metadata))["Requires-Python"]
        if set(claimed.replace(" ", "").split(",")) != CLAIMED_PYTHONS:
            yield f"claims Python {claimed}"
        modules = [
            name for name in archive.namelist() if re.fullmatch(r"numjit/_core\..*\.so", name)
        ]
        if len(modules) != 1:
            yield f"{len(modules)} extension modules numjit._core, not one"
        if not re.search(rf"-{PLATFORM}\b|\.{PLATFORM}\b", wheel.name):
            yield f"is not for {PLATFORM}"
        for part in (*LIBRARIES, RUNTIME, *HEADERS):
            if part not in archive.namelist():
                yield f"{part} is missing"
        if RUNTIME in archive.namelist():
            object_file = pathlib.Path(folder, "numjit_runtime.o")
            object_file.write_bytes(lzma.decompress(archive.read(RUNTIME)))
            wanted = {line.split()[-1] for line in run("nm", "-u", str(object_file))}
            if wanted & NEWER_NAMES:
                yield f"{RUNTIME} needs {', '.join(sorted(wanted & NEWER_NAMES))}"
        for name in (*modules, *LIBRARIES):
            if name in archive.namelist():
                for version, symbols in newer(archive.extract(name, folder)).items():
                    yield f"{name} needs GLIBC_{version} for {', '.join(symbols)}"
        for name in modules:
            path = archive.extract(name, folder)
            for line in run("readelf", "-d", path):
                if "(NEEDED)" in line:
                    library = line.partition("[")[2].rstrip("]")
                    if not library.startswith(ALLOWED_LIBRARIES):
                        yield f"{name} links to {library}"
            exported = [line.split()[-1] for line in run("nm", "-D", "--defined-only", path)]
            if set(exported) != EXPORTED:
                yield f"{name} exports {', '.join(exported[:5])} ({len(exported)} symbols)"


def main() -> int:
    wheels = sorted(pathlib.Path(sys.argv[1]).glob("*.whl"))
    found = [f"{wheel.name}: {text}" for wheel in wheels for text in complaints(wheel)]
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found or not wheels else 0


if __name__ == "__main__":
    sys.exit(main())
