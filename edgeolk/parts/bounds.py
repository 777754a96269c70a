"""One row per projection (a bound on the function) and per kind of averaging."""

from __future__ import annotations

from dataclasses import dataclass

from edgeolk.parts.numbers import Averaging, Projection, Update
from edgeolk.parts.traits import Part, has, lacks


@dataclass(frozen=True, kw_only=True)
class ProjectionTraits(Part):
    """The row of a projection."""

    #: Function in ``core/bounds`` as "file.function", "" for none: ``bound(s, e)``.
    bound: str = ""
    #: Whether the bound is a radius U; an infinite one bounds nothing.
    radial: bool = False
    #: Whether it needs ||f||^2.
    needs_norm: bool = False


_CLIPS = {
    (
        "Projection.CLIP and Projection.SHRINK need Update.GRADIENT: the bound is clip_coefficients"
        " times eta"
    ): lacks(Update.GRADIENT),
}

PROJECTIONS: dict[Projection, ProjectionTraits] = {
    Projection.NONE: ProjectionTraits(),
    Projection.BALL: ProjectionTraits(
        bound="projection.clamp_to_ball", radial=True, needs_norm=True, parameters=("U",)
    ),
    Projection.COEFFICIENTS: ProjectionTraits(
        bound="projection.bound_coefficients",
        radial=True,
        parameters=("U",),
        regions=("diagonal",),
    ),
    Projection.CLIP: ProjectionTraits(
        bound="projection.clip_each", parameters=("clip_coefficients",), refuses=_CLIPS
    ),
    Projection.SHRINK: ProjectionTraits(
        bound="projection.shrink_all", parameters=("clip_coefficients",), refuses=_CLIPS
    ),
}

AVERAGINGS: dict[Averaging, Part] = {
    Averaging.NONE: Part(),
    Averaging.MEAN: Part(
        regions=("averaging", "mean_start", "mean_coefficients"),
        refuses={
            (
                "averaging needs a policy that never removes a support vector: the mean of the"
                " models would need the removed ones"
            ): (lambda c: c.policy.removes),
            "averaging cannot be combined with Projection.CLIP: it moves single coefficients": has(
                Projection.CLIP
            ),
        },
    ),
}
