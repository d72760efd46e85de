"""Runs random programs in the interpreter and compiled, compares, and makes failing ones small."""

import ast
import copy
import dataclasses
import gc
import math
import random
import re
import warnings
from enum import Enum

import numpy as np
from fuzz import language, values
from fuzz.grammar import INTEGERS, NUMPY, PARAMETERS, Expr, Generator, wrap
from language.arguments import dressed, dressed_array
from numjit import _core, njit, prange, typed, types
from numjit.errors import TypingError
from numjit.experimental import jitclass

SHARED = {"np": np, "math": math, "prange": prange, "wrap": wrap, "typed": typed, "types": types,
          "RECORD": np.dtype(values.DTYPE), "__name__": "fuzz"}  # fmt: skip
exec(compile(language.PRELUDE + values.PRELUDE, "prelude of programs", "exec"), SHARED)


@njit
def make_typed(key, value):
    made = typed.Dict.empty(types.unicode_type, types.int64)
    made[key] = value
    return made


@njit
def given(value, other):
    return other if value is None else value


SHARED |= {"make_typed": make_typed, "given": given}


def _module(njit, jitclass):
    """The names of a program's module, in one of the two worlds."""
    namespace = dict(SHARED, njit=njit, jitclass=jitclass)
    exec(compile(values.COMPILED, "functions of programs", "exec"), namespace)
    return namespace


COMPILED = _module(njit, jitclass)
MODEL = _module(lambda function: function, lambda spec: lambda made: made)


def source(functions, model):
    return "\n\n".join(function.show(model) for function in functions) + "\n"


def load(functions, model):
    text = source(functions, model)
    namespace = dict(MODEL if model else COMPILED)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # 7 is None
        exec(compile(text, "<model>" if model else "<program>", "exec"), namespace)
    return namespace["main"]


# -- arguments ------------------------------------------------------------------------------------

_INTEGERS = (0, 1, 2, 3, 5, 7, 100, 127, 128, 255, 65535, 2**31 - 1, 2**31, 2**32, 2**63 - 1, 2**63)
_FLOATS = (0.0, -0.0, 0.5, 1.0, -1.5, 2.25, 3.75, 1e6, -1e16, 1e300, math.inf, -math.inf, math.nan)


def _scalar(chance, type):
    if type in INTEGERS:
        value = chance.choice(_INTEGERS) if chance.random() < 0.3 else chance.randint(-9, 20)
        return wrap(type, value * chance.choice((1, -1)))
    if type in ("f64", "f32"):
        return chance.choice(_FLOATS) if chance.random() < 0.4 else chance.randint(-40, 40) / 4
    if type == "c":
        return complex(_scalar(chance, "i8"), _scalar(chance, "u8") / 2)
    return chance.random() < 0.5


_TEXTS = ("", "a", "b,c", "Hello World", "  x\ty ", "12", "-7", "1e3", "äß€", "Éa\n b", "zz", "😀!")


def _text(chance):
    return chance.choice(_TEXTS)


def _integer(chance):
    return _scalar(chance, "i64")


def _several(chance, make, least=1):
    return [make(chance) for _ in range(chance.randint(least, 4))]


def _pair(chance):
    return _text(chance), _integer(chance)


def _records(chance):
    made = np.zeros(chance.randint(1, 4), np.dtype(values.DTYPE))
    for record in made:
        record["a"], record["x"] = _integer(chance), _scalar(chance, "f64")
        record["s"], record["v"] = _text(chance), chance.randint(-9, 9) / 2
    return made


def _date(chance, make=np.datetime64):
    return (
        make("NaT", "s") if chance.random() < 0.15 else make(chance.randint(-(10**9), 10**9), "s")
    )


_MADE = {
    "R": _records,
    "da": _date,
    "td": lambda chance: _date(chance, np.timedelta64),
    "en": lambda chance: chance.choice([*SHARED["Color"]]),
    "ie": lambda chance: chance.choice([*SHARED["Size"]]),
    "str": _text,
    "by": lambda chance: chance.choice((b"", b"a", b"ab,c", b"\x00z\x7f", b"12")),
    "ps": _pair,
    "Ls": lambda chance: _several(chance, _text),
    "Lp": lambda chance: _several(chance, _pair),
    "Si": lambda chance: set(_several(chance, _integer)),
    "Ss": lambda chance: set(_several(chance, _text)),
    "nt": lambda chance: SHARED["Point"](_integer(chance), _scalar(chance, "f64")),
    "fz": lambda chance: SHARED["Frozen"](_integer(chance), _text(chance)),
    "mu": lambda chance: SHARED["Box"](_integer(chance), _scalar(chance, "f64")),
    "Tl": lambda chance: _several(chance, _integer, 0),
    "Td": lambda chance: dict(_several(chance, _pair, 0)),
}


