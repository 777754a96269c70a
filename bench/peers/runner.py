"""The two streams, and a case that runs in a process of its own with one thread.

The streams: a9a in a drawn order, and the bundled sensor stream in the order of time.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench import datasets
from bench.datasets import ROOT
from bench.peers.build_dlib import PROGRAM, VERSION
from bench.peers.child import BLOCK, Spec
from bench.peers.models import BULK, LIBRARIES, Case, Params
from bench.timing import Timing

A9A_GAMMA = 0.04
SETTINGS = Path(__file__).with_name("settings.json")


@dataclass(frozen=True)
class Stream:
    """A data set on disk: X and y in ``folder``."""

    name: str
    title: str
    folder: Path
    rows: int
    features: int
    gamma: float

    @classmethod
    def write(cls, name: str, title: str, folder: Path, X: Any, y: Any, gamma: float) -> Stream:
        """Write rows as the measured processes read them."""
        folder.mkdir(parents=True)
        np.asarray(X, np.float32).tofile(folder / "X")
        np.asarray(y, np.float64).tofile(folder / "y")
        return cls(name, title, folder, len(y), X.shape[1], gamma)


@dataclass
class Outcome:
    """The results of a case's runs; rows and answers are those of the first."""

    case: Case
    timing: Timing
    right: NDArray[np.bool_]
    import_ms: list[float] = field(default_factory=list)
    peak_mb: list[float] = field(default_factory=list)

    def accuracy(self, rows: int | None = None) -> float:
        """Per cent right, of the first rows if so many are named; in bulk from the second call."""
        right, call = self.right[:rows], BLOCK[BULK]
        later = self.case.mode == BULK and len(right) > call
        return 100.0 * float(np.mean(right[call:] if later else right))

    @property
    def mb(self) -> float:
        return statistics.median(self.peak_mb)


class Failed(Exception):  # noqa: N818
    """A peer's process ended badly; the message is its last line."""


def installed(library: str) -> str | None:
    """Version of a library, None where it is not there."""
    if library == "dlib":
        return VERSION.read_text(encoding="ascii").strip() if PROGRAM.is_file() else None
    arguments = LIBRARIES[library]
    if find_spec(arguments.imports[0].partition(".")[0]) is None:
        return None
    try:
        return version(arguments.package)
    except PackageNotFoundError:  # ours, run from its folder
        return "as it stands"


def settings() -> dict[str, Params]:
    """Parameters by ``Case.settings_key``, as ``bench.peers.tune`` chose them."""
    found: dict[str, Params] = json.loads(SETTINGS.read_text(encoding="utf-8"))
    return found


def _command(case: Case, stream: Stream, params: Params, allowance: float, answers: Path) -> Any:
    model, library = case.model, LIBRARIES[case.model.library]
    if library.adapter:
        spec = Spec(
            *(model.name, case.mode, case.size, stream.features, stream.gamma, dict(params)),
            *(model.sparse, stream.rows, allowance, str(stream.folder), str(answers)),
            *(library.imports, library.adapter),
        )
        return [sys.executable, "-m", "bench.peers.child", spec.dump()]
    (parameter,) = params.values()
    arguments = (
        *(model.name, case.size, stream.gamma, parameter, int(model.sparse)),
        *(stream.features, stream.rows, allowance, stream.folder, answers),
    )
    return [PROGRAM, *map(str, arguments)]


def run(
    case: Case, stream: Stream, params: Params, allowance: float, before: Outcome | None = None
) -> Outcome:
    """Run a case once, and add the run to those before it.

    Raises
    ------
    Failed
        The process did, or said nothing for long.
    """
    with tempfile.TemporaryDirectory() as scratch:
        answers = Path(scratch) / "answers"
        try:
            done = subprocess.run(
                _command(case, stream, params, allowance, answers),
                cwd=ROOT,
                capture_output=True,
                text=True,
                check=False,
                timeout=60.0 + 10.0 * allowance,
            )
        except subprocess.TimeoutExpired as error:
            raise Failed(f"no answer in {error.timeout:.0f} s") from None
        if done.returncode:
            raise Failed((done.stderr.strip().splitlines() or ["no message"])[-1])
        arguments: Mapping[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
        right = np.fromfile(answers, np.bool_)
    if before is None:
        before = Outcome(case, Timing(case.key, int(arguments["rows"])), right)
    before.timing.seconds.append(arguments["seconds"])
    before.import_ms.append(arguments["import_ms"])
    before.peak_mb.append(arguments["peak_mb"])
    return before


def a9a(folder: Path, rows: int | None, seed: int = 0) -> Stream:
    """a9a in the order of ``default_rng(seed).permutation``.

    Raises
    ------
    FileNotFoundError
        There is not even the train part.
    """
    data = datasets.a9a().permuted(seed)
    whole = data.name
    data = data.head(rows or len(data))
    title = f"{whole}, {len(data):,} rows, d = 123, gamma {A9A_GAMMA:g}"
    return Stream.write("a9a", title, folder / "a9a", data.X, data.y, A9A_GAMMA)


def occupancy(folder: Path, rows: int | None) -> Stream:
    """The bundled stream as the simulator's scaler leaves it, with the median width."""
    X, y, gamma = datasets.occupancy()
    X, y = X[:rows], y[:rows]
    title = f"occupancy, {len(y):,} rows in the order of time, d = {X.shape[1]}, gamma {gamma:.3g}"
    return Stream.write("occupancy", title, folder / "occupancy", X, y, gamma)
