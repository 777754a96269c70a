"""Sizes of the regions of a forecaster (docs/forecast.md, section 2), in numbers."""

from __future__ import annotations

from edgeolk.configuration.settings import Settings

#: Members of ``olk_history`` and of ``olk_waiting`` (core/loops).
HISTORY, WAITING = 20, 9


def _season(config: Settings) -> int:
    return 2 if config.values["season"] else 0


def diagonal_inputs(config: Settings) -> int:
    """Inputs of the diagonal linear learner, m1."""
    return 4 + _season(config) + 2 * config.n_features


def head_inputs(config: Settings) -> int:
    """Inputs of the head, m2."""
    return 7 + _season(config) + (2 if config.budget else 0)


def candidates(config: Settings) -> int:
    """Candidates of the guard, C."""
    return 3 if config.budget else 2


def history(config: Settings) -> tuple[int, int]:
    """Statistics of the target, quantiles, inputs of the last target's row."""
    return 1, HISTORY + len(config.list_of("interval")) + config.n_features


def forecaster(config: Settings) -> tuple[int, int]:
    """Weights, variances, mean error."""
    return 1, 2 * diagonal_inputs(config) + 1


def head(config: Settings) -> tuple[int, int]:
    """Weights, packed covariance, mean error."""
    m = head_inputs(config)
    return 1, m + m * (m + 1) // 2 + 1


def guard(config: Settings) -> tuple[int, int]:
    """Regrets and squares."""
    return 2, candidates(config)


def waiting(config: Settings) -> tuple[int, int]:
    """A row of numbers for each row that waits for its target."""
    each = WAITING + head_inputs(config) + 2 * config.n_features
    return int(config.values["lead"]), each


def season(config: Settings) -> tuple[int, int]:
    """How many came, and the targets."""
    return 1, int(config.values["season"]) + 2
