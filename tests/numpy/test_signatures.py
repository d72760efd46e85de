"""Our functions are called as NumPy's are: names, order, kinds and defaults of parameters."""

import inspect

import pytest
from numjit.library.core import catalogue
from numjit.library.core.registry import registered

NAMES = [n for n in catalogue.functions() if catalogue.numpy_object(n, None) is not None]
NAMES += [n for n in registered if "._generator." in n]


@pytest.mark.parametrize("name", NAMES)
def test_signature(name):
    if catalogue.numpy_parameters(name) is None:
        pytest.skip("this NumPy does not tell the function's parameters")
    found = catalogue.deviations(name)
    assert not found, (
        f"{name}{inspect.Signature(catalogue.parameters_of(name))}: {'; '.join(found)}"
    )


def test_deviations_are_needed():
    """A row without use is deleted."""
    for name, parameter in list(catalogue.DEVIATIONS):
        reason = catalogue.DEVIATIONS.pop((name, parameter))
        try:
            used = name not in registered or any(
                repr(parameter) in text for text in catalogue.deviations(name)
            )
            assert used, f"{name}: {parameter} ({reason})"
        finally:
            catalogue.DEVIATIONS[name, parameter] = reason


WRONG = {
    "names": (lambda x, axis=None: 0, "no parameter 'x'"),
    "order": (lambda a, out=None, axis=None: 0, "'out' is argument 4"),
    "defaults": (lambda a, axis=0: 0, "default of 'axis'"),
    "required": (lambda a, axis: 0, "may be left out only in NumPy"),
    "kinds": (lambda a, *, axis=None: 0, "by position too"),
    "missing": (lambda: 0, "parameter 'a' is missing"),
}


@pytest.mark.parametrize("function, message", WRONG.values(), ids=WRONG)
def test_the_check_itself(function, message, monkeypatch):
    monkeypatch.setitem(registered, "numpy.sum", function)
    catalogue.parameters_of.cache_clear()
    try:
        assert message in "; ".join(catalogue.deviations("numpy.sum"))
    finally:
        monkeypatch.undo()
        catalogue.parameters_of.cache_clear()
