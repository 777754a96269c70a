"""Command lines from options, and configurations from parsed arguments."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from firmware_sim.configuration.config import ReplayConfig
from firmware_sim.configuration.fields import HEADINGS, OPTIONS
from firmware_sim.configuration.option import COUNT, Option
from firmware_sim.configuration.values import BadValueError
from firmware_sim.errors import SimulatorError
from firmware_sim.replaying.assumed import Assumed, assumed

LIVE = (
    "mqtt://HOST/TOPIC: JSON objects (nested: a.b), or cells of CSV with ?columns=A,B,LABEL; "
    "serial:PORT?baud=115200: lines of CSV or JSON of a board"
)
STREAM = (
    "a CSV, JSON, ARFF, NPZ or LIBSVM file, packed or not, - for CSV or JSON from standard input, "
    "the name of a bundled stream, or " + LIVE
)
QUIET = Option("write the files but print nothing", default=False, group="report")
NO_PROGRESS = Option("no progress bar, even on a terminal", default=False, group="report")
NO_PICTURE = Option(
    "draw no charts: neither a PNG nor those of the page (saves a second or two)",
    default=False,
    group="report",
)
STRICT = Option(
    "more than a tenth of the rows left out is an error, with exit code 2",
    default=False,
    group="report",
)
WORKERS = Option("processes (default: all processors)", COUNT, flag="workers jobs")


def reported(folder: str | None) -> dict[str, Option]:
    """Return the options of a report that is written to a folder by default."""
    out = Option("the folder of the report", default=folder, group="report", metavar="DIR")
    return {"out": out, "quiet": QUIET, "no_progress": NO_PROGRESS, "no_picture": NO_PICTURE}


class Once(argparse.Action):
    """Refuses an option that is given twice, since the second value would replace the first."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Take the value, once."""
        given = namespace.__dict__.setdefault("given", {})
        if self.dest in given:
            parser.error(
                f"argument {option_string}: given twice, as {given[self.dest]!r} and {values!r}"
            )
        given[self.dest] = values
        setattr(namespace, self.dest, values)


def add_command(
    commands: Any,
    name: str,
    about: str,
    run: Callable[..., int],
    command_options: Mapping[str, Option],
    **places: str,
) -> Any:
    """Add a command with its own options and those of a configuration, and return its parser.

    commands: the parser's commands.
    name, about: name and one-sentence description.
    run: the command's function.
    command_options: options of the command; one with the name of a field replaces that field's.
    places: positional arguments and their descriptions.
    """
    brief = about[0].lower() + about[1:].partition(".")[0]
    parser = commands.add_parser(name, help=brief, description=about)
    parser.set_defaults(run=run)
    groups: dict[str, Any] = {"": parser}
    for key, one in {**_options_of(name), **command_options}.items():
        if one.group not in groups:
            groups[one.group] = parser.add_argument_group(one.group)
        # Options of a configuration that are not given are absent: its fields have the defaults.
        default = argparse.SUPPRESS if key not in command_options else one.default
        groups[one.group].add_argument(
            *one.flags(key),
            dest=key,
            default=default,
            **_argparse_arguments(one, key in command_options),
        )
    for place, what in places.items():
        parser.add_argument(place, metavar=place.upper(), help=what)
    return parser


def _options_of(command: str) -> dict[str, Option]:
    """Return the options of a configuration that a command accepts, sorted by heading."""
    found = {key: one for key, one in OPTIONS.items() if command in one.where}
    return dict(sorted(found.items(), key=lambda item: HEADINGS.index(item[1].group)))


def _argparse_arguments(one: Option, checks_range: bool) -> dict[str, Any]:
    """Return the arguments of ``add_argument`` besides name and default.

    `ReplayConfig` checks the range of its own fields, as from Python.
    """
    default = one.shown_default
    text = (one.help + (f" (default: {default})" if default else "")).replace("%", "%%")
    if one.default is False:
        return {"action": "store_true", "help": text}
    action = Once if not one.again else "extend" if one.value.commas else "append"
    look = (
        {"choices": one.choices} if one.choices else {"metavar": one.metavar or one.value.metavar}
    )
    more = {"required": one.required, **look}
    read = _ranged(one) if checks_range else one.value.read
    return {"action": action, "type": read, "help": text, **more}


def _ranged(one: Option) -> Callable[[str], Any]:
    """Return a function that reads a word and refuses a number out of range."""

    @wraps(one.value.read)
    def read(text: str) -> Any:
        value = one.value.read(text)
        if not one.value.holds(value):
            raise BadValueError(f"{text} is out of range, it must be {one.value.range}")
        return value

    return read


def config_of(chosen: argparse.Namespace, **more: Any) -> ReplayConfig:
    """Return the configuration of a command's options.

    Raises SimulatorError: a value is not allowed, or a parameter has two values.
    """
    return ReplayConfig(**{"stream": chosen.stream, **given_of(chosen), **more})


def given_of(chosen: argparse.Namespace) -> dict[str, Any]:
    """Return the fields of a configuration whose options were given."""
    fields = {
        name: value
        for name, value in vars(chosen).items()
        if name in OPTIONS and value is not None
    }
    for name, value in fields.items():
        if name == "params":
            fields[name] = _params_by_name(value)
        elif OPTIONS[name].several:
            fields[name] = tuple(value)
    return fields


def assumed_of(chosen: argparse.Namespace, *, live: bool = True) -> Assumed:
    """Return what the log itself shows if no option says it: the target, the kind of labels.

    live: whether a stream that comes only once is looked at, too.
    Raises SimulatorError: it cannot be read.
    """
    if not live and (chosen.stream == "-" or "://" in chosen.stream):
        return Assumed()
    return assumed(chosen.stream, given_of(chosen))


def _params_by_name(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return parameters by name; raise an error if one is given two values."""
    params: dict[str, Any] = {}
    for name, value in pairs:
        if name in params and params[name] != value:
            raise SimulatorError(f"--param {name}: given twice, as {params[name]!r} and {value!r}")
        params[name] = value
    return params
