"""Functions of SciPy that are written in C, C++, Fortran and Cython, by what they return.

A type is that of a scalar ("int", "float", "bool", "none"), of an array ("float64[2]" has two
dimensions, "{0}" is like argument 0, "{2,0}[1]" has the dtype that arguments 2 and 0 promote to
and one dimension, "real {0}" that of its real parts), a tuple, or a list. A name with "/5" is
meant for calls with five arguments.
"""

from itertools import product


def _named(module, names):
    return " ".join(f"{module}.{name}" for name in names.split())


_METRICS = """
    braycurtis canberra chebyshev cityblock cosine euclidean jensenshannon mahalanobis minkowski
    seuclidean sqeuclidean weighted_chebyshev weighted_minkowski hamming jaccard
"""
_BOOL_METRICS = "dice hamming jaccard rogerstanimoto russellrao sokalsneath yule"
_WRAPPED = " ".join(
    [f"{way}_{metric}_double_wrap" for way, metric in product(("cdist", "pdist"), _METRICS.split())]
    + [
        f"{way}_{metric}_bool_wrap"
        for way, metric in product(("cdist", "pdist"), _BOOL_METRICS.split())
    ]
)
_BOUND = """
    braycurtis canberra chebyshev cityblock dice euclidean hamming jaccard minkowski
    rogerstanimoto russellrao sokalsneath sqeuclidean yule
"""

_BATCHED = "scipy.linalg._batched_linalg"
_HIERARCHY = "scipy.cluster.hierarchy._hierarchy"
_DIERCKX = "scipy.interpolate._dierckx"
_FITPACK = "scipy.interpolate._fitpack"
_SPECFUN = "scipy.special._specfun"
_PYBIND = "scipy.spatial._distance_pybind"

