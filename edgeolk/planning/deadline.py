"""The longest step of a composition, in B and d: what a loop with a deadline must allow for."""

from __future__ import annotations

from edgeolk.configuration.resolved import Resolved

#: A norm that is kept by increments is computed afresh now and then, against rounding.
RENEWAL = "O(B^2 d), when the norm is renewed"


def longest_step(config: Resolved) -> str:
    """The longest step as a formula, and when it comes.

    Parameters
    ----------
    config : Resolved
        A checked configuration.

    Returns
    -------
    str
        Such as ``"O(B^2 d + B^3), at a halving"``; K is the number of classes.
    """
    formula = config.basis.longest_step or config.policy.longest_step
    formula = formula.format(
        **{name: int(config.values.get(name, 0.0)) for name in ("iters", "window")}
    )
    if config.columns > 1 and not config.update.whole:
        formula = formula.replace("O(B d", "O(B d + B K")
    if config.tracks_norm and config.removes and "B^2 d" not in formula:
        return RENEWAL if "^" not in formula and "exp" not in formula else f"{formula}; {RENEWAL}"
    return formula
