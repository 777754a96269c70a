"""One row per update: when an example is used, and its coefficient.

A row names its functions in ``ring`` as "file.function":

- ``asks(ring, e)``: whether the example is used;
- ``coefficient(ring, e, p)``: the incoming vector's coefficient, if it is sampled with
  probability p;
- ``shrink(ring, a, e)``: changes f before the incoming vector enters (a = 0: it does not enter);
- ``begin(ring, e)`` before and ``end(ring, e)`` after every example, for updates with their own
  regions; ``construct(ring)`` initialises these.

An update of a kernel adaptive filter names one function in place of these: ``step(ring, e)``, which
comes at every row, after the policy has decided whether the row enters (``e.slot``), and may change
every coefficient; and ``variance(ring, x)``, that of a target, if it knows it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from edgeolk.parts.kernels import Gaussian
from edgeolk.parts.numbers import (
    Averaging,
    Basis,
    Coefficients,
    Dtype,
    Loss,
    Policy,
    Projection,
    Rows,
    Sampling,
    Schedule,
    Update,
    by_axis,
)
from edgeolk.parts.traits import Condition, Part, Refusals, both, lacks, spoken


@dataclass(frozen=True, kw_only=True)
class UpdateTraits(Part):
    """The row of an update."""

    #: Functions of the core, "" for none.
    asks: str = ""
    coefficient: str = ""
    shrink: str = ""
    begin: str = ""
    end: str = ""
    construct: str = ""
    step: str = ""
    variance: str = ""
    #: The losses that it can follow.
    losses: tuple[Loss, ...] = (Loss.HINGE, Loss.RAMP)
    #: Whether old coefficients shrink even if no parameter says so.
    scales: bool = False
    #: The losses with which it supports several classes.
    classes: tuple[Loss, ...] = ()
    #: Why rows cannot be weighted, "" if they can.
    weighs: str = ""
    #: The largest weight of a row.
    max_weight: float = 1e6
    #: Numbers that an update stores for each coefficient, in ``ring.per_update`` of shape
    #: (per_update, weights) and float64; initially 0 unless ``construct`` sets them.
    per_update: int = 0
    #: The update that computes the same where this one is not exact enough, and when.
    stable: Update | None = None
    unstable: Condition | None = None
    #: The option that is added to k(x, x) in the stored inverse, "" for none.
    added: str = ""
    #: Whether it learns on boards, in exported C.
    exported: bool = False
    #: Whether it has kernel rows of its own: a score is not that of the basis.
    scores_itself: bool = False

    @property
    def is_filter(self) -> bool:
        """Whether it is that of a kernel adaptive filter."""
        return bool(self.step)


ANCHOR_AND_OPTIMISTIC = (
    "Policy.ANCHOR and Update.OPTIMISTIC need each other: the rate depends on what the policy"
    " measures"
)
_NEEDS_SPAN = {
    "the Projectron++ updates need Policy.SPAN: a margin error is a step within the span": lacks(
        Policy.SPAN
    ),
}
#: Losses of the margin between the row's class and the best other one.
_MARGINS = (Loss.HINGE, Loss.RAMP)
_UNIT = "the update sets the size of its steps"
_passive_aggressive = partial(
    UpdateTraits,
    classes=_MARGINS,
    losses=(Loss.HINGE, Loss.RAMP, Loss.EPSILON),
    asks="updates.passive_aggressive_asks",
)
_logistic = partial(
    UpdateTraits,
    losses=(Loss.LOGISTIC,),
    asks="updates.logistic_asks",
    coefficient="updates.logistic_coefficient",
)
_margin = partial(
    UpdateTraits,
    asks="updates.margin_asks",
    coefficient="updates.unit_coefficient",
    weighs=_UNIT,
)

#: What the updates of kernel adaptive filters have in common.
_ALONE = by_axis(Sampling.ALWAYS, Schedule.CONSTANT, Averaging.NONE, Projection.NONE)


_DOUBLE: Refusals = {
    "coefficients must be float64 for a kernel adaptive filter but krls_t and sogp": lacks(
        Coefficients.FLOAT64
    ),
}


def _filter(
    policies: tuple[Policy, ...], more: Refusals | None = None, **fields: Any
) -> UpdateTraits:
    """The row of a kernel adaptive filter, which supports these policies."""
    return UpdateTraits(
        losses=(Loss.SQUARE,),
        weighs="a step of a kernel adaptive filter is not defined for a weighted row",
        refuses={
            f"kernel adaptive filters need {spoken(policies)} for this update": lacks(*policies),
            (
                "kernel adaptive filters move all coefficients at every row: no sampling, schedule,"
                " averaging or projection"
            ): lambda c: {**c.parts, **_ALONE} != c.parts,
            "kernel adaptive filters need a ring of support vectors": lacks(Basis.SUPPORT_VECTORS),
            **(_DOUBLE if more is None else more),
        },
        **fields,
    )


UPDATES: dict[Update, UpdateTraits] = {
    Update.PERCEPTRON: UpdateTraits(
        asks="updates.perceptron_asks",
        coefficient="updates.unit_coefficient",
        classes=_MARGINS,
        weighs=_UNIT,
    ),
    Update.AGGRESSIVE: UpdateTraits(
        asks="updates.aggressive_asks",
        coefficient="updates.aggressive_coefficient",
        weighs=_UNIT,
        parameters=("rate", "eps"),
    ),
    Update.PA: _passive_aggressive(
        coefficient="updates.pa_coefficient",
        weighs="without slack every row is corrected fully",
    ),
    Update.PA1: _passive_aggressive(
        coefficient="updates.pa1_coefficient", parameters=("C",)
    ),
    Update.PA2: _passive_aggressive(
        coefficient="updates.pa2_coefficient", parameters=("C",)
    ),
    Update.GRADIENT: UpdateTraits(
        asks="updates.gradient_asks",
        coefficient="updates.gradient_coefficient",
        shrink="updates.gradient_shrink",
        classes=(*_MARGINS, Loss.LOGISTIC),
        losses=tuple(Loss),
        parameters=("eta", "lam"),
    ),
    Update.SPARSE_PA: _passive_aggressive(
        coefficient="updates.sparse_pa_coefficient", parameters=("eta",), losses=_MARGINS
    ),
    Update.SHIFTING: UpdateTraits(
        asks="updates.perceptron_asks",
        coefficient="updates.shifting_coefficient",
        shrink="updates.shifting_shrink",
        weighs=_UNIT,
        scales=True,
        parameters=("shift",),
    ),
    Update.MARGIN: _margin(classes=_MARGINS),
    Update.PROJECTRON_JMLR: _margin(parameters=("U",), refuses=_NEEDS_SPAN),
    Update.PROJECTRON_ICML: _margin(parameters=("U",), refuses=_NEEDS_SPAN),
    Update.PEGASOS: UpdateTraits(
        asks="updates.margin_asks",
        coefficient="updates.pegasos_coefficient",
        shrink="updates.pegasos_shrink",
        weighs=_UNIT,
        parameters=("lam",),
    ),
    Update.LOGISTIC: _logistic(parameters=("eta",), classes=(Loss.LOGISTIC,)),
    Update.LOGISTIC_SHIFT: _logistic(parameters=("eta", "boost")),
    Update.LOGISTIC_SCALE: _logistic(parameters=("eta", "boost")),
    Update.LOGISTIC_CUT: _logistic(parameters=("eta", "delta")),
    Update.OPTIMISTIC: UpdateTraits(
        asks="updates.margin_asks",
        coefficient="updates.optimistic_coefficient",
        begin="updates.optimistic_begin",
        end="updates.optimistic_end",
        weighs=_UNIT,
        parameters=("U", "hint_rows", "coe"),
        regions=("window", "window_labels"),
        refuses={
            ANCHOR_AND_OPTIMISTIC: lacks(Policy.ANCHOR),
            "Update.OPTIMISTIC needs a finite {U}: its rate is a part of it": (
                lambda c: c.values["U"] == float("inf")
            ),
            "Update.OPTIMISTIC needs Projection.BALL: its rate is a part of the radius U": lacks(
                Projection.BALL
            ),
        },
    ),
    Update.NORMALISED: _filter(
        (Policy.COHERENT,),
        step="filters.gradient.normalised_step",
        parameters=("eta", "ridge"),
        regions=("kernel_row", "diagonal"),
    ),
    Update.AFFINE: _filter(
        (Policy.COHERENT,),
        step="filters.gradient.affine_step",
        parameters=("eta", "ridge", "last_rows"),
        regions=(
            *("kernel_row", "diagonal", "hints", "window", "window_labels"),
            *("window_kernel", "window_gram", "work", "column"),
        ),
    ),
    Update.RECURSIVE: _filter(
        (Policy.DEPENDENT,),
        step="filters.recursive.recursive_step",
        more={
            **_DOUBLE,
            "{dependence} must be at least 0.01 unless dtype is 'float64': kernel values in single"
            " precision are not exact enough for less": both(
                lacks(Dtype.FLOAT64), lambda c: c.values["dependence"] < 0.01
            ),
        },
        per_update=1,
        needs_definite=True,
        regions=("kernel_row", "factor", "posterior", "work", "work2", "column"),
    ),
    Update.RIDGE: _filter(
        (Policy.SLIDING, Policy.LEAST_ERROR),
        step="filters.ridge.ridge_step",
        per_update=1,
        needs_definite=True,
        parameters=("ridge",),
        added="ridge",
        regions=("kernel_row", "inverse", "work", "work2", "column"),
    ),
    Update.POSTERIOR: _filter(
        (Policy.LEAST_CHANGE, Policy.LEAST_DIVERGENCE),
        step="filters.process.process_step",
        stable=Update.WHITENED,
        unstable=lambda c: (
            c.parts["coefficients"] != Coefficients.FLOAT64
            or c.values["noise"] < 1e-4
            or c.values["jitter"] < 1e-6
        ),
        variance="filters.process.process_variance",
        construct="filters.process.process_construct",
        exported=True,
        added="jitter",
        scales=True,
        needs_definite=True,
        parameters=("forgetting", "noise", "jitter"),
        regions=(
            *("kernel_row", "inverse", "posterior", "evidence", "work", "work2", "work3"),
            "column",
        ),
    ),
    Update.WHITENED: _filter(
        (Policy.LEAST_CHANGE, Policy.LEAST_DIVERGENCE),
        step="filters.process.process_step",
        variance="filters.process.process_variance",
        construct="filters.process.process_construct",
        exported=True,
        more={
            "{jitter} must be at least 1e-5 unless coefficients are float64": both(
                lacks(Coefficients.FLOAT64), lambda c: c.values["jitter"] < 1e-5
            ),
        },
        needs_definite=True,
        parameters=("forgetting", "noise", "jitter"),
        regions=(
            *("kernel_row", "whitening", "covariance", "coordinates", "evidence"),
            "whitened_rows",
        ),
    ),
    Update.UNTUNED: _filter(
        (Policy.LEAST_CHANGE,),
        step="filters.untuned.untuned_step",
        variance="filters.untuned.untuned_variance",
        construct="filters.untuned.untuned_construct",
        exported=True,
        scores_itself=True,
        parameters=("lags", "delay"),
        more={
            "krls_auto needs a Gaussian kernel, of which it learns a width for each input": (
                lambda c: not isinstance(c.kernel, Gaussian)
            ),
            "krls_auto scales and clips inputs itself: it takes no scale= and no clip_rows=": (
                lambda c: c.preprocessing.reshapes or c.preprocessing.gamma_rows > 0
            ),
            "krls_auto needs dtype='float32' or 'float64', and coefficients= of the same type": (
                lambda c: int(c.parts["dtype"]) != int(c.parts["coefficients"])
            ),
            "krls_auto reads every number of a row: sparse must not be True": lacks(Rows.DENSE),
            "horizon= is for lags=: without targets as inputs no row waits for one": (
                lambda c: c.values["delay"] > 1 and not c.values["lags"]
            ),
        },
        regions=(
            *("kernel_row", "whitening", "posterior_factor", "coordinates", "tracking", "origin"),
            *("input_scales", "tracker_rows"),
        ),
    ),
}