def _value(chance, type, shape):
    """(what the model gets, what compiled code gets)"""
    if type == "t2":
        value = (_scalar(chance, "i64"), _scalar(chance, "f64"))
    elif type == "t3":
        value = tuple(_scalar(chance, "i64") for _ in range(3))
    elif type in _MADE:
        value = _MADE[type](chance)
        if type == "Tl":
            return value, typed.List(value) if value else typed.List.empty_list(types.int64)
        if type == "Td":
            ours = typed.Dict.empty(types.unicode_type, types.int64)
            ours.update(value)
            return value, ours
    elif type[0] == "L":
        e = {"i": "i64", "f": "f64"}[type[1]]
        value = [_scalar(chance, e) for _ in range(chance.randint(1, 5))]
        value = [0.25 if x != x else x for x in value]  # the order of NaN in sort() is anybody's
    elif type[0] in "AB":
        value = _array(chance, type, shape)
    else:
        value = _scalar(chance, type)
        if type in ("i64", "f64", "c", "b"):
            return value, value
        with np.errstate(all="ignore"):
            made = getattr(np, NUMPY[type])(value)
        return made if type == "f32" else value, made
    return value, copy.deepcopy(value)


def _array(chance, type, shape):
    """Most arrays of a program have extents that fit each other."""
    e = type[1:]
    if chance.random() < 0.1:
        shape = (chance.randint(1, 4), chance.randint(1, 7))
    if type[0] == "A":
        shape = shape[1:]
    count = math.prod(shape)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        flat = np.array([_scalar(chance, e) for _ in range(count)], dtype=NUMPY[e])
    array = flat.reshape(shape)
    if chance.random() < 0.2:
        array = np.repeat(array, 2, axis=-1)[..., ::2]
    elif chance.random() < 0.2:
        array = np.asfortranarray(array)
    return array


def arguments(seed, names):
    """Pairs for model and compiled code; arrays keep their strides."""
    chance = random.Random(seed)
    shape = (chance.randint(1, 4), chance.randint(1, 6))
    pairs = [_value(chance, PARAMETERS[name], shape) for name in names]
    models, ours = [a for a, _ in pairs], [_same_strides(b, a) for a, b in pairs]
    chance = random.Random(seed)  # of its own: the values are the same with and without it
    for i, name in enumerate(names):
        if chance.random() < 0.3:
            ours[i] = _as_programs_have_it(chance, PARAMETERS[name], ours[i])
            models[i] = _same_strides(models[i], ours[i])
    return models, ours


def _as_programs_have_it(chance, type, value):
    """A NumPy scalar, a mixture, an instance of a subclass, an array from elsewhere."""
    if type[0] in "AB" and isinstance(value, np.ndarray):
        return dressed_array(chance, value)
    return dressed(chance, type, value)


def _same_strides(array, other):
    """A copy that lies in memory as another array of its shape does: `ravel` and others ask."""
    if not isinstance(array, np.ndarray) or array.strides == other.strides:
        return array
    steps = [(n - 1) * step for n, step in zip(array.shape, other.strides)]
    first = -sum(step for step in steps if step < 0)
    memory = bytearray(first + sum(step for step in steps if step > 0) + array.itemsize)
    copied = np.ndarray(array.shape, array.dtype, memory, first, other.strides)
    copied[...] = array
    return copied


# -- comparison -----------------------------------------------------------------------------------


def _plain(got, wanted):
    """What lists of arguments hold besides Python's numbers and strings, as these."""
    if isinstance(got, np.generic):
        got = got.item()
    same = type(wanted) in (int, float, str) and isinstance(got, (int, float, str))
    return type(wanted)(got) if same and got == wanted and not isinstance(got, bool) else got


