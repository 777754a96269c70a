"""What no test of ``make coverage`` reaches, and why: see ``support/covered.py``.

A gap is a text that occurs once in a file; it excuses its lines, their branches and the block under
them, and an empty text the whole file. A text that is covered, that is gone or that occurs twice is
an error.
"""

from __future__ import annotations

from typing import NamedTuple


class Gap(NamedTuple):
    """A piece of a file, and why no test reaches its lines or a branch of them."""

    file: str
    why: str
    piece: str


def gaps(file: str, why: str, *pieces: str) -> list[Gap]:
    """Gaps of a file for the same reason."""
    return [Gap(file, why, piece) for piece in pieces]


PROCESSOR = "asks which instructions this processor has: each machine gives one answer"
WINDOWS = "runs on Windows only, where make test-windows tests it"
CAPPED = "runs in a process that may not grow, where coverage.py cannot run"
RACE = "another thread writes to the row between its check and its use (docs/threads.md, 4)"
ABSENT = "OLK_REGION is NULL where a learner lacks a region; callers ask for one that it has"
GUARDED = "a leak ends the process in a guard page, before coverage.py can save its counts"
LEARNED = "compiled loops raise an error only at a row that they have not learned: one is left"
ONE_BYTE = "no learner fits the cap of one byte that is asked for; type checkers want a return"
TYPES = "types for editors, which no program imports"
CHECKER = "a type checker takes the other way, a program never"
ABSTRACT = "every class that has objects defines it; that of the base class is never called"
COUNTED = "a part of a statement, or a declaration, that the compiler counts under another line"
SWITCH = "generated for every part: its callers have one of those above, or ask for fewer parts"
LAYOUT = "compares constants of Python with those of C, which differ only if one alone is changed"
MEMORY = "memory runs out: tests/edgeolk/test_out_of_memory.py, whose allocations counters change"
REFUSED = "a composition that is refused when a learner is configured"
GIVEN = "callers ask only where there is one"
JUMPS = "x != x compiles to two jumps: no number is unequal to itself and yet a number"
DECIDED = "the same condition before it decides: the compiler keeps one outcome here"
ENOUGH = "what is counted or searched for is always found before the end"
BOUNDED = "numbers before it are bounded, so that none is out of range here"
EARLIER = "a condition before it refuses the same numbers"
NEVER = "more than the largest size that anybody could wait for"
BOARDS = "a learner of the library has it; the same code runs on boards, whose learner may not"


def abstract(file: str, *ends: str) -> list[Gap]:
    """Gaps of methods that only raise an error, by the ends of what is above that."""
    return gaps(file, ABSTRACT, *(f"{end}\n        raise NotImplementedError" for end in ends))


