"""Plain classes, which do not declare types, in compiled code.

Attributes of an argument that have a type are the fields of such an object, in the order in which
it got them; compiled code works on a copy, and what it changes is written back, as for dataclasses.
Compiled code makes instances, too: their fields are what `__init__` and other methods give `self`.
"""

from __future__ import annotations

import abc
import dataclasses
import dis
import enum
import functools
import inspect
from types import FunctionType

import numpy as np

from numjit import _core

_KINDS = FunctionType | property | staticmethod | classmethod | _core.Dispatcher
_CONSTANTS = bool | int | float | complex | str | tuple | None
_TABLES = _CONSTANTS | bytes | list | dict | set | frozenset | np.ndarray | np.generic | enum.Enum
# Packages whose classes are known by other means, or have much behind what Python sees.
_OTHERS = (
    "numjit",
    "numba",
    "pandas",
    "decimal",
    "datetime",
    "fractions",
    "typing",
    "pathlib",
    "ctypes",
)
_HEAP_TYPE = 1 << 9
_ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR")
_HOOKS = ("__new__", "__getattribute__", "__setattr__")


def super_members(members, cls) -> dict:
    """Methods of a class's bases under the names by which super() in its methods finds them."""
    behind = f"super {cls.__module__}.{cls.__qualname__} "
    return {
        behind + name: member
        for name, member in members.items()
        if not name.startswith("super ") and isinstance(member, _KINDS)
    }


@functools.cache
def _maker(init):
    """A function like `__init__`, or a method that it calls, that returns `self`."""
    made = FunctionType(
        init.__code__, init.__globals__, init.__name__, init.__defaults__, init.__closure__
    )
    made.__kwdefaults__ = init.__kwdefaults__
    made.__qualname__ = init.__qualname__
    made._numjit_makes_self_ = True
    return made


def _before(function):
    """A function like a static method that is called before `__init__` ends, and returns `self`."""

    def made(self, *args, **kwargs):
        function(*args, **kwargs)
        return self

    return made


def _maker_of_member(member):
    """What `self.member()` is as a statement of `__init__`; None for what is no method."""
    if isinstance(member, staticmethod):
        return _before(member.__func__)
    function = getattr(member, "py_func", member)
    return _maker(function) if isinstance(function, FunctionType) else None


def _keep_arguments(self, *args):
    """`__init__` of exceptions that Python brings."""
    self.args = args


def class_for(cls, names):
    """A dataclass of fields with these names that has the members of a class."""
    return _class_for(cls, tuple(names))


@functools.cache
def _class_for(cls, names):
    called = _fields_of(cls).called
    members = {"<make>": _maker(_keep_arguments)} if issubclass(cls, BaseException) else {}
    for base in reversed(cls.__mro__[:-1]):
        members |= super_members(members, base)
        for name, member in vars(base).items():
            members.pop(name, None)  # what a class has in its place may be unknown here
            if isinstance(member, _KINDS) or (
                isinstance(member, _TABLES | type) and not name.startswith("__")
            ):
                members[name] = member
                if name in called and (maker := _maker_of_member(member)):
                    members["make " + name] = maker
        if isinstance(init := vars(base).get("__init__"), FunctionType):
            members["<make>"] = _maker(init)
            if not init.__code__.co_argcount:  # a wrapper, which does not name `self`
                del members["<make>"]
    for name in names:
        if name in members and isinstance(default := members.pop(name), _CONSTANTS):
            members["default " + name] = default
    made = dataclasses.make_dataclass(cls.__name__, names, eq=False, init=False)
    made._numjit_members_ = members
    made._numjit_plain_ = cls
    made.__module__ = cls.__module__
    made.__qualname__ = f"{cls.__qualname__}.<{', '.join(names)}>"  # which nothing can import
    new = cls.__new__ if issubclass(cls, BaseException) else object.__new__  # nothing of its own
    made.__new__ = lambda _: new(cls)
    return made


def class_of(stand_in):
    """The class that a dataclass stands for."""
    return stand_in._numjit_plain_


def _package_of(cls) -> str:
    return str(cls.__module__).partition(".")[0]


def is_of_program(cls) -> bool:
    """Whether a program may define a class: nothing of C below, and of no package known here."""
    return (
        all(base.__flags__ & _HEAP_TYPE for base in cls.__mro__ if base is not object)
        and _package_of(cls) not in _OTHERS
    )


def _is_plain(cls) -> bool:
    """Whether instances have no say in what attributes mean, and can be made here."""
    return (
        is_of_program(cls)
        and _package_of(cls) != "numpy"
        and type(cls) in (type, abc.ABCMeta)
        and all(getattr(cls, hook) is getattr(object, hook) for hook in _HOOKS)
        and not any(hasattr(cls, name) for name in ("__getattr__", "__array__", "__del__"))
        and not getattr(cls, "__abstractmethods__", None)
    )


