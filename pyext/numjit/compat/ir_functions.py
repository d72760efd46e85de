"""The function of LLVM IR that a callback writes, and how compiled code calls it.

The callback's builder stands in a function whose parameters are leaves, as numjit's own code hands
values around, and which returns leaves and a status. At its beginning the leaves become values in
the layout of their types' models, at its end the result becomes leaves again.
"""

from __future__ import annotations

import contextlib
import functools
import re
import threading
import uuid

from numjit import _core
from numjit.compat import ir_memory
from numjit.compat.models import OWNER, POINTER, WORD, default_manager, llvm_ir, represented
from numjit.errors import LoweringError, UnsupportedError
from numjit.library.core.intrinsics import call_ir

_LOCK = threading.RLock()
#: Stands in texts for the name of their function, which is made of the text.
_NAME = "numjit.callback"


class Unit:
    """A module of LLVM IR with the function that a callback writes."""

    def __init__(self, parameters, result):
        ir = llvm_ir()
        self.module = ir.Module("callback", context=ir.Context())
        self.module.unit = self  # found again by builders
        self.result = result
        self.entries = []  # (function, result type, types of parameters)
        self.is_of_this_process = False
        self.parameters = [type_ for type_ in parameters if default_manager[type_].leaves()]
        leaves = [leaf.type for type_ in parameters for leaf in default_manager[type_].leaves()]
        given = [leaf.type for leaf in default_manager[result].leaves()]
        self.result_type = ir.LiteralStructType([*given, ir.IntType(32)])
        self.function = ir.Function(
            self.module, ir.FunctionType(self.result_type, leaves), name=_NAME
        )
        self.function.calling_convention = ""
        self.builder = ir.IRBuilder(self.function.append_basic_block("entry"))
        arguments = iter(self.function.args)
        self.arguments = [
            default_manager[type_].from_leaves(self.builder, arguments) for type_ in parameters
        ]

    # -- ways out -------------------------------------------------------------------------------

    def give(self, builder, value):
        """Returns a value."""
        leaves = default_manager[self.result].to_leaves(builder, value)
        made = self.result_type(llvm_ir().Undefined)
        for i, leaf in enumerate(leaves):
            made = builder.insert_value(made, leaf, i)
        builder.ret(builder.insert_value(made, llvm_ir().IntType(32)(0), len(leaves)))

    def fail(self, builder):
        """Returns because of an error, which is pending."""
        ir = llvm_ir()
        kind = builder.function.function_type.return_type
        if kind != self.result_type:
            raise UnsupportedError(
                "an error is raised in a function of LLVM IR that the callback has defined itself"
            )
        last = len(kind.elements) - 1
        builder.ret(builder.insert_value(kind(None), ir.IntType(32)(1), last))

    # -- calls of compiled functions ------------------------------------------------------------

    def call(self, builder, function, result, parameters, arguments):
        """Calls a Python function, compiled for types; what it raises is raised."""
        status, given = self.call_with_status(builder, function, result, parameters, arguments)
        with builder.if_then(builder.icmp_unsigned("!=", status, status.type(0)), likely=False):
            self.fail(builder)
        return given(builder)

    def call_with_status(self, builder, function, result, parameters, arguments):
        """The status, and a function that makes the result if that is 0."""
        slots = []
        for type_, value in zip(parameters, arguments, strict=True):
            model = default_manager[type_]
            slots += zip(model.leaves(), model.to_leaves(builder, value), strict=True)
        place = ir_memory.alloca_once(builder, WORD.type, size=max(len(slots), 1))
        for i, (leaf, value) in enumerate(slots):
            store_slot(builder, leaf, value, ir_memory.gep_inbounds(builder, place, i))
        model = default_manager[result]
        out = ir_memory.alloca_once(builder, WORD.type, size=max(len(model.leaves()), 1))
        status = builder.call(self._entry(function, result, parameters), [place, out])

        def given(builder):
            leaves = [
                load_slot(builder, leaf, ir_memory.gep_inbounds(builder, out, i))
                for i, leaf in enumerate(model.leaves())
            ]
            return model.from_leaves(builder, iter(leaves))

        return status, given

    def _entry(self, function, result, parameters):
        wanted = (function, result, tuple(parameters))
        if wanted not in self.entries:
            self.entries.append(wanted)
        name = f"{_NAME}.entry.{self.entries.index(wanted)}"
        known = self.module.globals.get(name)
        if known is None:
            ir = llvm_ir()
            word = WORD.type.as_pointer()
            known = ir.Function(self.module, ir.FunctionType(ir.IntType(32), [word, word]), name)
        return known

    # -- the text -------------------------------------------------------------------------------

    def text(self):
        """(text, name of the function)"""
        # Callbacks know Numba's parameters, the first of which is where the result goes.
        for leaf in self.function.args:
            leaf.attributes.clear()
        made = _print(self.module)
        if self.is_of_this_process:
            made += f"; {_process_mark()}\n"
        name = f"callback.{_core.digest(made.encode())[:16]}"
        return made.replace(_NAME, name), name


