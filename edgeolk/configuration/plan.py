"""The memory plan of a model and its longest step, without building it."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from edgeolk.configuration.config import Config, settings_of
from edgeolk.configuration.layout import layout, region_table, total
from edgeolk.configuration.regions import Region
from edgeolk.configuration.settings import Settings
from edgeolk.parts import Algorithm

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from edgeolk.configuration.options import Options


@dataclass(frozen=True)
class Plan:
    """Memory of a model, to the byte; the model need not exist.

    Page: docs/reference.md.

    Attributes
    ----------
    algorithm : str
        Name of the algorithm, or "custom".
    n_features, budget : int
        Dimension d and the maximum number of support vectors, B; for a feature basis, the number
        of frequencies, D.
    dtype : str
        Storage type of the support vectors, or of the weights of structured features.
    regions : tuple of Region
        ``(name, offset, nbytes, purpose, element, shape)``, offsets from the start of the block.
        Scratch regions that are never in use together may overlap.
    nbytes : int
        Total, exactly what a learner takes.
    longest_step : str
        The cost of the longest step as a formula in B and d, and when it happens.
    coefficients : str
        Type of the coefficients.
    gamma_rows : int
        Rows from which the kernel width is computed; 0 if it is given or follows the rows.
    width_follows : bool
        Whether the kernel width follows the rows.
    """

    algorithm: str
    n_features: int
    budget: int
    dtype: str
    regions: tuple[Region, ...]
    nbytes: int
    longest_step: str
    coefficients: str = "float64"
    gamma_rows: int = 0
    width_follows: bool = False

    def __str__(self) -> str:
        title = f"{self.algorithm}: d = {self.n_features}, B = {self.budget}, {self.dtype}"
        if self.coefficients != "float64":
            title += f", coefficients {self.coefficients}"
        table = region_table(title, self.regions, self.nbytes)
        lines = [table, f"{'longest step':<18}  {self.longest_step}"]
        if not self.budget:
            lines.append(f"{'kernel':<18}  none: 32 frequencies do not fit")
        if self.gamma_rows:
            lines.append(f"{'kernel width':<18}  from the first {self.gamma_rows} rows")
        if self.width_follows:
            lines.append(f"{'kernel width':<18}  follows the rows")
        return "\n".join(lines)


#: A norm that is updated by increments is recomputed from time to time against rounding errors.
RENEWAL = "O(B^2 d), when the norm is recomputed"


def longest_step(config: Settings) -> str:
    """The longest step as a formula in B and d, and when it happens; K is the number of classes.

    For example ``"O(B^2 d + B^3), at a halving"``: what a loop with a deadline must allow for.
    """
    formula = config.basis.longest_step or config.policy.longest_step
    formula = formula.format(
        **{name: int(config.values.get(name, 0.0)) for name in ("iters", "hint_rows")}
    )
    if config.values.get("row_memory"):
        formula += f"; O(M d) for the M = {int(config.values['row_memory'])} rows of the memory"
    if config.columns > 1 and not config.update.is_sorf:
        formula = formula.replace("O(B d", "O(B d + B K")
    if config.tracks_norm and config.policy.removes and "B^2 d" not in formula:
        return RENEWAL if "^" not in formula and "exp" not in formula else f"{formula}; {RENEWAL}"
    return formula


def plan_of(config: Settings) -> Plan:
    """The plan of a checked configuration.

    Raises ValueError: the block would exceed what this machine can address.
    """
    regions = layout(config)
    nbytes = total(regions)
    if nbytes > sys.maxsize:
        raise ValueError(f"a model of {nbytes} bytes cannot be addressed; reduce budget")
    return Plan(
        config.name,
        config.n_features,
        config.budget,
        config.dtype.name.lower(),
        regions,
        nbytes,
        longest_step(config),
        config.coefficients.name.lower(),
        config.preprocessing.gamma_rows,
        config.preprocessing.follows,
    )


def plan(algorithm: Config | Algorithm | str | None = None, **options: Unpack[Options]) -> Plan:
    """Every region of a model with its bytes, without building it.

    Page: docs/reference.md.

    Parameters
    ----------
    algorithm : Config, str or Algorithm, optional
        A configuration, or a published algorithm; without it the recommended one, or a composition
        by ``update=``, ``loss=``, ``policy=``...
    **options
        As for ``Config``: ``n_features=``, ``budget=`` or ``ram=``, ``kernel=``, ... With ``ram=``
        the budget is the largest that fits.

    Returns
    -------
    Plan
        ``plan.nbytes`` is exactly ``Learner(...).nbytes``.

    Raises
    ------
    TypeError, ValueError
        As ``Learner`` would.
    """
    return plan_of(settings_of(algorithm, {**options}))
