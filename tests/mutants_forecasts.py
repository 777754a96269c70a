"""Mutations of forecasters and of anomalies of a stream: see `mutants_learners.py`."""

from __future__ import annotations

from mutating import header

FORECAST = "tests/edgeolk/sorf/test_forecast.py"
ANSWERS = (
    "tests/edgeolk/sorf/test_forecast_reference.py::test_every_answer_is_that_of_the_reference"
)
LONGER = "tests/edgeolk/sorf/test_forecast_memory.py"
WATCH = "tests/edgeolk/sorf/test_watch.py"
SIZES = f"{WATCH}::test_every_size_is_the_reference[1-256]"
STEP, ENGINE = "edgeolk.engine.step", "edgeolk.engine.engine"

HEADERS = [
    header("forecast.h", (ANSWERS, FORECAST),
        ("the base moves by the persistence itself",
         "rho * olk_abs(rho) * (last - h->mean)", "rho * (last - h->mean)"),
        types=("float64",)),
    header("forecast_models.h", (ANSWERS, FORECAST, LONGER),
        ("the unit of a longer horizon needs no changes",
         "horizon == 1 || h->changes >= OLK_FIRST_CHANGES", "1",
         f"{ANSWERS}[case12-series]"),
        types=("float64",)),
    header("sorf_forecaster.h", (FORECAST, LONGER),
        ("a target larger than any is learned",
         "y != y || olk_fabs(y) <= OLK_OF(m).ops->largest_target", "1"),
        callers=(STEP,)),
    header("watch.h", (SIZES, WATCH),
        ("scores are learned in an abnormal stretch",
         "if (!options.frozen || rows_with_model < (double)OLK_TRUSTED_ROWS)", "if (1)",
         f"{WATCH}::test_it_is_the_reference[float64-True]"),
        types=("float64",)),
    header("watch_parts.h", (SIZES, WATCH),
        ("a low reading is judged as a high one",
         "olk_surprise(low, -x, n, floor)", "olk_surprise(low, x, n, floor)"),
        types=("float64",)),
    header("watch_state.h", (WATCH,),
        ("a stream begins within an event",
         "s->watch[OLK_WATCH_COUNTS] = OLK_EVENT_ROWS + 1;", "s->watch[OLK_WATCH_COUNTS] = 1;"),
        callers=(STEP, ENGINE)),
    header("watch_statistics.h", (SIZES, WATCH),
        ("squares are around the old mean",
         "gap * (value - (double)moments->mean)", "gap * gap"),
        types=("float64",)),
    header("watch_verdict.h", (SIZES, WATCH),
        ("odd readings count where no channel is trusted", "seen->trust * worse", "worse"),
        types=("float64",)),
    header("peaks.h", (SIZES, WATCH),
        ("surprise grows with the tail's root", "2.0 * olk_log(1.0 +", "olk_log(1.0 +"),
        types=("float64",)),
]  # fmt: skip
