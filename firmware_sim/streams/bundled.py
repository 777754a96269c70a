"""Streams bundled with the package; ``data/README.md`` names their sources."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class BundledStream:
    """A bundled stream and how to read it."""

    name: str
    file: str
    target: str
    ignore: tuple[str, ...]
    about: str
    #: The required kind of labels; "" if two classes are possible.
    kind: str = ""

    @property
    def path(self) -> Path:
        """Return the path of the file."""
        return Path(__file__).parent.parent / "data" / self.file


BUNDLED = {
    stream.name: stream
    for stream in (
        BundledStream(
            name="occupancy",
            file="occupancy.csv.xz",
            target="occupied",
            ignore=("datetime",),
            about="an office room, 5 sensors a minute: is anybody in? (UCI, CC BY 4.0)",
        ),
        BundledStream(
            name="robot",
            file="robot.csv.xz",
            target="forward",
            ignore=("move",),
            about="24 ultrasound sensors of a robot along a wall: does it go on? --target move "
            "--kind multiclass: which of four moves? (UCI, CC BY 4.0)",
        ),
        BundledStream(
            name="house",
            file="house.csv.xz",
            target="temperature_comedor_sensor",
            ignore=("temperature_habitacion_sensor",),
            about="a house and its weather, every 15 minutes: how warm is the dining room? "
            "--kind regression (UCI, CC BY 4.0)",
            kind="regression",
        ),
        BundledStream(
            name="office",
            file="office.csv.xz",
            target="anomaly",
            ignore=("point",),
            about="an office's temperature, hourly, with two failures: is this one? "
            "Without labels: --kind novelty (NAB, MIT)",
        ),
    )
}
