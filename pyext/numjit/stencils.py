"""@stencil: functions of the neighbours of an element, applied to all elements of an array.

    @stencil
    def average(a):
        return 0.25 * (a[0, 1] + a[1, 0] + a[0, -1] + a[-1, 0])

Indices of array parameters are relative to the present element. On the syntax tree `a[0, -1]`
becomes `item(a, (i0 + 0, i1 + -1))`, where i0 and i1 are new first parameters of the kernel. The
loops around it are a function of the library (library/core/derived.py): over the elements whose
neighbours all exist. The others get `cval`.
"""

from __future__ import annotations

import ast
import functools
import linecache
import numbers
import operator
import os
from collections.abc import Sequence
from types import FunctionType

from numjit import _core, extending
from numjit.decorators import dispatcher_of
from numjit.derived import Derived
from numjit.errors import NumbaError, NumbaValueError, make_exception
from numjit.functions import frameless, is_jitted
from numjit.library.core.derived import stencil_function
from numjit.library.core.intrinsics import captured_values, relative_item
from numjit.loop_lifting import compile_tree, function_tree
from numjit.option_docs import with_options
from numjit.options import Option
from numjit.pickling import reduce_made
from numjit.places import Place, caller_place


def _cval(name, value: int | float | complex | bool):
    if not isinstance(value, numbers.Number):
        raise _error(NumbaValueError, f"cval must be a number, not {value!r}")
    return value


def _neighborhood(name, value: Sequence[tuple[int, int]] | None):
    _pairs(value)
    return value


def _names(name, value: str | Sequence[str]):
    return value


_OPTIONS = {
    row.name: row
    for row in (
        Option("cval", 0, _cval, "what elements get that have neighbours outside of the array"),
        Option(
            "neighborhood",
            None,
            _neighborhood,
            "lowest and highest relative index of each axis, where indices are not constants",
        ),
        Option("standard_indexing", (), _names, "parameters whose indices are ordinary ones"),
    )
}
_ITEM = "__numjit_relative_item"

__path__: list[str] = []  # numba_paths.py has the modules in it


@frameless
@with_options(_OPTIONS.values())
def stencil(func_or_mode="constant", **options):
    """Makes a stencil of a kernel that indexes its arrays relative to the present element."""
    mode = options.pop("mode", func_or_mode if isinstance(func_or_mode, str) else "constant")
    if mode != "constant":
        raise _error(
            NumbaValueError, f"Unsupported mode style {mode}", "'constant' is the only one"
        )
    for name, value in options.items():
        if name not in _OPTIONS:
            raise _error(
                NumbaValueError,
                f"Unknown stencil option {name}",
                f"the options are {', '.join(_OPTIONS)}",
            )
        _OPTIONS[name].check(name, value)
    if isinstance(func_or_mode, str):
        return lambda function: StencilFunc(function, dict(options))
    return StencilFunc(func_or_mode, dict(options))


def _pairs(neighborhood):
    """A neighbourhood as a tuple of (lowest, highest); None if there is none."""
    if neighborhood is None:
        return None
    try:
        pairs = tuple((operator.index(low), operator.index(high)) for low, high in neighborhood)
    except (TypeError, ValueError):
        pairs = ()
    if not pairs or any(low > high for low, high in pairs):
        raise _error(
            NumbaValueError,
            "the neighborhood of a stencil has a lowest and a highest index for each axis, not "
            f"{neighborhood!r}",
            "write neighborhood=((-1, 1),) for one dimension",
        )
    return pairs


