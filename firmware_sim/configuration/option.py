"""The properties of an option, stated once: at its field in `ReplayConfig`, or at its command.

Command lines, the tables of a fleet, the columns of a manifest, the command that repeats a replay,
the checks of `ReplayConfig` and its documentation are all made from it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from firmware_sim.configuration import values
from firmware_sim.errors import SimulatorError
from firmware_sim.plaintext import joined

#: Where an option may be said: commands, a configuration of a fleet, a column of its manifest.
REPLAY, TABLE, MANIFEST = frozenset({"replay"}), frozenset({"table"}), frozenset({"manifest"})
COMPARE, TUNE, FLEET = frozenset({"compare"}), frozenset({"tune"}), frozenset({"fleet"})
RECORD = frozenset({"record"})
#: The commands that read a stream.
READERS = REPLAY | COMPARE | TUNE
#: ... and the one that only looks at it.
LOOK = frozenset({"look"})
LOGS = READERS | LOOK


def plain(value: Any) -> str:
    """Return a value as a word of the command line."""
    name = getattr(value, "name", None)  # a member of an enum
    return name.lower() if isinstance(name, str) else str(value)


class Value(NamedTuple):
    """What a value looks like, how one word is read and written, and its range if it is a number.

    With `commas` one word may hold several.
    """

    metavar: str = ""
    read: Callable[[str], Any] = str
    write: Callable[[Any], str] = plain
    range: str = ""
    holds: Callable[[Any], bool] = lambda value: True
    commas: bool = False


WORD = Value()
NAMES = Value("A,B,C", values.words, commas=True)
INTEGER, NUMBER = Value("N", int), Value("X", float)
FROM_0 = Value("N", int, range="at least 0", holds=lambda value: value >= 0)
COUNT = Value("N", int, range="at least 1", holds=lambda value: value >= 1)
SHARE = Value("P", float, range="at least 0 and below 1", holds=lambda value: 0.0 <= value < 1.0)
SECONDS = Value(
    "SECONDS", values.duration, range="more than 0 seconds", holds=lambda value: value > 0.0
)


@dataclass(frozen=True)
class Option:
    """What is true of one option."""

    help: str  # what it does, for ``--help`` and documentation
    value: Value = WORD  # what it may be given
    default: Any = None  # what it is where nothing is said
    group: str = ""  # the heading it stands under
    metavar: str = ""  # what its value looks like, where that is not as of others
    flag: str = ""  # its names on a command line, where they are not the field's
    choices: tuple[str, ...] = ()  # the words it may be; empty for any.
    #: raises a `SimulatorError` for a value that cannot be
    check: Callable[[Any], object] | None = None
    again: bool = False  # whether it may be given again
    required: bool = False  # whether it must be given on a command line
    where: frozenset[str] = REPLAY  # where it may be said
    #: tells from a configuration why the option changes nothing there, "" where it does
    idle: Callable[[Any], str] | None = None
    #: what it makes of rows as they are read, where it acts on them: from its value and readings of
    #: shape (n, n_features), which it leaves as they are, to those that a replay goes on with
    rows: Callable[[Any, Any], Any] | None = None

    @property
    def shown_default(self) -> str:
        """The default as ``--help`` shows it; empty where there is none, or the words tell it."""
        if self.default in (None, "", (), False, {}) or "default:" in self.help:
            return ""
        return self.default if isinstance(self.default, str) else f"{self.default:g}"

    @property
    def several(self) -> bool:
        """Whether it has several values."""
        return self.again or self.value.commas

    def flags(self, name: str) -> list[str]:
        """Return what the option of this name is called on a command line."""
        return ["--" + one for one in (self.flag or name.replace("_", "-")).split()]

    def refuse(self, name: str, value: Any) -> None:
        """Refuse a value that the option cannot have.

        Raises SimulatorError: it is not one of the choices, out of range, or not understood.
        """
        shown = name.replace("_", "-")
        if self.choices and value not in self.choices:
            raise SimulatorError(
                f"{shown} is {value!r}, it must be one of: {', '.join(self.choices)}"
            )
        if value is None:
            return
        if self.several and isinstance(value, str):  # it would be a value a letter
            raise SimulatorError(f"{shown} is {value!r}, it must be a list")
        if not self.value.holds(value):
            raise SimulatorError(f"{shown} is {value}, it must be {self.value.range}")
        if self.check is not None:
            for one in value if self.several else (value,):
                self.check(one)

    def words(self, name: str, value: Any) -> list[str]:
        """Return the words of a command line that give the option a value."""
        flag = self.flags(name)[0]
        if value is True:
            return [flag]
        if isinstance(value, Mapping):
            return [word for pair in value.items() for word in (flag, self.value.write(pair))]
        if self.several and not self.value.commas:
            # Joined by =, since a value may begin with a minus.
            return [f"{flag}={self.value.write(one)}" for one in value]
        said = joined(value) if self.value.commas else self.value.write(value)
        return [f"{flag}={said}"] if said.startswith("-") else [flag, said]


def option(default: Any, text: str, value: Value = WORD, **more: Any) -> Any:
    """Return a dataclass field that is an option, with its default and what it is for."""
    known = {"option": Option(text, value, default=default, **more)}
    if isinstance(default, dict):
        return dataclasses.field(default_factory=dict, metadata=known)
    return dataclasses.field(default=default, metadata=known)


def options_of(record: Any) -> dict[str, Option]:
    """Return the options of a dataclass by their fields."""
    return {one.name: one.metadata["option"] for one in dataclasses.fields(record) if one.metadata}


def documented(record: Any) -> Any:
    """Put what each option is for into the docstring of a dataclass, where it says so."""
    kinds = {one.name: one.type for one in dataclasses.fields(record)}
    lines = []
    for name, one in options_of(record).items():
        said = "{" + ", ".join(f'"{word}"' for word in one.choices) + "}"
        lines += [f"    {name} : {said if one.choices else kinds[name]}", f"        {one.help}"]
    if record.__doc__:  # python -OO has none
        record.__doc__ = record.__doc__.replace("    (options)", "\n".join(lines))
    return record
