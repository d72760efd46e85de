"""Data models of the types that numjit knows itself: the layouts that Numba documents for them."""

from __future__ import annotations

import sys

from numjit import types
from numjit.compat import ir_memory
from numjit.compat.models import (
    BUILTIN_MODELS,
    OWNER,
    POINTER,
    TRUTH,
    WORD,
    BooleanModel,
    CompositeModel,
    DataModel,
    Leaf,
    OpaqueModel,
    PointerModel,
    PrimitiveModel,
    StructModel,
    llvm_ir,
    registered,
)
from numjit.first_class import entry_of_c_function
from numjit.np.numpy_support import as_dtype


def _of(*classes):
    def decorate(model):
        BUILTIN_MODELS.add(model)
        for cls in classes:
            registered.setdefault(cls, model)
        return model

    return decorate


def _word(value):
    return llvm_ir().IntType(64)(value)


@_of(types.Integer, types.IntegerLiteral)
class IntegerModel(PrimitiveModel):
    """An integer."""

    def __init__(self, dmm, fe_type):
        number = fe_type.literal_type if isinstance(fe_type, types.Literal) else fe_type
        self._leaf = Leaf("i", number.bitwidth, number.signed)
        super().__init__(dmm, fe_type)

    def get_value_type(self):
        return self._leaf.type

    def leaf(self):
        return self._leaf


@_of(types.Float)
class FloatModel(PrimitiveModel):
    """A float of 32 or 64 bits."""

    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type)

    def get_value_type(self):
        if self._fe_type.bitwidth < 32:
            return super(PrimitiveModel, self).get_value_type()
        return self.leaf().type

    def leaf(self):
        return Leaf("d") if self._fe_type.bitwidth == 64 else Leaf("f", 32)


@_of(types.Complex)
class ComplexModel(StructModel):
    """Real and imaginary part."""

    def __init__(self, dmm, fe_type):
        part = fe_type.underlying_float
        super().__init__(dmm, fe_type, [("real", part), ("imag", part)])


_of(types.Boolean, types.BooleanLiteral)(BooleanModel)
_of(types.CPointer)(PointerModel)


@_of(types.EphemeralPointer)
class EphemeralPointerModel(PointerModel):
    """What it points to is handed around, and lies on the stack of each function."""

    def _pointee(self):
        return self._dmm.lookup(self._fe_type.dtype)

    def leaves(self):
        return self._pointee().leaves()

    def from_leaves(self, builder, leaves):
        value = self._pointee().from_leaves(builder, leaves)
        return ir_memory.alloca_once_value(builder, self._pointee().as_data(builder, value))

    def to_leaves(self, builder, value):
        value = self._pointee().load_from_data_pointer(builder, value)
        return self._pointee().to_leaves(builder, value)


@_of(types.RawPointer)
class RawPointerModel(OpaqueModel):
    """An address."""


@_of(types.MemInfoPointer)
class MemInfoModel(OpaqueModel):
    """A counted reference."""

    def leaf(self):
        return OWNER

    def from_leaves(self, builder, leaves):
        return next(leaves)

    def to_leaves(self, builder, value):
        return [builder.bitcast(value, POINTER.type)]

    def owners(self, builder, value):
        return [value]


@_of(types.PyObject)
class ObjectModel(OpaqueModel):
    """A Python object, which nothing counts."""


@_of(types.Dummy, types.NoneType, types.StringLiteral, types.EllipsisType, types.Omitted)
class EmptyModel(OpaqueModel):
    """What has no value at run time: a null pointer."""

    def leaves(self):
        return []

    def from_leaves(self, builder, leaves):
        return POINTER.type(None)

    def to_leaves(self, builder, value):
        return []


@_of(types.Optional)
class OptionalModel(StructModel):
    """A value and whether there is one."""

    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, [("data", fe_type.type), ("valid", types.boolean)])
        self._value = dmm.lookup(fe_type.type)

    def leaves(self):
        return [TRUTH, *self._value.leaves()]

    def from_leaves(self, builder, leaves):
        made = self.get_value_type()(llvm_ir().Undefined)
        made = builder.insert_value(made, next(leaves), 1)
        return builder.insert_value(made, self._value.from_leaves(builder, leaves), 0)

    def to_leaves(self, builder, value):
        parts = self._value.to_leaves(builder, builder.extract_value(value, 0))
        return [builder.extract_value(value, 1), *parts]


@_of(types.BaseTuple)
class TupleModel(StructModel):
    """The items, of any types."""

    def __init__(self, dmm, fe_type):
        items = [(f"f{i}", type_) for i, type_ in enumerate(fe_type.types)]
        super().__init__(dmm, fe_type, items)


