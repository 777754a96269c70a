"""``python -m bench.time``: half an hour; ``--only forecasts`` a part."""

from __future__ import annotations

from bench.table import main

PARTS = {
    "forecasts": ("Forecasts of rows in order, in one pass", "forecasts", "run"),
    "peers": ("Forecasts beside those of other libraries", "comparison", "run"),
    "horizons": ("Forecasts ahead, by horizon", "horizons", "run"),
}

if __name__ == "__main__":
    main("bench.time", __doc__, PARTS, "streams")
