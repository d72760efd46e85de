"""jitclass, structref."""

from numjit.experimental import structref
from numjit.jitclasses import jitclass

__all__ = ["jitclass", "structref"]
