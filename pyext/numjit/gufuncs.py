"""Generalised ufuncs, whose loops are functions of arrays: their layouts, and what makes them."""

from __future__ import annotations

import re

import numpy as np

from numjit import types
from numjit.functions import frameless
from numjit.library.core.derived import generalised, generalised_loop
from numjit.signatures import normalize_signature
from numjit.ufunc_base import _Base, _compiled, _dtype_of, _is_fixed, _scalar, key_of

# -- generalised -----------------------------------------------------------------------------------


class Layout:
    """The dimensions of operands from text: "(n),(3)->(n)" has inputs (0,), (1,), output (0,)."""

    def __init__(self, text):
        compact = "".join(text.split())
        operand = r"\((?:\w+\??(?:,\w+\??)*)?\)"
        operands = rf"{operand}(?:,{operand})*"
        if not re.fullmatch(rf"{operands}(?:->(?:{operands})?)?", compact):
            token = re.sub(operand, "", compact.replace("->", "")).strip(",")[:1] or compact
            raise ValueError(f'bad token in signature "{token}" of the layout {text!r}')
        inputs, _, outputs = compact.partition("->")
        self.text = compact if outputs else inputs
        names: dict[str, int] = {}

        def dimensions(part):
            return tuple(
                tuple(
                    names.setdefault(name.rstrip("?"), len(names))
                    for name in group.split(",")
                    if name
                )
                for group in re.findall(r"\(([^)]*)\)", part)
            )

        self.inputs = dimensions(inputs)
        known = set(names)
        self.outputs = dimensions(outputs)
        undefined = [name for name in names if name not in known and not name.isdigit()]
        if undefined:
            raise NameError(f"undefined output symbols: {', '.join(undefined)}")

        #: Numbers of the dimensions that have a size.
        self.fixed = {number: int(name) for name, number in names.items() if name.isdigit()}

    @property
    def core(self):
        return self.inputs + self.outputs


class GUFunc(_Base):
    """A generalised ufunc that @guvectorize made."""

    def __init__(
        self,
        py_func,
        signature,
        identity=None,
        cache=None,
        is_dynamic=False,  # where nothing says so: told by whether there are signatures
        targetoptions=None,
        writable_args=(),
    ):
        options = dict(targetoptions or {})
        if cache:
            options["cache"] = cache
        self._arguments = {
            "signature": signature,
            "identity": identity,
            "is_dynamic": is_dynamic,
            "targetoptions": options,
            "writable_args": writable_args,
        }
        layout = Layout(signature)
        code = py_func.__code__
        if code.co_argcount != len(layout.core) or not _is_fixed(py_func):
            raise TypeError(
                f"the layout {signature!r} has {len(layout.core)} operands, but "
                f"{py_func.__name__}() takes {code.co_argcount} arguments"
            )
        names = code.co_varnames[: len(layout.inputs)]
        writable = []
        for each in writable_args:
            if isinstance(each, str) and each not in names:
                raise ValueError(f"writable_args: {each!r} is no input of {py_func.__name__}()")
            writable.append(names.index(each) if isinstance(each, str) else each)
        self._parsed = layout
        super().__init__(
            py_func,
            options,
            identity,
            len(layout.inputs),
            len(layout.outputs),
            layout.text,
            tuple(writable),
        )

    @property
    def signature(self):
        return self._parsed.text

    def build_ufunc(self):
        """Ends what adds signatures one by one, unless `is_dynamic` is wanted."""
        if self._loops and not self._arguments["is_dynamic"]:
            self.disable_compile()
        return self

    @frameless
    def add(self, fty):
        """Adds a loop for the types of all operands: `(float64[:], float64[:])`."""
        arguments, result = normalize_signature(fty)
        if result not in (None, types.none):
            raise TypeError("gufunc kernel must have void return type")
        core, nin = self._parsed.core, self.nin
        if len(arguments) != len(core):
            raise TypeError(
                f"Signature mismatch: {len(arguments)} argument types given, but the layout "
                f"{self.signature} has {len(core)} operands"
            )
        for number, (type_, dimensions) in enumerate(zip(arguments, core, strict=True), 1):
            is_array = isinstance(type_, types.Array)
            if dimensions and not is_array:
                raise TypeError(f"scalar type {type_} given for non scalar argument #{number}")
            if is_array and type_.ndim != (len(dimensions) or 1):
                raise TypeError(f"type and shape signature mismatch for arg #{number}")
            if number > nin and not is_array:
                raise TypeError(
                    f"scalar type {type_} given for output #{number}: it must be an array that "
                    f"the function can write to, {type_}[:]"
                )
        self._add(arguments, any_strides=True)

    def _add_again(self, types_, explicit):
        """Adds a loop of a pickled one, whose code may have come along."""
        self._add(types_, any_strides=explicit)

    def _add(self, arguments, any_strides=False):
        kernel, types_, core = self._dispatcher, tuple(arguments), self._parsed.core

        def compile(pattern):
            return _compiled(kernel, generalised_loop(kernel, types_, core, pattern == 0))

        self._add_loop(types_, core, compile, True, any_strides)

    @frameless
    def _prepare(self, *args, out=(), **keywords):
        if self._explicit:
            return self._for_records(args)
        operands = args + (out if isinstance(out, tuple) else (out,))
        if len(operands) < self.nargs:
            name = self.__name__
            raise TypeError(
                f"Too few arguments for function '{name}'. Note that the pattern "
                "`out = gufunc(Arg1, Arg2, ..., ArgN)` is not allowed. Use "
                "`gufunc(Arg1, Arg2, ..., ArgN, out) instead."
            )
        dtypes = [_dtype_of(value) for value in operands[: self.nargs]]
        if any(dtype is None for dtype in dtypes):  # a dtype equals None if it is float64
            return args
        if key_of(dtypes[: self.nin]) not in self._loops:
            arguments = []
            for k, (dtype, dimensions) in enumerate(zip(dtypes, self._parsed.core, strict=True)):
                type_ = types.from_dtype(dtype)
                if dimensions or k >= self.nin:
                    type_ = types.Array(type_, len(dimensions) or 1, "A")
                arguments.append(type_)
            self._add(tuple(arguments))
        nin = self.nin
        inputs = (a if hasattr(a, "dtype") else np.asarray(a) for a in args[:nin])
        return self._for_records((*inputs, *args[nin:]))

    def _shapes_of_outputs(self, inputs):
        sizes = dict(self._parsed.fixed)
        loops = []
        for value, dimensions in zip(inputs, self._parsed.inputs, strict=True):
            shape = np.shape(value)
            loops.append(shape[: len(shape) - len(dimensions)])
            sizes.update(zip(dimensions, shape[len(shape) - len(dimensions) :]))
        loop = np.broadcast_shapes(*loops)
        return [(*loop, *(sizes[d] for d in core)) for core in self._parsed.outputs]

    def _in_compiled_code(self):
        signatures = ()
        if self._explicit:
            signatures = tuple(
                tuple(_scalar(type_) for type_ in types_) for types_, _ in self._loops.values()
            )
            arrays = [
                isinstance(type_, types.Array) for type_ in next(iter(self._loops.values()))[0]
            ]
        else:
            arrays = [bool(each) or k >= self.nin for k, each in enumerate(self._parsed.core)]
        return generalised(
            self._dispatcher,
            self.__name__,
            self._parsed.core,
            self._parsed.fixed,
            self.nin,
            arrays,
            signatures,
        )

    def _signatures(self):
        return [types_ for types_, _ in self._loops.values()]
