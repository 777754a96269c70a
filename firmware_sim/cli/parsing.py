"""A parser whose errors are one sentence and suggest the intended option."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from edgeolk.errors import suggest
from firmware_sim.cli.exit_codes import USAGE
from firmware_sim.cli.terminal import note

#: The start of argparse's message on an unknown command.
_CHOICE = "argument COMMAND: invalid choice: "


class Parser(argparse.ArgumentParser):
    """An ArgumentParser with better error messages."""

    commands: dict[str, Parser]

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Return the parsed arguments; unknown words end the program with a message."""
        chosen, unknown = self.parse_known_args(args, namespace)
        if unknown:
            command = self.commands[chosen.command]
            command.error(
                "; ".join(self._explain(command, word) for word in _words_to_report(unknown))
            )
        return chosen

    def error(self, message: str) -> NoReturn:
        """Print a usage line and the error message, and exit."""
        if message.startswith(_CHOICE):
            given = message.removeprefix(_CHOICE).split("'")[1]
            names = getattr(self, "commands", {})
            message = f"no command {given!r}{suggest(given, names)}; there are {', '.join(names)}"
        note(f"usage: {self.prog} {self._brief()}; {self.prog} --help lists all")
        note(f"{self.prog}: {message}")
        sys.exit(USAGE)

    def _brief(self) -> str:
        places = [str(one.metavar) for one in self._actions if not one.option_strings]
        return " ".join([*places, "[options]"])

    @property
    def flags(self) -> list[str]:
        """The names of its options."""
        return [flag for one in self._actions for flag in one.option_strings if flag != "-h"]

    def _explain(self, command: Parser, word: str) -> str:
        """Return the error message for an unknown word."""
        if not word.startswith("-"):
            return f"{word!r} is one word too many"
        flag = word.partition("=")[0]
        others = [name for name, one in self.commands.items() if flag in one.flags]
        if others:
            return f"{flag} is an option of {', '.join(others)}{suggest(flag, command.flags)}"
        return f"no option {flag}{suggest(flag, command.flags)}"


def _words_to_report(unknown: Sequence[str]) -> list[str]:
    """Return the unknown options, or, without any, the other unknown words."""
    return [word for word in unknown if word.startswith("-")] or [*unknown]