def _difference(got, wanted, where):
    if isinstance(got, typed.List):
        got = list(got)
    if isinstance(wanted, dict):
        if not isinstance(got, (dict, typed.Dict)) or list(got) != list(wanted):
            return f"{where}: {got!r} instead of {wanted!r}"
        return _difference(list(got.values()), list(wanted.values()), where)
    if isinstance(wanted, (set, str, bytes)):
        same = isinstance(got, type(wanted)) and got == wanted  # np.str_ comes back as itself
        return None if same else f"{where}: {got!r} instead of {wanted!r}"
    if dataclasses.is_dataclass(wanted):
        if type(got) is not type(wanted):
            return f"{where}: {got!r} instead of {wanted!r}"
        got, wanted = ([*vars(each).values()] for each in (got, wanted))
    if isinstance(wanted, (tuple, list)):
        if type(got) is not type(wanted) or len(got) != len(wanted):
            return f"{where}: {got!r} instead of {wanted!r}"
        for i, (a, b) in enumerate(zip(got, wanted)):
            if isinstance(got, list):
                a = _plain(a, b)
            if found := _difference(a, b, f"{where}[{i}]"):
                return found
        return None
    if isinstance(wanted, (np.datetime64, np.timedelta64, Enum)):
        same = type(got) is type(wanted) and repr(got) == repr(wanted)
        return None if same else f"{where}: {got!r} instead of {wanted!r}"
    if isinstance(wanted, np.ndarray):
        if not isinstance(got, np.ndarray) or (got.dtype, got.shape) != (
            wanted.dtype,
            wanted.shape,
        ):
            return f"{where}: {got!r} instead of {wanted!r}"
        if wanted.dtype.kind == "c":  # NumPy's products of complex numbers round once, or twice
            with np.errstate(all="ignore"):
                same = np.isclose(got, wanted, rtol=1e-13, atol=0, equal_nan=True).all()
        else:
            names = wanted.dtype.names
            pairs = [(got[name], wanted[name]) for name in names] if names else [(got, wanted)]
            same = all(np.array_equal(a, b, equal_nan=b.dtype.kind == "f") for a, b in pairs)
        return None if same else f"{where}: {got!r} instead of {wanted!r}"
    if isinstance(wanted, np.generic):
        wanted = wanted.item()
    same_kind = isinstance(got, bool) == isinstance(wanted, bool) and isinstance(got, type(wanted))
    both_nan = got != got and wanted != wanted
    if not same_kind or not (got == wanted or both_nan):
        return f"{where}: {got!r} instead of {wanted!r}"
    return None


def _outcome(function, args):
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return function(*args), None
    except Exception as error:
        return None, error


#: Texts of errors that are ours on purpose, or the host's NumPy's.
_OTHER_TEXTS = ("division", "modulo", "broadcast", "zero-size array", "is not in list",
                "extended slice", "ord() expected", "cannot reshape")  # fmt: skip


def _same_error(ours, theirs):
    if isinstance(theirs, UnicodeError):
        return type(ours) is ValueError
    if type(ours) is not type(theirs):
        return False
    if any(text in str(theirs) for text in _OTHER_TEXTS):
        return True
    # A key that came as np.str_ is a str in compiled code: the texts differ, the keys are equal.
    return str(ours) == str(theirs) or (isinstance(theirs, KeyError) and ours.args == theirs.args)


def kind_of(problem):
    """What differs: the same for a smaller program with the same mistake."""
    problem = re.sub(r"run \d+: ", "", problem or "").split("\n")[0]
    if problem.startswith("error: "):
        return re.sub(r"0x[0-9a-f]+|\d+|'[^']*'", "", problem)
    return problem.split(":")[0]


def check(functions, seed, runs=3):
    """None, or what differs: the program's text with it is printed by the caller."""
    names = list(functions[-1].parameters)
    model = load(functions, True)
    main = load(functions, False)
    parallel = "prange" in source(functions, False)
    before = _core.live_blocks()
    for run in range(runs):
        theirs, ours = arguments(seed * 100 + run, names)
        wanted, error = _outcome(model, theirs)
        got, our_error = _outcome(main, ours)
        if isinstance(error, ZeroDivisionError) and parallel:
            got = our_error = None  # loops over prange don't divide as Python does
            continue
        if isinstance(error, OverflowError) and str(error).startswith("Overflow in "):
            got = our_error = None  # times wrap around, as other integers do
            continue
        if _names_huge_constant(our_error):
            return None
        if not _same_error(our_error, error):
            return f"run {run}: error: {our_error!r} instead of {error!r}"
        if error is None:
            if found := _difference(got, wanted, f"run {run}: result"):
                return found
            a = b = None
            for name, a, b in zip(names, ours, theirs):
                if not isinstance(b, (int, float, complex, str, bytes, tuple, np.generic)):
                    if found := _difference(a, b, f"run {run}: argument {name}"):
                        return found
            del a, b
        del got, our_error
    del ours
    if _core.live_blocks() > before:
        gc.collect()
    leaked = _core.live_blocks() - before
    return f"{leaked} blocks of memory were not released" if leaked else None


