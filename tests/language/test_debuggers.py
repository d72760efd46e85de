"""What gdb and perf see of compiled functions."""

import os
import re
import shutil
import struct
import subprocess
import sys
import textwrap

import pytest
from numjit import njit
from numjit.dump import dump_function

pytestmark = pytest.mark.one_python

PROGRAM = textwrap.dedent("""\
    import numpy as np
    from numjit import njit

    @njit(debug=True)
    def scaled(x, k):
        y = x * k
        return y + 1  # in scaled

    @njit(debug=True)
    def sums(a, n):
        total = 0.0
        positive = False
        pair = (n, 2.5)
        z = complex(n, 1)
        for i in range(n):
            item = a[i]
            positive = item > 2
            total += item
        before = total
        total = scaled(total, np.int32(3))
        return before + total + pair[1] + z.real + positive  # in sums

    print(sums(np.arange(5.0), 4))
""")

BUSY = textwrap.dedent("""\
    from numjit import njit

    @njit
    def steps(n):
        total = 0
        for i in range(1, n):
            x = i
            while x != 1:
                x = x // 2 if x % 2 == 0 else 3 * x + 1
                total += 1
        return total

    steps(1_000_000)
""")


def line_of(text):
    return 1 + [text in line for line in PROGRAM.splitlines()].index(True)


def gdb(tmp_path, *commands):
    """What gdb prints of the program."""
    if shutil.which("gdb") is None:
        pytest.skip("gdb is not installed")
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    setting = ["set pagination off", "set breakpoint pending on", "set startup-with-shell off"]
    arguments = [part for each in (*setting, *commands) for part in ("-ex", each)]
    done = subprocess.run(
        ["gdb", "-q", "-nx", "-batch", *arguments, "--args", sys.executable, path],
        capture_output=True,
        text=True,
        timeout=300,
    )
    if re.search("ptrace|not permitted|warning: Error disabling address", done.stderr):
        pytest.skip("gdb may not trace processes here")
    return done.stdout


def test_lines_and_variables(tmp_path):
    line = line_of("# in sums")
    said = gdb(tmp_path, f"break program.py:{line}", "run", "info locals", "bt 1", "p a.data[3]")
    assert re.search(rf"hit Breakpoint 1, sums \(\) at .*program\.py:{line}\n", said), said
    shown = dict(re.findall(r"^(\w+) = (.+)$", said, re.MULTILINE))
    assert {name: shown[name] for name in ("n", "i", "item", "total", "before")} == {
        "n": "4",
        "i": "3",
        "item": "3",
        "total": "19",
        "before": "6",
    }
    assert shown["positive"] == "true"
    assert "shape = {f0 = 5}" in shown["a"]
    assert "$1 = 3" in said


def test_inlined_functions_are_frames(tmp_path):
    line = line_of("# in scaled")
    said = gdb(
        tmp_path, f"break program.py:{line}", "run", "bt 2", "info locals", "up", "info locals"
    )
    assert re.search(rf"#0 .*scaled \(\) at .*program\.py:{line}\n#1 .*sums \(\) at", said), said
    shown = dict(re.findall(r"^(\w+) = (.+)$", said, re.MULTILINE))
    assert shown["x"] == "6" and shown["k"] == "3" and shown["y"] == "18"
    assert shown["before"] == "6"


def test_what_is_shown_is_what_holds():
    """Second names and what is stored again have values of their own."""

    @njit(debug=True)
    def f(n):
        first = n + 1
        second = first
        first = 5
        first, second = second, first
        for _ in range(3):
            third = second
            second = third + n
        return first, second, third

    assert f(2) == f.py_func(2)
    typed = dump_function(f, "(int64,)")
    bound = re.findall(r'bind .* name="(\w+)"', typed)
    assert set(bound) == {"n", "first", "second", "third"}  # nothing reads _
    assert bound.count("first") == 3 and bound.count("second") >= 3


