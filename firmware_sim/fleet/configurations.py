"""The learners of a fleet, from a TOML or JSON file with a table for each."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from firmware_sim.configuration.config import ReplayConfig
from firmware_sim.configuration.fields import OPTIONS, Fields
from firmware_sim.configuration.option import TABLE
from firmware_sim.errors import SimulatorError
from firmware_sim.fleet.manifest import Board, check_name
from firmware_sim.kinds import KINDS

#: The options that a table may contain: those of the firmware.
FIELDS = tuple(name for name, one in OPTIONS.items() if one.where >= TABLE)
#: Allowed types of a value by the words of its field's annotation, and their names in messages.
_TYPES: dict[str, tuple[tuple[type, ...], str]] = {
    "str": ((str,), "text"),
    "int": ((int,), "a whole number"),
    "float": ((float, int), "a number"),
    "Mapping": ((dict,), "a table"),
    "tuple": ((list,), "a list of labels"),
    "bool": ((bool,), "true or false"),
}


@dataclass(frozen=True)
class Configuration:
    """One learner of a fleet.

    Attributes
    ----------
    name : str
        Its name in reports.
    fields : mapping
        Values of the `FIELDS` of `ReplayConfig`.
    """

    name: str
    fields: Mapping[str, Any] = field(default_factory=dict)

    def on(self, stream: str, options: Mapping[str, Any]) -> ReplayConfig:
        """Return the configuration of a replay of one stream.

        Raises SimulatorError: a field has an invalid value.
        """
        fields = {**self.fields, **options}
        for option, value in fields.items():
            if isinstance(value, list) and option in OPTIONS and OPTIONS[option].several:
                fields[option] = tuple(map(str, value))
        try:
            return ReplayConfig(stream, **fields)
        except TypeError as error:
            raise SimulatorError(f"configuration {self.name!r}: {error}") from None


def read_configurations(path: str | Path) -> list[Configuration]:
    """Read a file of configurations.

    Parameters
    ----------
    path : str or Path
        TOML, or JSON where the name ends in ``.json``.

    Returns
    -------
    list of Configuration
        In the order of the file.

    Raises
    ------
    SimulatorError
        The file cannot be read, or a table contains unknown fields or invalid values.
    """
    path = Path(path)
    tables = _tables(path)
    if not tables:
        raise SimulatorError(f"{path}: no configuration; write a table for each, as in [small]")
    found = []
    for name, table in tables.items():
        check_name(name)
        if not isinstance(table, dict):
            raise SimulatorError(
                f"{path}: {name!r} is not a table; write [{name}] above its fields"
            )
        unknown = [key for key in table if key not in FIELDS]
        if unknown:
            raise SimulatorError(
                f"{path}: configuration {name!r} has {', '.join(unknown)}; it may have: "
                f"{', '.join(FIELDS)}"
            )
        _check_types(path, name, table)
        found.append(Configuration(name, table))
        found[-1].on("", {})  # raise errors now instead of on every worker
    return found


def _check_types(path: Path, name: str, table: Mapping[str, Any]) -> None:
    """Raise SimulatorError for a value of the wrong type."""
    for key, value in table.items():
        annotation = re.sub(r"\[.*\]", "", Fields.__annotations__[key])  # int | str, Mapping, ...
        allowed = [_TYPES[word] for word in annotation.split(" | ") if word in _TYPES]
        if value is None or any(type(value) in types for types, _ in allowed):
            continue
        words = " or ".join(label for _, label in allowed)
        raise SimulatorError(
            f"{path}: configuration {name!r}: {key} is {value!r}, it must be {words}"
        )


def check_kinds(configurations: Sequence[Configuration], boards: Sequence[Board]) -> None:
    """Raise SimulatorError for labels of several kinds: their losses cannot be compared.

    Raises SimulatorError: there are several kinds, or a board's options contradict a configuration.
    """
    options = {repr(sorted(board.options.items())): board.options for board in boards}
    kinds = {
        one.on("", given).resolved.kind for one in configurations for given in options.values()
    }
    if len(kinds) > 1:
        raise SimulatorError(
            f"some learn {' and some '.join(KINDS[kind].about for kind in sorted(kinds))}: their "
            "losses cannot be compared; run one fleet for each"
        )


def _tables(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8")
        found = json.loads(text) if path.suffix == ".json" else _toml(text)
    except OSError as error:
        raise SimulatorError(f"cannot read {path}: {error.strerror}") from None
    except ValueError as error:  # both decoders raise subclasses of it
        raise SimulatorError(f"{path}: {error}") from None
    if not isinstance(found, dict):
        raise SimulatorError(f"{path}: not a table of configurations")
    return found


def _toml(text: str) -> dict[str, Any]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        try:
            import tomli as tomllib
        except ImportError:
            raise SimulatorError(
                "TOML needs Python 3.11 or pip install tomli; a .json file will do as well"
            ) from None
    found: dict[str, Any] = tomllib.loads(text)
    return found
