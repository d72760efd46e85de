"""The `context` of callbacks that write LLVM IR: Numba's target context."""

from __future__ import annotations

import functools
from types import SimpleNamespace

import numpy as np

from numjit import _core, types
from numjit.compat import ir_cgutils, ir_functions, ir_memory
from numjit.compat.ir_constants import constant
from numjit.compat.ir_python import PythonAPI, kept
from numjit.compat.ir_structs import create_struct_proxy, populate_array
from numjit.compat.ir_typing import callable_of, typing_context, with_arity
from numjit.compat.models import POINTER, WORD, Missing, default_manager, llvm_ir, represented
from numjit.compat.registries import find_cast
from numjit.errors import UnsupportedError


class CallConv:
    """How the function of a callback returns."""

    def __init__(self, unit):
        self._unit = unit

    def return_value(self, builder, value):
        self._unit.give(builder, value)

    def return_user_exc(self, builder, exc, exc_args=None, loc=None, func_name=None):
        """Raises an exception with constant arguments."""
        arguments = tuple(exc_args or ())

        if exc is None:
            raise UnsupportedError("a callback re-raises an exception")
        self._unit.call(builder, _raiser(exc, arguments), types.none, (), ())
        if not builder.block.is_terminated:
            self._unit.fail(builder)

    def return_status_propagate(self, builder, status):
        self._unit.fail(builder)

    def raise_error(self, builder, api, status):
        """The error that is pending becomes one of the interpreter."""


@functools.cache
def _raiser(exc, arguments):
    names = {"exc": exc} | {f"a{i}": value for i, value in enumerate(arguments)}
    given = ", ".join(f"a{i}" for i in range(len(arguments)))
    lines = f"def fail():\n    raise exc({given})\n"
    exec(lines, names)
    return names["fail"]


class NRT:
    """Counted memory."""

    def __init__(self, context):
        self._context = context

    def _count(self, builder, name, type_, value):
        function = self._context.external(builder, name, "vp")
        for owner in default_manager[type_].owners(builder, value):
            builder.call(function, [builder.bitcast(owner, POINTER.type)])

    def incref(self, builder, typ, value):
        self._count(builder, "nj_retain", typ, value)

    def decref(self, builder, typ, value):
        self._count(builder, "nj_release", typ, value)

    def meminfo_alloc(self, builder, size):
        """A new block, counted once; MemoryError is raised."""
        place = ir_memory.alloca_once(builder, POINTER.type, zfill=True)
        function = self._context.external(builder, "nj_alloc", "jiip")
        size = ir_memory._as_word(builder, size)
        status = builder.call(function, [size, llvm_ir().IntType(32)(0), place])
        with builder.if_then(builder.icmp_signed("!=", status, status.type(0)), likely=False):
            self._context.unit.fail(builder)
        return builder.load(place)

    meminfo_alloc_unchecked = meminfo_varsize_alloc = meminfo_varsize_alloc_unchecked = (
        meminfo_alloc
    )

    def meminfo_alloc_aligned(self, builder, size, align):
        return self.meminfo_alloc(builder, size)

    meminfo_alloc_aligned_unchecked = meminfo_alloc_aligned

    def meminfo_data(self, builder, meminfo):
        function = self._context.external(builder, "nj_block_data", "pp")
        return builder.call(function, [builder.bitcast(meminfo, POINTER.type)])

    def allocate(self, builder, size):
        """Memory that nothing counts."""
        malloc = self._context.external(builder, "malloc", "pi")
        return builder.call(malloc, [ir_memory._as_word(builder, size)])

    def free(self, builder, ptr):
        function = self._context.external(builder, "free", "vp")
        return builder.call(function, [builder.bitcast(ptr, POINTER.type)])

    def get_meminfos(self, builder, ty, val):
        return [(ty, owner) for owner in default_manager[ty].owners(builder, val)]

    def __getattr__(self, name):
        if name[:2] == "__":
            raise AttributeError(name)
        raise Missing(f"context.nrt.{name}() has no counterpart in numjit")


