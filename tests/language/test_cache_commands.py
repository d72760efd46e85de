"""python -m numjit cache: list, prune, and a cache that is shipped beside a package's sources."""

import os
import subprocess
import sys
import textwrap
import time

import pytest
from numjit.cache_commands import size_of

pytestmark = pytest.mark.one_python

MODULE = """
from numjit import njit


@njit(cache=True)
def half(x):
    return x / 2


@njit("float64(float64)", cache=True)
def third(x):
    return x / 3


@njit
def not_kept(x):
    return x


def hits(function):
    return sum(function.stats.cache_hits.values())
"""


def python(*arguments, folder, **variables):
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, "NUMJIT_CACHE_DIR": str(folder / "cache"), **variables},
        capture_output=True,
        text=True,
        timeout=120,
    )


def cache(*arguments, folder):
    done = python("-m", "numjit", "cache", *arguments, folder=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.fixture
def package(tmp_path):
    (tmp_path / "shipped").mkdir()
    (tmp_path / "shipped" / "__init__.py").write_text("from shipped.parts import half, third\n")
    (tmp_path / "shipped" / "parts.py").write_text(MODULE)
    (tmp_path / "shipped" / "__main__.py").write_text("raise SystemExit('must not be run')\n")
    return tmp_path


def test_list(package):
    assert cache("list", folder=package) == ["0 entries, 0 bytes"]
    for call in ("half(1.0)", "half(1)"):
        done = python("-c", f"import shipped; shipped.{call}", folder=package)
        assert done.returncode == 0, done.stderr
    *lines, total = cache("list", folder=package)
    named = sorted(line.split(" d ")[1].split()[0] for line in lines)
    assert [name.partition(":")[0] for name in named] == ["half", "half", "third"]
    sizes = [int(line.split()[0]) for line in lines]
    assert total == f"3 entries, {sum(sizes)} bytes"
    assert sum(sizes) == sum(each.stat().st_size for each in package.glob("cache/**/*.njc"))
    assert cache("list", "nowhere", folder=package) == ["0 entries, 0 bytes"]
    assert cache("list", "cache", "nowhere", folder=package)[-1] == total


def test_prune(package):
    python("-c", "import shipped; shipped.half(1.0); shipped.half(1)", folder=package)
    old, middle, new = sorted(package.glob("cache/**/*.njc"))
    beside = old.with_name("notes.txt")
    beside.write_text("not an entry")
    now = time.time()
    os.utime(old, (now - 20 * 86400,) * 2)
    os.utime(middle, (now - 5 * 86400,) * 2)
    left = new.stat().st_size + middle.stat().st_size

    done = python("-m", "numjit", "cache", "prune", folder=package)
    assert done.returncode == 2 and "--bytes, --days or --all" in done.stderr
    assert old.exists()

    gone = old.stat().st_size
    (line,) = cache("prune", "--days", "10", folder=package)
    assert line == f"removed 1 entries, {gone} bytes; {left} bytes are kept"
    assert not old.exists() and middle.exists() and new.exists()

    cache("prune", "--bytes", str(left - 1), folder=package)
    assert not middle.exists() and new.exists()
    cache("prune", "--all", folder=package)
    assert not new.exists() and beside.exists()


@pytest.mark.parametrize(
    "text, size", [("300", 300), ("20k", 20 << 10), ("500M", 500 << 20), ("2GB", 2 << 30)]
)
def test_sizes(text, size):
    assert size_of(text) == size


@pytest.mark.parametrize("text", ["", "M", "-1", "1.5G", "10T"])
def test_what_is_no_size(text, tmp_path):
    done = python("-m", "numjit", "cache", "prune", f"--bytes={text}", folder=tmp_path)
    assert done.returncode == 2 and "argument --bytes: invalid" in done.stderr


USE = """
    import shipped
    from shipped.parts import hits
    assert shipped.half(3.0) == 1.5 and shipped.third(3.0) == 1.0
    print(hits(shipped.half), hits(shipped.third))
"""


def test_build(package):
    """The entries serve other processes, which write nothing."""
    program = package / "calls.py"
    program.write_text("import shipped\nif __name__ == '__main__':\n    shipped.half(1.0)\n")
    (line,) = cache("build", "shipped", "--run", "calls.py", folder=package)
    built = sorted(package.glob("shipped/**/*.njc"))
    size = sum(each.stat().st_size for each in built)
    assert line == f"2 entries, {size} bytes below {package / 'shipped'}"
    assert {each.parent.name for each in built} == {"__numjit_cache__"}

    done = python("-c", textwrap.dedent(USE), folder=package)
    assert (done.returncode, done.stdout) == (0, "1 1\n"), done.stderr
    assert not list(package.glob("cache/**/*.njc"))

    source = package / "shipped" / "parts.py"
    source.write_text(source.read_text().replace("x / 2", "x * 0.5 "))  # of the same length
    done = python("-c", textwrap.dedent(USE), folder=package)
    assert (done.returncode, done.stdout) == (0, "0 1\n"), done.stderr
    assert sorted(package.glob("shipped/**/*.njc")) == built


@pytest.mark.parametrize("name", ["there_is_none", "json.decoder"])
def test_build_of_what_is_no_package(name, tmp_path):
    done = python("-m", "numjit", "cache", "build", name, folder=tmp_path)
    assert (done.returncode, done.stderr) == (1, f"there is no package {name}\n")


def test_build_of_a_package_that_raises(tmp_path):
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "__init__.py").write_text("raise ValueError('at import')\n")
    done = python("-m", "numjit", "cache", "build", "broken", folder=tmp_path)
    assert done.returncode != 0 and "ValueError: at import" in done.stderr
