"""What compiled code calls for ufuncs and stencils that users made, and the loops inside ufuncs."""

import math

import numpy as np

from .array_expressions import PARALLEL_FROM
from .intrinsics import (
    cast,
    gufunc_loop,
    is_parallel,
    is_scalar,
    map_elements,
    prange,
    refuse,
    result_type,
    set_item,
    ufunc_loop,
)

# -- loops that NumPy calls ----------------------------------------------------------------------


def inner_loop(kernel, types, codes):
    """The loop of a ufunc over operands whose strides are as `codes` says."""

    def loop(args, count, steps):
        ufunc_loop(kernel, types, codes, args, count, steps)

    return loop


def generalised_loop(kernel, types, core, contiguous):
    """The loop of a generalised ufunc; `core` numbers the core dimensions of each operand."""

    def loop(args, dimensions, steps):
        gufunc_loop(kernel, types, core, contiguous, args, dimensions, steps)

    return loop


# -- ufuncs called from compiled code ------------------------------------------------------------


def store_result(out, result):
    if isinstance(out, tuple):
        out[0][...] = result
        return out[0]
    else:
        out[...] = result
        return out


def elementwise(kernel, name, signatures, nin):
    """The function of `nin` operands and `out` that maps a kernel over scalars and arrays."""
    inputs = ", ".join(f"x{k + 1}" for k in range(nin))
    source = f"""
def call({inputs}, out=None):
    if out is None:
        return map_elements(kernel, signatures, {inputs})
    else:
        return store_result(out, map_elements(kernel, signatures, {inputs}))
"""
    return made(name, source, kernel=kernel, signatures=signatures)


# -- generalised ufuncs called from compiled code --------------------------------------------------


def fits(x, dtype):
    if is_scalar(x):
        return True
    else:
        return x.dtype == dtype


def operand(x, dtype):
    if is_scalar(x):
        return cast(x, dtype)
    else:
        return x


def loop_dimensions(x, core):
    """How many dimensions an operand has before its core dimensions."""
    if is_scalar(x):
        return 0
    else:
        return x.ndim - core


def core_extent(x, core, k):
    """Of core dimension `k`."""
    return x.shape[x.ndim - core + k]


def larger(a, b):
    if a > b:
        return a
    else:
        return b


def extent(x, core, level):
    """Of the outermost loop of `level` ones; 1 where the operand is the same in all of it."""
    if loop_dimensions(x, core) == level:
        return x.shape[0]
    else:
        return 1


def part(x, core, level, i):
    if loop_dimensions(x, core) == level:
        return x[0 if x.shape[0] == 1 else i]
    else:
        return x


def array_part(x, core, level, i):
    """As part, of an operand whose single numbers are arrays of one."""
    if core != 0 or level != 1 or loop_dimensions(x, core) != level:
        return part(x, core, level, i)
    elif x.shape[0] == 1:
        return x
    else:
        return x[i : i + 1]


def single(x):
    """A number, or an array without dimensions, as array of one."""
    if is_scalar(x):
        return np.full(1, x)
    elif x.ndim == 0:
        return x.reshape(1)
    else:
        return x


def generalised(kernel, name, dimensions, fixed, nin, arrays, signatures):
    """The function of all operands that runs a kernel over the leading dimensions of arrays.

    `dimensions`: numbers of the core dimensions of each operand; `fixed`: which of these have what
    size; `arrays`: which operands the kernel sees as arrays; `signatures`: dtypes of each operand,
    none if the kernel is compiled for any.
    """
    nargs = len(dimensions)
    core = [len(each) for each in dimensions]
    xs = [f"x{k}" for k in range(nargs)]
    parameters = ", ".join(xs)
    singles = ", ".join(f"single({x})" if is_array else x for x, is_array in zip(xs, arrays))
    parts = ", ".join(
        f"{'array_part' if arrays[k] else 'part'}(x{k}, {core[k]}, level, i)" for k in range(nargs)
    )
    level = "0"
    for k in range(nargs):
        level = f"larger(loop_dimensions(x{k}, {core[k]}), {level})"
    checks = "".join(
        f"        if extent(x{k}, {core[k]}, level) != 1 and extent(x{k}, {core[k]}, level) != n:\n"
        f"            raise ValueError('{name}: operands could not be broadcast together')\n"
        for k in range(nin)
    )
    extents = f"extent(x{nargs - 1}, {core[-1]}, level)"
    too_few, mismatches = _core_checks(name, dimensions, fixed)
    source = f"""
def loops(level, {parameters}):
    if level == 0:
        kernel({singles})
    else:
        n = {extents}
{checks}
        for i in range(n):
            loops(level - 1, {parts})

def outermost({parameters}):
    if False:
        pass
{too_few}    else:
{mismatches}
        loops({level}, {parameters})

def call({parameters}):
"""
    source += _chosen_loop(name, core, nin, signatures)
    return made(name, source, kernel=kernel, dtypes=signatures)


