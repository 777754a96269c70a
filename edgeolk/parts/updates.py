"""One row per update: when an example is used, and its coefficient.

A row names its functions in ``ring`` as "file.function":

- ``asks(s, e)``: whether the example is used;
- ``coefficient(s, e, p)``: the incoming vector's coefficient, if it is sampled with probability p;
- ``shrink(s, a, e)``: changes f before the incoming vector enters (a = 0: it does not enter);
- ``begin(s, e)`` before and ``end(s, e)`` after every example, for updates with their own regions;
  ``construct(s)`` initialises these.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from edgeolk.parts.numbers import (
    Loss,
    Policy,
    Projection,
    Update,
)
from edgeolk.parts.traits import Part, lacks


@dataclass(frozen=True, kw_only=True)
class UpdateTraits(Part):
    """The row of an update."""

    #: Functions of the core, "" for none.
    asks: str
    coefficient: str
    shrink: str = ""
    begin: str = ""
    end: str = ""
    construct: str = ""
    #: Whether old coefficients shrink even if no parameter says so.
    scales: bool = False
    #: The losses with which it supports several classes.
    classes: tuple[Loss, ...] = ()
    #: Why rows cannot be weighted, "" if they can.
    weighs: str = ""
    #: The largest weight of a row.
    max_weight: float = 1e6
    #: Numbers that an update stores for each coefficient, in ``s.per_update`` of shape (per_update,
    #: weights) and float64; initially 0 unless ``construct`` sets them.
    per_update: int = 0


ANCHOR_AND_OPTIMISTIC = (
    "Policy.ANCHOR and Update.OPTIMISTIC need each other: the rate depends on what the policy"
    " measures"
)
_HAS_LOGISTIC_LOSS = {
    "the updates Update.LOGISTIC... need Loss.LOGISTIC: it is built into them": lacks(
        Loss.LOGISTIC
    ),
}
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
    asks="updates.passive_aggressive_asks",
)
_logistic = partial(
    UpdateTraits,
    asks="updates.logistic_asks",
    coefficient="updates.logistic_coefficient",
    refuses=_HAS_LOGISTIC_LOSS,
)
_margin = partial(
    UpdateTraits,
    asks="updates.margin_asks",
    coefficient="updates.unit_coefficient",
    weighs=_UNIT,
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
        parameters=("eta", "lam"),
    ),
    Update.SPARSE_PA: _passive_aggressive(
        coefficient="updates.sparse_pa_coefficient", parameters=("eta",)
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
}
