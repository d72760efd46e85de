"""Texts that are filled in, where they are not known at compile time: the interpreter does it."""

from numjit import types
from numjit.python_calls import PythonCall

from ..core.intrinsics import refuse
from ..core.registry import function

_text = types.Tuple((types.unicode_type,))
_format = PythonCall(lambda template, values: (template.format(*values),), _text)
_percent = PythonCall(lambda template, values: (template % values,), _text)


@function("String.format", inline=False)
def format_text(self, *values, **named):
    if len(named) > 0:
        refuse("format() of a text that is not known at compile time takes no keywords")
    return _format(self, values)[0]


@function("numjit.percent_text", inline=False)
def percent_text(template, values):
    return _percent(template, values)[0]
