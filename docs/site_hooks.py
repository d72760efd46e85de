"""What mkdocs does beside turning the pages of docs/ into a site: the gallery, links to sources.

The gallery is made of examples/: what each says of itself, its source, and the picture and the
times that `examples/run_demo.py` left in build/demo.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[1]
DEMO = ROOT / "build" / "demo"
#: Modules that the examples share.
HELPERS = "convolution_data data demo engines pictures run_demo table timing".split()

HEAD = """\
# Gallery

The programs of `examples/`, as `make demo` runs, checks and times them. `~` marks times of the
interpreter that were measured on a smaller input and scaled up; `first` is the first call of a
function, with its compilation.
"""


GPU_HEAD = """\
## On a GPU

The programs of `examples/cuda/` run on a GPU, and without one in the simulator. Each checks its
results against NumPy.
"""


def on_files(files, config):
    files.append(File.generated(config, "gallery.md", content=gallery()))
    for picture in sorted(DEMO.glob("*.png")):
        files.append(
            File.generated(config, f"gallery/{picture.name}", content=picture.read_bytes())
        )
    return files


def on_page_content(html, **of_page):
    """In a cell of a table, code has `|` behind a backslash, which GitHub drops."""
    return re.sub(r"<code>[^<]*</code>", lambda code: code[0].replace(r"\|", "|"), html)


def gallery() -> str:
    parts = [HEAD]
    times = DEMO / "times.txt"
    if times.exists():
        parts.append("```text\n" + times.read_text().split("\n\n")[0].rstrip() + "\n```\n")
    if (DEMO / "times.png").exists():
        parts.append("![Times of the programs](gallery/times.png)\n")
    for path in sorted((ROOT / "examples").glob("*.py")):
        if path.stem not in HELPERS:
            parts.append(section(path))
    parts.append(GPU_HEAD)
    for path in sorted((ROOT / "examples" / "cuda").glob("*.py")):
        parts.append(section(path, "###"))
    return "\n".join(parts)


def section(path: Path, heading: str = "##") -> str:
    source = path.read_text()
    about = ast.get_docstring(ast.parse(source)) or ""
    program = source.split('"""', 2)[2].strip() if source.startswith('"""') else source
    # Lines of commands in a docstring are indented: they become blocks.
    text = [f"{heading} {path.stem.replace('_', ' ').capitalize()}\n", about + "\n"]
    for picture in sorted(DEMO.glob(f"{path.stem}*.png")):
        text.append(f"![{path.stem}](gallery/{picture.name})\n")
    text.append(f'??? example "{path.relative_to(ROOT)}"\n')
    text.append("    ```python\n" + re.sub(r"^", "    ", program, flags=re.M) + "\n    ```\n")
    return "\n".join(text)


def on_page_markdown(markdown, page, config, files):
    """Links out of docs/ lead to files of the source tree, which the site does not have."""
    return re.sub(r"\[([^\]]*)\]\(\.\./[^)]*\)", r"\1", markdown)
