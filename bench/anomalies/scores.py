"""How scores of novelty are judged: areas under curves, events found at equal false alarms."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import average_precision_score, roc_auc_score

Scores = NDArray[np.float64]
Marks = NDArray[np.bool_]
#: Rows without an alarm that do not end one.
HOLD = 64


def area(truth: Marks, scores: Scores) -> float:
    """Area under the ROC curve."""
    return float(roc_auc_score(truth, scores))


def precision(truth: Marks, scores: Scores) -> float:
    """Average precision."""
    return float(average_precision_score(truth, scores))


def events(truth: Marks) -> list[tuple[int, int]]:
    """First row and the one behind the last of each anomaly."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], truth.astype(np.int8), [0]))))
    return [(int(first), int(end)) for first, end in edges.reshape(-1, 2)]


def softened(truth: Marks, rows: int) -> Scores:
    """Labels with a slope of some rows on either side of each anomaly, as VUS has them."""
    soft = truth.astype(float)
    for first, end in events(truth):
        for away in range(1, rows // 2 + 1):
            share = np.sqrt(1.0 - away / (rows + 1.0))
            for at in (first - away, end - 1 + away):
                if 0 <= at < len(soft):
                    soft[at] = max(soft[at], share)
    return soft


def volume(truth: Marks, scores: Scores, most: int = 100, steps: int = 5) -> float:
    """Volume under the surface of precision and recall, over slopes of 0 to ``most`` rows.

    After Paparrizos et al., VLDB 2022: labels are softened, recall counts the events that are
    touched too, and the areas are averaged over the length of the slope.
    """
    order = np.argsort(-scores, kind="stable")
    found = events(truth)
    of_event = np.full(len(truth), -1)
    for number, (first, end) in enumerate(found):
        of_event[first:end] = number
    # Rank at which each event is first touched.
    touched = of_event[order]
    ranks = [int(np.argmax(touched == number)) for number in range(len(found))]
    existence = np.zeros(len(truth))
    np.add.at(existence, ranks, 1.0 / max(1, len(found)))
    existence = np.cumsum(existence)
    areas = []
    for rows in np.linspace(0, most, steps).astype(int):
        soft = softened(truth, int(rows))[order]
        hits = np.cumsum(soft)
        ahead = np.arange(1, len(soft) + 1)
        positives = (truth.sum() + softened(truth, int(rows)).sum()) / 2.0
        recall = np.minimum(hits / positives, 1.0) * existence
        gains = np.diff(np.concatenate(([0.0], recall)))
        areas.append(float(np.sum(hits / ahead * gains)))
    return float(np.mean(areas))


def at_equal_alarms(truth: Marks, scores: Scores, share: float = 0.02) -> dict[str, float]:
    """Of the ``share`` of rows with the highest scores: events found, false stretches, delay."""
    alarms = np.zeros(len(scores), dtype=bool)
    alarms[np.argsort(-scores, kind="stable")[: int(share * len(scores))]] = True
    return of_alarms(truth, alarms)


def of_alarms(truth: Marks, alarms: Marks) -> dict[str, float]:
    """Events found by alarms, false stretches of them, delay in rows."""
    found = [np.flatnonzero(alarms[first:end]) for first, end in events(truth)]
    hit = [int(rows[0]) for rows in found if len(rows)]
    # Alarms with at most HOLD quiet rows between them are one.
    at = np.flatnonzero(alarms)
    stretches = np.split(at, np.flatnonzero(np.diff(at) > HOLD) + 1)
    false = sum(not truth[rows[0] : rows[-1] + 1].any() for rows in stretches if len(rows))
    return {
        "events": float(len(found)),
        "found": float(len(hit)),
        "false": 1000.0 * false / len(alarms),
        "delay": float(np.mean(hit)) if hit else float("nan"),
    }
