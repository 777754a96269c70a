"""Invalid compositions, each with a sentence that says why: by part, and a few general ones."""

from __future__ import annotations

import math

from edgeolk.parts.numbers import Basis, Projection, Rows, Update
from edgeolk.parts.policies import POLICIES, PolicyTraits
from edgeolk.parts.refusals import SHARED, refuse_by
from edgeolk.parts.table import TRAITS
from edgeolk.parts.traits import Facts, Refusals, both, has, lacks, spoken
from edgeolk.parts.updates import UPDATES, UpdateTraits

#: Updates, and policies, that support several classes.
_UPDATES = {update: row for update, row in UPDATES.items() if row.classes}
_POLICIES = [policy for policy, row in POLICIES.items() if row.columns is not None]


def _update(config: Facts) -> UpdateTraits:
    return UPDATES[config.parts["update"]]


def _policy(config: Facts) -> PolicyTraits:
    return POLICIES[config.parts["policy"]]


def _losses() -> str:
    """The losses for several classes: those of most updates, then the updates with other ones."""
    taken = [row.classes for row in _UPDATES.values()]
    common = max(taken, key=taken.count)
    text = spoken(common)
    for loss in dict.fromkeys(loss for losses in taken for loss in losses):
        if loss not in common:
            takes = [update for update, row in _UPDATES.items() if loss in row.classes]
            text += f", or {spoken([loss])} with {spoken(takes)}"
    return text


#: Rules that compare parameters or several parts.
GENERAL: Refusals = {
    "only the width of 'sorf' follows the rows: this model would have to restart": (
        lambda c: c.preprocessing.follows
    ),
    "sparse=True cannot be combined with scale=: scaled rows have no zeros": both(
        lacks(Rows.DENSE), lambda c: c.preprocessing.method > 0
    ),
    (
        "Update.PEGASOS sets the common scale itself: {lam} > 0, no projection, and no policy that"
        " scales"
    ): both(
        has(Update.PEGASOS),
        lambda c: (
            _policy(c).scales or c.parts["projection"] != Projection.NONE or c.values["lam"] == 0.0
        ),
    ),
    f"several classes need {spoken(_UPDATES)}: the other updates support two classes": (
        lambda c: c.columns > 1 and not _update(c).classes
    ),
    f"several classes need {_losses()}": (
        lambda c: c.columns > 1 and c.parts["loss"] not in _update(c).classes
    ),
    "several classes need a ring of support vectors, or 'sorf'": (
        lambda c: c.columns > 1 and c.parts["basis"] != Basis.SUPPORT_VECTORS
    ),
    f"several classes need {spoken(_POLICIES)}: the other policies use one coefficient per slot": (
        lambda c: c.columns > 1 and _policy(c).columns is None
    ),
    "{eta} * {lam} must be below 1, or the shrinkage turns the model over": (
        lambda c: (
            c.values.get("eta", 0.0) * c.values.get("lam", 0.0) >= 1.0
            and c.parts["update"] == Update.GRADIENT
        )
    ),
    "{eps} must be at least half the {rate}": both(
        has(Update.AGGRESSIVE),
        lambda c: c.values["eps"] < c.values["rate"] / 2.0,
    ),
    "{rate}=None takes the rate from the radius and needs a finite {U}": both(
        has(Update.AGGRESSIVE),
        lambda c: c.values["rate"] == 0.0 and not math.isfinite(c.values.get("U", math.inf)),
    ),
}


def sentences() -> set[str]:
    """All sentences, with the names of options in braces where they have values."""
    rows = [row.refuses for axis in TRAITS.values() for row in axis.values()]
    return {sentence for refuses in (*rows, SHARED, GENERAL) for sentence in refuses}


def refuse(config: Facts) -> None:
    """Raise ValueError with one sentence if the composition is invalid."""
    for axis, rows in TRAITS.items():
        part = config.parts[axis]
        refuse_by(config, rows[part].refuses)
        if rows[part].needs_definite and not config.kernel.definite:
            raise ValueError(f"{spoken([part])} needs a positive definite kernel, not a sigmoid")
    refuse_by(config, SHARED)
    refuse_by(config, GENERAL)
