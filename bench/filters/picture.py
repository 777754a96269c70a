"""One picture: steady error against bytes and against time, series beside series."""

from __future__ import annotations

from pathlib import Path

from bench.drawing import figure_of, save
from bench.filters.profile import SIZES, Profile
from bench.filters.series import SERIES
from bench.filters.subjects import SUBJECTS
from edgeolk import parse_bytes

#: Shades of each family, in the order of its methods.
SHADES = {
    "gradient": ("#B5B5B5", "#8C8C8C", "#666666", "#3D3D3D"),
    "least squares": ("#9ECAE1", "#4292C6", "#08519C"),
    "process": ("#D55E00", "#F0A030"),
    "untuned": ("#CC79A7",),
    "sorf": ("#009E73", "#004D38"),
}
MARKERS = "osv^"


def _styles() -> dict[str, tuple[str, str]]:
    """Colour and marker by method."""
    styles = {}
    for family, shades in SHADES.items():
        methods = [name for name, subject in SUBJECTS.items() if subject.family == family]
        for method, shade, marker in zip(methods, shades, MARKERS, strict=False):
            styles[method] = (shade, marker)
    return styles


def draw(found: Profile, path: Path) -> Path:
    """Write the picture."""
    figure, axes = figure_of(2, len(found), (4.2 * len(found), 7.4))
    styles = _styles()
    for column, (name, methods) in enumerate(found.items()):
        above, below = axes[column], axes[column + len(found)]
        for method, sizes in methods.items():
            colour, marker = styles[method]
            points = list(sizes.values())
            errors = [one.error for one in points]
            line = {"color": colour, "marker": marker, "ms": 4, "lw": 1.4, "label": method}
            above.plot([one.nbytes for one in points], errors, **line)
            below.plot([one.microseconds for one in points], errors, **line)
        above.set_title(SERIES[name])
        above.set_xscale("log", base=2)
        ticks = {parse_bytes(ram): ram.replace("KiB", "") for ram in SIZES}
        above.set_xticks(list(ticks), list(ticks.values()))
        above.set_xlabel("KiB")
        below.set_xscale("log")
        below.set_xlabel("microseconds per row")
        for axis in (above, below):
            # Answers that diverged are above the picture.
            axis.set_ylim(top=min(3.0, axis.get_ylim()[1]))
        if column == 0:
            above.set_ylabel("steady error, dB")
            below.set_ylabel("steady error, dB")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=6, frameon=False, fontsize=9)
    save(figure, path, colours=64)
    return path
