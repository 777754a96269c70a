"""The frame of a page that stands alone: one file, no script, nothing from a network."""

from __future__ import annotations

from collections.abc import Iterable


def document(title: str, style: str, body: Iterable[str]) -> str:
    """Return the page of parts that are HTML already, title included."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "style-src 'unsafe-inline'; img-src data:\">"
        '<link rel="icon" href="data:,">'
        f"<title>{title}</title><style>{style}</style></head><body>"
        + "\n".join(body)
        + "\n</body></html>\n"
    )