def _loaded_last(instruction):
    """The variable that an instruction, which may load two, puts on top of the stack."""
    if not instruction.opname.startswith(("LOAD_FAST", "LOAD_DEREF")):
        return None
    return instruction.argval if isinstance(instruction.argval, str) else instruction.argval[-1]


def _stores_to_self(instructions, method):
    """The attributes that a method gives its first argument."""
    code = method.__code__
    if not code.co_argcount:
        return []
    stored, read = [], []
    for i, each in enumerate(instructions):
        of = _loaded_last(instructions[i - 1])
        if each.opname == "COPY" and of == code.co_varnames[0]:  # self.n += 1
            read.append(instructions[i + 1].argval)
        elif each.opname == "STORE_ATTR" and (
            of == code.co_varnames[0]
            or (instructions[i - 1].opname == "SWAP" and each.argval in read)
        ):
            stored.append(each.argval)
    return stored


def _is_of_super(instructions, at):
    """Whether the attribute that an instruction reads is one of `super()`."""
    return (
        instructions[at].opname == "LOAD_SUPER_ATTR"
        or any(  # before 3.12
            each.opname == "LOAD_GLOBAL" and each.argval == "super"
            for each in instructions[max(at - 4, 0) : at]
            if instructions[at - 1].opname == "CALL"
        )
    )


def _is_statement(instructions, at):
    """Whether the attribute that instruction `at` reads is called for its effect only."""
    depth = 3 if instructions[at].opname == "LOAD_SUPER_ATTR" else 1  # of the stack, from there
    for i, each in enumerate(instructions[at:], at):
        depth += dis.stack_effect(each.opcode, each.arg, jump=False)
        if each.opname.startswith("CALL") and depth <= 1:
            return instructions[i + 1].opname == "POP_TOP"
    return False


def _function_of(member):
    """The function that a method calls in the end: behind decorators."""
    return inspect.unwrap(getattr(member, "py_func", member))


class _Fields:
    """The attributes that `__init__` gives `self`, and the methods that it calls for that."""

    def __init__(self, order):
        self.order = order  # the classes behind each other
        self.names = {}
        self.called = set()
        self._seen = set()
        self.add("__init__", order)

    def add(self, name, order):
        """What the first method of a name in some classes gives `self`."""
        for i, cls in enumerate(order):
            member = vars(cls).get(name)
            method = _function_of(member)
            if isinstance(method, FunctionType):
                if method not in self._seen:
                    self._seen.add(method)
                    self._add_stores(method, order[i + 1 :])
                return

    def _add_stores(self, method, behind):
        code = method.__code__
        if not code.co_argcount:
            return
        instructions = list(dis.get_instructions(method))
        self.names |= dict.fromkeys(_stores_to_self(instructions, method))
        for i, each in enumerate(instructions):
            of = _loaded_last(instructions[i - 1])
            if each.opname in _ATTRIBUTES and _is_statement(instructions, i):
                self.called.add(each.argval)
                if of == code.co_varnames[0] and each.opname != "LOAD_SUPER_ATTR":
                    self.add(each.argval, self.order)
                elif _is_of_super(instructions, i):
                    self.add(each.argval, behind)


@functools.cache
def _fields_of(cls):
    return _Fields(cls.__mro__[:-1])


def _fields_of_methods(cls):
    """The attributes that methods give their first argument."""
    names = {}
    for base in cls.__mro__[:-1]:
        for member in vars(base).values():
            accessors = (member.fget, member.fset) if isinstance(member, property) else (member,)
            for each in accessors:
                method = _function_of(each)
                if isinstance(method, FunctionType):
                    instructions = list(dis.get_instructions(method))
                    names |= dict.fromkeys(_stores_to_self(instructions, method))
    return names


def _exception_by(cls):
    """The dataclass that tells which attributes a program's exceptions have."""
    if not (cls.__flags__ & _HEAP_TYPE) or _package_of(cls) in _OTHERS:
        return None
    return class_for(cls, {"args": None} | _fields_of(cls).names)


_NO_FIELDS = ("__class__", "__dict__")  # which methods set, to make an object another one


def _is_property(cls, name):
    return isinstance(getattr(cls, name, None), property)


def made_by(cls):
    """The dataclass that stands for what a plain class makes; None for other classes.

    A field is what `__init__` or another method sets.
    """
    if issubclass(cls, BaseException):
        return _exception_by(cls)
    if not _is_plain(cls):
        return None
    names = _fields_of(cls).names | _fields_of_methods(cls)
    return class_for(cls, [n for n in names if n not in _NO_FIELDS and not _is_property(cls, n)])
