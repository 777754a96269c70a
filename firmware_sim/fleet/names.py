"""Names of boards and configurations, which become parts of file names."""

from __future__ import annotations

from firmware_sim.errors import SimulatorError


def check_name(name: str) -> None:
    """Refuse a name that cannot be part of a file name.

    name: of a board or a configuration.
    Raises SimulatorError: it is empty, starts with a dot, or holds a slash or characters that
        cannot be printed.
    """
    if not name or name.startswith(".") or "/" in name or not name.isprintable():
        raise SimulatorError(
            f"{name!r} cannot be the name of a board or configuration: model files are named "
            "after it, so it must not be empty, contain a slash or start with a dot"
        )
