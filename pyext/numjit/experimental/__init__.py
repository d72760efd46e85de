"""jitclass."""

from numjit.jitclasses import jitclass

__all__ = ["jitclass"]
