"""The methods that are compared: the nine filters with the settings that are tried for each;
`krls_auto` and `sorf`, which have no settings to try."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import edgeolk as ek
from bench.filters.series import LAGS

GAMMAS = (0.003, 0.03, 0.3, 1.0)
SORF, FORECASTER = "sorf", "forecaster"


@dataclass(frozen=True)
class Subject:
    """A method.

    Attributes
    ----------
    algorithm : str
        Its name in the library.
    family : str
        Methods of one family are drawn in shades of one colour.
    fixed : mapping of str to Any
        Options of every run.
    tried : mapping of str to sequence
        Options and their values; every combination is tried.
    """

    algorithm: str
    family: str
    fixed: Mapping[str, Any] = field(default_factory=dict)
    tried: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)

    def settings(self) -> Iterator[dict[str, Any]]:
        """Every combination of the tried values."""
        for values in product(*self.tried.values()):
            yield dict(zip(self.tried, values, strict=True))


def _filter(algorithm: str, family: str, **tried: tuple[Any, ...]) -> Subject:
    return Subject(algorithm, family, {"dtype": "float64"}, {"gamma": GAMMAS, **tried})


_RATES = (0.1, 0.5, 1.0)
SUBJECTS: dict[str, Subject] = {
    "klms": _filter("klms", "gradient", eta=_RATES, full=("stop", "oldest")),
    "qklms": _filter("qklms", "gradient", eta=_RATES, eps=(0.1, 0.3)),
    "knlms": _filter("knlms", "gradient", eta=_RATES, mu0=(0.95, 0.99, 0.999)),
    "kapa": _filter("kapa", "gradient", eta=_RATES, mu0=(0.95, 0.99, 0.999)),
    "krls": _filter("krls", "least squares", nu=(1e-2, 1e-4, 1e-6)),
    "sw_krls": _filter("sw_krls", "least squares", c=(1e-1, 1e-3, 1e-5)),
    "fb_krls": _filter("fb_krls", "least squares", c=(1e-1, 1e-3, 1e-5)),
    "krls_t": _filter("krls_t", "process", sn2=(1e-1, 1e-2, 1e-4, 1e-6), lam=(1.0, 0.999)),
    "sogp": _filter("sogp", "process", sn2=(1e-1, 1e-2, 1e-4, 1e-6)),
    "krls_auto": Subject("krls_auto", "untuned"),
    SORF: Subject("sorf", "sorf", {"loss": "square", "seed": 1, "gaussian_process": False}),
    FORECASTER: Subject("sorf", "sorf", {"loss": "square", "seed": 1, "history": True}),
}


def learner_of(subject: Subject, ram: str, setting: Mapping[str, Any]) -> Any:
    """A learner of rows of lags in at most so many bytes; ValueError if it does not fit."""
    options = {**subject.fixed, **setting}
    return ek.Learner(subject.algorithm, n_features=LAGS, ram=ram, **options)
