"""Records and structured arrays: fields, assignment, views, layouts, in and out of Python."""

import numpy as np
import pytest
from language.support import assert_same, compiled
from numjit import from_dtype, literal_unroll, njit, typeof, types
from numjit.errors import TypingError

PLAIN = np.dtype([("x", np.int32), ("y", np.float64)])  # packed: y lies at offset 4
ALIGNED = np.dtype([("x", np.int8), ("y", np.float64)], align=True)
NESTED = np.dtype([("id", np.int64), ("at", PLAIN), ("flag", np.bool_)])
WITH_ARRAYS = np.dtype([("v", np.float32, (3,)), ("m", np.int16, (2, 2)), ("z", np.complex128)])
TIMES = np.dtype([("when", "M8[s]"), ("value", np.float64)])


def points(dtype=PLAIN, n=5):
    a = np.zeros(n, dtype)
    a["x"] = np.arange(n)
    a["y"] = np.arange(n) * 1.5 - 1
    return a


def nested():
    a = np.zeros(3, NESTED)
    a["id"] = [7, 8, 9]
    a["at"]["x"] = [1, 2, 3]
    a["at"]["y"] = [0.5, 1.5, 2.5]
    a["flag"] = [True, False, True]
    return a


def arrays():
    a = np.zeros(2, WITH_ARRAYS)
    a["v"] = np.arange(6).reshape(2, 3)
    a["m"] = np.arange(8).reshape(2, 2, 2)
    a["z"] = [1 + 2j, 3 - 1j]
    return a


LAYOUTS = [
    PLAIN,
    ALIGNED,
    np.dtype({"names": ["x", "y"], "formats": ["u1", "f4"], "offsets": [9, 2], "itemsize": 16}),
]


@pytest.mark.parametrize("dtype", LAYOUTS, ids=["packed", "aligned", "offsets"])
def test_read_fields(dtype):
    def by_name(a):
        total = 0.0
        for i in range(len(a)):
            total += a[i]["x"] * a[i]["y"]
        return total, a["x"][1], a["y"].sum(), a["x"].shape

    def by_attribute(a):
        total = 0.0
        for i in range(len(a)):
            total += a[i].x * a[i].y
        return total + a.x[1] + a.y.sum()

    a = points(dtype)
    assert_same(by_name, a)
    assert njit(by_attribute)(a) == by_attribute(a.view(np.recarray))


@pytest.mark.parametrize("dtype", LAYOUTS, ids=["packed", "aligned", "offsets"])
def test_write_fields(dtype):
    def f(a, n):
        for i in range(n):
            a[i]["x"] = i * 2
            a[i]["y"] += 0.25
        a["y"][0] = 9.0
        a["x"][1:3] = 5
        a["y"] *= 2
        return a

    assert_same(f, points(dtype), 4)


def test_iteration_and_local_records_refer_to_the_array():
    def f(a):
        for r in a:
            r["x"] += 1
        r = a[2]
        r["y"] = -1.0
        return a["x"].sum(), r["y"]

    a, b = points(), points()
    assert compiled(f)(a) == f(b)
    assert np.array_equal(a, b)


def test_field_views_are_strided_arrays():
    def f(a):
        return a["y"]

    a = points()
    made = compiled(f)(a)
    assert np.shares_memory(made, a) and made.strides == a["y"].strides
    assert np.array_equal(made, a["y"])
    assert str(compiled(f).nopython_signatures[-1].return_type) == (
        "unaligned array(float64, 1d, A)"
    )


def test_nested_records():
    def f(a):
        a[0]["at"]["y"] = 4.0
        inner = a["at"]
        inner[1]["x"] = 40
        a[2]["at"] = a[0]["at"]
        return a["at"]["x"].sum(), inner["y"][2], a[1]["at"]["x"], a[0]["flag"]

    assert_same(f, nested())


def test_array_fields():
    def f(a):
        a[0]["v"][1] = 10
        a[1]["m"] = a[0]["m"] + 1
        a[1]["v"] = 3.0
        return (
            a["v"].shape,
            a["v"].sum(),
            a[0]["m"][1, 0],
            a["m"][:, 0, 1],
            a[1]["z"],
            len(a[0]["v"]),
        )

    assert_same(f, arrays())


def test_whole_records():
    def f(a):
        a[0] = a[3]
        a[1] = (7, 8.5)
        b = a.copy()
        b[2]["x"] = 100
        a[3:] = b[:2]
        return b

    assert_same(f, points())


