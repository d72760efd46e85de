"""Small random programs: source text that both the interpreter and the compiler can run.

A program's variables keep their kind (int, float, bool), integers stay small enough not to wrap,
and
loops end. Everything else is left to chance.
"""

from hypothesis import strategies as st

INTS, FLOATS, BOOLS = ("i", "j", "k"), ("x", "y", "z"), ("p", "q")
LIMIT = 1000003


def int_expression(draw, depth, names):
    kind = draw(st.integers(0, 9 if depth else 1))
    sub = lambda: int_expression(draw, depth - 1, names)
    if kind == 0:
        return str(draw(st.integers(-20, 20)))
    if kind == 1:
        return draw(st.sampled_from(names))
    if kind <= 4:
        return f"({sub()} {draw(st.sampled_from('+-*'))} {sub()}) % {LIMIT}"
    if kind == 5:
        return f"({sub()} {draw(st.sampled_from(['//', '%']))} (abs({sub()}) + 1))"
    if kind == 6:
        return f"({sub()} {draw(st.sampled_from('&|^'))} {sub()})"
    if kind == 7:
        return f"(-{sub()} if {bool_expression(draw, depth - 1, names)} else {sub()})"
    if kind == 8:
        return f"{draw(st.sampled_from(['min', 'max']))}({sub()}, {sub()})"
    return f"helper({sub()}, {sub()})"


def float_expression(draw, depth, names):
    kind = draw(st.integers(0, 6 if depth else 1))
    sub = lambda: float_expression(draw, depth - 1, names)
    if kind == 0:
        return repr(draw(st.sampled_from([0.0, -0.0, 0.5, -1.25, 3.0, 1e10])))
    if kind == 1:
        return draw(st.sampled_from(FLOATS))
    if kind <= 3:
        return f"({sub()} {draw(st.sampled_from('+-*'))} {sub()})"
    if kind == 4:
        return f"({sub()} / (abs({sub()}) + 0.5))"
    if kind == 5:
        return f"({sub()} if {bool_expression(draw, depth - 1, names)} else {sub()})"
    return f"({sub()} + {int_expression(draw, depth - 1, names)})"


def bool_expression(draw, depth, names):
    kind = draw(st.integers(0, 5 if depth > 0 else 1))
    if kind == 0:
        return draw(st.sampled_from(BOOLS))
    if kind == 1:
        return draw(st.sampled_from(["True", "False", "i > 3", "x < y", "0 <= j < k"]))
    compare = draw(st.sampled_from(["<", "<=", ">", ">=", "==", "!="]))
    if kind == 2:
        left, right = (int_expression(draw, depth - 1, names) for _ in range(2))
        return f"({left} {compare} {right})"
    if kind == 3:
        left, right = draw(st.sampled_from(FLOATS)), float_expression(draw, depth - 1, names)
        return f"({left} {compare} {right})"
    if kind == 4:
        return f"(not {bool_expression(draw, depth - 1, names)})"
    left, right = (bool_expression(draw, depth - 1, names) for _ in range(2))
    return f"({left} {draw(st.sampled_from(['and', 'or']))} {right})"


def statements(draw, depth, loops, names):
    """Lines of a block."""
    lines = []
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.integers(0, 8 if depth else 3))
        if kind == 0:
            target = draw(st.sampled_from(INTS))
            oper = draw(st.sampled_from(["=", "=", "+=", "-=", "^="]))
            lines.append(f"{target} {oper} {int_expression(draw, 2, names)}")
            lines.append(f"{target} %= {LIMIT}")
        elif kind == 1:
            oper = draw(st.sampled_from(["=", "=", "+=", "-=", "*="]))
            lines.append(
                f"{draw(st.sampled_from(FLOATS))} {oper} {float_expression(draw, 2, names)}"
            )
        elif kind == 2:
            lines.append(f"{draw(st.sampled_from(BOOLS))} = {bool_expression(draw, 2, names)}")
        elif kind == 3:
            lines.append(
                draw(st.sampled_from(["i, j = j, i", "x, y = y, x", "pass", "x, k = z, i"]))
            )
        elif kind == 4 and loops:
            lines.append(f"if {bool_expression(draw, 1, names)}:")
            lines.append("    " + draw(st.sampled_from(["break", "continue"])))
        elif kind in (4, 5, 6):
            lines.append(f"if {bool_expression(draw, 2, names)}:")
            lines += indented(statements(draw, depth - 1, loops, names))
            if draw(st.booleans()):
                lines.append("else:")
                lines += indented(statements(draw, depth - 1, loops, names))
        else:
            counter = f"n{depth}"
            bounds = draw(st.sampled_from(["5", "i % 7", "2, 9, 3", "j % 5, -3, -2", "0"]))
            lines.append(f"for {counter} in range({bounds}):")
            lines += indented(statements(draw, depth - 1, True, names + (counter,)))
            if draw(st.booleans()):
                lines.append("else:")
                lines += indented(statements(draw, depth - 1, loops, names))
            lines.append(f"{counter} = 0")
    return lines


