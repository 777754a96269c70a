"""The common style of the benchmarks' pictures. matplotlib is imported when something is drawn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

COLOURS = {"numpy": "#0072B2", "bare": "#D55E00"}


def figure_of(rows: int, columns: int, size: tuple[float, float]) -> tuple[Any, list[Any]]:
    """A figure and its axes, row by row."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    mpl.rcParams.update(
        {
            "font.size": 10.5,
            "axes.edgecolor": "#B8C0CA",
            "axes.titlesize": 11.5,
            "axes.titleweight": "bold",
            "axes.titlelocation": "left",
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.grid": True,
            "grid.color": "#E4E7EB",
            "axes.axisbelow": True,
        }
    )
    figure = Figure(figsize=size, facecolor="white", layout="constrained")
    FigureCanvasAgg(figure)
    return figure, list(figure.subplots(rows, columns, squeeze=False).flat)


def save(figure: Any, path: Path, colours: int = 0) -> None:
    """Write the picture; few colours make the file much smaller without a visible loss."""
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=130, metadata={"Software": None})
    if colours:
        from PIL import Image

        with Image.open(path) as picture:
            small = picture.convert("RGB").quantize(colours, dither=Image.Dither.NONE)
        small.save(path, optimize=True)
