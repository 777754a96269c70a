"""Every row of the report, paper by paper, with the choices they rest on."""

from __future__ import annotations

from bench.papers import paper000, paper001, paper002, paper003, paper004
from bench.papers.setting import Row, Tuning

PAPERS = (paper000, paper001, paper002, paper003, paper004)
TUNINGS: tuple[Tuning, ...] = tuple(tuning for paper in PAPERS for tuning in paper.TUNINGS)
ROWS: tuple[Row, ...] = tuple(row for paper in PAPERS for row in paper.ROWS)
NOTES: dict[str, str] = {title: note for paper in PAPERS for title, note in paper.NOTES.items()}
