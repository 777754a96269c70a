"""Sizes within the regions of a forecaster (docs/forecast.md, section 2), counted in numbers."""

from __future__ import annotations

from edgeolk.configuration.settings import Settings

#: Members of ``olk_history`` and of ``olk_pending`` (edgeolk/c).
HISTORY, PENDING = 20, 9


def diagonal_inputs(config: Settings) -> int:
    """Inputs of the diagonal linear learner, m1."""
    return 4 + (2 if config.values["season"] else 0) + 2 * config.n_features


def head_inputs(config: Settings) -> int:
    """Inputs of the head, m2."""
    return 7 + (2 if config.values["season"] else 0) + (2 if config.budget else 0)


def pending_numbers(config: Settings) -> int:
    """Numbers stored for a row that waits for its target."""
    return PENDING + head_inputs(config) + 2 * config.n_features
