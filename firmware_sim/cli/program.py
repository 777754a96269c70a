"""The parser of the command line, and its exit codes."""

from __future__ import annotations

import argparse
import errno
import logging
import sys
from collections.abc import Sequence

from edgeolk import __version__
from edgeolk.cli.program import take_any_text
from firmware_sim.cli import compare, fleet, listings, measure, record, replay, tune
from firmware_sim.cli.exit_codes import INTERRUPTED, USAGE
from firmware_sim.cli.parsing import Parser
from firmware_sim.cli.terminal import forget_output, tell
from firmware_sim.errors import SimulatorError

#: In the order of ``--help``.
COMMANDS = (replay, compare, tune, record, fleet, measure, listings)


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
    take_any_text()
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