def test_new_arrays():
    def f(n):
        a = np.zeros(n, PLAIN)
        b = np.empty((2, n), ALIGNED)
        for i in range(n):
            a[i]["x"] = i
            b[0, i]["y"] = b[1, i]["y"] = i
            b[0, i]["x"] = b[1, i]["x"] = 1
        return a, b["y"].sum(), np.zeros_like(a), np.empty_like(a).shape

    assert_same(f, 3)


def test_comparison():
    def f(a, b):
        return a[0] == b[0], a[0] != b[0], a[1] == b[1]

    a, b = points(), points()
    b[1]["y"] = 100
    assert_same(f, a, b)
    assert compiled(f)(nested()[:2], nested()[:2]) == (True, False, True)


def test_names_from_constants():
    names = ("x", "y")

    def f(a):
        total = 0.0
        for name in literal_unroll(names):
            total += a[1][name]
            total += a[name].sum()
        return total, a[1][names[0]], a.dtype.names

    assert_same(f, points())


def test_records_as_arguments_and_results():
    def f(r):
        r["x"] += 1
        return r["x"], r["y"]

    a, b = points(), points()
    assert compiled(f)(a[2]) == f(b[2])
    assert np.array_equal(a, b)  # the record is part of the array

    @njit
    def pick(a, i):
        return a[i]

    got = pick(a, 1)
    assert type(got) is np.record and got.x == a[1]["x"] and got.y == a[1]["y"]
    got.x = 77
    assert got.x == 77 and a[1]["x"] != 77  # a copy, as in Numba

    @njit
    def same(r):
        return r

    assert same(got) is got


def test_records_in_tuples_lists_and_calls():
    @njit
    def norm(r):
        return r.x + r.y

    @njit
    def f(a):
        kept = [a[1], a[2]]
        pair = (a[0], a[3])
        return norm(kept[0]) + norm(kept[1]) + norm(pair[1]) + pair[0].y

    a = points()
    r = a.view(np.recarray)
    assert f(a) == sum(r[i].x + r[i].y for i in (1, 2, 3)) + r[0].y


def test_recarray():
    @njit
    def f(a):
        a[0].x = 5
        a.y[1] = 6.5
        return a

    a = points().view(np.recarray)
    assert f(a) is a
    assert a[0].x == 5 and a[1].y == 6.5


def test_global_records():
    table = points()
    one = points()[3]

    @njit
    def f(i):
        return table[i].y + one.y, table["x"].sum(), one["x"]

    assert f(2) == (table[2]["y"] + one["y"], 10, 3)


def test_readonly_arrays_stay_so():
    a = points()
    a.flags.writeable = False
    with pytest.raises(TypingError, match="readonly"):
        njit(lambda a: a["x"].fill(1))(a)


def test_times_in_records():
    def f(a):
        return a[0]["when"] - a[1]["when"], a["value"].sum()

    a = np.zeros(2, TIMES)
    a["when"] = ["2020-01-02", "2020-01-01"]
    assert_same(f, a)


def test_types():
    assert (
        str(from_dtype(PLAIN)) == "Record(x[type=int32;offset=0],y[type=float64;offset=4];12;False)"
    )
    assert str(typeof(points()[0])) == str(from_dtype(PLAIN))
    assert str(typeof(points())) == f"unaligned array({from_dtype(PLAIN)}, 1d, C)"
    assert str(typeof(points(ALIGNED))).startswith("array(Record(x[type=int8;offset=0],")
    record = from_dtype(NESTED)
    assert record.typeof("at") is from_dtype(PLAIN) and record.offset("at") == 8
    assert record.size == NESTED.itemsize and len(record) == 3 and record.dtype == NESTED
    assert str(from_dtype(WITH_ARRAYS).typeof("m")) == "nestedarray(int16, (2, 2))"
    assert typeof(points()).dtype is from_dtype(PLAIN)


@pytest.mark.parametrize("align", [False, True])
def test_types_of_arrays(align):
    dtype = np.dtype([("a", np.int8), ("b", np.float64)], align=align)
    record, a = from_dtype(dtype), np.zeros(3, dtype)
    assert record[::1] == types.Array(record, 1, "C") == typeof(a)
    assert record[::1].aligned == align
    f = njit((record[::1],))(lambda a: a[0].b)
    assert f(a) == 0 and list(f.overloads) == [(record[::1],)]


