"""Linear models that a kernel has to beat: one pass, each row answered before it is learned."""

from __future__ import annotations

import numpy as np

from firmware_sim.streams import Row


def passive_aggressive(X: Row, y: Row, C: float = 1.0) -> Row:
    """Return the scores of PA-I with a constant, for labels -1 and +1."""
    ones, squares = _with_ones(X)
    weights, scores = np.zeros(ones.shape[1]), np.empty(len(y))
    for i, (x, label, square) in enumerate(zip(ones, y, squares, strict=True)):
        scores[i] = weights @ x
        loss = 1.0 - label * scores[i]
        if loss > 0.0:
            weights += min(C, loss / square) * label * x
    return scores


def passive_aggressive_classes(X: Row, y: Row, C: float = 1.0) -> Row:
    """Return the answers of PA-I for several classes (Crammer et al., JMLR 2006, section 8)."""
    ones, squares = _with_ones(X)
    weights = np.zeros((int(y.max()) + 1, ones.shape[1]))
    answers = np.empty(len(y))
    for i, (x, true, square) in enumerate(zip(ones, y.astype(int), squares, strict=True)):
        scores = weights @ x
        answers[i] = int(np.argmax(scores))
        others = scores.copy()
        others[true] = -np.inf
        rival = int(np.argmax(others))
        loss = 1.0 - scores[true] + scores[rival]
        if loss > 0.0:
            step = min(C, loss / (2.0 * square)) * x
            weights[true] += step
            weights[rival] -= step
    return answers


def least_squares(X: Row, y: Row) -> Row:
    """Return the predictions of recursive least squares with a constant and a unit prior."""
    ones, _ = _with_ones(X)
    inverse, weights = np.eye(ones.shape[1]), np.zeros(ones.shape[1])
    out = np.empty(len(y))
    for i, (x, target) in enumerate(zip(ones, y, strict=True)):
        out[i] = weights @ x
        gain = inverse @ x
        gain /= 1.0 + x @ gain
        weights += gain * (target - out[i])
        inverse -= np.outer(gain, x @ inverse)
    return out


def _with_ones(X: Row) -> tuple[Row, Row]:
    """Return the rows with a constant behind, and their squared norms."""
    ones = np.hstack([X, np.ones((len(X), 1))])
    return ones, np.einsum("ij,ij->i", ones, ones)
