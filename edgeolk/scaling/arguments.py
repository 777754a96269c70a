"""Checks the arguments of input preprocessing."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from edgeolk.checks import check_int, check_real
from edgeolk.scaling.record import (
    ALIASES,
    CLIP,
    COMMON_CLIP,
    COMPACT,
    GAMMA_ROWS,
    INSIDE,
    Preprocessing,
    clip_number,
    fits_compact,
    named,
    norm_number,
    window_number,
)

#: An argument that is not given, where None is a valid value.
_NOT_GIVEN: Any = object()


def gamma_of(
    given: dict[str, Any], own: Collection[str], usual: Mapping[str, str], *, kernel: bool
) -> float | str | None:
    """The kernel width in the arguments: a number, "auto", or None for the default of the kernel.

    It is removed from ``given``; ``kernel``: whether a kernel is given, which has a width.
    Raises TypeError or ValueError: not one of these, or given twice.
    """
    # A parameter gamma of the algorithm is a number: "auto" can only mean the width.
    if "gamma" in own and isinstance(given.get("gamma"), str) and given["gamma"] == "auto":
        given["kernel_gamma"] = given.pop("gamma")
    gamma = _either("gamma", given, own)
    if gamma is _NOT_GIVEN:
        return None if kernel else usual.get("gamma")
    if gamma is None or (isinstance(gamma, str) and gamma == "auto"):
        return gamma
    allowed = "'auto', a number above 0, or None"
    if isinstance(gamma, str):
        raise ValueError(f"{named('gamma', own)} must be {allowed}, got {gamma!r}")
    return check_real(named("gamma", own), gamma, allowed)


def preprocessing_of(
    given: dict[str, Any],
    own: Collection[str],
    usual: Mapping[str, str],
    gamma: float | str | None,
    *,
    narrow: bool,
    may_follow: bool,
) -> Preprocessing:
    """The preprocessing in the arguments, which are removed from ``given``.

    ``own``: names of the parameters of the algorithm; ``usual``: its defaults; ``gamma``: the
    result of ``gamma_of``; ``narrow``: whether rows are rounded to single precision, so that
    compact statistics may suffice. If ``may_follow``, the width adapts to scaled rows, unless
    ``gamma_rows`` is given. Raises TypeError or ValueError: names the argument, what was got and
    what is allowed.
    """
    rows_given = given.get("gamma_rows") is not None
    gamma_rows = _gamma_rows(given, gamma)
    max_norm = given.pop("clip_rows", None)
    scaler = _scaler(given, own, usual.get("scale"), narrow=narrow)
    follows = may_follow and gamma == "auto" and bool(scaler) and not rows_given
    return Preprocessing(
        **scaler,
        clip_rows=0.0 if max_norm is None else norm_number(max_norm),
        gamma_rows=0 if follows else gamma_rows,
        follows=follows,
    )


def _either(name: str, given: dict[str, Any], own: Collection[str]) -> Any:
    """The value of an argument, by its name or its alias.

    If the algorithm has a parameter of that name, only the alias refers to the argument.
    """
    value = given.pop(ALIASES[name], _NOT_GIVEN)
    if name not in own and name in given:
        if value is not _NOT_GIVEN:
            raise TypeError(f"give {name}= or {ALIASES[name]}=, not both: they mean the same")
        value = given.pop(name)
    return value


def _gamma_rows(given: dict[str, Any], gamma: float | str | None) -> int:
    """Rows that the kernel width is estimated from, 0 for none."""
    rows = given.pop("gamma_rows", None)
    if gamma != "auto":
        if rows is not None:
            raise TypeError("gamma_rows needs gamma='auto'")
        return 0
    return check_int("gamma_rows", GAMMA_ROWS if rows is None else rows, 2)


def _scaler(
    given: dict[str, Any], own: Collection[str], default: str | None, *, narrow: bool
) -> dict[str, Any]:
    """The fields of the record for its scaler."""
    scale = given.pop("scale", default)
    clip = _either("clip", given, own)
    window = given.pop("scale_window", None)
    freeze_after = given.pop("freeze_after", None)
    if scale is None:
        needs_scaler = {
            "scale_clip": None if clip is _NOT_GIVEN else clip,
            "scale_window": window,
            "freeze_after": freeze_after,
        }
        for name, value in needs_scaler.items():
            if value is not None:
                hint = ""
                if name == "scale_clip":
                    hint = " (clip_rows shortens rows, clip_coefficients bounds coefficients)"
                raise TypeError(f"{name} is an argument of the scaler and needs scale={hint}")
        return {}
    if not isinstance(scale, str) or scale not in INSIDE:
        known = ", ".join(map(repr, INSIDE))
        raise ValueError(f"scale must be one of {known} or None, got {scale!r}")
    if clip is None:
        raise ValueError(
            "scale_clip must be from 2 to 1e+06, got None: without it, the statistics would never"
            " recover from a glitch"
        )
    common = scale == "common"
    if common and window is not None:
        raise TypeError("scale_window does not apply to scale='common'")
    clip_value = (COMMON_CLIP if common else CLIP) if clip is _NOT_GIVEN else clip_number(clip)
    fields: dict[str, Any] = {
        "method": INSIDE[scale],
        "clip": clip_value,
        "window": 0 if common else window_number(window, clip_value),
    }
    if narrow and fits_compact(**fields):
        fields["method"] = COMPACT
    if freeze_after is not None:
        fields["freeze_after"] = check_int("freeze_after", freeze_after, 1, 2**53)
    return fields
