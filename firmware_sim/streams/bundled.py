"""Streams that come with the package; see ``data/README.md`` for their origin."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class BundledStream:
    """One of them, and how it is read."""

    name: str
    file: str
    target: str
    ignore: tuple[str, ...]
    about: str

    @property
    def path(self) -> Path:
        """Return where the file is."""
        return Path(__file__).parent.parent / "data" / self.file


BUNDLED = {
    stream.name: stream
    for stream in (
        BundledStream(
            name="occupancy",
            file="occupancy.csv.gz",
            target="occupied",
            ignore=("datetime",),
            about="an office room, 5 sensors a minute: is anybody in? (UCI, CC BY 4.0)",
        ),
    )
}
