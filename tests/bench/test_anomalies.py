"""Scores of the two boards of anomalies, against plain loops."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from bench.anomalies import boards, nab, skab

COSTS = {
    "standard": nab.Costs(1.0, 0.11, 1.0),
    "reward_low_FP_rate": nab.Costs(1.0, 0.22, 1.0),
    "reward_low_FN_rate": nab.Costs(1.0, 0.11, 2.0),
}


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[nab.Series]:
    monkeypatch.setattr(nab, "profiles", lambda: COSTS)
    blank = np.zeros((1000, 1)), np.arange(1000.0)
    return [
        nab.Series("a/one", *blank, [(300, 399), (600, 649)]),
        nab.Series("a/two", *blank, [(500, 599)]),
        nab.Series("b/none", *blank, []),
    ]


def squashed(position: float) -> float:
    return -1.0 if position > 3.0 else 2.0 / (1.0 + math.exp(5.0 * position)) - 1.0


def plain(series: list[nab.Series], scores: list[np.ndarray], threshold: float, at: str) -> float:
    """The score as the benchmark's description has it."""
    costs, total, windows = COSTS[at], 0.0, 0
    for one, of in zip(series, scores, strict=True):
        windows += len(one.windows)
        earned = dict.fromkeys(one.windows, -costs.missed)
        for row in range(150, 1000):
            if of[row] < threshold:
                continue
            inside = [w for w in one.windows if w[0] <= row <= w[1]]
            before = [w for w in one.windows if w[1] < row]
            if inside:
                (first, last) = inside[0]
                gain = squashed(-(last - row + 1) / (last - first + 1)) / squashed(-1.0)
                earned[inside[0]] = max(earned[inside[0]], costs.hit * gain)
            elif before:
                first, last = before[-1]
                total += costs.false * squashed((row - last) / (last - first))
            else:
                total -= costs.false
        total += sum(earned.values())
    return 100.0 * (total + costs.missed * windows) / ((costs.hit + costs.missed) * windows)


def test_nab_against_plain_loops(made: list[nab.Series]) -> None:
    rng = np.random.default_rng(0)
    scores = [np.round(rng.random(1000), 2) * (rng.random(1000) < 0.02) for _ in made]
    judged = nab.judge(made, scores)
    for at, (name, own, best) in enumerate(zip(COSTS, judged.own, judged.best, strict=True)):
        assert own == pytest.approx(plain(made, scores, 0.5, name)), at
        thresholds = np.unique(np.concatenate(scores))
        every = [0.0, *(plain(made, scores, one, name) for one in thresholds)]
        assert best == pytest.approx(max(every))
    assert judged.windows == 3
    assert judged.rows == 3 * 850


def test_nab_of_a_perfect_and_a_silent_detector(made: list[nab.Series]) -> None:
    silent = [np.zeros(1000) for _ in made]
    assert nab.judge(made, silent).own == pytest.approx((0.0, 0.0, 0.0))
    perfect = [one.copy() for one in silent]
    perfect[0][[300, 600]] = perfect[1][500] = 1.0
    judged = nab.judge(made, perfect)
    assert judged.own == pytest.approx((100.0, 100.0, 100.0))
    assert (judged.hits, judged.false) == (3, 0)


def test_rows_of_probation_do_not_count(made: list[nab.Series]) -> None:
    early = [np.zeros(1000) for _ in made]
    early[2][:150] = 1.0
    assert nab.judge(made, early).own == pytest.approx((0.0, 0.0, 0.0))
    early[2][150] = 1.0
    assert nab.judge(made, early).false == 1


def test_skab_counts_rows_behind_the_free_ones() -> None:
    anomaly = np.zeros(1000, dtype=bool)
    anomaly[500:600] = True
    run = skab.Run("a/1.csv", np.zeros((1000, 8)), np.arange(1000.0), anomaly)
    called = np.zeros(1000, dtype=bool)
    called[:400] = True
    called[550:650] = True
    judged = skab.judge([run], [called])
    assert judged.f1 == pytest.approx(0.5)
    assert judged.false == pytest.approx(10.0)
    assert judged.missed == pytest.approx(50.0)


def test_without_published_results_no_page_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(boards.RESULTS_FOLDER, str(tmp_path / "results"))
    assert boards.run_published() == ([], {})
    assert "published results are skipped" in capsys.readouterr().err