class StencilFunc(Derived):
    """A stencil. Callable from Python and from compiled code, with `out=` for the result."""

    def __init__(self, kernel, options):
        if is_jitted(kernel):
            kernel = kernel.py_func
        if not isinstance(kernel, FunctionType):
            raise TypeError(f"The decorated object is not a function (got type {type(kernel)}).")
        functools.update_wrapper(self, kernel)
        self.py_func = kernel
        self.options = options
        self._analysed = self._dispatchers = None

    @property
    def neighborhood(self):
        """(lowest, highest) relative index of each axis."""
        return self._analysis.neighborhood

    @property
    def _analysis(self):
        if self._analysed is None:
            try:
                self._analysed = _Analysis(self.py_func, self.options)
            except NumbaError as error:  # without the frames of the walk over the tree
                raise error.with_traceback(None) from None
        return self._analysed

    def _in_compiled_code(self):
        analysis = self._analysis
        return stencil_function(
            analysis.kernel,
            self.__name__,
            analysis.parameters,
            analysis.relative,
            analysis.neighborhood,
            self.options.get("cval"),
        )

    def _make_dispatchers(self):
        """What a call from Python runs: without and with `out`."""
        parameters = ", ".join(self._analysis.parameters)
        namespace = {"stencil": self}
        source = (
            f"def whole({parameters}):\n    return stencil({parameters})\n"
            f"def into({parameters}, out):\n    stencil({parameters}, out=out)\n"
        )
        exec(compile(source, __file__, "exec"), namespace)
        return dispatcher_of(namespace["whole"]), dispatcher_of(namespace["into"])

    @frameless
    def __call__(self, *args, out=None):
        analysis = self._analysis
        if len(args) != len(analysis.parameters):
            raise TypeError(
                f"{self.__name__}() takes {len(analysis.parameters)} positional arguments: "
                f"{', '.join(analysis.parameters)}; got {len(args)}"
            )
        analysis.check(args)
        if self._dispatchers is None:
            self._dispatchers = self._make_dispatchers()
        whole, into = self._dispatchers
        if out is None:
            return whole(*args)
        into(*args, out)
        return out

    def __reduce__(self):
        code = self.py_func.__code__
        lines = linecache.getlines(code.co_filename, self.py_func.__globals__)
        return reduce_made(self, _again, self.options, code.co_filename, "".join(lines))

    def _pickled_with(self):
        return self._dispatchers or ()

    def __repr__(self):
        return f"<numjit.StencilFunc {self.__name__!r}>"


def _again(function, options, filename, source):
    """A stencil out of a pickle by value, with the source text that its kernel is read from."""
    if source and not linecache.getlines(function.__code__.co_filename, function.__globals__):
        name = f"<{os.path.basename(filename)} {_core.digest(source.encode())[:16]}>"
        linecache.cache[name] = len(source), None, source.splitlines(keepends=True), name
        function.__code__ = function.__code__.replace(co_filename=name)
    return StencilFunc(function, options)


def _error(cls, message, hint="", place=None):
    place = place or caller_place()
    return make_exception(cls, message, [place] if place else [], hint)