@_of(types.UniTuple, types.NamedUniTuple)
class UniTupleModel(TupleModel):
    """The items, all of one type: an array of LLVM."""

    def _of_parts(self, of):
        model = self._dmm.lookup(self._fe_type.dtype.as_part)
        return llvm_ir().ArrayType(of(model), len(self._members))

    def get_value_type(self):
        return self._of_parts(lambda model: model.get_value_type())


class _OwnedModel(StructModel):
    """Values that numjit has in other parts than Numba: a reference among them."""

    def owners(self, builder, value):
        return [builder.extract_value(value, self.get_field_position("meminfo"))]

    def _made(self, builder, **parts):
        ir = llvm_ir()
        made = ir.Constant(self.get_value_type(), None)
        for name, part in parts.items():
            at = self.get_field_position(name)
            wanted = made.type.elements[at]
            if wanted.is_pointer:
                part = builder.bitcast(part, wanted)
            made = builder.insert_value(made, part, at)
        return made

    def _part(self, builder, value, name):
        return builder.extract_value(value, self.get_field_position(name))

    def _address(self, builder, value, name):
        return builder.bitcast(self._part(builder, value, name), POINTER.type)


@_of(types.Array, types.Buffer)
class ArrayModel(_OwnedModel):
    """An array: its memory, who owns it, shape and strides."""

    is_of_arrays = True

    def __init__(self, dmm, fe_type):
        axes = types.UniTuple(types.intp, fe_type.ndim)
        members = [
            ("meminfo", types.MemInfoPointer(fe_type.dtype)),
            ("parent", types.pyobject),
            ("nitems", types.intp),
            ("itemsize", types.intp),
            ("data", types.CPointer(fe_type.dtype)),
            ("shape", axes),
            ("strides", axes),
        ]
        super().__init__(dmm, fe_type, members)

    @property
    def _has_strides(self):
        return self._fe_type.layout not in "CF" or self._fe_type.ndim == 0

    def leaves(self):
        ndim = self._fe_type.ndim
        return [POINTER, OWNER, *[WORD] * (ndim if self._fe_type.layout in "CF" else 2 * ndim)]

    def from_leaves(self, builder, leaves):
        data, owner = next(leaves), next(leaves)
        ndim, layout = self._fe_type.ndim, self._fe_type.layout
        shape = [next(leaves) for _ in range(ndim)]
        size = _word(as_dtype(self._fe_type.dtype).itemsize)
        count = _word(1)
        for extent in shape:
            count = builder.mul(count, extent)
        if layout in "CF":
            strides, step = [None] * ndim, size
            for axis in reversed(range(ndim)) if layout == "C" else range(ndim):
                strides[axis] = step
                step = builder.mul(step, shape[axis])
        else:
            strides = [next(leaves) for _ in range(ndim)]
        return self._made(
            builder,
            meminfo=owner,
            nitems=count,
            itemsize=size,
            data=data,
            shape=_packed(builder, shape),
            strides=_packed(builder, strides),
        )

    def to_leaves(self, builder, value):
        ndim = self._fe_type.ndim
        found = [self._address(builder, value, name) for name in ("data", "meminfo")]
        for name in ("shape",) if self._fe_type.layout in "CF" else ("shape", "strides"):
            axes = self._part(builder, value, name)
            found += [builder.extract_value(axes, axis) for axis in range(ndim)]
        return found


@_of(types.NumPyRandomGeneratorType)
class GeneratorModel(_OwnedModel):
    """A random generator of NumPy's: the structure of its bit generator, and who owns it."""

    def __init__(self, dmm, fe_type):
        members = [
            ("bit_generator", types.voidptr),
            ("meminfo", types.MemInfoPointer(types.voidptr)),
            ("parent", types.pyobject),
        ]
        super().__init__(dmm, fe_type, members)

    def leaves(self):
        return [POINTER, OWNER]

    def from_leaves(self, builder, leaves):
        return self._made(builder, bit_generator=next(leaves), meminfo=next(leaves))

    def to_leaves(self, builder, value):
        return [self._address(builder, value, name) for name in ("bit_generator", "meminfo")]


@_of(types.FunctionType)
class FunctionModel(_OwnedModel):
    """A function of a fixed signature: where C code calls it, or where numjit's does."""

    def __init__(self, dmm, fe_type):
        names = ("c_addr", "py_addr", "jit_addr")
        super().__init__(dmm, fe_type, [(name, types.voidptr) for name in names])

    def owners(self, builder, value):
        return []

    def leaves(self):
        return [WORD]

    def from_leaves(self, builder, leaves):
        return self._made(builder, jit_addr=builder.inttoptr(next(leaves), POINTER.type))

    def to_leaves(self, builder, value):
        c_address, own = (
            builder.ptrtoint(self._address(builder, value, name), WORD.type)
            for name in ("c_addr", "jit_addr")
        )
        place = ir_memory.alloca_once(builder, WORD.type)
        builder.store(own, place)
        with builder.if_then(builder.icmp_unsigned("!=", c_address, WORD.type(0))):
            find = entry_of_c_function(self._fe_type.signature)
            unit = builder.module.unit
            found = unit.call(builder, find, types.int64, (types.int64,), (c_address,))
            builder.store(found, place)
        return [builder.load(place)]


