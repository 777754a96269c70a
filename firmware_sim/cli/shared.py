"""Command lines made from options, and configurations made from what was said."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from firmware_sim.config import ReplayConfig
from firmware_sim.configuration.fields import HEADINGS, OPTIONS
from firmware_sim.configuration.option import COUNT, Option
from firmware_sim.configuration.values import BadValueError
from firmware_sim.errors import SimulatorError
from firmware_sim.replaying.assumed import Assumed, assumed

LIVE = "mqtt://HOST/TOPIC: JSON objects (nested: a.b), or cells of CSV with ?columns=A,B,LABEL"
STREAM = (
    "a CSV, JSON, ARFF, NPZ or LIBSVM file, packed or not, - for CSV or JSON from standard input, "
    "the name of a bundled stream, or " + LIVE
)
QUIET = Option("write the files but print nothing", default=False, group="report")
NO_PROGRESS = Option("no progress bar, even on a terminal", default=False, group="report")
NO_PICTURE = Option("do not draw a PNG (saves a second or two)", default=False, group="report")
WORKERS = Option("processes (default: all processors)", COUNT, flag="workers jobs")


def reported(folder: str | None) -> dict[str, Option]:
    """Return the options of a report that is written to a folder by default."""
    out = Option("the folder of the report", default=folder, group="report", metavar="DIR")
    return {"out": out, "quiet": QUIET, "no_progress": NO_PROGRESS, "no_picture": NO_PICTURE}


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
    own: Mapping[str, Option],
    **places: str,
) -> Any:
    """Add a command with the options of a replay that may be said there, and return its parser.

    commands: where it is added.
    name, about: its name, and what it does in a sentence.
    run: what does it.
    own: options that no configuration holds; one of the name of a field stands in its place.
    places: the words that have no option before them, and what they are.
    """
    brief = about[0].lower() + about[1:].partition(".")[0]
    parser = commands.add_parser(name, help=brief, description=about)
    parser.set_defaults(run=run)
    groups: dict[str, Any] = {"": parser}
    for key, one in {**_said_at(name), **own}.items():
        if one.group not in groups:
            groups[one.group] = parser.add_argument_group(one.group)
        # What is not said of a configuration stays away, and so has the default of its field.
        default = argparse.SUPPRESS if key not in own else one.default
        groups[one.group].add_argument(
            *one.flags(key), dest=key, default=default, **_words(one, key in own)
        )
    for place, what in places.items():
        parser.add_argument(place, metavar=place.upper(), help=what)
    return parser


def _said_at(command: str) -> dict[str, Option]:
    """The options of a configuration that a command takes, by their headings."""
    found = {key: one for key, one in OPTIONS.items() if command in one.where}
    return dict(sorted(found.items(), key=lambda item: HEADINGS.index(item[1].group)))


def _words(one: Option, own: bool) -> dict[str, Any]:
    """Return what argparse is told of an option beside its name and default.

    The range of what is not a command's own is checked by `ReplayConfig`, as from Python.
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
    read = _ranged(one) if own else one.value.read
    return {"action": action, "type": read, "help": text, **more}


def _ranged(one: Option) -> Callable[[str], Any]:
    """Return what reads a word and refuses a number out of range."""

    @wraps(one.value.read)
    def read(text: str) -> Any:
        value = one.value.read(text)
        if not one.value.holds(value):
            raise BadValueError(f"{text} is out of range, it must be {one.value.range}")
        return value

    return read


def config_of(chosen: argparse.Namespace, **more: Any) -> ReplayConfig:
    """Return the configuration that the options of a command ask for.

    Raises SimulatorError: a value is not allowed, or a parameter is given twice.
    """
    return ReplayConfig(**{"stream": chosen.stream, **given_of(chosen), **more})


def given_of(chosen: argparse.Namespace) -> dict[str, Any]:
    """Return the fields of a configuration whose options were given."""
    said = {name: value for name, value in vars(chosen).items() if name in OPTIONS}
    if "params" in said:
        said["params"] = _by_name(said["params"])
    several = {name for name in said if OPTIONS[name].several and name != "params"}
    return {name: tuple(value) if name in several else value for name, value in said.items()}


def assumed_of(chosen: argparse.Namespace, *, live: bool = True) -> Assumed:
    """Return what the log itself says where the options do not: the target, the kind of labels.

    live: whether a stream that comes once is looked at, too.
    Raises SimulatorError: it cannot be read.
    """
    if not live and (chosen.stream == "-" or "://" in chosen.stream):
        return Assumed()
    return assumed(chosen.stream, given_of(chosen))


def _by_name(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return parameters by name; refuse one that is given twice."""
    params: dict[str, Any] = {}
    for name, value in pairs:
        if name in params:
            raise SimulatorError(f"--param {name}: given twice, as {params[name]!r} and {value!r}")
        params[name] = value
    return params
