"""Importing this chooses the first device, as pycuda.autoprimaryctx does."""

from .driver import Device

device = Device(0)
context = device.retain_primary_context()