def indented(lines):
    return ["    " + line for line in lines]


@st.composite
def scalar_programs(draw):
    """Source of `main(i, j, x, p)` and of `helper(i, j)`, which it may call."""
    helper = ["if i > j:", f"    return (i - j) % {LIMIT}", f"return (i * 3 + j) % {LIMIT}"]
    if draw(st.booleans()):
        helper.insert(0, "while i > 100:")
        helper.insert(1, "    i = i // 3 - j % 2")
    body = ["k = i - j", "y = x * 0.5", "z = 1.0", "q = not p", "n1 = n2 = n3 = 0"]
    body += statements(draw, 3, False, INTS)
    if draw(st.booleans()):
        body.append(f"if {bool_expression(draw, 1, INTS)}:")
        body.append("    return k, j, i, z, y, x, q, p")
    body.append("return i, j, k, x, y, z, p, q")
    return "\n".join(
        ["def helper(i, j):", *indented(helper), "", "def main(i, j, x, p):", *indented(body), ""]
    )


ARRAY_STATEMENTS = (
    "a = a + b",
    "a = b",
    "b = a[::-1]",
    "a, b = b, a",
    "b = a.copy()",
    "a = a * 0.5 + b",
    "a[i] = b[j]",
    "a[1:] = b[:-1]",
    "b[::2] = 0.25",
    "rows.append(a)",
    "rows.append(b + 1.0)",
    "a = rows[i]",
    "rows[j] = b",
    "b = rows.pop()",
    "pair = (a, b)",
    "a = pair[1]",
    "rows = rows[:3] + [b]",
    "b = first(a, b)",
    "total += a[i] + b[j]",
    "total += len(rows)",
)


def array_statements(draw, depth):
    lines = []
    for _ in range(draw(st.integers(1, 4))):
        kind = draw(st.integers(0, 5 if depth else 3))
        if kind <= 3:
            lines.append(draw(st.sampled_from(ARRAY_STATEMENTS)))
        elif kind == 4:
            lines.append(f"if {draw(st.sampled_from(['a[i] > b[j]', 'len(rows) > 2', 'n > 1']))}:")
            lines += indented(array_statements(draw, depth - 1))
            if draw(st.booleans()):
                lines.append("else:")
                lines += indented(array_statements(draw, depth - 1))
        else:
            lines.append(
                f"for m{depth} in range({draw(st.sampled_from(['n', '2', 'len(rows) % 4']))}):"
            )
            lines += indented(array_statements(draw, depth - 1))
            if draw(st.integers(0, 3)) == 0:
                lines += indented(["if total > 5:", "    break"])
        if draw(st.integers(0, 5)) == 0:
            lines += ["if total > 1000:", "    raise ValueError('large')"]
    # Three rows at least, so that indices and pop() are valid.
    return lines + ["rows = rows + [a, b, a]"]


@st.composite
def array_programs(draw):
    """Source of `main(a, b, n)` over arrays of six floats and lists of them."""
    body = ["rows = [a, b, a]", "pair = (a, b)", "total = 0.0", "i = n % 3", "j = 2 - i"]
    body += array_statements(draw, 3)
    body.append(
        draw(st.sampled_from(["return a, b, total", "return rows[:4], total", "return total"]))
    )
    first = ["if x[0] > y[0]:", "    return x", "return y"]
    return "\n".join(
        ["def first(x, y):", *indented(first), "", "def main(a, b, n):", *indented(body), ""]
    )
