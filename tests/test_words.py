"""Identifiers are the field's terms in plain English: none has a word of a private vocabulary."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

import edgeolk
import firmware_sim

#: What a newcomer would have to learn -> what to write.
INSTEAD = {
    "alike": "identical", "anew": "again", "apart": "separate, interval", "beside": "baseline",
    "folded": "sketched, merged", "guard": "ml_poly, floor", "leaver": "evicted",
    "looked": "prediction", "mended": "rebuilt", "mending": "rebuilding", "newcomer": "incoming",
    "oddities": "anomalies", "pace": "frequency_scale", "paces": "frequency_scales",
    "rises": "events, is_increasing", "said": "outputs, answers", "settle": "flush, sync",
    "suspicion": "outlier", "taught": "learned", "those": "the noun", "told": "outcome, result",
    "unlike": "mismatch", "waiting": "pending", "whole": "integer, intact, total",
}  # fmt: skip
#: Identifiers that keep such a word, and why.
KEPT = {
    "_GUARD": "the include guard of a C header",
    "beside_clean": "public: an argument of Replay.run",
    "in_waiting": "a property of pyserial's Serial",
    "learner_said": "public: a field of the JSON report",
    "n_waiting": "public: a property of Learner",
    "said": "public: a field of the JSON report",
    "waiting": "public: a field of the JSON report",
}
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
C_TEXT = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|' r"'(?:\\.|[^'\\\n])*'", re.DOTALL)
CYTHON_TEXT = re.compile(
    r'"""(?:\\.|[^\\])*?"""|#[^\n]*|"(?:\\.|[^"\\\n])*"|' r"'(?:\\.|[^'\\\n])*'", re.DOTALL
)


def identifiers(path: Path) -> Iterator[str]:
    """The identifiers in a file's code, without comments and strings."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.NAME:
                yield token.string
    else:
        without = C_TEXT if path.suffix in (".c", ".h") else CYTHON_TEXT
        yield from re.findall(r"[A-Za-z_]\w*", without.sub(" ", text))


def odd_words(identifier: str) -> set[str]:
    """The words of an identifier that are not to be used."""
    return {word.lower() for word in WORD.findall(identifier)} & {*INSTEAD}


@pytest.mark.parametrize(
    "identifier", ["_said", "EK_AT_waiting", "rowsTold", "PACE_OF", "whole_row", "RowApart"]
)
def test_odd_words_are_found(identifier: str) -> None:
    assert odd_words(identifier)
    assert not odd_words("incoming_row") | odd_words("wholesale") | odd_words("guarded")


@pytest.mark.parametrize("package", [edgeolk, firmware_sim], ids=lambda package: package.__name__)
def test_identifiers_are_plain_words(package: object) -> None:
    root = Path(str(package.__file__)).parent  # type: ignore[attr-defined]
    generated = {path.with_suffix(".c") for path in root.rglob("*.pyx")}
    seen, odd = 0, []
    for path in sorted({*root.rglob("*.[ch]"), *root.rglob("*.p*")} - generated):
        place = path.relative_to(root.parent).as_posix()
        if path.suffix in (".c", ".h", ".py", ".pyx", ".pxd"):
            seen += 1
            for name in sorted({*identifiers(path)} - {*KEPT}):
                odd += [f"{place}: {name}: write {INSTEAD[word]}" for word in odd_words(name)]
    assert seen > 100
    assert odd == []


def test_kept_identifiers_are_in_use() -> None:
    roots = [Path(str(package.__file__)).parent for package in (edgeolk, firmware_sim)]
    used = {name for root in roots for path in root.rglob("*.py") for name in identifiers(path)}
    assert {*KEPT} <= used