def store_slot(builder, leaf, value, place):
    """Puts a leaf into the 8 bytes in which it is handed over."""
    if leaf.letter in "ib":
        widen = builder.sext if leaf.is_signed else builder.zext
        value = widen(value, WORD.type) if value.type != WORD.type else value
    builder.store(value, builder.bitcast(place, value.type.as_pointer()))


def load_slot(builder, leaf, place):
    """The leaf in 8 bytes."""
    if leaf.letter in "ib":
        value = builder.load(place)
        return builder.trunc(value, leaf.type) if leaf.type != WORD.type else value
    return builder.load(builder.bitcast(place, leaf.type.as_pointer()))


def _print(module):
    """The module as text in which pointers have no types, as LLVM wants it now."""
    from llvmlite.ir import types as written

    with _LOCK:
        before = getattr(written, "ir_layer_typed_pointers_enabled", False)
        written.ir_layer_typed_pointers_enabled = False
        try:
            text = str(module)
        finally:
            written.ir_layer_typed_pointers_enabled = before
    # What the module says of the target is not known where it is written.
    return re.sub(r"^target (triple|datalayout) = .*\n", "", text, flags=re.M)


@functools.cache
def _process_mark():
    return uuid.uuid4().hex


# -- functions in the subset --------------------------------------------------------------------


def function_of(write, result, parameters, names, what, defaults=None, taken=None):
    """The Python function that does what a callback writes.

    `write(unit)` gives the result as a value of LLVM IR, or None where it has returned already;
    `what` names the callback in errors, `defaults` are those of parameters by name. `taken` are the
    types that arguments are converted to, of the same leaves, if these are not the parameters'.
    """
    text, symbol, entries = written(write, result, parameters, what)
    used = [
        (name, type_)
        for name, type_ in zip(names, taken or parameters, strict=True)
        if default_manager[type_].leaves()
    ]
    environment = {
        "_call_ir": call_ir,
        "_text": text,
        "_symbol": symbol,
        "_result": represented(result),
        "_parameters": tuple(represented(type_) for _, type_ in used),
        "_entries": entries,
    }
    shown = []
    for name in names:
        if defaults and name in defaults:
            environment[f"_default_{name}"] = defaults[name]
            shown.append(f"{name}=_default_{name}")
        else:
            shown.append(name)
    arguments = "".join(f"{_crossed(environment, type_, 1)}({name}), " for name, type_ in used)
    call = f"_call_ir(_text, _symbol, _result, _parameters, _entries, ({arguments}))"
    call = f"{_crossed(environment, result, 2)}({call})"
    made = eval(f"lambda {', '.join(shown)}: {call}", environment)
    made._numjit_of_this_process_ = _process_mark() in text  # the cache looks for it
    return made


def _crossed(environment, type_, way) -> str:
    """The name of the function by which values of a type cross to LLVM IR (1), or back (2); ""."""
    crossing = default_manager[type_].crossing
    if crossing is None:
        return ""
    name = f"_crosses_{way}_{type(type_).__name__}"
    environment[name] = crossing[way]
    return name


def written(write, result, parameters, what):
    """(text, name of the function, what it calls) of what a callback writes."""
    try:
        unit = Unit(parameters, result)
    except NotImplementedError as error:
        raise UnsupportedError(f"{what}: {error}") from None
    value = write(unit)
    if not unit.builder.block.is_terminated:
        if value is None and default_manager[result].leaves():
            raise LoweringError(f"{what} gave None and not a value of LLVM IR")
        with _naming(what, result):
            unit.give(unit.builder, value)
    text, name = unit.text()
    problem, missing = _core.llvm_ir_problem(text, name), None
    while problem:
        missing = re.fullmatch(r"this process has no symbol (.*)", problem)
        if missing is None or not _take_symbol(missing[1]):
            break
        problem = _core.llvm_ir_problem(text, name)
    if problem:
        said = f"{what} wrote LLVM IR that is wrong: {problem}"
        raise LoweringError(f"{what}: {problem}" if missing else said)
    entries = tuple(
        (function, represented(type_), tuple(map(represented, each)))
        for function, type_, each in unit.entries
    )
    return text, name, entries


def _take_symbol(symbol) -> bool:
    """Whether llvmlite has been told an address for a symbol, which numjit then knows, too."""
    import llvmlite.binding as binding

    address = binding.address_of_symbol(symbol)
    if address:
        _core.add_symbol(symbol, address)
    return bool(address)


@contextlib.contextmanager
def _naming(what, result):
    """An error about a value that is not of the signature's type."""
    try:
        yield
    except (AttributeError, TypeError, IndexError, KeyError) as error:
        raise LoweringError(f"{what} gave no value of type {result}: {error}") from error


def is_counted(type_):
    return OWNER in default_manager[type_].leaves()


def pointer_constant(address):
    """An address of this process as a pointer."""
    return WORD.type(address).inttoptr(POINTER.type)


def describe(callback):
    """How a callback is called in errors."""
    code = getattr(callback, "__code__", None)
    place = f" ({code.co_filename}:{code.co_firstlineno})" if code else ""
    return getattr(callback, "__qualname__", repr(callback)) + place