def test_make_c_struct():
    made = types.Record.make_c_struct([("a", types.int8), ("b", types.float64), ("c", types.int16)])
    wanted = np.dtype([("a", "i1"), ("b", "f8"), ("c", "i2")], align=True)
    assert made.dtype == wanted and made is from_dtype(wanted)
    a = np.zeros(2, made.dtype)

    @njit([types.float64(made[:])])
    def f(a):
        a[1].c = 3
        return a[1].b + a[1].c

    assert f(a) == 3.0


def test_signatures():
    record = from_dtype(ALIGNED)

    @njit(types.float64(record))
    def f(r):
        return r.y * 2

    assert f(points(ALIGNED)[2]) == points(ALIGNED)[2]["y"] * 2


def test_signatures_take_records_with_more_fields():
    narrow = from_dtype(PLAIN)
    wide = np.zeros(2, np.dtype([*PLAIN.descr, ("z", np.complex128)]))
    wide["x"], wide["y"] = 3, 2.5

    @njit(types.float64(narrow))
    def f(r):
        r.x += 1
        return r.x * r.y

    @njit
    def caller(a):
        return f(a[1])

    assert f(wide[0]) == 10.0 and wide["x"][0] == 4
    assert caller(wide) == 10.0 and wide["x"][1] == 4
    for other in (
        [("y", np.float64), ("x", np.int32)],
        [("x", np.int64), ("y", np.float64)],
        [("x", np.int32)],
        {"names": ["x", "y"], "formats": [np.int32, np.float64], "offsets": [0, 8]},
    ):
        with pytest.raises(TypeError, match="No matching definition"):
            f(np.zeros(1, other)[0])


def test_signatures_prefer_the_record_itself():
    wide = from_dtype(np.dtype([*PLAIN.descr, ("z", np.float64)]))

    @njit([types.float64(from_dtype(PLAIN)), types.float64(wide)])
    def f(r):
        return r.y

    assert f(np.zeros(1, [*PLAIN.descr, ("z", np.float64)])[0]) == 0.0
    assert f(points()[1]) == 0.5


def test_dtype_argument():
    record = from_dtype(PLAIN)

    @njit
    def f(n, dtype):
        return np.zeros(n, dtype=record), np.empty(n, dtype).shape

    a, shape = f(2, PLAIN)
    assert a.dtype == PLAIN and shape == (2,)


def test_wrong_names_and_types():
    with pytest.raises(TypingError, match="Field 'w' was not found in record with fields"):
        njit(lambda a: a[0]["w"])(points())
    with pytest.raises(TypingError, match="Unknown attribute 'w'"):
        njit(lambda a: a[0].w)(points())
    with pytest.raises(TypingError, match="must be known at compile time"):
        njit(lambda a, i: a[0][i])(points(), 1)

    @njit
    def text(a):
        a[0]["x"] = 1 + 2j

    with pytest.raises(TypingError):
        text(points())
    with pytest.raises(TypingError, match="No implementation of function"):
        njit(lambda a: a + a)(points())


def test_numbers_go_to_all_fields():
    table = np.array([(1, 2.0), (3, 4.0)], dtype=[("a", "i4"), ("b", "f8")])
    packed = np.zeros(3, dtype=[("a", "u1"), ("b", "f4"), ("c", "c8")])
    statements = "x[...] = 1;x[0] = 1;x[:1] = 2.5;x[::-1] = 5;x.fill(1);x.fill(x[1]);x[0] = True"
    statements += ";x = np.full_like(x, 1);x = np.full_like(x, x[1]);x[:] = x[1];x[...] = 300"
    for a in (table, packed, table[::-1]):
        for statement in statements.split(";"):
            scope = {"np": np}
            exec(f"def f(x):\n    {statement}\n    return x", scope)
            try:
                expected = scope["f"](a.copy()).tolist()
            except OverflowError:
                with pytest.raises(OverflowError):
                    njit(scope["f"])(a.copy())
            else:
                assert njit(scope["f"])(a.copy()).tolist() == expected, statement


@pytest.mark.parametrize("dtype", ["M8[D]", "m8[s]", "S2", "U2", "i4,f8"])
def test_what_items_cannot_be_made_of_is_refused(dtype):
    """With an error of the program's, not one of the compiler's."""
    statements = "x[...] = None;x[[0]] = 1;x[x == x] = 1;x.fill(None);x = np.full_like(x, 1j);x @ x"
    statements += ";np.dot(x, x)" + (";dict(zip(x[0], x[0]))" if dtype[0] not in "SU" else "")
    for statement in statements.split(";"):
        scope = {"np": np}
        exec(f"def f(x):\n    {statement}\n    return x", scope)
        with pytest.raises(TypingError):
            njit(scope["f"])(np.zeros(2, dtype))
