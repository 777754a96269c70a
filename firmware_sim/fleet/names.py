"""Names that files can be called after."""

from __future__ import annotations

from firmware_sim.errors import SimulatorError


def check_name(name: str) -> None:
    """See to it that a name can be part of a file's.

    Raises
    ------
    SimulatorError
        It cannot.
    """
    if not name or name.startswith(".") or "/" in name or not name.isprintable():
        raise SimulatorError(
            f"{name!r} cannot name a board or a configuration: files of models are called after "
            "them, so no slash, no dot in front, and something at all"
        )
