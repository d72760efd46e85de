"""The `pyapi` of callbacks: calls of CPython's C API in LLVM IR."""

from __future__ import annotations

import contextlib
import functools

from numjit.compat import ir_cgutils as cgutils
from numjit.compat import ir_functions
from numjit.compat.models import POINTER, WORD, Missing, default_manager, llvm_ir
from numjit.compat.registries import NativeValue, find_boxer, find_unboxer
from numjit.errors import UnsupportedError

#: Method -> (function of CPython, result, parameters): o object, i int, n ssize, L int64, U uint64,
#: d double, s the address of a text, v nothing.
_CALLS = {
    "bool_from_long": ("PyBool_FromLong", "oL"),
    "bytes_as_string": ("PyBytes_AsString", "so"),
    "bytes_from_string_and_size": ("PyBytes_FromStringAndSize", "osn"),
    "call_method_noargs": ("PyObject_CallMethodNoArgs", "ooo"),
    "complex_from_doubles": ("PyComplex_FromDoubles", "odd"),
    "complex_imag_as_double": ("PyComplex_ImagAsDouble", "do"),
    "complex_real_as_double": ("PyComplex_RealAsDouble", "do"),
    "dict_getitem": ("PyDict_GetItem", "ooo"),
    "dict_getitem_string": ("PyDict_GetItemString", "oos"),
    "dict_setitem": ("PyDict_SetItem", "iooo"),
    "dict_setitem_string": ("PyDict_SetItemString", "ioso"),
    "err_clear": ("PyErr_Clear", "v"),
    "err_occurred": ("PyErr_Occurred", "o"),
    "err_print": ("PyErr_Print", "v"),
    "err_set_none": ("PyErr_SetNone", "vo"),
    "err_set_object": ("PyErr_SetObject", "voo"),
    "float_as_double": ("PyFloat_AsDouble", "do"),
    "float_from_double": ("PyFloat_FromDouble", "od"),
    "import_module": ("PyImport_ImportModule", "os"),
    "iter_next": ("PyIter_Next", "oo"),
    "list_append": ("PyList_Append", "ioo"),
    "list_getitem": ("PyList_GetItem", "oon"),
    "list_new": ("PyList_New", "on"),
    "list_setitem": ("PyList_SetItem", "iono"),
    "list_size": ("PyList_Size", "no"),
    "long_as_longlong": ("PyLong_AsLongLong", "Lo"),
    "long_as_ulonglong": ("PyLong_AsUnsignedLongLong", "Lo"),
    "long_as_voidptr": ("PyLong_AsVoidPtr", "so"),
    "long_from_longlong": ("PyLong_FromLongLong", "oL"),
    "long_from_ulonglong": ("PyLong_FromUnsignedLongLong", "oL"),
    "long_from_ssize_t": ("PyLong_FromSsize_t", "on"),
    "long_from_voidptr": ("PyLong_FromVoidPtr", "os"),
    "number_add": ("PyNumber_Add", "ooo"),
    "number_float": ("PyNumber_Float", "oo"),
    "number_long": ("PyNumber_Long", "oo"),
    "number_multiply": ("PyNumber_Multiply", "ooo"),
    "number_subtract": ("PyNumber_Subtract", "ooo"),
    "object_delattr_string": ("PyObject_DelAttrString", "ios"),
    "object_delitem": ("PyObject_DelItem", "ioo"),
    "object_getattr": ("PyObject_GetAttr", "ooo"),
    "object_getattr_string": ("PyObject_GetAttrString", "oos"),
    "object_getitem": ("PyObject_GetItem", "ooo"),
    "object_getiter": ("PyObject_GetIter", "oo"),
    "object_hash": ("PyObject_Hash", "no"),
    "object_istrue": ("PyObject_IsTrue", "io"),
    "object_not": ("PyObject_Not", "io"),
    "object_repr": ("PyObject_Repr", "oo"),
    "object_setattr": ("PyObject_SetAttr", "iooo"),
    "object_setattr_string": ("PyObject_SetAttrString", "ioso"),
    "object_setitem": ("PyObject_SetItem", "iooo"),
    "object_str": ("PyObject_Str", "oo"),
    "object_type": ("PyObject_Type", "oo"),
    "sequence_getitem": ("PySequence_GetItem", "oon"),
    "sequence_size": ("PySequence_Size", "no"),
    "sequence_tuple": ("PySequence_Tuple", "oo"),
    "set_add": ("PySet_Add", "ioo"),
    "set_new": ("PySet_New", "oo"),
    "set_size": ("PySet_Size", "no"),
    "string_as_string": ("PyUnicode_AsUTF8", "so"),
    "string_from_string": ("PyUnicode_FromString", "os"),
    "string_from_string_and_size": ("PyUnicode_FromStringAndSize", "osn"),
    "tuple_getitem": ("PyTuple_GetItem", "oon"),
    "tuple_new": ("PyTuple_New", "on"),
    "tuple_setitem": ("PyTuple_SetItem", "iono"),
    "tuple_size": ("PyTuple_Size", "no"),
    "incref": ("Py_IncRef", "vo"),
    "decref": ("Py_DecRef", "vo"),
    "dict_new": ("PyDict_New", "o"),
}
_SAME = {
    "import_module_noblock": "import_module",
    "long_from_signed_int": "long_from_longlong",
    "long_from_long": "long_from_longlong",
    "long_from_unsigned_int": "long_from_ulonglong",
    "long_as_long": "long_as_longlong",
}


