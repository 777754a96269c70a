"""What a model file holds, whatever its version: the one result of all readers."""

from __future__ import annotations

from edgeolk.configuration.intake import Intake
from edgeolk.lean import dataclass, field


@dataclass(frozen=True)
class Stored:
    """A model as a file holds it, in the meaning of today.

    Readers check what sizes and indices follow from; ranges of parameters and whether the parts
    make a learner are for whoever builds one.

    Attributes
    ----------
    version : int
        Format version of the file.
    algorithm : int
        Number in ``Algorithm``.
    n_features, budget : int
        Dimension d and budget B.
    seed : int
        Seed of the generator.
    choices : dict
        Axis ("dtype", "update", "loss", ...) to the number of the part chosen.
    parameters : dict
        Stored name to value, those that the parts have.
    kernel : tuple
        Kind, degree, gamma, scale, offset.
    words : dict
        State outside the regions: counters, generator state, common scale, norm.
    regions : dict
        State regions only, name to (element type, stride, bytes): one of ``struct``'s d, f, e, b, q
        and i; elements from one row of the region to the next, 0 where there is one row; the bytes
        without padding at the end, little-endian.
    columns : int
        Columns of coefficients or weights.
    lists : dict
        Parameters that are several numbers.
    intake : Intake
        What is done with a row before the learner sees it.
    """

    version: int
    algorithm: int
    n_features: int
    budget: int
    seed: int
    choices: dict[str, int]
    parameters: dict[str, float]
    kernel: tuple[int, int, float, float, float]
    words: dict[str, int | float]
    regions: dict[str, tuple[str, int, memoryview]]
    columns: int = 1
    lists: dict[str, tuple[float, ...]] = field(default_factory=dict)
    intake: Intake = field(default_factory=Intake)
