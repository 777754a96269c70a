"""Second step: the record of a configuration, with all defaults, and properties derived from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from edgeolk.checks import check_int
from edgeolk.configuration.arguments import MAX_CLASSES, levels
from edgeolk.parts.bases import BASES, BasisTraits
from edgeolk.parts.kernels import Kernel
from edgeolk.parts.losses import LOSSES, LossTraits
from edgeolk.parts.methods import find
from edgeolk.parts.numbers import AXES, Algorithm, Coefficients, Dtype, Sampling
from edgeolk.parts.parameters import LIST_DEFAULTS, PARAMETERS, WIDTHS, checked, lists_of
from edgeolk.parts.policies import POLICIES, PROJECTIONS, PolicyTraits, ProjectionTraits
from edgeolk.parts.refusals import refuse
from edgeolk.parts.sorf import HISTORY_INPUTS, INPUTS
from edgeolk.parts.storage import COEFFICIENTS, STORAGES, StorageTraits
from edgeolk.parts.table import TRAITS, uses
from edgeolk.parts.traits import Part
from edgeolk.parts.updates import UPDATES, UpdateTraits
from edgeolk.scaling.record import Preprocessing

#: A row of the ring is padded to a multiple of this many bytes if that costs at most a sixteenth:
#: aligned loads are faster, but a small ring has no bytes to spare.
ROW_BYTES = 64
PAGE = 4096

#: Features see inputs clamped to this many deviations (c/width.h).
CLAMP_LIMIT = 2.5

#: Values that belong to no part, so that any learner may have them: 1 if requested, else absent.
OPTIONS = ("skip_bad_rows", "checksums")
#: Another such value: the rows that ``learn_many`` looks ahead, absent for none; and its maximum,
#: which the struct State has space for.
LOOKAHEAD = "lookahead"
MAX_AHEAD = 64


@dataclass(frozen=True)
class Settings:
    """All that determines a model block. ``Config`` is its public view."""

    #: The published algorithm, or ``Algorithm.CUSTOM``.
    member: Algorithm
    #: Dimension d, capacity B, seed of the generator.
    n_features: int
    budget: int
    seed: int
    #: With ``gamma="auto"``, the kernel in use until the width is known.
    kernel: Kernel
    #: The part on each axis of ``AXES``.
    parts: Mapping[str, Any]
    #: Numbers by stored name: parameters in use, ``OPTIONS`` that are on and ``LOOKAHEAD``.
    values: Mapping[str, float]
    #: The range of int8 levels, as given.
    feature_range: tuple[object, object] | None = None
    #: Columns of coefficients: the number of classes, or 1 for two.
    columns: int = 1
    #: Parameters with several numbers, by stored name; those at their defaults are omitted.
    lists: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    #: How a row is preprocessed before the learner sees it.
    preprocessing: Preprocessing = field(default_factory=Preprocessing)

    def check(self) -> None:
        """Check a configuration with known parts, for example from a file.

        Raises ValueError: a number is out of range, or parts cannot be combined.
        """
        wanted = uses({axis: part for axis, part in self.parts.items() if axis != "dtype"})
        for name in wanted:
            if name not in self.values:
                raise ValueError(f"parameter {name} is missing")
            checked(name, self.values[name], name)
        for name, value in self.values.items():
            if name == LOOKAHEAD and self.can_look_ahead and value in range(1, MAX_AHEAD + 1):
                continue
            if name not in wanted and not (name in OPTIONS and value == 1.0):
                raise ValueError(f"parameter {name} is set but not used by the composition")
        check_int("n_features", self.n_features, 0 if self.forecasts else 1)
        check_int("budget", self.budget, 0 if self.forecasts else 1)
        check_int("columns", self.columns, 1, MAX_CLASSES)
        if self.update.lists:
            widths = [self.lists[name] for name in self.lists if name.startswith("widths")]
            given = (self.lists.get("blends"), self.lists.get("interval"))
            if lists_of(self.values, widths or None, *given) != self.lists:
                raise ValueError("a list of numbers is invalid")
        elif self.lists:
            raise ValueError("a list of numbers is set but not used by the composition")
        refuse(self)

    def with_levels(self, scale: list[float], offset: list[float]) -> Settings:
        """This configuration with the range that corresponds to the int8 levels of a block."""
        if (scale, offset) == levels(None, self.n_features):
            return self
        low = tuple(zero - 128.0 * step for step, zero in zip(scale, offset, strict=True))
        high = tuple(zero + 127.0 * step for step, zero in zip(scale, offset, strict=True))
        return replace(self, feature_range=(low, high))

    @property
    def name(self) -> str:
        """Public name of the algorithm, or "custom"."""
        return "custom" if self.member == Algorithm.CUSTOM else find(self.member).name

    @property
    def public(self) -> dict[str, str]:
        """Stored name -> public name of the parameters that the algorithm renames."""
        return {} if self.member == Algorithm.CUSTOM else find(self.member).public

    # ---- rows of the parts --------------------------------------------------------------------

    @property
    def rows(self) -> list[Part]:
        """The row of each part."""
        return [TRAITS[axis][part] for axis, part in self.parts.items()]

    @property
    def policy(self) -> PolicyTraits:
        """The row of the budget policy."""
        return POLICIES[self.parts["policy"]]

    @property
    def basis(self) -> BasisTraits:
        """The row of the basis."""
        return BASES[self.parts["basis"]]

    @property
    def update(self) -> UpdateTraits:
        """The row of the update."""
        return UPDATES[self.parts["update"]]

    @property
    def loss(self) -> LossTraits:
        """The row of the loss."""
        return LOSSES[self.parts["loss"]]

    @property
    def projection(self) -> ProjectionTraits:
        """The row of the projection."""
        return PROJECTIONS[self.parts["projection"]]

    @property
    def storage(self) -> StorageTraits:
        """The row of the storage type."""
        return STORAGES[self.dtype]

    @property
    def vectors(self) -> Dtype:
        """Type to which rows are rounded before they are learned or scored.

        The ring's type, since an example may enter the ring; without a ring that of the arithmetic.
        """
        if self.basis.keeps_vectors:
            return self.dtype
        return Dtype.FLOAT64 if self.dtype == Dtype.FLOAT64 else Dtype.FLOAT32

    @property
    def dtype(self) -> Dtype:
        """Storage type of support vectors, or of the weights of structured features."""
        return Dtype(self.parts["dtype"])

    @property
    def coefficients(self) -> Coefficients:
        """Storage type of coefficients."""
        return Coefficients(self.parts["coefficients"])

    # ---- sizes --------------------------------------------------------------------------------

    @property
    def slots(self) -> int:
        """Slots of the ring: the budget, plus a spare one for policies that score in it."""
        return self.budget + self.policy.spare_slot

    @property
    def stride(self) -> int:
        """Numbers from one feature's row of the ring to the next: slots, padded if cheap."""
        padded = self._padded(self.slots)
        # Rows a multiple of a page apart would compete for the same lines of the L1 cache.
        return self._padded(padded + 1) if padded * self.storage.nbytes % PAGE == 0 else padded

    @property
    def window_stride(self) -> int:
        """Examples in the window of ``Update.OPTIMISTIC``, padded as ``stride``."""
        return self._padded(int(self.values.get("hint_rows", 0.0)))

    @property
    def weights(self) -> int:
        """Coefficients in a column, padded so that their distance is not a multiple of a page."""
        weights = self.basis.per_member * self.stride
        spread = self.columns > 1 and weights * self.coefficient_bytes % PAGE == 0
        return weights + ROW_BYTES // 4 if spread else weights

    @property
    def lookahead(self) -> int:
        """Rows that ``learn_many`` looks ahead."""
        return int(self.values.get(LOOKAHEAD, 0.0))

    @property
    def coefficient_bytes(self) -> int:
        """Bytes of one coefficient."""
        return COEFFICIENTS[self.coefficients].nbytes

    @property
    def value_bytes(self) -> int:
        """Bytes of a kernel value computed ahead.

        It has the type it is computed in: exponentials that of rows, other kernels float64, and
        values that are mapped to features also float64. Several columns of coefficients are summed
        from the kernel row, which has their type, so values ahead may not be more precise.
        """
        mapped = "features_ahead" in self.basis.ahead
        computed = self.storage.computing_bytes if self.kernel.normalised and not mapped else 8
        return min(computed, self.coefficient_bytes) if self.columns > 1 else computed

    def _padded(self, n: int) -> int:
        lanes = ROW_BYTES // self.storage.computing_bytes
        padded = -(-n // lanes) * lanes
        return padded if (padded - n) * 16 <= n else n

    # ---- what follows from the parts ----------------------------------------------------------

    @property
    def tracks_norm(self) -> bool:
        """Whether ||f||^2 is tracked."""
        return self.projection.needs_norm or self.policy.needs_norm

    @property
    def changes_old(self) -> bool:
        """Whether a coefficient may change after its insertion, before its removal."""
        return (
            bool(self.projection.bound)
            or self.policy.changes_old
            or self.basis.changes_old
            or self.update.scales
            or self.values.get("lam", 0.0) > 0.0
        )

    @property
    def freezes(self) -> bool:
        """Whether no vector enters a full ring."""
        return self.policy.freezes and self.basis.freezes

    @property
    def is_regression(self) -> bool:
        """Whether targets are real numbers."""
        return self.loss.labels == "numbers"

    @property
    def forecasts(self) -> bool:
        """Whether it forecasts targets from their history."""
        return self.is_regression and self.values.get("history", 0.0) == 1.0

    @property
    def can_look_ahead(self) -> bool:
        """Whether kernel values of rows can be computed before the rows are learned.

        Not if a step also needs distances, or if the rows in between change how a row is scaled.
        """
        return (
            bool(self.basis.ahead)
            and "distance_row" not in self.policy.regions
            and not self.preprocessing.reshapes
        )

    @property
    def clamp_limit(self) -> float:
        """The bound to which features see inputs clamped (docs/sorf.md, section 15), 0 for none.

        There is none with a width from the first rows, as in files written before the width
        followed the rows.
        """
        classifies = self.update.is_sorf and self.needs_labels and not self.is_regression
        preprocessing = self.preprocessing
        clamps = classifies and preprocessing.scales_each and not preprocessing.gamma_rows
        return CLAMP_LIMIT if clamps else 0.0

    @property
    def finds_pairs(self) -> bool:
        """Whether all inputs share one scale while all readings have been one of two numbers.

        Not for a forecaster, whose inputs are combined with the history of its target.
        """
        preprocessing = self.preprocessing
        return preprocessing.follows and preprocessing.scales_each and not self.forecasts

    @property
    def reads_row(self) -> bool:
        """Whether a part reads the kernel row after scoring."""
        return any("kernel_row" in row.regions for row in self.rows)

    # ---- as a block stores it -----------------------------------------------------------------

    @property
    def choices(self) -> tuple[int, ...]:
        """The number of each part, in the order of ``AXES``."""
        return tuple(int(self.parts[axis]) for axis in AXES)

    @property
    def params(self) -> tuple[float, ...]:
        """All parameters in the order of ``PARAMETERS``, 0 if unused."""
        return tuple(self.values.get(name, 0.0) for name in PARAMETERS)

    def list_of(self, name: str) -> tuple[float, ...]:
        """The value of a parameter with several numbers, by its stored name."""
        if name in self.lists:
            return self.lists[name]
        if name.startswith("widths"):
            return WIDTHS[int(self.values["groups"])][int(name[-1])]
        return LIST_DEFAULTS[name]

    @property
    def no_weights(self) -> str:
        """Why rows cannot be weighted, "" if they can."""
        if self.parts["sampling"] != Sampling.ALWAYS:
            return "it samples rows, and a weight would change the probabilities"
        if self.forecasts:
            return "rows are a time series, in which no row can count several times"
        if self.update.is_sorf and not self.needs_labels:
            return "novelty with structured features weights all rows equally"
        return self.update.weighs

    @property
    def watches(self) -> bool:
        """Whether it detects novelty in a time series."""
        return not self.needs_labels and self.values.get("history", 0.0) > 0.0

    @property
    def memory_row(self) -> int:
        """Bytes of a remembered row: codes, label, coefficient; with classes also the runner-up."""
        return (self.n_features + 1) // 2 + (3 if self.columns > 1 else 1)

    @property
    def n_inputs(self) -> int:
        """Number of inputs of the features."""
        if self.watches:
            return INPUTS * self.n_features
        return self.n_features + (HISTORY_INPUTS if self.forecasts and self.budget else 0)

    @property
    def needs_labels(self) -> bool:
        """Whether a row is learned with a label."""
        return self.loss.labels != "none"
