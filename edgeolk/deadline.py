"""The longest step of a composition, in B and d: what a loop with a deadline has to wait for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from edgeolk.parts import Basis, Policy

if TYPE_CHECKING:
    from edgeolk.config import Config

#: A step scores the row, O(B d), and may make room. What that costs where it is more than O(B d).
ROOM: dict[Policy, str] = {
    Policy.FORGETRON: "2 O(B d), at a mistake on a full ring",
    Policy.FORGETRON_BASIC: "2 O(B d), at a mistake on a full ring",
    Policy.FORGETRON_GREEDY: "3 O(B d), at a mistake on a full ring",
    Policy.HALVE: "O(B^2 d + B^3), at a halving",
    Policy.SPAN: "O(B d + B^2), at an update",
    Policy.NEAREST: "O(B^2 d), when every nearest neighbour has left",
    Policy.PROJECT: "O(B^2 d + B^3), every 10 B exchanges",
    Policy.LIGHTEST_PROJECT: "O(B d + B^3), at an update of a full ring",
    Policy.MERGE: "O(B d) + 2 {iters} B exponentials, at an update of a full ring",
    Policy.ANCHOR: "O(B^2 d + {window} B d), at a halving",
}
#: Likewise for feature bases, where B is the number of frequencies or of landmarks.
BASES: dict[Basis, str] = {
    Basis.FOURIER: "O(B d), every step",
    Basis.NYSTROM: "O(B^2 d + B^3), once, when the ring is full",
}
ROW = "O(B d), every step"
#: A norm kept by increments is computed anew after so many removals.
RENEWAL = "O(B^2 d), when the norm is renewed"


def longest_step(config: Config) -> str:
    """The longest step as a formula, and when it comes.

    Parameters
    ----------
    config : Config
        A checked configuration.

    Returns
    -------
    str
        Such as ``"O(B^2 d + B^3), at a halving"``.
    """
    basis = Basis(config.parts["basis"])
    formula = BASES.get(basis) or ROOM.get(Policy(config.parts["policy"]), ROW)
    formula = formula.format(**{name: int(value) for name, value in _whole(config).items()})
    if config.tracks_norm and config.removes and "B^2 d" not in formula:
        return RENEWAL if "^" not in formula and "exp" not in formula else f"{formula}; {RENEWAL}"
    return formula


def _whole(config: Config) -> dict[str, float]:
    return {name: config.values.get(name, 0.0) for name in ("iters", "window")}
