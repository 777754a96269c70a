"""Requirements of the forecaster over structured features (``history=True``)."""

from __future__ import annotations

from edgeolk.lean import TYPE_CHECKING
from edgeolk.parts.traits import Refusals, both

if TYPE_CHECKING:
    from edgeolk.configuration.settings import Settings

#: Inputs that the kernel sees beside those of the row (core/loops/forecast_types.h).
HISTORY_INPUTS = 4
#: Numbers of the scalers by mean and deviation (core/loops/preprocessing.h).
STANDARD = (1, 9)
#: The fewest frequencies that a kernel is worth its room with; below, there is none.
LEAST_FREQUENCIES = 32


def _asked(config: Settings) -> bool:
    return config.forecasts


FORECASTING: Refusals = {
    "horizon and season need history=True and Loss.SQUARE": (
        lambda c: not _asked(c) and (c.values["lead"] != 1.0 or c.values["season"] != 0.0)
    ),
    "interval= needs history=True and loss='square': only forecasts come with one": (
        lambda c: not _asked(c) and "interval" in c.lists
    ),
    "season must be 0 or at least horizon": (lambda c: 0.0 < c.values["season"] < c.values["lead"]),
    "history=True has the last value among its candidates: no last_label": both(
        _asked, lambda c: c.values["last_label"] == 1.0
    ),
    "history=True needs rows scaled by scale='standard', and no clip_rows": both(
        _asked,
        lambda c: c.preprocessing.clip_rows > 0.0 or c.preprocessing.method not in STANDARD,
    ),
    "history=True takes no width from the first rows: the kernel would start anew amid them": both(
        _asked, lambda c: c.preprocessing.gamma_rows > 0
    ),
    f"a kernel pays from D = {LEAST_FREQUENCIES} on: with history=True D must be 0 or that": both(
        _asked, lambda c: 0 < c.budget < LEAST_FREQUENCIES
    ),
}
