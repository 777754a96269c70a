"""The record of a learner of the ring family, and what follows from its parts."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace

from edgeolk.configuration.settings import Settings
from edgeolk.parts.bases import BASES, BasisTraits
from edgeolk.parts.methods import find
from edgeolk.parts.numbers import (
    Algorithm,
    Averaging,
    Coefficients,
    Dtype,
    Family,
    Projection,
    Sampling,
)
from edgeolk.parts.policies import POLICIES, PROJECTIONS, PolicyTraits, ProjectionTraits
from edgeolk.parts.storage import COEFFICIENTS
from edgeolk.parts.table import DEFAULT_PARTS, TRAITS
from edgeolk.parts.traits import Part
from edgeolk.parts.updates import UPDATES, UpdateTraits
from edgeolk.ring.levels import levels
from edgeolk.ring.options import OPTIONS, uses
from edgeolk.ring.refusals import refuse

#: A row of the ring is padded to a multiple of this many bytes if that costs at most a sixteenth:
#: aligned loads are faster, but a small ring has no bytes to spare.
ROW_BYTES = 64
PAGE = 4096
#: A norm that is updated by increments is recomputed from time to time against rounding errors.
RENEWAL = "O(B^2 d), when the norm is recomputed"


@dataclass(frozen=True, kw_only=True)
class RingSettings(Settings):
    """All that determines a learner of the ring family; ``parts`` has a part on each axis."""

    family = Family.RING
    table = OPTIONS

    feature_range: tuple[object, object] | None = None

    def uses(self) -> tuple[str, ...]:
        """Names of the options of its parts."""
        return uses({axis: part for axis, part in self.parts.items() if axis != "dtype"})

    def refuse(self) -> None:
        """Raise ValueError with one sentence if the composition is invalid."""
        refuse(self)

    def check(self) -> None:
        """Check a configuration with known parts, for example from a file.

        Raises ValueError: a number is out of range, or parts cannot be combined.
        """
        super().check()
        if self.lists:
            raise ValueError("a list of numbers is set but not used by the model")
        self._check_name()

    def _check_name(self) -> None:
        """Check that a named algorithm has the parts of its row, with some choice of options.

        Raises ValueError: it does not.
        """
        if self.member == Algorithm.CUSTOM:
            return
        method = find(self.member)
        for options in itertools.product(*(choice.values() for choice in method.choices.values())):
            parts = {**DEFAULT_PARTS, **method.parts}
            for option in options:
                parts.update(option)
            if UPDATES[parts["update"]].stable == self.parts["update"]:
                parts["update"] = self.parts["update"]
            differ = {axis for axis, part in parts.items() if self.parts[axis] != part}
            # With an infinite radius there is no projection.
            unbounded = self.parts["projection"] == Projection.NONE
            if not differ or (
                differ == {"projection"}
                and unbounded
                and parts["projection"] in (Projection.BALL, Projection.COEFFICIENTS)
                and self.values.get("U", math.inf) == math.inf
            ):
                return
        raise ValueError(f"its parts are not those of {method.name}")

    def with_levels(self, scale: list[float], offset: list[float]) -> RingSettings:
        """This configuration with the range that corresponds to the int8 levels of a block."""
        if (scale, offset) == levels(None, self.n_features):
            return self
        low = tuple(zero - 128.0 * step for step, zero in zip(scale, offset, strict=True))
        high = tuple(zero + 127.0 * step for step, zero in zip(scale, offset, strict=True))
        return replace(self, feature_range=(low, high))

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
    def projection(self) -> ProjectionTraits:
        """The row of the projection."""
        return PROJECTIONS[self.parts["projection"]]

    # ---- facts of every family ----------------------------------------------------------------

    @property
    def coefficients(self) -> Coefficients:
        """Storage type of coefficients."""
        return Coefficients(self.parts["coefficients"])

    @property
    def vectors(self) -> Dtype:
        """Type to which rows are rounded before they are learned or scored.

        The ring's type, since an example may enter the ring; without a ring that of the arithmetic.
        """
        return self.dtype if self.keeps_vectors else super().vectors

    @property
    def keeps_vectors(self) -> bool:
        """Whether it stores vectors of the input space, or frequencies."""
        return self.basis.keeps_vectors

    @property
    def size_name(self) -> str:
        """What ``budget`` counts."""
        return "frequencies" if self.basis.members else "support vectors"

    @property
    def freezes(self) -> bool:
        """Whether no vector enters a full ring."""
        return self.policy.freezes and self.basis.freezes

    @property
    def has_mean(self) -> bool:
        """Whether it keeps an averaged model."""
        return bool(self.parts["averaging"] != Averaging.NONE)

    @property
    def no_weights(self) -> str:
        """Why rows cannot be weighted, "" if they can."""
        if self.parts["sampling"] != Sampling.ALWAYS:
            return "it samples rows, and a weight would change the probabilities"
        return self.update.weighs

    @property
    def max_weight(self) -> float:
        """The largest weight of a row."""
        return self.update.max_weight

    @property
    def learns_on_board(self) -> bool:
        """Whether it learns as exported C."""
        return self.update.exported

    @property
    def scales_targets(self) -> bool:
        """Whether targets are standardised inside."""
        return self.update.scores_itself

    @property
    def lags(self) -> int:
        """Targets that are inputs."""
        return int(self.values.get("lags", 0))

    @property
    def n_inputs(self) -> int:
        """Number of inputs of the kernel."""
        return self.n_features + self.lags

    @property
    def in_order(self) -> bool:
        """Whether rows are a time series, so that their order matters."""
        return self.lags > 0

    @property
    def awaits_targets(self) -> bool:
        """Whether rows may wait for their targets: ``ask_one``, ``tell_one``, intervals."""
        return self.lags > 0

    @property
    def mean_scores_alone(self) -> bool:
        """Whether the averaged model scores without the scratch of learning."""
        return not self.basis.admit and self.columns == 1

    def element_of(self, word: str) -> str:
        """The type of numbers of a region, from the word or code in its row."""
        if word == "value":
            return "f" if self.value_bytes == 4 else "d"
        if word == "real":
            return COEFFICIENTS[self.coefficients].element
        return super().element_of(word)

    @property
    def longest_step(self) -> str:
        """The longest step as a formula in B and d, and when it happens; K: number of classes."""
        if self.update.scores_itself:
            return "O((B + d) B^2), when the prior is exchanged"
        formula = self.basis.longest_step or self.policy.longest_step
        formula = formula.format(
            iters=int(self.values.get("iters", 0.0)),
            hint_rows=self.window_rows,
            last_rows=self.window_rows,
        )
        if self.columns > 1:
            formula = formula.replace("O(B d", "O(B d + B K")
        if self.tracks_norm and self.policy.removes and "B^2 d" not in formula:
            has_removal = "^" in formula or "exp" in formula
            return f"{formula}; {RENEWAL}" if has_removal else RENEWAL
        return formula

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
        """Examples in the window of an update, padded as ``stride``."""
        return self._padded(self.window_rows)

    @property
    def window_rows(self) -> int:
        """Examples in the window of an update."""
        return int(self.values.get("hint_rows", 0.0) or self.values.get("last_rows", 0.0))

    @property
    def added(self) -> float:
        """What is added to k(x, x) in the stored inverse."""
        return self.values.get(self.update.added, 0.0)

    @property
    def weights(self) -> int:
        """Coefficients in a column, padded so that their distance is not a multiple of a page."""
        weights = self.basis.per_member * self.stride
        spread = self.columns > 1 and weights * self.coefficient_bytes % PAGE == 0
        return weights + ROW_BYTES // 4 if spread else weights

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
    def can_look_ahead(self) -> bool:
        """Whether kernel values of rows can be computed before the rows are learned.

        Not if a step also needs distances, or if the rows in between change how a row is scaled.
        """
        return (
            bool(self.basis.ahead)
            and "distance_row" not in self.policy.regions
            and not self.update.scores_itself
            and not self.preprocessing.reshapes
        )

    @property
    def reads_row(self) -> bool:
        """Whether a part reads the kernel row after scoring."""
        return any("kernel_row" in row.regions for row in self.rows)
