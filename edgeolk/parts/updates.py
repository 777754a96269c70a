"""One row an update: when an example is used, and the coefficient it enters with.

A row names its functions in ``core/updates`` as "file.function":

- ``asks(s, e)``: whether the example is used;
- ``coefficient(s, e, p)``: the newcomer's coefficient, drawn with probability p;
- ``shrink(s, a, e)``: what it does to f before the newcomer enters (a = 0: it does not);
- ``begin(s, e)`` before and ``end(s, e)`` after every example, for updates with regions of their
  own; ``construct(s)`` fills these once.
"""

from __future__ import annotations

from dataclasses import dataclass

from edgeolk.parts.numbers import Loss, Policy, Projection, Update
from edgeolk.parts.traits import Part, lacks


@dataclass(frozen=True, kw_only=True)
class UpdateTraits(Part):
    """What is true of an update.

    Attributes
    ----------
    asks, coefficient, shrink, begin, end, construct : str
        Functions of the core, "" for none.
    scales : bool
        Old coefficients shrink even where no parameter says so.
    sets_scale : bool
        It sets the common scale itself: nothing else may change it.
    """

    asks: str
    coefficient: str
    shrink: str = ""
    begin: str = ""
    end: str = ""
    construct: str = ""
    scales: bool = False
    sets_scale: bool = False


ANCHOR_AND_OPTIMISTIC = (
    "Policy.ANCHOR and Update.OPTIMISTIC need each other: the rate is made from what the policy"
    " measures"
)
_HAS_LOGISTIC_LOSS = (
    lacks("loss", Loss.LOGISTIC),
    "the updates Update.LOGISTIC... need Loss.LOGISTIC: it is built into them",
)
_NEEDS_SPAN = (
    lacks("policy", Policy.SPAN),
    "the Projectron++ updates need Policy.SPAN: a margin error is a step within the span",
)
_PA = {
    "asks": "passive_aggressive.passive_aggressive_asks",
    "coefficient": "passive_aggressive.passive_aggressive_coefficient",
}
_LOGISTIC = {"asks": "logistic.logistic_asks", "coefficient": "logistic.logistic_coefficient"}
_MARGIN = {"asks": "margin.margin_asks", "coefficient": "margin.unit_coefficient"}

UPDATES: dict[Update, UpdateTraits] = {
    Update.PERCEPTRON: UpdateTraits(
        asks="margin.perceptron_asks", coefficient="margin.unit_coefficient"
    ),
    Update.AGGRESSIVE: UpdateTraits(
        asks="margin.aggressive_asks",
        coefficient="margin.aggressive_coefficient",
        parameters=("rate", "eps"),
    ),
    Update.PA: UpdateTraits(**_PA),
    Update.PA1: UpdateTraits(**_PA, parameters=("C",)),
    Update.PA2: UpdateTraits(**_PA, parameters=("C",)),
    Update.GRADIENT: UpdateTraits(
        asks="gradient.gradient_asks",
        coefficient="gradient.gradient_coefficient",
        shrink="gradient.gradient_shrink",
        parameters=("eta", "lam"),
    ),
    Update.SPARSE_PA: UpdateTraits(**_PA, parameters=("eta",)),
    Update.SHIFTING: UpdateTraits(
        asks="margin.perceptron_asks",
        coefficient="margin.shifting_coefficient",
        shrink="margin.shifting_shrink",
        scales=True,
        parameters=("shift",),
    ),
    Update.MARGIN: UpdateTraits(**_MARGIN),
    Update.PROJECTRON_JMLR: UpdateTraits(**_MARGIN, parameters=("U",), refuses=(_NEEDS_SPAN,)),
    Update.PROJECTRON_ICML: UpdateTraits(**_MARGIN, parameters=("U",), refuses=(_NEEDS_SPAN,)),
    Update.PEGASOS: UpdateTraits(
        asks="margin.margin_asks",
        coefficient="pegasos.pegasos_coefficient",
        shrink="pegasos.pegasos_shrink",
        sets_scale=True,
        parameters=("lam",),
    ),
    Update.LOGISTIC: UpdateTraits(**_LOGISTIC, parameters=("eta",), refuses=(_HAS_LOGISTIC_LOSS,)),
    Update.LOGISTIC_SHIFT: UpdateTraits(
        **_LOGISTIC, parameters=("eta", "boost"), refuses=(_HAS_LOGISTIC_LOSS,)
    ),
    Update.LOGISTIC_SCALE: UpdateTraits(
        **_LOGISTIC, parameters=("eta", "boost"), refuses=(_HAS_LOGISTIC_LOSS,)
    ),
    Update.LOGISTIC_CUT: UpdateTraits(
        **_LOGISTIC, parameters=("eta", "delta"), refuses=(_HAS_LOGISTIC_LOSS,)
    ),
    Update.OPTIMISTIC: UpdateTraits(
        asks="margin.margin_asks",
        coefficient="optimistic.optimistic_coefficient",
        begin="optimistic.optimistic_begin",
        end="optimistic.optimistic_end",
        parameters=("U", "window", "coe"),
        regions=("window", "window_labels"),
        refuses=(
            (lacks("policy", Policy.ANCHOR), ANCHOR_AND_OPTIMISTIC),
            (
                lambda c: c.values["U"] == float("inf"),
                "Update.OPTIMISTIC needs a finite U: its rate is a part of it",
            ),
            (
                lacks("projection", Projection.BALL),
                "Update.OPTIMISTIC needs Projection.BALL: its rate is a part of the radius U",
            ),
        ),
    ),
}
