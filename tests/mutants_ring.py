"""Mutations of the ring: kernels, Gaussian processes and the tracker without settings: see
`mutants_learners.py`."""

from __future__ import annotations

from mutating import header

FILTERS = "tests/edgeolk/ring/filters"
UNTUNED = f"{FILTERS}/test_untuned.py"
ANSWERS = f"{UNTUNED}::test_answers_of_the_reference"
GLITCHES = f"{UNTUNED}::test_answers_of_the_reference_around_glitches"
LAGS = f"{FILTERS}/test_untuned_lags.py"
PROCESSES = f"{FILTERS}/test_agreement.py::test_answers_are_those_of_the_reference"
VARIANCE = f"{FILTERS}/test_variance.py"
KERNELS = "tests/edgeolk/parts/test_kernels.py"
STORAGE = "tests/edgeolk/test_storage.py"
SPARSE = "tests/edgeolk/rows/test_sparse.py"
DECISIONS = "tests/edgeolk/test_agreement.py::test_float64_decision_by_decision"

HEADERS = [
    header("krls_auto.h", (ANSWERS, LAGS, UNTUNED),
        ("the middle of three is the last", "return c < low ? low : c > high ? high : c;",
         "return c;"),
        types=("float64",)),
    header("krls_auto_inputs.h", (ANSWERS, LAGS, UNTUNED),
        ("inputs are clipped as at the start",
         "t->words->seen < OLK_AUTO_EARLY ? 30 : 5", "30", GLITCHES),
        types=("float64",)),
    header("krls_auto_posterior.h", (ANSWERS, UNTUNED),
        ("a learned coordinate is more uncertain", "column[i] = old * kept - below[i] * taken;",
         "column[i] = old * kept + below[i] * taken;"),
        types=("float64",)),
    header("krls_auto_prior.h", (ANSWERS, UNTUNED),
        ("widths are learned ever less", "along / total + olk_auto_walk;", "along / total;"),
        types=("float64",)),
    header("gaussian_process.h", (PROCESSES, VARIANCE, f"{FILTERS}/test_agreement.py"),
        ("the row itself never stays outside",
         "double least = olk_fabs(step) * g->distance;", "double least = HUGE_VAL;"),
        types=("float64",)),
    header("kernels.h", (KERNELS, STORAGE),
        ("the degree is one of two", "if (e & 1)\n                result *= base;",
         "if (e & 1)\n                result = base;")),
    header("kernel_rows.h", (SPARSE,),
        ("numbers of a vector where the row has none are forgotten",
         "olk_abs_numbers(xj - s) - olk_abs_numbers(s)", "olk_abs_numbers(xj - s)")),
    header("ring.h", (DECISIONS,),
        ("a merge keeps the worse half",
         "OLK_MASK_F64S(at_p[g] >= at_q[g])", "OLK_MASK_F64S(at_p[g] <= at_q[g])",
         f"{DECISIONS}[bsgd-gaussian]"),
        types=("float64",)),
]  # fmt: skip