def _core_checks(name, dimensions, fixed):
    """The tests of core dimensions, of their number and of their sizes, as branches and lines."""
    sizes = dict(fixed)
    too_few, mismatches = "", ""
    for k, each in enumerate(dimensions):
        if each:
            too_few += (
                f"    elif is_scalar(x{k}) or loop_dimensions(x{k}, {len(each)}) < 0:\n"
                f"        refuse('{name}: operand {k} does not have enough dimensions', '', "
                "'NumbaValueError')\n"
            )
        for j, dimension in enumerate(each):
            size = f"core_extent(x{k}, {len(each)}, {j})"
            if str(sizes.setdefault(dimension, size)) != size:
                mismatches += (
                    f"        if {size} != {sizes[dimension]}:\n            raise ValueError("
                    f"'{name}: operand {k} has a mismatch in its core dimension {j}')\n"
                )
    return too_few, mismatches


def _chosen_loop(name, core, nin, signatures):
    """The body that calls `outermost` for the first signature that the operands fit."""
    operands = range(len(core))
    if not signatures:
        return f"    outermost({', '.join(f'x{k}' for k in operands)})\n"
    source = ""
    for s in range(len(signatures)):
        test = " and ".join(f"fits(x{k}, dtypes[{s}][{k}])" for k in operands)
        values = ", ".join(
            f"operand(x{k}, dtypes[{s}][{k}])" if core[k] == 0 and k < nin else f"x{k}"
            for k in operands
        )
        source += f"    {'el' * (s > 0)}if {test}:\n        outermost({values})\n"
    return source + (
        f"    else:\n        refuse('No implementation of function {name} found for the types "
        "of the arguments')\n"
    )


# -- stencils --------------------------------------------------------------------------------------


def stencil_function(kernel, name, parameters, relative, neighborhood, cval):
    """The function of a stencil's parameters and `out`, see numjit.stencils.

    `kernel` takes the position first; `relative` names the arrays that it indexes from there.
    """
    ndim, first = len(neighborhood), relative[0]
    below = [max(-low, 0) for low, _ in neighborhood]
    above = [max(high, 0) for _, high in neighborhood]
    axes = range(ndim)
    arguments = ", ".join(parameters)
    position = ", ".join(f"i{axis}" for axis in axes)
    ends = [f"{below[axis]}, {first}.shape[{axis}] - {above[axis]}" for axis in axes]
    loops = "".join(
        f"{'    ' * axis}for i{axis} in range({ends[axis]}):\n" for axis in axes if axis
    )
    inside = "    " * ndim
    slabs = _slabs(first, below, above)
    checks = _relative_checks(relative, ndim)
    sizes = _size_checks(relative, ndim)
    out_sizes = " or ".join(f"out.shape[{k}] < {first}.shape[{k}]" for k in axes)
    zeros = ", ".join("0" for _ in axes)
    new = _new_array(first, any(below) or any(above), cval)
    source = f"""
def fill(out, {arguments}):
{slabs or "    pass"}

def row(i0, out, {arguments}):
{loops}{inside}set_item(out, ({position},), kernel({position}, {arguments}))

def run_in_parallel(out, {arguments}):
    for i0 in prange({ends[0]}):
        row(i0, out, {arguments})

def target(dtype, {arguments}, out):
    if out is None:
        return {new}
    elif out.ndim != {ndim}:
        refuse("out has another number of dimensions than the input array", "", "NumbaValueError")
    else:
        if {out_sizes}:
            raise ValueError("out is smaller than the first stencil input")
        {f"fill(out, {arguments})" if cval is not None else "pass"}
        return out

def call({arguments}, out=None):
    if False:
        pass
{checks}    else:
{sizes}
        dtype = result_type(kernel, {zeros}, {arguments})
        if dtype.kind in "{_unfit_kinds(cval)}":
            refuse("cval type does not match stencil return type.", "", "NumbaValueError")
        result = target(dtype, {arguments}, out)
        if is_parallel() and result.size >= {PARALLEL_FROM}:
            run_in_parallel(result, {arguments})
        else:
            for i0 in range({ends[0]}):
                row(i0, result, {arguments})
        return result
"""
    return made(name, source, kernel=kernel, cval=cval)


