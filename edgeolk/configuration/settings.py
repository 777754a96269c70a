"""Second step: the record of a configuration, every default filled in, and what follows from it."""

from __future__ import annotations

from collections.abc import Mapping

from edgeolk.catalogue.methods import find
from edgeolk.checks import check_int
from edgeolk.configuration.arguments import MOST_CLASSES, levels
from edgeolk.lean import Any, dataclass, replace
from edgeolk.parts.bases import BASES, BasisTraits
from edgeolk.parts.bounds import PROJECTIONS, ProjectionTraits
from edgeolk.parts.forecasting import HISTORY_INPUTS
from edgeolk.parts.kernels import Kernel
from edgeolk.parts.lists import LIST_DEFAULTS, WIDTHS, lists_of
from edgeolk.parts.losses import LOSSES, LossTraits
from edgeolk.parts.numbers import AXES, Algorithm, Coefficients, Dtype, Sampling
from edgeolk.parts.parameters import PARAMETERS, checked
from edgeolk.parts.policies import POLICIES, PolicyTraits
from edgeolk.parts.refusals import refuse
from edgeolk.parts.storage import COEFFICIENTS, STORAGES, StorageTraits
from edgeolk.parts.table import TRAITS, uses
from edgeolk.parts.traits import Part
from edgeolk.parts.updates import UPDATES, UpdateTraits
from edgeolk.parts.watching import INPUTS
from edgeolk.preprocessing.record import Preprocessing

#: A row of the ring is padded to a multiple of so many bytes where that costs at most a sixteenth:
#: aligned loads are faster, but a small ring has no bytes to spare.
ROW_BYTES = 64
PAGE = 4096

#: Deviations at which features see an input end (core/loops/width.h).
HELD_TO = 2.5

#: Values that belong to no part, so that any learner may have them: 1 where asked for, else absent.
OPTIONS = ("skip_bad_rows", "checksums")
#: Another such value: rows that ``learn_many`` looks ahead, absent for none; and the most that the
#: struct State has room for.
LOOKAHEAD = "lookahead"
MOST_AHEAD = 64


