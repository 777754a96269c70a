"""RESULTS.md: published figures and those of the library, every row paper by paper."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.cases import Cases
from bench.papers import paper000, paper001, paper002, paper003, paper004
from bench.papers.setting import Row, Setting, Tuning
from bench.table import Report, Table

_MODULES = (paper000, paper001, paper002, paper003, paper004)
TUNINGS: tuple[Tuning, ...] = tuple(tuning for paper in _MODULES for tuning in paper.TUNINGS)
ROWS: tuple[Row, ...] = tuple(row for paper in _MODULES for row in paper.ROWS)
NOTES: dict[str, str] = {title: note for paper in _MODULES for title, note in paper.NOTES.items()}
HERE = Path(__file__).resolve().parent
#: The paper whose rows are statements.
STATEMENTS = "003"
NEAR = 1.0  # points from the published figure that ask for no sentence
HEADER = (
    "method", "setting", "published", "ours", "difference", "held",
    "SVs", "published SVs", "seconds", "runs",
)  # fmt: skip
INTRODUCTION = (
    "Made by `python -m bench.papers`. Online figures: each row is scored before it is learned and"
    " y f <= 0 is a mistake; the order is that of `default_rng(seed).permutation` with seeds 0, 1,"
    " ..., and the learner draws with the same seed. Figures are mean ± standard deviation over"
    " the runs, `difference` is ours less the published one in points, SVs are those held at the"
    " end, seconds the processor time of one pass over the rows, test rows not counted. The kernel"
    " is written out, r the distance. Settings that are chosen are chosen"
    " on seeds from 100 on, which are never scored; online, these are other orders of the same"
    " rows. `held`: *within* = {near:g} point or less away, *better* = further away on"
    " the good side, *explained* = a sentence under the table, *second* = another reading of a"
    " figure that another row is held against, not counted in the summary."
)
#: The papers by the numbers they have in the tables.
PAPERS = {
    "000": "Lu, Zhao, Hoi: *Online sparse passive aggressive learning with kernels*, SDM 2016",
    "001": "Liao, Li, Liao, Hu, Dang: *Ahpatron: a new budgeted online kernel learning machine with"
    " tighter mistake bound*, AAAI 2024",
    "002": "He, Kwok: *Simple randomized algorithms for online learning with kernels*, Neural"
    " Networks 2014",
    "003": "Zhang, Jin, Chen, Bu, He: *Efficient online learning for large-scale sparse kernel"
    " logistic regression*, AAAI 2012",
    "004": "Wang, Vucetic: *Online passive-aggressive algorithms on a budget*, AISTATS 2010",
}
FIGURES = {
    "002_budget.png": "002: error against the budget",
    "003_learning.png": "003: accuracy against training examples",
    "003_sparsity.png": "003: relative accuracy against sparsity",
    "004_labels.png": "004: a million rows of NCheckerboard, accuracy against labels asked for",
    "000_sensitivity.png": "000: SPA's accuracy and size over alpha and beta",
}


def value(row: Row, records: Mapping[str, float], reference: Mapping[str, float] | None) -> float:
    """The figure of one run in the measure of the row."""
    if row.measure == "error":
        return records["error"]
    if row.measure == "share":
        return 100.0 * records["support"] / records["train"]
    accuracy = 100.0 - records["error"]
    if row.measure == "relative":
        assert reference is not None
        return 100.0 * accuracy / (100.0 - reference["error"])
    return accuracy


@dataclass
class Found:
    """The results of a row's runs."""

    row: Row
    setting: Setting
    values: list[float] = field(default_factory=list)
    support: float = 0.0
    seconds: float = 0.0

    @property
    def mean(self) -> float:
        """Mean over the runs."""
        return statistics.fmean(self.values)

    @property
    def difference(self) -> float | None:
        """Ours less the published figure."""
        if self.row.published is None or not self.values:
            return None
        return self.mean - self.row.published

    @property
    def held(self) -> str:
        """The comparison with the published figure."""
        away = self.difference
        if away is None:
            return ""
        if abs(away) <= NEAR:
            word = "within"
        elif away > 0.0 if self.row.measure in ("accuracy", "relative") else away < 0.0:
            word = "better"
        else:
            word = "explained" if self.row.why else "open"
        return f"second, {word}" if self.row.second else word

    def cells(self) -> list[str]:
        """The line of the table."""
        row = self.row
        published = "" if row.published is None else f"{row.published:.2f}"
        if row.deviation is not None:
            published += f" ± {row.deviation:.2f}"
        spread = f" ± {statistics.stdev(self.values):.2f}" if len(self.values) > 1 else ""
        away = self.difference
        return [
            row.method, self.setting.words(), published, f"{self.mean:.2f}{spread}",
            "" if away is None else f"{away:+.2f}", self.held, f"{self.support:,.0f}",
            "" if row.published_support is None else f"{row.published_support:,}",
            f"{self.seconds:.2g}" if self.seconds < 10.0 else f"{self.seconds:.0f}",
            str(len(self.values)),
        ]  # fmt: skip


