"""The measured process: import a library, test and learn block by block, print what it took.

It reads a block at a time and times only the learning, so that neither the rows nor their
conversion into a library's own form count in its seconds or stay in its memory. Nothing heavy is
imported before the library is: its import is timed.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from time import process_time
from typing import Any, Protocol

from bench.peers.models import BULK, ROW

#: Rows between two looks at the allowance, by mode; in bulk, the rows of a call.
BLOCK = {ROW: 200, BULK: 1000}


@dataclass(frozen=True)
class Spec:
    """The arguments of a measured process. ``rows`` are at ``folder``/X, float32, and /y."""

    name: str
    mode: str
    size: int | None
    features: int
    gamma: float
    params: dict[str, Any]
    sparse: bool
    rows: int
    allowance: float
    folder: str
    answers: str
    imports: tuple[str, ...]
    adapter: str

    def dump(self) -> str:
        """For the command line."""
        return json.dumps(asdict(self))


class Peer(Protocol):
    """The model of an adapter."""

    def prepare(self, X: Any, y: Any) -> Any:
        """Rows in the library's own form; not timed."""

    def learn(self, block: Any) -> Any:
        """Scores before the rows were learned; timed."""


def peak_resident() -> float:
    """Most resident MB so far. Not ru_maxrss: across exec it keeps what the parent had."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    (line,) = (line for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) / 1000 * 1.024


def run(spec: Spec) -> dict[str, float]:
    """Import, then learn; the answers go to a file, a byte for each row: was it right?"""
    start = process_time()
    for name in spec.imports:
        import_module(name)
    imported = process_time() - start
    import numpy as np

    peer: Peer = import_module(f"bench.peers.{spec.adapter}").make(spec)
    seconds, done, block = 0.0, 0, BLOCK[spec.mode]
    folder = Path(spec.folder)
    with (
        open(folder / "X", "rb") as rows,
        open(folder / "y", "rb") as labels,
        open(spec.answers, "wb") as answers,
    ):
        while done < spec.rows and seconds < spec.allowance:
            n = min(block, spec.rows - done)
            X = np.fromfile(rows, np.float32, n * spec.features).reshape(n, spec.features)
            y = np.fromfile(labels, np.float64, n)
            prepared = peer.prepare(X, y)
            start = process_time()
            scores = peer.learn(prepared)
            seconds += process_time() - start
            answers.write(((np.asarray(scores) >= 0.0) == (y > 0.0)).tobytes())
            done += n
    return {
        "seconds": seconds,
        "rows": done,
        "import_ms": 1e3 * imported,
        "peak_mb": peak_resident(),
    }


if __name__ == "__main__":
    print(json.dumps(run(Spec(**json.loads(sys.argv[1])))))
