"""Whether the built pages hold every public name, and whether what they link to is there.

``python docs/check.py FOLDER`` prints what is wrong and ends with 1 if anything is.
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from sphinx.util.inventory import InventoryFile

import edgeolk
import edgeolk.river
import edgeolk.sklearn


class Page(HTMLParser):
    """Links and anchors of one page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Called for each element."""
        for name, value in attrs:
            if value and (name == "id" or (tag == "a" and name == "name")):
                self.anchors.add(value)
            elif value and name in ("href", "src"):
                self.links.append(value)


def broken_links(folder: Path) -> list[str]:
    """Local links of pages that lead nowhere; other sites are not asked."""
    pages = {path.resolve(): Page(path) for path in folder.rglob("*.html")}
    found = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            there = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            anchor = unquote(parts.fragment)
            lost = not there.exists()
            if not lost and anchor and there in pages:
                lost = anchor not in pages[there].anchors
            if lost:
                found.append(f"{path.name}: {link} leads nowhere")
    return found


def missing_names(folder: Path) -> list[str]:
    """Public names without an entry."""
    inventory = InventoryFile.loads((folder / "objects.inv").read_bytes(), uri="")
    known = {name for entries in inventory.data.values() for name in entries}
    return [
        f"{module.__name__}.{name} is in no page"
        for module in (edgeolk, edgeolk.sklearn, edgeolk.river)
        for name in module.__all__
        if f"{module.__name__}.{name}" not in known
    ]


if __name__ == "__main__":
    built = Path(sys.argv[1])
    wrong = [*missing_names(built), *broken_links(built)]
    print("\n".join(wrong) or f"{built}: every public name is there, no local link is broken")
    sys.exit(bool(wrong))
