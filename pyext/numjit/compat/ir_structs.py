"""Struct proxies: the parts of a value by name, over memory on the stack."""

from __future__ import annotations

import functools

from numjit import types
from numjit.compat import ir_memory as memory
from numjit.compat.models import WORD, default_manager, llvm_ir


class StructProxy:
    """The parts of one value. `kind` is "value", or "data" for values as they lie in memory."""

    def __init__(self, context, builder, value=None, ref=None):
        self.__dict__.update(_context=context, _builder=builder)
        if ref is not None:
            if ref.type.pointee != self._be_type:
                ref = builder.bitcast(ref, self._be_type.as_pointer())
            self.__dict__["_value"] = ref
            return
        place = memory.alloca_once(builder, self._be_type, zfill=True)
        self.__dict__["_value"] = place
        if value is not None:
            builder.store(value, place)

    # -- set by proxy_class ---------------------------------------------------------------------

    _fe_type: types.Type
    _model: object
    _be_type: object
    _is_data = False

    def _get_be_type(self, datamodel=None):
        return self._be_type

    @property
    def _datamodel(self):
        return self._model

    # -- parts ----------------------------------------------------------------------------------

    def _position(self, index):
        return index if isinstance(index, int) else self._model.get_field_position(index)

    def _get_ptr_by_index(self, index):
        return memory.gep_inbounds(self._builder, self._value, 0, index)

    def _get_ptr_by_name(self, name):
        return self._get_ptr_by_index(self._model.get_field_position(name))

    def _read(self, index):
        place = self._get_ptr_by_index(index)
        if self._is_data:
            return self._model.get_model(index).load_from_data_pointer(self._builder, place)
        return self._builder.load(place)

    def _write(self, index, value):
        place = self._get_ptr_by_index(index)
        if self._is_data:
            value = self._model.get_model(index).as_data(self._builder, value)
        if value.type != place.type.pointee:
            if not (value.type.is_pointer and place.type.pointee.is_pointer):
                raise TypeError(
                    f"the part {self._model.fields[index]!r} of {self._fe_type} is "
                    f"{place.type.pointee}, not {value.type}"
                )
            value = self._builder.bitcast(value, place.type.pointee)
        self._builder.store(value, place)

    def __getattr__(self, name):
        if name[:1] == "_":
            raise AttributeError(name)
        try:
            return self._read(self._model.get_field_position(name))
        except KeyError:
            raise AttributeError(f"{self._fe_type} has no part {name!r}") from None

    def __setattr__(self, name, value):
        if name[:1] == "_":
            self.__dict__[name] = value
            return
        try:
            index = self._model.get_field_position(name)
        except KeyError:
            raise AttributeError(
                f"{self._fe_type} has no part {name!r}; it has {list(self._model.fields)}"
            ) from None
        self._write(index, value)

    def __getitem__(self, index):
        return self._read(self._position(index))

    def __setitem__(self, index, value):
        self._write(self._position(index), value)

    def __len__(self):
        return self._model.field_count

    # -- the whole ------------------------------------------------------------------------------

    def _getpointer(self):
        return self._value

    def _getvalue(self):
        return self._builder.load(self._value)

    def _setvalue(self, value):
        self._builder.store(value, self._value)


@functools.cache
def proxy_class(fe_type, kind="value"):
    """The class of proxies of values of a type."""
    model = default_manager.lookup(fe_type)
    if kind not in ("value", "data"):
        raise ValueError(f"a struct proxy of kind {kind!r}")
    if not hasattr(model, "field_count"):
        raise TypeError(f"values of type {fe_type} have no parts")
    is_data = kind == "data"
    be_type = model.get_data_type() if is_data else model.get_value_type()
    namespace = {
        "_fe_type": fe_type,
        "_model": model,
        "_be_type": be_type,
        "_is_data": is_data,
    }
    return type(f"{kind.title()}StructProxy[{fe_type}]", (StructProxy,), namespace)


def create_struct_proxy(fe_type, kind="value"):
    """A maker of proxies: `create_struct_proxy(type)(context, builder, value=...)`."""
    return proxy_class(fe_type, kind)


def populate_array(array, data, shape, strides, itemsize, meminfo, parent=None):
    """Sets the parts of the struct proxy of an array."""
    builder, context = array._builder, array._context
    array.data = builder.bitcast(data, array.data.type)
    array.shape = _words(builder, shape)
    array.strides = _words(builder, strides)
    array.itemsize = WORD.type(itemsize) if isinstance(itemsize, int) else itemsize
    count, extents = WORD.type(1), array.shape
    for axis in range(extents.type.count):
        count = builder.mul(count, builder.extract_value(extents, axis))
    array.nitems = count
    array.meminfo = context.get_constant_null(types.voidptr) if meminfo is None else meminfo
    array.parent = context.get_constant_null(types.pyobject)


def _words(builder, values):
    """Values as an array of LLVM, if they are not one."""
    if not isinstance(values, list | tuple):
        return values
    made = llvm_ir().ArrayType(WORD.type, len(values))(llvm_ir().Undefined)
    for axis, value in enumerate(values):
        made = builder.insert_value(made, value, axis)
    return made


class Structure:
    """Base of structs that programs define by `_fields = [(name, type), ...]`."""

    _fields: list = []

    def __init__(self, context, builder, value=None, ref=None, cast_ref=False):
        self._context, self._builder = context, builder
        kinds = [_be_type(context, type_) for _, type_ in self._fields]
        self._type = llvm_ir().LiteralStructType(kinds)
        self._namemap = {name: i for i, (name, _) in enumerate(self._fields)}
        if ref is None:
            ref = memory.alloca_once(builder, self._type, zfill=True)
            if value is not None:
                builder.store(value, ref)
        elif ref.type.pointee != self._type:
            ref = builder.bitcast(ref, self._type.as_pointer())
        self._value = ref

    def _place(self, name):
        return memory.gep_inbounds(self._builder, self._value, 0, self._namemap[name])

    def __getattr__(self, name):
        if name[:1] == "_" or name not in self._namemap:
            raise AttributeError(name)
        return self._builder.load(self._place(name))

    def __setattr__(self, name, value):
        if name[:1] == "_":
            self.__dict__[name] = value
        else:
            self._builder.store(value, self._place(name))

    def _getpointer(self):
        return self._value

    def _getvalue(self):
        return self._builder.load(self._value)


def _be_type(context, type_):
    return context.get_value_type(type_) if isinstance(type_, types.Type) else type_