class _Analysis:
    """A kernel's source: the kernel with absolute indices, and the neighbourhood."""

    def __init__(self, function, options):
        self._function = function
        tree = self._read()
        self._locals = {}  # the values of the kernel's own variables that are constants
        for name, expression in _assigned_once(tree):
            value = self.constant(expression)
            if value is not None:
                self._locals[name] = value
        captured = options.get("captured", ())
        tree.args.args += [ast.arg(arg=name) for name in captured]
        self.parameters = tuple(argument.arg for argument in tree.args.args)
        standard = (*self._standard(tree, options), *captured)
        given = _pairs(options.get("neighborhood"))
        rewrite = _Rewrite(self, set(self.parameters) - set(standard), given is not None)
        rewrite.visit_body(tree)
        if not rewrite.used:
            raise _error(
                NumbaValueError,
                "Stencil kernel with no accesses to relatively indexed arrays.",
                place=self.place(tree),
            )
        self.relative = tuple(name for name in self.parameters if name in rewrite.used)
        ndim = rewrite.ndim
        if given is None:
            self.neighborhood = tuple(
                (min(axis, default=0), max(axis, default=0)) for axis in rewrite.offsets
            )
        else:
            self.neighborhood = given
            if len(self.neighborhood) != ndim:
                raise _error(
                    NumbaValueError,
                    f"{len(self.neighborhood)} dimensional neighborhood specified for {ndim} "
                    "dimensional input array",
                    place=self.place(tree),
                )
        tree.args.args[:0] = [ast.arg(arg=f"__numjit_i{axis}") for axis in range(ndim)]
        tree.args.defaults = []
        tree.name = "__numjit_kernel"
        self.kernel = compile_tree(tree, function, {_ITEM: relative_item})
        self.ndim = ndim

    def _read(self):
        """The syntax tree of the kernel."""
        function = self._function
        code = function.__code__
        if code.co_flags & 0x0C or code.co_kwonlyargcount or code.co_posonlyargcount:
            raise _error(
                NumbaValueError,
                f"{function.__name__}: the parameters of a stencil kernel are plain ones, without "
                "*, / and **",
            )
        tree = _tree_of(function)
        if tree is None:
            raise _error(
                NumbaValueError,
                f"the source text of the stencil kernel {function.__name__} cannot be read",
                "define it in a file",
            )
        return tree

    def _standard(self, tree, options) -> tuple[str, ...]:
        """The parameters with ordinary indices."""
        standard = options.get("standard_indexing", ())
        standard = (standard,) if isinstance(standard, str) else tuple(standard)
        for name in standard:
            if name not in self.parameters:
                raise _error(
                    NumbaValueError,
                    "Standard indexing requested for an array name not present in the stencil "
                    f"kernel definition: {name}.",
                    place=self.place(tree),
                )
        if "out" in self.parameters:
            raise _error(
                NumbaValueError,
                "a parameter of a stencil kernel cannot be named 'out': calls take the result's "
                "array under that name",
                place=self.place(tree),
            )
        if self.parameters and self.parameters[0] in standard:
            raise _error(
                NumbaValueError,
                "The first argument to a stencil kernel must use relative indexing, not standard "
                "indexing.",
                place=self.place(tree),
            )
        return standard

    def check(self, arguments):
        """NumbaValueError for arrays of another number of dimensions, as Numba raises it."""
        for name, value in zip(self.parameters, arguments, strict=True):
            ndim = getattr(value, "ndim", self.ndim)
            if name in self.relative and ndim != self.ndim:
                raise _error(
                    NumbaValueError,
                    f"{self.ndim} dimensional neighborhood specified for {ndim} dimensional input "
                    "array",
                )

    def place(self, node):
        code = self._function.__code__
        return Place(
            code.co_filename,
            code.co_qualname,
            code.co_firstlineno,
            node.lineno,
            node.lineno if isinstance(node, ast.FunctionDef) else node.end_lineno,
            node.col_offset,
            -1 if isinstance(node, ast.FunctionDef) else node.end_col_offset,
        )

    def constant(self, node):
        """The integer that an expression of constants is; None if it is not constant."""
        match node:
            case ast.Constant(value=int(value)) if not isinstance(value, bool):
                return value
            case ast.Name(id=name):
                return self._locals[name] if name in self._locals else self._outer_constant(name)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                value = self.constant(operand)
                return None if value is None else -value
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return self.constant(operand)
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() as op, right=right):
                a, b = self.constant(left), self.constant(right)
                if a is None or b is None:
                    return None
                return (
                    a + b
                    if isinstance(op, ast.Add)
                    else a * b
                    if isinstance(op, ast.Mult)
                    else a - b
                )
        return None

    def _outer_constant(self, name):
        """A global or closed-over integer: the kernel's own variables are not constants."""
        code = self._function.__code__
        if name in code.co_varnames or name in code.co_cellvars:
            return None
        cells = dict(zip(code.co_freevars, self._function.__closure__ or ()))
        try:
            value = cells[name].cell_contents if name in cells else self._function.__globals__[name]
        except (KeyError, ValueError):
            return None
        return value if type(value) is int else None


