"""Drawings in SVG, for pages that need no network and no script."""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple


class Frame(NamedTuple):
    """A drawing and the margins around what is drawn, in units that a page shows as pixels."""

    width: int
    height: int
    left: int = 64
    right: int = 12
    top: int = 14
    bottom: int = 34

    @property
    def inner_width(self) -> int:
        """Units between the margins."""
        return self.width - self.left - self.right

    def drawn(self, label: str, parts: Iterable[str]) -> str:
        """Return the drawing of some parts, with what it shows in words."""
        box = f'viewBox="0 0 {self.width} {self.height}"'
        head = f'<svg {box} role="img" aria-label="{html.escape(label.lower())}">'
        return "".join([head, *parts, "</svg>"])

    def line_at(self, y: float, text: str) -> list[str]:
        """Return a line of the grid and what it is for."""
        ends = f'x1="{self.left}" x2="{self.width - self.right}" y1="{y:.1f}" y2="{y:.1f}"'
        return [
            f'<line class="grid" {ends}/>',
            f'<text x="{self.left - 6}" y="{y + 4:.1f}" text-anchor="end">{text}</text>',
        ]

    def below(self, x: float, text: str, anchor: str = "middle") -> str:
        """Return a mark of the horizontal axis."""
        return f'<text x="{x:.1f}" y="{self.height - 12}" text-anchor="{anchor}">{text}</text>'


#: On a desktop, and on a telephone, where the same drawing would be a strip of 100 pixels.
WIDE, NARROW = Frame(720, 340), Frame(345, 300, left=48, right=8)


def both(draw: Callable[[Frame], str], frames: tuple[Frame, Frame] = (WIDE, NARROW)) -> str:
    """Return a drawing for wide screens and one for narrow ones; a page shows one of them."""
    wide, narrow = map(draw, frames)
    return f'<div class="wide">{wide}</div><div class="narrow">{narrow}</div>'


class Plane:
    """Where numbers are in a frame: the first to the right, the second upwards.

    across, up: the numbers at the edges; a second number beyond them lies on its edge.
    logarithmic: whether the second scale is.
    """

    def __init__(
        self,
        frame: Frame,
        across: tuple[float, float],
        up: tuple[float, float],
        *,
        logarithmic: bool = False,
    ) -> None:
        self.frame, self.logarithmic = frame, logarithmic
        (self.first, self.last), (self.low, self.high) = across, up

    def x(self, value: Any) -> float:
        """Return where a number is on the horizontal axis."""
        part = (float(value) - self.first) / (self.last - self.first)
        return self.frame.left + self.frame.inner_width * part

    def y(self, value: Any) -> float:
        """Return where a number is on the vertical axis."""
        held, low, high = min(max(float(value), self.low), self.high), self.low, self.high
        if self.logarithmic:
            held, low, high = math.log(held), math.log(low), math.log(high)
        frame = self.frame
        tall = frame.height - frame.bottom - frame.top
        return frame.height - frame.bottom - tall * (held - low) / (high - low)

    def places(self, across: Iterable[Any], up: Iterable[Any]) -> list[tuple[float, float]]:
        """Return where points are."""
        return [(self.x(a), self.y(b)) for a, b in zip(across, up, strict=True)]

    def line(self, look: str, across: Iterable[Any], up: Iterable[Any]) -> str:
        """Return a line through points; `look` is its attributes."""
        return f'<polyline {look} points="{points(self.places(across, up))}"/>'

    def area(self, look: str, across: Any, low: Any, high: Any) -> str:
        """Return the area between two lines."""
        ring = self.places(across, low) + self.places(across, high)[::-1]
        return f'<polygon {look} points="{points(ring)}"/>'

    def lines(self, values: Iterable[float], *, percent: bool) -> list[str]:
        """Return the lines of the grid with their numbers."""
        return [
            part
            for value in values
            for part in self.frame.line_at(
                self.y(value), f"{100 * value:g} %" if percent else f"{value:g}"
            )
        ]


def points(places: Sequence[tuple[float, float]]) -> str:
    """Return places as an attribute of a line has them."""
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in places)


def legend(items: Iterable[tuple[str, str]]) -> str:
    """Return a list of what is drawn: attributes of an item, such as its class, and its name."""
    listed = "".join(f"<li {look}>{html.escape(said)}</li>" for look, said in items)
    return f'<ul class="legend">{listed}</ul>'


def row_marks(rows: int, width: int = 640) -> list[int]:
    """Return 0 and the last row, and round numbers between them that leave both room."""
    most = max(3, width // 120)  # marks, each with room for a number
    decade = 10 ** (len(str(max(rows // most, 1))) - 1)
    steps = (n * decade for n in (1, 2, 5, 10))
    step = next((step for step in steps if step * most >= rows), 10 * decade)
    return [0, *(row for row in range(step, rows, step) if rows - row > 0.6 * step), rows]


def ticks(low: float, high: float) -> list[float]:
    """Return round numbers between two, a few to a decade."""
    exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = (1.0, 2.0, 5.0) if len(exponents) < 5 else (1.0,)
    ticks = [step * 10.0**exponent for exponent in exponents for step in steps]
    return [tick for tick in ticks if low <= tick <= high]


def round_numbers(low: float, high: float, most: int) -> list[float]:
    """Return multiples of a round number from ``low`` to ``high``, at most ``most`` + 1."""
    raw = (high - low) / most
    decade = 10.0 ** math.floor(math.log10(raw))
    step = next(n * decade for n in (1, 2, 5, 10) if n * decade >= raw * (1.0 - 1e-12))
    first = math.ceil(low / step - 1e-9)
    return [round(n * step, 12) for n in range(first, math.floor(high / step + 1e-9) + 1)]
