"""``inspect.signature`` of functions that are known when a program is compiled.

What it returns stands for the Signature: names, kinds and defaults of the parameters are constants,
so that tests of them decide branches.
"""

import dataclasses
import inspect

from ..core.intrinsics import refuse
from ..core.registry import function
from .mixed_dicts import MixedDict


@dataclasses.dataclass(frozen=True)
class KnownParameter:
    """A parameter; `default` is `inspect.Parameter.empty` if it has none."""

    name: str
    kind: inspect._ParameterKind
    default: object

    is_converted = True

    def _numjit_to_python_(self):
        return inspect.Parameter(self.name, self.kind, default=self.default)


@dataclasses.dataclass(frozen=True)
class KnownSignature:
    """What a Signature is to the compiler."""

    parameters: MixedDict

    is_converted = True

    def _numjit_to_python_(self):
        return inspect.Signature(list(self.parameters.values()))


def signature_of(function):
    """Called by the compiler (typeinfer/rules/lookup.cpp)."""
    found = inspect.signature(function).parameters
    rows = [KnownParameter(each.name, each.kind, each.default) for each in found.values()]
    return KnownSignature(MixedDict(tuple(found), tuple(rows)))


@function("inspect.signature")
def signature(obj):
    """Calls are carried out while a program is compiled."""
    refuse("inspect.signature(): the argument must be known at compile time")
