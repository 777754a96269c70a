"""Refusals: sentences that say why a configuration is invalid, and the rules of both families."""

from __future__ import annotations

from collections.abc import Mapping

from edgeolk.parts.numbers import Dtype, KernelKind
from edgeolk.parts.traits import Condition, Facts, Refusals, both, has

#: Rules of both families.
SHARED: Refusals = {
    "gamma='auto' needs a kernel with a width: Gaussian or Laplacian": (
        lambda c: (
            c.preprocessing.gamma_rows > 0
            and c.kernel.kind not in (KernelKind.GAUSSIAN, KernelKind.LAPLACIAN)
        )
    ),
    "float64 rows need statistics in float64": both(
        has(Dtype.FLOAT64), lambda c: c.preprocessing.compact
    ),
}


def refuse_by(config: Facts, refuses: Mapping[str, Condition]) -> None:
    """Raise ValueError with the first sentence whose condition holds."""
    # No `.items()`: CPython crashes if allocating the pair fails (test_out_of_memory).
    for sentence in refuses:
        if refuses[sentence](config):
            raise ValueError(_named(config, sentence))


def _named(config: Facts, sentence: str) -> str:
    """A sentence without the braces around names of options, and with the values of these."""
    names = [text.partition("}")[0] for text in sentence.split("{")[1:]]
    numbers: dict[str, float] = {**config.values, "budget": config.budget}
    values = []
    for name in dict.fromkeys(filter(numbers.__contains__, names)):
        value = config.budget if name == "budget" else config.table[name].shown(numbers[name])
        number = f"{value:g}" if isinstance(value, float) else repr(value)
        values.append(f"{name}={number}")
    text = sentence.format_map({name: name for name in names})
    return text + (f"; got {', '.join(values)}" if values else "")