GAPS = [
    *gaps("edgeolk/c/processor.h", PROCESSOR,
        "if (!__get_cpuid(1,", "if (!__get_cpuid(0x80000001u,", "if (!__get_cpuid_count(7,",
        "if ((saved & YMM) != YMM)", "return (saved & ZMM) == ZMM",
    ),
    *gaps("edgeolk/c/raw_row.h", RACE,
        "        if (j <= previous)", "else if (!olk_fetch_nonzeros(r))",
        "if (!(r->x[k] - r->x[k] == 0.0",
    ),
    *gaps("edgeolk/c/intake.h", RACE,
        "    if (!r.good)\n        return -1;\n    if (olk_is_within(",
        "return r.good ? 1 : -1;", "if (!olk_learn_one_scale(in, seen))",
        "if (in->shortened < 0)", "return r.good ? 0 : -1;\n    for",
    ),
    *gaps("edgeolk/c/sorf_process.h", RACE, "if (!r.good) /* another thread has changed it"),
    *gaps("edgeolk/c/sparse.h", RACE, "if (j <= previous || j >= d || !(gaps || v - v == 0.0))"),
    *gaps("edgeolk/c/intake.h", ABSENT,
        "return OLK_REGION(in, width_follows);", "return OLK_REGION(in, common);",
        "*(int64_t *)OLK_REGION(in, clipped_rows) += in->shortened;",
        "? d\n                   : 0;", "setup->preprocessing.laplacian);\n    return w->measured",
    ),
    *gaps("edgeolk/c/sorf_block.h", ABSENT,
        "s->memory_held = OLK_REGION(m, memory_state);",
        "s->memory_mistakes = OLK_REGION(m, memory_mistakes);",
        "s->inputs = OLK_HAS(m, inputs) ? OLK_REGION(m, inputs) : OLK_REGION(m, query);",
        "olk_width *w = OLK_REGION(m, width);",
    ),
    *gaps("edgeolk/c/sorf_model.h", ABSENT,
        "*f = (olk_scalar)olk_mixture_answer(OLK_REGION(m, mixture), (double)*f,",
        "return olk_mixture_variance(OLK_REGION(m, mixture), (double)features, process,",
        "double *errors = OLK_REGION(m, errors);",
    ),
    *gaps("edgeolk/c/sorf_process.h", ABSENT, "olk_mixture *x = OLK_REGION(m, mixture);"),
    *gaps("edgeolk/rows/scoring.pyx", RACE,
        "<const float*>cnp.PyArray_DATA(x), learning)\n        if placed == NULL:",
        "cdef const void* placed = take_dense(&self.engine.state, row, learning)\n"
        "        if placed == NULL:",
        "<const double*>cnp.PyArray_DATA(value), n, learning)\n        if placed == NULL:",
    ),
    *gaps("edgeolk/calibration.pyx", COUNTED, " " * 18 + "Slopes* sums) noexcept:"),
    *gaps("edgeolk/core/parts.pxd", COUNTED,
        "return (\n        part == POLICY_COHERENT",
        "        part == POLICY_PROJECT\n        or part == POLICY_SLIDING",
    ),
    *gaps("edgeolk/engine/engine.pyx", COUNTED, "\"clipped\": 0,"),
    *gaps("edgeolk/files/holds.pyx", COUNTED, "    enum:\n        OLK_SENTENCES"),
    *gaps("edgeolk/river/columns.pyx", COUNTED, "self.is_same = is_same"),
    *gaps("edgeolk/windows/windows.pyx", COUNTED, "ctypedef struct olk_windows:"),
    *gaps("edgeolk/core/parts.pxd", SWITCH,
        "cdef inline double dtype_max(int part) noexcept nogil:",
        "return 1.4134774833230458e+75\n    return 0",
        "cdef inline double coefficients_max(int part) noexcept nogil:",
        "cdef inline double coefficients_max_kernel(int part) noexcept nogil:",
        "cdef inline double coefficients_max_factor(int part) noexcept nogil:",
    ),
    *gaps("edgeolk/ring/loss_switch.pxd", SWITCH,
        "return epsilon_slope(ring, e)\n    return", "return epsilon(ring, e)\n    return",
        "return epsilon_sign(ring, e)\n    return",
    ),
    *gaps("edgeolk/ring/switches.pxd", SWITCH,
        "return logistic_asks(ring, e)\n    return",
        "return optimistic_coefficient(ring, e, p)\n    return",
        "return untuned_step(ring, e)\n    return", "return untuned_variance(ring, x)\n    return",
        "return is_outside(ring, e)\n    return", "return least_needed(ring, e)\n    return",
        "return admit_quantised(ring, a, e)\n    return",
        "return nystrom_score(ring, x, coef, row)\n    return",
    ),
    *gaps("edgeolk/engine/setup.pxd", LAYOUT, "if count == OLK_RUNS:"),
    *gaps("edgeolk/files/holds.pyx", LAYOUT, "if OLK_SENTENCES != len(SENTENCES) + 1:"),
    *gaps("edgeolk/windows/windows.pyx", LAYOUT, "if self.at.bytes != self.arena.length:"),
    *gaps("edgeolk/engine/engine.pyx", MEMORY, "except BaseException:", "except MemoryError:"),
    *gaps("edgeolk/ring/expansion.pxd", REFUSED,
        "ring.per_update[column, target] = ring.per_update[column, source]"),
    *gaps("edgeolk/ring/policies/replacement.pxd", REFUSED, "if ring.mean_sum is not None:"),
    *gaps("edgeolk/ring/updates.pxd", REFUSED, "else 1.0 / ring.c.p.boost\n    return 1.0"),
    *gaps("edgeolk/ring/ring.pxd", GIVEN, "if not ring.has_norms:"),
    *gaps("edgeolk/ring/updates.pxd", "a ring that projects has seen a row, which is in the window",
        "if q == 0:\n        return 0.0\n    for r in range(q):"),
    *gaps("edgeolk/rows/arrays.pxd", "array.array and memoryview always name their format",
        "if format == NULL:"),
    *gaps("edgeolk/c/common_scale.h", GIVEN, "const uint64_t others = olk_is_pair(p)"),
    *gaps("edgeolk/c/drift.h", GIVEN, "    if (nbytes) {", "if (s->linear_a)"),
    *gaps("edgeolk/c/gaussian_process.h", GIVEN, "if (!olk_is_whitened(g) && n > 0 &&"),
    *gaps("edgeolk/c/intake.h", GIVEN,
        "if (p->gamma_rows > 0 && olk_intake_measured(in)->gamma > 0.0)"),
    *gaps("edgeolk/c/kernel_rows.h", "callers ask for kernel values or for sums, not for both",
        "olk_is_exponential(kernel) && outputs->coef &&"),
    *gaps("edgeolk/c/krls_auto.h", GIVEN, "if (!(words->seen > 0.0) && t->lags &&"),
    *gaps("edgeolk/c/krls_auto_prior.h", GIVEN,
        "if (t->n > 0)\n", "if (t->n > 0 && seen)", "if (t->n == 0)"),
    *gaps("edgeolk/c/ring_holds.h", GIVEN, "return m->at.function ?"),
    *gaps("edgeolk/c/sample_windows.h", GIVEN, "return !w->is_float ||"),
    *gaps("edgeolk/c/scaler.h", GIVEN, "        if (learning)\n            return"),
    *gaps("edgeolk/c/sorf_abreast.h", GIVEN, "                if (fa)\n"),
    *gaps("edgeolk/c/sorf_model.h", GIVEN, "return OLK_HAS(m, late_counts) ?"),
    *gaps("edgeolk/c/sorf_scores.h", GIVEN,
        "                    if (fa)\n                        olk_add_products(feature, a",
        "            if (fa)\n                fa[r * p->groups + g]"),
    *gaps("edgeolk/c/storage.h", "callers round to float16 only; levels are rounded elsewhere",
        "    if (storage == OLK_F16)\n        return olk_half_to_float(olk_float_to_half(value));",
        "    if (storage == OLK_I8) {\n        const float scale = quantizer->scale[j], offset",
        "return scale * (float)olk_float_to_level(value, scale, offset) + offset;"),
    *gaps("edgeolk/c/krls_auto_prior.h", "a pivot is at least the jitter, but in damaged memory",
        "line[i] = olk_real_sqrt(left > least ? left : least);"),
    *gaps("edgeolk/c/krls_auto.h", JUMPS,
        "return !t->lags || y != y ||"),
    *gaps("edgeolk/c/row_memory.h", DECIDED, "const ptrdiff_t rival = multiclass ?"),
    *gaps("edgeolk/c/sorf.h", DECIDED,
        "*fa = one_column ? scores[1] : olk_behind(p, fw);",
        "const double deviation = regression ? olk_sorf_deviation(s->target, *s->t) : 1.0;",
        "                                  : (olk_real)label;"),
    *gaps("edgeolk/c/watch_parts.h", DECIDED, "const double of_low = judged ?"),
    *gaps("edgeolk/c/dots.h", ENOUGH, "        switch (rows) {\n#define OLK_CASE(count)"),
    *gaps("edgeolk/c/eigen.h", ENOUGH, "m > start && fabs(e[start]) > olk_negligible"),
    *gaps("edgeolk/c/peaks.h", "a peak is above the second one; two come before the first verdict",
        "} else if (peak > peaks->second) {", "if (olk_has_two_peaks(peaks) && floor > 0.0 &&",
        "if ((double)peaks->pending + gap > (double)peaks->first)"),
    *gaps("edgeolk/c/ring.h", ENOUGH,
        "    for (ptrdiff_t i = 0; i < n; i++) {\n        const double kept_probability",
        "    for (; i < n; i++) {\n        total += c * w[i] < 1.0 ?"),
    *gaps("edgeolk/c/row_memory.h", ENOUGH, "for (ptrdiff_t j = 0; j < head; j++)"),
    *gaps("edgeolk/c/sorf_features.h", ENOUGH,
        "for (int round = 0; round < 3; round++) {\n        if (FAR == 1 && round == 0 && used"),
    *gaps("edgeolk/c/drift.h", BOUNDED, "olk_update_average(s, wide, OLK_DRIFT_SPREAD, mean <"),
    *gaps("edgeolk/c/gaussian_process.h", "the common scale begins at 1 and only shrinks",
        "if (!(*g->scale >= 1.0 / g->max_scale && *g->scale <= g->max_scale))"),
    *gaps("edgeolk/c/scaler_compact.h", "28 bits with a sign hold no mean of 2^27 units",
        "spread_bits <= olk_bits_of(4.0f * olk_max_reading) && M > -limit && M < limit &&"),
    *gaps("edgeolk/c/sorf_precision.h", BOUNDED, "if (olk_fabs(angle) <= DBL_MAX)"),
    *gaps("edgeolk/c/sorf_process.h", "a process starts again before it gives such an answer",
        "if (!(olk_fabs(answers[1]) <= olk_largest_answer))"),
    *gaps("edgeolk/c/sorf_row.h", "at any width the bound of gradients is the lower one",
        "max_sum = max_sum < bound ? max_sum : bound;"),
    *gaps("edgeolk/c/watch.h", "a row that counts has an input with a deviation, of spread 1",
        "(olk_input)(1.0 / olk_sqrt(seen.spread > 1e-6"),
    *gaps("edgeolk/c/watch.h", "no stretch is abnormal before row 200, the 100th with a model",
        "if (!options.frozen || rows_with_model <"),
    *gaps("edgeolk/c/width.h", BOUNDED,
        "return gamma > 0.0 && gamma <= max_gamma ?", "square = square < olk_max_row_square ?"),
    *gaps("edgeolk/c/gaussian_process.h", EARLIER,
        "        !(g->evidence->scale > 0.0))", "(!olk_is_whitened(g) || olk_is_short(g->mean, n,"),
    *gaps("edgeolk/c/krls_auto.h", EARLIER, "if (!(words->num >= 0.0 && words->num <= 1e300)"),
    *gaps("edgeolk/c/krls_auto_posterior.h", NEVER,
        "double growth = most * share < 0.5", "olk_sqrt(1.0 - (most < 0.5 ? most : 0.5));"),
    *gaps("edgeolk/c/novelty.h", "only streams keep features, in whole blocks of 64 frequencies",
        "if (b < blocks && lines == 64) {"),
    *gaps("edgeolk/c/sorf_types.h", BOARDS, "    if (flags) {\n        *(volatile"),
    *gaps("edgeolk/files/windows.py", WINDOWS, ""),
    *gaps("edgeolk/files/__init__.py", WINDOWS, "if sys.platform == \"win32\":"),
    *gaps("edgeolk/configuration/options.py", TYPES, ""),
    *gaps("edgeolk/checkpointer.py", CHECKER, "if not TYPE_CHECKING:"),
    *gaps("edgeolk/configuration/config.py", CHECKER, "if not TYPE_CHECKING:"),
    *gaps("edgeolk/configuration/settings.py", ABSTRACT,
        "def uses(self)", "def refuse(self)", "def n_inputs(self)", "def scales_targets(self)",
        "def no_weights(self)", "def max_weight(self)", "def in_order(self)",
        "def awaits_targets(self)", "def longest_step(self)",
    ),
    *gaps("edgeolk/configuration/settings.py",
        "only int8 levels and learners without a kernel ask for it, and their class defines it",
        "def with_levels(self,", "def smallest_kernel(self)",
    ),
    *gaps("edgeolk/river/base.py", ABSTRACT, "def _arguments(self)"),
    *abstract("edgeolk/reference/base.py", "            k(x, x).\n        \"\"\""),
    *abstract("edgeolk/reference/filters_gp.py",
        "The variance of the target of a row.\"\"\"", "def _begin_form(self) -> None:",
        "times that of the prior.\"\"\"", "in units of the scale.\"\"\"",
        "of B + 1 support vectors one leaves.\"\"\"",
        "that is of Q, and of Q - C.\n        \"\"\"",
    ),
    *abstract("edgeolk/reference/logistic.py", "coefficient 0 for no update.\"\"\""),
    *abstract("edgeolk/reference/passive_aggressive.py",
        "for a loss H > 0 and k(x, x) > 0.\"\"\"", "compensate for a removed one.\"\"\"",
    ),
    *abstract("edgeolk/reference/pegasos.py", "def _add(self, x: np.ndarray, y: float) -> bool:"),
    *abstract("edgeolk/reference/perceptrons.py", "row is k(s_i, x), (m,).\"\"\""),
    *abstract("edgeolk/reference/sorf_outside.py",
        "of a row that is not clamped.\"\"\"", "whose target y is scaled.\"\"\"",
    ),
    *abstract("firmware_sim/comparison/models.py",
        "Return the score of a row.\"\"\"", "Learn a row.\"\"\"",
    ),
    *gaps("edgeolk/__init__.py",
        "runs without compiled modules or site-packages, where coverage.py cannot run"
        " (tests/edgeolk/test_source_tree.py)",
        "if not _is_compiled(list(__path__)):",
    ),
    *gaps("edgeolk/cli/plan.py",
        "no learner takes fewer bytes than the recommended one, a linear model of scaled inputs:"
        " where any fits, it does",
        "    except ValueError as error:\n        return str(error)",
    ),
    *gaps("edgeolk/configuration/config.py",
        "no argument requires a season of a day or a process, so none excludes a learner without",
        "{name}=False\"\n        except (TypeError, ValueError):  # other arguments exclude it",
    ),
    *gaps("edgeolk/files/locked.py", WINDOWS, "if hasattr(os, \"register_at_fork\"):"),
    *gaps("edgeolk/ring/levels.py",
        "CPython packs a native float32 that overflows as infinity, other Pythons may refuse it",
        "except OverflowError:",
    ),
    *gaps("firmware_sim/containment/memory.py", WINDOWS,
        "if hasattr(ctypes, \"WinDLL\"):", "def _protect_on_windows(start: int,",
    ),
    *gaps("firmware_sim/containment/child.py", CAPPED, ""),
    *gaps("firmware_sim/containment/seccomp.py", CAPPED, ""),
    *gaps("firmware_sim/device/device.py", GUARDED, "if self._leak:"),
    *gaps("firmware_sim/kinds/base.py", LEARNED, "            if at == n:"),
    *gaps("firmware_sim/replaying/forecast.py", ONE_BYTE, "    return 1"),
]  # fmt: skip
