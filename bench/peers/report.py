"""From outcomes to tables, sentences and the numbers that are kept."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bench.machine import facts, sentence
from bench.peers import conclusions
from bench.peers.conclusions import Comparison, Entry, figure
from bench.peers.models import LIBRARIES, Case, Params
from bench.peers.runner import Outcome, Stream
from bench.table import Report, Table
from bench.timing import ratio

HEADER = (
    *("library: model", "setting", "held against", "B or D", "rows", "accuracy %"),
    *("theirs - ours", "seconds", "us a row", "ratio", "MB", "import ms"),
)
NOTES = (
    "B is a budget of support vectors, D a number of features; fogd makes a cosine and a sine of"
    " each of its D frequencies, RBFSampler one cosine; nogd keeps B / 5 eigenfunctions, Nystroem"
    " all D. pa1 freezes when full, the others here give way.",
    "Rows fewer than the table's: the case reached its allowance. `theirs - ours` is in points,"
    " over the rows the peer got through; `ratio` is time a row, theirs to ours. Most models cost"
    " less while they are young, so that a prefix flatters the peer.",
    "Each library is given rows in its own form, made beforehand and not timed: arrays, river"
    " dictionaries of the non-zeros, VW parsed examples. In bulk the rows of the first call, which"
    " find no model, count on neither side; scikit-learn answers a call's rows by the model before"
    " them, learn_many each row by the model after the row before. With random features one"
    " transformation serves the score and the update. VW leaves its score in the example it learns,"
    " and our learn_one returns it; for the others scoring and learning are two calls. scikit-learn"
    " runs with its argument checks off. Nystroem is fitted on the first D rows (in bulk: on the"
    " calls that hold them), answered by the majority label until then. river's RBFSampler makes D"
    " cosines of each reading by itself: an additive kernel, not the Gaussian.",
    "MB: most resident memory of the process, everything imported, a block of rows and the model."
    " The Python ones all have numpy, which hands them the rows. Import: processor time in a fresh"
    " process, the median over the library's cases.",
)


@dataclass
class Results:
    """Everything a run found out."""

    streams: Sequence[Stream]
    cases: Sequence[Case]
    settings: Mapping[str, Params]
    versions: Mapping[str, str | None]
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)

    def params(self, case: Case) -> Params:
        """Parameters of a case; none where it has no grid."""
        return self.settings.get(case.settings_key, {})

    def entry(self, outcome: Outcome) -> Entry:
        """The figures of a case."""
        case, model, timing = outcome.case, outcome.case.model, outcome.timing
        return Entry(
            *(case.data, model.library, model.title, model.kind, case.size, case.mode),
            *(timing.rows, outcome.accuracy(), timing.microseconds, outcome.mb),
        )

    def entries(self) -> dict[str, Entry]:
        """By the key of the case."""
        return {key: self.entry(outcome) for key, outcome in self.outcomes.items()}

    def comparisons(self) -> dict[str, Comparison]:
        """Every peer that ran against its counterpart, by the key of its case."""
        entries = self.entries()
        key_of = {entry: key for key, entry in entries.items()}
        ours = [entry for entry in entries.values() if entry.library == "edgeolk"]

        def accuracy(entry: Entry, rows: int) -> float:
            return self.outcomes[key_of[entry]].accuracy(rows)

        found = {}
        for key, outcome in self.outcomes.items():
            other = outcome.case.counterpart
            if outcome.case.model.ours and other in entries:
                found[key] = conclusions.compare(
                    *(entries[key], entries[other], _ratio(outcome, self.outcomes[other])),
                    *(ours, accuracy),
                )
        return found

    def import_ms(self) -> dict[str, float]:
        """Median over the cases of a library."""
        by_library: dict[str, list[float]] = {}
        for outcome in self.outcomes.values():
            by_library.setdefault(outcome.case.model.library, []).extend(outcome.import_ms)
        return {library: statistics.median(ms) for library, ms in by_library.items()}


def _ratio(theirs: Outcome, ours: Outcome) -> float:
    """Round by round where both ran in every round, else of the medians."""
    if len(theirs.timing.seconds) == len(ours.timing.seconds):
        return ratio(theirs.timing, ours.timing)
    return theirs.timing.microseconds / ours.timing.microseconds


def _setting(params: Params) -> str:
    return ", ".join(f"{name} {value:g}" for name, value in params.items()) or "defaults"


def _row(results: Results, case: Case, held: Comparison | None, import_ms: float) -> list[str]:
    words = [case.model.title, _setting(results.params(case)), case.model.ours]
    words.append(str(case.size) if case.size else "")
    outcome = results.outcomes.get(case.key)
    if outcome is None:
        return [*words, "", results.failures.get(case.key, "not installed"), *[""] * 6]
    timing = outcome.timing
    return [
        *words,
        f"{timing.rows:,}",
        f"{outcome.accuracy():.2f}",
        f"{held.peer.accuracy - held.ours.accuracy:+.2f}" if held else "",
        f"{timing.median:.3f}",
        figure(timing.microseconds),
        figure(held.ratio) if held else "",
        f"{outcome.mb:.0f}",
        f"{import_ms:.0f}" if LIBRARIES[case.model.library].imports else "",
    ]


def tables(results: Results) -> list[Table]:
    """A table for each stream and mode, then the libraries."""
    made = []
    held, import_ms = results.comparisons(), results.import_ms()
    for stream in results.streams:
        own = [case for case in results.cases if case.data == stream.name]
        for mode in dict.fromkeys(case.mode for case in own):
            rows = [
                _row(results, case, held.get(case.key), import_ms.get(case.model.library, 0.0))
                for case in own
                if case.mode == mode
            ]
            made.append(Table(f"{stream.title}: {mode}", HEADER, rows, left=3))
    listed = [[name, version or "not installed"] for name, version in results.versions.items()]
    made.append(Table("Versions", ("library", "version"), listed, left=2))
    return made


def sentences(results: Results) -> str:
    """The outcome in words."""
    held = list(results.comparisons().values())
    if not held:
        return "There is no peer to compare with."
    lines = [
        *filter(None, map(conclusions.sentence, held)),
        *conclusions.memory(held),
        *conclusions.imports(results.import_ms()),
    ]
    listing = "\n".join(f"- {line}" for line in lines)
    return (
        f"{conclusions.summary(held)}\n\nNot beaten, computed from the tables below:\n\n{listing}"
    )


def make_report(results: Results, rounds: int, allowance: float) -> Report:
    """The report of one run."""
    introduction = "\n\n".join(
        [
            f"{sentence()}. One run of `python -m bench.peers`: a process for each case, one"
            f" thread, {allowance:g} s of processor time at most; those that need little are run in"
            f" {rounds} rounds, interleaved, and medians taken. Every row is answered before it is"
            " learned; a9a in the order of `default_rng(0).permutation`, float32 rows. Kernels"
            " are Gaussian with the table's gamma on all sides; the other parameters, ours and"
            " theirs, were chosen alike on the first 10,000 rows (for a9a of another permutation)"
            " by `python -m bench.peers.tune`.",
            "![Accuracy against time a row](peers.png)",
            sentences(results),
            *NOTES,
        ]
    )
    data: dict[str, Any] = {"machine": facts(), "rounds": rounds, "allowance_s": allowance}
    data["versions"] = dict(results.versions)
    data["import_ms"] = results.import_ms()
    held = results.comparisons()
    data["cases"] = {
        key: {
            "params": results.params(outcome.case),
            "rows": outcome.timing.rows,
            "accuracy": outcome.accuracy(),
            "seconds": outcome.timing.seconds,
            "us_a_row": outcome.timing.microseconds,
            "peak_mb": outcome.mb,
            **(
                {
                    "held_against": outcome.case.counterpart,
                    "its_accuracy_same_rows": held[key].ours.accuracy,
                    "ratio": held[key].ratio,
                }
                if key in held
                else {}
            ),
        }
        for key, outcome in results.outcomes.items()
    }
    data["failures"] = results.failures
    return Report("Peers", introduction, tables(results), data)
