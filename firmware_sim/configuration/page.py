"""The page of all options: ``python -m firmware_sim.configuration.page > docs/options.md``."""

from __future__ import annotations

from firmware_sim.configuration.fields import HEADINGS, OPTIONS

_HEAD = """# Options of a replay

Each is a field of `firmware_sim.ReplayConfig` too, by the name in the second column. The last
column says where it may be said: on the command line of `replay`, `compare`, `tune`, `record` or
`fleet`; in a `table` of the configurations of a [fleet](fleets.md); in a column of its `manifest`.
Written by `python -m firmware_sim.configuration.page` from `configuration/fields.py`.
"""
_PLACES = ("replay", "compare", "tune", "record", "fleet", "table", "manifest")


def page() -> str:
    """Return the page as Markdown, with a table for each heading of ``--help``."""
    lines = [_HEAD]
    for heading in HEADINGS:
        lines += [f"## {heading.capitalize()}", ""]
        lines += ["| option | field | default | what | where |", "|---|---|---|---|---|"]
        for name, one in OPTIONS.items():
            if one.group != heading:
                continue
            value = ", ".join(one.choices) or one.metavar or one.value.metavar
            where = ", ".join(place for place in _PLACES if place in one.where)
            flag = one.flags(name)[0]
            said = f"`{flag} {value}`" if value and not one.choices else f"`{flag}` {value}".strip()
            about = one.help + (f"; {one.value.range}" if one.value.range else "")
            cells = (said, f"`{name}`", one.shown_default, about, where)
            lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    print(page(), end="")
