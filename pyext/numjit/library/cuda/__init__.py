"""What kernels call: operations of the device, and NVIDIA's libdevice."""
