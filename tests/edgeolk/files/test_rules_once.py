"""Each rule of what a file may hold is written once: its bound and its sentence."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import edgeolk
from edgeolk.files.sentences import SENTENCES

ROOT = Path(edgeolk.__file__).parent
C_FOLDER = ROOT / "c"
RULES = sorted(C_FOLDER.glob("*holds.h"))
#: A bound by its name; its definition.
NAMED = re.compile(r"\b(?:olk_(?:max|min)|OLK_(?:MAX|MIN))_\w+")
DEFINED = re.compile(rf"({NAMED.pattern})\s*=?\s+\(?([\d.]+(?:e[+-]?\d+)?|INT64_C\(1\) << 62)")
NUMBER = re.compile(r"(?<![\w.])(?:\d+\.?\d*e[+-]?\d+|1 ?<< ?62|2 ?\*\* ?62)\b")
TEXT = re.compile(
    r'/\*.*?\*/|//[^\n]*|"""(?:\\.|[^\\])*?"""|#(?! *define)[^\n]*|"(?:\\.|[^"\\\n])*"', re.DOTALL
)
#: Bounds of ordinary size occur everywhere; of these, a second one could only be a copy.
FAR = 1e15
#: Files with such a number, and why it is not the bound.
KEPT = {
    "c/drift.h 1e30": "the largest mean square of a row that counts",
    "c/watch_statistics.h 1e15": "the largest reading of a stream that counts as present",
    "c/width.h 1e30": "the largest square of a row that counts",
    **dict.fromkeys(
        (f"c/ring_table.h {limit}" for limit in ("1e18", "1e60", "1e150")),
        "where a filter starts again, far below the bounds",
    ),
    "c/ring_table.h 1e-300": "the smallest ridge",
    **dict.fromkeys(
        (
            f"c/krls_auto{name}"
            for name in (".h 1e18", ".h 1e60", "_types.h 1e18", "_types.h 1e100", "_types.h 1e150")
        ),
        "where a filter starts again, far below the bounds",
    ),
    "c/ml_poly.h 1e-300": "the smallest divisor",
    "c/mixture.h 1e150": "the largest error whose square counts",
    "files/holds.pyx 1e18": "integers that a message shows as such",
    "c/sorf_row.h 1e30": "the largest sum of a row in single precision",
    "checkpointer.py 2**62": "the largest argument",
    "configuration/plan.py 2**62": "the largest argument",
    "parts/bases.py 1e150": "the largest argument",
    **dict.fromkeys(
        (f"parts/storage.py {limit}" for limit in ("1e30", "1e36", "1e100", "1e150", "1e250")),
        "limits by type of coefficients, which the rules get in their setup",
    ),
    **dict.fromkeys(("core/parts.pxd 1e+30", "core/parts.pxd 1e+100"), "generated from parts"),
    **dict.fromkeys(
        (f"ring/filters/range.pxd {limit}" for limit in ("1e150",)),
        "where a filter starts again, far below the bounds",
    ),
    "ring/policies/budgeted_pa.pxd 1e-300": "the smallest pivot",
    "ring/policies/halving.pxd 1e-300": "the smallest ridge",
    "ring/policies/lightest.pxd 1e-300": "the smallest ridge",
    "scaling/inside.py 2**62": "later than any row",
    "scaling/record.py 1e30": "the largest argument",
}


def value_of(text: str) -> float:
    """The value of a number in a source."""
    return 2.0**62 if "62" in text and "e" not in text else float(text)


def code_of(path: Path) -> str:
    """The code of a file, without comments and strings."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        tokens = tokenize.generate_tokens(io.StringIO(text).readline)
        skipped = (tokenize.STRING, tokenize.COMMENT)
        return " ".join(token.string for token in tokens if token.type not in skipped)
    return TEXT.sub(" ", text)


def bounds() -> dict[str, tuple[str, float]]:
    """The bounds that the rules name: the header that defines each, and its value."""
    used = {name for path in RULES for name in NAMED.findall(code_of(path))}
    return {
        name: (path.name, value_of(text.replace("INT64_C(1)", "1")))
        for path in sorted(C_FOLDER.glob("*.h"))
        for name, text in DEFINED.findall(code_of(path))
        if name in used
    }


def sources() -> Iterator[Path]:
    """All code but the rules, generated C and the reference."""
    for path in sorted(ROOT.rglob("*")):
        generated = path.with_suffix(".pyx").exists() and path.suffix == ".c"
        if path.suffix not in (".py", ".pyx", ".pxd", ".h", ".c") or generated:
            continue
        if path not in RULES and "reference" not in path.parts:
            yield path


def copies() -> Iterator[str]:
    """The files that have the number of a far bound, and the number."""
    far: dict[float, set[str]] = {}
    for header, value in bounds().values():
        if value >= FAR or value <= 1.0 / FAR:
            far.setdefault(value, set()).add(header)
    for path in sources():
        for text in NUMBER.findall(code_of(path)):
            if path.name not in far.get(value_of(text), {path.name}):
                yield f"{path.relative_to(ROOT).as_posix()} {text.replace(' ', '')}"


def test_bounds_are_found() -> None:
    found = bounds()
    assert len(found) > 20
    assert found["OLK_MAX_COUNT"] == ("setup.h", 2.0**62)
    assert found["olk_max_alpha"] == ("ring_holds.h", 1e150)


def test_a_bound_is_written_once() -> None:
    assert {*copies()} == KEPT.keys()


def test_only_rules_refuse_by_a_sentence() -> None:
    named = re.compile(rf"\bOLK_(?:{'|'.join(name for name, _ in SENTENCES)})\b")
    assert [path for path in sources() if named.search(code_of(path))] == []
    assert all(named.search(code_of(path)) for path in RULES)


def test_a_sentence_is_written_once() -> None:
    """What it says besides numbers, in the strings of any module."""
    texts = {path: path.read_text(encoding="utf-8") for path in sources() if path.suffix != ".h"}
    for _, sentence in SENTENCES:
        longest = max(re.split(r"\{\w+\}", sentence), key=len)
        if len(longest.split()) > 4:
            assert [path.name for path, text in texts.items() if longest in text] == [
                "sentences.py"
            ]
