"""The Python programs in README.md and docs/ run as they stand there."""

import os
import pathlib
import re
import runpy
import subprocess
import sys

import pytest

os.environ.setdefault("NUMJIT_CUDA_SIMULATOR", "1")  # kernels of the pages run without a GPU
ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# Its program needs the operation that the page tells how to add.
LEFT_OUT = {"add-a-scalar-operation.md"}
FOLDERS = "frontend typeinfer codegen runtime pyext tests examples docs .ci".split()


def blocks(path):
    return BLOCK.findall(path.read_text())


def programs():
    """Blocks that import numjit are whole programs; others are parts of one."""
    found = []
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        if path.name not in LEFT_OUT:
            whole = [text for text in blocks(path) if "from numjit import" in text]
            for number, text in enumerate(whole, 1):
                found.append(pytest.param(path, text, id=f"{path.stem}-{number}"))
    return found


@pytest.mark.parametrize("path, text", programs())
def test_program(path, text, tmp_path):
    if path.name == "extending-with-llvm.md":
        pytest.importorskip("llvmlite", reason="its callbacks write IR with llvmlite")
    # A file: object mode and error messages read the source.
    file = tmp_path / "program.py"
    file.write_text(text)
    if path.name != "add-a-numpy-function.md":
        runpy.run_path(str(file))
        return
    # In a process of its own: what it adds to the library would stay for other tests.
    added = next(block for block in blocks(path) if "@function(" in block)
    file.write_text("from numjit.library.core.registry import function\n\n" + added + text)
    subprocess.run([sys.executable, file], check=True)


def test_links_lead_somewhere():
    for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        text = re.sub(r"^```.*?^```$", "", path.read_text(), flags=re.MULTILINE | re.DOTALL)
        for target in re.findall(r"\]\(([^)#:]+)\)", text):
            made = target == "gallery.md"  # by `make docs`
            assert made or (path.parent / target).exists(), f"{path.name}: {target}"


def test_named_files_exist():
    """Pages name files by their path in the tree, or by their name alone."""
    known = {file.name for folder in FOLDERS for file in (ROOT / folder).rglob("*.*")}
    mentioned = re.compile(r"`((?:[\w.-]+/)*[\w-]+\.(?:cpp|h|def|py|md|inc))`")
    made_up = {"branches.cpp", "test_passes_branches.cpp", "program.py"}
    for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        for name in mentioned.findall(path.read_text()):
            assert name.rpartition("/")[2] in known | made_up, f"{path.name}: {name}"


def test_each_folder_has_a_row_and_says_what_it_holds():
    page = (ROOT / "docs" / "architecture.md").read_text()
    for stage in "frontend typeinfer codegen runtime pyext".split():
        sources = (
            path for path in (ROOT / stage).rglob("*") if path.suffix in (".cpp", ".def", ".py")
        )
        for folder in {path.parent for path in sources}:
            name = folder.relative_to(ROOT).as_posix()
            assert f"`{name}/`" in page, name
            readme, package = folder / "README.md", folder / "__init__.py"
            if readme.exists():
                assert readme.read_text().startswith(f"# {name}\n\n"), name
            else:
                assert package.read_text().startswith('"""'), name


def test_walks_lead_where_they_say():
    """Each walk through the source names at most 8 files, and what a step names is there."""
    page = (ROOT / "docs" / "architecture.md").read_text()
    walks = page.partition("## Five walks")[2].split("\n**")[1:]
    assert len(walks) == 5
    for walk in walks:
        folder, files = ROOT, set()
        for step in re.findall(r"^\d\. (.*(?:\n   .*)*)", walk, re.MULTILINE):
            texts = []
            for name in re.findall(r"`([\w/.]+\.(?:cpp|h|py))`", step):
                path = ROOT / name if "/" in name else folder / name
                folder = path.parent
                texts.append(path.read_text())
                files.add(path)
            for word in re.findall(r"`((?:\w+::)?[A-Za-z]\w+)`", step):
                assert any(word in text for text in texts), f"{word} of: {step}"
        assert 1 < len(files) <= 8, walk


def test_the_page_on_the_api_is_current():
    made = runpy.run_path(str(ROOT / "docs" / "make_api_page.py"))["page"]()
    assert (ROOT / "docs" / "api.md").read_text() == made, "run python docs/make_api_page.py"
