"""What NumPy's functions and Python's containers do, written in the subset that numjit compiles.

Importing this package registers every function with the compiler; nothing is compiled before it is
used. Modules that few programs need are imported when one does: `LATER` says what they register.
"""

from numjit import _core

from . import value_classes
from .core import (  # noqa: F401
    array_expressions,
    classes,
    hashing,
    parallel,
    tables,
)
from .cuda import (  # noqa: F401
    device,
)
from .cuda.half_names import KEYS as _HALVES
from .cuda.half_names import KEYS_OF_8_BITS
from .cuda.vector_names import VECTORS as _VECTORS
from .numpy import (  # noqa: F401
    array_flags,
    comparison,
    creation,
    cumulative,
    diagonals,
    in_threads,
    indexing,
    joining,
    limits,
    manipulation,
    methods,
    of_items,
    order_statistics,
    picking,
    products,
    random,
    random_choices,
    random_generator,
    reductions,
    scalar_attributes,
    searching,
    sorting,
    squeezing,
    statistics,
    stride_tricks,
    time_arrays,
    time_text,
    times,
    ufuncs,
    walks,
    windows,
)
from .numpy.array_api_names import KEYS as _ARRAY_API
from .python import (  # noqa: F401
    bisection,
    byte_strings,
    bytes_methods,
    complex_functions,
    complex_math,
    dicts,
    heaps,
    interpreter,
    lists,
    math_functions,
    operator_functions,
    python_builtins,
    sets,
    strings,
)
from .python.asked_names import ASKED as _ASKED
from .scipy.compiled_names import OTHERS as _SCIPY_OTHERS
from .scipy.compiled_names import TEXTS as _SCIPY_COMPILED
from .scipy.fft_names import FOURIER as _SCIPY_FOURIER
from .scipy.fft_names import TRIGONOMETRIC as _SCIPY_TRIGONOMETRIC

