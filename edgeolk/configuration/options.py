"""Arguments of a learner for editors and type checkers; `generate_options.py` writes this file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypedDict

from edgeolk.parts.kernels import Kernel
from edgeolk.parts.numbers import (
    Averaging,
    Basis,
    Loss,
    Policy,
    Projection,
    Sampling,
    Schedule,
    Update,
)


class Parameters(TypedDict, total=False):
    """The parts of a composition, and the parameters of all algorithms."""

    ald: float
    allow_skip: bool
    alpha: float
    averaging: Averaging | str
    b0: int | None
    basis: Basis | str
    beta: float
    blends: Sequence[float] | None
    boost: float
    C: float
    c: float | None
    clip: float | None
    clip_coefficients: float | None
    clip_rows: float | None
    clock: bool
    cmax: float
    cmin: float
    coe: float
    coherence: float
    constant: bool | None
    D: int | None
    decay: float
    delay: int
    delta: float
    dependence: float | None
    drift: bool | None
    eps: float | None
    epsilon: float
    eta: float
    eta2: float | None
    forgetting: float
    freeze_after: int | None
    frequencies: Literal["stored", "drawn", "structured"]
    full: Literal["oldest", "raise", "random", "stop"]
    G: float
    gamma: Literal["auto"] | float | None
    gamma_rows: int | None
    gaussian_process: int | None
    groups: int | None
    growth: float | None
    h: Literal["shift", "scale", "cut"]
    hint_rows: int
    history: Literal["auto"] | bool | None
    horizon: float | None
    interval: Sequence[float] | float | None
    iters: int
    jitter: float | None
    k: int | None
    kept_answers: int | None
    kernel_gamma: Literal["auto"] | float | None
    lags: int
    lam: float | None
    lapse: int
    last_label: bool
    last_rows: int
    leak: float
    linear: bool
    linear_group: Literal["last"] | bool | None
    loss: Loss | str
    M: int
    maintenance: Literal["merge", "project", "remove", "random"]
    memory: int | None
    memory_narrow: bool | None
    method: Literal["auxiliary", "nc", "margin"]
    mu0: float
    noise: float
    nu: float | None
    p: int
    policy: Policy | str
    projection: Projection | str
    R: float | None
    r: float
    radius: float
    rank: int | None
    rate: float | None
    relevance: Literal["shared"] | bool | None
    rescale: bool
    ridge: float
    rule: Literal["jmlr", "icml", "loose"]
    sampling: Sampling | str
    scale: str | None
    scale_clip: float | None
    scale_window: int | None
    schedule: Schedule | str
    scratch: Literal["block", "row"]
    season: int
    sharp: float
    shift: float
    shrink: float
    singular: float | None
    sn2: float
    sparsity: float
    step: Literal["pa", "unit"]
    T: float | None
    U: float | None
    unit: float
    update: Update | str
    widths: Sequence[Sequence[float]] | Sequence[float] | None
    window: float


class Options(Parameters, total=False):
    """Every argument of `Config` but the algorithm."""

    n_features: int
    budget: int | None
    ram: int | str | None
    kernel: Kernel | None
    dtype: Any
    coefficients: Any
    seed: int
    sparse: bool | None
    n_classes: int | None
    on_bad_row: Literal["raise", "skip"]
    checksums: bool
    lookahead: int | None
    feature_range: tuple[Any, Any] | None
