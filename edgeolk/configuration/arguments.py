"""First step: what both families take from a caller's arguments.

Given options are checked, all others get their defaults. An invalid argument raises TypeError or
ValueError with its name, its value and what is allowed.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, NamedTuple

from edgeolk.checks import check_int
from edgeolk.configuration.settings import MAX_CLASSES, Settings
from edgeolk.errors import callers_level, suggest
from edgeolk.parts.kernels import Gaussian, Kernel
from edgeolk.parts.methods import METHODS, Method
from edgeolk.parts.option import Default, Option
from edgeolk.scaling.record import ARGUMENTS

#: The default budget of a feature basis, if ``ram=`` is not given.
DEFAULT_MEMBERS = 100

#: A budget -> its settings; raises ValueError if they are invalid.
Configure = Callable[[int], Settings]
#: A function that configures, and the budgets that it may have.
Choice = tuple[Configure, range]


class Choices(NamedTuple):
    """The ways to configure a learner; several if defaults follow ``ram``."""

    #: The budget, None if ``ram`` is given.
    budget: int | None
    #: Those that do not follow ``ram``: the one that takes the fewest bytes is the last resort.
    least: list[Choice]
    #: Those that are tried first.
    first: list[Choice]
    #: From the settings that fit, None if none do: those that are better, if they fit.
    instead: Callable[[Settings | None], list[Choice]] | None = None


@dataclass(frozen=True)
class Given:
    """The arguments of ``Config``."""

    #: The published algorithm, None for a composition.
    method: Method | None
    #: The arguments that every configuration has, by name.
    common: Mapping[str, Any]
    #: The others; readers of an argument remove it.
    params: dict[str, Any]
    #: Bytes, None if a budget is given.
    ram: int | None
    #: Names of further arguments that the caller may have meant.
    others: tuple[str, ...] = ()

    @property
    def own(self) -> str:
        """The algorithm, as messages name it."""
        return self.method.name if self.method else "this composition"

    @property
    def columns(self) -> int:
        """Columns of coefficients."""
        n_classes = self.common["n_classes"]
        return 1 if n_classes is None else check_int("n_classes", n_classes, 2, MAX_CLASSES)

    @property
    def seed(self) -> int:
        """Seed of the generator."""
        return check_int("seed", self.common["seed"], 0, 2**64 - 1)

    @property
    def flags(self) -> dict[str, bool]:
        """The flags of a configuration."""
        on_bad_row, checksums = self.common["on_bad_row"], self.common["checksums"]
        if on_bad_row not in ("raise", "skip"):
            raise ValueError(f"on_bad_row must be 'raise' or 'skip', got {on_bad_row!r}")
        if not isinstance(checksums, bool):
            raise TypeError(f"checksums must be True or False, got {checksums!r}")
        return {"skips_bad_rows": on_bad_row == "skip", "checksums": checksums}


def member_of(name: str, value: Any, kind: type[IntEnum]) -> IntEnum:
    """A storage type from a member, its name, or a type of that name such as ``np.float32``."""
    if isinstance(value, kind):
        return value
    type_name = getattr(value, "__name__", None) or str(value)
    if type_name.upper() in kind.__members__:
        return kind[type_name.upper()]
    known = ", ".join(member.name.lower() for member in kind)
    raise ValueError(f"{name} must be one of {known}, got {value!r}")


def chosen_of(method: Method, given: dict[str, Any]) -> dict[str, Any]:
    """The parts that the chosen options of an algorithm stand for.

    These arguments are removed from ``given``.
    """
    parts: dict[str, Any] = {}
    for name, options in method.choices.items():
        value = given.pop(name, next(iter(options)))
        if isinstance(value, IntEnum):
            value = value.name.lower()
        if not isinstance(value, str) or value not in options:
            known = ", ".join(repr(option) for option in options)
            others = [other.name for other in METHODS if value in [*other.choices.get(name, ())]]
            where = f"; {value!r} is an option of {', '.join(others)}" if others else ""
            raise ValueError(
                f"{name} must be one of {known} for {method.name}; got {value!r}{where}"
            )
        parts.update(options[value])
    return parts


def take_aliases(method: Method | None, given: dict[str, Any], *, kernel: bool) -> None:
    """Put arguments that were given by the letter of the algorithm's paper under their names.

    ``kernel``: whether a kernel is given. Without one, ``gamma`` may have been meant as its width:
    a warning. Raises TypeError: an argument is given by both.
    """
    if method is None:
        return
    for alias, name in method.aliases.items():
        # gamma="auto" can only mean the width of the kernel: an option is a number.
        if alias in given and not (isinstance(given[alias], str) and given[alias] == "auto"):
            if name in given:
                raise TypeError(f"give {name}= or {alias}=, not both: they mean the same")
            if alias == "gamma" and not kernel and "kernel_gamma" not in given:
                warnings.warn(
                    f"gamma={given[alias]!r} was taken as the {name}= of {method.name}, which its"
                    f" paper calls gamma; kernel_gamma={given[alias]!r} is the width of the kernel",
                    stacklevel=callers_level(),
                )
            given[name] = given.pop(alias)


def values_of(
    table: Mapping[str, Option],
    names: Collection[str],
    defaults: Mapping[str, Default],
    context: Mapping[str, float],
    given: Mapping[str, Any],
) -> dict[str, float]:
    """The numbers of options by name, in the order of ``names``.

    ``defaults`` replaces those of the table; ``context`` holds the sizes from which a default may
    be computed, named as in ``Option.default``.
    """
    # Given and constant values first, then those computed from them: the radius before the rates.
    computed: dict[str, Callable[[Mapping[str, float]], float]] = {}
    values: dict[str, float] = {}
    for name in names:
        option = table[name]
        default = defaults.get(name, option.default)
        absent = name not in given or (given[name] is None and option.none is None)
        if absent and callable(default):
            computed[name] = default
        else:
            values[name] = option.checked(name, given.get(name, default))
    for name in sorted(computed, key=lambda name: name != "U"):
        values[name] = float(computed[name]({**context, **values}))
    return {name: values[name] for name in names}


def refuse_unknown(
    given: Iterable[str],
    owner: str,
    allowed: Collection[str],
    known: Iterable[str],
    own: Collection[str] = (),
) -> None:
    """Raise TypeError for the first name in ``given`` that is not ``allowed``, with similar names.

    ``known`` are the names of other arguments; ``own`` those that the owner has already set.
    """
    unknown = next((name for name in given if name not in allowed), None)
    if unknown is not None:
        hint = ", which has its own"
        if unknown not in own:
            hint = suggest(unknown, [*allowed, *known, *own, *ARGUMENTS])
        there_are = ", ".join(allowed) or "none"
        raise TypeError(f"unknown parameter {unknown!r} for {owner}{hint}; there are {there_are}")


def kernel_of(kernel: Any, gamma: Any, width: float, n_inputs: int) -> Kernel:
    """The given kernel, or a Gaussian of the given width, or of ``width`` / ``n_inputs``.

    ``gamma`` comes from ``scaling.arguments.gamma_of``.
    """
    if isinstance(gamma, float):
        if kernel is not None:
            raise TypeError(
                f"give kernel= or gamma=, not both, got {kernel!r} and {gamma!r}; another"
                " kernel's width goes into it, as in kernel=ek.Laplacian(0.5)"
            )
        return Gaussian(gamma)
    if kernel is None:
        return Gaussian(width / n_inputs)
    if not isinstance(kernel, Kernel) or type(kernel) is Kernel:
        hint = ""
        if isinstance(kernel, str) and kernel.lower() in ("gaussian", "rbf"):
            hint = f"; {kernel!r} is ek.Gaussian(gamma)"
        raise TypeError(
            "kernel must be a kernel such as ek.Gaussian(0.5) or ek.Polynomial(3), got"
            f" {kernel!r}{hint}"
        )
    return kernel


def budget_of(
    alias: str, budget: int | None, ram: Any, given: dict[str, Any], default: int
) -> int | None:
    """The budget; None if ``ram`` is given instead.

    ``alias`` is a feature basis's own name for its budget ("" if it has none) and is removed from
    ``given``, the other arguments. ``default`` is the budget of such a basis if none is given.
    """
    if alias:
        members = given.pop(alias, None)
        if members is not None and budget is not None:
            raise TypeError(f"give {alias}= or budget=, not both: they mean the same here")
        budget = members if members is not None else budget
        if budget is None and ram is None:
            budget = default
    if (budget is None) == (ram is None):
        raise TypeError("give budget= or ram=, not both")
    return budget
