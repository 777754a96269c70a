"""Instructions a row of exported models, fitted: writes `edgeolk/export/fitted.json`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import edgeolk as ek
from bench.cases import Cases
from bench.machine import ROOT
from bench.mcu.page import need_boards
from bench.mcu.rows import Array
from edgeolk.export import costs
from edgeolk.export.costs import terms_of
from firmware_sim.mcu.counting import BOARD_OF, counts

TARGET = Path(costs.__file__).parent / "fitted.json"
#: The counts of finished runs: a run that was stopped continues.
STORED = ROOT / "build" / "instructions.jsonl"
#: A core with single precision gains nothing by whole numbers.
LEFT_OUT = ("Cortex-M4F", "whole")


class Size(NamedTuple):
    """A model's."""

    inputs: int
    D: int
    classes: int = 0
    memory: int = 0


class Kind(NamedTuple):
    """Models of one kind: a description, sizes for the fit, and held-out sizes."""

    options: dict[str, Any]
    fitted: tuple[Size, ...]
    held_out: tuple[Size, ...]


_GRID = tuple(Size(d, D) for d in (2, 8, 30) for D in (64, 300, 1000))
_FEW = tuple(Size(d, D) for d in (2, 12) for D in (64, 300, 1000))
_MORE = (
    Size(3, 128, 3), Size(20, 128, 3), Size(8, 450, 4), Size(3, 128, 8),
    Size(3, 128, 0, 40), Size(20, 128, 0, 40), Size(8, 450, 0, 100), Size(3, 128, 0, 200),
)  # fmt: skip
_HELD_OUT = (Size(5, 200), Size(16, 700), Size(6, 256, 5), Size(10, 256, 0, 80))
#: Anomalies of a stream have a multiple of 64 frequencies.
_WATCHED = tuple(Size(d, D) for d in (2, 12) for D in (64, 320, 960))
_LEARNER: dict[str, Any] = {"algorithm": "sorf", "gamma": "auto", "scale": "standard",
                            "relevance": True}  # fmt: skip
_FORECASTER = {"loss": "square", "history": True, "relevance": True}
#: A kind and its type of numbers.
Name = tuple[str, str]
KINDS: dict[Name, Kind] = {
    ("learner", "int8"): Kind(_LEARNER, _GRID + _MORE, _HELD_OUT),
    ("learner", "float32"): Kind({**_LEARNER, "dtype": "float32"}, _FEW, _HELD_OUT[:2]),
    ("forecaster", "int8"): Kind(_FORECASTER, _FEW, _HELD_OUT[:2]),
    ("forecaster", "float32"): Kind({**_FORECASTER, "dtype": "float32"}, _FEW, _HELD_OUT[:2]),
    ("watching", "int8"): Kind({"loss": "novelty", "history": True}, _WATCHED,
                              (Size(5, 192), Size(16, 704))),
}


def learner_of(kind: Kind, size: Size) -> ek.Learner:
    """An empty one of a size."""
    options: dict[str, Any] = {**kind.options, "n_features": size.inputs, "D": size.D}
    if size.classes:
        options["n_classes"] = size.classes
    if "algorithm" in options:
        options["memory"] = size.memory
    return ek.Learner(options.pop("algorithm", None), **options)


def counted(cases: Cases, name: Name, size: Size, core: str, how: str) -> list[float]:
    """Instructions to score, to learn, and of the longest; NaN where the board is too small."""

    def make() -> list[float]:
        rows = list(counts(learner_of(KINDS[name], size), [core], [how]))
        return [1e3 * v for v in rows[0][2:5]] if rows else [float("nan")] * 3

    return list(cases.of(json.dumps([*name, size, core, how]), make))


def _runs() -> Iterator[tuple[Name, str, str]]:
    for name in KINDS:
        for core in BOARD_OF:
            for how in costs.FLAGS if name[1] == "int8" else ("library",):
                if (core, how) != LEFT_OUT:
                    yield name, core, how


def _fit(points: Array, found: Array) -> Array:
    """Factors of the terms by relative errors, for each of what was counted."""
    return np.array(
        [np.linalg.lstsq(points / y[:, None], np.ones(len(y)), rcond=None)[0] for y in found.T]
    )


def main() -> int:
    """Count, fit and write; 2 where there is no emulator."""
    parser = argparse.ArgumentParser(prog="python -m bench.mcu.instructions", description=__doc__)
    parser.add_argument("--jobs", type=int, default=1, help="boards at once (%(default)s)")
    parser.add_argument("--again", action="store_true", help="forget what was counted")
    options = parser.parse_args()
    need_boards()
    if options.again:
        STORED.unlink(missing_ok=True)
    cases = Cases(STORED)
    with ThreadPoolExecutor(options.jobs) as pool:
        asked = [
            (name, size, core, how)
            for name, core, how in _runs()
            for size in KINDS[name].fitted + KINDS[name].held_out
        ]
        list(pool.map(lambda each: counted(cases, *each), asked))
    lines, worst = [], np.zeros(3)
    for name, core, how in _runs():
        kind = KINDS[name]
        points, found = (
            np.array(each, float)
            for each in zip(
                *(
                    (terms_of(learner_of(kind, size)), counted(cases, name, size, core, how))
                    for size in kind.fitted + kind.held_out
                ),
                strict=True,
            )
        )
        there = np.isfinite(found[:, 0])
        last = np.arange(len(found)) >= len(kind.fitted)
        fit = _fit(points[there & ~last], found[there & ~last])
        off = np.abs(points @ fit.T / found - 1.0)
        print(*name, core, how, "fitted", np.nanmax(off[~last], 0).round(3), "held out",
              np.nanmax(off[last], 0).round(3), file=sys.stderr)  # fmt: skip
        worst = np.fmax(worst, np.nanmax(off[last], 0))
        each = [np.trim_zeros(np.round(factors), "b").astype(int).tolist() for factors in fit]
        lines.append(json.dumps([[*name, core, how], *each]))
    errors = f"{worst[0]:.0%} to score, {worst[1]:.0%} to learn, {worst[2]:.0%} of the longest"
    error = json.dumps(f"For models held out they were off by up to\n{errors}")
    text = ",\n".join(lines)
    TARGET.write_text(f'{{"error": {error},\n"fits": [\n{text}\n]}}\n', encoding="utf-8")
    print(errors)
    return 0


if __name__ == "__main__":
    sys.exit(main())