def gather(row: Row, setting: Setting, against: Setting | None, cases: Cases, seeds: int) -> Found:
    """Collect the runs of a row that are stored."""
    found = Found(row, setting)
    records = []
    for seed in range(seeds):
        record = cases.get(setting.key(seed))
        reference = None if against is None else cases.get(against.key(seed))
        if record is None or (against is not None and reference is None):
            continue
        records.append(record)
        found.values.append(value(row, record, reference))
    if records:
        found.support = statistics.fmean(record["support"] for record in records)
        found.seconds = statistics.fmean(record["seconds"] for record in records)
    return found


def _section(title: str, founds: Sequence[Found]) -> Table:
    notes = [NOTES.get(title, "")]
    for found in founds:
        away = found.difference
        if found.row.why and away is not None and abs(away) > NEAR:
            notes.append(f"{found.row.method}, {found.setting.words()}: {found.row.why}.")
    done = [found for found in founds if found.values]
    notes += [f"{f.row.method}: not run, {f.row.why or 'skipped'}." for f in founds if not f.values]
    text = "\n\n".join(note for note in notes if note)
    return Table(title, HEADER, [found.cells() for found in done], text, left=2)


def lines(founds: Sequence[Found]) -> list[str]:
    """Yield the printed table of some rows: column names, then a line for each row."""
    done = [found for found in founds if found.values]
    each = [" | ".join([found.row.name, *found.cells()[1:]]) for found in done]
    return [" | ".join(HEADER), *each] if each else []


def _summary(founds: Sequence[Found]) -> Table:
    papers: dict[str, list[str]] = {}
    for found in founds:
        if found.difference is not None and not found.row.second:
            papers.setdefault(found.row.table[:6], []).append(found.held)
    words = ("within", "better", "explained", "open")
    rows = [
        [paper, str(len(held)), *(str(held.count(word)) for word in words)]
        for paper, held in papers.items()
    ]
    printed = [row for row in rows if not row[0].startswith(STATEMENTS)]
    totals = [sum(int(row[i]) for row in printed) for i in range(1, 2 + len(words))]
    rows.append([f"all but {STATEMENTS}", *map(str, totals)])
    header = ("paper, table", "published figures", "within 1 point", *words[1:])
    note = f"{STATEMENTS} holds statements of the paper, not printed numbers: not in the total."
    return Table("Summary", header, rows, note)


def write(founds: Sequence[Found], path: Path = HERE) -> Path:
    """Write RESULTS.md with a link to each figure that has been drawn."""
    sections: dict[str, list[Found]] = {}
    for found in founds:
        sections.setdefault(found.row.table, []).append(found)
    tables = [_summary(founds), *(_section(title, rows) for title, rows in sections.items())]
    papers = "\n".join(f"- {number}: {paper}." for number, paper in PAPERS.items())
    introduction = f"{INTRODUCTION.format(near=NEAR)}\n\nThe papers:\n\n{papers}"
    text = Report("Published figures", introduction, tables).markdown()
    drawn = [name for name in FIGURES if (path / "figures" / name).is_file()]
    if drawn:
        pictures = [f"### {FIGURES[name]}\n\n![{FIGURES[name]}](figures/{name})" for name in drawn]
        text += "\n## Figures\n\n" + "\n\n".join(pictures) + "\n"
    target = path / "RESULTS.md"
    target.write_text(text, encoding="utf-8")
    return target
