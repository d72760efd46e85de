"""Constants of CUDA's headers that cupy.cuda.runtime has, by their common beginnings."""

from __future__ import annotations

_TABLE = {
    "cudaAddressMode": "Border 3 Clamp 1 Mirror 2 Wrap 0",
    "cudaArray": "Default 0 SurfaceLoadStore 2",
    "cudaChannelFormatKind": "Float 2 None 3 Signed 0 Unsigned 1",
    "cudaDevAttr": (
        "AsyncEngineCount 40 CanFlushRemoteWrites 98 CanMapHostMemory 19 "
        "CanUseHostPointerForRegisteredMem 91 ClockRate 13 ComputeMode 20 "
        "ComputePreemptionSupported 90 ConcurrentKernels 31 ConcurrentManagedAccess 89 "
        "CooperativeLaunch 95 CooperativeMultiDeviceLaunch 96 DirectManagedMemAccessFromHost 101 "
        "EccEnabled 32 GPUDirectRDMAFlushWritesOptions 117 GPUDirectRDMASupported 116 "
        "GPUDirectRDMAWritesOrdering 118 GlobalL1CacheSupported 79 GlobalMemoryBusWidth 37 "
        "GpuOverlap 15 HostNativeAtomicSupported 86 HostRegisterReadOnlySupported 113 "
        "HostRegisterSupported 99 Integrated 18 IsMultiGpuBoard 84 KernelExecTimeout 17 "
        "L2CacheSize 38 LocalL1CacheSupported 80 ManagedMemory 83 MaxBlockDimX 2 MaxBlockDimY 3 "
        "MaxBlockDimZ 4 MaxBlocksPerMultiprocessor 106 MaxGridDimX 5 MaxGridDimY 6 MaxGridDimZ 7 "
        "MaxPitch 11 MaxRegistersPerBlock 12 MaxRegistersPerMultiprocessor 82 "
        "MaxSharedMemoryPerBlock 8 MaxSharedMemoryPerBlockOptin 97 "
        "MaxSharedMemoryPerMultiprocessor 81 MaxSurface1DLayeredLayers 62 "
        "MaxSurface1DLayeredWidth 61 MaxSurface1DWidth 55 MaxSurface2DHeight 57 "
        "MaxSurface2DLayeredHeight 64 MaxSurface2DLayeredLayers 65 MaxSurface2DLayeredWidth 63 "
        "MaxSurface2DWidth 56 MaxSurface3DDepth 60 MaxSurface3DHeight 59 MaxSurface3DWidth 58 "
        "MaxSurfaceCubemapLayeredLayers 68 MaxSurfaceCubemapLayeredWidth 67 "
        "MaxSurfaceCubemapWidth 66 MaxTexture1DLayeredLayers 43 MaxTexture1DLayeredWidth 42 "
        "MaxTexture1DLinearWidth 69 MaxTexture1DMipmappedWidth 77 MaxTexture1DWidth 21 "
        "MaxTexture2DGatherHeight 46 MaxTexture2DGatherWidth 45 MaxTexture2DHeight 23 "
        "MaxTexture2DLayeredHeight 28 MaxTexture2DLayeredLayers 29 MaxTexture2DLayeredWidth 27 "
        "MaxTexture2DLinearHeight 71 MaxTexture2DLinearPitch 72 MaxTexture2DLinearWidth 70 "
        "MaxTexture2DMipmappedHeight 74 MaxTexture2DMipmappedWidth 73 MaxTexture2DWidth 22 "
        "MaxTexture3DDepth 26 MaxTexture3DDepthAlt 49 MaxTexture3DHeight 25 MaxTexture3DHeightAlt "
        "48 MaxTexture3DWidth 24 MaxTexture3DWidthAlt 47 MaxTextureCubemapLayeredLayers 54 "
        "MaxTextureCubemapLayeredWidth 53 MaxTextureCubemapWidth 52 MaxThreadsPerBlock 1 "
        "MaxThreadsPerMultiProcessor 39 MaxTimelineSemaphoreInteropSupported 114 MemoryClockRate "
        "36 MemoryPoolSupportedHandleTypes 119 MemoryPoolsSupported 115 MultiGpuBoardGroupID 85 "
        "MultiProcessorCount 16 PageableMemoryAccess 88 PageableMemoryAccessUsesHostPageTables "
        "100 PciBusId 33 PciDeviceId 34 PciDomainId 50 ReservedSharedMemoryPerBlock 111 "
        "SingleToDoublePrecisionPerfRatio 87 SparseCudaArraySupported 112 "
        "StreamPrioritiesSupported 78 SurfaceAlignment 30 TccDriver 35 TextureAlignment 14 "
        "TexturePitchAlignment 51 TotalConstantMemory 9 UnifiedAddressing 41 WarpSize 10"
    ),
    "cudaFilterMode": "Linear 1 Point 0",
    "cudaGraphDebugDotFlags": (
        "ConditionalNodeParams 32768 EventNodeParams 64 ExtSemasSignalNodeParams 128 "
        "ExtSemasWaitNodeParams 256 Handles 1024 HostNodeParams 32 KernelNodeAttributes 512 "
        "KernelNodeParams 4 MemcpyNodeParams 8 MemsetNodeParams 16 Verbose 1"
    ),
    "cudaMemAdvise": (
        "SetAccessedBy 5 SetPreferredLocation 3 SetReadMostly 1 UnsetAccessedBy 6 "
        "UnsetPreferredLocation 4 UnsetReadMostly 2"
    ),
    "cudaMemAllocationType": "Pinned 1",
    "cudaMemHandleType": "None 0 PosixFileDescriptor 1",
    "cudaMemLocationType": "Device 1 Host 2 HostNuma 3 HostNumaCurrent 4 Invalid 0",
    "cudaReadMode": "ElementType 0 NormalizedFloat 1",
    "cudaResourceType": "Array 0 Linear 2 MipmappedArray 1 Pitch2D 3",
}

#: Names -> numbers.
CONSTANTS = {}
for _beginning, _text in _TABLE.items():
    _words = _text.split()
    for _name, _number in zip(_words[::2], _words[1::2]):
        CONSTANTS[_beginning + _name] = int(_number)