def profiled(program, directory, format):
    """What `program` prints when its functions are named for profilers."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "NUMJIT_PERF": format},
        cwd=directory,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_perf_map(tmp_path):
    program = "import os\n" + PROGRAM + 'print(open(f"/tmp/perf-{os.getpid()}.map").read())\n'
    program += 'os.unlink(f"/tmp/perf-{os.getpid()}.map")\n'
    printed = profiled(program, tmp_path, "1")
    rows = re.findall(r"^([0-9a-f]+) ([0-9a-f]+) numjit::(.+)$", printed, re.MULTILINE)
    assert rows and all(int(start, 16) and int(size, 16) for start, size, _ in rows)
    assert "sums" in [name for _, _, name in rows]


def dumped_functions(path, lines=None):
    """Names and machine code in a jitdump; `lines` gets [(file, line)] by name."""
    data = path.read_bytes()
    magic, version, header, machine, _, process = struct.unpack_from("<6I", data)
    assert (magic, version, machine) == (0x4A695444, 1, 62)
    assert path.name == f"jit-{process}.dump"
    found, at, own_lines = [], header, []
    while at < len(data):
        kind, size, time, place, count = struct.unpack_from("<IIQQQ", data, at)
        if kind == 2:
            own_lines = dumped_lines(data[at + 32 : at + size])
            assert len(own_lines) == count and time
            at += size
            continue
        _, _, _, owner, _, address, start, length, number = struct.unpack_from(
            "<IIQIIQQQQ", data, at
        )
        assert (kind, owner, number) == (0, process, len(found)) and time and address == start
        name, code = data[at + 56 : at + size].split(b"\0", 1)
        assert len(code) == length > 0
        addresses = [each for each, _, _ in own_lines]
        assert addresses == sorted(addresses)
        assert all(start <= each < start + length for each in addresses)
        found.append((name.decode(), code))
        if lines is not None:
            lines[name.decode()] = [row for _, *row in own_lines]
        own_lines = []
        at += size
    return found


def dumped_lines(data):
    """[(address, file, line)] of a record of lines."""
    found, at = [], 0
    while at < len(data):
        address, line, _ = struct.unpack_from("<QII", data, at)
        name, _ = data[at + 16 :].split(b"\0", 1)
        found.append((address, name.decode(), line))
        at += 16 + len(name) + 1
    return found


def test_jitdump(tmp_path):
    profiled(PROGRAM, tmp_path, "dump")
    (path,) = tmp_path.glob("jit-*.dump")
    assert "numjit::sums" in [name for name, _ in dumped_functions(path)]


@pytest.mark.parametrize("options", ["", "(debug=True)", "(cache=True)"])
def test_lines_in_a_jitdump(tmp_path, options):
    """Those of the function, of one that is inlined, and of one in another file."""
    (tmp_path / "other.py").write_text(
        "from numjit import njit\n\n\n@njit\ndef cube(x):\n    return x * x * x\n"
    )
    program = tmp_path / "program.py"
    program.write_text(
        "from numjit import njit\n"
        "from other import cube\n\n\n"
        f"@njit{options}\n"
        "def sums(n):\n"
        "    total = 0.0\n"
        "    for i in range(n):\n"
        "        total += cube(i) / 3\n"
        "    return total\n\n\n"
        "print(sums(3))\n"
    )
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    environment["NUMJIT_CACHE_DIR"] = str(tmp_path / "cache")
    for dumps in ("", "dump", "dump"):  # the last takes what the second left in the cache
        for path in tmp_path.glob("jit-*.dump"):
            path.unlink()
        subprocess.run(
            [sys.executable, str(program)],
            env={**environment, "NUMJIT_PERF": dumps},
            cwd=tmp_path,
            check=True,
        )
    (path,) = tmp_path.glob("jit-*.dump")
    lines = {}
    dumped_functions(path, lines)
    found = {tuple(row) for row in lines["numjit::sums"]}
    assert (str(program), 9) in found
    everywhere = {tuple(row) for rows in lines.values() for row in rows}
    assert (str(tmp_path / "other.py"), 6) in everywhere


def test_jitdump_of_threads_and_forks(tmp_path):
    """Each process has a file of its own, and functions of many threads do not mix in it."""
    profiled(
        """if True:
            import os, threading
            from numjit import njit

            def make(k):
                @njit
                def f(x):
                    return x + k
                return f

            def work(k):
                assert make(k)(1) == 1 + k

            def many(first):
                numbers = range(first, first + 16)
                threads = [threading.Thread(target=work, args=(k,)) for k in numbers]
                for thread in threads: thread.start()
                for thread in threads: thread.join()

            many(0)
            if not (child := os.fork()):
                many(100)
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
        """,
        tmp_path,
        "dump",
    )
    files = [dumped_functions(path) for path in tmp_path.glob("jit-*.dump")]
    assert [sum(name.endswith(".f") for name, _ in rows) for rows in files] == [16, 16]


def test_perf_reads_the_dump(tmp_path):
    perf = shutil.which("perf")
    if not perf:
        pytest.skip("perf is not installed")
    (tmp_path / "busy.py").write_text(BUSY)
    recorded = subprocess.run(
        [
            perf,
            "record",
            "-q",
            "-e",
            "cpu-clock",
            "-k",
            "1",
            "-o",
            "perf.data",
            sys.executable,
            "busy.py",
        ],
        env={**os.environ, "NUMJIT_PERF": "dump"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    if recorded.returncode != 0 and "perf_event" in recorded.stderr:
        pytest.skip("this machine does not let perf record")
    assert recorded.returncode == 0, recorded.stderr
    printed = ""
    for command in (
        "perf inject --jit -i perf.data -o perf.jit.data",
        "perf report -i perf.jit.data --stdio --stdio-color never",
        "perf annotate -i perf.jit.data --stdio --stdio-color never -s numjit::steps",
    ):
        done = subprocess.run(
            command.split(), cwd=tmp_path, capture_output=True, text=True, check=True
        )
        printed += done.stdout
    assert re.search(r"[1-9]\d?\.\d+%.* numjit::steps", printed)
    if shutil.which("objdump"):
        assert re.search(
            r"10 +total \+= 1", printed
        )  # a line of the source, above its instructions
