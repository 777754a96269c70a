"""What the figures of a replay amount to, in sentences."""

from __future__ import annotations

from firmware_sim.loop import ReplayResult
from firmware_sim.metrics import Prequential


def name_of(result: ReplayResult, who: str) -> str:
    """Return what the learner, or a baseline, is called in a report."""
    return result.metrics.baselines.get(who, result.config.algorithm)


def verdict(result: ReplayResult, *, counts: bool = True) -> str:
    """Return one honest sentence: how the learner stands against both baselines."""
    metrics = result.metrics
    if metrics.rows == 0:
        return "No row was scored."
    clauses = []
    for who, name in metrics.baselines.items():
        word = "beats" if metrics.loss("learner") < metrics.loss(who) else "does not beat"
        against = metrics.shown(who).removesuffix(" wrong")
        shown = f" ({metrics.shown('learner')} against {against})" if counts else ""
        clauses.append(f"{word} {name}{shown}")
    return f"{result.config.algorithm} {clauses[0]} and {clauses[1]}."


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
    if metrics.rows == 0 or ours < min(metrics.loss(who) for who in metrics.baselines):
        return ""
    tries = []
    if result.learner["n_support"] >= result.learner["budget"]:
        smaller = "" if config.dtype in ("int8", "float16") else "--dtype float16 or "
        tries.append(
            f"room for more than its {result.learner['budget']:,} support vectors: "
            f"{smaller}a larger --ram"
        )
    if not isinstance(metrics, Prequential):
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
    repeats = "no_change" if isinstance(metrics, Prequential) else "last_value"
    if metrics.loss(repeats) <= ours:
        name = metrics.baselines[repeats].capitalize()
        text += f" ({name} can be used only where each true label comes before the next row.)"
    return text
