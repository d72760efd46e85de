"""@jitclass: classes whose instances compiled code can make and use.

The fields lie in one block of memory, which compiled code refers to, and which the Python object
holds. Methods are jitted functions with the instance as their first argument.
"""

from __future__ import annotations

import functools
import inspect
from types import FunctionType

from numjit import _core, config
from numjit.decorators import njit
from numjit.extending import as_numba_type
from numjit.library.core.intrinsics import blank_instance
from numjit.pickling import machine_code, receive
from numjit.plain_classes import super_members
from numjit.types.abstract import Type
from numjit.types.items import ClassType
from numjit.types.rows import handle_of


class _Undecorated(type):
    """The class of what derives from a jitclass, until @jitclass makes one of it."""

    def __call__(cls, *args, **kwargs):
        raise TypeError(
            f"cannot make a {cls.__name__}: what derives from a jitclass is decorated with "
            "@jitclass, too"
        )


class JitClassType(type):
    """The class of jitclasses: calling one runs its compiled `__init__`."""

    def __new__(mcs, name, bases, namespace):
        if any(isinstance(base, JitClassType) for base in bases):
            plain = tuple(
                base._numjit_plain_ if isinstance(base, JitClassType) else base for base in bases
            )
            return _Undecorated(name, plain, namespace)
        return super().__new__(mcs, name, bases, namespace)

    def __call__(cls, *args, **kwargs):
        if cls._numjit_init_ is not None and (kwargs or cls._numjit_rebinds_):
            bound = cls._numjit_init_.bind(None, *args, **kwargs)
            bound.apply_defaults()
            args, kwargs = bound.args[1:], bound.kwargs
        return cls._numjit_constructor_(*args, **kwargs)

    def __instancecheck__(cls, instance):
        made = type(instance)
        return isinstance(made, JitClassType) and issubclass(
            made._numjit_plain_, cls._numjit_plain_
        )

    def __subclasscheck__(cls, derived):
        return isinstance(derived, JitClassType) and issubclass(
            derived._numjit_plain_, cls._numjit_plain_
        )

    @property
    def __signature__(cls):
        init = cls._numjit_init_
        if init is None:
            return inspect.Signature()
        return init.replace(parameters=list(init.parameters.values())[1:])

    @property
    def class_type(cls):
        return cls._numjit_class_type_

    def __repr__(cls):
        return f"<class {cls.__module__}.{cls.__name__}>"


def jitclass(cls_or_spec=None, spec=None):
    """Compiles a class. The spec lists fields with their types, as a dict or as pairs.

    Annotated attributes of the class need not be in the spec.
    """
    if cls_or_spec is not None and spec is None and not isinstance(cls_or_spec, type):
        return lambda cls: _make(cls, cls_or_spec)
    if cls_or_spec is None:
        return lambda cls: _make(cls, spec or {})
    return _make(cls_or_spec, spec or {})


#: The fields of each jitclass, by the class that it was made of: classes derive from them.
_own_fields: dict = {}


def _fields_of(cls, spec) -> dict:
    pairs = spec.items() if hasattr(spec, "items") else spec
    fields = {}
    for base in reversed(cls.__mro__[1:]):
        fields |= _own_fields.get(base, {})
    for pair in pairs:
        name, type_ = pair
        if not isinstance(name, str):
            raise TypeError(f"spec keys should be strings, got {name!r}")
        if not isinstance(type_, Type):
            raise TypeError(f"spec values should be Numba type instances, got {type_!r}")
        fields[_mangled(cls, name)] = type_
    for base in reversed(cls.__mro__[:-1]):
        for name, annotation in inspect.get_annotations(base, eval_str=True).items():
            if name not in fields:
                fields[name] = _type_of_annotation(annotation)
    return fields


def _mangled(cls, name):
    """The name of a private attribute in the methods of a class, as Python mangles it."""
    if name[:2] != "__" or name[-2:] == "__":
        return name
    return f"_{cls.__name__.lstrip('_')}{name}"


def _type_of_annotation(annotation):
    if isinstance(annotation, Type):
        return annotation
    return as_numba_type(annotation)


#: Methods that Python looks for in a class, with the protocol's own conversions.
_CONVERTED = {"__bool__": bool, "__len__": int, "__contains__": bool, "__str__": str}


