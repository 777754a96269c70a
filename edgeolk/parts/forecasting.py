"""Requirements of the forecaster over structured features (``history=True``)."""

from __future__ import annotations

from edgeolk.lean import TYPE_CHECKING
from edgeolk.parts.traits import Refusals, both

if TYPE_CHECKING:
    from edgeolk.configuration.settings import Settings

#: Inputs of the kernel in addition to those of the row (c/sorf_types.h).
HISTORY_INPUTS = 4
#: Numbers of the scalers by mean and deviation (c/scaler.h).
STANDARD = (1, 9)
#: With fewer frequencies a kernel does not pay, and there is none.
MIN_FREQUENCIES = 32


def _forecasts(config: Settings) -> bool:
    return config.forecasts


FORECASTING: Refusals = {
    "horizon and season need history=True and Loss.SQUARE": (
        lambda c: not _forecasts(c) and (c.values["lead"] != 1.0 or c.values["season"] != 0.0)
    ),
    "interval= needs history=True and loss='square': only forecasts have intervals": (
        lambda c: not _forecasts(c) and "interval" in c.lists
    ),
    "season must be 0 or at least horizon": (lambda c: 0.0 < c.values["season"] < c.values["lead"]),
    "history=True already uses the last value: no last_label": both(
        _forecasts, lambda c: c.values["last_label"] == 1.0
    ),
    "history=True needs rows scaled by scale='standard', and no clip_rows": both(
        _forecasts,
        lambda c: c.preprocessing.clip_rows > 0.0 or c.preprocessing.method not in STANDARD,
    ),
    "history=True takes no width from the first rows: the kernel would restart among them": both(
        _forecasts, lambda c: c.preprocessing.gamma_rows > 0
    ),
    f"with history=True D must be 0 or at least {MIN_FREQUENCIES}, from where a kernel pays": both(
        _forecasts, lambda c: 0 < c.budget < MIN_FREQUENCIES
    ),
}
