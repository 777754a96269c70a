"""``python -m bench.anomalies``: ten minutes; ``--only nab`` a part."""

from __future__ import annotations

from bench.table import main

PARTS = {
    "nab": ("Anomalies: the Numenta Anomaly Benchmark", "boards", "run_nab"),
    "skab": ("Anomalies: the Skoltech Anomaly Benchmark", "boards", "run_skab"),
    "streams": ("Anomalies: labelled streams", "streams", "run"),
    "faults": ("Anomalies: faults put into intact sensors", "faults", "run"),
    "published": ("Anomalies: NAB's score of published results", "boards", "run_published"),
}

if __name__ == "__main__":
    main("bench.anomalies", __doc__, PARTS, "streams")
