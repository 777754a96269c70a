"""What the figures of a replay amount to, in sentences."""

from __future__ import annotations

from firmware_sim.metrics import Novelty, Regression
from firmware_sim.replaying.loop import ReplayResult


def name_of(result: ReplayResult, who: str) -> str:
    """Return what the learner, or a baseline, is called in a report."""
    return result.metrics.baselines.get(who, result.config.algorithm)


def verdict(result: ReplayResult, *, counts: bool = True) -> str:
    """Return one honest sentence: how the learner stands against the baselines."""
    metrics = result.metrics
    if metrics.rows == 0:
        return "No row was scored."
    if isinstance(metrics, Novelty) and not metrics.judged:
        return (
            f"{result.config.algorithm} gave {metrics.learner.alarms:,} alarms in {metrics.rows:,} "
            "rows; without labelled windows nothing says which of them were false."
        )
    clauses = []
    for who, name in metrics.baselines.items():
        word = "beats" if metrics.loss("learner") < metrics.loss(who) else "does not beat"
        against = metrics.shown(who).removesuffix(" wrong")
        shown = f" ({metrics.shown('learner')} against {against})" if counts else ""
        clauses.append(f"{word} {name}{shown}")
    return f"{result.config.algorithm} {' and '.join(clauses)}."


def over_time(result: ReplayResult) -> str:
    """Return what is drawn over time, as a title."""
    return "Alarms over time" if isinstance(result.metrics, Novelty) else "Error over time"


def held(result: ReplayResult) -> str:
    """What the learner holds, in words."""
    regions = result.layout.part("learner").regions
    if all(region.name != "support_vectors" for region in regions):
        return f"{result.learner['budget']:,} frequencies"
    return f"{result.learner['n_support']:,} of {result.learner['budget']:,} support vectors"


def advice(result: ReplayResult) -> str:
    """Return what to try next where the learner loses to a baseline; nothing where it does not."""
    metrics, config = result.metrics, result.config
    ours = metrics.loss("learner")
    if not metrics.judged or ours < min(metrics.loss(who) for who in metrics.baselines):
        return ""
    tries = []
    if result.learner["n_support"] >= result.learner["budget"]:
        smaller = "" if config.dtype in ("int8", "float16") else "--dtype float16 or "
        tries.append(
            f"room for more than its {result.learner['budget']:,} support vectors: "
            f"{smaller}a larger --ram"
        )
    if isinstance(metrics, Novelty):
        tries.append("another share of novel rows, such as --param nu=0.01 or nu=0.1")
    elif config.algorithm == "sorf" and config.scales_targets:
        tries.append("forecasts from the target's history: --param history=true")
    elif config.algorithm == "sorf" and not config.params.get("last_label"):
        tries.append("the last label as an input: --param last_label=true")
    elif config.algorithm == "sorf":
        tries.append("another algorithm: compare runs all that there are")
    elif isinstance(metrics, Regression):
        tries.append("another step size, such as --param eta=0.5 or eta=0.02")
    elif config.algorithm != "bpa_s":
        tries.append("another algorithm, such as --algorithm bpa_s --param C=2")
    if config.chooses_inside:
        pass
    elif result.width is not None:
        gamma = result.width.gamma
        tries.append(f"another width, such as --gamma {gamma * 4:.3g} or {gamma / 4:.3g}")
    else:
        tries.append("a kernel with a width: --kernel gaussian")
    text = "Try next: " + "; ".join(tries) + "."
    repeats = next((who for who in ("no_change", "last_value") if who in metrics.baselines), None)
    if repeats is not None and metrics.loss(repeats) <= ours:
        name = metrics.baselines[repeats].capitalize()
        text += f" ({name} can be used only where each true label comes before the next row.)"
    return text
