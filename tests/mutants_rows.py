"""Mutations of what makes a row: preprocessing, storage, windows of samples: see
`mutants_learners.py`."""

from __future__ import annotations

from mutating import header

SCALING, CORE = "tests/edgeolk/scaling", "tests/edgeolk/core"
INSIDE = f"{SCALING}/test_inside.py"
FOLLOWING = f"{SCALING}/test_following.py"
PREPROCESSING = f"{SCALING}/test_preprocessing.py"
WIDTH = f"{SCALING}/test_width.py"
WINSOR, MOMENTS = f"{CORE}/test_winsor.py", f"{CORE}/test_moments.py"
SCALER = f"{SCALING}/test_scaler.py"
WINDOWS = "tests/edgeolk/windows/test_windows.py"
BITS = f"{WINDOWS}::test_the_bits_are_those_of_the_reference"
STORAGE = "tests/edgeolk/test_storage.py"
STEP, ENGINE = "edgeolk.engine.step", "edgeolk.engine.engine"
SCORING = "edgeolk.rows.scoring"
OF_SCALERS = ("edgeolk.scaling.scaler",)

HEADERS = [
    header("intake.h", (PREPROCESSING, INSIDE, WIDTH, FOLLOWING),
        ("a long row is cut without its factor", "((double)r.x[k] * factor)", "((double)r.x[k])"),
        callers=(STEP, ENGINE, SCORING)),
    header("width.h", (FOLLOWING, WIDTH),
        ("the second row is the mean", "if (w->measured == 1)", "if (w->measured <= 2)"),
        callers=(STEP, ENGINE, "edgeolk.ring.ring")),
    header("scaler.h", (WINSOR, MOMENTS, SCALER, FOLLOWING),
        ("a scaler freezes a row late",
         "OLK_FREEZE_AFTER(s) > 0 && seen >= OLK_FREEZE_AFTER(s)",
         "OLK_FREEZE_AFTER(s) > 0 && seen > OLK_FREEZE_AFTER(s)"),
        callers=(STEP, *OF_SCALERS)),
    header("scaler_compact.h", (f"{CORE}/test_compact.py", INSIDE),
        ("the second of a start is above", "d >= 0.0f ? OLK_ABOVE : OLK_BELOW", "OLK_ABOVE"),
        callers=(STEP, ENGINE, *OF_SCALERS)),
    header("storage.h", (STORAGE,),
        ("a level is truncated",
         "quantized[j] = scale * olk_nearest(clipped) + offset;",
         "quantized[j] = scale * (float)(int)clipped + offset;"),
        callers=(ENGINE, SCORING)),
    header("sample_windows.h", (BITS, WINDOWS),
        ("a window is due a sample late", "s->due = w->hop;", "s->due = w->hop + 1u;"),
        callers=("edgeolk.windows.windows",)),
    header("window_block.h", (BITS, WINDOWS),
        ("a restart leaves the sums",
         "memset(at->sums, 0, w->channels * sizeof *at->sums);", ";"),
        callers=("edgeolk.windows.windows",)),
    header("window_i16.h", (BITS, WINDOWS),
        ("the change before the oldest stays",
         "s->change -= (uint32_t)olk_windows_distance(second[i], oldest);", ""),
        callers=("edgeolk.windows.windows",)),
    header("window_f32.h", (BITS, WINDOWS),
        ("the rest of a mean is lost", "m->mean = m->centre + m->rest;", "m->mean = m->centre;"),
        callers=("edgeolk.windows.windows",)),
    header("window_spectrum.h", (BITS, WINDOWS),
        ("the last line counts twice", "(k == m ? 0.5f : 1.0f)", "1.0f"),
        callers=("edgeolk.windows.windows",)),
    header("fft.h", (BITS, WINDOWS),
        ("a carry runs upwards", "for (; j & bit; bit >>= 1)", "for (; j & bit; bit <<= 1)"),
        callers=("edgeolk.windows.windows",)),
]  # fmt: skip
