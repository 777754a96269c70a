"""The row of an option: a number of a learner that a caller gives by name.

Each family of learners has a table of them, ``ring/options.py`` and ``sorf/options.py``. The name
is the same in the signature, in the structs of C and in this table; a file has the number.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from edgeolk.checks import check_real

Context = Mapping[str, float]
Default = float | bool | str | None | Callable[[Context], float]


@dataclass(frozen=True)
class Option:
    """An option that a block stores as one number."""

    #: Its number in the files of its family: never reused.
    number: int
    #: A callable computes it from ``n_features``, ``budget``, ``ram`` (0 if not given), ``novelty``
    #: and ``float32`` (0 or 1), ``cramped`` (1 if not even the smallest budget fits with the other
    #: defaults: then none may follow ``ram``), the options that were given or have constant
    #: defaults, and U.
    default: Default
    #: Its meaning, in one line.
    doc: str
    #: The range; a square bracket includes an end, a parenthesis excludes it.
    span: str = "(0, inf)"
    #: The number stored for None; if it is None, callers may not give None.
    none: float | None = None
    #: Whether it is True or False.
    flag: bool = False
    #: Whether it is an integer.
    integer: bool = False
    #: What callers write for 0, 1, ...
    words: tuple[str | bool, ...] = ()
    #: Its value in files that omit it; None if all files have it.
    omitted: float | None = None
    #: Whether callers may give None for the default, and False for 0.
    switched: bool = False
    #: Whether the struct of a step has a member of this name.
    in_step: bool = True
    #: Regions that it needs if it is not 0; or regions by value.
    regions: tuple[str, ...] | Mapping[float, tuple[str, ...]] = ()

    @property
    def ends(self) -> tuple[float, float]:
        """The ends of the range."""
        low, high = self.span[1:-1].split(",")
        return float(low), float(high)

    @property
    def is_integral(self) -> bool:
        """Whether its number is an integer, also in C."""
        return self.flag or self.integer or bool(self.words)

    def holds(self, number: float) -> bool:
        """Whether a number is in the range."""
        low, high = self.ends
        above = number > low or (number == low and self.span[0] == "[")
        below = number < high or (number == high and self.span[-1] == "]")
        return math.isfinite(number) and above and below

    def regions_for(self, value: float) -> tuple[str, ...]:
        """Regions that it needs with this value."""
        if isinstance(self.regions, Mapping):
            return self.regions.get(value, ())
        return self.regions if value else ()

    def allowed(self) -> str:
        """The allowed values as text."""
        if self.flag:
            return "True or False"
        if self.words:
            return " or ".join(map(repr, self.words))
        words = "an integer" if self.integer else "a finite number"
        low, high = self.ends
        if not math.isinf(low):
            words += f" {'>' if self.span[0] == '(' else '>='} {low:g}"
        if not math.isinf(high):
            words += f" and {'<' if self.span[-1] == ')' else '<='} {high:g}"
        words += ", False" if self.switched else ""
        return words + (" or None" if self.switched or self.none is not None else "")

    def checked(self, name: str, value: Any) -> float:
        """Check a value given as ``name``; return the number to store.

        Raises TypeError, ValueError: with the name, what was got and what is allowed.
        """
        if value is None and self.none is not None:
            return self.none
        if value is False and self.switched:
            return 0.0
        if self.words:
            if isinstance(value, float) and value in range(len(self.words)):
                return value  # from a file
            if value in self.words:
                return float(self.words.index(value))
            raise ValueError(f"{name} must be {self.allowed()}, got {value!r}")
        if self.flag:
            if isinstance(value, (bool, int, float)):
                if value in (0, 1):
                    return float(value)
                raise ValueError(f"{name} must be True or False, got {value!r}")
            raise TypeError(f"{name} must be True or False, got {value!r}")
        number = check_real(name, value, self.allowed())
        if self.none is not None and number == self.none == value:
            return number
        if not self.holds(number) or (self.integer and number != math.floor(number)):
            raise ValueError(f"{name} must be {self.allowed()}, got {value!r}")
        return number

    def shown(self, number: float) -> float | int | bool | str | None:
        """A stored number as a caller would give it: the inverse of ``checked``."""
        if self.none is not None and number == self.none:
            return None
        if self.flag:
            return bool(number)
        if self.words:
            return self.words[int(number)]
        return int(number) if self.integer else number
