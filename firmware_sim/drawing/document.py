"""A self-contained HTML page without scripts or network access; tables as HTML and text."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from firmware_sim.plaintext import printable

#: The style of every page, in the colours of the pictures.
_STYLE = """
:root{--ink:#222b36;--faint:#5d6875;--line:#dfe4ea;--learner:#0072b2;--first:#8c8c8c;
--second:#d55e00;--scaler:#009e73;--buffer:#e69f00;--warn:#b00020}
*{box-sizing:border-box}
body{margin:0 auto;max-width:60rem;padding:1rem;font:16px/1.45 system-ui,sans-serif;
color:var(--ink);background:#fff}
h1{font-size:1.5rem;margin:.2rem 0}h2{font-size:1.1rem;margin:1.6rem 0 .4rem}
p{margin:.4rem 0}.faint{color:var(--faint)}.warn{color:var(--warn);font-weight:600}
svg{width:100%;height:auto;display:block}
svg text{font-size:12px;fill:var(--faint)}
.grid{stroke:var(--line)}
polyline{fill:none}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;padding:0;margin:.3rem 0}
.legend svg{display:inline-block;width:1.3em;height:.9em;margin-right:.4em}
pre{background:#f4f6f8;padding:.6rem;overflow-x:auto;white-space:pre-wrap;
overflow-wrap:anywhere;font-size:.9rem}
.scroll{overflow-x:auto}ul{margin:.4rem 0;padding-left:1.1rem}
table{border-collapse:collapse;width:100%}
th,td{padding:.25rem .6rem;border-bottom:1px solid var(--line);text-align:right;white-space:nowrap}
th:first-child,td:first-child{text-align:left;padding-left:0}
td.said,th.said{white-space:normal;text-align:left}
.narrow{display:none}
@media(max-width:600px){.wide{display:none}.narrow{display:block}body{padding:.8rem}h1{font-size:1.2rem}
th,td{padding:.25rem .22rem;font-size:.8rem}th,td:first-child{white-space:normal}
th{vertical-align:bottom}
.stacked thead{display:none}
.stacked tr{display:block;padding:.3rem 0;border-bottom:1px solid var(--line)}
.stacked td{display:flex;justify-content:space-between;gap:1rem;border:0;padding:.1rem 0;
white-space:normal;overflow-wrap:anywhere}
.stacked td:first-child{font-weight:600}
.stacked td:not(:first-child)::before{content:attr(data-title);color:var(--faint)}}
"""


def document(title: str, style: str, summary: str, *parts: str, early: str = "") -> str:
    """Return the page, which starts with its title and the summary.

    style: additional style of this page.
    parts: HTML; empty parts are left out.
    early: why the report is incomplete; empty if it is complete.
    """
    head = (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "style-src 'unsafe-inline'; img-src data:\">"
        '<link rel="icon" href="data:,">'
        f"<title>{safe(title)}</title><style>{_STYLE}{style}</style></head><body>"
    )
    opening = (
        f"<h1>{safe(title)}</h1>",
        paragraph(early, "warn"),
        f'<p id="verdict">{safe(summary)}</p>',
    )
    return head + "\n".join(filter(None, [*opening, *parts])) + "\n</body></html>\n"


def safe(text: object) -> str:
    """Return text escaped for HTML, without control characters."""
    return html.escape(printable(str(text), keep="\n"))


def section(head: str, *parts: str) -> str:
    """Return parts under a heading; empty if all parts are."""
    return "\n".join([f"<h2>{safe(head)}</h2>", *filter(None, parts)]) if any(parts) else ""


def paragraph(text: str, kind: str = "") -> str:
    """Return a paragraph; empty for an empty text."""
    look = f' class="{kind}"' if kind else ""
    return f"<p{look}>{safe(text)}</p>" if text else ""


def lines_of(name: str, lines: Iterable[str]) -> str:
    """Return preformatted lines; empty if there are none."""
    text = "\n".join(lines)
    return f'<pre id="{name}">{safe(text)}</pre>' if text else ""


def drawn(table: Table, *, stacked: bool = False) -> str:
    """Return a table as HTML; columns of sentences are wrapped.

    stacked: on narrow screens, show each row as a list of titles and cells.
    """
    marks = [
        (' class="said"' if title in table.sentences else "")
        + (f' data-title="{safe(title)}"' if stacked else "")
        for title in table.head
    ]

    def line(tag: str, cells: Iterable[str]) -> str:
        each = (
            f"<{tag}{mark}>{safe(cell)}</{tag}>" for mark, cell in zip(marks, cells, strict=True)
        )
        return f"<tr>{''.join(each)}</tr>"

    body = "".join(line("td", row) for row in table.rows)
    kind = ' class="stacked"' if stacked else ""
    return (
        f'<div class="scroll"><table id="{table.name}"{kind}>'
        f"<thead>{line('th', table.head)}</thead><tbody>{body}</tbody></table></div>"
    )


@dataclass(frozen=True)
class Table:
    """A table of strings; the first column contains names."""

    name: str  # its identifier on an HTML page
    title: str  # its heading
    head: tuple[str, ...]  # the titles of the columns
    rows: Sequence[tuple[str, ...]]  # the cells
    #: titles of columns of sentences, which are aligned to the left
    sentences: tuple[str, ...] = ()

    def to_lines(self) -> list[str]:
        """Return the table as text, a line for each row."""
        lines = [self.head, *self.rows]
        widths = [max(len(row[i]) for row in lines) for i in range(len(self.head))]
        left = [i == 0 or title in self.sentences for i, title in enumerate(self.head)]
        return [
            "  ".join(
                cell.ljust(widths[i]) if left[i] else cell.rjust(widths[i])
                for i, cell in enumerate(row)
            ).rstrip()
            for row in lines
        ]
