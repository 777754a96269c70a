"""Infers the target and the kind of labels if the user names neither and the log is clear."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from edgeolk.errors import suggest
from firmware_sim.configuration.config import ReplayConfig, source_of
from firmware_sim.configuration.fields import OPTIONS
from firmware_sim.errors import SimulatorError
from firmware_sim.kinds import KINDS, UNLABELLED, Column, claimed, implies_nothing
from firmware_sim.kinds.labels import label_key
from firmware_sim.replaying.source import opened
from firmware_sim.streams import BUNDLED, Stream
from firmware_sim.streams.cached import log_of
from firmware_sim.streams.cells import NO, YES
from firmware_sim.streams.live import LiveStream
from firmware_sim.streams.reading import Reading, ReadingOptions
from firmware_sim.streams.tables import CellStream, Frame

#: Names of label columns, likelier ones first.
_NAMES = ("label", "class", "target", "y")
#: Names of columns that are proposed as the target, but not taken without being asked for.
_PROPOSED = ("state", "status", "mode", "condition", "fault", "failure", "activity", "anomaly")
#: Most words of a label column that a note lists.
_LISTED = 3


@dataclass
class Assumed:
    """What was inferred from a log.

    options: inferred fields of `ReplayConfig`.
    live: the stream if it is live; other streams are opened again.
    notes: for the user, one sentence each.
    """

    options: dict[str, Any] = field(default_factory=dict)
    live: LiveStream | None = None
    notes: list[str] = field(default_factory=list)


def configured(stream: Any, given: Mapping[str, Any]) -> tuple[ReplayConfig, Assumed]:
    """Return the configuration of a replay of a stream, and what was inferred for it.

    stream: as in `ReplayConfig`.
    given: fields of `ReplayConfig` set by the user.
    Raises SimulatorError: a field is not allowed, or the stream cannot be read.
    """
    unknown = [name for name in given if name not in OPTIONS]
    if unknown:
        raise SimulatorError(
            f"{unknown[0]!r} is no option of a replay{suggest(unknown[0], OPTIONS)}"
        )
    source = source_of(stream)
    found = assumed(source, given)
    return ReplayConfig(**{"stream": source, **given, **found.options}), found


def assumed(stream: str | Stream | Frame, given: Mapping[str, Any]) -> Assumed:
    """Infer the target and the kind of labels of a log.

    stream: its name, or a frame; of any other stream nothing is inferred.
    given: fields of `ReplayConfig` set by the user.
    Raises StreamError: the log is unreadable, or live and without such a column.
    """
    out = Assumed()
    if isinstance(stream, Stream) or stream in BUNDLED:
        return out
    if given.get("forecast"):  # it says both
        return out
    params = dict(given.get("params", {}))
    says = given.get("kind") or given.get("classes") or not implies_nothing(params)
    target = given.get("target")
    known = KINDS.get(given.get("kind", ""))
    if says and (target or (known is not None and not known.is_supervised)):
        return out
    kept = {one.name for one in fields(ReadingOptions)} - {"target", "alone", "clock"}
    kept |= {"missing_codes", "idle"}
    probe = {name: value for name, value in given.items() if name in kept and name in OPTIONS}
    try:
        found = opened(ReplayConfig(stream=stream, kind=UNLABELLED, **probe))
    except SimulatorError:
        # Reading the log with all options raises the same error.
        if isinstance(stream, str) and (stream == "-" or "://" in stream):
            raise
        return out
    if isinstance(found, LiveStream):
        out.live = found
    if not isinstance(found, CellStream):
        found.close()
        return out
    reading = found.reading
    if target is None and not given.get("positive"):
        target = _target_of(reading, str(given.get("time", "auto")))
        if target is not None:
            out.options["target"] = target
            out.notes.append(f"column {target!r} is the target; choose another with --target")
    if not says:
        kind = UNLABELLED if target is None else _kind_of_labels(reading, target)
        if kind and not given.get("positive"):
            out.options["kind"] = kind
            out.notes.append(_about(kind, target, reading))
    if out.live is None:
        found.close()
    return out


def _about(kind: str, target: str | None, reading: Reading) -> str:
    """Return the note about the inferred kind of labels."""
    if target is None:
        return (
            f"{_proposal(reading)}no column is called label, class, target or y: the replay "
            "detects unusual rows, as with --kind novelty; to forecast a column six hours ahead: "
            "--forecast COLUMN --horizon 6h; to predict it from the others: --target COLUMN "
            "--kind regression"
        )
    note = f"column {target!r} holds {KINDS[kind].noun}: --kind {kind}"
    words = _words_of(reading, target)
    if not KINDS[kind].takes_classes or len(words) > 2:
        return note
    options = f"--target {shlex.quote(target)} --positive {shlex.quote(words[-1])}"
    return (
        f"{note}, with weights for each; if there are only two, {options} learns one set of "
        f"weights, +1 for {words[-1]!r}"
    )


def _proposal(reading: Reading) -> str:
    """Return the proposal of a target, before the sentence on its absence; "" without one."""
    for column in reading.understood.columns:
        kind = _kind_of_labels(reading, column.name)
        is_named = column.name.strip().lower() in _PROPOSED
        words = _words_of(reading, column.name)
        is_text = column.kind == "words" and len(words) > 1
        if kind and (KINDS[kind].takes_classes or KINDS[kind].is_default) and (is_named or is_text):
            shown = ", ".join(map(repr, words[:_LISTED])) + ", ..." * (len(words) > _LISTED)
            target = shlex.quote(column.name)
            return f"column {column.name!r} may be a label ({shown}): --target {target} learns it; "
    return ""


def _words_of(reading: Reading, column: str) -> list[str]:
    """Return the distinct cells of a column in the first rows."""
    place = reading.place_of(column)
    cells = (row[place].strip() for row in reading.first if not reading.is_absent(row[place]))
    return [*dict.fromkeys(cells)]


def _target_of(reading: Reading, time: str) -> str | None:
    """Return the label column: by its name, or the last column if it is a switch; else None."""
    columns = [one for one in reading.understood.columns if one.name not in (time,)]
    usable = [one for one in columns if one.kind not in ("time", "empty", "index")]
    for name in _NAMES:
        for one in usable:
            if one.name.strip().lower() == name:
                return one.name
    last = columns[-1] if len(columns) > 1 else None
    if last is not None and last.kind == "switch" and last.name not in reading.ignored:
        place = reading.place_of(last.name)
        words = {row[place].strip().lower() for row in reading.first}
        if words & YES and words & NO:  # a constant column has nothing to learn
            return last.name
    return None


def _kind_of_labels(reading: Reading, target: str) -> str:
    """Return the kind of labels in a column, by the first rows; "" if unknown."""
    column = next((one for one in reading.understood.columns if one.name == target), None)
    if column is None:
        return ""  # reading the log raises the error
    place = reading.place_of(target)
    labels = [row[place] for row in reading.first if not reading.is_absent(row[place])]
    if not labels:
        return ""
    is_alone = not set(reading.features) - {target}
    is_number, is_switch = column.kind == "number", column.kind == "switch"
    return claimed(Column(target, is_number, is_switch, is_alone, tuple(map(label_key, labels))))


def completed(config: ReplayConfig) -> ReplayConfig:
    """Return a configuration with the kind of labels of its target, if it has none and is clear.

    Raises SimulatorError: the log is unreadable.
    """
    if config.target is None or config.kind:
        return config
    given = {
        name: value
        for name, one in OPTIONS.items()
        if (value := getattr(config, name)) != one.default
    }
    found = assumed(config.stream, given)
    if found.live is not None:
        found.live.close()
    return replace(config, **found.options)


def notes_of(stream: Stream, notes: list[str]) -> None:
    """Put the notes on inferred options before those of the stream."""
    if notes and isinstance(stream, CellStream):
        stream.reading.notes = (*notes, *stream.reading.notes)
    elif log_of(stream) is not None:  # joined or in windows
        stream.notes = (*notes, *stream.notes)
