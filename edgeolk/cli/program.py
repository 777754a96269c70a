"""List algorithms, plan memory, inspect model files, export to C."""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Sequence
from enum import IntEnum
from typing import Any

from edgeolk.checkpointer import Checkpointer
from edgeolk.cli.page import page, parameter_rows, table
from edgeolk.cli.plan import add_plan
from edgeolk.errors import BudgetError
from edgeolk.export import export_c
from edgeolk.export.folder import SCRATCH
from edgeolk.export.kits import KITS
from edgeolk.export.samples import windows_in
from edgeolk.files.slots import MAGIC
from edgeolk.learner import Learner
from edgeolk.loading import load
from edgeolk.named import NamedLearner
from edgeolk.parts.methods import algorithms
from edgeolk.scaling import RunningScaler
from edgeolk.scaling.inside import CommonScale


def take_any_text() -> None:
    """Print escapes for the characters that the console's encoding, such as cp1252, lacks."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="backslashreplace")


def loaded(path: str) -> Learner:
    """The learner in a file; error messages start with the path."""
    try:
        return load(path)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def _shown(value: Any) -> str:
    if isinstance(value, IntEnum):
        return value.name.lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


def _preprocessing(learner: Learner) -> list[str]:
    """Lines about the preprocessing of rows."""
    preprocessing = learner._config.preprocessing
    lines = []
    if preprocessing.gamma_rows:
        known = learner.steps >= preprocessing.gamma_rows
        state = "computed from" if known else "provisional, to be computed from"
        lines.append(f"width            {state} the first {preprocessing.gamma_rows} rows")
    if preprocessing.follows:
        lines.append("width            follows the rows")
    common, scaler = learner.common_scale, learner.scaler
    if common is not None:
        why = "" if isinstance(scaler, CommonScale) else ", while readings have two values"
        text = f"mean {common.mean:g}, deviation {common.sd:g}{why}"
        lines.append(f"scaling          one scale for all inputs, {text}")
    if isinstance(scaler, RunningScaler):
        counts = scaler.n_clipped
        clipped = "" if counts is None else f", {int(counts.sum())} readings clipped"
        lines.append(f"scaling          {scaler.method}{clipped}")
    if preprocessing.clip_rows:
        lines.append(f"rows bounded     to {preprocessing.clip_rows:g}: {learner.n_shortened}")
    return lines


def _forecasting(learner: Learner) -> list[str]:
    """Lines about a forecaster."""
    if not learner._config.awaits_targets:
        return []
    values = learner.parameters
    kernel = "" if learner.budget else ", without a kernel"
    season = f", a season of {values['season']:g}" if values.get("season") else ""
    horizon = values.get("horizon", values.get("delay"))
    return [
        f"forecasts        {horizon:g} rows ahead{season}{kernel}; {learner.n_waiting} pending rows"
    ]


def _checkpoint(path: str, slots: int | None) -> list[Any]:
    """The objects of the newest checkpoint in a file; empty if it is not a file of checkpoints."""
    with open(path, "rb") as file:
        if slots is None and file.read(len(MAGIC)) != MAGIC:
            return []
    with Checkpointer(path, slots=2 if slots is None else slots) as checkpoints:
        content = checkpoints.open()
        if content is None:
            raise ValueError(f"{path}: {checkpoints.opened}")
        print(f"checkpoint       {checkpoints.opened}")
    return list(content) if isinstance(content, tuple) else [content]


def _show_pairs(path: str, pairs: int) -> None:
    """Show the learner of each pair of slots in a board's memory."""
    with open(path, "rb") as file:
        image = bytearray(file.read())
    size, rest = divmod(len(image), pairs) if pairs > 0 else (0, 1)
    if rest or not size:
        raise ValueError(f"{path}: {len(image)} bytes are not {pairs} pairs of slots of equal size")
    for at in range(0, len(image), size):
        checkpoints = Checkpointer(image[at : at + size])
        content = checkpoints.open()
        print(f"bytes from {at:<6}{checkpoints.opened}")
        for part in content if isinstance(content, tuple) else [content]:
            if isinstance(part, Learner):
                _show(part)


def _run(options: argparse.Namespace) -> None:
    if options.pairs is not None:
        _show_pairs(options.model, options.pairs)
        return
    checkpoint = _checkpoint(options.model, options.slots)
    windows = None if checkpoint else windows_in(options.model)
    for content in checkpoint or [loaded(options.model)]:
        if isinstance(content, Learner):
            _show(content)
        else:
            print(f"scaler           {content.n_features} features, {content.n_seen} rows")
    if windows is not None:
        plan = windows.plan
        print(f"windows          size {plan.size}, hop {plan.hop}, channels {plan.channels}")


