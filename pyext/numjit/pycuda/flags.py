"""Numbers of the driver by name: flags, limits, attributes of functions."""

from __future__ import annotations


class ctx_flags:
    """Flags of contexts; the device's primary context is used whatever they are."""

    SCHED_AUTO, SCHED_SPIN, SCHED_YIELD, SCHED_BLOCKING_SYNC, MAP_HOST = 0, 1, 2, 4, 8
    BLOCKING_SYNC, SCHED_MASK, LMEM_RESIZE_TO_MAX, FLAGS_MASK = 4, 7, 16, 31


class host_alloc_flags:
    PORTABLE, DEVICEMAP, WRITECOMBINED = 1, 2, 4


class mem_host_register_flags:
    PORTABLE, DEVICEMAP = 1, 2


class mem_attach_flags:
    GLOBAL, HOST, SINGLE = 1, 2, 4


class mem_peer_register_flags:
    DEVICEMAP = 2


class event_flags:
    DEFAULT, BLOCKING_SYNC, DISABLE_TIMING, INTERPROCESS = 0, 1, 2, 4


class func_cache:
    PREFER_NONE, PREFER_SHARED, PREFER_L1, PREFER_EQUAL = range(4)


class shared_config:
    DEFAULT_BANK_SIZE, FOUR_BYTE_BANK_SIZE, EIGHT_BYTE_BANK_SIZE = range(3)


class limit:
    STACK_SIZE, PRINTF_FIFO_SIZE, MALLOC_HEAP_SIZE, DEV_RUNTIME_SYNC_DEPTH = range(4)
    DEV_RUNTIME_PENDING_LAUNCH_COUNT, MAX_L2_FETCH_GRANULARITY = 4, 5


class jit_input_type:
    CUBIN, PTX, FATBINARY, OBJECT, LIBRARY = range(5)


class memory_type:
    HOST, DEVICE, ARRAY, UNIFIED = 1, 2, 3, 4


class pointer_attribute:
    CONTEXT, MEMORY_TYPE, DEVICE_POINTER, HOST_POINTER = 1, 2, 3, 4


class function_attribute:
    MAX_THREADS_PER_BLOCK, SHARED_SIZE_BYTES, CONST_SIZE_BYTES, LOCAL_SIZE_BYTES = range(4)
    NUM_REGS, PTX_VERSION, BINARY_VERSION, CACHE_MODE_CA = 4, 5, 6, 7
    MAX_DYNAMIC_SHARED_SIZE_BYTES, PREFERRED_SHARED_MEMORY_CARVEOUT = 8, 9
