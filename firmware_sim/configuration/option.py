"""The properties of an option, defined once: at its field in `ReplayConfig`, or at its command.

Command lines, the tables of a fleet, the columns of a manifest, the command that repeats a replay,
the checks of `ReplayConfig` and its documentation are generated from it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from firmware_sim.configuration import values
from firmware_sim.errors import SimulatorError
from firmware_sim.plaintext import joined

#: Where an option may be given: commands, a configuration of a fleet, a column of its manifest.
REPLAY, TABLE, MANIFEST = frozenset({"replay"}), frozenset({"table"}), frozenset({"manifest"})
COMPARE, TUNE, FLEET = frozenset({"compare"}), frozenset({"tune"}), frozenset({"fleet"})
RECORD = frozenset({"record"})
#: The commands that read a stream.
READERS = REPLAY | COMPARE | TUNE
#: ... and the one that only looks at it.
LOOK = frozenset({"look"})
LOGS = READERS | LOOK


def to_word(value: Any) -> str:
    """Return a value as a word of the command line."""
    name = getattr(value, "name", None)  # a member of an enum
    return name.lower() if isinstance(name, str) else str(value)


class Value(NamedTuple):
    """The format of a value: placeholder, reader and writer of one word, and range of a number.

    With `commas`, one word may contain several values.
    """

    metavar: str = ""
    read: Callable[[str], Any] = str
    write: Callable[[Any], str] = to_word
    range: str = ""
    holds: Callable[[Any], bool] = lambda value: True
    commas: bool = False


WORD = Value()
NAMES = Value("A,B,C", values.words, commas=True)
INTEGER, NUMBER = Value("N", int), Value("X", float)
FROM_0 = Value("N", int, range="at least 0", holds=lambda value: value >= 0)
COUNT = Value("N", int, range="at least 1", holds=lambda value: value >= 1)
POSITIVE = Value(
    "X", float, range="above 0 and finite", holds=lambda value: 0.0 < value < float("inf")
)
SHARE = Value("P", float, range="at least 0 and below 1", holds=lambda value: 0.0 <= value < 1.0)
SECONDS = Value(
    "SECONDS", values.duration, range="more than 0 seconds", holds=lambda value: value > 0.0
)
TIME = Value("TIME", values.span)
ROWS_OR_TIME = Value(
    "ROWS|TIME",
    values.rows_or_time,
    range="at least 1 row, or a time such as 6h",
    holds=lambda value: isinstance(value, str) or value >= 1,
)


@dataclass(frozen=True)
class Option:
    """The properties of one option."""

    help: str  # what it does, for ``--help`` and documentation
    value: Value = WORD  # the format of its value
    default: Any = None
    group: str = ""  # its heading in ``--help``
    metavar: str = ""  # the placeholder of its value, if it differs from that of `value`
    flag: str = ""  # its names on a command line, if they differ from the field's
    choices: tuple[str, ...] = ()  # the allowed words; empty for any
    #: raises a `SimulatorError` for an invalid value
    check: Callable[[Any], object] | None = None
    again: bool = False  # whether it is repeatable
    required: bool = False  # on a command line
    where: frozenset[str] = REPLAY  # where it may be given
    #: returns why the option has no effect in a configuration, "" if it has
    idle: Callable[[Any], str] | None = None
    #: transforms rows as they are read: from the option's value and readings of shape
    #: (n, n_features), which are not modified, to the readings of the replay
    rows: Callable[[Any, Any], Any] | None = None

    @property
    def shown_default(self) -> str:
        """The default for ``--help``; empty if there is none, or the help text contains it."""
        if self.default in (None, "", (), False, {}) or "default:" in self.help:
            return ""
        return self.default if isinstance(self.default, str) else f"{self.default:g}"

    @property
    def several(self) -> bool:
        """Whether it may have several values."""
        return self.again or self.value.commas

    def flags(self, name: str) -> list[str]:
        """Return the flags of the option of this name on a command line."""
        return ["--" + one for one in (self.flag or name.replace("_", "-")).split()]

    def refuse(self, name: str, value: Any) -> None:
        """Raise an error for an invalid value.

        Raises SimulatorError: it is not one of the choices, out of range, or not understood.
        """
        shown = name.replace("_", "-")
        if self.choices and value not in (self.default, *self.choices):
            raise SimulatorError(
                f"{shown} is {value!r}, it must be one of: {', '.join(self.choices)}"
            )
        if value is None:
            return
        if self.several and isinstance(value, str):  # each letter would be a value
            raise SimulatorError(f"{shown} is {value!r}, it must be a list")
        try:
            holds = self.value.holds(value)
        except TypeError:  # a word, or a list, where a number is due
            raise SimulatorError(f"{shown} is {value!r}, it must be {self.value.range}") from None
        if not holds:
            raise SimulatorError(f"{shown} is {value}, it must be {self.value.range}")
        if self.check is not None:
            for one in value if self.several else (value,):
                self.check(one)

    def words(self, name: str, value: Any) -> list[str]:
        """Return the command-line words that set the option to a value."""
        flag = self.flags(name)[0]
        if value is True:
            return [flag]
        if isinstance(value, Mapping):
            return [word for pair in value.items() for word in (flag, self.value.write(pair))]
        if self.several and not self.value.commas:
            # Joined by =, since a value may begin with a minus.
            return [f"{flag}={self.value.write(one)}" for one in value]
        word = joined(value) if self.value.commas else self.value.write(value)
        return [f"{flag}={word}"] if word.startswith("-") else [flag, word]


def option(default: Any, text: str, value: Value = WORD, **more: Any) -> Any:
    """Return a dataclass field with the properties of an option."""
    known = {"option": Option(text, value, default=default, **more)}
    if isinstance(default, dict):
        return dataclasses.field(default_factory=dict, metadata=known)
    return dataclasses.field(default=default, metadata=known)


def options_of(record: Any) -> dict[str, Option]:
    """Return the options of a dataclass by field name."""
    return {one.name: one.metadata["option"] for one in dataclasses.fields(record) if one.metadata}


def documented(record: Any) -> Any:
    """Insert the help text of each option into the docstring of a dataclass, at ``(options)``."""
    kinds = {one.name: one.type for one in dataclasses.fields(record)}
    lines = []
    for name, one in options_of(record).items():
        choices = "{" + ", ".join(f'"{word}"' for word in one.choices) + "}"
        lines += [f"    {name} : {choices if one.choices else kinds[name]}", f"        {one.help}"]
    if record.__doc__:  # python -OO has none
        record.__doc__ = record.__doc__.replace("    (options)", "\n".join(lines))
    return record
