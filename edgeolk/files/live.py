"""A live block: its header, its words, its regions as numbers, and checks of its state.

The words of state are the members of the small structs of ``core/state.pxd``, by name and position.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from enum import IntEnum
from typing import TYPE_CHECKING, Any

from edgeolk.checks import require
from edgeolk.configuration.families import FAMILIES
from edgeolk.configuration.header import (
    FLAGS_OFFSET,
    MAX_BYTES,
    NATIVE,
    PARTS,
    PLACES,
    SCALER,
    Head,
    head_bytes,
    implied_values,
    lists_from,
    omitted_gamma,
    omitted_values,
    stored_values,
    without_implied,
)
from edgeolk.configuration.layout import state_bytes
from edgeolk.configuration.regions import Region
from edgeolk.configuration.settings import MAX_AHEAD, Settings
from edgeolk.parts.kernels import Kernel, kernel_from_fields
from edgeolk.parts.numbers import AXES, Algorithm, Family
from edgeolk.parts.storage import ELEMENTS
from edgeolk.scaling.record import preprocessing_from


def _words(kind: str, *names: str) -> tuple[tuple[str, str], ...]:
    return tuple((name, kind) for name in names)


#: Region -> its words in order, each with its type: "d" float64, "q" int64.
WORDS: dict[str, tuple[tuple[str, str], ...]] = {
    "function": (
        *_words("d", "scale", "norm2"),
        *_words("q", "cursor", "removals", "capacity_hits", "labels_asked", "clipped"),
    ),
    "averaging": _words("d", "mean_weight"),
    "errors": _words("d", "squared_error", "absolute_error"),
    "forgetron": _words("d", "forgetron_q"),
    "halving": _words("q", "halvings", "anchored"),
    "hints": (*_words("d", "hint_error"), *_words("q", "seen")),
    "nystrom": _words("q", "rank"),
    "tracking": _words(
        "d",
        *("scale_sum", "scale_weight", "noise_in_use", "log_noise", "log_noise_in_use"),
        *("noise_rows", "noise_share", "noise_information", "inputs_seen", "drift_turn"),
        *("target_offset", "first_targets", "first_target_0", "first_target_1"),
        "first_target_2",
    ),
    "process_words": _words(
        "d",
        *("process_scale_sum", "process_scale_weight", "process_noise_in_use", "process_log_noise"),
        *("process_log_noise_in_use", "process_noise_rows", "process_noise_share"),
        *("process_noise_information", "process_inputs_seen", "process_drift_turn"),
        *("process_target_offset", "process_first_targets", "process_first_target_0"),
        *("process_first_target_1", "process_first_target_2"),
    ),
    "mixture": _words(
        "d",
        *("features_regret", "process_regret", "features_regret_squares"),
        *("process_regret_squares", "mean_error", "features_mean_square", "mixed_rows"),
    ),
    "lagging": _words("d", "known_targets", "rows_pending", "oldest_pending"),
    "evidence": _words("d", "evidence_error", "evidence_weight", "posterior_scale"),
    "memory_state": _words("q", "memory_held"),  # rows, from bit 32 on where the search begins
    "watch": _words("q", "idle_rows", "alarms", "watch_counts", "verdict"),
    "skipped": _words("q", "n_skipped"),
    "clipped_rows": _words("q", "clipped_rows"),
    "width": (
        *_words("d", "gamma", "spread"),
        *_words("q", "measured", "steps_before", "mistakes_before", "updates_before"),
        *_words("q", "hits_before"),
    ),
}


if TYPE_CHECKING:
    from typing import TypeVar

    _Member = TypeVar("_Member", bound=IntEnum)


def head_of(config: Settings, regions: Iterable[Region]) -> Head:
    """The header of a new model."""
    regions = tuple(regions)
    parts: dict[str, int] = {axis: int(part) for axis, part in config.parts.items()}
    kind, degree, *_ = config.kernel.fields()
    parts.update(kernel=kind, degree=degree, algorithm=int(config.member))
    table = {
        region.name: (region.element, region.offset, region.shape[0] * region.shape[1])
        for region in regions
        if region.is_state
    }
    family = FAMILIES[config.family]
    return Head(
        family=config.family,
        nbytes=state_bytes(regions),
        n_features=config.n_features,
        budget=config.budget,
        seed=config.seed,
        parts={name: parts.get(name, 0) for name in PARTS},
        values=without_implied(family, stored_values(config), table),
        table=table,
        columns=config.columns,
    )


def _member(kind: type[_Member], number: int, what: str) -> _Member:
    """The member of an enum with a stored number."""
    try:
        return kind(number)
    except ValueError:
        raise ValueError(f"the model's {what} is unknown: number {number}") from None


def _kernel_from(fields: tuple[int, int, float, float, float]) -> Kernel:
    try:
        return kernel_from_fields(fields)
    except ValueError as error:
        raise ValueError(f"the model's kernel is invalid: {error}") from None


def config_from(head: Head) -> Settings:
    """The configuration in a header; only its parts and kernel are checked.

    Raises ValueError: the number of a part or of a kernel is unknown, or the block is a scaler's.
    """
    if head.family == SCALER:
        raise ValueError("not a model but a scaler: ek.RunningScaler.load opens it")
    family = FAMILIES[Family(head.family)]
    values = dict(head.values)
    for region, (name, value) in implied_values(family).items():
        if region in head.table:
            values.setdefault(name, value)
    lists = lists_from(family, values)
    preprocessing = preprocessing_from(values)
    parts = {axis: _member(AXES[axis], head.parts[axis], axis) for axis in family.axes}
    for axis in AXES:
        if axis not in family.axes and head.parts[axis]:
            raise ValueError(f"the model's {axis} is unknown: number {head.parts[axis]}")
    if width := omitted_gamma(family, head.n_features):
        values.setdefault("kernel.gamma", width)
    gamma, scale, offset = (
        values.pop(f"kernel.{name}", 0.0) for name in ("gamma", "scale", "offset")
    )
    fields = (head.parts["kernel"], head.parts["degree"], gamma, scale, offset)
    empty = family.settings(
        member=_member(Algorithm, head.parts["algorithm"], "algorithm"),
        n_features=head.n_features,
        budget=head.budget,
        seed=head.seed,
        kernel=_kernel_from(fields),
        parts=parts,
        values={},
        columns=head.columns,
        lists=lists,
        preprocessing=preprocessing,
        lookahead=_integer(values, "lookahead", MAX_AHEAD),
        skips_bad_rows=bool(_integer(values, "skip_bad_rows", 1)),
        checksums=bool(_integer(values, "checksums", 1)),
    )
    return replace(empty, values=filled(empty, values))


def _integer(values: dict[str, float], name: str, maximum: int) -> int:
    """Remove an integer from the values of a header; 0 if it is not there.

    Raises ValueError: it is not an integer from 1 to ``maximum``.
    """
    if name not in values:
        return 0
    value = values.pop(name)
    if value not in range(1, maximum + 1):
        raise ValueError(f"the model is inconsistent: {name} is {value}")
    return int(value)


def filled(config: Settings, values: Mapping[str, float]) -> dict[str, float]:
    """The values with those that are omitted from files, in the order of a configuration."""
    omitted = omitted_values(FAMILIES[config.family])
    found = {name: values.get(name, omitted.get(name)) for name in config.uses()}
    known = {name: value for name, value in found.items() if value is not None}
    return {**known, **{name: value for name, value in values.items() if name not in known}}


def write_head(block: memoryview, head: Head) -> None:
    """Put a header into a live block.

    Raises ValueError: the model is too large for one.
    """
    if head.nbytes > MAX_BYTES:
        raise ValueError(f"a model of {head.nbytes} bytes cannot be stored; reduce budget")
    packed = head.pack(NATIVE)
    block[: len(packed)] = packed


def clear_flags(block: memoryview) -> None:
    """Clear the flags of a block that is intact or was repaired."""
    block[FLAGS_OFFSET : FLAGS_OFFSET + 2] = bytes(2)


def numbers(region: Region, block: memoryview) -> memoryview[Any]:
    """A region's numbers, flat."""
    count = region.shape[0] * region.shape[1]
    cast: Any = ELEMENTS[region.element].cast
    part = block[region.offset : region.offset + region.nbytes]
    part = part[: len(part) // 8 * 8]
    return part.cast("B").cast(cast)[:count]


def is_laid_out(fresh: Head, head: Head, length: int) -> bool:
    """Whether a header of this length has the same layout as a new one."""
    counts = [count for _, _, count in fresh.table.values()]
    if length != head_bytes(len(fresh.values), counts):
        return False
    return (list(fresh.table.items()), fresh.nbytes) == (list(head.table.items()), head.nbytes)


def words_of(head: Head, regions: Iterable[Region], block: memoryview) -> dict[str, float]:
    """Every word of state by name."""
    words: dict[str, float] = {name: getattr(head, name) for name in PLACES}
    for region in regions:
        for place, (name, kind) in enumerate(WORDS.get(region.name, ())):
            at = region.offset + 8 * place
            code: Any = kind
            words[name] = block[at : at + 8].cast(code)[0]
    return words


def write_words(words: Mapping[str, Any], regions: Iterable[Region], block: memoryview) -> None:
    """Write words of state to their places, 0 for missing ones."""
    places = dict(PLACES)
    for region in regions:
        for place, (name, kind) in enumerate(WORDS.get(region.name, ())):
            places[name] = (region.offset + 8 * place, kind)
    for name, (at, kind) in places.items():
        code: Any = kind
        block[at : at + (4 if kind == "i" else 8)].cast(code)[0] = words.get(name, 0)


def arrays_of(state: list[Region], block: memoryview) -> dict[str, Any]:
    """The numbers of each region without words, by name.

    Not a comprehension: CPython leaks its references if memory runs out there.
    """
    arrays: dict[str, Any] = {}
    for region in state:
        if region.element != "w":
            arrays[region.name] = numbers(region, block)
    return arrays


def check(config: Settings, regions: Iterable[Region], block: memoryview) -> None:
    """Check the state in an untrusted live block, as far as it is in these regions.

    Raises ValueError: learning cannot lead to this state.
    """
    from edgeolk.files.holds import problem_of  # needed for state from outside only

    state = [region for region in regions if region.is_state]
    require(not (problem := problem_of(config, state, block)), problem)
