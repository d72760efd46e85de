"""What is computed from literal strings while a program is compiled.

``getattr(directives, "0,2")`` in library code asks an object here for an attribute of that name.
The compiler asks with Python, as it does for attributes of any module, and takes the answer for a
constant; the cache on disk asks again.
"""

import types


class Answers(types.ModuleType):
    """A module whose attributes are a function of their names."""

    def __init__(self, name, answer):
        super().__init__(f"{__name__}.{name}")
        self.__dict__["_answer"] = answer

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self.__dict__["_answer"](name)


def _directive(text):
    """(axis, dimensions, place of an item's axes) of the string in np.r_["0,2,-1", a, b]."""
    try:
        numbers = [int(part) for part in text.split(",")]
    except ValueError:
        return None
    return tuple(numbers + [1, -1][len(numbers) - 1 :]) if 1 <= len(numbers) <= 3 else None


directives = Answers("directives", _directive)
