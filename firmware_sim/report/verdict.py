"""What the figures of a replay amount to, in sentences."""

from __future__ import annotations

from firmware_sim.loop import ReplayResult

NAMES = {"learner": "", "majority": "majority class", "no_change": "no-change"}


def verdict(result: ReplayResult, *, counts: bool = True) -> str:
    """Return one honest sentence: how the learner stands against both baselines."""
    metrics = result.metrics
    ours = metrics.learner.wrong
    if metrics.learner.rows == 0:
        return "No row was scored."
    clauses = []
    for record, name in ((metrics.majority, "majority class"), (metrics.no_change, "no-change")):
        word = "beats" if ours < record.wrong else "does not beat"
        shown = f" ({ours:,} wrong against {record.wrong:,})" if counts else ""
        clauses.append(f"{word} {name}{shown}")
    return f"{result.config.algorithm} {clauses[0]} and {clauses[1]}."


def advice(result: ReplayResult) -> str:
    """Return what to try next where the learner loses to a baseline; nothing where it does not."""
    metrics, config = result.metrics, result.config
    best = min(metrics.no_change.wrong, metrics.majority.wrong)
    if metrics.learner.rows == 0 or metrics.learner.wrong < best:
        return ""
    tries = []
    if result.learner["n_support"] >= result.learner["budget"]:
        smaller = "" if config.dtype in ("int8", "float16") else "--dtype float16 or "
        tries.append(
            f"room for more than its {result.learner['budget']:,} support vectors: "
            f"{smaller}a larger --ram"
        )
    if config.algorithm != "bpa_s":
        tries.append("another algorithm, such as --algorithm bpa_s --param C=2")
    if result.width is not None:
        gamma = result.width.gamma
        tries.append(f"another width, such as --gamma {gamma * 4:.3g} or {gamma / 4:.3g}")
    else:
        tries.append("a kernel with a width: --kernel gaussian")
    text = "Try next: " + "; ".join(tries) + "."
    if metrics.no_change.wrong <= metrics.learner.wrong:
        text += " (No-change can be used only where each true label comes before the next row.)"
    return text
