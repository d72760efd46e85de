"""Importing this chooses the first device, as pycuda.autoinit does."""

from .driver import Device

device = Device(0)
context = device.make_context()
