"""What no test of ``make coverage`` reaches, and why: see ``support/covered.py``.

A gap is a text that occurs once in a file; it excuses its lines, their branches and the block under
them, and an empty text the whole file. A text that is covered, that is gone or that occurs twice is
an error. ``NOT_YET`` has, by file, the number of lines that never run or whose branches always go
one way, and that lack a test: no number may grow.
"""

from __future__ import annotations

from typing import NamedTuple


class Gap(NamedTuple):
    """A piece of a file, and why no test reaches its lines or a branch of them."""

    file: str
    why: str
    piece: str


def gaps(file: str, why: str, *pieces: str) -> list[Gap]:
    """Gaps of a file for the same reason."""
    return [Gap(file, why, piece) for piece in pieces]


SPARSE = "sorf learns rows as dense, so its rows never have indices: to be removed"
PROCESSOR = "asks which instructions this processor has: each machine gives one answer"
WINDOWS = "runs on Windows only, where make test-windows tests it"
CAPPED = "runs in a process that may not grow, where coverage.py cannot run"
TYPES = "types for editors, which no program imports"

GAPS = [
    *gaps("edgeolk/c/linear_group.h", SPARSE,
        "return OLK_INDEX(row) ? row->count : p->d;",
        "return OLK_INDEX(row) ? OLK_INDEX(row)[k] : k;",
    ),
    *gaps("edgeolk/c/relevance.h", SPARSE,
        "const ptrdiff_t count = OLK_INDEX(row) ? row->count : p->d;",
        "const ptrdiff_t i = OLK_INDEX(row) ? OLK_INDEX(row)[k] : k;",
        "const ptrdiff_t count = OLK_INDEX(x) ? x->count : p->d;",
        "if (k < count && (!OLK_INDEX(x) || OLK_INDEX(x)[k] == i)) {",
        "for (ptrdiff_t start = 0; !OLK_INDEX(row) && start < p->d; start += 32) {",
        "for (ptrdiff_t k = 0; OLK_INDEX(row) && k < row->count; k++) {",
    ),
    *gaps("edgeolk/c/row_memory.h", SPARSE,
        "if (!OLK_INDEX(r->row))",
        "else if (r->at < r->row->count && OLK_INDEX(r->row)[r->at] == i)",
    ),
    *gaps("edgeolk/c/novelty.h", SPARSE,
        "if (!OLK_INDEX(row))",
    ),
    *gaps("edgeolk/c/sorf_features.h", SPARSE,
        "const ptrdiff_t count = OLK_INDEX(row) ? row->count : p->d;",
        "static OLK_NOCLONE void olk_sketch_sparse(const olk_sorf *p, const olk_sorf_state *s,\n"
        "                                          uint64_t *generator, const olk_input *value,\n"
        "                                          const int32_t *index, ptrdiff_t count,"
        " olk_entry *v)\n{",
    ),
    *gaps("edgeolk/c/sorf_scores.h", SPARSE,
        "if (OLK_INDEX(row))\n",
        "if (m == 1 && !OLK_INDEX(row) && left >= MANY - MANY / 8) {",
        "if (!OLK_INDEX(row))\n",
    ),
    *gaps("edgeolk/c/sorf_unit.h", SPARSE,
        "if (!row->index)",
    ),
    *gaps("edgeolk/c/sorf_weights.h", SPARSE,
        "f += x[k] * wl[OLK_INDEX(row) ? OLK_INDEX(row)[k] : k];",
        "spread += x[k] * x[k] * Sl[OLK_INDEX(row) ? OLK_INDEX(row)[k] : k];",
        "const ptrdiff_t i = k == count ? p->d : (OLK_INDEX(row) ? OLK_INDEX(row)[k] : k);",
        "if (recompute && !OLK_INDEX(x))",
        "memset(q, 0, (size_t)(OLK_INDEX(x) ? x->count : p->d) * sizeof *q);",
    ),
    *gaps("edgeolk/c/processor.h", PROCESSOR,
        "if (!__get_cpuid(1,", "if (!__get_cpuid(0x80000001u,", "if (!__get_cpuid_count(7,",
        "if ((saved & YMM) != YMM)", "return (saved & ZMM) == ZMM",
    ),
    *gaps("edgeolk/files/windows.py", WINDOWS, ""),
    *gaps("edgeolk/files/__init__.py", WINDOWS, "from edgeolk.files import windows as system"),
    *gaps("edgeolk/configuration/options.py", TYPES, ""),
    *gaps("firmware_sim/containment/child.py", CAPPED, ""),
    *gaps("firmware_sim/containment/seccomp.py", CAPPED, ""),
]  # fmt: skip

NOT_YET: dict[str, int] = {}
