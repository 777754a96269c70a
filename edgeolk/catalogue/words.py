"""What each published algorithm does, when to choose it, and what a step costs, in words."""

from __future__ import annotations

from typing import NamedTuple


class Description(NamedTuple):
    """Text for the generated page."""

    about: str
    choose: str
    cost: str


_ROW = "O(B d)"

DESCRIPTIONS: dict[str, Description] = {
    "perceptron": Description(
        "Adds every mistake (y f <= 0) with coefficient y and forgets nothing. At capacity it"
        " freezes or refuses, as `full` says.",
        "To see how many support vectors a problem would need, and as the baseline of the others.",
        _ROW,
    ),
    "stoptron": Description(
        "A perceptron that stops learning when the ring is full. Mistakes go on being counted.",
        "As the honest lower bar for any budget policy on a stationary stream.",
        _ROW,
    ),
    "rbp": Description(
        "A mistake on a full ring replaces a support vector drawn at random. Every coefficient"
        " is +1 or -1.",
        "When the step must be cheap and short, and the stream may drift.",
        _ROW,
    ),
    "shifting_perceptron": Description(
        "A mistake first shrinks the whole function, then enters with the complementary weight."
        " A full ring loses a random support vector.",
        "When the target drifts slowly and old mistakes should fade rather than leave.",
        _ROW,
    ),
    "remove_oldest": Description(
        "A mistake (or a passive-aggressive step) on a full ring replaces the oldest support"
        " vector. The ring is a sliding window over what was hard.",
        "Under drift, when recent examples matter most; it is the simplest policy there is.",
        _ROW,
    ),
    "remove_smallest": Description(
        "Passive-aggressive steps; a full ring loses the support vector with the smallest"
        " coefficient. Ties go to the oldest.",
        "When coefficients differ a lot in size; with unit steps it is `remove_oldest`.",
        _ROW,
    ),
    "forgetron": Description(
        "Shrinks all coefficients just enough that dropping the oldest support vector is paid for"
        " by mistakes. The shrinking factor is the largest the mistake bound allows.",
        "When a worst-case mistake bound matters more than average accuracy.",
        "O(B d), on a mistake of a full ring 2 O(B d)",
    ),
    "forgetron_basic": Description(
        "The Forgetron with a fixed shrinking factor and a bound on the norm. Q is kept as a"
        " diagnostic.",
        "For comparison with the self-tuned Forgetron.",
        "O(B d), on a mistake of a full ring 2 O(B d), O(B^2 d) when the norm is renewed",
    ),
    "forgetron_greedy": Description(
        "The self-tuned Forgetron, dropping the support vector whose removal costs least instead"
        " of the oldest.",
        "For comparison; it keeps the score of every support vector: two more rows a removal.",
        "O(B d), on a mistake of a full ring 3 O(B d)",
    ),
    "projectron": Description(
        "A mistake close to the span of the ring is projected on it instead of being added; a"
        " full ring projects every mistake. Nothing is ever removed.",
        "When few support vectors span the data well; memory grows with B^2.",
        "O(B d), on a mistake O(B d + B^2)",
    ),
    "projectron++": Description(
        "Projectron that also takes steps within the span on margin errors (0 < y f < 1)."
        " `rule` picks the condition of the JMLR or ICML paper, or the looser one of later code.",
        "As projectron, when accuracy matters more than time.",
        "O(B d + B^2) on mistakes and margin errors",
    ),
    "avp": Description(
        "A perceptron that also updates on small margins (y f < 1 - eps) with a small fixed"
        " coefficient, and keeps the norm within U.",
        "As what Ahpatron does before its first halving; unbudgeted in its paper.",
        _ROW,
    ),
    "ahpatron": Description(
        "The aggressive perceptron; a full ring keeps the half with the largest coefficients and"
        " projects the other half on it.",
        "The most accurate of the halving methods at small budgets; memory grows with B^2 / 8.",
        "O(B d), amortised O(B d + B^2) on an update, O(B^2 d + B^3) at a halving",
    ),
    "pomdr": Description(
        "Predicts with a hint made of the last examples, and steps by how wrong the hints were. A"
        " full ring folds each younger support vector into its nearest older one.",
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
        "Passive-aggressive with steps of at most C. The ramp loss ignores examples the model is"
        " sure about, right or wrong.",
        "The standard choice where the budget is not reached.",
        _ROW,
    ),
    "pa2": Description(
        "Passive-aggressive with steps damped by 1/(2C).",
        "As pa1, for smoother steps.",
        _ROW,
    ),
    "pa_rand": Description(
        "PA-I on a budget: the candidate replaces a random support vector.",
        "As the lower bar for the budgeted PA methods.",
        _ROW,
    ),
    "bpa_s": Description(
        "PA-I on a budget: the support vector that is lost is projected on the candidate. Which one"
        " costs least is known in O(1) each.",
        "A good first choice: hardly dearer than random replacement, clearly better.",
        _ROW,
    ),
    "bpa_nn": Description(
        "PA-I on a budget: the support vector that is lost is projected on the candidate and on its"
        " own nearest neighbour.",
        "When accuracy at a small budget matters; low dimension suits it best.",
        "O(B d), about 2 O(B d) on an update, O(B^2 d) at worst",
    ),
    "bpa_p": Description(
        "PA-I on a budget: the support vector that is lost is projected on all the others and the"
        " candidate, by a kept inverse of the Gram matrix.",
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
        "A gradient step is taken with a probability that decays with time, and divided by it."
        " The number of support vectors grows as a known power of the number of examples.",
        "When the length of the stream is known roughly and every support vector may be kept.",
        _ROW,
    ),
    "olrd": Description(
        "A full ring loses a random support vector and the others grow by B/(B-1), so that the"
        " function is right in the mean. The coefficients are kept within U/B.",
        "Any loss, regression included, at a fixed budget and a cheap step.",
        _ROW,
    ),
    "bogd": Description(
        "As olrd, with shrinkage, and each coefficient kept within gamma eta.",
        "As olrd, when single coefficients should be bounded.",
        _ROW,
    ),
    "bogd++": Description(
        "As bogd, but light support vectors are likelier to leave, and each survivor grows by its"
        " own odds of staying.",
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
        "Logistic regression that samples its updates so that sure examples are rarely kept"
        " (auxiliary function, margin), or keeps all (nc).",
        "When calibrated probabilities are wanted from few support vectors.",
        _ROW,
    ),
    "pegasos": Description(
        "Subgradient descent on the SVM objective with step 1/(lam t). At capacity it freezes or"
        " refuses.",
        "As the SVM solution the budgeted methods are measured against.",
        _ROW,
    ),
    "bsgd": Description(
        "Pegasos on a budget: the lightest support vector is merged with another of its class,"
        " projected on the others, or removed.",
        "Merging suits the Gaussian kernel and small budgets.",
        "O(B d); merging adds 80 B exponentials, projecting O(B^3), on an update",
    ),
    "fogd": Description(
        "Gradient descent on D random cosines and sines that stand for the Gaussian kernel."
        " Nothing is stored of the examples; frequencies are stored, drawn again at every row, or"
        " made by fast transforms, which like drawing takes no bytes and is as fast as storing.",
        "When the examples must not be kept, or the step must always take the same time.",
        "O(D d), structured O(D d / 64 + D)",
    ),
    "nogd": Description(
        "Gradient descent on a ring until it is full, then on the k leading eigenfunctions of its"
        " support vectors.",
        "On stationary streams, when the first B support vectors represent the data.",
        "O(B d + k B), once O(B^2 d + B^3)",
    ),
    "sorf": Description(
        "Cosines and sines of structured random directions, made again from the seed at every row:"
        " only weights are stored, by default in one byte each. A passive-aggressive model follows"
        " the stream, its running average remembers it, and the answer is a blend of both that"
        " leans to the one with fewer recent mistakes. Two classes, several (`n_classes=`), real"
        " targets (`loss='square'`; with `history=True` forecasts of rows in order) or no labels at"
        " all (`loss='novelty'`).",
        "When bytes are few and nothing can be tuned: most accuracy per byte, on scaled readings."
        " A method with support vectors may do better where labels stay for thousands of rows, or"
        " where there is room for all that a noise-free set of few dimensions needs.",
        "O(D d / 64 + D), twice that on a loss; nothing grows with the rows seen",
    ),
}
