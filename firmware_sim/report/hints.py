"""Suggestions for a learner that does not beat its baselines, each tested on the stream first."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import edgeolk as ek
from firmware_sim.configuration.config import ReplayConfig
from firmware_sim.errors import SimulatorError
from firmware_sim.kinds.base import NEED_LABELS, Hint
from firmware_sim.metrics import Metrics
from firmware_sim.replaying.loop import Replay
from firmware_sim.replaying.result import ReplayResult
from firmware_sim.streams import Stream

#: Rows that a suggestion is tested on, and seconds after which no more are tested.
ROWS, SECONDS = 5_000, 10.0


def loses(metrics: Metrics) -> bool:
    """Whether a baseline is at least as good as the learner."""
    if not metrics.judged:
        return False
    ours = metrics.loss("learner")
    return ours >= min(metrics.loss(who) for who in metrics.baselines)


def tried_hints(result: ReplayResult, *, clock: Callable[[], float] = time.monotonic) -> str:
    """Return which options improve the loss on the first rows, or which do not, as sentences.

    Empty if the learner beats the baselines, or the stream cannot be read again.
    """
    config = result.config
    again = result.stream.kept is None and not isinstance(config.stream, Stream)
    again = again and config.group is None  # a learner without groups has other defaults
    if not (again and result.status == "complete" and loses(result.metrics)):
        return ""
    rows = min(ROWS, result.rows.read)
    started = clock()
    current_loss = _loss(replace(config, limit=rows))
    better, worse = [], []
    for words, changes in _candidates(result):
        if clock() - started > SECONDS:
            break
        loss = _loss(replace(config, limit=rows, **changes))
        if loss is None or current_loss is None:
            continue
        outcome, now = result.metrics.words(loss), result.metrics.words(current_loss)
        # Rounding moves scores that an option leaves alone.
        if loss < current_loss and outcome != now:
            better.append((loss, f"{words} ({outcome})"))
        else:
            worse.append(words)
    if current_loss is None or not (better or worse):
        return ""
    where = f"on the first {rows:,} rows" if rows < result.rows.read else "on the same rows"
    helped = "; ".join(words for _, words in sorted(better))
    text = (
        f"Try next, with {result.metrics.words(current_loss)} {where} now: {helped}."
        if helped
        else f"Tried {where}, and no better: {'; '.join(worse)}."
    )
    return text + _needs_labels(result)


def _needs_labels(result: ReplayResult) -> str:
    metrics = result.metrics
    for who, name in metrics.baselines.items():
        if name in NEED_LABELS and metrics.loss(who) <= metrics.loss("learner"):
            return label_note(name)
    return ""


def label_note(name: str) -> str:
    """Return the sentence on baselines that repeat the last label."""
    name = name[0].upper() + name[1:]
    return f" ({name} can be used only where each true label comes before the next row.)"


def _loss(config: ReplayConfig) -> float | None:
    """Return the mean loss of a replay; None if it cannot run or be evaluated."""
    changes: dict[str, Any] = {"faults": (), "leak": 0, "enforce": "arena", "on": None}
    plain = replace(config, **changes, test=None, group=None, path=False, frozen_after=0)
    try:
        result = Replay(plain).run()
    except (SimulatorError, TypeError, ValueError):
        return None
    return result.metrics.mean_loss("learner") if result.metrics.judged else None


def _candidates(result: ReplayResult) -> Iterator[Hint]:
    """Yield changes to test: as options, and as fields of the configuration."""
    config = result.config
    algorithm, _, dtype, name = config.resolved
    kind = config.label_kind

    def with_params(**extra: Any) -> Hint:
        options = " ".join(f"--param {shlex.quote(f'{k}={v}'.lower())}" for k, v in extra.items())
        return options, {"params": {**config.params, **extra}}

    if result.learner["n_support"] >= result.learner["budget"]:
        if dtype not in ("int8", "float16"):
            yield "--dtype float16", {"dtype": "float16"}
        more = 4 * config.cap_bytes
        yield f"--ram {more}", {"ram": more}
    yield from kind.hints(config, with_params)
    if result.width is not None:
        for factor in (4.0, 0.25):
            gamma = float(f"{result.width.gamma * factor:.3g}")
            yield f"--gamma {gamma:g}", {"gamma": gamma}
    if algorithm != ek.Config(n_features=1).name:
        usual: dict[str, Any] = {
            "algorithm": "",
            "params": {},
            "kind": name,
            "gamma": None,
            "budget": None,
        }
        what = "the default, with no algorithm, width, budget or parameter named"
        option = kind.option(config)
        yield what + (f", but{option}" if option else ""), usual
