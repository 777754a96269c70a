"""A live block: its header, its words, its regions as numbers, and checks of its state.

The words of state are the members of the small structs of ``core/state.pxd``, by name and position.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from enum import IntEnum
from math import inf
from typing import TYPE_CHECKING, Any

from edgeolk.checks import require
from edgeolk.configuration.header import (
    FLAGS_OFFSET,
    IMPLIED,
    MAX_BYTES,
    NATIVE,
    OMITTED,
    PARTS,
    PLACES,
    Head,
    head_bytes,
    lists_from,
    omitted_gamma,
    stored_values,
    without_implied,
)
from edgeolk.configuration.layout import state_bytes
from edgeolk.configuration.regions import KINDS, Lifetime, Region
from edgeolk.configuration.settings import Settings
from edgeolk.parts.kernels import Kernel, kernel_from_fields
from edgeolk.parts.methods import find
from edgeolk.parts.numbers import AXES, Algorithm, Projection, Update
from edgeolk.parts.storage import ELEMENTS
from edgeolk.parts.table import DEFAULT_PARTS, uses
from edgeolk.parts.updates import UPDATES
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
    "memory_state": (
        *_words("q", "memory_held"),  # rows, and from bit 32 on where the search begins
        *_words("d", *(f"memory_mistakes_{i}" for i in range(5))),
        *_words("q", "memory_spare_0", "memory_spare_1"),
    ),
    "watch": _words("q", "idle_rows", "alarms", "quiet_rows", "verdict", "event"),
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


def is_state(region: Region) -> bool:
    """Whether a region's content outlives a call."""
    return region.name in KINDS and KINDS[region.name].lifetime is Lifetime.STATE


def head_of(config: Settings, regions: Iterable[Region]) -> Head:
    """The header of a new model."""
    regions = tuple(regions)
    parts: dict[str, int] = {axis: int(part) for axis, part in config.parts.items()}
    kind, degree, *_ = config.kernel.fields()
    parts.update(kernel=kind, degree=degree, algorithm=int(config.member))
    table = {
        region.name: (region.element, region.offset, region.shape[0] * region.shape[1])
        for region in regions
        if is_state(region)
    }
    return Head(
        nbytes=state_bytes(regions),
        n_features=config.n_features,
        budget=config.budget,
        seed=config.seed,
        parts={name: parts[name] for name in PARTS},
        values=without_implied(stored_values(config), table),
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

    Raises ValueError: the number of a part or of a kernel is unknown.
    """
    values = dict(head.values)
    for region, (name, value) in IMPLIED.items():
        if region in head.table:
            values.setdefault(name, value)
    lists = lists_from(values)
    preprocessing = preprocessing_from(values)
    parts = {axis: _member(kind, head.parts[axis], axis) for axis, kind in AXES.items()}
    if UPDATES[Update(parts["update"])].is_sorf and head.n_features:
        values.setdefault("kernel.gamma", omitted_gamma(head.n_features))
    gamma, scale, offset = (
        values.pop(f"kernel.{name}", 0.0) for name in ("gamma", "scale", "offset")
    )
    fields = (head.parts["kernel"], head.parts["degree"], gamma, scale, offset)
    fill_omitted(parts, values)
    return Settings(
        _member(Algorithm, head.parts["algorithm"], "algorithm"),
        head.n_features,
        head.budget,
        head.seed,
        _kernel_from(fields),
        parts,
        values,
        columns=head.columns,
        lists=lists,
        preprocessing=preprocessing,
    )


def fill_omitted(parts: Mapping[str, IntEnum], values: dict[str, float]) -> None:
    """Add the values that are omitted from files, and put all in the order of a configuration."""
    wanted = uses({axis: part for axis, part in parts.items() if axis != "dtype"})
    found = {name: values.pop(name, OMITTED.get(name)) for name in wanted}
    others = dict(values)
    values.clear()
    values.update({name: value for name, value in found.items() if value is not None})
    values.update(others)


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


def check_name(config: Settings) -> None:
    """Check that a named algorithm has the parts of its catalogue row, with some choice of options.

    Raises ValueError: it does not.
    """
    member = config.member
    if member == Algorithm.CUSTOM:
        return
    method = find(member)
    for options in itertools.product(*(choice.values() for choice in method.choices.values())):
        parts = {**DEFAULT_PARTS, **method.parts}
        for option in options:
            parts.update(option)
        differ = {axis for axis, part in parts.items() if config.parts[axis] != part}
        # With an infinite radius there is no projection.
        unbounded = config.parts["projection"] == Projection.NONE
        if not differ or (
            differ == {"projection"}
            and unbounded
            and parts["projection"] in (Projection.BALL, Projection.COEFFICIENTS)
            and config.values.get("U", inf) == inf
        ):
            return
    raise ValueError(f"the model is inconsistent: its parts are not those of {method.name}")


def check(config: Settings, regions: Iterable[Region], block: memoryview) -> None:
    """Check the state in an untrusted live block, as far as it is in these regions.

    Raises ValueError: learning cannot lead to this state.
    """
    from edgeolk.files.holds import problem_of  # needed for state from outside only

    check_name(config)
    state = [region for region in regions if is_state(region)]
    require(not (problem := problem_of(config, state, block)), problem)
