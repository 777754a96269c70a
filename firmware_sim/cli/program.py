"""The command line: its parser, and the function that runs a command.

Errors of the parser are one sentence and suggest the intended option.
"""

from __future__ import annotations

import argparse
import errno
import io
import logging
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from edgeolk import __version__
from edgeolk.errors import suggest
from firmware_sim.cli import compare, fleet, listings, look, measure, record, replay, tune
from firmware_sim.cli.terminal import INTERRUPTED, USAGE, forget_output, note, tell
from firmware_sim.errors import SimulatorError

#: In the order of ``--help``.
COMMANDS = (replay, look, compare, tune, record, fleet, measure, listings)
#: The start of argparse's message on an unknown command.
_CHOICE = "argument COMMAND: invalid choice: "


def parser() -> Parser:
    """Return the parser; parsed arguments have the command's function as ``run``."""
    parser = Parser(
        prog="firmware_sim",
        description="Replay a sensor stream through a firmware main loop under a RAM cap.",
    )
    parser.add_argument("--version", action="version", version=f"firmware_sim {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in COMMANDS:
        command.add_options(commands)
    parser.commands = commands.choices
    return parser


class _LogHandler(logging.Handler):
    """Prints the simulator's log messages to standard error, one line each."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print it."""
        tell(record.getMessage())


def _print_log() -> None:
    log = logging.getLogger("firmware_sim")
    if not any(isinstance(handler, _LogHandler) for handler in log.handlers):
        log.addHandler(_LogHandler())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code.

    0: the command finished. 1: it finished, but a file of its report could not be written, or runs
    of a fleet failed. 2: invalid arguments, an invalid stream, parts that do not fit the cap, or a
    stop at a missing value. 3: the process that exceeded the cap was killed.
    4: the learner's process ended for another reason. 130 or 143: interrupted by Ctrl-C or SIGTERM;
    the report so far is printed.
    """
    _print_log()
    _take_any_text()
    words = sys.argv[1:] if arguments is None else arguments
    chosen = parser().parse_args(words, argparse.Namespace(words=words))
    try:
        code: int = chosen.run(chosen)
        return code
    except SimulatorError as error:
        tell(str(error))
        return USAGE
    except OSError as error:
        # Errors of other files have their own messages; this is standard output.
        if error.errno not in (errno.ENOSPC, errno.EIO) or error.filename is not None:
            raise
        tell(f"cannot write to standard output: {error.strerror}")
        forget_output()
        return USAGE
    except KeyboardInterrupt:
        tell("interrupted before the first row")
        return INTERRUPTED


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
            which = f"an option of {', '.join(others)}"
            return f"{flag} is {which}, and not of {command.prog.split()[-1]}"
        return f"no option {flag}{suggest(flag, command.flags)}"


def _words_to_report(unknown: Sequence[str]) -> list[str]:
    """Return the unknown options, or, without any, the other unknown words."""
    return [word for word in unknown if word.startswith("-")] or [*unknown]


def _take_any_text() -> None:
    """Print escapes for the characters that the console's encoding, such as cp1252, lacks."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="backslashreplace")
