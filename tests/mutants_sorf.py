"""Mutations of the learner on structured features: see `mutants_learners.py`."""

from __future__ import annotations

from mutating import header

HERE = "tests/edgeolk/sorf"
STEPS = f"{HERE}/test_structured_learner.py::test_every_option_is_the_reference"
NOVELTY = f"{HERE}/test_structured_learner.py::test_novelty_is_the_reference"
MANY = f"{HERE}/test_structured_learner.py::test_many_rows_are_scored_as_one_by_one"
SHAPES = "tests/edgeolk/ring/test_features.py::test_structured_features_are_those_of_the_reference"
MEMORY = f"{HERE}/test_row_memory.py::test_rows_are_those_of_the_reference"
COUNTING = f"{HERE}/test_row_memory.py::test_rows_that_count_more"
FOLLOWING = f"{HERE}/test_row_memory.py::test_while_the_width_follows_the_rows"
INPUTS = f"{HERE}/test_structured_learner.py::test_the_inputs_alone_are_the_reference"
LATE = f"{HERE}/test_late_labels.py"
DRIFT = f"{HERE}/test_drift.py"
WATCH = f"{HERE}/test_watch.py"
PARTS = f"{HERE}/test_parts.py"
MIXTURE = f"{HERE}/test_mixture.py"
STEP = ("edgeolk.engine.step",)



def step(*cases: str) -> tuple[str, ...]:
    """Steps of some cases: task, option, type of weights."""
    return tuple(f"{STEPS}[{case}]" for case in cases)


def late(*cases: str) -> tuple[str, ...]:
    """Rows that wait: kind, delay, kept answers, type of weights."""
    return tuple(f"{LATE}::test_experts_count_as_they_answered[{case}]" for case in cases)


def memory(*cases: str) -> tuple[str, ...]:
    """Rows with a memory: kind, type of weights, number of rows."""
    return tuple(f"{MEMORY}[{case}]" for case in cases)


LEAK = step("two-leak-int8")
RELEVANCE = step("two-relevance-float64", "classes-relevance-int8")

