"""Lu, Zhao & Hoi, SDM 2016: online accuracy and test accuracy on a9a."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bench.papers.setting import Grid, Row, Setting, Tuning

PREFIX = 12_000
TEST_PREFIX = 24_000
ROOM = 45_000
WIDTH = 0.4
B = 1350
ETAS = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 4.0)
CLIPS = (1.0, 2.0, 4.0, 8.0, 16.0)
ONLINE = "000 T2: a9a, train and test rows, online accuracy %"
TEST = "000 T3: a9a, one pass over the train rows, accuracy % on the test rows"


def online(algorithm: str, budget: int = B, **options: Any) -> Setting:
    """A pass over all rows of a9a."""
    return Setting(algorithm, "a9a", budget, WIDTH, **options)


_PERCEPTRON = online("perceptron", 20_000, room=True)
_PROJECTRON = online("projectron++", params={"rule": "icml"})
_OGD = online("ogd", ROOM, room=True, params={"full": "stop"})
_OLDEST = online("ogd", params={"full": "oldest"})
_PA = online("pa1", ROOM, room=True)
_BPA = online("bpa_s", params={"allow_skip": False})
_BOGD = online("bogd")
_OSKL = online("oskl", 3000, room=True, averaged=True, params={"G": 11.4})
SPA = online("spa", 3000, room=True, averaged=True, params={"alpha": 1.0, "beta": 20.0, "eta": 0.1})


def _prefix(name: str, base: Setting, grid: Grid, after: tuple[str, ...] = ()) -> Tuning:
    return Tuning(f"000 {name}", replace(base, rows=PREFIX), grid, after)


def _test_prefix(name: str, base: Setting, grid: Grid, after: tuple[str, ...] = ()) -> Tuning:
    samples = 3 if base.algorithm == "bogd" else 1  # one model, the last, is a matter of luck
    return Tuning(f"000 test {name}", replace(base, rows=TEST_PREFIX), grid, after, samples=samples)


def _row(method: str, published: float, setting: Setting, **options: Any) -> Row:
    return Row(ONLINE, method, setting, published=published, **options)


_ONLINE_TUNINGS = (
    _prefix("OGD", _OGD, {"eta": ETAS}),
    _prefix("OGD oldest", _OLDEST, {"eta": ETAS}),
    _prefix("PA-I", _PA, {"C": (0.25, 0.5, 1.0, 2.0)}),
    _prefix("BPA-S", _BPA, {"C": (0.125, 0.25, 0.5, 1.0, 2.0)}),
    _prefix("BOGD", _BOGD, {"eta": ETAS, "gamma": CLIPS}),
    _prefix("OSKL", _OSKL, {"eta": (0.03, 0.1, 0.3, 1.0)}),
)
_ONLINE_ROWS = (
    _row("Perceptron", 79.40, _PERCEPTRON, published_support=9_900, cost=3),
    _row("OGD", 83.41, _OGD, published_support=23_500, tuned=("000 OGD",), cost=6),
    _row("PA-I", 84.07, _PA, published_support=22_800, tuned=("000 PA-I",), cost=9),
    _row("RBP", 78.83, online("rbp"), deviation=0.38),
    _row("Forgetron", 78.08, online("forgetron"), deviation=0.22),
    _row("Projectron", 79.25, online("projectron"), deviation=0.13, cost=8),
    _row("Projectron++", 79.35, _PROJECTRON, deviation=0.13, cost=15, most=5),
    _row("BPA-S, C 1", 80.44, _BPA.choosing({"C": 1.0}), second=True),
    _row("BPA-S", 80.44, _BPA, tuned=("000 BPA-S",)),
    _row("BOGD", 80.97, _BOGD, tuned=("000 BOGD",)),
    _row("BOGD, the oldest leaves", 80.97, _OLDEST, tuned=("000 OGD oldest",), second=True),
    _row("OSKL, average", 82.01, _OSKL, published_support=1344, tuned=("000 OSKL",), cost=2),
    _row("SPA, average", 82.04, SPA, deviation=0.25, published_support=1350, cost=2),
)

KEPT = 2079
_ALL = 33_000
_RATES = (0.1, 0.3, 1.0, 3.0)
_WIDE: Grid = {"width": (0.01, 0.03, 0.1, 0.4)}
_SAME = ("000 test SPA:width",)


def _test(algorithm: str, budget: int, **options: Any) -> Setting:
    return Setting(algorithm, "a9a", budget, protocol="split", **options)


def _mean(algorithm: str, budget: int = _ALL, **params: Any) -> Setting:
    return _test(algorithm, budget, room=True, averaged=True, params=params)


def _test_row(method: str, published: float | None, setting: Setting, **options: Any) -> Row:
    return Row(TEST, method, setting, published=published, **options)


_TEST_SPA = _mean("spa", 9000, alpha=1.0, beta=5.0)
_SPA_LAST = replace(_TEST_SPA, averaged=False)
_TEST_OSKL = _mean("oskl", 9000, G=4.0)
_TEST_KLR = _mean("klr", gamma=20.0)
_TEST_PEGASOS = _mean("pegasos")
_TEST_BOGD = _test("bogd", KEPT)
_TEST_BPA = _test("bpa_s", KEPT, params={"allow_skip": False})
_TEST_SVC = _test("svc", 0)
_LAST = (
    "the last model swings from row to row, which is what the average is for: the difference is"
    " less than two standard errors of our ten runs, and the published deviation is 2.60 besides"
)
_SWINGS = (
    "the last model is scored and swings from row to row: the difference is less than two standard"
    " errors of our ten runs"
)
_TEST_TUNINGS = (
    _test_prefix("SPA", _TEST_SPA, {**_WIDE, "eta": _RATES}),
    _test_prefix("OSKL", _TEST_OSKL, {**_WIDE, "eta": _RATES}),
    _test_prefix("KLR", _TEST_KLR, {"eta": (0.3, 1.0, 5.0, 20.0)}, _SAME),
    _test_prefix("BOGD", _TEST_BOGD, {"eta": ETAS, "gamma": CLIPS}, _SAME),
    _test_prefix("BPA-S", _TEST_BPA, {"C": (0.05, 0.1, 0.25, 0.5, 1.0)}, _SAME),
    _test_prefix("Pegasos", _TEST_PEGASOS, {"lam": (1e-3, 3e-4, 1e-4, 3e-5, 1e-5)}, _SAME),
    _prefix("test LIBSVM", _TEST_SVC, {"C": (0.5, 1.0, 3.0, 10.0)}, _SAME),
)
_TEST_ROWS = (
    _test_row("SPA, average", 84.88, _TEST_SPA, published_support=2079, tuned=("000 test SPA",)),
    _test_row("SPA, last", 82.97, _SPA_LAST, deviation=2.6, tuned=("000 test SPA",), why=_LAST),
    _test_row("OSKL, average", 84.91, _TEST_OSKL, published_support=2073, tuned=("000 test OSKL",)),
    _test_row("BOGD", 82.49, _TEST_BOGD, tuned=(*_SAME, "000 test BOGD"), why=_SWINGS),
    _test_row("BPA-S, C 1", 82.11, _TEST_BPA.choosing({"C": 1.0}), tuned=_SAME, second=True),
    _test_row("BPA-S", 82.11, _TEST_BPA, tuned=(*_SAME, "000 test BPA-S")),
    _test_row("logistic, auxiliary", None, _TEST_KLR, tuned=(*_SAME, "000 test KLR"), cost=2),
    _test_row("Pegasos", 84.66, _TEST_PEGASOS, tuned=(*_SAME, "000 test Pegasos"), cost=3),
    _test_row("LIBSVM", 85.04, _TEST_SVC, tuned=(*_SAME, "000 test LIBSVM"), cost=100, most=1),
)

TUNINGS = (*_ONLINE_TUNINGS, *_TEST_TUNINGS)
ROWS = (*_ONLINE_ROWS, *_TEST_ROWS)
_BPA_NOTE = (
    " BPA-S with C 1 is a second reading: that C is known only by its giving the published figure."
)
NOTES = {
    ONLINE: (
        "Width and B are those given for the table. eta, C and gamma are chosen on the first"
        f" {PREFIX:,} rows of another permutation. alpha and beta of SPA are printed; its eta, 0.1,"
        " and OSKL's G, 11.4 for about the published number of vectors, were fixed beforehand from"
        " an independent implementation. The average predicts as the mean of f_1 to f_t. BOGD is"
        " the unbiased method of Zhao et al.; the second row removes the oldest instead."
        + _BPA_NOTE
    ),
    TEST: (
        "Width, eta, C, lam and gamma are chosen by training on 16,000 train rows of another"
        " permutation (BOGD: three) and scoring the next 8,000 (LIBSVM: 8,000 and 4,000); the width"
        " is SPA's for all but OSKL. beta 5 and G 4 are fixed for about the published number of"
        " vectors. The rows to tune on were doubled, and BOGD's permutations tripled, after a first"
        " pass. LIBSVM does not depend on the order: one run." + _BPA_NOTE
    ),
}
