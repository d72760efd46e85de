"""Loops taken out of interpreted functions: by rule, and on random programs. Nothing is compiled
here: what is taken out runs in the interpreter too."""

import linecache
import random
import textwrap

import pytest
from numjit.loop_lifting import PREFIX, function_tree, lift_loops


def define(source, name="f"):
    """The function of a source text that inspection can find again."""
    source = textwrap.dedent(source)
    filename = f"<loop lifting {abs(hash(source))}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    namespace = {"G": 3}
    exec(compile(source, filename, "exec"), namespace)
    return namespace[name]


def loops_of(source):
    """The inputs of each loop that is taken out."""
    taken = []

    def keep(loop):
        code = loop.__code__
        taken.append(" ".join(code.co_varnames[: code.co_argcount]))
        return loop

    lifted, loops = lift_loops(define(source), keep)
    assert len(loops) == len(taken)
    assert len([name for name in lifted.__code__.co_freevars if name.startswith(PREFIX)]) == len(
        loops
    )
    return taken


@pytest.mark.parametrize(
    ("body", "inputs"),
    [
        ("s = 0\nfor i in range(n):\n    s += i\nreturn s", ["n s"]),
        ("s = 0\nfor i in range(n):\n    t = i\n    s += t\nreturn s", ["n s"]),
        ("s = 0\nfor i in range(n):\n    s += G\nreturn s", ["G n s"]),
        ("s = 0\nfor i in range(n):\n    s += abs(i)\nreturn s", ["n s"]),
        ("for i in range(n):\n    s = i\nreturn n", ["n"]),
        ("s = 0\nwhile s < n:\n    s += 1\nelse:\n    s = -1\nreturn s", ["n s"]),
        ("s = 0\nfor i in range(n):\n    for j in range(i):\n        s += j\nreturn s", ["n s"]),
        ("s = 0\nif n:\n    for i in range(n):\n        s += i\nreturn s", ["n s"]),
        ("for i in range(n):\n    s = i\nreturn s", []),  # s may be undefined
        ("for i in range(n):\n    if i:\n        s = t\n    t = i\nreturn n", []),  # so may t
        ("s = 0\nfor i in range(n):\n    return i\nreturn s", []),
        ("s = 0\ntry:\n    for i in range(n):\n        s += i\nfinally:\n    n = s\nreturn n", []),
        ("s = 0\nwith n:\n    for i in range(n):\n        s += i\nreturn s", []),
        ("s = 0\nfor i in range(n):\n    s += i\ng = lambda: s\nreturn g()", []),
        ("for i in range(n):\n    yield i", []),
        ("s = 0\nfor i in range(n):\n    locals()\nreturn s", []),
        ("global G\nfor i in range(n):\n    G = i\nreturn n", []),
        ("s = 0\ndel s\nfor i in range(n):\n    s = i + s\nreturn n", []),
    ],
)
def test_what_is_taken_out(body, inputs):
    source = "def f(n):\n" + textwrap.indent(body, "    ") + "\n"
    assert loops_of(source) == inputs


def test_a_function_without_source_stays():
    namespace = {}
    exec("def f(n):\n    for i in range(n):\n        n += i\n    return n\n", namespace)
    function = namespace["f"]
    assert function_tree(function) is None
    assert lift_loops(function, lambda loop: loop) == (function, ())


def test_an_edited_file_is_not_believed():
    function = define("def f(n):\n    for i in range(n):\n        n += i\n    return n\n")
    filename = function.__code__.co_filename
    changed = "def f(m):\n    for i in range(m):\n        m -= i\n    return m\n"
    linecache.cache[filename] = (len(changed), None, changed.splitlines(True), filename)
    assert lift_loops(function, lambda loop: loop) == (function, ())


def test_private_names_of_classes():
    source = """
        class C:
            def f(self, n):
                for i in range(n):
                    self.__hidden = i
                return self.__hidden
    """
    function = define(source, "C").f
    assert lift_loops(function, lambda loop: loop) == (function, ())


class Programs:
    """Random functions over few variables: assignments, branches, loops with every way out."""

    NAMES = "abcd"

    def __init__(self, seed):
        self.random = random.Random(seed)

    def function(self):
        start = self.random.choice(["", "    b = c = d = 1\n"])
        result = f"    return (a, n, {self.random.choice(self.NAMES)})\n"
        return "def f(a, n):\n" + start + self.block(1, 3, False) + result

    def block(self, depth, size, in_loop):
        return "".join(self.statement(depth, in_loop) for _ in range(self.random.randint(1, size)))

    def expression(self):
        pick = self.random.choice
        return pick(
            [
                pick(self.NAMES),
                f"({pick(self.NAMES)} + {self.random.randint(0, 3)})",
                f"(({pick(self.NAMES)} * 3 + {pick(self.NAMES)}) % 11)",
                "n",
                "G",
            ]
        )

    def statement(self, depth, in_loop):
        pad = "    " * depth
        kinds = ["assign"] * 4 + ["augmented", "if", "if"]
        if depth < 4:
            kinds += ["for", "for", "while"]
        if in_loop:
            kinds += ["break", "continue"]
        kind = self.random.choice(kinds)
        name = self.random.choice(self.NAMES)
        if kind == "assign":
            return f"{pad}{name} = {self.expression()}\n"
        if kind == "augmented":
            return f"{pad}{name} += {self.expression()}\n"
        if kind in ("break", "continue"):
            return f"{pad}if {self.expression()} % 2:\n{pad}    {kind}\n"
        if kind == "if":
            text = f"{pad}if {self.expression()} % 3:\n{self.block(depth + 1, 2, in_loop)}"
            if self.random.random() < 0.5:
                text += f"{pad}else:\n{self.block(depth + 1, 2, in_loop)}"
            return text
        if kind == "for":
            text = f"{pad}for {name} in range({self.expression()} % 4):\n"
        else:
            counter = f"w{depth}"
            text = f"{pad}{counter} = 0\n{pad}while {counter} < {self.expression()} % 4:\n"
            text += f"{pad}    {counter} += 1\n"
        text += self.block(depth + 1, 3, True)
        if self.random.random() < 0.3:
            text += f"{pad}else:\n{self.block(depth + 1, 2, in_loop)}"
        return text


def outcome(function, *arguments):
    try:
        return function(*arguments)
    except NameError:  # UnboundLocalError is one
        return "unbound"


def test_random_programs_keep_their_meaning():
    taken = 0
    for seed in range(600):
        source = Programs(seed).function()
        function = define(source)
        lifted, loops = lift_loops(function, lambda loop: loop)
        taken += len(loops)
        for arguments in ((0, 0), (1, 2), (2, 5), (7, 3)):
            expected, found = outcome(function, *arguments), outcome(lifted, *arguments)
            assert found == expected, f"seed {seed}, {arguments}\n{source}"
    assert taken > 100
