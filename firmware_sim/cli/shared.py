"""Options that several commands take, and the configuration fields that they set."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from firmware_sim.cli import values
from firmware_sim.config import ReplayConfig
from firmware_sim.configuration import choices

#: The configuration whose values are the defaults of options.
DEFAULT = ReplayConfig("")

_FLAG = "store_true"
_COMMON: dict[str, dict[str, Any]] = {
    "--scale": {
        "choices": choices.SCALES,
        "default": DEFAULT.scale,
        "help": "how readings are scaled",
    },
    "--freeze-after": {
        "metavar": "N",
        "type": int,
        "help": "the scaler stops learning after N rows",
    },
    "--gamma": {
        "metavar": "auto|X",
        "type": values.gamma,
        "help": "kernel width (default: auto)",
    },
    "--prefix": {
        "metavar": "N",
        "type": int,
        "default": DEFAULT.prefix,
        "help": "rows for --gamma auto",
    },
    "--dtype": {
        "choices": choices.DTYPES,
        "default": "",
        "help": "of support vectors, or of weights",
    },
    "--seed": {
        "metavar": "N",
        "type": int,
        "default": DEFAULT.seed,
        "help": "default: %(default)s",
    },
    "--quiet": {"action": _FLAG, "help": "write the files, print nothing"},
    "--no-progress": {"action": _FLAG, "help": "no progress bar on a terminal either"},
}


def add_common(add: Callable[..., object], *names: str) -> None:
    """Add options that are the same for every command that has them.

    Parameters
    ----------
    add : callable
        ``add_argument`` of a command or of one of its groups.
    *names : str
        The options, in the order of ``--help``.
    """
    for name in names:
        add(name, **_COMMON[name])


class Once(argparse.Action):
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


def add_stream(command: Any) -> None:
    """Add what every command that reads a stream takes."""
    command.register("action", None, Once)  # what an option without an action of its own does
    command.add_argument(
        "stream",
        metavar="STREAM",
        help="a CSV, NPZ or LIBSVM file, - for CSV from standard input, mqtt://HOST/TOPIC, or the "
        "name of a bundled stream",
    )
    add = command.add_argument_group("stream").add_argument
    _add_labels(add)
    _add_rows(add)


def _add_labels(add: Callable[..., object]) -> None:
    """Add what tells how labels are read."""
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
        help="the classes in the learner's order (default: those that occur); in quotes, a name "
        "may hold commas",
    )


def _add_rows(add: Callable[..., object]) -> None:
    """Add what tells how rows and readings are read."""
    add(
        "--ignore",
        metavar="COL[,COL]",
        action="append",
        type=values.words,
        default=[],
        help="columns that are not readings (repeatable); in quotes, a name may hold commas",
    )
    add(
        "--missing",
        choices=choices.MISSING,
        default=DEFAULT.missing,
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
        default=DEFAULT.damaged,
        help="rows that cannot be read: too few cells, a word among numbers",
    )
    add(
        "--time",
        metavar="COLUMN",
        default=DEFAULT.time,
        help="the column that tells when a row was taken ('auto': recognised; 'none')",
    )
    add(
        "--categories",
        choices=choices.CATEGORIES,
        default=DEFAULT.categories,
        help="columns of text: refused, or readings of 0 and 1",
    )
    add(
        "--category-slots",
        metavar="N",
        type=int,
        default=DEFAULT.category_slots,
        help="readings made of such a column at most (default: %(default)s)",
    )
    add("--limit", metavar="N", type=int, help="read at most N rows")
    add(
        "--idle",
        metavar="SECONDS",
        type=values.duration,
        help="a live stream has ended when nothing has come for so long (default: wait)",
    )


def stream_fields(chosen: argparse.Namespace) -> dict[str, Any]:
    """Return the fields of the configuration that `add_stream` has options for."""
    return {
        "stream": chosen.stream,
        "target": chosen.target,
        "ignore": tuple(name for group in chosen.ignore for name in group),
        "positive": chosen.positive,
        "kind": chosen.kind,
        "classes": chosen.classes,
        "missing": chosen.missing,
        "missing_codes": tuple(chosen.missing_code),
        "damaged": chosen.damaged,
        "time": chosen.time,
        "categories": chosen.categories,
        "category_slots": chosen.category_slots,
        "idle": chosen.idle,
        "limit": chosen.limit,
    }
