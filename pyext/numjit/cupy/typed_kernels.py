"""Kernels with a list of dtypes each: cupy._core.create_ufunc, create_reduction_func."""

from __future__ import annotations

import numpy as np

from .creation import asarray, of_protocol
from .elementwise import ElementwiseKernel
from .ndarrays import ndarray
from .reduction_kernel import ReductionKernel
from .text_arguments import c_name


class _Typed:
    """What both have: kernels by the dtypes of arguments, made when they are first used."""

    def __init__(self, name, ops, routine):
        self.name = self.__name__ = name
        self._ops = [_signature(each, routine) for each in ops]
        self.nin, self.nout = (len(part) for part in self._ops[0][:2])
        self.nargs = self.nin + self.nout
        self._made: dict = {}

    @property
    def types(self):
        """The dtypes that it is computed in, as NumPy's ufuncs say it."""
        return ["->".join("".join(d.char for d in part) for part in op[:2]) for op in self._ops]

    def _chosen(self, given, dtype=None):
        """The first row of dtypes to which the arguments can be cast."""
        for number, (inputs, outputs, _) in enumerate(self._ops):
            if dtype is not None:
                fits = outputs[0] == dtype
            else:
                fits = all(np.can_cast(have, want) for have, want in zip(given, inputs))
            if fits:
                return number
        names = tuple(each.name for each in given)
        raise TypeError(f"Wrong type {names} of arguments for {self.name}")

    def _kernel(self, number):
        if number not in self._made:
            self._made[number] = self._make(*self._ops[number])
        return self._made[number]


def _signature(op, routine):
    """The dtypes before and behind the arrow of a row, and what it computes."""
    text, own = (op, None) if isinstance(op, str) else op
    inputs, _, outputs = text.partition("->")
    parts = [tuple(map(np.dtype, part)) for part in (inputs, outputs or inputs)]
    return *parts, routine if own is None else own


def _declared(dtypes, start):
    return ", ".join(f"{dtype.name} {start}{i}" for i, dtype in enumerate(dtypes))


class _Elementwise(_Typed):
    """A ufunc whose operation is C++ text."""

    def __init__(self, name, ops, routine, preamble, doc, loop_prep):
        super().__init__(name, ops, routine)
        self._preamble, self._loop_prep, self.__doc__ = preamble, loop_prep, doc

    def _make(self, inputs, outputs, text):
        def aliases(dtypes, start):
            return "".join(
                f"typedef {c_name(dtype)} {start}{i}_type;\n" for i, dtype in enumerate(dtypes)
            )

        return ElementwiseKernel(
            _declared(inputs, "in"), _declared(outputs, "out"), text, self.name,
            preamble=aliases(inputs, "in") + aliases(outputs, "out") + self._preamble,
            loop_prep=self._loop_prep,
        )  # fmt: skip

    def __call__(self, *args, out=None, dtype=None):
        if len(args) not in (self.nin, self.nargs):
            raise TypeError(f"Wrong number of arguments for {self.name!r}: {len(args)}")
        values = [asarray(each) for each in args[: self.nin]]
        given = [
            np.min_scalar_type(each)
            if isinstance(each, (bool, int, float, complex))
            else have.dtype
            for each, have in zip(args, values)
        ]
        number = self._chosen(given, None if dtype is None else np.dtype(dtype))
        values = [
            value.astype(want, copy=False) for value, want in zip(values, self._ops[number][0])
        ]
        outs = args[self.nin :] if out is None else out if isinstance(out, tuple) else (out,)
        return self._kernel(number)(*values, *outs)


class _Reduction(_Typed):
    """A reduction whose operations are C++ text."""

    def __init__(self, name, ops, routine, identity, preamble):
        super().__init__(name, ops, routine)
        self._identity, self._preamble = identity, preamble
        self.identity = identity

    @property
    def _cached_codes(self):
        return self._made

    def _make(self, inputs, outputs, parts):
        first, join, last, kind = parts
        return ReductionKernel(
            _declared(inputs, "in"), _declared(outputs, "out"), first or "in0", join,
            last or "out0 = a", self._identity, self.name, kind, preamble=self._preamble,
        )  # fmt: skip

    def __call__(self, a, axis=None, dtype=None, out=None, keepdims=False):
        a = of_protocol(a)
        if not isinstance(a, ndarray):
            raise TypeError(
                f"Argument 'a' has incorrect type (expected cupy.ndarray, got {type(a).__name__})"
            )
        number = self._chosen([a.dtype], None if dtype is None else np.dtype(dtype))
        a = a.astype(self._ops[number][0][0], copy=False)
        return self._kernel(number)(a, axis=axis, out=out, keepdims=keepdims)


def create_ufunc(name, ops, routine=None, preamble="", doc="", default_casting=None, loop_prep="",
                 out_ops=None, cutensor_op=None, scatter_op=None):  # fmt: skip
    """A ufunc of C++ text: rows of dtypes such as "dd->d", and what is computed of in0, in1.
    cutensor_op, a hint, and scatter_op, for a method `at`, which it does not have, are ignored."""
    if default_casting not in (None, "same_kind"):
        raise NotImplementedError(f"create_ufunc: default_casting {default_casting!r}")
    if out_ops is not None:
        raise NotImplementedError("create_ufunc: rows of dtypes for results, out_ops")
    return _Elementwise(name, ops, routine, preamble, doc, loop_prep)


def create_reduction_func(
    name, ops, routine=None, identity=None, preamble="", sort_reduce_axis=True
):
    """A reduction of C++ text: rows of dtypes, and (map, reduce, post map, type of the state)."""
    if not sort_reduce_axis:
        raise NotImplementedError("create_reduction_func: axes in the order given, without a sort")
    return _Reduction(name, ops, routine, identity, preamble)
