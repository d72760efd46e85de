"""``type(e)`` of a caught exception, whose class is known at run time only: its name, its text, and
what it is."""

from ..core.intrinsics import class_text, is_exactly, new_struct, refuse
from ..core.registry import function


class ClassOfCaught:
    """In Python it is the class."""

    def __new__(cls, exception):
        return type(exception)


_CLASS = "numjit.library.python.raised_classes.ClassOfCaught"


@function(_CLASS)
@function("numjit.class_of_caught")
def class_of_caught(exception):
    return new_struct(ClassOfCaught, (exception,))


@function(f"{_CLASS}.__name__", when="attribute")
def name(self):
    return class_text(self.exception, 3)


@function(f"{_CLASS}.__str__")
@function(f"{_CLASS}.__repr__")
def text(self):
    return class_text(self.exception, 2)


@function(f"{_CLASS}.__eq__")
def eq(self, other):
    if isinstance(other, ClassOfCaught):
        refuse("classes of two caught exceptions cannot be compared", "compare with a class")
    return is_exactly(self.exception, other)


@function(f"{_CLASS}.__ne__")
def ne(self, other):
    return not (self == other)
