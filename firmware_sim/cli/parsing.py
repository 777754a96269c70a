"""A parser whose errors are one sentence and suggest the intended option."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from edgeolk.near import near
from firmware_sim.cli.exit_codes import USAGE
from firmware_sim.cli.terminal import note

#: The words that argparse puts before what it does not know.
_CHOICE = "argument COMMAND: invalid choice: "


class Parser(argparse.ArgumentParser):
    """As argparse's, but for what it says where words are wrong."""

    commands: dict[str, Parser]

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Return what was chosen; words that are no options of the command end the program."""
        chosen, unknown = self.parse_known_args(args, namespace)
        if unknown:
            command = self.commands[chosen.command]
            command.error("; ".join(self._meant(command, word) for word in _told(unknown)))
        return chosen

    def error(self, message: str) -> NoReturn:
        """Say how to get help in a line, and what is wrong in another."""
        if message.startswith(_CHOICE):
            given = message.removeprefix(_CHOICE).split("'")[1]
            names = getattr(self, "commands", {})
            message = f"no command {given!r}{near(given, names)}; there are {', '.join(names)}"
        note(f"usage: {self.prog} {self._brief()}; {self.prog} --help lists all")
        note(f"{self.prog}: {message}")
        sys.exit(USAGE)

    def _brief(self) -> str:
        places = [str(one.metavar) for one in self._actions if not one.option_strings]
        return " ".join([*places, "[options]"])

    @property
    def flags(self) -> list[str]:
        """Its options."""
        return [flag for one in self._actions for flag in one.option_strings if flag != "-h"]

    def _meant(self, command: Parser, word: str) -> str:
        """Return the sentence about a word that the command does not know."""
        if not word.startswith("-"):
            return f"{word!r} is one word too many"
        flag = word.partition("=")[0]
        others = [name for name, one in self.commands.items() if flag in one.flags]
        if others:
            return f"{flag} is an option of {', '.join(others)}{near(flag, command.flags)}"
        return f"no option {flag}{near(flag, command.flags)}"


def _told(unknown: Sequence[str]) -> list[str]:
    """Return the words to tell of: the options, and other words only where there are none."""
    return [word for word in unknown if word.startswith("-")] or [*unknown]
