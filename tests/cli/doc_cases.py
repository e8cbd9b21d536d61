"""The scenes that the documentation shows: every YAML block is one that firn takes."""
import glob
import html.parser
import os
import re

from harness import case

BLOCK = re.compile(r"^```yaml\n(.*?)^```", re.M | re.S)
MATTER = re.compile(r"^(bodies|grains|mpm|field|wind|pbd|phase):", re.M)
SOMETHING = """
bodies: {floor: {shape: plane}}
mpm: {cell: 10 cm, snow: {ball: {shape: {sphere: {radius: 30 cm}}, at: [0, 50 cm, 0]}}}
"""


def pages(root):
    found = [os.path.join(root, "README.md")]
    for pattern in ("docs/*.md", "src/*/README.md"):
        found += sorted(glob.glob(os.path.join(root, pattern)))
    return [page for page in found if not page.endswith("scene-reference.md")]


def blocks(page):
    """The line and the text of each block. One that shows a part of a scene gets what every scene has: a first line, and something."""
    with open(page, encoding="utf-8") as file:
        text = file.read()
    for match in BLOCK.finditer(text):
        scene = match.group(1)
        if not re.search(r"^firn: 1\b", scene, re.M):
            scene = "firn: 1\n" + scene + ("" if MATTER.search(scene) else SOMETHING)
        yield text.count("\n", 0, match.start()) + 2, scene


@case
def scenes_in_the_documentation_pass_check(firn):
    seen = 0
    for page in pages(firn.root):
        for line, scene in blocks(page):
            if "snow_from:" in scene:  # names the folder of a run
                continue
            seen += 1
            result = firn("check", firn.write("scene.yaml", scene))
            where = f"{os.path.relpath(page, firn.root)}:{line}"
            assert result.code == 0, f"{where}: {result}"
            assert "warning" not in result.err, f"{where}: {result}"
    assert seen >= 10, f"only {seen} scenes found"


@case
def pages_of_models_begin_with_a_scene(firn):
    for model in ("mpm", "field", "wind", "pbd", "phase", "bodies", "grains"):
        page = os.path.join(firn.root, "docs", model + ".md")
        first = next(blocks(page), None)
        assert first and "firn: 1\nname:" in first[1], f"docs/{model}.md begins with no whole scene"
        assert first[0] < 25, f"docs/{model}.md: its first scene begins at line {first[0]}"


class Page(html.parser.HTMLParser):
    """Pictures and commands of a page; every element that needs an end must have it."""

    def __init__(self, text):
        super().__init__()
        self.open, self.pictures, self.commands = [], [], []
        self.feed(text)
        assert self.open == [], self.open

    def handle_starttag(self, tag, attrs):
        if tag == "img":
            self.pictures.append(dict(attrs)["src"])
        if tag not in ("img", "meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (tag, self.open)
        self.open.pop()

    def handle_data(self, data):
        if "pre" in self.open:
            self.commands += data.splitlines()


@case
def gallery_shows_the_same_in_text_and_in_a_browser(firn):
    docs = os.path.join(firn.root, "docs")
    with open(os.path.join(docs, "gallery.html"), encoding="utf-8") as file:
        page = Page(file.read())
    with open(os.path.join(docs, "gallery.md"), encoding="utf-8") as file:
        text = file.read()
    assert page.pictures == re.findall(r"^!\[.*\]\((.*)\)$", text, re.M) and len(page.pictures) >= 8
    assert page.commands == [line for line in text.splitlines() if line.startswith("firn ")]
    for picture in page.pictures:
        with open(os.path.join(docs, picture), "rb") as file:
            assert file.read(8) == b"\x89PNG\r\n\x1a\n", picture
