"""One row per basis: the functions whose weighted sum is learned.

A row names its functions in ``core/bases`` as "file.function":

- ``score(s, x, coef, row)``: sum_i coef[i] phi_i(x), the common scale left out; phi(x) is kept for
  ``admit`` where row is not NULL;
- ``admit(s, a, e)``: brings a k(x, .) into f; for the ring the budget policy does;
- ``construct(s)``: draws what construction draws, if anything.
"""

from __future__ import annotations

from functools import partial

from edgeolk.lean import dataclass
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
from edgeolk.parts.traits import Part, Refusals, both, has, lacks


@dataclass(frozen=True, kw_only=True)
class BasisTraits(Part):
    """What is true of a basis."""

    #: Functions of the core, "" for none.
    score: str
    admit: str = ""
    construct: str = ""
    #: Coefficients of a column for each member: support vector, frequency.
    per_member: int = 1
    #: Vectors of the input space are stored ("support_vectors").
    keeps_vectors: bool = True
    #: All ``budget`` members are there from construction.
    starts_full: bool = False
    #: A full basis admits nobody where the policy says so.
    freezes: bool = False
    #: Old coefficients may change.
    changes_old: bool = True
    #: Regions for rows that wait to be learned; () where none can.
    ahead: tuple[str, ...] = ()
    #: Instead of the policy's, if any.
    longest_step: str = ""
    #: What the budget is called for it, if not so; then 100 is its default.
    members: str = ""


#: No normal draw is larger: uniform draws of 53 bits take the tail to 12.3
#: (``core/loops/normals.h``).
MOST_NORMAL = 14.0


def most_gamma(most: float) -> float:
    """The largest width of a kernel whose frequencies are numbers that storage holds.

    sqrt(2 gamma) times the largest normal draw is ``most``, the largest number of the storage type.
    Of float64 less than half of the exponents are used, so that squares of frequencies are numbers.
    """
    return 0.5 * (min(most, 1e150) / MOST_NORMAL) ** 2


_FREQUENCIES = {
    (
        "gamma must be smaller for features: frequencies would be beyond what storage holds"
        f" (float16: {most_gamma(65519.0):.2g}, float64: {most_gamma(1e308):.2g})"
    ): (
        lambda c: (
            c.kernel.kind == KernelKind.GAUSSIAN
            and c.kernel.fields()[2] > most_gamma(c.storage.most)
        )
    ),
}
_NO_RING = {
    "a feature basis needs Policy.STOP: there is no ring to maintain": lacks(Policy.STOP),
    "a feature basis has no coefficients of support vectors to bound": lacks(
        Projection.NONE, Projection.BALL
    ),
    "a feature basis takes plain steps, not those of Update.PEGASOS or Update.SHIFTING": has(
        Update.PEGASOS, Update.SHIFTING
    ),
}
_WHOLE_ROWS = {
    "sparse rows are for support vectors: Fourier features read every number of a row": lacks(
        Rows.DENSE
    ),
}

#: Cosines and sines of D frequencies.
_features = partial(
    BasisTraits,
    admit="weights.admit_features",
    per_member=2,
    starts_full=True,
    members="D",
    regions=("kernel_row",),
)


def _needs_gaussian(basis: Basis, why: str) -> Refusals:
    """Features stand for a Gaussian kernel."""
    sentence = f"Basis.{basis.name} needs the Gaussian kernel: {why}"
    return {sentence: lambda c: c.kernel.kind != KernelKind.GAUSSIAN}


BASES: dict[Basis, BasisTraits] = {
    Basis.SUPPORT_VECTORS: BasisTraits(
        score="ring.ring_score",
        freezes=True,
        changes_old=False,
        ahead=("rows_ahead", "values_ahead"),
    ),
    Basis.FOURIER: _features(
        score="fourier.fourier_score",
        construct="fourier.fourier_construct",
        refuses={
            **_NO_RING,
            **_needs_gaussian(Basis.FOURIER, "its frequencies are normal"),
            **_FREQUENCIES,
            **_WHOLE_ROWS,
            "Basis.FOURIER cannot be stored as int8: frequencies are no readings with a range": has(
                Dtype.INT8
            ),
        },
        longest_step="O(B d), every step",
    ),
    Basis.STRUCTURED: _features(
        score="structured.structured_score",
        keeps_vectors=False,
        refuses={
            **_NO_RING,
            **_needs_gaussian(Basis.STRUCTURED, "its features are cosines and sines"),
            **_FREQUENCIES,
            "Basis.STRUCTURED stores weights as int8, float32 or float64": lacks(
                Dtype.INT8, Dtype.FLOAT32, Dtype.FLOAT64
            ),
            "Basis.STRUCTURED has weights in int8 with Update.BLENDED only": both(
                has(Dtype.INT8), lacks(Update.BLENDED)
            ),
            "sparse= is for support vectors: this learner stores no rows": lacks(Rows.DENSE),
        },
        longest_step="O(D d / 64 + D), twice that on a loss",
    ),
    Basis.FOURIER_DRAWN: _features(
        score="fourier.drawn_score",
        keeps_vectors=False,
        refuses={
            **_NO_RING,
            **_needs_gaussian(Basis.FOURIER_DRAWN, "its frequencies are normal"),
            **_FREQUENCIES,
            (
                "Basis.FOURIER_DRAWN stores no frequencies: dtype= is the type they are computed"
                " in, float32 or float64"
            ): lacks(Dtype.FLOAT32, Dtype.FLOAT64),
            **_WHOLE_ROWS,
        },
        longest_step="O(B d) with B d normal draws, every step",
    ),
    Basis.NYSTROM: BasisTraits(
        score="nystrom.nystrom_score",
        admit="nystrom.nystrom_admit",
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
            "averaging cannot be combined with Basis.NYSTROM: the basis changes on the way": has(
                Averaging.MEAN
            ),
            "k must be at most the budget: there are no more eigenfunctions": (
                lambda c: c.values["rank"] > c.budget
            ),
            (
                "coefficients must be float64 for Basis.NYSTROM: its map to features outweighs them"
            ): lacks(Coefficients.FLOAT64),
        },
        longest_step="O(B^2 d + B^3), once, when the ring is full",
    ),
}