def _show(learner: Learner) -> None:
    config = learner._config
    parts = ", ".join(f"{axis} {part.name.lower()}" for axis, part in learner.parts.items())
    values = ", ".join(f"{name} = {_shown(value)}" for name, value in learner.parameters.items())
    print(f"algorithm        {learner.algorithm} ({parts})")
    print(f"parameters       {values or 'none'}")
    print(f"kernel           {learner.kernel if learner.budget else 'none'}")
    print(f"features         {learner.n_features}, {learner.dtype}")
    names = learner.names.classes if isinstance(learner, NamedLearner) else ()
    if learner.n_classes > 2 or names:
        shown = ": " + ", ".join(map(repr, names)) if names else ""
        print(f"classes          {learner.n_classes}{shown}")
    print(f"coefficients     {learner.coefficients}")
    for line in (*_preprocessing(learner), *_forecasting(learner)):
        print(line)
    if config.size_name == "frequencies":  # all exist from the start
        print(f"frequencies      {learner.budget}")
    else:
        print(f"support vectors  {learner.n_support} of {learner.budget}")
    if learner.parameters.get("memory"):
        rows = f"{learner.n_remembered} of {learner.parameters['memory']} rows"
        print(f"memory           {rows}, {learner.memory_share:.0%} of the next answer")
    print(f"steps            {learner.steps}, {learner.updates} updates")
    if learner.is_regression:
        print(f"squared error    {learner.squared_error:.6g}")
    elif config.reports_events:
        print(f"novel rows       {learner.mistakes}, {learner.alarms} alarms")
        part, channel = learner.why
        novel = "novel" if learner.novel else "usual"
        print(f"last row         {novel}, {learner.anomaly:.3g}: {part}, channel {channel}")
    else:
        print(f"mistakes         {learner.mistakes}")
    if learner.parameters.get("drift"):
        print(f"alarms           {learner.alarms}")
    print(f"bytes            {learner.nbytes}")


def add_info(commands: Any) -> None:
    """Add the command to a parser's subparsers."""
    parser = commands.add_parser("info", help="show what is in a model file or a checkpoint")
    parser.add_argument("model", help="a file written by Learner.save or Checkpointer")
    parser.add_argument(
        "--slots", type=int, help="the number of slots that checkpoints were written with (2)"
    )
    parser.add_argument(
        "--pairs",
        type=int,
        metavar="N",
        help="the file is flash memory of a board: N learners with two slots each, all of one size",
    )
    parser.set_defaults(run=_run)


def _list(options: argparse.Namespace) -> None:
    if options.markdown or options.page:
        print(table() if options.markdown else page())
        return
    for row in algorithms():
        print(f"{row.name:<20} {row.title}{' (freezes when full)' if row.freezes else ''}")
        if options.verbose:
            print(f"{'':<20} {row.source}")
            for name, default, allowed, meaning in parameter_rows(row):
                print(f"{'':<22} {name} = {default}: {meaning} ({allowed})")


def _export(options: argparse.Namespace) -> None:
    names = [name for name in options.with_.split(",") if name]
    for name in export_c(
        loaded(options.model),
        options.out,
        windows=windows_in(options.model),
        with_=names,
        prefix=options.prefix,
        scratch=options.scratch,
        classes=[name for name in options.classes.split(",") if name],
    ):
        print(name)


def build_parser() -> argparse.ArgumentParser:
    """The parser of the command line; parsed options include the function ``run``."""
    parser = argparse.ArgumentParser(prog="edgeolk", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    listing = commands.add_parser("list", help="list the published algorithms")
    listing.add_argument("-v", "--verbose", action="store_true", help="with sources and parameters")
    form = listing.add_mutually_exclusive_group()
    form.add_argument("--markdown", action="store_true", help="as a Markdown table")
    form.add_argument(
        "--page", action="store_true", help="as a Markdown page with a section per algorithm"
    )
    listing.set_defaults(run=_list)

    add_plan(commands)
    add_info(commands)

    export = commands.add_parser("export", help="export a model as C99 for a microcontroller")
    export.add_argument("model", help="a file written by Learner.save")
    export.add_argument("--out", required=True, metavar="DIR", help="the folder to write")
    export.add_argument(
        "--with", dest="with_", default="", metavar="NAMES",
        help="also write files for these tool chains, separated by commas: " + ", ".join(KITS),
    )  # fmt: skip
    export.add_argument(
        "--prefix", default="ek", metavar="NAME",
        help="prefix of all names, for several models in one program (default ek)",
    )  # fmt: skip
    export.add_argument(
        "--scratch", default="stack", choices=SCRATCH,
        help="where calls keep their scratch: stack, or arena for small stacks (default stack)",
    )  # fmt: skip
    export.add_argument(
        "--classes", default="", metavar="NAMES",
        help="names of the classes in the order of their numbers, separated by commas; by default"
        " those that the file has",
    )  # fmt: skip
    export.set_defaults(run=_export)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line, by default that of the process.

    Returns the exit code: 0, or 2 after an error, with a sentence on standard error.
    Raises SystemExit: from the parser, with 2 for bad arguments, with 0 after ``--help``.
    """
    take_any_text()
    options = build_parser().parse_args(arguments)
    try:
        options.run(options)
    except BrokenPipeError:
        return 0
    except (ValueError, TypeError, OSError, BudgetError) as error:
        print(f"edgeolk: {error}", file=sys.stderr)
        return 2
    return 0
