"""The experiments as plain data: settings, tunings and rows of the published tables."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

#: Permutations that are scored are 0, 1, ...; those from this one on only choose settings.
TUNING_SEED = 100
Grid = Mapping[str, tuple[Any, ...]]


@dataclass(frozen=True)
class Setting:
    """One learner on one data set under one protocol; with a seed, one run.

    Parameters
    ----------
    algorithm : str
        A name of the catalogue, or "svc" for LIBSVM through scikit-learn.
    data : str
        A name of ``bench.papers.data``.
    protocol : {"online", "split"}
        Every row scored before it is learned; or one pass over the training rows, then the test.
    width : float, optional
        Of the kernel exp(-width ||x - s||^2); None where a tuning chooses it.
    averaged : bool
        Whether the averaged model scores.
    room : bool
        The method has no budget and ``budget`` is only room enough: a run that fills it fails.
    rows : int, optional
        Online, the first rows of the permutation alone. Split, the first two thirds of these
        training rows train and the others test: how settings are chosen without the test rows.
    """

    algorithm: str
    data: str
    budget: int
    width: float | None = None
    params: Mapping[str, Any] = field(default_factory=dict)
    protocol: str = "online"
    averaged: bool = False
    room: bool = False
    rows: int | None = None

    def key(self, seed: int) -> str:
        """The name of a stored run: all that it depends on."""
        content = {**asdict(self), "params": dict(self.params), "seed": seed}
        text = json.dumps(content, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:20]

    def choosing(self, choice: Mapping[str, Any]) -> Setting:
        """With some of width, budget and parameters replaced.

        A name that ends in ``/B`` or ``/sqrtB`` is a multiple of the budget or of its root, one
        that ends in ``/B.eta`` of both.
        """
        fields = {name: choice[name] for name in ("width", "budget") if name in choice}
        chosen = replace(self, **fields)
        params = {**chosen.params, **{n: v for n, v in choice.items() if n not in fields}}
        factors = {"B": chosen.budget, "sqrtB": chosen.budget**0.5}
        factors["B.eta"] = chosen.budget * float(params.get("eta", 1.0))
        plain = {}
        for name, value in params.items():
            stem, _, unit = name.partition("/")
            plain[stem] = value * factors[unit] if unit else value
        return replace(chosen, params=plain)

    def words(self) -> str:
        """For a table."""
        parts = [] if self.width is None else [f"exp(-{self.width:g} r²)"]
        if self.algorithm in ("fogd",):
            parts.append(f"D {self.budget}")
        elif self.algorithm != "svc":
            parts.append("no budget" if self.room else f"B {self.budget}")
        for name, value in self.params.items():
            parts.append(f"{name} {value:.4g}" if isinstance(value, float) else f"{name} {value}")
        return ", ".join(parts)


@dataclass(frozen=True)
class Tuning:
    """A grid tried once on the tuning permutation; the lowest error is taken.

    ``after`` names choices made before, as ``Row.tuned`` does. With ``support`` the setting whose
    number of support vectors is nearest to it is taken instead. ``samples`` permutations
    are averaged where one would leave the choice to luck.
    """

    name: str
    base: Setting
    grid: Grid
    after: tuple[str, ...] = ()
    support: int | None = None
    samples: int = 1

    @property
    def seeds(self) -> range:
        """Seeds of the permutations it is tried on."""
        return range(TUNING_SEED, TUNING_SEED + self.samples)


@dataclass(frozen=True)
class Row:
    """One published figure and the setting that is compared with it.

    Parameters
    ----------
    table : str
        Paper and table, then the data: the title of the section.
    measure : {"accuracy", "error", "share", "relative"}
        In per cent; support vectors among the training rows; accuracy relative to ``against``.
    tuned : tuple of str
        Names of tunings whose choices complete the setting; "name:width" takes the width alone.
    published, deviation, published_support
        As printed; None where nothing is.
    against : str
        The method of the same table that "relative" divides by.
    second : bool
        A second interpretation of another row's figure: shown, not counted.
    cost : float
        Seconds a run takes, roughly: the order of work, and what --quick leaves out.
    most : int
        Permutations at most.
    repeat : int
        A fixed number of permutations, if ten are too few.
    why : str
        One sentence, where the difference asks for it.
    """

    table: str
    method: str
    setting: Setting
    measure: str = "accuracy"
    published: float | None = None
    deviation: float | None = None
    published_support: int | None = None
    tuned: tuple[str, ...] = ()
    against: str = ""
    second: bool = False
    cost: float = 1.0
    most: int = 10
    repeat: int = 0
    why: str = ""

    def runs(self, permutations: int) -> int:
        """The number of its runs for a requested number."""
        return self.repeat or min(permutations, self.most)

    @property
    def name(self) -> str:
        """What --only looks in."""
        return f"{self.table} / {self.method} / B {self.setting.budget}"