HEADERS = [
    header("hedge.h", (STEPS, f"{LATE}::test_experts_count_as_they_answered"),
        ("blends do not weigh the experts of a group",
         "weights->alpha[g] += e * (olk_real)p->blends[q];", "weights->alpha[g] += e;"),
        ("the commonest label costs two mistakes", "OLK_COMMONEST_COST = 3",
         "OLK_COMMONEST_COST = 2")),
    header("sorf_weights.h", (STEPS, f"{HERE}/test_structured_learner.py", COUNTING),
        ("levels have no lower end",
         "level < -OLK_MAX_LEVEL ? -OLK_MAX_LEVEL : level", "level",
         f"{HERE}/test_structured_learner.py::test_saturated_weights_are_counted"),
        ("changes are rounded to the nearest level", "(part[i] + bits[i]) >> 16",
         "(part[i] + 32768) >> 16")),
    header("sorf.h", (STEPS, PARTS, NOVELTY, f"{LATE}::test_experts_count_as_they_answered",
                      f"{DRIFT}::test_alarms_are_the_reference", MANY),
        ("blocks of later groups are averaged out of turn",
         "(*s->t - (uint64_t)p->first[g]) % OLK_OCTET", "*s->t % OLK_OCTET"),
        ("groups that trust their average leak",
         "!(expert_weights.alpha[g] > olk_leaking_share * all)",
         "(expert_weights.alpha[g] > olk_leaking_share * all)", *LEAK)),
    header("row_memory.h", (MEMORY, COUNTING),
        ("a row as large as the smallest is not stored",
         "if (size < min_size)", "if (size <= min_size)"),
        ("the largest coefficient is replaced",
         "v < min_size ? v : min_size;", "v > min_size ? v : min_size;")),
    header("row_memory_blend.h", (MEMORY, f"{LATE}::test_experts_count_as_they_answered"),
        ("with three classes the memory pays",
         "p->classes >= 3 ? -OLK_MEMORY_COST_OF_TWO", "p->classes >= 3 ? OLK_MEMORY_COST_OF_TWO",
         *memory("classes narrow-float64-400")),
        ("mistakes of the memory's experts do not decay",
         "*loss = count.decay * *loss +", "*loss = *loss +")),
    header("row_memory_state.h", (f"{DRIFT}::test_alarms_are_the_reference", MEMORY),
        ("an alarm leaves the rows", "*s->memory_held = 0;", ""),
        ("an alarm leaves the mistakes",
         "memset(s->memory_mistakes, 0, OLK_MEMORY_WEIGHTS * item);", ""),
        callers=(*STEP, "edgeolk.engine.engine")),
    header("relevance.h",
        (*RELEVANCE, f"{DRIFT}::test_the_slope_is_the_derivative", FOLLOWING, MANY),
        ("squared gradients have no bias correction",
         "return 1 - olk_decayed(olk_relevance_memory, *s->gradient_steps);", "return 1;"),
        ("squared gradients do not decay", "olk_relevance_memory * G +", "G +")),
    header("linear_group.h", (INPUTS, STEPS, f"{HERE}/test_structured_learner.py"),
        ("the constant of a row is 0",
         "if (k == p->d)\n        return 1;", "if (k == p->d)\n        return 0;"),
        ("the average answers as the last weights", "a ? fa[c] * size : fw[c];", "fw[c];")),
    header("late_labels.h", (f"{LATE}::test_experts_count_as_they_answered", LATE),
        ("a row waits one label less", "*pending += *pending <= (uint32_t)p->delay;",
         "*pending += *pending < (uint32_t)p->delay;"),
        callers=STEP),
    header("drift.h", (f"{DRIFT}::test_alarms_are_the_reference", MEMORY, DRIFT),
        ("an alarm has half the margin", "(olk_scalar)0.1;\n/* A fitting",
         "(olk_scalar)0.05;\n/* A fitting"),
        ("the gap of the last weights has the other sign",
         "by * (last - average)", "by * (average - last)"),
        callers=STEP),
    header("novelty.h", (NOVELTY, f"{WATCH}::test_it_is_the_reference"),
        ("the mean has no window", "1 / (octets < window ? octets : window)", "1 / octets"),
        ("the same blocks are averaged at each row",
         "(ptrdiff_t)(rows % OLK_OCTET); b <", "0; b <")),
    header("mixture.h", (f"{MIXTURE}::test_answers_and_variances_are_the_reference", MIXTURE),
        ("a process answers after a row more",
         "x->rows < olk_features_alone", "x->rows <= olk_features_alone"),
        ("models apart count their whole gap", "(1.0 - share) * gap * gap", "gap * gap"),
        callers=(*STEP, "edgeolk.engine.engine")),
    header("ml_poly.h", (f"{MIXTURE}::test_answers_and_variances_are_the_reference",
                         f"{HERE}/test_forecast_reference.py"),
        ("regrets below 0 count", "weights[c] = state[c] > 0\n", "weights[c] = 1\n"),
        ("the sum of squares is one of regrets",
         "olk_regret_discount * state[n + c] + x * x;", "olk_regret_discount * state[n + c] + x;"),
        callers=STEP),
    header("sorf_features.h", (STEPS, SHAPES, MANY),
        ("a transform's difference is its sum",
         "r[i] = a + b;\n                r[i + h] = a - b;",
         "r[i] = a + b;\n                r[i + h] = a + b;")),
    header("sorf_scores.h", (STEPS, MANY),
        ("a last block has its whole length", "if (n < 128) {", "if (0) {")),
    header("sorf_model.h", (f"{HERE}/test_last_label.py", LATE, MIXTURE),
        ("a label lapses a row late", "m->lapsed = left <= 0;", "m->lapsed = left < 0;"),
        callers=(*STEP, "edgeolk.engine.engine")),
    header("sorf_row.h", (STEPS, NOVELTY, "tests/edgeolk/test_extremes.py"),
        ("frequencies are those of another width",
         "olk_sqrt(2.0 * (double)gamma * (double)m) / 64.0",
         "olk_sqrt((double)gamma * (double)m) / 64.0"),
        callers=(*STEP, "edgeolk.engine.engine")),
    header("sorf_block.h", ("tests/edgeolk/scaling/test_width.py", MIXTURE),
        ("rows before the width was known are forgotten",
         "w->steps = (int64_t)*m->state.t;", "w->steps = 0;"),
        callers=(*STEP, "edgeolk.engine.engine")),
]  # fmt: skip