def _packed(builder, values):
    made = llvm_ir().ArrayType(WORD.type, len(values))(llvm_ir().Undefined)
    for i, value in enumerate(values):
        made = builder.insert_value(made, value, i)
    return made


@_of(types.UnicodeType)
class UnicodeModel(_OwnedModel):
    """A string: its characters, of 1, 2 or 4 bytes (`kind`). Nothing says whether it is ASCII."""

    def __init__(self, dmm, fe_type):
        members = [
            ("data", types.voidptr),
            ("length", types.intp),
            ("kind", types.int32),
            ("is_ascii", types.uint32),
            ("hash", types.intp),
            ("meminfo", types.MemInfoPointer(types.voidptr)),
            ("parent", types.pyobject),
        ]
        super().__init__(dmm, fe_type, members)

    def leaves(self):
        return [POINTER, OWNER, WORD, WORD]

    def from_leaves(self, builder, leaves):
        data, owner, length, kind = (next(leaves) for _ in range(4))
        kind = builder.trunc(kind, llvm_ir().IntType(32))
        unknown = _word(-1)
        return self._made(builder, data=data, length=length, kind=kind, hash=unknown, meminfo=owner)

    def to_leaves(self, builder, value):
        kind = builder.zext(self._part(builder, value, "kind"), WORD.type)
        data, owner = (self._address(builder, value, name) for name in ("data", "meminfo"))
        return [data, owner, self._part(builder, value, "length"), kind]


@_of(types.List, types.ListType, types.Set, types.SetType, types.DictType, types.StructRef)
class ReferenceModel(_OwnedModel):
    """What lies in a block that is counted: code of LLVM IR can hand it around and count it."""

    def __init__(self, dmm, fe_type):
        members = [
            ("meminfo", types.MemInfoPointer(types.voidptr)),
            ("parent", types.pyobject),
        ]
        super().__init__(dmm, fe_type, members)

    def leaves(self):
        return [OWNER]

    def from_leaves(self, builder, leaves):
        return self._made(builder, meminfo=next(leaves))

    def to_leaves(self, builder, value):
        return [self._address(builder, value, "meminfo")]


@_of(types.ClassInstanceType)
class InstanceModel(ReferenceModel):
    """An instance of a jitclass, in a block."""


@_of(types.RangeType)
class RangeModel(StructModel):
    """Start, stop and step."""

    def __init__(self, dmm, fe_type):
        members = [(name, fe_type.dtype) for name in ("start", "stop", "step")]
        super().__init__(dmm, fe_type, members)


def _parts_of(which):
    """(start, stop, step) of a slice, with the ends of the line for what is left out."""
    step = 1 if which.step is None else which.step
    if step > 0:
        first, last = 0, sys.maxsize
    else:
        first, last = sys.maxsize, -sys.maxsize - 1
    start = first if which.start is None else which.start
    return start, last if which.stop is None else which.stop, step


def _slice_of(parts):
    return slice(parts[0], parts[1], parts[2])


@_of(types.SliceType)
class SliceModel(StructModel):
    """Start, stop and step, each a number."""

    crossing = types.UniTuple(types.intp, 3), _parts_of, _slice_of

    def __init__(self, dmm, fe_type):
        members = [(name, types.intp) for name in ("start", "stop", "step")]
        super().__init__(dmm, fe_type, members)


@_of(types.EnumMember, types.IntEnumMember)
class EnumModel(IntegerModel):
    """The value of a member of an enumeration."""

    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type.dtype)


@_of(types.NPDatetime, types.NPTimedelta)
class TimeModel(PrimitiveModel):
    """A number of units of time."""

    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type)

    def get_value_type(self):
        return WORD.type

    def leaf(self):
        return WORD


@_of(types.Record)
class RecordModel(CompositeModel):
    """An item of a structured array, by its address."""

    def get_value_type(self):
        return self.get_data_type().as_pointer()

    def get_data_type(self):
        return llvm_ir().ArrayType(llvm_ir().IntType(8), self._fe_type.size)

    def from_data(self, builder, value):
        raise NotImplementedError("a record is known by its address")

    def load_from_data_pointer(self, builder, ptr, align=None):
        return builder.bitcast(ptr, self.get_value_type())


class UnknownModel(DataModel):
    """Values that LLVM IR cannot have."""


for _name in "UnknownModel DataModel".split():
    BUILTIN_MODELS.add(globals()[_name])
