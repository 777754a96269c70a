"""``history="auto"``: what a learner of rows in order does by itself."""

from __future__ import annotations

from edgeolk.lean import Any
from edgeolk.parts.numbers import Loss

AUTO = "auto"


def with_history(params: dict[str, Any], algorithm: Any, n_classes: int | None) -> dict[str, Any]:
    """The arguments, with what ``history="auto"`` stands for in its place.

    A forecaster for targets; for classes the last label as one more candidate, unless
    ``last_label`` is given. Raises ValueError: it is another word.
    """
    history = params.get("history")
    if not isinstance(history, str):
        return params
    if history != AUTO:
        raise ValueError(f"history must be True, False or {AUTO!r}, got {history!r}")
    rest = {name: value for name, value in params.items() if name != "history"}
    loss = rest.get("loss", "hinge")
    name = (loss.name if isinstance(loss, Loss) else str(loss)).lower()
    if algorithm is not None and getattr(algorithm, "name", algorithm) not in ("sorf", "SORF"):
        return rest
    if name == "square":
        return {**rest, "history": True}
    if name == "hinge":
        return {"last_label": True, **rest}
    return rest
