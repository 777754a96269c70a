"""One row per basis: the functions whose weighted sum is learned.

A row names its functions in ``edgeolk/ring`` as "file.function":

- ``score(ring, x, coef, row)``: sum_i coef[i] phi_i(x), without the common scale; phi(x) is stored
  for ``admit`` if row is not NULL;
- ``admit(ring, a, e)``: adds a k(x, .) to f; for the ring the budget policy does;
- ``construct(ring)``: random draws at construction, if any.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from edgeolk.parts.numbers import (
    Averaging,
    Basis,
    Coefficients,
    Dtype,
    KernelKind,
    Policy,
    Projection,
    Rows,
    Schedule,
    Update,
)
from edgeolk.parts.storage import STORAGES
from edgeolk.parts.traits import Part, Refusals, has, lacks


@dataclass(frozen=True, kw_only=True)
class BasisTraits(Part):
    """The row of a basis."""

    #: Functions of the core, "" for none.
    score: str
    admit: str = ""
    construct: str = ""
    #: Coefficients per column for each member (support vector or frequency).
    per_member: int = 1
    #: Whether it stores vectors of the input space ("support_vectors").
    keeps_vectors: bool = True
    #: Whether all ``budget`` members exist from construction.
    starts_full: bool = False
    #: Whether no vector enters once it is full, if the policy says so.
    freezes: bool = False
    #: Whether old coefficients may change.
    changes_old: bool = True
    #: Regions for scores computed ahead; () if that is not possible.
    ahead: tuple[str, ...] = ()
    #: The longest step, if not that of the policy.
    longest_step: str = ""
    #: Its own name for the budget, "" for none; with a name the default is 100.
    members: str = ""


#: Above the largest normal draw, which stands for the probability 1 - 2^-33 (``c/normals.h``).
MAX_NORMAL = 6.4


def max_gamma(max_stored: float) -> float:
    """The largest kernel width whose frequencies are finite in storage.

    sqrt(2 gamma) times the largest normal draw is ``max_stored``, the largest number of the storage
    type. For float64 less than half of the exponents are used, so that squares are finite.
    """
    return 0.5 * (min(max_stored, 1e150) / MAX_NORMAL) ** 2


#: A rule of every basis with frequencies.
FREQUENCIES: Refusals = {
    (
        "gamma must be smaller for features: frequencies would exceed the range of the storage type"
        f" (float16: {max_gamma(65519.0):.2g}, float64: {max_gamma(1e308):.2g})"
    ): (
        lambda c: (
            c.kernel.kind == KernelKind.GAUSSIAN
            and c.kernel.fields()[2] > max_gamma(STORAGES[c.parts["dtype"]].most)
        )
    ),
}
_NO_RING = {
    "a feature basis needs Policy.STOP: there is no ring to maintain": lacks(Policy.STOP),
    "a feature basis has no coefficients of support vectors to bound": lacks(
        Projection.NONE, Projection.BALL
    ),
    "a feature basis cannot be combined with Update.PEGASOS or Update.SHIFTING": has(
        Update.PEGASOS, Update.SHIFTING
    ),
}
_DENSE_ROWS = {
    "sparse rows are for support vectors: Fourier features read every number of a row": lacks(
        Rows.DENSE
    ),
}

#: The longest step with structured features.
STRUCTURED_STEP = "O(D d / 64 + D), twice that on a loss"

#: Cosines and sines of D frequencies.
_features = partial(
    BasisTraits,
    admit="bases.admit_features",
    per_member=2,
    starts_full=True,
    members="D",
    regions=("kernel_row",),
)


def _needs_gaussian(basis: Basis, why: str) -> Refusals:
    """The rule that features approximate a Gaussian kernel only."""
    sentence = f"Basis.{basis.name} needs the Gaussian kernel: {why}"
    return {sentence: lambda c: c.kernel.kind != KernelKind.GAUSSIAN}


BASES: dict[Basis, BasisTraits] = {
    Basis.SUPPORT_VECTORS: BasisTraits(
        score="bases.ring_score",
        freezes=True,
        changes_old=False,
        ahead=("rows_ahead", "values_ahead"),
    ),
    Basis.FOURIER: _features(
        score="bases.fourier_score",
        construct="bases.fourier_construct",
        refuses={
            **_NO_RING,
            **_needs_gaussian(Basis.FOURIER, "its frequencies are normal"),
            **FREQUENCIES,
            **_DENSE_ROWS,
            "Basis.FOURIER cannot be stored as int8: frequencies have no fixed range": has(
                Dtype.INT8
            ),
        },
        longest_step="O(B d), every step",
    ),
    Basis.STRUCTURED: _features(
        score="bases.structured_score",
        keeps_vectors=False,
        refuses={
            **_NO_RING,
            **_needs_gaussian(Basis.STRUCTURED, "its features are cosines and sines"),
            **FREQUENCIES,
            "Basis.STRUCTURED stores weights as float32 or float64; 'sorf' also as int8": lacks(
                Dtype.FLOAT32, Dtype.FLOAT64
            ),
            "sparse= is for support vectors: this learner stores no rows": lacks(Rows.DENSE),
        },
        longest_step=STRUCTURED_STEP,
    ),
    Basis.FOURIER_DRAWN: _features(
        score="bases.drawn_score",
        keeps_vectors=False,
        refuses={
            **_NO_RING,
            **_needs_gaussian(Basis.FOURIER_DRAWN, "its frequencies are normal"),
            **FREQUENCIES,
            (
                "Basis.FOURIER_DRAWN stores no frequencies: dtype= is the type they are computed"
                " in, float32 or float64"
            ): lacks(Dtype.FLOAT32, Dtype.FLOAT64),
            **_DENSE_ROWS,
        },
        longest_step="O(B d) with B d normal draws, every step",
    ),
    Basis.NYSTROM: BasisTraits(
        score="bases.nystrom_score",
        admit="bases.nystrom_admit",
        parameters=("eta2", "rank"),
        regions=("nystrom", "kernel_row", "column", "feature_map", "work", "work2"),
        ahead=("rows_ahead", "values_ahead", "features_ahead"),
        refuses={
            **_NO_RING,
            (
                "Basis.NYSTROM cannot be combined with Projection.BALL: the norm changes with the"
                " basis"
            ): has(Projection.BALL),
            (
                "Basis.NYSTROM needs Update.GRADIENT: it has its own step size after the change of"
                " basis"
            ): lacks(Update.GRADIENT),
            "Basis.NYSTROM cannot be combined with Schedule.DECAY": has(Schedule.DECAY),
            "averaging cannot be combined with Basis.NYSTROM: the basis changes meanwhile": has(
                Averaging.MEAN
            ),
            "{rank} must be at most the {budget}: there are no more eigenfunctions": (
                lambda c: c.values["rank"] > c.budget
            ),
            (
                "coefficients must be float64 for Basis.NYSTROM: its map to features outweighs them"
            ): lacks(Coefficients.FLOAT64),
        },
        longest_step="O(B^2 d + B^3), once, when the ring is full",
    ),
}
