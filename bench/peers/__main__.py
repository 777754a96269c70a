"""Run ours and every installed peer, print the tables, save them in bench/results."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tqdm import tqdm

from bench import datasets
from bench.peers import picture
from bench.peers.models import LIBRARIES, Case, cases
from bench.peers.report import Results, make_report
from bench.peers.runner import Failed, Stream, a9a, installed, occupancy, run, settings
from bench.table import RESULTS

ROUNDS = 3
ALLOWANCE = 10.0
#: Seconds of a first run above which there is no second.
LONG = 2.5
QUICK_ROWS, QUICK_ALLOWANCE = 4000, 0.5


def _streams(folder: Path, rows: int | None) -> list[Stream]:
    found = []
    try:
        found.append(a9a(folder, rows))
        if rows is None and found[0].rows <= datasets.A9A_TRAIN_ROWS:
            print(f"nothing will be saved: {datasets.TRAIN_ALONE}", file=sys.stderr)
    except FileNotFoundError as error:
        print(f"a9a is left out: {error}", file=sys.stderr)
    return [*found, occupancy(folder, rows)]


def _measure(results: Results, rounds: int, allowance: float) -> None:
    streams = {stream.name: stream for stream in results.streams}
    todo = [case for case in results.cases if results.versions[case.model.library]]

    def again(case: Case) -> bool:
        outcome = results.outcomes.get(case.key)
        return outcome is not None and outcome.timing.seconds[0] < LONG

    for number in range(rounds):
        chosen = todo if number == 0 else [case for case in todo if again(case)]
        # Forwards, then backwards, as in bench.timing.
        order = chosen if number % 2 == 0 else chosen[::-1]
        for case in tqdm(order, desc=f"round {number + 1}", disable=None):
            before, params = results.outcomes.get(case.key), results.params(case)
            try:
                outcome = run(case, streams[case.data], params, allowance, before)
                results.outcomes[case.key] = outcome
            except Failed as error:
                if not case.model.ours:  # a failure of ours is an error
                    raise
                results.failures[case.key] = f"failed: {error}"


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(prog="python -m bench.peers", description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="once, on fewer rows; nothing is saved"
    )
    quick = parser.parse_args().quick
    rounds, allowance = (1, QUICK_ALLOWANCE) if quick else (ROUNDS, ALLOWANCE)
    with tempfile.TemporaryDirectory() as scratch:
        streams = _streams(Path(scratch), QUICK_ROWS if quick else None)
        results = Results(
            streams=streams,
            cases=[case for s in streams for case in cases(s.name, s.name == "a9a")],
            settings=settings(),
            versions={name: installed(name) for name in LIBRARIES},
        )
        _measure(results, rounds, allowance)
    report = make_report(results, rounds, allowance)
    # Less than the whole is not kept.
    whole = not quick and any(stream.rows > datasets.A9A_TRAIN_ROWS for stream in streams)
    if whole:
        picture.draw(list(results.entries().values()), RESULTS / "peers.png")
    report.publish("peers", whole, [RESULTS / "peers.png"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
