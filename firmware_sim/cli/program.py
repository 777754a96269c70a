"""The parser of the command line, and its exit codes."""

from __future__ import annotations

import argparse
import errno
import logging
import sys
from collections.abc import Sequence

from edgeolk import __version__
from edgeolk.cli.console import take_any_text
from firmware_sim.cli import compare, fleet, listings, look, measure, record, replay, tune
from firmware_sim.cli.exit_codes import INTERRUPTED, USAGE
from firmware_sim.cli.parsing import Parser
from firmware_sim.cli.terminal import forget_output, tell
from firmware_sim.errors import SimulatorError

#: In the order of ``--help``.
COMMANDS = (replay, look, compare, tune, record, fleet, measure, listings)


def parser() -> Parser:
    """Return the parser; what it parses has ``run``, the function of the chosen command."""
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


class _Told(logging.Handler):
    """What the simulator logs, a line each on standard error."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print it."""
        tell(record.getMessage())


def _tell_what_is_logged() -> None:
    log = logging.getLogger("firmware_sim")
    if not any(isinstance(handler, _Told) for handler in log.handlers):
        log.addHandler(_Told())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code.

    0: the command reached its end. 1: it did, and a file of its report could not be written, or
    runs of a fleet failed. 2: bad arguments, a bad stream, parts that do not fit the cap, or a stop
    at a missing value. 3: memory was taken beyond the cap and the process that took it was killed.
    4: the learner's process ended for another reason. 130 or 143: interrupted by Ctrl-C or SIGTERM;
    the report so far is printed.
    """
    _tell_what_is_logged()
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
        # What is read and written elsewhere says so in its own words; this is standard output.
        if error.errno not in (errno.ENOSPC, errno.EIO) or error.filename is not None:
            raise
        tell(f"cannot write to standard output: {error.strerror}")
        forget_output()
        return USAGE
    except KeyboardInterrupt:
        tell("interrupted before the first row")
        return INTERRUPTED
