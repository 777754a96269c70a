"""Options of the command line."""

from __future__ import annotations

import argparse
from typing import Any

from edgeolk import __version__
from firmware_sim import config as choices
from firmware_sim import values
from firmware_sim.boards import BOARDS
from firmware_sim.config import ReplayConfig
from firmware_sim.faults import KINDS
from firmware_sim.fleet.command import add_options as add_fleet
from firmware_sim.kinds import KINDS as LABELS
from firmware_sim.streams import BUNDLED


class _Once(argparse.Action):
    """An option whose second value would silently replace the first is refused instead."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Take the value, once."""
        given = namespace.__dict__.setdefault("_given", {})
        if self.dest in given:
            parser.error(
                f"argument {option_string}: given twice, as {given[self.dest]!r} and {values!r}"
            )
        given[self.dest] = values
        setattr(namespace, self.dest, values)


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(
        prog="firmware_sim",
        description="Replay a sensor stream through a firmware main loop under a RAM cap.",
    )
    parser.add_argument("--version", action="version", version=f"firmware_sim {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_replay(commands)
    _add_compare(commands)
    _add_tune(commands)
    _add_record(commands)
    add_fleet(commands)
    commands.add_parser("streams", help="list the bundled streams")
    commands.add_parser("devices", help="list the boards that --device knows")
    return parser


def _add_compare(commands: Any) -> None:
    compare = commands.add_parser(
        "compare",
        help="run every method under several caps and say which to take",
        description="Run every method under several caps on one stream, and say which to take. "
        "Interrupted, the same command goes on where it stopped.",
    )
    _add_stream(compare)
    default = ReplayConfig("")
    add = compare.add_argument_group("comparison").add_argument
    add(
        "--ram",
        metavar="SIZE[,SIZE]",
        type=values.caps,
        default=["1KiB", "4KiB", "16KiB", "64KiB"],
        help="the caps (default: 1KiB,4KiB,16KiB,64KiB)",
    )
    add(
        "--algorithms",
        metavar="all|NAME[,NAME]",
        default="all",
        help="the methods (default: %(default)s)",
    )
    add("--seeds", metavar="N", type=values.count, default=3, help="runs of a method that draws")
    add(
        "--run-seconds",
        metavar="SECONDS",
        type=values.duration,
        default=20.0,
        help="processor time a run may take (default: %(default)s)",
    )
    add("--workers", metavar="N", type=values.count, help="processes (default: all processors)")
    add("--scale", choices=choices.SCALES, default=default.scale, help="how readings are scaled")
    add("--freeze-after", metavar="N", type=int, help="the scaler stops learning after N rows")
    add("--gamma", metavar="auto|X", type=values.gamma, help="kernel width (default: auto)")
    add("--prefix", metavar="N", type=int, default=default.prefix, help="rows for --gamma auto")
    add("--dtype", choices=choices.DTYPES, default="", help="of support vectors, or of weights")
    add = compare.add_argument_group("report").add_argument
    add("--out", metavar="DIR", default="compare-report", help="default: %(default)s")
    add("--quiet", action="store_true", help="write the files, print nothing")
    add("--no-progress", action="store_true", help="no progress bar on a terminal either")
    add("--no-picture", action="store_true", help="draw no PNG")


def _add_tune(commands: Any) -> None:
    tune = commands.add_parser(
        "tune",
        help="choose kernel width and parameters on the first rows",
        description="Choose kernel width and parameters on the first rows of a stream, and say "
        "what that gains on the rows after them.",
    )
    _add_stream(tune)
    default = ReplayConfig("")
    add = tune.add_argument_group("learner").add_argument
    add("--ram", metavar="SIZE", default=default.ram, help="the cap (default: %(default)s)")
    add(
        "--algorithm",
        metavar="NAME",
        default="",
        help="default: by the kind of labels, "
        + ", ".join(f"{kind.tuned} for {kind.name}" for kind in LABELS.values()),
    )
    add(
        "--param",
        metavar="NAME=VALUE",
        action="append",
        type=values.parameter,
        default=[],
        help="a parameter that stays as it is (repeatable)",
    )
    add("--dtype", choices=choices.DTYPES, default="", help="of support vectors, or of weights")
    add("--seed", metavar="N", type=int, default=default.seed, help="default: %(default)s")
    add("--scale", choices=choices.SCALES, default=default.scale, help="how readings are scaled")
    add = tune.add_argument_group("choice").add_argument
    add(
        "--tune-rows",
        metavar="N",
        type=values.count,
        help="rows to choose on (default: a fifth, at most 5,000)",
    )
    add("--candidates", metavar="N", type=values.count, default=32, help="default: %(default)s")
    add("--no-progress", action="store_true", help="no progress bar on a terminal either")


def _add_record(commands: Any) -> None:
    record = commands.add_parser(
        "record",
        help="write a live stream to a CSV file",
        description="Write a live stream to a CSV file, every row whole and at once.",
    )
    record.register("action", None, _Once)
    add = record.add_argument
    add("source", metavar="SOURCE", help="- for CSV from standard input, or mqtt://HOST/TOPIC")
    add("file", metavar="FILE", help="a new CSV file")
    add("--limit", metavar="N", type=values.count, help="write at most N rows")
    add(
        "--idle",
        metavar="SECONDS",
        type=values.duration,
        help="end when nothing has come for so long",
    )
    add("--quiet", action="store_true", help="print nothing")
    add("--no-progress", action="store_true", help="no progress bar on a terminal either")


def _add_replay(commands: Any) -> None:
    replay = commands.add_parser(
        "replay",
        help="replay one stream with one learner and report on it",
        description="Replay one stream with one learner and report on it.",
        epilog="Bundled streams: "
        + "; ".join(f"{stream.name}: {stream.about}" for stream in BUNDLED.values())
        + ".",
    )
    _add_stream(replay)
    default = ReplayConfig("")
    add = replay.add_argument_group("what goes wrong").add_argument
    add(
        "--fault",
        metavar="KIND[:...]",
        action="append",
        default=[],
        help=f"break sensors (repeatable): {', '.join(KINDS)}; as in "
        "stuck:column=light,from=1000,to=2000",
    )
    add("--fault-seed", metavar="N", type=int, help="of what breaks (default: as --seed)")
    add(
        "--label-delay",
        metavar="ROWS|SECONDSs",
        default=default.label_delay,
        help="labels come so much later: 20, or 90s",
    )
    add(
        "--label-queue",
        metavar="N",
        type=values.count,
        help="rows that can wait for their label (default: as many as the delay, or 64)",
    )
    add(
        "--label-missing",
        metavar="P",
        type=float,
        default=default.label_missing,
        help="share of the labels that never come",
    )
    add("--ask", action="store_true", help="only labels that the learner asks for")
    add(
        "--power-cut",
        metavar="every=N|at=ROW|random=P",
        help="the power goes; the board goes on from its last checkpoint",
    )
    add(
        "--checkpoint-every",
        metavar="N",
        type=values.count,
        default=default.checkpoint_every,
        help="rows learned between checkpoints (default: %(default)s)",
    )

    add = replay.add_argument_group("device").add_argument
    add(
        "--ram",
        metavar="SIZE",
        help="the cap: 64KiB, 16kB, 4096 (default: 64KiB, or what the device has, if less)",
    )
    add("--device", choices=BOARDS, metavar="BOARD", help="judge by a board, see `devices`")
    add(
        "--on",
        metavar="BOARD",
        default="",
        help="learn the same rows on an emulated microcontroller too: mps2-an386, microbit, ..., "
        "with qemu-system-arm and gcc-arm-none-eabi",
    )
    add(
        "--period",
        metavar="SECONDS",
        type=values.duration,
        help="time between rows (default: as the time column tells)",
    )
    add(
        "--enforce",
        choices=choices.ENFORCE,
        default=default.enforce,
        help="the cap: by guard pages around one block (default), or the learner in a process "
        "that may not grow",
    )
    add(
        "--limit-by",
        choices=choices.LIMITS,
        default=default.limit_by,
        help="what keeps that process from growing (default: the first that can be had)",
    )
    add(
        "--inject",
        metavar="leak=SIZE",
        type=values.leak,
        default=default.leak,
        help="leak so many bytes every step on purpose, as leak=64B, to see it caught",
    )
    add("--scale", choices=choices.SCALES, default=default.scale, help="how readings are scaled")
    add("--freeze-after", metavar="N", type=int, help="the scaler stops learning after N rows")

    add = replay.add_argument_group("learner").add_argument
    add(
        "--algorithm",
        metavar="NAME",
        default="",
        help=f"default: {default.algorithm}, which scales and makes its width by itself",
    )
    add("--budget", metavar="N", type=int, help="most support vectors (default: what fits)")
    add(
        "--param",
        metavar="NAME=VALUE",
        action="append",
        type=values.parameter,
        default=[],
        help="one of the algorithm's own parameters (repeatable)",
    )
    add("--kernel", choices=choices.KERNELS, default=default.kernel, help="default: %(default)s")
    add("--gamma", metavar="auto|X", type=values.gamma, help="kernel width (default: auto)")
    add("--degree", metavar="N", type=int, default=default.degree, help="of the polynomial kernel")
    add(
        "--offset",
        metavar="X",
        type=float,
        default=default.offset,
        help="constant term of the polynomial and sigmoid kernels",
    )
    add("--prefix", metavar="N", type=int, default=default.prefix, help="rows for --gamma auto")
    add("--dtype", choices=choices.DTYPES, default="", help="of support vectors, or of weights")
    add("--seed", metavar="N", type=int, default=default.seed, help="default: %(default)s")

    add = replay.add_argument_group("report").add_argument
    add("--out", metavar="DIR", default="replay-report", help="default: %(default)s")
    add("--quiet", action="store_true", help="write the files, print nothing")
    add("--no-progress", action="store_true", help="no progress bar on a terminal either")
    add("--no-picture", action="store_true", help="draw no PNG: saves a second or two")
    add("--save-model", metavar="FILE", help="keep learner and scaler, in one file")
    add("--write-script", metavar="FILE", help="write the Python that runs the saved model")


def _add_stream(command: Any) -> None:
    """Add what every command that reads a stream takes."""
    command.register("action", None, _Once)  # what an option without an action of its own does
    add = command.add_argument
    default = ReplayConfig("")
    add(
        "stream",
        metavar="STREAM",
        help="a CSV, NPZ or LIBSVM file, - for CSV from standard input, mqtt://HOST/TOPIC, or the "
        "name of a bundled stream",
    )

    add = command.add_argument_group("stream").add_argument
    add("--target", metavar="COLUMN", help="the label column (bundled streams know theirs)")
    add("--positive", metavar="VALUE", help="the label that means +1 (default: 1; 0 or -1 is -1)")
    add(
        "--kind",
        choices=choices.KIND_NAMES,
        default="",
        help="the labels: two classes, several, real numbers, or none that the learner is told "
        "(default: as --param says, two classes)",
    )
    add(
        "--classes",
        metavar="A,B,C",
        type=values.words,
        default=(),
        help="the classes in the learner's order (default: those that occur)",
    )
    add(
        "--ignore",
        metavar="COL[,COL]",
        action="append",
        default=[],
        help="columns that are not readings (repeatable)",
    )
    add(
        "--missing",
        choices=choices.MISSING,
        default=default.missing,
        help="readings that are absent",
    )
    add(
        "--missing-code",
        metavar="CODE",
        action="append",
        type=float,
        default=[],
        help="a reading that means 'absent', such as -200 (repeatable)",
    )
    add(
        "--damaged",
        choices=choices.DAMAGED,
        default=default.damaged,
        help="rows that cannot be read: too few cells, a word among numbers",
    )
    add(
        "--time",
        metavar="COLUMN",
        default=default.time,
        help="the column that tells when a row was taken ('auto': recognised; 'none')",
    )
    add(
        "--categories",
        choices=choices.CATEGORIES,
        default=default.categories,
        help="columns of text: refused, or readings of 0 and 1",
    )
    add(
        "--category-slots",
        metavar="N",
        type=int,
        default=default.category_slots,
        help="readings made of such a column at most (default: %(default)s)",
    )
    add("--limit", metavar="N", type=int, help="read at most N rows")
    add(
        "--idle",
        metavar="SECONDS",
        type=values.duration,
        help="a live stream has ended when nothing has come for so long (default: wait)",
    )
