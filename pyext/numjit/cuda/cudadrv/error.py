"""Errors of the driver and of what surrounds it, under Numba's names."""

from numjit.errors import NumbaError


class CudaDriverError(Exception):
    """The driver is at fault, or used wrongly."""


#: What the CUDA runtime calls the errors that programs ask for by name.
_RUNTIME_NAMES = {
    1: "InvalidValue",
    2: "MemoryAllocation",
    3: "InitializationError",
    100: "NoDevice",
    101: "InvalidDevice",
    200: "InvalidKernelImage",
    201: "DeviceUninitialized",
    209: "NoKernelImageForDevice",
    217: "PeerAccessUnsupported",
    218: "InvalidPtx",
    400: "InvalidResourceHandle",
    401: "IllegalState",
    500: "SymbolNotFound",
    600: "NotReady",
    700: "IllegalAddress",
    701: "LaunchOutOfResources",
    702: "LaunchTimeout",
    704: "PeerAccessAlreadyEnabled",
    705: "PeerAccessNotEnabled",
    710: "Assert",
    716: "MisalignedAddress",
    718: "InvalidPc",
    719: "LaunchFailure",
    720: "CooperativeLaunchTooLarge",
    800: "NotPermitted",
    801: "NotSupported",
    900: "StreamCaptureUnsupported",
    901: "StreamCaptureInvalidated",
    902: "StreamCaptureMerge",
    903: "StreamCaptureUnmatched",
    904: "StreamCaptureUnjoined",
    905: "StreamCaptureIsolation",
    906: "StreamCaptureImplicit",
    908: "StreamCaptureWrongThread",
}


class CudaAPIError(CudaDriverError, RuntimeError):
    """A function of the driver failed: its number and message. Programs for CuPy know it as
    CUDARuntimeError and CUDADriverError."""

    def __init__(self, code, msg=None):
        self.code = self.status = code
        self.msg = msg or f"the CUDA runtime reports the error {code}"
        super().__init__(code, self.msg)

    def __str__(self):
        name = _RUNTIME_NAMES.get(self.code)
        return f"[{self.code}] {self.msg}" + (f" (cudaError{name})" if name else "")


class CudaSupportError(ImportError):
    """There is no GPU, or no driver."""


class CudaRuntimeError(Exception):
    """The CUDA runtime failed."""


class CudaRuntimeAPIError(CudaRuntimeError):
    def __init__(self, code, msg):
        self.code, self.msg = code, msg
        super().__init__(code, msg)


class LinkerError(RuntimeError):
    """PTX or other code could not be loaded or linked."""


class NvvmError(Exception):
    """A kernel could not be made PTX."""


class NvvmSupportError(NumbaError, ImportError):
    """A part of the CUDA toolkit is missing."""


class NvrtcError(Exception):
    """CUDA C++ could not be compiled."""


class NvrtcSupportError(ImportError):
    """There is no NVRTC."""


class CCSupportError(RuntimeError):
    """The device is too old."""


class NvvmWarning(Warning):
    pass


class DeprecatedNeedsNvrtcError(NvrtcError):
    pass