class _Rewrite(ast.NodeTransformer):
    """Makes relative indices absolute and collects the constant ones."""

    def __init__(self, analysis, candidates, has_neighborhood):
        self._analysis = analysis
        self._candidates = candidates
        self._has_neighborhood = has_neighborhood
        self.used = set()
        self.ndim = 0
        self.offsets = []

    def visit_body(self, tree):
        tree.body = [self.visit(statement) for statement in tree.body]

    def _fail(self, node, message, hint=""):
        raise _error(NumbaValueError, message, hint, self._analysis.place(node))

    def visit_Subscript(self, node):
        node = self.generic_visit(node)
        array = node.value
        if not (isinstance(array, ast.Name) and array.id in self._candidates):
            return node
        if not isinstance(node.ctx, ast.Load):
            self._fail(node, "Assignments to arrays passed to stencil kernels is not allowed.")
        index = node.slice
        items = index.elts if isinstance(index, ast.Tuple) else [index]
        if self.used and len(items) != self.ndim:
            self._fail(
                node,
                f"{len(items)} indices where the stencil kernel has {self.ndim} before",
                "all relative indices of a stencil kernel have the same number of dimensions",
            )
        if not self.used:
            self.ndim = len(items)
            self.offsets = [set() for _ in items]
        self.used.add(array.id)
        absolute = [self._absolute(axis, item) for axis, item in enumerate(items)]
        if any(isinstance(item, ast.Slice) for item in items):
            made = ast.Subscript(array, ast.Tuple(absolute, ast.Load()), ast.Load())
        else:
            arguments = [array, ast.Tuple(absolute, ast.Load())]
            made = ast.Call(ast.Name(_ITEM, ast.Load()), arguments, [])
        return _placed(made, node)

    def _absolute(self, axis, item):
        here = ast.Name(f"__numjit_i{axis}", ast.Load())
        if isinstance(item, ast.Slice):
            if item.lower is None or item.upper is None or not self._has_neighborhood:
                self._not_constant(item)
            lower = ast.BinOp(here, ast.Add(), item.lower)
            return ast.Slice(lower, ast.BinOp(here, ast.Add(), item.upper), item.step)
        offset = self._analysis.constant(item)
        if offset is not None:
            self.offsets[axis].add(offset)
        elif not self._has_neighborhood and not _is_wrong(item):
            self._not_constant(item)
        return ast.BinOp(here, ast.Add(), item)

    def _not_constant(self, item):
        self._fail(
            item,
            "stencil kernel index is not constant, 'neighborhood' option required",
            "write @stencil(neighborhood=((-1, 1),)), lowest and highest index of each axis",
        )


def _assigned_once(tree):
    """The variables that a kernel assigns once, not in a branch or a loop, and what."""
    stores = [
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del)
    ]
    return [
        (statement.targets[0].id, statement.value)
        for statement in tree.body
        if isinstance(statement, ast.Assign)
        and isinstance(statement.targets[0], ast.Name)
        and stores.count(statement.targets[0].id) == len(statement.targets) == 1
    ]


def _is_wrong(node):
    """A constant that is no integer: the compiler reports it."""
    return isinstance(node, ast.Constant) and not isinstance(node.value, int)


def _placed(made, node):
    """New nodes stand where the old one stood; old ones inside keep their places."""
    for each in ast.walk(made):
        if not hasattr(each, "lineno"):
            ast.copy_location(each, node)
    return made


def _tree_of(function):
    """The tree of a function or lambda; None where there is no source."""
    if function.__code__.co_name != "<lambda>":
        return function_tree(function)
    node = _lambda_of(function.__code__, function.__globals__)
    if node is None:
        return None
    body = ast.copy_location(ast.Return(node.body), node.body)
    made = ast.FunctionDef(
        name="<lambda>", args=node.args, body=[body], decorator_list=[], type_params=[]
    )
    return ast.copy_location(made, node)


def _lambda_of(code, namespace):
    """The innermost lambda that holds all positions of a code object."""
    try:
        module = ast.parse("".join(linecache.getlines(code.co_filename, namespace)))
    except SyntaxError:
        return None
    places = [
        (line, column, end_line, end_column)
        for line, end_line, column, end_column in code.co_positions()
        if None not in (line, end_line, column, end_column) and end_column > column
    ]
    found = []
    for node in ast.walk(module):
        if isinstance(node, ast.Lambda) and _names_of(node) == code.co_varnames[: code.co_argcount]:
            start, end = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
            if all((p[0], p[1]) >= start and (p[2], p[3]) <= end for p in places):
                if node.lineno <= code.co_firstlineno <= node.end_lineno:
                    found.append(node)
    if len(found) > 1 and not places:  # one that returns a constant has no positions
        return None
    return max(found, key=lambda node: (node.lineno, node.col_offset), default=None)


def _names_of(node):
    return tuple(argument.arg for argument in node.args.args)


def _stencil_in_compiled_code(func_or_mode):
    """`stencil(kernel)` in compiled code, for an inner function or lambda. What the kernel captures
    are parameters of it, behind its own."""
    kernel = getattr(func_or_mode, "inner_function", None)
    if kernel is None:
        return None
    made = StencilFunc(kernel, {"captured": kernel.__code__.co_freevars})
    made._in_compiled_code()  # errors of the kernel are raised here
    if not kernel.__code__.co_freevars:
        return lambda func_or_mode: made

    def with_captured(func_or_mode):
        values = captured_values(func_or_mode)

        def call(*arrays, out=None):
            return made(*arrays, *values, out=out)

        return call

    return with_captured


extending.overload(stencil, strict=False)(_stencil_in_compiled_code)
