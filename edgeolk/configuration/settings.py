"""The checked settings of a learner, as the library itself uses them; ``Config`` shows some."""

from __future__ import annotations

from edgeolk.catalogue.methods import find
from edgeolk.checks import check_int
from edgeolk.configuration.arguments import MOST_CLASSES, levels
from edgeolk.configuration.record import LOOKAHEAD, OPTIONS, Record
from edgeolk.configuration.spelling import options_said, parameters_said, spelt
from edgeolk.configuration.usual import MOST_AHEAD
from edgeolk.lean import Any
from edgeolk.parts.lists import lists_of
from edgeolk.parts.numbers import Algorithm
from edgeolk.parts.parameters import checked
from edgeolk.parts.refusals import refuse
from edgeolk.parts.table import uses


class Settings(Record):
    """A ``Record`` that can be checked, changed and said as the call that makes it."""

    def but(self, **changes: Any) -> Settings:
        """This configuration with other values in some fields, unchecked."""
        return Settings(**{**vars(self), **changes})

    def check(self) -> None:
        """Check a configuration whose parts are known, such as a file's.

        Raises ValueError: a number is out of range, or the parts contradict each other.
        """
        wanted = uses({axis: part for axis, part in self.parts.items() if axis != "dtype"})
        for name in wanted:
            if name not in self.values:
                raise ValueError(f"parameter {name} is missing")
            checked(name, self.values[name], name)
        for name, value in self.values.items():
            if name == LOOKAHEAD and self.can_look_ahead and value in range(1, MOST_AHEAD + 1):
                continue
            if name not in wanted and not (name in OPTIONS and value == 1.0):
                raise ValueError(f"parameter {name} is set but not used by the composition")
        check_int("n_features", self.n_features, 0 if self.forecasts else 1)
        check_int("budget", self.budget, 0 if self.forecasts else 1)
        check_int("columns", self.columns, 1, MOST_CLASSES)
        if self.update.lists:
            widths = [self.lists[name] for name in self.lists if name.startswith("widths")]
            given = (self.lists.get("blends"), self.lists.get("interval"))
            if lists_of(self.values, widths or None, *given) != self.lists:
                raise ValueError("a list of numbers is invalid")
        elif self.lists:
            raise ValueError("a list of numbers is set but not used by the composition")
        refuse(self)

    def with_levels(self, scale: list[float], offset: list[float]) -> Settings:
        """This configuration with the range that int8 levels of a block amount to."""
        if (scale, offset) == levels(None, self.n_features):
            return self
        low = tuple(zero - 128.0 * step for step, zero in zip(scale, offset, strict=True))
        high = tuple(zero + 127.0 * step for step, zero in zip(scale, offset, strict=True))
        return self.but(feature_range=(low, high))

    # ---- as a caller would say it -------------------------------------------------------------

    @property
    def name(self) -> str:
        """Public name of the algorithm, or "custom"."""
        return "custom" if self.member == Algorithm.CUSTOM else find(self.member).name

    @property
    def parameters(self) -> dict[str, Any]:
        """The algorithm's own parameters in force, by the names it is called with.

        ``Config(config.name, ..., **config.parameters)`` is the same configuration; a composition
        has its parts among them.
        """
        return parameters_said(self)

    @property
    def options(self) -> dict[str, Any]:
        """Every argument but the algorithm, those left at a plain default omitted."""
        return options_said(self)

    def call(self, name: str) -> str:
        """The call of ``name`` that makes this configuration, for ``import edgeolk as ek``."""
        first = [] if self.member == Algorithm.CUSTOM else [repr(self.name)]
        return f"{name}({', '.join([*first, *map(spelt, self.options.items())])})"

    def __repr__(self) -> str:
        return self.call("ek.Config")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Settings):
            return NotImplemented
        return (self.member, self.options) == (other.member, other.options)

    def __hash__(self) -> int:
        return hash((self.member, self.n_features, self.budget, self.seed))
