"""What callbacks that write LLVM IR take from Numba's `arrayobj`, `boxing` and `listobj`."""

from __future__ import annotations

from typing import NamedTuple

from numjit import types
from numjit.compat import ir_cgutils as cgutils
from numjit.compat.ir_structs import create_struct_proxy, populate_array
from numjit.compat.models import POINTER, WORD
from numjit.compat.native_types import intrinsic

__all__ = ["make_array", "populate_array"]

_LENGTH, _DATA = 0, 2  # words of a list (nj_list, runtime.h)


def make_array(array_type):
    """The maker of struct proxies of arrays of a type."""
    return create_struct_proxy(array_type)


def get_itemsize(context, array_type):
    return context.get_abi_sizeof(context.get_data_type(array_type.dtype))


def load_item(context, builder, arrayty, ptr):
    """The item at an address."""
    return context.unpack_value(builder, arrayty.dtype, ptr)


def store_item(context, builder, arrayty, val, ptr):
    """Puts an item to an address."""
    context.pack_value(builder, arrayty.dtype, val, ptr)


def normalize_index(context, builder, idxty, idx):
    """An index as intp."""
    if isinstance(idxty, types.Array) and idxty.ndim == 0:
        array = make_array(idxty)(context, builder, idx)
        return idxty.dtype, load_item(context, builder, idxty, array.data)
    if isinstance(idxty, types.Integer):
        wanted = types.intp if idxty.signed else types.uintp
        return wanted, context.cast(builder, idx, idxty, wanted)
    return idxty, idx


def normalize_indices(context, builder, index_types, indices):
    """Indices as intp: (types, values)."""
    if not indices:
        return index_types, indices
    pairs = zip(index_types, indices, strict=True)
    both = [normalize_index(context, builder, *pair) for pair in pairs]
    kinds, values = zip(*both, strict=True)
    return kinds, values


def basic_indexing(context, builder, aryty, ary, index_types, indices, boundscheck=None):
    """(address, shape, strides) of what integers as indices denote in an array."""
    shape = cgutils.unpack_tuple(builder, ary.shape, aryty.ndim)
    strides = cgutils.unpack_tuple(builder, ary.strides, aryty.ndim)
    if not all(isinstance(each, types.Integer) for each in index_types):
        raise NotImplementedError("indices other than integers")
    count = len(indices)
    wraps = [getattr(each, "signed", False) for each in index_types]
    fixed = [
        builder.select(
            builder.icmp_signed("<", index, index.type(0)), builder.add(index, extent), index
        )
        if wrap
        else index
        for index, extent, wrap in zip(indices, shape, wraps, strict=False)
    ]
    place = cgutils.get_item_pointer2(
        context, builder, ary.data, shape[:count], strides[:count], aryty.layout, fixed,
        boundscheck=bool(boundscheck),
    )  # fmt: skip
    return place, shape[count:], strides[count:]


class Indexing(NamedTuple):
    """The result of indexing an array."""

    index: object
    result: object
    advanced: bool


def get_array_index_type(ary, idx):
    """The type of an indexed array; None if there is none."""
    kinds = idx.types if isinstance(idx, types.BaseTuple) else (idx,)
    if not all(isinstance(each, types.Integer) for each in kinds) or len(kinds) > ary.ndim:
        return None
    result = ary.dtype if len(kinds) == ary.ndim else ary.copy(ndim=ary.ndim - len(kinds))
    return Indexing(idx, result, False)


def _empty_nd_impl(context, builder, arrtype, shapes):
    """The struct proxy of a new array of these extents, which nothing is written to."""
    size = WORD.type(get_itemsize(context, arrtype))
    steps, step = {}, size
    order = range(arrtype.ndim)
    for axis in order if arrtype.layout == "F" else reversed(order):
        steps[axis] = step
        both = builder.smul_with_overflow(step, shapes[axis])
        step = builder.extract_value(both, 0)
        with builder.if_then(builder.extract_value(both, 1), likely=False):
            context.call_conv.return_user_exc(builder, ValueError, (_TOO_BIG,))
    array = make_array(arrtype)(context, builder)
    owner = context.nrt.meminfo_alloc(builder, step)
    strides = [steps[axis] for axis in order]
    data = context.nrt.meminfo_data(builder, owner)
    populate_array(array, data, list(shapes), strides, size, owner)
    return array


_TOO_BIG = "array is too big; its size is larger than the maximum possible size"


# -- objects and values -------------------------------------------------------------------------


def _unbox(typ, obj, c):
    return c.pyapi.to_native_value(typ, obj)


def _box(typ, val, c):
    return c.pyapi.from_native_value(typ, val)


unbox_array = unbox_integer = unbox_float = unbox_bool = unbox_tuple = unbox_list = _unbox
unbox_complex = unbox_unicode_str = unbox_optional = unbox_none = unbox_dicttype = _unbox
box_array = box_integer = box_float = box_bool = box_tuple = box_list = box_complex = _box
box_unicode_str = box_optional = box_none = _box


# -- lists --------------------------------------------------------------------------------------


class ListInstance:
    """A list: its length and where its items lie."""

    def __init__(self, context, builder, list_type, list_val):
        self._context, self._builder, self._type = context, builder, list_type
        owner = create_struct_proxy(list_type)(context, builder, list_val).meminfo
        header = builder.bitcast(context.nrt.meminfo_data(builder, owner), WORD.type.as_pointer())
        self._header = header

    @property
    def size(self):
        return self._builder.load(cgutils.gep(self._builder, self._header, _LENGTH))

    @property
    def data(self):
        place = cgutils.gep(self._builder, self._header, _DATA)
        address = self._builder.load(self._builder.bitcast(place, POINTER.type.as_pointer()))
        kind = self._context.get_data_type(self._type.dtype).as_pointer()
        return self._builder.bitcast(address, kind)

    def getitem(self, idx):
        place = cgutils.gep(self._builder, self.data, idx)
        return self._context.unpack_value(self._builder, self._type.dtype, place)


@intrinsic
def NRT_get_api(typingctx):
    """The table of functions by which C libraries make and count blocks."""

    def codegen(context, builder, sig, args):
        return builder.call(context.external(builder, "NRT_get_api", "p"), [])

    return types.voidptr(), codegen
