"""What is run, and what is published for it: data, in the order of the report.

Papers: 000 Lu, Zhao & Hoi, SDM 2016; 001 Ahpatron, AAAI 2024; 002 He & Kwok, Neural Networks 2014.
``reference`` is what a separate float64 implementation of the same specification got.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

#: Budgets that no unbudgeted method reaches on a9a; a run that does reach one fails.
PERCEPTRON_ROOM = 15_000
PA_ROOM = 30_000
AGGRESSIVENESS = (0.25, 0.5, 1.0, 2.0)
#: C is chosen on the first rows of a permutation that is not reported.
TUNING_SEED = 100
TUNING_ROWS = 12_000
SEEDS = (0, 1)


@dataclass(frozen=True)
class Experiment:
    """One algorithm at one setting, run once for each seed.

    The seed gives the permutation and the learner's draws. ``room`` says that the method has no
    budget and that B is only room enough. ``averaged`` scores by the averaged model.
    """

    method: str
    budget: int
    gamma: float = 0.4
    params: Mapping[str, Any] = field(default_factory=dict)
    published: float | None = None
    reference: str = ""
    train_only: bool = False
    averaged: bool = False
    room: bool = False
    seeds: tuple[int, ...] = SEEDS
    first_rows: int | None = None
    why: str = ""

    @property
    def setting(self) -> str:
        """Budget and parameters in words."""
        words = ["no budget" if self.room else f"B {self.budget}"]
        words += [
            f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}"
            for name, value in self.params.items()
        ]
        return ", ".join(words)

    @property
    def title(self) -> str:
        """The method, and which of its models scores."""
        return f"{self.method}, averaged model" if self.averaged else self.method

    @property
    def cost(self) -> int:
        """Grows with the time a run takes."""
        return self.budget * (2 if self.averaged else 1)


@dataclass(frozen=True)
class Section:
    """Experiments of one table: all in accuracy, or all in mistakes."""

    title: str
    measure: str
    experiments: tuple[Experiment, ...]
    note: str = ""


def pa1(C: float, **options: Any) -> Experiment:
    """PA-I without a budget."""
    return Experiment("pa1", PA_ROOM, params={"C": C}, room=True, **options)


def tuning() -> tuple[Experiment, ...]:
    """PA-I over the published grid of C, on a prefix."""
    return tuple(pa1(C, seeds=(TUNING_SEED,), first_rows=TUNING_ROWS) for C in AGGRESSIVENESS)


def online(best_c: float) -> Section:
    """Paper 000, table 2; PA-I is held against it at the chosen C."""
    spa = {"alpha": 1.0, "beta": 20.0, "eta": 0.1}
    grid = tuple(pa1(C, published=84.07 if best_c == C else None) for C in AGGRESSIVENESS)
    return Section(
        "a9a, 48,842 rows, gamma 0.4: accuracy %, paper 000 table 2",
        "accuracy",
        (
            Experiment("perceptron", PERCEPTRON_ROOM, published=79.40, room=True),
            Experiment("rbp", 1350, published=78.83, reference="78.07, 78.44"),
            Experiment("forgetron", 1350, published=78.08, reference="78.25, 78.41"),
            *grid,
            Experiment(
                "bpa_s",
                1350,
                params={"C": 1.0, "allow_skip": False},
                published=80.44,
                reference="80.39",
            ),
            Experiment(
                "bpa_s",
                1350,
                params={"C": 1.0, "allow_skip": True},
                published=80.44,
                reference="80.99",
            ),
            Experiment(
                "spa", 1350, params=spa, published=82.04, reference="81.57 to 82.32", averaged=True
            ),
            Experiment("spa", 1350, params=spa),
        ),
        f"The C of pa1 held against the paper is the best on {TUNING_ROWS:,} rows of another"
        " permutation. The averaged model scores each row as the mean of f_1 to f_t. The paper"
        " prints no online figure for the last model of SPA. The research library the paper used"
        " has bpa_s without the choice to skip.",
    )


def aggressive() -> Section:
    """Paper 001, table 2."""
    return Section(
        "a9a, 48,842 rows, gamma 0.125: mistakes %, paper 001 table 2",
        "mistakes",
        (
            Experiment("ahpatron", 150, 0.125, published=16.42, reference="16.44, 16.41"),
            Experiment(
                "ahpatron",
                150,
                0.125,
                params={"rescale": False},
                published=16.42,
                reference="16.47, 16.47",
            ),
        ),
        "U = sqrt(B) / 2, lam = 1/4, eps = 1/2, eta = 5e-4: the defaults.",
    )


def small_budget() -> Section:
    """No table of a paper: the reference implementation's figures."""
    figures = {
        "stoptron": "21.84",
        "remove_oldest": "23.33",
        "remove_smallest": "23.48",
        "forgetron": "23.13",
        "rbp": "23.57",
    }
    return Section(
        "a9a, 48,842 rows, gamma 0.125: mistakes %, against the reference alone",
        "mistakes",
        tuple(
            Experiment(name, 150, 0.125, reference=figure, seeds=(0,))
            for name, figure in figures.items()
        ),
        "The forgetron amplifies rounding: with dtype float64 and gamma times 1 + 1e-14 k, k = 0"
        " to 23, this row runs from 22.99 to 23.34.",
    )


ALWAYS_NEGATIVE = (
    "the published figure is, to a hundredth, the share of positives in the file ({positives}),"
    " the error of a constant answer"
)
TUNED_ONCE = (
    "a larger step than the paper seems to have used: the row with eta 0.1 at the same budget lies"
    " within half a point of the published figure; the paper tuned once, on 10,000 rows, not for"
    " each budget"
)


def discarding() -> Section:
    """Paper 002, table 2."""
    published = {
        91: {"rbp": 26.23, "forgetron": 25.88, "olrd": 24.07},
        362: {"rbp": 23.45, "forgetron": 23.00, "olrd": 20.16},
        1445: {"rbp": 21.71, "forgetron": 21.70, "olrd": 18.64},
    }
    reference = {91: "20.5 to 21.0", 362: "18.6 to 18.9", 1445: "17.3 to 17.4"}
    experiments = []
    for budget, figures in published.items():
        for name in ("rbp", "forgetron"):
            experiments.append(Experiment(name, budget, published=figures[name], train_only=True))
        for eta in (0.1, 0.5, 1.0):
            experiments.append(
                Experiment(
                    "olrd",
                    budget,
                    params={"eta": eta, "U": 4.0 * budget * eta},
                    published=figures["olrd"],
                    reference=reference[budget] if eta >= 0.5 else "",
                    train_only=True,
                    why=ALWAYS_NEGATIVE if budget == 91 else TUNED_ONCE,
                )
            )
    return Section(
        "a9a train, 32,561 rows, gamma 0.4: mistakes %, paper 002 table 2",
        "mistakes",
        tuple(experiments),
        "U = 4 B eta.",
    )


def sections(best_c: float) -> tuple[Section, ...]:
    """Every table of the report; the last needs the train part alone."""
    return online(best_c), aggressive(), small_budget(), discarding()
