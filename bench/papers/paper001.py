"""Ahpatron, AAAI 2024: average mistake rates of seven methods on four data sets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from bench.papers.setting import Grid, Row, Setting, Tuning

ETAS = (0.05, 0.1, 0.2, 0.45, 1.0, 2.0)
#: sigma 4 to 1/4.
WIDTHS = (1 / 32, 1 / 8, 1 / 2, 2.0, 8.0)
RADII = (0.25, 0.5, 1.0, 2.0)
DISTANCES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
SPAN_ROOM = 4_000


@dataclass(frozen=True)
class Case:
    """A data set of table 2 with its printed figures, (AMR, support vectors) for the last two."""

    data: str
    budget: int
    width: float
    prefix: int
    figures: dict[str, float]
    plus: tuple[float, int]
    plain: tuple[float, int]
    cost: float
    most: int = 10
    #: Widths: chosen on a prefix (True), the paper's (False).
    readings: tuple[bool, ...] = (True, False)
    why: Mapping[str, str] = field(default_factory=dict)
    deviations: Mapping[str, float] = field(default_factory=dict)


_A9A_DEVIATIONS = {"Ahpatron": 0.06, "POMDR": 0.15, "Projectron": 0.17, "Projectron++": 0.07}
_NARROW = (
    "the rank 0.2 B = 120 is too small for the narrow kernel that Ahpatron chooses: with k 300 and"
    " 600 seed 0 gives 3.92 and 2.63, and at sigma 1, next table, k 120 is enough"
)
CASES = (
    Case(
        *("a9a", 150, 1 / 8, 12_000),
        {"Ahpatron": 16.42, "POMDR": 17.09, "NOGD": 16.56, "FOGD": 16.69, "BOGD++": 19.91},
        *((16.45, 152), (21.13, 135), 1.0),
        deviations=_A9A_DEVIATIONS,
    ),
    Case(
        *("phishing", 400, 1 / 2, 6_000),
        {"Ahpatron": 7.27, "POMDR": 7.36, "NOGD": 8.12, "FOGD": 7.48, "BOGD++": 10.30},
        *((7.42, 571), (9.52, 422), 1.0),
    ),
    Case(
        *("w8a", 300, 1 / 8, 15_000),
        {"Ahpatron": 2.23, "POMDR": 2.59, "NOGD": 2.69, "FOGD": 4.18, "BOGD++": 2.76},
        *((2.03, 1279), (2.90, 306), 3.0),
        readings=(True,),
    ),
    Case(
        *("ijcnn1", 600, 1 / 2, 20_000),
        {"Ahpatron": 3.72, "POMDR": 5.76, "NOGD": 4.47, "FOGD": 3.74, "BOGD++": 9.21},
        *((3.01, 1577), (4.14, 1136), 10.0, 5),
        why={"NOGD": _NARROW},
    ),
)
LARGER = (("ijcnn1", 1570, 3.14), ("w8a", 500, 1.93))
GRIDS: dict[str, Grid] = {
    "Ahpatron": {"U/sqrtB": RADII},
    "POMDR": {"U": (12.5, 25.0, 50.0, 100.0)},
    "NOGD": {"eta": ETAS},
    "FOGD": {"eta": ETAS},
    "BOGD++": {"eta": ETAS, "gamma": (1.0, 4.0, 16.0)},
}


def _title(case: Case, chosen: bool) -> str:
    how = "width chosen on a prefix" if chosen else f"sigma {(0.5 / case.width) ** 0.5:g}"
    return f"001 T2: {case.data}, mistakes %, {how}"


def _case(case: Case, chosen: bool) -> tuple[list[Tuning], list[Row]]:
    """Tunings and rows of one data set, at the width that a prefix chooses or at the paper's."""
    table = _title(case, chosen)
    stem = f"001 {case.data} {'chosen' if chosen else 'fixed'}"
    width = () if not chosen else (f"{stem} Ahpatron:width",)
    base = Setting("", case.data, case.budget, None if chosen else case.width)
    tunings, rows = [], []
    row = partial(Row, table, measure="error", second=not chosen)
    for method, figure in case.figures.items():
        setting = replace(base, algorithm=method.lower())
        if method == "FOGD":
            setting = replace(setting, budget=2 * case.budget)
        grid, after = GRIDS[method], width
        if method == "Ahpatron" and chosen:
            grid, after = {"width": WIDTHS, **grid}, ()
        name = f"{stem} {method}"
        tunings.append(Tuning(name, replace(setting, rows=case.prefix), grid, after))
        printed, why = case.deviations.get(method), case.why.get(method, "")
        tuned = (*after, name)
        figures = partial(row, published=figure, deviation=printed)
        rows.append(figures(method, setting, tuned=tuned, why=why, cost=case.cost / 3))
    span = f"{stem} span"
    plain = replace(base, algorithm="projectron", budget=SPAN_ROOM)
    capped = replace(plain, budget=2 * case.plain[1])
    tunings.append(Tuning(span, capped, {"eta": DISTANCES}, width, support=case.plain[1]))
    loose = replace(plain, algorithm="projectron++", params={"rule": "loose"})
    row = partial(row, tuned=(*width, span), cost=case.cost, most=case.most)
    for method, setting, (figure, support) in (
        ("Projectron++", loose, case.plus),
        ("Projectron", plain, case.plain),
    ):
        figures = partial(row, published=figure, deviation=case.deviations.get(method))
        rows.append(figures(method, setting, published_support=support))
    return tunings, rows


def _all() -> tuple[tuple[Tuning, ...], tuple[Row, ...]]:
    tunings: list[Tuning] = []
    rows: list[Row] = []
    for case in CASES:
        for chosen in case.readings:
            more_tunings, more_rows = _case(case, chosen)
            tunings += more_tunings
            rows += more_rows
    for data, budget, figure in LARGER:
        table, tuned = f"001 T5: {data}, mistakes %, larger budget", f"001 {data} chosen Ahpatron"
        setting = Setting("ahpatron", data, budget)
        rows.append(Row(table, "Ahpatron", setting, "error", figure, tuned=(tuned,), cost=2.0))
    return tuple(tunings), tuple(rows)


TUNINGS, ROWS = _all()
_SPAN_NOTE = (
    "eta of both Projectrons is the one of 0.1, 0.2, ... 0.9 that brings Projectron nearest to the"
    " published number of vectors on another permutation; Projectron++ is the rule of the paper's"
    " program, a full step at every margin error. FOGD has D = 2 B frequencies, the ratio printed"
    " for a9a. U, eta and gamma are chosen on a prefix of another permutation."
)
_CHOSEN = (
    "The paper does not print its widths: Ahpatron chooses width and U on {rows:,} rows of another"
    " permutation, and the width holds for all methods. "
)
_FIXED = (
    "The same figures at the sigma among 1, 2, 4 and 8 where most of ours are the paper's, numbers"
    " of vectors included: a width chosen by the published figures, so not counted. "
)
NOTES = {
    _title(case, chosen): (_CHOSEN.format(rows=case.prefix) if chosen else _FIXED) + _SPAN_NOTE
    for case in CASES
    for chosen in case.readings
}
