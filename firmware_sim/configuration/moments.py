"""Options on time: the delay of labels, and power cuts."""

from __future__ import annotations

from firmware_sim.errors import SimulatorError

_CUTS = "every=ROWS, at=ROW or random=SHARE, as in every=5000"


def label_delay(value: int | str) -> tuple[float, bool]:
    """Return the delay of labels, and whether it is in seconds.

    Raises SimulatorError: it is neither a number of rows nor of seconds.
    """
    text = str(value).strip()
    in_seconds = text.endswith("s")
    try:
        delay = float(text.removesuffix("s"))
    except ValueError:
        delay = -1.0
    if not 0.0 <= delay < float("inf") or (not in_seconds and delay != int(delay)):
        raise SimulatorError(
            f"label-delay is {value!r}, it must be a number of rows, as in 20, or of seconds, as "
            "in 90s"
        )
    return delay, in_seconds


def power_cut(text: str) -> tuple[str, float]:
    """Return kind and number of an option such as ``every=5000``.

    Raises SimulatorError: the option is invalid.
    """
    kind, _, number = text.partition("=")
    try:
        value = float(number)
    except ValueError:
        value = 0.0
    is_count = kind in ("every", "at") and value == int(value) and value >= 1
    if not (is_count or (kind == "random" and 0.0 < value < 1.0)):
        raise SimulatorError(f"power-cut is {text!r}, it must be {_CUTS}")
    return kind, value