class Context:
    """The target context of one function."""

    enable_nrt, enable_boundscheck, enable_debuginfo = True, False, False
    address_size = 64
    strict_alignment = allow_dynamic_globals = False
    data_model_manager = default_manager

    def __init__(self, unit):
        self.unit = unit
        self.call_conv = CallConv(unit)
        self.nrt = NRT(self)

    # -- types of LLVM --------------------------------------------------------------------------

    def get_value_type(self, ty):
        return default_manager[ty].get_value_type()

    def get_data_type(self, ty):
        return default_manager[ty].get_data_type()

    def get_argument_type(self, ty):
        return default_manager[ty].get_argument_type()

    def get_return_type(self, ty):
        return default_manager[ty].get_return_type()

    def get_struct_type(self, struct):
        return struct._type

    def get_dummy_type(self):
        return POINTER.type

    @property
    def target_data(self):
        return ir_memory.target_data()

    def get_abi_sizeof(self, ty):
        """Bytes of a type of LLVM in memory."""
        return ty.get_abi_size(ir_memory.target_data())

    def get_abi_alignment(self, ty):
        return ty.get_abi_alignment(ir_memory.target_data())

    # -- constants ------------------------------------------------------------------------------

    def get_constant(self, ty, val):
        made = self.get_constant_generic(None, ty, val)
        return made

    def get_constant_null(self, ty):
        return llvm_ir().Constant(self.get_value_type(ty), None)

    def get_constant_undef(self, ty):
        return llvm_ir().Constant(self.get_value_type(ty), llvm_ir().Undefined)

    def get_dummy_value(self):
        return POINTER.type(None)

    def get_constant_generic(self, builder, ty, val):
        """A constant of a Python object."""
        return constant(self, builder, ty, val)

    def insert_const_string(self, mod, string):
        """The address of a text that ends with a zero byte."""
        return self.insert_const_bytes(mod, string.encode() + b"\0", ".const.text")

    def insert_const_bytes(self, mod, bytes, name=None):
        kind = llvm_ir().ArrayType(llvm_ir().IntType(8), len(bytes))
        place = ir_cgutils.global_constant(mod, name or ".const.bytes", kind(bytearray(bytes)))
        return place.bitcast(POINTER.type)

    def insert_unique_const(self, mod, name, val):
        return ir_cgutils.global_constant(mod, name, val)

    def add_dynamic_addr(self, builder, intaddr, info=""):
        """An address that this process alone knows."""
        self.unit.is_of_this_process = True
        return ir_functions.pointer_constant(intaddr)

    # -- values ---------------------------------------------------------------------------------

    def make_helper(self, builder, typ, value=None, ref=None):
        return create_struct_proxy(typ)(self, builder, value=value, ref=ref)

    def make_data_helper(self, builder, typ, ref=None):
        return create_struct_proxy(typ, "data")(self, builder, ref=ref)

    def make_array(self, typ):
        return create_struct_proxy(typ)

    def make_complex(self, builder, ty, value=None):
        return self.make_helper(builder, ty, value)

    def make_tuple(self, builder, typ, values):
        made = self.get_constant_undef(typ)
        for i, value in enumerate(values):
            made = builder.insert_value(made, value, i)
        return made

    def make_optional_none(self, builder, valtype):
        return self.get_constant_null(types.Optional(valtype))

    def make_optional_value(self, builder, valtype, value):
        made = self.make_helper(builder, types.Optional(valtype))
        made.data, made.valid = value, llvm_ir().IntType(1)(1)
        return made._getvalue()

    def unpack_value(self, builder, ty, ptr):
        return default_manager[ty].load_from_data_pointer(builder, ptr)

    def pack_value(self, builder, ty, value, ptr, align=None):
        builder.store(default_manager[ty].as_data(builder, value), ptr, align=align)

    def get_value_as_data(self, builder, ty, val):
        return default_manager[ty].as_data(builder, val)

    def get_data_as_value(self, builder, ty, val):
        return default_manager[ty].from_data(builder, val)

    def get_value_as_argument(self, builder, ty, val):
        return default_manager[ty].as_argument(builder, val)

    def get_returned_value(self, builder, ty, val):
        return default_manager[ty].from_return(builder, val)

    get_return_value = get_value_as_argument

    def get_argument_value(self, builder, ty, val):
        return default_manager[ty].from_argument(builder, val)

    def is_true(self, builder, typ, val):
        return self._by_python(builder, _truth, types.boolean, (typ,), (val,))

    def cast(self, builder, val, fromty, toty):
        """A value as one of another type, as in an assignment."""
        if fromty == toty or toty is types.Any:
            return val
        callback = find_cast(fromty, toty)
        if callback is not None:
            return callback(self, builder, fromty, toty, val)
        plain = self._plain_cast(builder, val, fromty, toty)
        if plain is not None:
            return plain
        convert = _number_cast(toty) if isinstance(toty, types.Number) else _identity
        return self._by_python(builder, convert, toty, (fromty,), (val,))

    @staticmethod
    def _plain_cast(builder, val, fromty, toty):
        """Between integers, and between pointers; None for others."""
        if isinstance(fromty, types.Integer) and isinstance(toty, types.Integer):
            wanted = default_manager[toty].get_value_type()
            if wanted.width > val.type.width:
                return (builder.sext if fromty.signed else builder.zext)(val, wanted)
            return builder.trunc(val, wanted) if wanted.width < val.type.width else val
        pointers = (types.CPointer, types.RawPointer, types.MemInfoPointer)
        if isinstance(fromty, pointers) and isinstance(toty, pointers):
            return builder.bitcast(val, default_manager[toty].get_value_type())
        if isinstance(toty, types.Optional) and fromty == toty.type:
            made = default_manager[toty].get_value_type()(None)
            made = builder.insert_value(made, val, 0)
            return builder.insert_value(made, llvm_ir().IntType(1)(1), 1)
        return None

    # -- calls ----------------------------------------------------------------------------------

    def _by_python(self, builder, function, result, parameters, arguments):
        return self.unit.call(builder, function, result, parameters, arguments)

    def compile_internal(self, builder, impl, sig, args, locals=None, **options):
        """Calls a Python function, compiled for a signature."""
        return self._by_python(builder, impl, sig.return_type, sig.args, args)

    def compile_subroutine(self, builder, impl, sig, locals=None, flags=None, caching=True):
        return SimpleNamespace(fndesc=SimpleNamespace(function=impl, sig=sig), signature=sig)

    def call_internal(self, builder, fndesc, sig, args):
        return self._by_python(builder, fndesc.function, sig.return_type, sig.args, args)

    def call_internal_no_propagate(self, builder, fndesc, sig, args):
        status, given = self.unit.call_with_status(
            builder, fndesc.function, sig.return_type, sig.args, args
        )
        return _status(builder, status), given(builder)

    def get_function(self, fn, sig, _firstcall=True):
        """What builds a call of a function that compiled code may call: `f(builder, args)`."""
        function = with_arity(callable_of(fn), len(sig.args))

        def build(builder, args, loc=None):
            return self._by_python(builder, function, sig.return_type, sig.args, args)

        return build

    def call_function_pointer(self, builder, funcptr, args, cconv=None):
        return builder.call(funcptr, args, cconv=cconv)

    def get_function_pointer_type(self, typ):
        """Of a C function: `typ.sig` is its signature."""
        return self._function_type(typ.sig).as_pointer()

    get_external_function_type = get_function_pointer_type

    def _function_type(self, sig):
        result = sig.return_type
        ir = llvm_ir()
        given = ir.VoidType() if result == types.none else self.get_data_type(result)
        return ir.FunctionType(given, [self.get_data_type(each) for each in sig.args])

    def populate_array(self, arr, **parts):
        return populate_array(arr, **parts)

    def make_constant_array(self, builder, typ, ary):
        """An array with the items that another one has now."""
        ary = np.array(ary, order="K", copy=True)
        kept(ary)
        made = self.make_helper(builder, typ)
        made.data = builder.bitcast(
            self.add_dynamic_addr(builder, ary.ctypes.data),
            self.get_data_type(typ.dtype).as_pointer(),
        )
        word = WORD.type
        made.nitems, made.itemsize = word(ary.size), word(ary.itemsize)
        made.shape = ir_array(ary.shape)
        made.strides = ir_array(ary.strides)
        return made._getvalue()

    def declare_external_function(self, module, fndesc):
        raise Missing("context.declare_external_function() has no counterpart in numjit")

    def get_getattr(self, typ, attr):
        """What builds `value.attr`."""
        function = eval(f"lambda value: value.{attr}")

        def build(context, builder, typ, val, attr):
            result = context.typing_context.resolve_getattr(typ, attr)
            return self._by_python(builder, function, result, (typ,), (val,))

        return build

    def external(self, builder, name, letters):
        """A C function: v nothing, j int32, i int64, d double, p pointer; the result first."""
        ir = llvm_ir()
        kinds = {
            "v": ir.VoidType(),
            "j": ir.IntType(32),
            "i": WORD.type,
            "d": ir.DoubleType(),
            "p": POINTER.type,
        }
        if letters == "jiip":  # nj_alloc: its flag is an int32
            parameters = [WORD.type, ir.IntType(32), POINTER.type.as_pointer()]
        else:
            parameters = [kinds[letter] for letter in letters[1:]]
        kind = ir.FunctionType(kinds[letters[0]], parameters)
        return ir_cgutils.get_or_insert_function(builder.module, kind, name)

    @property
    def typing_context(self):
        return typing_context

    def get_python_api(self, builder):
        return PythonAPI(self, builder)

    def get_env_manager(self, builder, *args, **kwargs):
        return None

    def type_address(self, type_):
        """The row of a type, as machine code names it."""
        self.unit.is_of_this_process = True
        handle = represented(type_)._handle
        return ir_functions.pointer_constant(_core.type_address(handle))

    def print_string(self, builder, text):
        puts = self.external(builder, "puts", "jp")
        return builder.call(puts, [text])

    def debug_print(self, builder, text):
        self.print_string(builder, self.insert_const_string(builder.module, text))

    def printf(self, builder, format_string, *args):
        return ir_cgutils.printf(builder, format_string, *args)

    def refresh(self):
        """Nothing is read ahead."""

    def __getattr__(self, name):
        if name[:2] == "__":
            raise AttributeError(name)
        raise Missing(f"context.{name} has no counterpart in numjit")


def ir_array(numbers):
    """A constant array of words."""
    return llvm_ir().ArrayType(WORD.type, len(numbers))([WORD.type(each) for each in numbers])


def _truth(value):
    return bool(value)


def _identity(value):
    return value


@functools.cache
def _number_cast(toty):
    return eval("lambda value: kind(value)", {"kind": toty})


def _status(builder, status):
    failed = builder.icmp_unsigned("!=", status, status.type(0))
    return SimpleNamespace(
        code=status, is_error=failed, is_ok=builder.not_(failed), is_none=status.type(0)
    )
