"""``python -m bench.peers.tune``: choose the parameters of every model, ours included.

The values of its grid are tried on the first 10,000 rows, of another permutation for a9a, by the
quicker of its modes, or as many of them as 4 s allow; the most right answers win, over the rows
that every value got through.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

from tqdm import tqdm

from bench.peers.models import Case, Params, cases
from bench.peers.runner import SETTINGS, Failed, Outcome, Stream, a9a, installed, occupancy, run

ROWS = 10_000
SEED = 100
ALLOWANCE = 4.0


def best(case: Case, stream: Stream) -> Params:
    """The value of the grid with the most right answers."""
    tried: list[tuple[Params, Outcome]] = []
    for params in case.model.grid:
        try:
            tried.append((params, run(case, stream, params, ALLOWANCE)))
        except Failed as error:
            print(f"{case.key} {params}: {error}", file=sys.stderr)
    rows = min(outcome.timing.rows for _, outcome in tried)
    return max(tried, key=lambda pair: pair[1].accuracy(rows))[0]


def main() -> int:
    """Choose and store."""
    argparse.ArgumentParser(prog="python -m bench.peers.tune", description=__doc__).parse_args()
    # Models that are not installed keep their earlier choices.
    chosen = json.loads(SETTINGS.read_text(encoding="utf-8")) if SETTINGS.is_file() else {}
    with tempfile.TemporaryDirectory() as scratch:
        streams = [a9a(Path(scratch), ROWS, SEED), occupancy(Path(scratch), ROWS)]
        todo = {}
        for stream in streams:
            for case in cases(stream.name, with_sparse=False):
                if len(case.model.grid) > 1 and installed(case.model.library):
                    todo[case.settings_key] = case, stream  # bulk comes last, and stays
        for key, (case, stream) in tqdm(todo.items(), disable=None):
            chosen[key] = best(case, stream)
    SETTINGS.write_text(json.dumps(chosen, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