@dataclass(frozen=True)
class Settings:
    """What a model block is made from. ``Config`` shows users a part of it."""

    #: The published algorithm, or ``Algorithm.CUSTOM``.
    member: Algorithm
    #: Dimension d, capacity B, seed of the generator.
    n_features: int
    budget: int
    seed: int
    #: With ``gamma="auto"`` the one that answers until the width is known.
    kernel: Kernel
    #: The part on each axis of ``AXES``.
    parts: Mapping[str, Any]
    #: Numbers by stored name: parameters in use, ``OPTIONS`` that are on and ``LOOKAHEAD``.
    values: Mapping[str, float]
    #: Ends of the levels of int8 storage, as given.
    feature_range: tuple[object, object] | None = None
    #: Columns of coefficients: the number of classes, or 1 for two.
    columns: int = 1
    #: Parameters that are several numbers, by stored name, those at their defaults omitted.
    lists: Mapping[str, tuple[float, ...]] = {}
    #: What is done with a row before the learner sees it.
    preprocessing: Preprocessing = Preprocessing()

    def check(self) -> None:
        """Check a configuration whose parts are known, such as a file's.

        Raises ValueError: a number is out of range, or the parts contradict each other.
        """
        wanted = uses({axis: part for axis, part in self.parts.items() if axis != "dtype"})
        for name in wanted:
            if name not in self.values:
                raise ValueError(f"parameter {name} is missing")
            checked(name, self.values[name], name)
        for name, value in self.values.items():
            if name == LOOKAHEAD and self.can_look_ahead and value in range(1, MOST_AHEAD + 1):
                continue
            if name not in wanted and not (name in OPTIONS and value == 1.0):
                raise ValueError(f"parameter {name} is set but not used by the composition")
        check_int("n_features", self.n_features, 0 if self.forecasts else 1)
        check_int("budget", self.budget, 0 if self.forecasts else 1)
        check_int("columns", self.columns, 1, MOST_CLASSES)
        if self.update.lists:
            widths = [self.lists[name] for name in self.lists if name.startswith("widths")]
            given = (self.lists.get("blends"), self.lists.get("interval"))
            if lists_of(self.values, widths or None, *given) != self.lists:
                raise ValueError("a list of numbers is invalid")
        elif self.lists:
            raise ValueError("a list of numbers is set but not used by the composition")
        refuse(self)

    def with_levels(self, scale: list[float], offset: list[float]) -> Settings:
        """This configuration with the range that int8 levels of a block amount to."""
        if (scale, offset) == levels(None, self.n_features):
            return self
        low = tuple(zero - 128.0 * step for step, zero in zip(scale, offset, strict=True))
        high = tuple(zero + 127.0 * step for step, zero in zip(scale, offset, strict=True))
        return replace(self, feature_range=(low, high))

    @property
    def name(self) -> str:
        """Public name of the algorithm, or "custom"."""
        return "custom" if self.member == Algorithm.CUSTOM else find(self.member).name

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
        """Type that rows are rounded to before they are learned or scored.

        That of the ring, since an example may enter it; without a ring that of the arithmetic.
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
        """Slots of the ring: the budget, and one more where the policy compares the candidate."""
        return self.budget + self.policy.spare_slot

    @property
    def stride(self) -> int:
        """Numbers from one feature's row of the ring to the next: slots, padded where cheap."""
        padded = self._padded(self.slots)
        # Rows a multiple of a page apart would compete for the same lines of the first-level cache.
        return self._padded(padded + 1) if padded * self.storage.nbytes % PAGE == 0 else padded

    @property
    def window_stride(self) -> int:
        """Examples in the window of ``Update.OPTIMISTIC``, padded as ``stride``."""
        return self._padded(int(self.values.get("hint_rows", 0.0)))

    @property
    def weights(self) -> int:
        """Coefficients in a column, padded so that columns are not a multiple of a page apart."""
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
        """Bytes of a kernel value that waits for its row.

        As it is computed, exponentials in the type of rows, other kernels in float64; in float64
        too where it is mapped to features. Several columns of coefficients are summed from the
        kernel row, which is of their type: no value that waits may have more digits.
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
        """Whether ||f||^2 is kept."""
        return self.projection.needs_norm or self.policy.needs_norm

    @property
    def changes_old(self) -> bool:
        """Whether a coefficient may change between its insertion and its removal."""
        return (
            bool(self.projection.bound)
            or self.policy.changes_old
            or self.basis.changes_old
            or self.update.scales
            or self.values.get("lam", 0.0) > 0.0
        )

    @property
    def freezes(self) -> bool:
        """Whether a full ring admits nobody."""
        return self.policy.freezes and self.basis.freezes

    @property
    def is_regression(self) -> bool:
        """Whether targets are real numbers."""
        return self.loss.labels == "numbers"

    @property
    def forecasts(self) -> bool:
        """Whether answers are forecasts from the history of the target."""
        return self.is_regression and self.values.get("history", 0.0) == 1.0

    @property
    def can_look_ahead(self) -> bool:
        """Whether kernel values of rows can be computed before the rows are learned.

        Not where a step needs distances too, nor where the rows in between change how a row is
        scaled.
        """
        return (
            bool(self.basis.ahead)
            and "distance_row" not in self.policy.regions
            and not self.preprocessing.reshapes
        )

    @property
    def held_to(self) -> float:
        """Where the features see inputs end (docs/sorf.md, section 15), 0 for nowhere.

        A width of the first rows, which files of before the one that follows have, has none.
        """
        sees = self.update.whole and self.needs_labels and not self.is_regression
        prepared = self.preprocessing
        return HELD_TO if sees and prepared.scales_each and not prepared.gamma_rows else 0.0

    @property
    def finds_pairs(self) -> bool:
        """Whether one scale is that of all inputs while they have been two numbers.

        Not of a forecaster, whose inputs stand beside the history of its target.
        """
        prepared = self.preprocessing
        return prepared.follows and prepared.scales_each and not self.forecasts

    @property
    def reads_row(self) -> bool:
        """Whether a part reads the kernel row once a row has its score."""
        return any("kernel_row" in row.regions for row in self.rows)

    # ---- as a block stores it -----------------------------------------------------------------

    @property
    def choices(self) -> tuple[int, ...]:
        """The number of each part, in the order of ``AXES``."""
        return tuple(int(self.parts[axis]) for axis in AXES)

    @property
    def params(self) -> tuple[float, ...]:
        """Every parameter in the order of ``PARAMETERS``, 0 where it is not used."""
        return tuple(self.values.get(name, 0.0) for name in PARAMETERS)

    def list_of(self, name: str) -> tuple[float, ...]:
        """The numbers in force of a parameter that is a list, by its stored name."""
        if name in self.lists:
            return self.lists[name]
        if name.startswith("widths"):
            return WIDTHS[int(self.values["groups"])][int(name[-1])]
        return LIST_DEFAULTS[name]

    @property
    def no_weights(self) -> str:
        """Why a row cannot count more or less than one, "" if it can."""
        if self.parts["sampling"] != Sampling.ALWAYS:
            return "it samples rows, and a weight would change the odds"
        if self.forecasts:
            return "rows follow each other in time, and none counts for several"
        if self.update.whole and not self.needs_labels:
            return "novelty of structured features follows every row alike"
        return self.update.weighs

    @property
    def watches(self) -> bool:
        """Whether it is novelty of rows in the order of time."""
        return not self.needs_labels and self.values.get("history", 0.0) > 0.0

    @property
    def memory_row(self) -> int:
        """Bytes of a row that is remembered: codes, label and coefficient, with classes a rival."""
        return (self.n_features + 1) // 2 + (3 if self.columns > 1 else 1)

    @property
    def n_inputs(self) -> int:
        """Numbers that features are made of."""
        if self.watches:
            return INPUTS * self.n_features
        return self.n_features + (HISTORY_INPUTS if self.forecasts and self.budget else 0)

    @property
    def needs_labels(self) -> bool:
        """Whether a row is learned with a label."""
        return self.loss.labels != "none"
