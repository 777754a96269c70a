"""The meaning of each option of the parameters that select parts."""

from __future__ import annotations

from collections.abc import Iterable

from edgeolk.parts.losses import LOSSES

#: Name of the parameter -> (what it selects, option -> meaning).
CHOICES: dict[str, tuple[str, dict[str, str]]] = {
    "full": (
        "what a full ring does",
        {
            "stop": "the model is frozen",
            "raise": "the example is refused with BudgetError",
            "random": "a random support vector is removed",
            "oldest": "the oldest support vector is removed",
        },
    ),
    "step": (
        "coefficient of the candidate",
        {
            "unit": "its label, on mistakes",
            "pa": "the step of PA-I, if the hinge loss is not 0",
        },
    ),
    "loss": (
        "loss of the score f for the label y",
        {loss.name.lower(): row.doc for loss, row in LOSSES.items()},
    ),
    "schedule": (
        "step size at step t",
        {
            "constant": "eta",
            "sqrt": "eta / sqrt(t)",
            "dynamic": "eta t^-((1 + gamma) / 2), follows the sampling",
        },
    ),
    "projection": (
        "bound on the function after an update",
        {
            "inf": "B max |alpha| sqrt(k(s, s)) <= U, by a common factor",
            "ball": "norm <= U",
            "clip": "|alpha| <= gamma eta, each separately",
            "scale": "|alpha| <= gamma eta, by a common factor",
            "none": "no bound",
        },
    ),
    "rule": (
        "which margin errors are learned",
        {
            "jmlr": "those that pay, by the JMLR 2009 paper",
            "icml": "those that pay, by the ICML 2008 paper",
            "loose": "all, y f < 1",
        },
    ),
    "h": (
        "auxiliary function, for method 'auxiliary'",
        {
            "shift": "ln(gamma + exp(-y f))",
            "scale": "ln(1 + gamma exp(-y f))",
            "cut": "max(loss, its value at y f = delta): beyond it nothing is learned",
        },
    ),
    "method": (
        "which examples are kept",
        {
            "auxiliary": "with probability loss / h",
            "nc": "all",
            "margin": "with a probability that falls with the margin",
        },
    ),
    "frequencies": (
        "where the frequencies of the features come from",
        {
            "stored": "in the block, 4 bytes per input and frequency",
            "drawn": "drawn again from the seed for every row: no bytes, slow",
            "structured": "recomputed from the seed by fast transforms: no bytes",
        },
    ),
    "maintenance": (
        "what happens to the lightest support vector",
        {
            "merge": "merged with another of its class",
            "project": "projected onto the others",
            "remove": "removed",
            "random": "a random one is removed instead",
        },
    ),
}

#: Name of a parameter with several numbers -> (what is allowed, meaning).
LISTS: dict[str, tuple[str, str]] = {
    "widths": (
        "1 to 8 numbers > 0, or one such sequence per group",
        "widths of the kernels, as multiples of gamma; features are shared equally",
    ),
    "blends": (
        "2 to 8 numbers that rise from 0 to 1",
        "shares of the fast model in the experts of the blend",
    ),
    "interval": (
        "1 to 8 numbers between 0 and 1",
        "history: levels of the forecast intervals",
    ),
}


def meaning(name: str, options: Iterable[str]) -> str:
    """One line: what the parameter selects, and what each option does."""
    subject, meanings = CHOICES[name]
    return f"{subject}: " + "; ".join(f"{option!r}: {meanings[option]}" for option in options)
