"""Extension modules that need NumPy but not numjit: what pycc makes where it can.

Such a module is put together by the C compiler of four things: the machine code of its functions as
object files, a source with tables of their types and of what they refer to, the headers
of pyext/standalone, which convert arguments and results by these tables, and numjit's runtime
without the compiler. What none of these has is a reason for NotStandalone.
"""

from __future__ import annotations

import inspect
import lzma
import os
from dataclasses import dataclass

import numpy as np

from numjit import _core
from numjit.decorators import dispatcher_of
from numjit.signatures import normalize_signature
from numjit.standalone_source import Function, NotStandalone, Source

#: Where the package has what is not Python: the headers, the runtime.
_HOME = os.path.dirname(_core.__file__)
RUNTIME = os.path.join(_HOME, "numjit_runtime.o.xz")


@dataclass
class Parts:
    """What the C compiler makes a module of."""

    source: str
    objects: list[str]
    includes: list[str]
    options: list[str]  # of the linker


def write_module(name, exported, cpu, folder) -> Parts:
    """Writes the parts of a module into a folder. Raises NotStandalone."""
    source = Source(name)
    reasons = []
    for number, (exported_name, (python, signature, options)) in enumerate(exported.items()):
        try:
            source.add(_compiled(exported_name, python, signature, options, number, cpu))
        except NotStandalone as problem:
            reasons += [f"{exported_name}(): {reason}" for reason in problem.args]
    if not os.path.exists(RUNTIME):
        reasons.append("this build of numjit has no runtime to link")
    if reasons:
        raise NotStandalone(*reasons)

    def written(file_name, data):
        path = os.path.join(folder, file_name)
        with open(path, "wb") as file:
            file.write(data)
        return path

    with lzma.open(RUNTIME) as packed:
        runtime = written("numjit_runtime.o", packed.read())
    objects = [written(f"{name}.{i}.o", made.file) for i, made in enumerate(source.functions)]
    exports = written(f"{name}.map", b"{ global: PyInit_%s; local: *; };\n" % name.encode())
    return Parts(
        written(f"{name}.c", source.text().encode()),
        [*objects, runtime],
        [os.path.join(_HOME, "include"), np.get_include()],
        ["-Wl,--gc-sections", f"-Wl,--version-script={exports}", "-lm", "-ldl", "-lpthread"],
    )


def _compiled(name, python, signature, options, number, cpu) -> Function:
    if python.__code__.co_flags & inspect.CO_VARKEYWORDS:
        raise NotStandalone("it has **kwargs")
    arguments, result = normalize_signature(signature)
    options = {key: value for key, value in options.items() if key not in ("cache", "nopython")}
    dispatcher = dispatcher_of(python, **options)  # also where DISABLE_JIT is set
    prefix = f"numjit.{number}."
    return Function(
        name,
        python,
        prefix,
        bool(options.get("nogil")),
        *_core.standalone(dispatcher, [a._handle for a in arguments], result, prefix, cpu),
    )
