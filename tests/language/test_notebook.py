"""numjit in a notebook, with a real kernel."""

import re

import pytest

nbclient = pytest.importorskip("nbclient", reason="it is installed with the extra test")
nbformat = pytest.importorskip("nbformat", reason="it is installed with the extra test")
pytest.importorskip("ipykernel", reason="it is installed with the extra test")

COLOUR = re.compile(r"\x1b\[[\d;]*m")


def run(*cells):
    """The outputs of each cell, of all kinds, as dicts."""
    made = [nbformat.v4.new_code_cell(cell) for cell in cells]
    notebook = nbformat.v4.new_notebook(cells=made)
    nbclient.NotebookClient(notebook, allow_errors=True, timeout=120).execute()
    return [cell.outputs for cell in notebook.cells]


def result(outputs):
    (found,) = (each for each in outputs if each.output_type == "execute_result")
    return found.data["text/plain"]


def error(outputs):
    (found,) = (each for each in outputs if each.output_type == "error")
    return found.ename, "\n".join(found.traceback)


def text(outputs):
    return "".join(each.text for each in outputs if each.output_type == "stream")


DEFINES = """\
%%njit fastmath=True error_model="numpy"
import functools

def half(a):
    return a / 2

def both(a):
    return half(a) + half(a)

@functools.cache
def python(a):
    return type(half).__name__

both(3.0)"""

CLASH = """\
%%njit
def wrong(a):
    return a + 'x'
wrong(3)"""


def test_cells_and_their_errors():
    loaded, defined, options, decorated, wrong, bad, shown, later = run(
        "%load_ext numjit",
        DEFINES,
        "half.targetoptions, both.nopython_signatures",
        "python(1)",
        CLASH,
        "%%njit fastmat=True\ndef f(): pass",
        "both",
        "both('text')",
    )
    assert loaded == []
    assert result(defined) == "3.0"
    assert "'error_model': 'numpy'" in result(options) and "float64" in result(options)
    assert result(decorated) == "'Dispatcher'"  # decorated functions stay what they are
    assert error(wrong)[0] == "TypingError"
    plain = COLOUR.sub("", error(wrong)[1])
    assert "Cell In[5]:2, in wrong\n    return a + 'x'\n           ^^^^^^^" in plain
    assert "\x1b[31;1m^^^^^^^" in error(wrong)[1]
    assert "notebook.py" not in plain
    assert error(bad)[0] == "UnknownOptionError"
    html = shown[0].data["text/html"]
    assert "both(a)" in html and "float64" in html and " ms" in html and "Cell In[2]" in html
    assert error(later)[0] == "TypingError"


def test_no_color(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    _, wrong = run("%load_ext numjit", CLASH)
    assert "^^^^^^^" in error(wrong)[1] and "\x1b[31;1m^" not in error(wrong)[1]


def test_words_that_are_no_options():
    outputs = run("%load_ext numjit", "%%njit 3\nx = 1", "%%njit a b\nx = 1", "%%njit **{}\nx = 1")
    for each in outputs[1:]:
        assert "UsageError: %%njit takes options such as parallel=True" in text(each)


def test_options_are_expressions():
    _, made, _, again = run(
        "%load_ext numjit\nflags = {'nnan', 'ninf'}",
        "%%njit fastmath = flags, nogil=not False\ndef f(x): return x",
        "%unload_ext numjit",
        "f.targetoptions['fastmath'] == flags, f.targetoptions['nogil'], f(1)",
    )
    assert made == []
    assert result(again) == "(True, True, 1)"


def test_interrupting_a_cell():
    """As the button of a notebook does it: the kernel gets a signal while compiled code runs. It
    comes from another process, since other threads wait for the compiled function."""
    program = """\
import os, subprocess
from numjit import njit

@njit
def endless(n):
    i = 0
    while i < n:
        i -= 1 - i % 2
    return i

endless(0)
subprocess.Popen(["sh", "-c", f"sleep 1; kill -INT {os.getpid()}"])
endless(1)"""
    first, then = run(program, "endless(0)")
    assert error(first)[0] == "KeyboardInterrupt"
    assert result(then) == "0"