def _relative_checks(relative, ndim):
    """Branches that refuse scalars, and arrays of another number of dimensions."""
    return "".join(
        f"    elif is_scalar({name}):\n        refuse('{name}: the stencil kernel indexes this "
        "parameter relatively, so it must be an array', 'pass an array', 'NumbaTypeError')\n"
        + "".join(
            f"    elif {name}.ndim {'==' if n else '!='} {n or ndim}:\n"
            f"        refuse('{ndim} dimensional neighborhood specified for {n or 'another'} "
            "dimensional input array', '', 'NumbaValueError')\n"
            for n in (1, 2, 3, 4, 0)
            if n != ndim
        )
        for name in relative
    )


def _new_array(first, has_border, cval):
    """The call that makes the result."""
    if not has_border:
        return f"np.empty({first}.shape, dtype)"
    if not cval:
        return f"np.zeros({first}.shape, dtype)"
    return f"np.full({first}.shape, cval, dtype)"


def _size_checks(relative, ndim):
    """The lines that refuse arrays smaller than the first."""
    first = relative[0]
    return "".join(
        f"        if {' or '.join(f'{n}.shape[{k}] < {first}.shape[{k}]' for k in range(ndim))}:\n"
        "            raise ValueError('Secondary stencil array has some dimension smaller the same "
        "dimension in the first stencil input.')\n"
        for n in relative[1:]
    )


def _slabs(first, below, above):
    """The lines that set elements without all of their neighbours to `cval`, an axis at a time."""
    slabs = ""
    for axis in range(len(below)):
        middle = "".join(
            f"{below[k]}:max({first}.shape[{k}] - {above[k]}, {below[k]}), " for k in range(axis)
        )
        slabs += f"    out[{middle}:{below[axis]}] = cval\n" if below[axis] else ""
        start = f"max({first}.shape[{axis}] - {above[axis]}, 0)"
        end = f"{first}.shape[{axis}]"
        slabs += f"    out[{middle}{start}:{end}] = cval\n" if above[axis] else ""
    return slabs


def _unfit_kinds(cval):
    """The kinds of dtypes that cannot hold a value; "-" stands for none."""
    if isinstance(cval, complex):
        return "biuf"
    return "-" if cval is None or math.isfinite(cval) else "biu"


# -- functions whose text depends on how many parameters they have ---------------------------------

_WORDS = {
    each.name.rpartition(".")[2] if hasattr(each, "name") else each.__name__: each
    for each in (
        *(map_elements, store_result),
        *(
            is_parallel,
            prange,
            refuse,
            fits,
            operand,
            larger,
            core_extent,
            loop_dimensions,
            extent,
            part,
            array_part,
            single,
        ),
        *(is_scalar, result_type, set_item),
    )
} | {"np": np}


def made(name, source, **words):
    """The function `call` of a source text, in the language of the library; errors call it `name`.

    `words`: what the text knows beside _WORDS.
    """
    namespace = {"__name__": __name__, **_WORDS, **words}
    exec(compile(source, __file__, "exec"), namespace)
    function = namespace["call"]
    function.__code__ = function.__code__.replace(co_name=name, co_qualname=name)
    return function
