"""cuda.In, cuda.Out, cuda.InOut: which way a host array is copied around a launch."""


class ArgHint:
    def __init__(self, value):
        self.value = value


class In(ArgHint):
    """Copied to the device, not back."""


class Out(ArgHint):
    """Copied back, not to the device."""


class InOut(ArgHint):
    """Copied to the device and back."""


def wrap_arg(value, default=InOut):
    """An argument with its way of being copied, `default` where it has none."""
    return value if isinstance(value, ArgHint) else default(value)
