"""The command ``tune``: kernel width and parameters chosen on the first rows."""

from __future__ import annotations

import argparse
from typing import Any

from firmware_sim.cli import values
from firmware_sim.cli.exit_codes import OK
from firmware_sim.cli.shared import DEFAULT, add_common, add_stream, stream_fields
from firmware_sim.cli.terminal import Bar, show
from firmware_sim.config import ReplayConfig
from firmware_sim.configuration.choices import RECOMMENDED


def add_options(commands: Any) -> None:
    """Add the command and its options."""
    command = commands.add_parser(
        "tune",
        help="choose kernel width and parameters on the first rows",
        description="Choose kernel width and parameters on the first rows of a stream, and say "
        "what that gains on the rows after them.",
    )
    command.set_defaults(run=run)
    add_stream(command)
    add = command.add_argument_group("learner").add_argument
    add("--ram", metavar="SIZE", default=DEFAULT.ram, help="the cap (default: %(default)s)")
    add(
        "--algorithm",
        metavar="NAME",
        default="",
        help="default: the recommended learner, " + RECOMMENDED,
    )
    add(
        "--param",
        metavar="NAME=VALUE",
        action="append",
        type=values.parameter,
        default=[],
        help="a parameter that stays as it is (repeatable)",
    )
    add_common(add, "--dtype", "--seed", "--scale")
    add = command.add_argument_group("choice").add_argument
    add(
        "--tune-rows",
        metavar="N",
        type=values.count,
        help="rows to choose on (default: a fifth, at most 5,000)",
    )
    add("--candidates", metavar="N", type=values.count, default=32, help="default: %(default)s")
    add("--quiet", action="store_true", help="print nothing but the options to take")
    add_common(add, "--no-progress")


def to_config(chosen: argparse.Namespace) -> ReplayConfig:
    """Return the configuration that is tuned."""
    return ReplayConfig(
        **stream_fields(chosen),
        ram=chosen.ram,
        algorithm=chosen.algorithm,
        params=dict(chosen.param),
        dtype=chosen.dtype,
        seed=chosen.seed,
        scale=chosen.scale,
    )


def run(chosen: argparse.Namespace) -> int:
    """Choose, print what was chosen, and return the exit code."""
    from firmware_sim.comparison import tuning

    with Bar(" runs", chosen) as bar:
        found = tuning.tune(
            to_config(chosen),
            rows=chosen.tune_rows,
            candidates=chosen.candidates,
            on_start=bar.start,
            on_run=bar.move,
        )
    show(found.options if chosen.quiet else tuning.to_text(found).rstrip())
    return OK
