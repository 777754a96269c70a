"""Arguments that every configuration has, each checked on its own."""

from __future__ import annotations

from edgeolk.catalogue.methods import Method
from edgeolk.configuration.levels import Ends, ends, levels
from edgeolk.lean import Any
from edgeolk.parts.kernels import Gaussian, Kernel
from edgeolk.parts.numbers import Dtype
from edgeolk.parts.table import Parts

#: Columns of coefficients that a block can have.
MOST_CLASSES = 2**15
#: The budget of a basis of features where neither it nor ``ram=`` is given.
USUAL_MEMBERS = 100


def kernel_of(kernel: Any, gamma: Any, method: Method | None, n_features: int) -> Kernel:
    """The kernel given; for None a Gaussian, of the width given or of the algorithm's usual one.

    Parameters
    ----------
    kernel
        As given.
    gamma : float, "auto" or None
        As ``intake_arguments.gamma_of`` has it.
    method : Method or None
        The algorithm; None for a composition.
    n_features : int
        Dimension d.

    Raises
    ------
    TypeError, ValueError
        It is no kernel, or there is a width beside it, or a width out of range.
    """
    if isinstance(gamma, float):
        if kernel is not None:
            raise TypeError(
                f"give kernel= or gamma=, and not both, got {kernel!r} and {gamma!r}; another"
                " kernel's width goes into it, as in kernel=ek.Laplacian(0.5)"
            )
        return Gaussian(gamma)
    if kernel is None:
        return Gaussian((method.gamma if method else 1.0) / n_features)
    if not isinstance(kernel, Kernel) or type(kernel) is Kernel:
        raise TypeError(f"kernel must be an edgeolk kernel, got {type(kernel).__name__}")
    return kernel


def options_of(sparse: Any, on_bad_row: Any, checksums: Any) -> dict[str, float]:
    """The options that are on, as a block stores them; ``sparse`` is only checked.

    Raises
    ------
    TypeError, ValueError
        Names the argument, what was got and what is allowed.
    """
    if not (sparse is None or isinstance(sparse, bool)):
        raise TypeError(f"sparse must be True, False or None, got {sparse!r}")
    if on_bad_row not in ("raise", "skip"):
        raise ValueError(f"on_bad_row must be 'raise' or 'skip', got {on_bad_row!r}")
    if not isinstance(checksums, bool):
        raise TypeError(f"checksums must be True or False, got {checksums!r}")
    asked = {"skip_bad_rows": on_bad_row == "skip", "checksums": checksums}
    return {name: 1.0 for name, on in asked.items() if on}


def budget_of(
    alias: str, budget: int | None, ram: int | str | None, given: dict[str, Any]
) -> int | None:
    """The budget; None where ``ram`` is given in its place.

    Parameters
    ----------
    alias : str
        The name that a basis of features has for its budget, taken out of ``given``; "" for none.
    budget, ram
        As given.
    given : dict
        The other arguments of the caller.

    Raises
    ------
    TypeError
        Both are given, or neither, or the budget under two names.
    """
    if alias:
        members = given.pop(alias, None)
        if members is not None and budget is not None:
            raise TypeError(f"give {alias}= or budget=, which are the same here, and not both")
        budget = members if members is not None else budget
        if budget is None and ram is None:
            budget = USUAL_MEMBERS
    if (budget is None) == (ram is None):
        raise TypeError("give budget= or ram=, and not both")
    return budget


def range_of(feature_range: Any, parts: Parts, n_features: int) -> Ends | None:
    """The ends of the levels of int8 storage, checked; None where nothing is given.

    Raises
    ------
    TypeError, ValueError
        Names the argument, what was got and what is allowed.
    """
    if feature_range is None:
        return None
    if parts["dtype"] != Dtype.INT8:
        raise TypeError("feature_range is for dtype='int8' only")
    checked = ends(feature_range, n_features)
    levels(checked, n_features)
    return checked
