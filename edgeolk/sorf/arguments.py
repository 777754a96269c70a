"""From a caller's arguments to the settings of a learner of the sorf family, and back.

``history=`` says that rows form a time series, and sets other arguments.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from edgeolk.checks import MAX_SIZE, check_int
from edgeolk.configuration.arguments import (
    DEFAULT_MEMBERS,
    Choice,
    Choices,
    Given,
    budget_of,
    chosen_of,
    kernel_of,
    member_of,
    refuse_unknown,
    values_of,
)
from edgeolk.configuration.settings import Settings
from edgeolk.parts.methods import find
from edgeolk.parts.numbers import Algorithm, Dtype, Loss
from edgeolk.scaling.arguments import gamma_of, preprocessing_of
from edgeolk.scaling.record import Preprocessing
from edgeolk.sorf.defaults import (
    LEAST_WITH_PROCESS,
    MIN_VECTORS,
    MIN_WITH_PROCESS,
    default_memory_rows,
    default_vectors,
    min_frequencies,
    min_memory_rows,
    with_linear_group,
)
from edgeolk.sorf.options import (
    ANSWERS_BY_LABEL,
    DEFAULT_FREQUENCIES,
    FREQUENCIES_OF_ONE,
    FREQUENCY_BLOCK,
    HISTORY_INPUTS,
    KERNEL,
    LISTS,
    MAX_REMEMBERED_CLASSES,
    NU,
    OPTIONS,
    WINDOW,
    lists_of,
    without_kernel,
)
from edgeolk.sorf.refusals import refuse
from edgeolk.sorf.settings import SorfSettings

#: Its own name for the budget.
MEMBERS = "D"
#: Losses with a separate algorithm for time series.
IN_TIME = (Loss.NOVELTY, Loss.SQUARE)
#: Arguments of all learners that are about support vectors, and the values that say nothing.
_OF_VECTORS: dict[str, tuple[Any, ...]] = {
    "coefficients": (None, "float64"),
    "sparse": (None, False),
    "feature_range": (None,),
}


def _take_history(given: dict[str, Any], loss: Loss) -> tuple[bool, bool]:
    """Return (detects anomalies, forecasts), and put the options needed into ``given``.

    "auto" becomes what the loss supports for time series: a separate algorithm, or for classes the
    last label as an expert while labels arrive.
    """
    value = given.get("history")
    if value is None or (isinstance(value, str) and value == "auto"):
        given.pop("history", None)
        if value == "auto" and loss in IN_TIME:
            given["history"] = True
        elif value == "auto" and given.get("last_label") is None:
            given["last_label"] = True
            if given.get("lapse") is None:
                given["lapse"] = ANSWERS_BY_LABEL
    elif not isinstance(value, (bool, int, float)):
        raise TypeError(f"history must be True, False, 'auto' or None, got {value!r}")
    if not given.get("history"):
        return False, False
    watches = loss == Loss.NOVELTY
    for name, value in (("nu", NU), ("window", WINDOW)):
        if watches and given.get(name) is None:
            given[name] = value
    return watches, loss == Loss.SQUARE


def _refuse_of_vectors(given: Given) -> None:
    """Raise ValueError for an argument about support vectors, of which there are none."""
    for name, allowed in _OF_VECTORS.items():
        value = given.common[name]
        named = getattr(value, "name", value)
        if isinstance(named, str):
            value = named.lower()
        if not any(value is one or value == one for one in allowed):
            raise ValueError(
                f"{name}= is for support vectors: {given.own} stores weights of features, whose"
                f" type is dtype=; got {given.common[name]!r}"
            )


def _take_lists(given: dict[str, Any], *, forecasts: bool) -> dict[str, Any]:
    """Options with several numbers as the caller gave them, None if omitted.

    They are removed from ``given``. Nested ``widths`` determine the number of groups, so they also
    set ``groups`` if the caller does not.
    """
    lists = {name: given.pop(name, None) for name in LISTS}
    widths, interval = lists["widths"], lists["interval"]
    if isinstance(widths, (list, tuple)) and given.get("groups") is None:
        given["groups"] = max(1, sum(hasattr(width, "__len__") for width in widths))
    if interval is not None and not forecasts:  # even if it is the default
        raise ValueError(
            "interval= needs history=True and loss='square': only forecasts have intervals; got"
            f" interval={interval!r}"
        )
    return lists


def _asks_for_features(
    common: Mapping[str, Any], params: Mapping[str, Any], lists: Mapping[str, Any]
) -> bool:
    """Whether the caller named something that only features or their kernel have."""
    of_features = ("linear", "relevance", "groups", "memory", "scratch")
    named = [common["kernel"], params.get("linear_group"), lists["widths"]]
    return any(value is not None for value in named) or any(map(params.get, of_features))


def configure(given: Given) -> Choices:
    """The ways to configure a learner for a budget."""
    method, params, common, ram = find(Algorithm.SORF), given.params, given.common, given.ram
    parts = chosen_of(method, params)
    dtype = "int8" if common["dtype"] is None else common["dtype"]
    parts["dtype"] = member_of("dtype", dtype, Dtype)
    _refuse_of_vectors(given)
    watches, forecasts = _take_history(params, parts["loss"])
    n_features = check_int("n_features", common["n_features"], 0 if forecasts else 1)
    defaults = {} if watches else method.preprocessing
    kernel = common["kernel"]
    if watches and kernel is None and params.get("gamma") is None:
        kernel = KERNEL
    gamma = gamma_of(params, OPTIONS, defaults, kernel=kernel is not None)
    n_inputs = n_features + (HISTORY_INPUTS if forecasts else 0)
    kernel = kernel_of(kernel, gamma, method.gamma, n_inputs)
    narrow = parts["dtype"] != Dtype.FLOAT64
    as_given = dict(params)
    preprocessing = preprocessing_of(
        params, OPTIONS, defaults, gamma, narrow=narrow, may_follow=not watches
    )
    allowed = [*OPTIONS, MEMBERS, *LISTS, *method.choices]
    if params.get("lags") is not None:
        raise TypeError(
            "sorf has no lags=: with history=True it forecasts from the last targets, and"
            f" 'krls_auto' has lags=; got lags={params['lags']!r}"
        )
    refuse_unknown(params, given.own, allowed, [*given.common, *given.others])
    members = MEMBERS if params.get(MEMBERS) is not None else "budget"
    default_members = DEFAULT_FREQUENCIES if watches else DEFAULT_MEMBERS
    budget = budget_of(MEMBERS, common["budget"], ram, params, default_members)
    lists = _take_lists(params, forecasts=forecasts)
    columns = given.columns
    takes_process = params.get("gaussian_process") is True
    if takes_process:
        del params["gaussian_process"]
    shares = (
        params.get("gaussian_process") is None
        and parts["loss"] == Loss.SQUARE
        and not forecasts
        and not params.get("delay")
        and gamma == "auto"
        and not _asks_for_features(common, params, lists)
    )
    has_row_memory = parts["loss"] == Loss.HINGE and params.get("memory") is None
    fixed: dict[str, Any] = {
        "member": Algorithm.SORF,
        "n_features": n_features,
        "kernel": kernel,
        "parts": parts,
        "columns": columns,
        "seed": given.seed,
        **given.flags,
    }
    context = {
        "n_features": float(n_inputs),
        "ram": float(ram or 0),
        "novelty": float(parts["loss"] == Loss.NOVELTY),
    }

    def configured(
        size: int, *, rows: int = 0, cramped: bool = False, linear: float = 0.0,
        bare: int = 0, scaling: Preprocessing = preprocessing, vectors: int = 0,
    ) -> SorfSettings:  # fmt: skip
        known = {**context, "budget": float(size), "usual_memory": float(rows)}
        known |= {"cramped": float(cramped), "usual_linear_group": linear, "bare": float(bare)}
        known |= {"usual_process": float(vectors)}
        values = values_of(OPTIONS, OPTIONS, {}, known, params)
        check_int(members, size, 0 if forecasts or values["linear_group"] else 1)
        numbers = lists_of(values, **lists)
        if not size and forecasts:
            values = without_kernel(values)
            numbers = {name: numbers[name] for name in numbers if name == "interval"}
        settings = SorfSettings(
            **fixed,
            budget=size,
            values=values,
            lists=numbers,
            preprocessing=scaling if size else replace(scaling, follows=False, gamma_rows=0),
        )
        if values["delay"] and params.get("kept_answers") is None:
            kept = float(settings.usual_kept(ram))
            settings = replace(settings, values={**values, "kept_answers": kept})
        refuse(settings)
        return settings

    if ram is None:
        if takes_process:
            raise ValueError(
                "gaussian_process=True takes half of ram=, which is not given: gaussian_process"
                " must be a number of vectors, got True"
            )
        return Choices(budget, [(configured, range(0))], [])

    def with_memory(rows: int, *, cramped: bool = False) -> Choice:
        sizes = range(min_frequencies(columns, rows), MAX_SIZE)
        return partial(configured, rows=rows, cramped=cramped), sizes

    first: list[Choice] = []
    if takes_process or (shares and ram >= LEAST_WITH_PROCESS):
        vectors = default_vectors(ram, n_features, 4 if narrow else 8)
        remaining = range(MIN_WITH_PROCESS, MAX_SIZE)
        first += [(partial(configured, vectors=vectors), remaining)] if vectors else []
        if takes_process:
            configured(FREQUENCY_BLOCK, vectors=1)  # raises if nothing of it fits together
            smallest = partial(configured, vectors=MIN_VECTORS, cramped=True)
            return Choices(None, [(smallest, remaining)], first)
    if has_row_memory and (rows := default_memory_rows(ram, n_features, columns)):
        first.append(with_memory(rows))
    if has_row_memory and params.get("memory_narrow") and columns <= MAX_REMEMBERED_CLASSES:
        least = [with_memory(rows, cramped=True) for rows in min_memory_rows(columns)]
        return Choices(None, least, first)
    if watches:
        most = FREQUENCIES_OF_ONE if n_features == 1 else DEFAULT_FREQUENCIES
        blocks = range(1, most // FREQUENCY_BLOCK + 1)
        return Choices(None, [(lambda n: configured(n * FREQUENCY_BLOCK), blocks)], [])
    sizes = range(0 if params.get("linear_group") else 1, MAX_SIZE)
    # Without the defaults that are on only if there is room for them.
    bare: Choice = (configured, range(1))
    if not forecasts:
        bare = (partial(configured, cramped=True), sizes)

    def instead(fitted: Settings | None) -> list[Choice]:
        """Models with a linear group that are worth more than the features that fit."""
        scalings = [preprocessing]
        if not any(name.startswith("scale") for name in as_given):
            common_scale = {**defaults, "scale": "common"}
            scalings.append(
                preprocessing_of(
                    dict(as_given), OPTIONS, common_scale, gamma, narrow=narrow, may_follow=True
                )
            )
        return with_linear_group(fitted, configured, n_features, columns, scalings)

    labelled = not forecasts and parts["loss"] != Loss.NOVELTY
    if labelled and gamma == "auto" and not _asks_for_features(common, params, lists):
        return Choices(None, [bare], [*first, (configured, sizes)], instead)
    return Choices(None, [bare], [*first, (configured, sizes)])


# ---- the inverse ---------------------------------------------------------------------------------


def arguments(config: SorfSettings) -> dict[str, Any]:
    """The arguments common to all learners that only this family has: none."""
    return {}


def parameters(config: SorfSettings) -> dict[str, Any]:
    """The options by name, and those with several numbers that are not at their defaults."""
    numbers = {name: OPTIONS[name].shown(value) for name, value in config.values.items()}
    widths = tuple(numbers for name, numbers in config.lists.items() if name.startswith("widths"))
    nested = {"widths": widths[0] if len(widths) == 1 else widths} if widths else {}
    others = {n: config.lists[n] for n in ("blends", "interval") if n in config.lists}
    return {"loss": config.parts["loss"].name.lower(), **numbers, **nested, **others}
