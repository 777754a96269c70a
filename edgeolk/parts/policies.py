"""One row per budget policy, projection (a bound on the function) and kind of averaging.

A policy decides what happens when the ring is full. Its row names its function in ``ring/policies``
as "file.function": ``admit(ring, a, e)`` adds a k(x, .) to f within the budget, and returns False
if it left the model unchanged.

The policy of a kernel adaptive filter names two in place of it, which are asked at every row:
``novel(ring, e)`` says whether the row enters, and ``victim(ring, e)`` which slot of a full ring it
takes, NO_SLOT for the row itself. What then happens to the coefficients is the update's step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from edgeolk.parts.numbers import Averaging, Coefficients, KernelKind, Policy, Projection, Update
from edgeolk.parts.traits import Part, has, lacks, spoken
from edgeolk.parts.updates import ANCHOR_AND_OPTIMISTIC

#: The longest step if a removal costs no more than the kernel row of every step.
ROW = "O(B d), every step"


@dataclass(frozen=True, kw_only=True)
class PolicyTraits(Part):
    """The row of a budget policy."""

    #: Functions of the core, "" for none.
    admit: str = ""
    novel: str = ""
    victim: str = ""
    #: Whether no vector enters once the ring is full.
    freezes: bool = False
    #: Whether it removes support vectors.
    removes: bool = True
    #: Whether coefficients of remaining support vectors may change.
    changes_old: bool = False
    #: Whether it changes the common scale.
    scales: bool = False
    #: Whether it needs ||f||^2.
    needs_norm: bool = False
    #: Whether ||f||^2 is updated by increments when it acts; else it is recomputed each time.
    follows_norm: bool = True
    #: Whether it counts removals itself, until it recomputes its matrices.
    counts_exchanges: bool = False
    #: Whether the incoming vector is scored in a spare slot.
    spare_slot: bool = False
    #: Whether novelty detection can follow the stream with it (``Loss.NOVELTY``).
    follows_change: bool = False
    #: Whether the step that fills the ring empties a part of it.
    never_full: bool = False
    #: Whether region "factor" is a factor with positive pivots, not the Gram matrix.
    factor_pivots: bool = False
    #: Whether the cost of its removals, ``forgetron_q``, is at most 15/32 per mistake.
    bounds_cost: bool = False
    #: Regions it needs if a slot has several coefficients; None if it supports only one.
    columns: tuple[str, ...] | None = None
    #: Formula in B, d and the parameters in braces, and when it happens.
    longest_step: str = ROW

    @property
    def is_filter(self) -> bool:
        """Whether it is that of a kernel adaptive filter."""
        return bool(self.novel)


def _filter(updates: tuple[Update, ...], **fields: Any) -> PolicyTraits:
    """The row of a policy of kernel adaptive filters with these updates."""
    return PolicyTraits(
        changes_old=True,
        refuses={f"this policy needs {spoken(updates)}": lacks(*updates)},
        **fields,
    )


_PERCEPTRON_ONLY = {
    "the Forgetron policies need Update.PERCEPTRON: their shrinking is paid for by mistakes": lacks(
        Update.PERCEPTRON
    ),
}
_TWO = {"{budget} must be at least 2 for this policy": lambda c: c.budget < 2}
_SOLVES = {
    (
        "coefficients must be float64 for this policy: it solves linear systems with them, and its"
        " matrices outweigh them"
    ): lacks(Coefficients.FLOAT64),
}

POLICIES: dict[Policy, PolicyTraits] = {
    Policy.STOP: PolicyTraits(
        admit="replacement.admit_free", freezes=True, removes=False, columns=()
    ),
    Policy.RAISE: PolicyTraits(
        admit="replacement.admit_free", freezes=True, removes=False, columns=()
    ),
    Policy.OLDEST: PolicyTraits(
        admit="replacement.admit_replacing_oldest", follows_change=True, columns=()
    ),
    Policy.SMALLEST: PolicyTraits(
        admit="replacement.admit_replacing_smallest",
        follows_change=True,
        regions=("arrivals",),
        columns=("work",),
    ),
    Policy.RANDOM: PolicyTraits(
        admit="replacement.admit_replacing_random", follows_change=True, columns=()
    ),
    Policy.FORGETRON: PolicyTraits(
        admit="forgetron.admit_forgetron",
        scales=True,
        bounds_cost=True,
        regions=("forgetron", "column"),
        refuses=_PERCEPTRON_ONLY,
        longest_step="2 O(B d), at a mistake on a full ring",
    ),
    Policy.FORGETRON_BASIC: PolicyTraits(
        admit="forgetron.admit_forgetron_basic",
        scales=True,
        needs_norm=True,
        parameters=("U",),
        regions=("forgetron", "column", "diagonal"),
        refuses=_PERCEPTRON_ONLY,
        longest_step="2 O(B d), at a mistake on a full ring",
    ),
    Policy.FORGETRON_GREEDY: PolicyTraits(
        admit="forgetron.admit_forgetron_greedy",
        scales=True,
        bounds_cost=True,
        regions=("forgetron", "kernel_row", "column", "arrivals", "scores", "work"),
        refuses={
            **_PERCEPTRON_ONLY,
            (
                "coefficients must be float64 for Policy.FORGETRON_GREEDY: it keeps f of every"
                " support vector by increments"
            ): lacks(Coefficients.FLOAT64),
        },
        longest_step="3 O(B d), at a mistake on a full ring",
    ),
    Policy.SIMPLE: PolicyTraits(
        admit="budgeted_pa.admit_simple",
        columns=("work",),
        follows_norm=False,
        parameters=("allow_skip",),
        regions=("kernel_row", "diagonal"),
    ),
    Policy.NEAREST: PolicyTraits(
        admit="budgeted_pa.admit_nearest",
        columns=("work",),
        changes_old=True,
        follows_norm=False,
        parameters=("allow_skip", "singular"),
        regions=(
            *("kernel_row", "distance_row", "column", "diagonal"),
            *("nearest", "nearest_distance", "nearest_kernel"),
        ),
        longest_step="O(B^2 d), when all nearest neighbours have been removed",
    ),
    Policy.PROJECT: PolicyTraits(
        admit="budgeted_pa.admit_project",
        columns=(),
        changes_old=True,
        follows_norm=False,
        counts_exchanges=True,
        parameters=("allow_skip", "singular"),
        regions=("kernel_row", "inverse", "work", "work2", "column"),
        refuses=_SOLVES,
        longest_step="O(B^2 d + B^3), every 10 B exchanges",
    ),
    Policy.UNBIASED: PolicyTraits(
        admit="replacement.admit_unbiased",
        follows_change=True,
        columns=(),
        scales=True,
        parameters=("growth",),
        refuses=_TWO,
    ),
    Policy.UNBIASED_BY_SIZE: PolicyTraits(
        admit="replacement.admit_unbiased_by_size",
        scales=True,
        changes_old=True,
        follows_norm=False,
        regions=("work", "diagonal"),
        refuses=_TWO,
    ),
    Policy.HALVE: PolicyTraits(
        admit="halving.admit_halving",
        columns=("pulls",),
        scales=True,
        changes_old=True,
        needs_norm=True,
        parameters=("ridge", "rescale", "U"),
        regions=("halving", "kernel_row", "column", "gram", "work", "order"),
        refuses=_TWO | _SOLVES,
        longest_step="O(B^2 d + B^3), at a halving",
    ),
    Policy.SPAN: PolicyTraits(
        admit="projectron.admit_span",
        removes=False,
        changes_old=True,
        factor_pivots=True,
        parameters=("sparsity",),
        regions=("kernel_row", "factor", "work"),
        refuses=_SOLVES,
        longest_step="O(B d + B^2), at an update",
    ),
    Policy.LIGHTEST: PolicyTraits(
        admit="lightest.admit_lightest_removed",
        follows_change=True,
        columns=("work",),
        follows_norm=False,
        spare_slot=True,
        regions=("arrivals", "diagonal"),
    ),
    Policy.LIGHTEST_PROJECT: PolicyTraits(
        admit="lightest.admit_lightest_project",
        columns=(),
        changes_old=True,
        follows_norm=False,
        spare_slot=True,
        parameters=("ridge",),
        regions=("kernel_row", "factor", "gram", "work", "column", "arrivals", "diagonal"),
        refuses=_SOLVES,
        longest_step="O(B d + B^3), at an update of a full ring",
    ),
    Policy.MERGE: PolicyTraits(
        admit="lightest.admit_lightest_merged",
        follows_change=True,
        changes_old=True,
        follows_norm=False,
        spare_slot=True,
        parameters=("iters",),
        regions=("distance_row", "column", "arrivals", "work", "work2"),
        refuses={
            "Policy.MERGE needs the Gaussian kernel: two of its bumps merge into one": (
                lambda c: c.kernel.kind != KernelKind.GAUSSIAN
            ),
        },
        longest_step="O(B d) + 2 {iters} B exponentials, at an update of a full ring",
    ),
    Policy.ANCHOR: PolicyTraits(
        admit="projectron.admit_anchored",
        scales=True,
        changes_old=True,
        needs_norm=True,
        never_full=True,
        factor_pivots=True,
        parameters=("U", "b0", "ald"),
        regions=("halving", "hints", "kernel_row", "column", "factor", "work"),
        refuses={
            ANCHOR_AND_OPTIMISTIC: lacks(Update.OPTIMISTIC),
            **_TWO,
            **_SOLVES,
        },
        longest_step="O(B^2 d + {hint_rows} B d), at a halving",
    ),
    Policy.QUANTISED: PolicyTraits(
        admit="quantised.admit_quantised",
        removes=False,
        changes_old=True,
        follows_norm=False,
        columns=(),
        parameters=("radius",),
        regions=("kernel_row", "distance_row"),
    ),
    Policy.COHERENT: _filter(
        (Update.NORMALISED, Update.AFFINE),
        novel="admission.is_incoherent",
        removes=False,
        parameters=("coherence",),
        longest_step="O({last_rows} B d)",
    ),
    Policy.DEPENDENT: _filter(
        (Update.RECURSIVE,),
        novel="admission.is_independent",
        removes=False,
        factor_pivots=True,
        parameters=("dependence",),
        longest_step="O(B d + B^2), every step",
    ),
    Policy.SLIDING: _filter(
        (Update.RIDGE,),
        novel="admission.is_bordered",
        victim="admission.oldest",
        counts_exchanges=True,
        longest_step="O(B^2 d + B^3), every B exchanges",
    ),
    Policy.LEAST_ERROR: _filter(
        (Update.RIDGE,),
        novel="admission.is_bordered",
        victim="admission.least_error",
        counts_exchanges=True,
        longest_step="O(B^2 d + B^3), every B exchanges",
    ),
    Policy.LEAST_CHANGE: _filter(
        (Update.POSTERIOR, Update.WHITENED, Update.UNTUNED),
        novel="admission.is_outside",
        victim="admission.least_needed",
        counts_exchanges=True,
        longest_step="O(B^2 d + B^3), every 10 B exchanges",
    ),
    Policy.LEAST_DIVERGENCE: _filter(
        (Update.POSTERIOR, Update.WHITENED),
        novel="admission.is_outside",
        victim="admission.least_needed",
        counts_exchanges=True,
        longest_step="O(B^2 d + B^3), every 10 B exchanges",
    ),
}


@dataclass(frozen=True, kw_only=True)
class ProjectionTraits(Part):
    """The row of a projection."""

    #: Function in ``ring`` as "file.function", "" for none: ``bound(ring, e)``.
    bound: str = ""
    #: Whether the bound is a radius U; an infinite one bounds nothing.
    radial: bool = False
    #: Whether it needs ||f||^2.
    needs_norm: bool = False


_CLIPS = {
    (
        "Projection.CLIP and Projection.SHRINK need Update.GRADIENT: the bound is clip_coefficients"
        " times eta"
    ): lacks(Update.GRADIENT),
}

PROJECTIONS: dict[Projection, ProjectionTraits] = {
    Projection.NONE: ProjectionTraits(),
    Projection.BALL: ProjectionTraits(
        bound="projection.clamp_to_ball", radial=True, needs_norm=True, parameters=("U",)
    ),
    Projection.COEFFICIENTS: ProjectionTraits(
        bound="projection.bound_coefficients",
        radial=True,
        parameters=("U",),
        regions=("diagonal",),
    ),
    Projection.CLIP: ProjectionTraits(
        bound="projection.clip_each", parameters=("clip_coefficients",), refuses=_CLIPS
    ),
    Projection.SHRINK: ProjectionTraits(
        bound="projection.shrink_all", parameters=("clip_coefficients",), refuses=_CLIPS
    ),
}

AVERAGINGS: dict[Averaging, Part] = {
    Averaging.NONE: Part(),
    Averaging.MEAN: Part(
        regions=("averaging", "mean_start", "mean_coefficients"),
        refuses={
            (
                "averaging needs a policy that never removes a support vector: the mean of the"
                " models would need the removed ones"
            ): (lambda c: POLICIES[c.parts["policy"]].removes),
            "averaging cannot be combined with Projection.CLIP: it moves single coefficients": has(
                Projection.CLIP
            ),
        },
    ),
}