#: Modules that are imported by the first program that uses one of these names.
LATER = {
    "cuda.atomics": """
        numjit.cuda.atomic.add numjit.cuda.atomic.sub numjit.cuda.atomic.max numjit.cuda.atomic.min
        numjit.cuda.atomic.nanmax numjit.cuda.atomic.nanmin numjit.cuda.atomic.and_
        numjit.cuda.atomic.or_ numjit.cuda.atomic.xor numjit.cuda.atomic.inc numjit.cuda.atomic.dec
        numjit.cuda.atomic.exch numjit.cuda.atomic.cas numjit.cuda.atomic.compare_and_swap
    """,
    "cuda.blocks": """
        numjit.cuda.warp.reduce numjit.cuda.warp.scan numjit.cuda.warp.exclusive_scan
        numjit.cuda.warp.broadcast numjit.cuda.block.reduce numjit.cuda.block.scan
        numjit.cuda.block.exclusive_scan numjit.cuda.block.broadcast numjit.cuda.block.exchange
        numjit.cuda.block.rank numjit.cuda.block.sort numjit.cuda.block.histogram
    """,
    "cuda.fp8": " ".join(KEYS_OF_8_BITS),
    "cuda.halves": " ".join(_HALVES),
    "cuda.vectors": " ".join(f"numjit.cuda.{name}" for name in _VECTORS),
    "numpy.array_api": " ".join(_ARRAY_API),
    "numpy.axis_checks": """
        numpy.lib.array_utils.normalize_axis_index numpy.lib.array_utils.normalize_axis_tuple
    """,
    "numpy.axis_orders": "numpy.moveaxis numpy.rollaxis",
    "numpy.building": """
        numpy.fromfunction numpy.fromiter numpy.mask_indices numpy.block numpy.packbits
        numpy.unpackbits numpy.iterable numpy.sort_complex numpy.histogram_bin_edges
    """,
    "numpy.coefficients": """
        numpy.polyval numpy.polyadd numpy.polysub numpy.polymul numpy.polydiv numpy.polyder
        numpy.polyint numpy.poly numpy.polyfit
    """,
    "numpy.choosing": """
        numpy.select numpy.choose numjit.select_weakly numjit.choose_weakly
    """,
    "numpy.conversion": "numpy._core._multiarray_umath._unique_hash",
    "numpy.covariance": "numpy.cov numpy.corrcoef",
    "numpy.decompositions": """
        numpy.linalg.eigh numpy.linalg.eigvalsh numpy.linalg.eig numpy.linalg.eigvals
        numpy.linalg.svd numpy.linalg.svdvals numpy.linalg.pinv numpy.linalg.matrix_rank
        numpy.linalg.qr
    """,
    "numpy.dtypes": """
        numpy.promote_types numpy.can_cast numpy.issubdtype numpy.isdtype numpy.common_type
        numpy.isfortran DType.__str__ DType.__repr__ DType.newbyteorder
    """,
    "numpy.einsum": "numpy.einsum numpy._core._multiarray_umath.c_einsum",
    "numpy.fourier": """
        numpy.fft.fft numpy.fft.ifft numpy.fft.rfft numpy.fft.irfft numpy.fft.hfft
        numpy.fft.ihfft numpy.fft.fftn numpy.fft.ifftn numpy.fft.rfftn numpy.fft.irfftn
        numpy.fft.fft2 numpy.fft.ifft2 numpy.fft.rfft2 numpy.fft.irfft2 numpy.fft.fftfreq
        numpy.fft.rfftfreq numpy.fft.fftshift numpy.fft.ifftshift
    """,
    "numpy.functional": """
        numpy.piecewise numpy.apply_along_axis numpy.apply_over_axes numpy.vectorize
    """,
    "numpy.grids": """
        numpy.mgrid.__getitem__ numpy.ogrid.__getitem__ numpy.r_.__getitem__
        numpy.c_.__getitem__ numpy.s_.__getitem__ numpy.index_exp.__getitem__
    """,
    "numpy.histograms": "numpy.bincount numpy.histogram numpy.histogram2d",
    "numpy.interpolation": "numpy.interp",
    "numpy.linalg": """
        numpy.linalg.solve numpy.linalg.inv numpy.linalg.slogdet numpy.linalg.det
        numpy.linalg.cholesky numpy.linalg.lstsq numpy.linalg.matrix_power
        numpy.linalg.multi_dot
    """,
    "numpy.run_time_slices": "numjit.sliced numjit.index_of_item",
    "numpy.meshes": "numpy.meshgrid numpy.indices numpy.ix_",
    "numpy.multiarray": " ".join(
        f"numpy._core._multiarray_umath.{each}"
        for each in (
            "count_nonzero correlate correlate2 interp interp_complex _place _monotonicity"
        ).split()
    ),
    "numpy.nan_statistics": """
        numpy.nansum numpy.nanprod numpy.nanmax numpy.nanmin numpy.nanmean numpy.nanvar
        numpy.nanstd numpy.nanargmax numpy.nanargmin
    """,
    "numpy.norms": "numpy.linalg.norm numpy.linalg.cond",
    "numpy.padding": "numpy.pad",
    "numpy.polynomial": """
        numpy.polynomial.polyutils.trimseq numpy.polynomial.polyutils.as_series
        numpy.polynomial.polynomial.polyadd numpy.polynomial.polynomial.polysub
        numpy.polynomial.polynomial.polymul numpy.polynomial.polynomial.polydiv
        numpy.polynomial.polynomial.polyint numpy.polynomial.polynomial.polyval
        numpy.roots
    """,
    "numpy.random_makers": """
        numpy.random.default_rng numpy.random.multivariate_normal
        numpy.random._generator.Generator.multivariate_normal
    """,
    "numpy.random_vectors": "numpy.random.multinomial numpy.random.dirichlet",
    "numpy.scalar_methods": """
        NumPyScalar.astype NumPyScalar.round NumPyScalar.clip NumPyScalar.conj
        NumPyScalar.copy NumPyScalar.max NumPyScalar.min NumPyScalar.squeeze
        NumPyScalar.tolist NumPyScalar.transpose NumPyScalar.sum NumPyScalar.prod
        NumPyScalar.mean NumPyScalar.std NumPyScalar.var NumPyScalar.any NumPyScalar.all
        NumPyScalar.argmax NumPyScalar.argmin NumPyScalar.cumsum NumPyScalar.cumprod
        NumPyScalar.flatten NumPyScalar.ravel NumPyScalar.repeat NumPyScalar.reshape
    """,
    "numpy.tensor_products": """
        numpy.inner numpy.linalg.outer numpy.outer numpy.kron numpy.linalg.tensordot
        numpy.tensordot numpy.trace Array.trace numpy.linalg.cross numpy.cross
    """,
    "numpy.ufunc_methods": "Function.outer Function.reduceat",
    "numpy.vandermonde": """
        numpy.polynomial.polyutils._vander_nd numpy.polynomial.polyutils._vander_nd_flat
    """,
    "numpy.vectors": """
        numpy.vecdot numpy.linalg.vecdot numpy.matvec numpy.vecmat numpy.linalg.vector_norm
        numpy.linalg.matrix_norm numpy.linalg.trace numpy.linalg.diagonal numpy.linalg.tensorinv
        numpy.linalg.tensorsolve
    """,
    "numpy.business_days": "numpy.busday_offset numpy.busday_count numpy.is_busday",
    "python.asked_interpreter": " ".join(_ASKED.values()),
    "python.big_ints": """
        numjit.big_modulo numjit.big_floordiv numjit.modulo_big numjit.floordiv_big numjit.and_big
        numjit.or_big
    """,
    "python.callables": "collections.namedtuple functools.cmp_to_key functools.partial",
    "python.collections": """
        numjit.counts_of numjit.last_items Dict.counter_elements Dict.counter_most_common
        Dict.counter_subtract Dict.counter_total Dict.counter_update Dict.ordered_move_to_end
        Dict.ordered_popitem List.deque_append List.deque_appendleft List.deque_extend
        List.deque_extendleft List.deque_insert List.deque_pop List.deque_popleft List.deque_rotate
    """,
    "python.collection_objects": """
        numjit.counter_object numjit.defaultdict_object numjit.ordered_object
    """,
    "python.contexts": "warnings.simplefilter warnings.filterwarnings",
    "python.copies": "copy.copy copy.deepcopy",
    "python.deques": "numjit.deque_object",
    "python.hex_floats": "builtins.float.fromhex",
    "python.iterators": """
        itertools.accumulate itertools.batched itertools.chain itertools.chain.from_iterable
        itertools.combinations itertools.combinations_with_replacement itertools.compress
        itertools.count itertools.cycle itertools.dropwhile itertools.filterfalse
        itertools.groupby itertools.islice itertools.pairwise itertools.permutations
        itertools.product itertools.repeat itertools.starmap itertools.takewhile
        itertools.tee itertools.zip_longest
    """,
    "python.loaded_modules": "sys.modules.__getitem__ Function.__contains__",
    "python.mixed_dicts": "numjit.dict_of_classes",
    "python.patterns": "numjit.match_keys",
    "python.generators": "Generator.close Generator.throw numjit.is_among numjit.iterate_object"
    " numjit.iterate_sequence numjit.next_or numjit.stop_iteration",
    "python.random_module": """
        random.seed random.random random.uniform random.getrandbits random.randrange
        random.randint random.choice random.choices random.sample random.shuffle
        random.gauss random.normalvariate random.lognormvariate random.expovariate
        random.gammavariate random.betavariate random.paretovariate random.weibullvariate
        random.vonmisesvariate random.triangular
    """,
    "python.raised_classes": "numjit.class_of_caught",
    "python.regular_expressions": """
        re.compile re.escape re.findall re.finditer re.fullmatch re.match re.search re.split re.sub
        re.subn
    """,
    "python.signatures": "inspect.signature",
    "python.special_methods": """
        numjit.named.__abs__ numjit.named.__add__ numjit.named.__and__ numjit.named.__bool__
        numjit.named.__ceil__ numjit.named.__complex__ numjit.named.__contains__
        numjit.named.__delitem__ numjit.named.__divmod__ numjit.named.__eq__
        numjit.named.__float__ numjit.named.__floor__ numjit.named.__floordiv__
        numjit.named.__format__ numjit.named.__ge__ numjit.named.__getitem__
        numjit.named.__gt__ numjit.named.__hash__ numjit.named.__iadd__
        numjit.named.__iand__ numjit.named.__imul__ numjit.named.__index__
        numjit.named.__int__ numjit.named.__invert__ numjit.named.__ior__
        numjit.named.__isub__ numjit.named.__iter__ numjit.named.__ixor__
        numjit.named.__le__ numjit.named.__len__ numjit.named.__lshift__ numjit.named.__lt__
        numjit.named.__matmul__ numjit.named.__mod__ numjit.named.__mul__
        numjit.named.__ne__ numjit.named.__neg__ numjit.named.__or__ numjit.named.__pos__
        numjit.named.__pow__ numjit.named.__radd__ numjit.named.__rand__
        numjit.named.__rdivmod__ numjit.named.__repr__ numjit.named.__reversed__
        numjit.named.__rfloordiv__ numjit.named.__rlshift__ numjit.named.__rmod__
        numjit.named.__rmul__ numjit.named.__ror__ numjit.named.__round__
        numjit.named.__rpow__ numjit.named.__rrshift__ numjit.named.__rshift__
        numjit.named.__rsub__ numjit.named.__rtruediv__ numjit.named.__rxor__
        numjit.named.__setitem__ numjit.named.__str__ numjit.named.__sub__
        numjit.named.__truediv__ numjit.named.__trunc__ numjit.named.__xor__
    """,
    "python.statistics_module": """
        statistics.fmean statistics.mean statistics.variance statistics.pvariance statistics.stdev
        statistics.pstdev statistics.median statistics.median_low statistics.median_high
        statistics.mode statistics.multimode statistics.geometric_mean statistics.harmonic_mean
        statistics.quantiles statistics.covariance statistics.correlation
    """,
    "python.templates": "String.format numjit.percent_text",
    "python.time_module": """
        time.time time.time_ns time.perf_counter time.perf_counter_ns time.monotonic
        time.monotonic_ns time.process_time time.process_time_ns time.thread_time
        time.thread_time_ns
    """,
    "python.tuples": """
        numjit.tuple_of numjit.tuple_part numjit.sum_of_tuples numjit.columns numjit.tuple_columns
    """,
    "scipy.banded": "scipy.linalg._decomp.eigvals_banded",
    "scipy.combinatorics": "scipy.special._comb._comb_int",
    "scipy.compiled": " ".join([*_SCIPY_COMPILED, *_SCIPY_OTHERS]),
    "scipy.fortran_routines": """
        scipy.linalg.lapack.get_lapack_funcs scipy.linalg.blas.get_blas_funcs
        scipy.linalg.blas.find_best_blas_type
    """,
    "scipy.fourier": " ".join(_SCIPY_FOURIER),
    "scipy.promotion": "scipy._lib._array_api.xp_promote",
    "scipy.trigonometric": " ".join(_SCIPY_TRIGONOMETRIC),
}

for _module, _names in LATER.items():
    for _name in _names.split():
        _core.announce_library(_name, f"{__name__}.{_module}")

value_classes.register(__name__)
