"""Names of the functions of asked_interpreter.py, by the type of what they return."""

ASKED = {
    "none": """
        gc.disable gc.enable
        numpy.testing.assert_allclose numpy.testing.assert_almost_equal
        numpy.testing.assert_approx_equal numpy.testing.assert_array_almost_equal
        numpy.testing.assert_array_almost_equal_nulp numpy.testing.assert_array_equal
        numpy.testing.assert_array_less numpy.testing.assert_equal
    """,
    "bytes": """
        _struct.pack binascii.hexlify binascii.unhexlify zlib.compress zlib.decompress
    """,
    "bool": "gc.isenabled genericpath.exists genericpath.isdir genericpath.isfile",
    "int": "_struct.calcsize gc.collect posix.getpid zlib.adler32 zlib.crc32",
    "str": """
        numpy._core._multiarray_umath.dragon4_positional
        numpy._core._multiarray_umath.dragon4_scientific
        numpy.array2string numpy.array_repr numpy.array_str
        platform.machine platform.node platform.python_version platform.system
        posix.fspath posix.getcwd time.ctime time.strftime
        unicodedata.category unicodedata.lookup unicodedata.name unicodedata.normalize
    """,
    "str or None": "posix.confstr",
}
