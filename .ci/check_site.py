"""Looks at every page of the site in a headless chromium, at two widths: a desk's, a telephone's.

python .ci/check_site.py SITE [PICTURES]

A page that is wider than its window is a fault. PICTURES gets a picture of the top of each page,
both widths side by side.
"""

import html
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

WIDTHS = {"desktop": 1280, "telephone": 390}
HEIGHT = 1400

# Frames of both widths, one page after the other.
MEASURE = """<!doctype html><meta charset="utf-8"><body><pre id="found"></pre><script>
const jobs = {jobs};
function next() {{
  if (!jobs.length) return;
  const [url, width] = jobs.shift();
  const frame = document.createElement("iframe");
  frame.style = "border:0;height:900px;width:" + width + "px";
  frame.onload = () => {{
    const taken = frame.contentDocument.documentElement.scrollWidth;
    document.getElementById("found").textContent += url + " " + width + " " + taken + "\\n";
    frame.remove();
    next();
  }};
  frame.src = url;
  document.body.append(frame);
}}
next();
</script>"""

FRAME = '<iframe src="{url}" style="border:0;width:{width}px;height:{height}px"></iframe>'


def browser() -> str:
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if path := shutil.which(name):
            return path
    sys.exit("chromium is missing: apt-get install chromium")


def run(chromium, folder, *arguments) -> str:
    command = [
        *(chromium, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"),
        *("--disable-web-security", "--allow-file-access-from-files"),
        *(f"--user-data-dir={folder}/profile", *arguments),
    ]
    return subprocess.run(command, capture_output=True, text=True, timeout=600).stdout


def widths(chromium, pages) -> dict[tuple[str, int], int]:
    """(page, width of the window) -> width that it takes."""
    jobs = [[page.resolve().as_uri(), width] for page in pages for width in WIDTHS.values()]
    with tempfile.TemporaryDirectory() as folder:
        around = pathlib.Path(folder) / "around.html"
        around.write_text(MEASURE.format(jobs=json.dumps(jobs)))
        text = run(
            *(chromium, folder, "--virtual-time-budget=600000", "--window-size=1400,1000"),
            *("--dump-dom", around.as_uri()),
        )
    found = re.findall(r"(file://\S+) (\d+) (\d+)$", text, re.M)
    return {(html.unescape(url), int(width)): int(taken) for url, width, taken in found}


def take_picture(chromium, page: pathlib.Path, picture: pathlib.Path) -> None:
    """The top of a page at both widths, side by side."""
    url = html.escape(page.resolve().as_uri())
    frames = [FRAME.format(url=url, width=width, height=HEIGHT) for width in WIDTHS.values()]
    with tempfile.TemporaryDirectory() as folder:
        around = pathlib.Path(folder) / "around.html"
        around.write_text(
            '<!doctype html><body style="margin:0;background:#888">' + "".join(frames)
        )
        run(
            *(chromium, folder, "--virtual-time-budget=5000"),
            f"--window-size={sum(WIDTHS.values()) + 10},{HEIGHT}",
            *(f"--screenshot={picture.resolve()}", around.as_uri()),
        )


def main() -> int:
    site = pathlib.Path(sys.argv[1])
    chromium, pages, faults = browser(), sorted(site.rglob("*.html")), []
    taken = widths(chromium, pages)
    for page in pages:
        for width in WIDTHS.values():
            found = taken.get((page.resolve().as_uri(), width))
            if found is None or found > width:
                faults.append(f"{page.relative_to(site)}: {found} pixels wide in {width}")
    for pictures in map(pathlib.Path, sys.argv[2:3]):
        pictures.mkdir(parents=True, exist_ok=True)
        for page in pages:
            take_picture(chromium, page, pictures / f"{page.stem}.png")
    print(*faults, f"{len(pages)} pages looked at, {len(faults)} faults", sep="\n")
    return 1 if faults or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
