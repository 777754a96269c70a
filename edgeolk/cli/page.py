"""The page of algorithms, generated from the catalogue, the descriptions and the planner."""

from __future__ import annotations

from typing import Any

from edgeolk.configuration.config import Config, plan
from edgeolk.configuration.families import FAMILIES
from edgeolk.parts.descriptions import DESCRIPTIONS, LISTS, meaning
from edgeolk.parts.kernels import Gaussian
from edgeolk.parts.methods import Method, algorithms
from edgeolk.sorf.options import LIST_DEFAULTS, WIDTHS

Row = tuple[str, str, str, str]

#: Fixed values, for the formulas of bytes, of options whose defaults depend on the size.
FIXED: dict[str, Any] = {"relevance": False, "groups": 1, "drift": False}


def parameter_rows(method: Method) -> list[Row]:
    """(name, default, allowed, meaning) of every parameter of an algorithm."""
    rows = [
        (name, repr(next(iter(options))), " or ".join(map(repr, options)), meaning(name, options))
        for name, options in method.choices.items()
    ]
    letters = {name: alias for alias, name in method.aliases.items()}
    family = FAMILIES[method.family]
    for name in family.options_of(method):
        option = family.settings.table[name]
        default: Any = method.defaults.get(name, option.default)
        computed = f"from {_size(method)} and the others"
        shown = computed if callable(default) else _default_text(default)
        doc = f"{option.doc} (alias `{letters[name]}`)" if name in letters else option.doc
        rows.append((name, shown, option.allowed(), doc))
    return [*rows, *((name, _list_default(name), *LISTS[name]) for name in family.listed)]


def _default_text(default: Any) -> str:
    return repr(default) if isinstance(default, str) else str(default)


def _list_default(name: str) -> str:
    """The default of a parameter with several numbers."""
    if name in LIST_DEFAULTS:
        return _tuple_text(LIST_DEFAULTS[name])
    first, *more = (", ".join(map(_tuple_text, widths)) for widths in WIDTHS.values())
    return "; ".join([first, *(f"{n} groups: {text}" for n, text in enumerate(more, 2))])


def _tuple_text(numbers: tuple[float, ...]) -> str:
    return f"({', '.join(f'{number:g}' for number in numbers)})"


def _size(method: Method) -> str:
    """The name of a method's budget: its own name, or B."""
    return FAMILIES[method.family].members_of(method) or "B"


def _fixed(method: Method) -> dict[str, Any]:
    wanted = FAMILIES[method.family].options_of(method)
    return {name: value for name, value in FIXED.items() if name in wanted}


def bytes_formula(method: Method) -> str:
    """Bytes in B (or D) and d, computed by the planner: h + p d + q B + r B d + u B^2 + v d^2."""
    fixed = _fixed(method)

    def total(budget: int, d: int) -> int:
        plain: dict[str, Any] = {"kernel": Gaussian(1.0), "sparse": False, "lookahead": 0}
        return plan(method.name, n_features=d, budget=budget, **plain, **fixed).nbytes

    # All sizes are multiples of 64, so that padding does not affect the differences.
    b, d = 3200, 64
    square = (total(3 * b, d) - 2 * total(2 * b, d) + total(b, d)) / (2 * b * b)
    cross = (total(2 * b, 2 * d) - total(b, 2 * d) - total(2 * b, d) + total(b, d)) / (b * d)
    wide = (total(b, 3 * d) - 2 * total(b, 2 * d) + total(b, d)) / (2 * d * d)
    per_d = (total(b, 2 * d) - total(b, d)) / d - cross * b - 3 * wide * d
    per_b = (total(2 * b, d) - total(b, d)) / b - cross * d - 3 * square * b
    size = _size(method)
    terms = [(cross, f"{size} d"), (square, f"{size}^2"), (wide, "d^2"), (per_b, size)]
    terms.append((per_d, "d"))
    shown = [f"{value:.4g} {name}" for value, name in terms if value > 0.005]
    rest = total(b, d) - cross * b * d - square * b * b - wide * d * d - per_b * b - per_d * d
    return " + ".join([*shown, f"{rest:.0f}"])


def table() -> str:
    """The Markdown table of algorithms for docs/which-one.md."""
    lines = ["| name | what it does | source |", "|---|---|---|"]
    for row in algorithms():
        name = f"[`{row.name}`](algorithms.md#{anchor(row.name)})"
        lines.append(f"| {name} | {row.title} | {row.source} |")
    return "\n".join(lines)


def anchor(name: str) -> str:
    """The anchor of a section: Markdown drops the + and numbers equal headings."""
    return name.replace("++", "-1")


def cell(text: str) -> str:
    """Text escaped for the cell of a Markdown table."""
    return text.replace("|", r"\|")


def section(method: Method) -> str:
    """One method's section of the page."""
    text = DESCRIPTIONS[method.name]
    lines = [f"## {method.name}", "", text.about, "", f"**When.** {text.choose}", ""]
    if method.freezes:
        lines[-1:] = ["**When full.** It is frozen: examples are scored, nothing is learned.", ""]
    rows = parameter_rows(method)
    if method.preprocessing:
        rows_by_default = [f"`{name}={value!r}`" for name, value in method.preprocessing.items()]
        lines += [
            f"**Rows.** {' and '.join(rows_by_default)} by default, the latter without `kernel=`.",
            "",
        ]
    if rows:
        lines += ["| parameter | default | allowed | meaning |", "|---|---|---|---|"]
        lines += [f"| `{name}` | {' | '.join(map(cell, rest))} |" for name, *rest in rows]
        lines.append("")
    lines += [
        f"**Bytes** ({_conditions(method)}): {bytes_formula(method)}, rounded up by region.",
        f"**Step**: {text.cost}. **Source**: {method.source}.",
    ]
    return "\n".join(lines)


def _conditions(method: Method) -> str:
    """The conditions of the formula of bytes."""
    fixed = [f"`{name}={value}`" for name, value in _fixed(method).items()]
    dtype = Config(method.name, n_features=1, budget=64).dtype.name.lower()
    return ", ".join([dtype, *fixed, "defaults, Gaussian kernel"])


def page() -> str:
    """The text of the page."""
    head = [
        "# Algorithms",
        "",
        "Generated by `edgeolk list --page` from the table the library runs on. B is the budget,"
        " D the number of frequencies, d the number of inputs; a"
        " kernel row costs O(B d). Bytes are those of `sparse=False, lookahead=0`; a large ring has"
        " cached norms and lookahead rows in addition if these cost little.",
    ]
    return "\n".join(["\n".join(head), *("\n" + section(row) for row in algorithms())])
