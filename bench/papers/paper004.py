"""Wang & Vucetic, AISTATS 2010: test accuracy at budgets of 100 and 200."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bench.papers.setting import Grid, Row, Setting, Tuning

#: Catalogue name and fixed parameters of each method of the table.
METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    "BPA-S": ("bpa_s", {}),
    "BPA-S ramp": ("bpa_s", {"loss": "ramp"}),
    "BPA-NN": ("bpa_nn", {}),
    "BPA-NN ramp": ("bpa_nn", {"loss": "ramp"}),
    "BPA-P": ("bpa_p", {}),
    "BPA-P ramp": ("bpa_p", {"loss": "ramp"}),
    "Projectron++": ("projectron++", {"dtype": "float64"}),
    "Stoptron": ("stoptron", {}),
    "Random": ("rbp", {}),
    "Forgetron": ("forgetron", {}),
    "PA+Rnd": ("pa_rand", {}),
    "PA": ("pa1", {}),
    "PA ramp": ("pa1", {"loss": "ramp"}),
    "Perceptron": ("perceptron", {}),
}
UNBUDGETED = ("PA", "PA ramp", "Perceptron")
ROOM = 22_000
#: By data: title, rows to tune on, widths, C, figures at B 100 and 200 (one: no budget).
Figures = dict[str, tuple[float, ...]]
BOARD_WIDTHS = (2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
SAMPLES = 5
BOARD_C = (0.03, 0.1, 0.3, 1.0, 3.0)
TABLES: dict[str, tuple[str, int, tuple[float, ...], tuple[float, ...], Figures]] = {
    "checkerboard": (
        "checkerboard, 10,000 rows",
        9_000,
        BOARD_WIDTHS,
        BOARD_C,
        {
            "BPA-S": (90.0, 93.4),
            "BPA-NN": (94.0, 95.5),
            "BPA-P": (95.4, 95.9),
            "Projectron++": (95.4, 95.8),
            "Stoptron": (87.3, 92.8),
            "Random": (85.6, 90.3),
            "Forgetron": (86.1, 90.9),
            "PA+Rnd": (83.3, 87.0),
        },
    ),
    "ncheckerboard": (
        "checkerboard, 10,000 rows, 15 % of the labels flipped",
        9_000,
        BOARD_WIDTHS,
        BOARD_C,
        {
            "BPA-S": (87.4, 89.7),
            "BPA-S ramp": (88.2, 90.8),
            "BPA-NN": (90.2, 91.7),
            "BPA-NN ramp": (92.3, 93.3),
            "BPA-P": (91.7, 92.8),
            "BPA-P ramp": (94.1, 94.5),
        },
    ),
    "banana": (
        "banana, 4,300 rows",
        4_300,
        (0.25, 0.5, 1.0, 2.0, 4.0),
        BOARD_C,
        {
            "BPA-S": (89.4, 89.5),
            "BPA-NN": (89.6, 89.6),
            "BPA-P": (89.6, 89.7),
            "Projectron++": (89.5, 89.5),
            "PA": (89.1,),
            "Perceptron": (87.4,),
        },
    ),
    "adult21k": (
        "a9a, 21,000 train rows",
        9_000,
        (0.01, 0.03, 0.1),
        (0.03, 0.1, 0.3, 1.0, 3.0),
        {
            "BPA-S": (82.4, 82.7),
            "BPA-NN": (82.8, 83.1),
            "BPA-P": (83.0, 83.8),
            "BPA-P ramp": (84.0, 84.6),
            "PA": (83.6,),
        },
    ),
}
BUDGETS = (100, 200)
#: Methods whose ten samples are too few to tell, run on a hundred as well.
REPEATED = ("Random", "Forgetron")
REPEATS = 100
_FEW = "ten samples are few: at the same setting a hundred give the row below"
#: A coarser choice of width and C, which the paper's may have been.
COARSE: dict[str, Any] = {"width": 2.0, "C": 0.3}
COARSELY = ("BPA-NN", "BPA-P")


def title(data: str) -> str:
    """The section of a data set."""
    return f"004 T1: {TABLES[data][0]}, accuracy % on test rows"


def setting(data: str, method: str, budget: int) -> Setting:
    """One method of the table."""
    algorithm, params = METHODS[method]
    room = method in UNBUDGETED
    return Setting(
        algorithm, data, ROOM if room else budget, params=params, protocol="split", room=room
    )


def choice(data: str, method: str, budget: int) -> str:
    """Name of the tuning of width and C."""
    return f"004 {data} {method} {budget}"


def _all() -> tuple[tuple[Tuning, ...], tuple[Row, ...]]:
    tunings, rows = [], []
    for data, (_, held, widths, softness, figures) in TABLES.items():
        for method, printed in figures.items():
            for budget, figure in zip(BUDGETS, printed, strict=False):
                one = setting(data, method, budget)
                grid: Grid = {"width": widths}
                if one.algorithm in ("bpa_s", "bpa_nn", "bpa_p", "pa1", "pa_rand"):
                    grid = {**grid, "C": softness}
                name = choice(data, method, budget)
                tunings.append(Tuning(name, replace(one, rows=held), grid, samples=SAMPLES))
                cost = 3.0 if data == "adult21k" and one.room else 0.5
                few = data == "checkerboard" and method in REPEATED and budget == BUDGETS[0]
                row = Row(title(data), method, one, published=figure, tuned=(name,), cost=cost)
                rows.append(replace(row, why=_FEW if few else ""))
                if few:
                    label = f"{method}, {REPEATS} samples"
                    rows.append(replace(row, method=label, second=True, repeat=REPEATS))
                if "board" in data and method in COARSELY and budget == BUDGETS[0]:
                    wide = one.choosing(COARSE)
                    label = f"{method}, wide kernel"
                    rows.append(replace(row, method=label, setting=wide, second=True, tuned=()))
    return tuple(tunings), tuple(rows)


TUNINGS, ROWS = _all()
_CHOSEN = (
    "Width and C are chosen for each method and budget by training on two thirds of {rows:,}"
    " training rows of five other {samples} and scoring the rest."
)
_BOARD = (
    " Each repetition draws its own training rows and 10,000 test rows without noise."
    " Samples to tune on and widths beyond 16 were added after a first pass with one sample, whose"
    " choices were unstable. The paper's widths are not printed; the rows with a wide kernel show"
    " how much hangs on them."
)
_WIDE_STORAGE = (
    " Projectron++ keeps its vectors in float64: two features leave its Gram matrix nearly"
    " singular, and the noise of float32 kernels then passes for new directions."
)
NOTES = {
    title(data): _CHOSEN.format(
        rows=TABLES[data][1], samples="samples" if "board" in data else "permutations"
    )
    + (_BOARD if "board" in data else "")
    + (_WIDE_STORAGE if "Projectron++" in TABLES[data][-1] else "")
    for data in TABLES
}