class PythonAPI:
    """Python objects in LLVM IR are addresses; whoever gets a new one gives it up by decref()."""

    def __init__(self, context, builder):
        self.context = context
        self.builder = builder
        self.module = builder.module
        self.pyobj = POINTER.type
        self.voidptr = POINTER.type
        self.long = self.ulong = self.longlong = self.ulonglong = WORD.type
        self.py_ssize_t = self.py_hash_t = WORD.type
        self.double = llvm_ir().DoubleType()

    def __getattr__(self, name):
        row = _CALLS.get(_SAME.get(name, name))
        if row is not None:
            return functools.partial(self._call, *row)
        if name[:2] == "__":
            raise AttributeError(name)
        raise Missing(f"pyapi.{name}() has no counterpart in numjit")

    # -- calls ----------------------------------------------------------------------------------

    def _type(self, letter):
        ir = llvm_ir()
        kinds = {"v": ir.VoidType(), "i": ir.IntType(32), "d": ir.DoubleType()}
        return kinds.get(letter) or (POINTER.type if letter in "os" else WORD.type)

    def _call(self, symbol, letters, *arguments, name=""):
        kind = llvm_ir().FunctionType(
            self._type(letters[0]), [self._type(each) for each in letters[1:]]
        )
        function = cgutils.get_or_insert_function(self.module, kind, symbol)
        given = [
            self._argument(letter, value)
            for letter, value in zip(letters[1:], arguments, strict=True)
        ]
        return self.builder.call(function, given)

    def _argument(self, letter, value):
        wanted = self._type(letter)
        if isinstance(value, str):
            return self.context.insert_const_string(self.module, value)
        if isinstance(value, int | float):
            return wanted(value)
        if wanted.is_pointer:
            return self.builder.bitcast(value, wanted)
        if letter in "nLi" and value.type != wanted:
            is_wider = value.type.width > wanted.width
            return (self.builder.trunc if is_wider else self.builder.sext)(value, wanted)
        return value

    # -- objects --------------------------------------------------------------------------------

    def get_null_object(self):
        return POINTER.type(None)

    def _known(self, symbol):
        """The address of an object of the interpreter: _Py_NoneStruct."""
        place = self.module.globals.get(symbol)
        if place is None:
            place = llvm_ir().GlobalVariable(self.module, llvm_ir().IntType(8), symbol)
        return place

    def borrow_none(self):
        return self._known("_Py_NoneStruct")

    def make_none(self):
        none = self.borrow_none()
        self.incref(none)
        return none

    def get_c_object(self, name):
        """An object that C code knows by a symbol: a variable that holds its address."""
        place = self.module.globals.get(name)
        if place is None:
            place = llvm_ir().GlobalVariable(self.module, POINTER.type, name)
        return self.builder.load(place)

    def bool_from_bool(self, bval):
        value = self.builder.zext(bval, WORD.type) if bval.type != WORD.type else bval
        return self.bool_from_long(value)

    def xdecref(self, value):
        with self.builder.if_then(cgutils.is_not_null(self.builder, value)):
            self.decref(value)

    def serialize_object(self, obj):
        return obj

    def unserialize(self, structptr):
        """A new reference to an object that serialize_object() got."""
        address = self.context.add_dynamic_addr(self.builder, kept(structptr), "object")
        self.incref(address)
        return address

    def import_object(self, obj):
        return self.unserialize(obj)

    def object_dump(self, obj):
        self._call("_PyObject_Dump", "vo", obj)

    def print_object(self, obj):
        """Prints str(object)."""
        text = self.object_str(obj)
        output = self._call("PySys_GetObject", "os", "stdout")
        one = llvm_ir().IntType(32)(1)
        self._call("PyFile_WriteObject", "iooi", text, output, one)
        self._call("PyFile_WriteString", "iso", "\n", output)
        self.decref(text)

    def print_string(self, text):
        self.print_object(self.string_from_string(text))

    def number_as_ssize_t(self, numobj):
        overflow = self.get_c_object("PyExc_OverflowError")
        return self._call("PyNumber_AsSsize_t", "noo", numobj, overflow)

    # -- containers and calls -------------------------------------------------------------------

    def tuple_pack(self, items):
        made = self.tuple_new(len(items))
        for i, item in enumerate(items):
            self.incref(item)
            self.tuple_setitem(made, i, item)
        return made

    def list_pack(self, items):
        made = self.list_new(len(items))
        for i, item in enumerate(items):
            self.incref(item)
            self.list_setitem(made, i, item)
        return made

    def dict_pack(self, keyvalues):
        made = self.dict_new()
        for key, value in keyvalues:
            setter = self.dict_setitem_string if isinstance(key, str) else self.dict_setitem
            setter(made, key, value)
        return made

    def dict_new(self, presize=0):
        return self._call("PyDict_New", "o")

    def set_new(self, iterable=None):
        return self._call("PySet_New", "oo", self._or_null(iterable))

    def _or_null(self, value):
        return self.get_null_object() if value is None else value

    def call_function_objargs(self, callee, objargs):
        packed = self.tuple_pack(objargs)
        result = self._call("PyObject_CallObject", "ooo", callee, packed)
        self.decref(packed)
        return result

    def call(self, callee, args=None, kws=None):
        if args is None:
            empty = self.tuple_new(0)
            result = self._call("PyObject_Call", "oooo", callee, empty, self._or_null(kws))
            self.decref(empty)
            return result
        return self._call("PyObject_Call", "oooo", callee, args, self._or_null(kws))

    def call_method(self, callee, method, objargs=()):
        function = self.object_getattr_string(callee, method)
        place = cgutils.alloca_once_value(self.builder, self.get_null_object())
        with self.builder.if_then(cgutils.is_not_null(self.builder, function)):
            self.builder.store(self.call_function_objargs(function, objargs), place)
            self.decref(function)
        return self.builder.load(place)

    def object_richcompare(self, lhs, rhs, opstr):
        number = ["<", "<=", "==", "!=", ">", ">="].index(opstr)
        return self._call("PyObject_RichCompare", "oooi", lhs, rhs, number)

    def string_as_string_and_size(self, strobj):
        """(whether it is one, its UTF-8 text, its length in bytes)"""
        size = cgutils.alloca_once_value(self.builder, WORD.type(0))
        text = self._call("PyUnicode_AsUTF8AndSize", "sos", strobj, size)
        return cgutils.is_not_null(self.builder, text), text, self.builder.load(size)

    # -- errors ---------------------------------------------------------------------------------

    def err_set_string(self, exctype, msg):
        self._call("PyErr_SetString", "vos", self._exception(exctype), msg)

    def err_format(self, exctype, msg, *format_args):
        kind = llvm_ir().FunctionType(POINTER.type, [POINTER.type] * 2, var_arg=True)
        function = cgutils.get_or_insert_function(self.module, kind, "PyErr_Format")
        text = self.context.insert_const_string(self.module, msg)
        self.builder.call(function, [self._exception(exctype), text, *format_args])

    def _exception(self, exctype):
        if isinstance(exctype, str):
            return self.get_c_object(exctype)
        if isinstance(exctype, type):
            return self.context.add_dynamic_addr(self.builder, kept(exctype))
        return exctype

    def raise_object(self, exc=None):
        if exc is None:
            raise UnsupportedError("pyapi.raise_object() without an exception")
        kind = self.object_type(exc)
        self._call("PyErr_SetObject", "voo", kind, exc)
        self.decref(kind)

    @contextlib.contextmanager
    def err_push(self, keep_new=False):
        """What runs in it finds no exception; the one there was comes back."""
        raised = self._call("PyErr_GetRaisedException", "o")
        yield
        self._call("PyErr_SetRaisedException", "vo", raised)

    def c_api_error(self):
        return cgutils.is_not_null(self.builder, self.err_occurred())

    # -- the interpreter's lock -----------------------------------------------------------------

    def gil_ensure(self):
        kind = llvm_ir().FunctionType(llvm_ir().IntType(32), [])
        function = cgutils.get_or_insert_function(self.module, kind, "PyGILState_Ensure")
        return self.builder.call(function, [])

    def gil_release(self, gil):
        kind = llvm_ir().FunctionType(llvm_ir().VoidType(), [llvm_ir().IntType(32)])
        function = cgutils.get_or_insert_function(self.module, kind, "PyGILState_Release")
        return self.builder.call(function, [gil])

    def save_thread(self):
        return self._call("PyEval_SaveThread", "o")

    def restore_thread(self, state):
        return self._call("PyEval_RestoreThread", "vo", state)

    # -- values ---------------------------------------------------------------------------------

    def from_native_value(self, typ, val, env_manager=None):
        """A new object of a value, whose counts it takes over."""
        callback = find_boxer(typ)
        if callback is not None:
            return callback(typ, val, Crossing(self.context, self.builder))
        model = default_manager[typ]
        leaves = model.leaves()
        slots = cgutils.alloca_once(self.builder, WORD.type, size=max(len(leaves), 1))
        values = model.to_leaves(self.builder, val)
        for i, (leaf, value) in enumerate(zip(leaves, values, strict=True)):
            place = cgutils.gep_inbounds(self.builder, slots, i)
            ir_functions.store_slot(self.builder, leaf, value, place)
        return self._call("nj_box_value", "oss", self.context.type_address(typ), slots)

    from_native_return = from_native_value

    def to_native_value(self, typ, obj):
        """NativeValue: the value of an object, with counts of its own."""
        callback = find_unboxer(typ)
        if callback is not None:
            return callback(typ, obj, Crossing(self.context, self.builder))
        model = default_manager[typ]
        leaves = model.leaves()
        slots = cgutils.alloca_once(self.builder, WORD.type, size=max(len(leaves), 1), zfill=True)
        address = self.context.type_address(typ)
        status = self._call("nj_unbox_value", "ioss", obj, address, slots)
        parts = [
            ir_functions.load_slot(self.builder, leaf, cgutils.gep_inbounds(self.builder, slots, i))
            for i, leaf in enumerate(leaves)
        ]
        value = model.from_leaves(self.builder, iter(parts))
        return NativeValue(value, self.builder.icmp_unsigned("!=", status, status.type(0)))

    to_native_arg = to_native_value

    def call_jit_code(self, func, sig, args):
        """(whether it raised, its result) of a Python function, compiled for a signature."""
        status, given = self.context.unit.call_with_status(
            self.builder, func, sig.return_type, sig.args, args
        )
        failed = self.builder.icmp_unsigned("!=", status, status.type(0))
        place = cgutils.alloca_once(
            self.builder, self.context.get_value_type(sig.return_type), zfill=True
        )
        with self.builder.if_else(failed, likely=False) as (then, otherwise):
            with then:
                self._call("nj_raise_pending", "v")
            with otherwise:
                self.builder.store(given(self.builder), place)
        return failed, self.builder.load(place)

    def nrt_adapt_ndarray_to_python(self, aryty, ary, dtypeptr=None):
        return self.from_native_value(aryty, ary)

    def get_env_manager(self, *args, **kwargs):
        return None


_objects: dict = {}


def kept(value) -> int:
    """The address of an object, which lives as long as the process: code names it."""
    _objects[id(value)] = value
    return id(value)


class Crossing:
    """The `c` of box and unbox callbacks."""

    env_manager = None

    def __init__(self, context, builder):
        self.context, self.builder = context, builder
        self.pyapi = PythonAPI(context, builder)

    def box(self, typ, val):
        return self.pyapi.from_native_value(typ, val, self.env_manager)

    def unbox(self, typ, obj):
        return self.pyapi.to_native_value(typ, obj)

    def reflect(self, typ, val):
        raise UnsupportedError(f"c.reflect() of {typ}")
