"""The record of a learner of the sorf family, and what follows from its options."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isqrt
from typing import NamedTuple

from edgeolk.configuration.settings import Settings
from edgeolk.parts.bases import STRUCTURED_STEP
from edgeolk.parts.numbers import Algorithm, Family
from edgeolk.sorf.defaults import fewest_frequencies
from edgeolk.sorf.options import (
    HISTORY_INPUTS,
    INPUTS,
    LIST_DEFAULTS,
    OPTIONS,
    WIDTHS,
    lists_of,
)
from edgeolk.sorf.refusals import refuse

#: Features see inputs clamped to this many deviations (c/width.h).
CLAMP_LIMIT = 2.5
#: The largest weight of a row.
MAX_WEIGHT = 1e6


class Forecaster(NamedTuple):
    """The forecaster of a learner with ``history=True`` and real targets (docs/forecast.md)."""

    #: Rows until a target comes; rows of a season, 0 for none; levels of the intervals.
    horizon: int
    season: int
    levels: tuple[float, ...]
    #: Whether there is a kernel.
    has_kernel: bool


class Watch(NamedTuple):
    """Anomalies of a stream: a learner with ``history=True`` and no labels (docs/novelty.md)."""

    #: Rows that it remembers; whether it learns the season of a day.
    window: float
    clock: bool


@dataclass(frozen=True, kw_only=True)
class SorfSettings(Settings):
    """All that determines a learner of the sorf family."""

    family = Family.SORF
    table = OPTIONS

    def uses(self) -> tuple[str, ...]:
        """Names of its options: all."""
        return tuple(OPTIONS)

    def refuse(self) -> None:
        """Raise ValueError with one sentence if options cannot be combined."""
        refuse(self)

    def check(self) -> None:
        """Check a configuration, for example from a file.

        Raises ValueError: a number is out of range, or options cannot be combined.
        """
        super().check()
        if self.member != Algorithm.SORF:
            raise ValueError("its parts are not those of sorf")
        if not self.n_features and not self.forecaster:
            raise ValueError("only a forecaster has no inputs")
        widths = [self.lists[name] for name in self.lists if name.startswith("widths")]
        given = (self.lists.get("blends"), self.lists.get("interval"))
        if lists_of(self.values, widths or None, *given) != self.lists:
            raise ValueError("a list of numbers is invalid")

    # ---- parts --------------------------------------------------------------------------------

    @property
    def forecaster(self) -> Forecaster | None:
        """The forecaster on top of the features, None for none."""
        if not (self.is_regression and self.values["history"] == 1.0):
            return None
        return Forecaster(
            int(self.values["horizon"]),
            int(self.values["season"]),
            self.list_of("interval"),
            self.budget > 0,
        )

    @property
    def watch(self) -> Watch | None:
        """Anomalies of a stream, None for none."""
        if self.needs_labels or not self.values["history"]:
            return None
        return Watch(self.values["window"], bool(self.values["clock"]))

    # ---- facts of every family ----------------------------------------------------------------

    @property
    def min_size(self) -> int:
        """A forecaster needs neither inputs nor a kernel, a linear group no frequencies."""
        return 0 if self.forecaster or self.values["linear_group"] else 1

    @property
    def chosen_by_size(self) -> dict[str, object]:
        """What a learner with labels spends its bytes on."""
        if not self.needs_labels or self.forecaster:
            return {}
        names: tuple[str, ...] = ("relevance", "memory", "memory_narrow", "drift", "constant")
        names += ("linear_group",)
        names += ("kept_answers",) if self.values["delay"] else ()
        names += ("gaussian_process",) if self.is_regression else ()
        return {name: OPTIONS[name].shown(self.values[name]) for name in names}

    @property
    def smallest_kernel(self) -> Settings | None:
        """That with the fewest frequencies that are worth more than a linear group alone."""
        if self.budget or self.forecaster:
            return None
        values = {**self.values, "linear_group": 0.0, "relevance": 2.0}
        values |= {"drift": 1.0, "constant": 1.0}
        least = fewest_frequencies(self.n_features, self.columns)
        follows = replace(self.preprocessing, follows=bool(self.preprocessing.method))
        return replace(self, budget=least, values=values, preprocessing=follows)

    @property
    def keeps_last_alone(self) -> bool:
        """Whether the last weights of a linear group are all that it learns."""
        return self.budget == 0 and self.values["linear_group"] == 2.0

    @property
    def n_groups(self) -> int:
        """Groups of experts: those of features, then the linear one."""
        is_linear = self.values["linear_group"] > 0.0
        return (int(self.values["groups"]) if self.budget or not is_linear else 0) + is_linear

    @property
    def n_outside(self) -> int:
        """Experts beside the blends of groups: linear, last label, commonest label."""
        return sum(int(self.values[name]) for name in ("linear", "last_label", "constant"))

    @property
    def n_vectors(self) -> int:
        """Vectors of a Gaussian process beside the features, 0 for none."""
        return int(self.values["gaussian_process"])

    # ---- labels that come late ----------------------------------------------------------------

    @property
    def answer_bytes(self) -> int:
        """Bytes of what all experts answer to a row (c/late_labels.h)."""
        experts = self.n_groups * len(self.list_of("blends")) + self.n_outside
        if self.is_regression:
            return 4 * (2 * self.n_groups + self.n_outside)
        if self.values["memory"]:
            experts += 9 if self.values["memory_narrow"] else 5
        return experts if self.columns > 1 else 4 * -(-experts // 32)

    @property
    def n_kept(self) -> int:
        """For how many waiting rows the answers of experts are kept."""
        return int(self.values["kept_answers"])

    def usual_kept(self, ram: int | None) -> int:
        """The default of ``kept_answers``, given the bytes of the block if there is a limit."""
        pending = int(self.values["delay"]) + 1
        return pending if ram is None else min(pending, max(1, ram // 16 // self.answer_bytes))

    @property
    def spacing(self) -> int:
        """Every how many rows asked the answers are kept: all, or the least odd prime that fits."""
        pending = int(self.values["delay"]) + 1
        if self.n_kept >= pending:
            return 1
        s = max(3, -(-pending // max(1, self.n_kept)))
        while s % 2 == 0 or any(s % i == 0 for i in range(3, isqrt(s) + 1, 2)):
            s += 1
        return s

    @property
    def n_inputs(self) -> int:
        """Number of inputs of the features."""
        if self.watch:
            return INPUTS * self.n_features
        return self.n_features + (HISTORY_INPUTS if self.forecaster and self.budget else 0)

    @property
    def weight_regions(self) -> tuple[str, ...]:
        """Regions of the weights: the last ones, then their running average; for novelty that."""
        return ("weights", "mean_weights") if self.needs_labels else ("mean_weights",)

    @property
    def scales_targets(self) -> bool:
        """Whether targets are standardised inside."""
        return self.is_regression

    @property
    def threshold_region(self) -> str:
        """The region whose first number is the threshold of novelty, "" for none."""
        return "" if self.watch else super().threshold_region

    @property
    def no_weights(self) -> str:
        """Why rows cannot be weighted, "" if they can."""
        if self.forecaster:
            return "rows are a time series, in which no row can count several times"
        if not self.needs_labels:
            return "novelty with structured features weights all rows equally"
        return ""

    @property
    def has_parts(self) -> bool:
        """Whether other scores are behind the score of a row: with two classes."""
        return self.needs_labels and not self.is_regression and self.columns == 1

    @property
    def max_weight(self) -> float:
        """The largest weight of a row."""
        return MAX_WEIGHT

    @property
    def may_follow(self) -> bool:
        """Whether its width could follow the rows: that of a stream is fixed."""
        return self.watch is None

    @property
    def clamp_limit(self) -> float:
        """The bound to which features see inputs clamped (docs/sorf.md, section 15), 0 for none.

        There is none with a width from the first rows.
        """
        classifies = self.needs_labels and not self.is_regression
        preprocessing = self.preprocessing
        clamps = classifies and preprocessing.scales_each and not preprocessing.gamma_rows
        return CLAMP_LIMIT if clamps else 0.0

    @property
    def finds_pairs(self) -> bool:
        """Whether all inputs share one scale while all readings have been one of two numbers.

        Not for a forecaster, whose inputs are combined with the history of its target, and not with
        a linear group, which errs twice as often on inputs that share one scale but differ in their
        means.
        """
        scales = self.preprocessing
        plain = not self.forecaster and not self.values["linear_group"]
        return plain and scales.follows and scales.scales_each

    @property
    def saves_padding(self) -> bool:
        """Whether narrow alignment is tried: with it a forecaster may fit into 4 KiB."""
        return self.forecaster is not None

    @property
    def in_order(self) -> bool:
        """Whether rows are a time series, so that their order matters."""
        return self.forecaster is not None or self.watch is not None

    @property
    def awaits_targets(self) -> bool:
        """Whether rows may wait for their targets: ``ask_one``, ``tell_one``, intervals."""
        return self.forecaster is not None

    @property
    def keeps_answers(self) -> bool:
        """Whether labels come late, and experts are judged by what they answered."""
        return self.values["delay"] > 0.0

    @property
    def reports_events(self) -> bool:
        """Whether each row has a verdict: novel, alarm, event, rare, why."""
        return self.watch is not None

    @property
    def takes_gaps(self) -> bool:
        """Whether NaN in a row is a missing reading."""
        return self.in_order

    @property
    def longest_step(self) -> str:
        """The longest step as a formula in D and d, and when it happens."""
        if not self.budget and not self.forecaster:
            return "O(d), every step"
        if self.n_vectors:
            return (
                f"{STRUCTURED_STEP}; O(V^3 + V^2 d) for the V = {self.n_vectors} vectors of the"
                " process, where its widths change"
            )
        if not self.values["memory"]:
            return STRUCTURED_STEP
        rows = int(self.values["memory"])
        return f"{STRUCTURED_STEP}; O(M d) for the M = {rows} rows of the memory"

    # ---- sizes and lists ----------------------------------------------------------------------

    def list_of(self, name: str) -> tuple[float, ...]:
        """The value of an option with several numbers, by its name."""
        if name in self.lists:
            return self.lists[name]
        if name.startswith("widths"):
            return WIDTHS[int(self.values["groups"])][int(name[-1])]
        return LIST_DEFAULTS[name]

    @property
    def memory_row(self) -> int:
        """Bytes of a remembered row: codes, label, coefficient; with classes also the runner-up."""
        return (self.n_features + 1) // 2 + (3 if self.columns > 1 else 1)
