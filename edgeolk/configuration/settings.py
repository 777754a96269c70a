"""The record of a configuration, with all defaults: what both families have.

``ring/settings.py`` and ``sorf/settings.py`` have a subclass each. Other code asks the facts that
are declared here, never which family a configuration is of.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from edgeolk.checks import check_int
from edgeolk.parts.kernels import Kernel
from edgeolk.parts.losses import LOSSES, LossTraits
from edgeolk.parts.methods import find
from edgeolk.parts.numbers import Algorithm, Coefficients, Dtype, Family
from edgeolk.parts.option import Option
from edgeolk.parts.storage import STORAGES, StorageTraits
from edgeolk.scaling.record import Preprocessing

#: The maximum number of columns of coefficients in a block.
MAX_CLASSES = 2**15
#: The maximum of rows ahead, which the struct State has space for.
MAX_AHEAD = 64


@dataclass(frozen=True, kw_only=True)
class Settings:
    """All that determines a model block. ``Config`` is its public view."""

    #: The family, which is also the key of ``configuration.families.FAMILIES``.
    family: ClassVar[Family]
    #: The options of the family.
    table: ClassVar[Mapping[str, Option]]

    #: The published algorithm, or ``Algorithm.CUSTOM``.
    member: Algorithm
    #: Dimension d, capacity B, seed of the generator.
    n_features: int
    budget: int
    seed: int
    #: With ``gamma="auto"``, the kernel in use until the width is known.
    kernel: Kernel
    #: Members of enums by axis: all parts of a composition, or loss and storage type of ``sorf``.
    parts: Mapping[str, Any]
    #: Numbers of the options in use, by name.
    values: Mapping[str, float]
    #: Options with several numbers, by name; those at their defaults are omitted.
    lists: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    #: Columns of coefficients: the number of classes, or 1 for two.
    columns: int = 1
    #: How a row is preprocessed before the learner sees it.
    preprocessing: Preprocessing = field(default_factory=Preprocessing)
    #: Rows that ``learn_many`` looks ahead.
    lookahead: int = 0
    #: Whether bad rows are skipped and counted; whether checksums can be kept.
    skips_bad_rows: bool = False
    checksums: bool = False

    def check(self) -> None:
        """Check a configuration with known parts, for example from a file.

        Raises ValueError: a number is out of range, or parts cannot be combined.
        """
        for name in self.uses():
            if name not in self.values:
                raise ValueError(f"parameter {name} is missing")
            self.table[name].checked(name, self.values[name])
        for name in self.values:
            if name not in self.uses():
                raise ValueError(f"parameter {name} is set but not used by the model")
        check_int("n_features", self.n_features, self.min_size)
        check_int("budget", self.budget, self.min_size)
        check_int("columns", self.columns, 1, MAX_CLASSES)
        check_int("lookahead", self.lookahead, 0, MAX_AHEAD if self.can_look_ahead else 0)
        self.refuse()

    def uses(self) -> tuple[str, ...]:
        """Names of the options that it has, in a fixed order."""
        raise NotImplementedError

    def refuse(self) -> None:
        """Raise ValueError with one sentence if its parts and options cannot be combined."""
        raise NotImplementedError

    def with_levels(self, scale: list[float], offset: list[float]) -> Settings:
        """This configuration with the range of int8 levels that a block has."""
        return self

    # ---- what both have -----------------------------------------------------------------------

    @property
    def name(self) -> str:
        """Public name of the algorithm, or "custom"."""
        return "custom" if self.member == Algorithm.CUSTOM else find(self.member).name

    @property
    def loss(self) -> LossTraits:
        """The row of the loss."""
        return LOSSES[self.parts["loss"]]

    @property
    def is_regression(self) -> bool:
        """Whether targets are real numbers."""
        return self.loss.labels == "numbers"

    @property
    def needs_labels(self) -> bool:
        """Whether a row is learned with a label."""
        return self.loss.labels != "none"

    @property
    def dtype(self) -> Dtype:
        """Storage type of support vectors, or of the weights of structured features."""
        return Dtype(self.parts["dtype"])

    @property
    def storage(self) -> StorageTraits:
        """The row of the storage type."""
        return STORAGES[self.dtype]

    # ---- what they answer differently ---------------------------------------------------------

    @property
    def min_size(self) -> int:
        """The smallest number of features, and of support vectors or frequencies."""
        return 1

    @property
    def chosen_by_size(self) -> dict[str, object]:
        """Options whose defaults depend on the bytes, as a caller would give them."""
        return {}

    @property
    def smallest_kernel(self) -> Settings | None:
        """The smallest learner with a kernel in place of this one, which has none; else None."""
        return None

    @property
    def feature_range(self) -> tuple[object, object] | None:
        """The range of int8 levels, as given."""
        return None

    @property
    def coefficients(self) -> Coefficients:
        """Storage type of coefficients."""
        return Coefficients.FLOAT64

    @property
    def n_inputs(self) -> int:
        """Number of inputs of the kernel."""
        return self.n_features

    @property
    def vectors(self) -> Dtype:
        """Type to which rows are rounded before they are learned or scored."""
        return Dtype.FLOAT64 if self.dtype == Dtype.FLOAT64 else Dtype.FLOAT32

    @property
    def keeps_vectors(self) -> bool:
        """Whether the model stores vectors of the input space, or frequencies."""
        return False

    @property
    def size_name(self) -> str:
        """What ``budget`` counts."""
        return "frequencies"

    @property
    def learns_on_board(self) -> bool:
        """Whether it learns as exported C."""
        return True

    @property
    def weight_regions(self) -> tuple[str, ...]:
        """Regions of the weights of features that ``weights_`` shows; empty for support vectors."""
        return ()

    @property
    def scales_targets(self) -> bool:
        """Whether targets are standardised inside."""
        return False

    @property
    def threshold_region(self) -> str:
        """The region whose first number is the threshold of novelty, "" with labels."""
        return "" if self.needs_labels else "novelty"

    @property
    def freezes(self) -> bool:
        """Whether no vector enters a full ring."""
        return False

    @property
    def has_mean(self) -> bool:
        """Whether it keeps an averaged model."""
        return False

    @property
    def no_weights(self) -> str:
        """Why rows cannot be weighted, "" if they can."""
        raise NotImplementedError

    @property
    def has_parts(self) -> bool:
        """Whether other scores of two classes are behind the score of a row."""
        return False

    @property
    def max_weight(self) -> float:
        """The largest weight of a row."""
        raise NotImplementedError

    @property
    def can_look_ahead(self) -> bool:
        """Whether kernel values of rows can be computed before the rows are learned."""
        return False

    @property
    def may_follow(self) -> bool:
        """Whether its width could follow the rows."""
        return False

    @property
    def clamp_limit(self) -> float:
        """The bound to which features see inputs clamped (docs/sorf.md, section 15), 0 for none."""
        return 0.0

    @property
    def finds_pairs(self) -> bool:
        """Whether all inputs share one scale while all readings have been one of two numbers."""
        return False

    @property
    def mean_scores_alone(self) -> bool:
        """Whether the averaged model scores without the scratch of learning."""
        return False

    @property
    def saves_padding(self) -> bool:
        """Whether narrow alignment is tried for a block that is large with the wide one."""
        return False

    def element_of(self, word: str) -> str:
        """The type of numbers of a region, from the word or code in its row."""
        named = {
            "storage": self.storage.element,
            "computing": self.storage.computes_in,
        }
        return named.get(word, word)

    @property
    def in_order(self) -> bool:
        """Whether rows are a time series, so that their order matters."""
        return False

    @property
    def awaits_targets(self) -> bool:
        """Whether rows may wait for their targets: ``ask_one``, ``tell_one``, intervals."""
        return False

    @property
    def keeps_answers(self) -> bool:
        """Whether labels come late, and experts are judged by what they answered."""
        return False

    @property
    def reports_events(self) -> bool:
        """Whether each row has a verdict: novel, alarm, event, rare, why."""
        return False

    @property
    def takes_gaps(self) -> bool:
        """Whether NaN in a row is a missing reading."""
        return False

    @property
    def longest_step(self) -> str:
        """The longest step as a formula in B and d, and when it happens; K: number of classes.

        For example ``"O(B^2 d + B^3), at a halving"``: what a loop with a deadline must allow for.
        """
        raise NotImplementedError
