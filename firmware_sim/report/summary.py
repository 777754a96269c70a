"""The conclusions from the figures of a replay as sentences, and the command that repeats it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from firmware_sim.configuration.config import ReplayConfig
from firmware_sim.configuration.fields import OPTIONS
from firmware_sim.errors import SimulatorError
from firmware_sim.metrics.base import AS_GOOD, BEATEN, NOT_BEATEN, duration
from firmware_sim.plaintext import counted, listed
from firmware_sim.replaying.result import ReplayResult

#: Parts of the device that are drawn in the colour of the scaler.
SCALING = ("scaler", "target scaler", "repair")


def headline(result: ReplayResult) -> str:
    """Return what is shown: the stream, its task in plain words and the learner."""
    config, target = result.config, result.stream.target
    what = config.label_kind.task(target)
    if ahead := config.rows_ahead:
        time = f" ({duration(ahead * result.period)})" if result.period else ""
        what = f"{target}, {counted(ahead, 'row')}{time} ahead"
    return f"{result.stream.name}: {what}, by {config.resolved.algorithm}"


def name_of(result: ReplayResult, who: str) -> str:
    """Return the name of the learner, or of a baseline, in a report."""
    return result.metrics.baselines.get(who, result.config.resolved.algorithm)


def summary_sentence(result: ReplayResult) -> str:
    """Return one sentence that compares the learner with the baselines, those not beaten first."""
    metrics = result.metrics
    if metrics.rows == 0:
        return "No row was scored."
    sentence = metrics.sentence(result.config.resolved.algorithm)
    return " ".join(filter(None, [sentence, held_out_sentence(result)]))


def held_out_sentence(result: ReplayResult) -> str:
    """Return one sentence on the rows that were not learned from; empty if there are none."""
    found, metrics = result.held_out, result.metrics
    if found is None:
        return ""
    ours = metrics.words(found.loss("learner"))
    verdicts: dict[str, list[str]] = {}
    for who in metrics.lasting_baselines:
        theirs = metrics.words(found.loss(who))
        word = NOT_BEATEN if who in found.unbeaten else BEATEN
        word = AS_GOOD if theirs == ours else word
        loss = f"{metrics.baselines[who]} ({theirs})"
        verdicts.setdefault(word, []).append(loss)
    compared = ", but ".join(f"{word} {listed(one)}" for word, one in verdicts.items())
    return f"On {found.total.rows:,} rows that it did not learn from: {ours}, which {compared}."


def learner_size(result: ReplayResult) -> str:
    """Return the number of support vectors or frequencies, as text."""
    regions = {region.name for region in result.layout.part("learner").regions}
    if not result.learner["budget"]:
        return "a linear model" if "linear_weights" in regions else "no kernel"
    if "support_vectors" not in regions:
        return f"{result.learner['budget']:,} frequencies"
    return f"{result.learner['n_support']:,} of {result.learner['budget']:,} support vectors"


def command(config: ReplayConfig, *, usual: bool = False) -> str:
    """Return the command line of this configuration; empty if a stream of it is not named.

    usual: whether the cap is left out if it is the default.
    """
    if not isinstance(config.stream, str) or not isinstance(config.test, (str, type(None))):
        return ""
    options = {
        name: value
        for name, one in OPTIONS.items()
        if (value := getattr(config, name)) != one.default or (name == "ram" and not usual)
    }
    if config.forecast is not None:  # it implies both
        options.pop("target", None)
        options.pop("kind", None)
    words = ["python", "-m", "firmware_sim", "replay", config.stream]
    return shlex.join([*words, *_words(options)])


def options(config: ReplayConfig, names: Sequence[str]) -> str:
    """Return the options of some fields that this learner needs, besides the other fields.

    Defaults depend on other options (a history on a width, the storage type on the algorithm): so
    all options are given first, and then each is removed without which the learner is the same.
    """
    pinned = config.pinned()
    options = {name: getattr(pinned, name) for name in names}

    def is_enough(reduced: dict[str, Any]) -> bool:
        usual = {name: OPTIONS[name].default for name in names}
        try:
            return replace(config, **{**usual, **reduced}).pinned() == pinned
        except SimulatorError:
            return False

    for name in names:
        reduced = {key: value for key, value in options.items() if key != name}
        options = reduced if is_enough(reduced) else options
    for name in options.get("params", ()):
        params = {key: value for key, value in options["params"].items() if key != name}
        reduced = {**options, "params": params}
        options = reduced if is_enough(reduced) else options
    return shlex.join(_words(options))


def _words(options: Mapping[str, Any]) -> list[str]:
    return [word for name, value in options.items() for word in OPTIONS[name].words(name, value)]