def _make(cls, spec):
    if not isinstance(cls, type):
        raise TypeError("class_type must be a class")
    if config.DISABLE_JIT:
        return cls
    fields = _fields_of(cls, spec)
    _own_fields[cls] = fields
    members = _members_of(cls)
    clash = [name for name in members if name in fields]
    if clash:
        raise NameError(f"name shadowing: {', '.join(clash)}")
    namespace = {
        "__slots__": (),
        "__module__": cls.__module__,
        "__qualname__": cls.__qualname__,
        "__doc__": cls.__doc__,
        "_numjit_jitclass_": True,
        "_numjit_blank_": None,
        "_numjit_members_": members,
        "_numjit_names_": tuple(fields),
        "_numjit_plain_": cls,
        "_numjit_fields_": classmethod(_row_of_fields),
        "__reduce__": _reduce,
        "_numba_type_": property(lambda self: type(self).class_type.instance_type),
    }
    for number, name in enumerate(fields):
        namespace[name] = _field(number)
    for name, member in members.items():
        if name != "__init__" and not name.startswith("super "):
            namespace[name] = _python_member(name, member)
    if "__init__" in members:
        namespace["__init__"] = cls.__init__  # its docstring and parameters: calls do without it
    if "__eq__" in members and "__hash__" not in members:
        namespace["__hash__"] = None
    made = JitClassType(cls.__name__, (_core.Instance,), namespace)
    made._numjit_class_type_ = ClassType(made, cls.__name__, fields)
    _add_constructor(made, members.get("__init__"))
    return made


def _members_of(cls) -> dict:
    """Compiled methods, and class attributes that are constants; those of bases under the names by
    which super() finds them, too."""
    members = {}
    for base in reversed(cls.__mro__[:-1]):
        members |= super_members(members, base)
        for name, value in vars(base).items():
            _check_member(name, value)
            if isinstance(value, FunctionType):
                members[name] = njit(value)
            elif isinstance(value, property):
                parts = (value.fget, value.fset)
                members[name] = property(
                    *(part and njit(part) for part in parts), doc=value.__doc__
                )
            elif isinstance(value, staticmethod | classmethod):
                members[name] = type(value)(njit(value.__func__))
            elif isinstance(value, bool | int | float | str | tuple) and name[:2] != "__":
                members[name] = value
    return members


def _check_member(name, value):
    if isinstance(value, property) and value.fdel is not None:
        raise TypeError(f"deleter is not supported: {name}")
    if name == "__del__":
        raise TypeError("__del__ is not supported in a jitclass")


def _row_of_fields(cls):
    return _core.tuple([handle_of(type_) for type_ in cls._numjit_class_type_.struct.values()])


def _reduce(self):
    """An instance is made without its __init__; then its fields are set, which may refer to it."""
    cls = type(self)
    values = [self._get_field(number) for number in range(len(cls._numjit_names_))]
    return _blank, (cls, machine_code(_dispatchers_of(cls))), values, None, None, _set_fields


def _dispatchers_of(cls):
    """Those that make instances, and those of the methods."""
    _blank_maker(cls)()  # code that the receiver needs at once
    yield cls._numjit_blank_
    yield cls._numjit_constructor_
    for member in cls._numjit_members_.values():
        if isinstance(member, property):
            parts = member.fget, member.fset
        else:
            parts = (getattr(member, "__func__", member),)
        yield from (part for part in parts if isinstance(part, _core.Dispatcher))


def _blank(cls, code=()):
    receive(code)
    return _blank_maker(cls)()


def _blank_maker(cls):
    if cls._numjit_blank_ is None:
        cls._numjit_blank_ = njit(lambda: blank_instance(cls))
    return cls._numjit_blank_


def _set_fields(instance, values):
    for number, value in enumerate(values):
        instance._set_field(number, value)


def _field(number):
    return property(
        lambda self: self._get_field(number),
        lambda self, value: self._set_field(number, value),
    )


def _python_member(name, member):
    if not isinstance(member, _core.Dispatcher):
        return member
    converted = _CONVERTED.get(name)

    def method(self, *args, **kwargs):
        result = member(self, *args, **kwargs)
        return converted(result) if converted else result

    return functools.update_wrapper(method, member.py_func)


def _add_constructor(cls, init):
    signature = inspect.signature(init.py_func) if init is not None else None
    names, given = [], []
    cls._numjit_rebinds_ = False
    if signature is not None:
        parameters = list(signature.parameters.values())[1:]
        only_named = [each.name for each in parameters if each.kind is each.KEYWORD_ONLY]
        for parameter in parameters:
            name = parameter.name
            if parameter.kind is parameter.VAR_POSITIONAL:
                names.append("*" + name)
                given.append("*" + name)
                continue
            if parameter.kind is parameter.VAR_KEYWORD:
                names.append("**" + name)
                given.append("**" + name)
                continue
            if only_named and name == only_named[0] and not any(n[0] == "*" for n in names):
                names.append("*")
            names.append(name)
            given.append(f"{name}={name}" if name in only_named else name)
            cls._numjit_rebinds_ |= parameter.default is not parameter.empty
    namespace = {"cls": cls}
    exec(
        f"def {cls.__name__}({', '.join(names)}):\n    return cls({', '.join(given)})\n", namespace
    )
    cls._numjit_init_ = signature
    cls._numjit_constructor_ = njit(namespace[cls.__name__])
