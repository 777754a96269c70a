"""Invalid compositions, each with a sentence that says why: by part, and a few general ones."""

from __future__ import annotations

import math
from collections.abc import Mapping

from edgeolk.parts.numbers import Basis, Dtype, KernelKind, Projection, Rows, Update
from edgeolk.parts.parameters import shown
from edgeolk.parts.policies import POLICIES, PolicyTraits
from edgeolk.parts.table import TRAITS
from edgeolk.parts.traits import Condition, Facts, Refusals, both, has, lacks, spoken
from edgeolk.parts.updates import UPDATES, UpdateTraits

#: Updates, and policies, that support several classes.
_UPDATES = {update: row for update, row in UPDATES.items() if row.classes}
_SORF_UPDATES = [update for update, row in _UPDATES.items() if row.is_sorf]
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
    for update, row in _UPDATES.items():
        if set(row.classes) < set(common):
            text += f"; with {spoken([update])} {spoken(row.classes)}"
    return text


#: Rules that compare parameters or several parts.
GENERAL: Refusals = {
    "gamma='auto' needs a kernel with a width: Gaussian or Laplacian": (
        lambda c: (
            c.preprocessing.gamma_rows > 0
            and c.kernel.kind not in (KernelKind.GAUSSIAN, KernelKind.LAPLACIAN)
        )
    ),
    "a width that follows the rows needs scale= and structured features, as in 'sorf'": (
        lambda c: (
            c.preprocessing.follows
            and not (
                _update(c).is_sorf and c.preprocessing.method and not c.preprocessing.gamma_rows
            )
        )
    ),
    "float64 rows need statistics in float64": both(
        has(Dtype.FLOAT64), lambda c: c.preprocessing.compact
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
    (
        f"several classes need a ring of support vectors, or {spoken(_SORF_UPDATES)}"
    ): (
        lambda c: (
            c.columns > 1
            and not _update(c).is_sorf
            and c.parts["basis"] != Basis.SUPPORT_VECTORS
        )
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
    "{eps} must be at least half the rate, {rate}": both(
        has(Update.AGGRESSIVE),
        lambda c: c.values["eps"] < c.values["rate"] / 2.0,
    ),
    "{rate}=None takes the rate from the radius and needs a finite {U}": both(
        has(Update.AGGRESSIVE),
        lambda c: c.values["rate"] == 0.0 and not math.isfinite(c.values.get("U", math.inf)),
    ),
}


def sentences() -> set[str]:
    """All sentences, with the stored names of parameters in braces where they have values."""
    rows = [row.refuses for axis in TRAITS.values() for row in axis.values()]
    return {sentence for refuses in (*rows, GENERAL) for sentence in refuses}


def refuse(config: Facts) -> None:
    """Raise ValueError with one sentence if the composition is invalid."""
    for axis, rows in TRAITS.items():
        _refuse(config, rows[config.parts[axis]].refuses)
    _refuse(config, GENERAL)


def _refuse(config: Facts, refuses: Mapping[str, Condition]) -> None:
    # No `.items()`: CPython crashes if allocating the pair fails (test_out_of_memory).
    for sentence in refuses:
        if refuses[sentence](config):
            raise ValueError(_named(config, sentence))


def _named(config: Facts, sentence: str) -> str:
    """A sentence with the public names of the parameters in braces, and their values."""
    stored = [text.partition("}")[0] for text in sentence.split("{")[1:]]
    names = {name: config.public.get(name, name) for name in stored}
    numbers: dict[str, float] = {**config.values, "budget": config.budget}
    values = []
    for name in filter(numbers.__contains__, names):
        value = config.budget if name == "budget" else shown(name, numbers[name])
        number = f"{value:g}" if isinstance(value, float) else repr(value)
        values.append(f"{names[name]}={number}")
    return sentence.format_map(names) + (f"; got {', '.join(values)}" if values else "")