def _has_huge_constant(text):
    """CPython computes constant expressions itself, without wrapping around: ((255 << 59) % 7)."""
    return any(
        isinstance(node, ast.BinOp | ast.UnaryOp | ast.Constant)
        and not -(2**63) <= _constant(node) < 2**63
        for node in ast.walk(ast.parse(text))
    )


def _constant(node):
    """The value of an expression of integers; 0 for any other, and where there is none."""
    leaves = [
        each for each in ast.walk(node) if isinstance(each, ast.Constant | ast.Name | ast.Call)
    ]
    if not all(isinstance(leaf, ast.Constant) and type(leaf.value) is int for leaf in leaves):
        return 0
    try:
        return int(eval(compile(ast.Expression(node), "<constant>", "eval")))
    except (ArithmeticError, ValueError, TypeError):
        return 0


def _names_huge_constant(error):
    """Whether a program is refused for an int that no literal shows: Size.SMALL << 63, or an inner
    function that returns one."""
    found = re.findall(r"Literal\[int\]\((-?\d+)\)", str(error))
    return isinstance(error, TypingError) and any(not -(2**63) <= int(x) < 2**64 for x in found)


def failure(functions, seed):
    """As check; errors of the compiler are differences too."""
    try:
        if _has_huge_constant(source(functions, False)):
            return None
        return check(functions, seed)
    except MemoryError:
        return None
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def program(seed):
    return Generator(seed).program()


# -- reduction ------------------------------------------------------------------------------------


def _blocks(stmts):
    yield stmts
    for each in stmts:
        for block in each.blocks:
            yield from _blocks(block)


def _edits(functions):
    """Smaller programs: functions that make one change in a copy and say whether they could."""
    for number, function in enumerate(functions):
        for b, block in enumerate(list(_blocks(function.body))):
            for i in reversed(range(len(block))):
                yield lambda c, number=number, b=b, i=i: _drop(c[number], b, i)
                if block[i].blocks:
                    yield lambda c, number=number, b=b, i=i: _unwrap(c[number], b, i)
        for e in range(len(_expressions(function))):
            for choice in range(4):
                yield lambda c, number=number, e=e, choice=choice: _simplify(c[number], e, choice)


def _drop(function, b, i):
    block = list(_blocks(function.body))[b]
    del block[i]
    return True


def _unwrap(function, b, i):
    block = list(_blocks(function.body))[b]
    block[i : i + 1] = block[i].blocks[0]
    return True


def _expressions(function):
    """Every place that holds an expression: (container, index)."""
    found = []

    def visit(container, index):
        found.append((container, index))
        operands = container[index].operands
        for i in range(len(operands)):
            visit(operands, i)

    for block in _blocks(function.body):
        for each in block:
            for i in range(len(each.exprs)):
                visit(each.exprs, i)
    for i in range(len(function.result.operands) if function.result else 0):
        visit(function.result.operands, i)
    return found


def _simplify(function, e, choice):
    places = _expressions(function)
    if e >= len(places):
        return False
    container, index = places[e]
    old = container[index]
    if old.row is None:
        return False
    same = [each for each in old.operands if each.type == old.type]
    same += [Expr(old.type, name) for name, type in function.parameters.items() if type == old.type]
    same += [
        Expr(old.type, text)
        for text in {"i64": "1", "f64": "0.5", "b": "True"}.get(old.type, "").split()
    ]
    if choice >= len(same):
        return False
    container[index] = same[choice]
    return True


def reduced(functions, seed, still_fails=None, most=400):
    """A small program that fails, too."""
    still_fails = still_fails or (lambda each: failure(each, seed) is not None)
    tries = 0
    changed = True
    while changed and tries < most:
        changed = False
        for edit in list(_edits(functions)):
            candidate = copy.deepcopy(functions)
            try:
                if not edit(candidate):
                    continue
            except IndexError:
                continue
            tries += 1
            if tries > most:
                break
            if still_fails(candidate):
                functions, changed = candidate, True
                break
    return functions