#: Type of the result -> functions.
COMPILED = {
    "none": " ".join(
        (
            _named(
                _HIERARCHY,
                """
                calculate_cluster_sizes cluster_dist cluster_in cluster_maxclust_dist
                cluster_maxclust_monocrit cluster_monocrit cophenetic_distances
                get_max_Rfield_for_each_cluster get_max_dist_for_each_cluster inconsistent prelist
                """,
            ),
            _named(_DIERCKX, "_coloc _norm_eq_lsq qr_reduce"),
            _named(
                "scipy.interpolate._ppoly",
                "evaluate evaluate_bernstein evaluate_nd fix_continuity integrate",
            ),
            _named(
                "scipy.ndimage._nd_image",
                """
                correlate correlate1d distance_transform_bf distance_transform_op
                euclidean_feature_transform fourier_filter fourier_shift geometric_transform
                min_or_max_filter min_or_max_filter1d rank_filter spline_filter1d
                uniform_filter1d watershed_ift zoom_shift
                """,
            ),
            _named(
                "scipy.spatial._distance_wrap",
                "to_squareform_from_vector_wrap to_vector_from_squareform_wrap",
            ),
            "scipy.signal._sosfilt._sosfilt",
        )
    ),
    "float": " ".join(
        (
            _named("scipy.spatial._distance_wrap", _WRAPPED),
            _named(_FITPACK, "dblint splint"),
            f"{_DIERCKX}.fpknot",
            _named(
                "scipy.stats._qmc_cy",
                """
                _cy_wrapper_centered_discrepancy _cy_wrapper_l2_star_discrepancy
                _cy_wrapper_mixture_discrepancy _cy_wrapper_update_discrepancy
                _cy_wrapper_wrap_around_discrepancy
                """,
            ),
        )
    ),
    "int": " ".join(
        (
            f"{_HIERARCHY}.leaders {_DIERCKX}.find_interval {_FITPACK}.fpchec",
            _named("scipy.signal._upfirdn_apply", "_output_len mode_enum"),
        )
    ),
    # clusters
    "float64[2]": " ".join(
        (
            _named(_HIERARCHY, "fast_linkage linkage mst_single_linkage nn_chain"),
            f"{_DIERCKX}.evaluate_spline {_DIERCKX}.evaluate_ndbspline",
            _named(_PYBIND, " ".join(f"cdist_{name}" for name in _BOUND.split())),
        )
    ),
    "(int32[1], {0}[1])": "scipy.cluster.vq._vq.vq",
    "({0}, bool[1])": "scipy.cluster.vq._vq.update_cluster_means",
    # splines
    "(float64[2], int64[1], int)": f"{_DIERCKX}.data_matrix",
    "(float64[2], float64[2], float64[2], int64[1], int)": f"{_DIERCKX}.data_matrix_periodic",
    "(float64[2], float64[1], float)": f"{_DIERCKX}.fpback {_DIERCKX}.fpbacp",
    "(float64[2], float64[2], float64[2], float, float)": f"{_DIERCKX}.qr_reduce_periodic",
    "(float64[1], int)": _named(_FITPACK, "bispeu pardeu pardtc spalde splder splev"),
    "(float64[2], int)": _named(_FITPACK, "bispev parder"),
    "(float64[1], int, int)": f"{_FITPACK}.sproot",
    "(float64[1], float64[1], int)": f"{_FITPACK}.insert",
    "(int, float64[1], float64[1], float, int)": _named(_FITPACK, "curfit percur"),
    "(int, float64[1], int, float64[1], float64[1], float, int)": _named(
        _FITPACK, "regrid sphere spgrid surfit_smth"
    ),
    "(int, float64[1], int, float64[1], float64[1], float, int, float64[1])": f"{_FITPACK}.surfit",
    "(float64[1], float, int)": f"{_FITPACK}.surfit_lsq",
    # signals
    "{0}": """
        scipy.signal._sigtools._medfilt2d scipy.signal._spline.sepfir2d
        scipy.signal._spline.symiirorder1_ic scipy.signal._spline.symiirorder2_ic_bwd
        scipy.signal._spline.symiirorder2_ic_fwd
    """,
    "{0,1}": "scipy.signal._sigtools._convolve2d scipy.signal._sigtools._correlateND",
    "{2,0,1}": "scipy.signal._sigtools._linear_filter",
    "({2,0,1,4}, {2,0,1,4})": "scipy.signal._sigtools._linear_filter/5",
    "{2}": "scipy.signal._upfirdn_apply._apply",
    "float64[1]": " ".join(
        (
            "scipy.signal._sigtools._remez",
            f"{_DIERCKX}.evaluate_all_bspl",
            _named(_PYBIND, " ".join(f"pdist_{name}" for name in _BOUND.split())),
            _named("scipy.stats._qmc_cy", "_cy_van_der_corput _cy_van_der_corput_scrambled"),
            _named(_SPECFUN, "bernob eulerb fcoef klvnzo"),
        )
    ),
    # functions and matrices
    "(float64[1], float64[1], float64[1], float64[1])": _named(_SPECFUN, "airyzo jyzo"),
    "complex128[1]": _named(_SPECFUN, "cerzo fcszo"),
    "(complex128[1], complex128[1])": _named(_SPECFUN, "cpbdn cyzo"),
    "(float64[1], float64[1], float, float)": _named(_SPECFUN, "pbdv pbvv"),
    "(float, float64[1], float64[1])": f"{_SPECFUN}.lamv",
    "(int, float64[1], float64[1])": f"{_SPECFUN}.lamn",
    "(int32[1], int32[1], int32[1], float64[1])": f"{_SPECFUN}.jdzo",
    "(float, float64[1])": f"{_SPECFUN}.segv",
    "({0}, int)": "scipy.linalg._internal_matfuncs.matrix_exponential",
    "({0}, list of failure)": _named(_BATCHED, "_cholesky _inv"),
    "({1,0}, list of failure)": f"{_BATCHED}._solve",
    "(int, int)": f"{_BATCHED}._bandwidth",
}

#: Function -> number of arguments, or None for any -> type of the result.
TEXTS: dict[str, dict] = {}
for _text, _names in COMPILED.items():
    for _name in _names.split():
        _function, _, _count = _name.partition("/")
        TEXTS.setdefault(_function, {})[int(_count) if _count else None] = _text

#: Those of which compiled.py says what they return.
OTHERS = [
    *(f"{_BATCHED}.{name}" for name in "_det _eig _lstsq _lu _qr _svd".split()),
    "scipy.linalg._misc._datacopied",
]
