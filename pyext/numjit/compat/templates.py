"""Numba's typing templates: classes that say what types calls and attributes have."""

from __future__ import annotations

import inspect
from collections.abc import Callable

from numjit import types
from numjit.compat import native_types
from numjit.compat.conversions import best_case
from numjit.extending import overload_attribute, overload_method
from numjit.signatures import Signature, signature

__all__ = ["Signature", "signature"]


class Template:
    """Base of templates; `key` is what they are about."""

    key: object = None
    prefer_literal = False

    def __init__(self, context=None):
        self.context = context

    @classmethod
    def make_template(cls, context):
        return cls(context)


FunctionTemplate = Template


class AbstractTemplate(Template):
    """`generic(args, kws)` returns the signature of a call, or None."""

    def apply(self, args, kws):
        return self.generic(args, kws)


class CallableTemplate(Template):
    """`generic()` returns a function from the types of arguments to the type of the result."""

    def apply(self, args, kws):
        typer = self.generic()
        given = inspect.signature(typer).bind(*args, **kws)
        result = typer(*given.args, **given.kwargs)
        if result is None or isinstance(result, Signature):
            return result
        return Signature(result, given.args)


class ConcreteTemplate(Template):
    """`cases` are the signatures, of which the one that suits best is taken."""

    cases: list = []
    unsafe_casting = True
    exact_match_required = False

    def apply(self, args, kws):
        cases = [case for case in self.cases if tuple(case.args) == tuple(args)]
        if cases or self.exact_match_required:
            return next(iter(cases), None)
        return best_case(self.context, self.key, self.cases, args, True, self.unsafe_casting)


class AttributeTemplate(Template):
    """`resolve_NAME(type)` returns an attribute's type, `generic_resolve(type, name)` of any."""

    def resolve(self, value, attr):
        function = getattr(self, f"resolve_{attr}", None)
        if function is not None:
            return function(value)
        generic = getattr(self, "generic_resolve", None)
        return generic(value, attr) if generic is not None else None


class Registry:
    """Keeps nothing: what is registered holds at once."""

    def register(self, template):
        return infer(template)

    def register_attr(self, template):
        return infer_getattr(template)

    def register_global(self, val=None, typ=None, **kwargs):
        return infer_global(val, typ, **kwargs)

    def resolves_global(self, global_value, wrapper_type=None, typing_key=None):
        return infer_global(global_value)


registry = builtin_registry = Registry()
register, register_attr, register_global = (
    registry.register,
    registry.register_attr,
    registry.register_global,
)


def _typer_of(template):
    def typer(*args, **kws):
        return template(native_types.typing_context).apply(args, kws)

    return typer


def infer(template):
    """Decorator of the template of a function, which is its key."""
    if isinstance(template.key, str):
        native_types.registries.typers.setdefault(template.key, []).append(_typer_of(template))
    elif template.key is not None:
        native_types.add_typer(template.key, _typer_of(template))
    return template


def infer_global(val, typ=None, **kwargs):
    """Decorator of the template of a global function; with its type, `types.Function(template)`,
    no decorator."""
    if typ is not None:
        for template in getattr(typ, "templates", ()):
            native_types.add_typer(val, _typer_of(template))
        return None

    def decorate(template):
        native_types.add_typer(val, _typer_of(template))
        return template

    return decorate


def infer_getattr(template):
    """Decorator of the template of the attributes of a type."""
    if issubclass(template, _OverloadAttributeTemplate):
        _overload(template)
        return template
    native_types.add_resolver(template.key, template)
    key = template.key if isinstance(template.key, type) else type(template.key)
    for name in dir(template):
        if name.startswith("resolve_") and hasattr(getattr(template, name), "is_method"):
            native_types.announce_method(key, name.removeprefix("resolve_"))
        elif name.startswith("resolve_"):
            native_types.overload_getter(key, name.removeprefix("resolve_"))
    return template


class _OverloadAttributeTemplate(AttributeTemplate):
    """Of an attribute that `overload_attribute` has; methods are those of a subclass."""

    is_method = False
    _attr: str
    _overload_func: Callable
    _inline = "never"


class _OverloadMethodTemplate(_OverloadAttributeTemplate):
    is_method = True


def make_overload_attribute_template(
    typ, attr, overload_func, inline="never", prefer_literal=False,
    base=_OverloadAttributeTemplate, **kwargs,
):  # fmt: skip
    """A template for infer_getattr; a base with `is_method` makes it one of a method."""
    members = {"key": typ, "_attr": attr, "_inline": inline, "prefer_literal": prefer_literal}
    members["_overload_func"] = staticmethod(overload_func)
    return type(f"OverloadAttributeTemplate_{typ}_{attr}", (base,), members)


def make_overload_method_template(typ, attr, overload_func, inline="never", prefer_literal=False,
                                  **kwargs):  # fmt: skip
    return make_overload_attribute_template(
        typ, attr, overload_func, inline, prefer_literal, _OverloadMethodTemplate
    )


def _overload(template):
    options = {"inline": template._inline}
    if template.is_method:
        options["prefer_literal"] = template.prefer_literal
    decorate = overload_method if template.is_method else overload_attribute
    decorate(template.key, template._attr, **options)(template._overload_func)


def bound_function(template_key):
    """Decorator of `resolve_NAME(self, type, args, kws)`, which returns a method's signature."""

    def decorate(method):
        def attribute(self, value):
            template = type(
                "BoundTemplate",
                (AbstractTemplate,),
                {
                    "key": template_key,
                    "generic": lambda this, args, kws: method(self, value, args, kws),
                },
            )
            return types.BoundFunction(template, value)

        attribute.is_method = True
        return attribute

    return decorate


def fold_arguments(pysig, args, kws, normal_handler, default_handler, stararg_handler):
    """The arguments of a call in the order of the parameters."""
    bound = pysig.bind(*args, **kws)
    folded = []
    for index, (name, parameter) in enumerate(pysig.parameters.items()):
        if parameter.kind == parameter.VAR_POSITIONAL:
            folded.append(stararg_handler(index, parameter, bound.arguments.get(name, ())))
        elif name in bound.arguments:
            folded.append(normal_handler(index, parameter, bound.arguments[name]))
        else:
            folded.append(default_handler(index, parameter, parameter.default))
    return tuple(folded)


def make_concrete_template(name, key, signatures):
    return type(name, (ConcreteTemplate,), {"key": key, "cases": list(signatures)})


def make_callable_template(key, typer, recvr=None):
    def generic(self):
        return typer

    return type(f"{key}_CallableTemplate", (CallableTemplate,), {"key": key, "generic": generic})


def parse_dtype(dtype):
    """The type of items that an argument `dtype` names; None if it names none."""
    if isinstance(dtype, types.DTypeSpec):
        return dtype.dtype
    if isinstance(dtype, types.TypeRef):
        return dtype.instance_type
    if isinstance(dtype, types.StringLiteral):
        return types.from_dtype(dtype.literal_value)
    return None


def parse_shape(shape):
    """The number of dimensions of an argument `shape`; None if it is none."""
    if isinstance(shape, types.Integer):
        return 1
    return len(shape) if isinstance(shape, types.BaseTuple) else None
