"""Descriptions of the algorithms (what each does, when to choose it, what a step costs) and of the
options of the parameters that select parts.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from edgeolk.parts.losses import LOSSES


class Description(NamedTuple):
    """The text about an algorithm on the generated page."""

    about: str
    choose: str
    cost: str


_ROW = "O(B d)"

DESCRIPTIONS: dict[str, Description] = {
    "perceptron": Description(
        "Adds every mistake (y f <= 0) with coefficient y and forgets nothing. At capacity it"
        " freezes or raises an error, depending on `full`.",
        "To see how many support vectors a problem would need, and as the baseline for the others.",
        _ROW,
    ),
    "stoptron": Description(
        "A perceptron that stops learning when the ring is full. It keeps counting mistakes.",
        "As the baseline for any budget policy on a stationary stream.",
        _ROW,
    ),
    "rbp": Description(
        "A mistake on a full ring replaces a support vector drawn at random. Every coefficient is"
        " +1 or -1.",
        "When the step must be cheap and short, and the stream may drift.",
        _ROW,
    ),
    "shifting_perceptron": Description(
        "A mistake first shrinks the entire function, then enters with the complementary weight. A"
        " full ring loses a random support vector.",
        "When the target drifts slowly and old mistakes should fade rather than be removed.",
        _ROW,
    ),
    "remove_oldest": Description(
        "A mistake (or a passive-aggressive step) on a full ring replaces the oldest support"
        " vector. The ring is a sliding window over difficult examples.",
        "Under drift, when recent examples matter most; the simplest policy.",
        _ROW,
    ),
    "remove_smallest": Description(
        "Passive-aggressive steps; a full ring loses the support vector with the smallest"
        " coefficient, the oldest of equals.",
        "When coefficients differ a lot in size; with unit steps it is `remove_oldest`.",
        _ROW,
    ),
    "forgetron": Description(
        "Shrinks all coefficients just enough that mistakes compensate for the removal of the"
        " oldest support vector. The shrinking factor is the largest that the mistake bound"
        " allows.",
        "When a worst-case mistake bound matters more than average accuracy.",
        "O(B d), on a mistake of a full ring 2 O(B d)",
    ),
    "forgetron_basic": Description(
        "The Forgetron with a fixed shrinking factor and a bound on the norm. Q is kept as a"
        " diagnostic.",
        "For comparison with the self-tuned Forgetron.",
        "O(B d), on a mistake of a full ring 2 O(B d), O(B^2 d) when the norm is recomputed",
    ),
    "forgetron_greedy": Description(
        "The self-tuned Forgetron, dropping the support vector whose removal costs least instead"
        " of the oldest.",
        "For comparison; it stores the score of every support vector: two more kernel rows per"
        " removal.",
        "O(B d), on a mistake of a full ring 3 O(B d)",
    ),
    "projectron": Description(
        "A mistake close to the span of the ring is projected onto it instead of being added; a"
        " full ring projects every mistake. Nothing is ever removed.",
        "When few support vectors span the data well; memory grows with B^2.",
        "O(B d), on a mistake O(B d + B^2)",
    ),
    "projectron++": Description(
        "Projectron that also takes steps within the span on margin errors (0 < y f < 1). `rule`"
        " picks the condition of the JMLR or ICML paper, or the looser one of later code.",
        "As projectron, when accuracy matters more than time.",
        "O(B d + B^2) on mistakes and margin errors",
    ),
    "avp": Description(
        "A perceptron that also updates on small margins (y f < 1 - eps) with a small fixed"
        " coefficient, and keeps the norm within U.",
        "For comparison: Ahpatron before its first halving; unbudgeted in its paper.",
        _ROW,
    ),
    "ahpatron": Description(
        "The aggressive perceptron; a full ring keeps the half with the largest coefficients and"
        " projects the other half onto it.",
        "The most accurate of the halving methods at small budgets; memory grows with B^2 / 8.",
        "O(B d), amortised O(B d + B^2) on an update, O(B^2 d + B^3) at a halving",
    ),
    "pomdr": Description(
        "Predicts with a hint computed from the last examples; the error of the hint sets the"
        " step. A full ring folds each younger support vector into its nearest older one.",
        "When consecutive examples resemble each other.",
        "O((B + M) d), on an early update O(B^2 + M B d), O(B^2 d) at a halving",
    ),
    "pa": Description(
        "The smallest change of the function that leaves no hinge loss on the example. At capacity"
        " it freezes, refuses, or replaces a random support vector.",
        "On clean labels; noise makes its steps too large.",
        _ROW,
    ),
    "pa1": Description(
        "Passive-aggressive with steps of at most C. The ramp loss ignores examples about which"
        " the model is confident, right or wrong.",
        "The standard choice where the budget is not reached.",
        _ROW,
    ),
    "pa2": Description(
        "Passive-aggressive with steps damped by 1/(2C).",
        "As pa1, for smoother steps.",
        _ROW,
    ),
    "pa_rand": Description(
        "PA-I on a budget: the incoming vector replaces a random support vector.",
        "As the baseline for the budgeted PA methods.",
        _ROW,
    ),
    "bpa_s": Description(
        "PA-I on a budget: the removed support vector is projected onto the incoming vector. The"
        " cheapest removal is found in O(1) per support vector.",
        "A good first choice: barely slower than random replacement, clearly better.",
        _ROW,
    ),
    "bpa_nn": Description(
        "PA-I on a budget: the removed support vector is projected onto the incoming vector and its"
        " nearest neighbour.",
        "When accuracy at a small budget matters; low dimension suits it best.",
        "O(B d), about 2 O(B d) on an update, O(B^2 d) at worst",
    ),
    "bpa_p": Description(
        "PA-I on a budget: the removed support vector is projected onto all others and the"
        " incoming vector, using a stored inverse of the Gram matrix.",
        "The most accurate at tiny budgets (B up to about 200); memory grows with B^2.",
        "O(B d + B^2), O(B^2 d + B^3) every 10 B exchanges",
    ),
    "ogd": Description(
        "Gradient steps on the loss with shrinkage (NORMA); a full ring loses its oldest support"
        " vector, whose coefficient has shrunk longest.",
        "Under drift, for any loss, regression included.",
        _ROW,
    ),
    "olk": Description(
        "Gradient steps with the norm kept within U. At capacity it freezes or refuses.",
        "As the unbudgeted reference of olru and olrd.",
        _ROW,
    ),
    "olru": Description(
        "A gradient step is taken with a probability that decays with time, and divided by it. The"
        " number of support vectors grows as a known power of the number of examples.",
        "When the approximate length of the stream is known and every support vector fits into"
        " memory.",
        _ROW,
    ),
    "olrd": Description(
        "A full ring loses a random support vector and the others grow by B/(B-1), so that the"
        " function is unbiased. The coefficients are kept within U/B.",
        "Any loss, regression included, at a fixed budget and a cheap step.",
        _ROW,
    ),
    "bogd": Description(
        "As olrd, with shrinkage, and each coefficient kept within clip_coefficients eta.",
        "As olrd, when single coefficients should be bounded.",
        _ROW,
    ),
    "bogd++": Description(
        "As bogd, but small coefficients are removed more often, and each remaining one grows by"
        " its own probability of staying.",
        "When coefficients differ a lot in size.",
        _ROW,
    ),
    "spa": Description(
        "A passive-aggressive step is taken with probability min(alpha, loss)/beta and made larger"
        " in return. The averaged model is the one to use.",
        "When predictions come from the averaged model and at most alpha/beta of the examples can"
        " be kept.",
        _ROW,
    ),
    "oskl": Description(
        "A gradient step of fixed size is taken with a probability in proportion to the slope of"
        " the loss. The averaged model is the one to use.",
        "As spa, with a smooth loss and probabilities.",
        _ROW,
    ),
    "klr": Description(
        "Logistic regression that samples its updates so that confident examples are rarely stored"
        " (auxiliary function, margin), or keeps all (nc).",
        "When calibrated probabilities are wanted from few support vectors.",
        _ROW,
    ),
    "pegasos": Description(
        "Subgradient descent on the SVM objective with step 1/(lam t). At capacity it freezes or"
        " refuses.",
        "As the SVM solution that budgeted methods approximate.",
        _ROW,
    ),
    "bsgd": Description(
        "Pegasos on a budget: the lightest support vector is merged with another of its class,"
        " projected onto the others, or removed.",
        "Merging suits the Gaussian kernel and small budgets.",
        "O(B d); merging adds 80 B exponentials, projecting O(B^3), on an update",
    ),
    "fogd": Description(
        "Gradient descent on D random cosines and sines that approximate the Gaussian kernel. No"
        " examples are stored; frequencies are stored, redrawn for every row, or computed by fast"
        " transforms, which takes no memory and is as fast as storing them.",
        "When examples must not be stored, or every step must take the same time.",
        "O(D d), structured O(D d / 64 + D)",
    ),
    "nogd": Description(
        "Gradient descent on a ring until it is full, then on the k leading eigenfunctions of its"
        " support vectors.",
        "On stationary streams, when the first B support vectors represent the data.",
        "O(B d + k B), once O(B^2 d + B^3)",
    ),
    "klms": Description(
        "A gradient step at every row: it enters with the coefficient eta times its error. What"
        " happens when the ring is full depends on `full`.",
        "As the baseline of the kernel adaptive filters; `ogd` with the square loss is the same.",
        _ROW,
    ),
    "qklms": Description(
        "As `klms`, but a row near a support vector adds its step to the nearest one; so does every"
        " row once the ring is full.",
        "For real targets when microseconds and bytes count most.",
        _ROW,
    ),
    "knlms": Description(
        "A row enters while no support vector is coherent with it; at every row all coefficients"
        " take a normalised gradient step.",
        "For real targets, when a step must not cost more than the kernel row.",
        _ROW,
    ),
    "kapa": Description(
        "As `knlms`, with one step for the last rows together, which is exact where they overlap.",
        "For lags of a series, whose rows resemble each other.",
        "O(p B d), every step",
    ),
    "krls": Description(
        "Least squares over all rows, on those that no linear combination of the others comes"
        " near. Every row changes all coefficients.",
        "For real targets with little noise, when the relation does not change.",
        "O(B d + B^2), every step",
    ),
    "sw_krls": Description(
        "Kernel ridge regression on the last B rows, updated row by row.",
        "For real targets, when only the last B rows count.",
        "O(B d + B^2), every B exchanges O(B^2 d + B^3)",
    ),
    "fb_krls": Description(
        "Kernel ridge regression on B rows: of B + 1 the one leaves that the others predict best.",
        "For real targets with little noise and few bytes: it has half the matrices of `krls_t`.",
        "O(B d + B^2), every B exchanges O(B^2 d + B^3)",
    ),
    "krls_t": Description(
        "A Gaussian process: the posterior of the function at B support vectors, which forgets by"
        " the factor `forgetting`. Answers have variances and intervals.",
        "For real targets with little noise and up to some ten inputs; where a variance is needed.",
        "O(B d + B^2), every 10 B exchanges O(B^2 d + B^3)",
    ),
    "sogp": Description(
        "The sparse online Gaussian process: `krls_t` without forgetting, which removes the vector"
        " whose removal changes the posterior least.",
        "As `krls_t`, to follow the publication.",
        "O(B d + B^2), every 10 B exchanges O(B^2 d + B^3)",
    ),
    "krls_auto": Description(
        "As `krls_t`, with a linear part, and nothing to set: a width for each input, the noise and"
        " the scales of inputs and targets are learned on the way. Scaling and clipping of outliers"
        " are inside.",
        "For real targets, if nothing can be tuned: far ahead of `sorf` where noise is low.",
        "O(B d + (B + d)^2); an exchange of the prior, a hundred in 5,000 rows, O((B + d) B^2)",
    ),
    "sorf": Description(
        "Cosines and sines of structured random projections, recomputed from the seed for every"
        " row: only weights are stored, by default in one byte each. A passive-aggressive model"
        " follows the stream, its running average remembers it, and the answer is a blend of both"
        " that favours the one with fewer recent mistakes. Two classes, several (`n_classes=`),"
        " real targets (`loss='square'`; with `history=True` forecasts of time series) or no"
        " labels at all (`loss='novelty'`).",
        "When memory is scarce and nothing can be tuned: the most accuracy per byte. A method with"
        " support vectors may be better if labels stay the same for thousands of rows, or on"
        " noise-free data with few dimensions and enough memory.",
        "O(D d / 64 + D), twice that on a loss; nothing grows with the rows seen",
    ),
}


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
        "coefficient of the incoming vector",
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
            "dynamic": "eta t^-((1 + decay) / 2), follows the sampling",
        },
    ),
    "projection": (
        "bound on the function after an update",
        {
            "inf": "B max |alpha| sqrt(k(s, s)) <= U, by a common factor",
            "ball": "norm <= U",
            "clip": "|alpha| <= clip_coefficients eta, each separately",
            "scale": "|alpha| <= clip_coefficients eta, by a common factor",
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
            "shift": "ln(boost + exp(-y f))",
            "scale": "ln(1 + boost exp(-y f))",
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
