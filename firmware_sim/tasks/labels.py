"""From the class names of a stream to the labels of a learner."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Protocol

import numpy as np

from firmware_sim.errors import StreamError
from firmware_sim.plaintext import shortened
from firmware_sim.streams import Row
from firmware_sim.streams.block import Cells
from firmware_sim.streams.cells import MISSING_WORDS, NO, YES

# Different labels that are counted by name; a column with more is no label of classes.
_MOST_NAMED = 64
# Classes that are taken for such; numbers that are measured have more different values.
_MOST_CLASSES = 256
# A word for "missing" is told of from this many labels and this share of them: fewer are gaps.
_DOUBTFUL, _DOUBTFUL_SHARE = 10, 0.02
# Classes that a remedy names; of more it names the first.
_MOST_IN_REMEDY = 12


class Labels(Protocol):
    """What the cells of a target column mean."""

    def value(self, cell: str) -> float | None:
        """Return the label, or None where it is missing; StreamError where it is none."""


class Named:
    """How often each label occurred, and words that were taken for "no label".

    Such a word may be a class all the same.

    seen: how often each label occurred, by the names of the stream, for the first few names.
    cells: labels looked at, whatever they are.
    gone: how often each word for "no label" occurred, as first written.
    """

    def __init__(self) -> None:
        self.seen: dict[str, int] = {}
        self.cells = 0
        self.gone: dict[str, int] = {}
        self._spelt: dict[str | float, str] = {}

    def tally(self, cell: str, label: float | None, times: int) -> None:
        """Count a cell that `value` gave this label for.

        An empty one is no word, and a code nobody doubts.
        """
        self.cells += times
        name, key = cell.strip(), label_key(cell)
        if label is not None:
            if name in self.seen or len(self.seen) < _MOST_NAMED:
                self.seen[name] = self.seen.get(name, 0) + times
        elif key and key in MISSING_WORDS:
            name = self._spelt.setdefault(key, name)
            self.gone[name] = self.gone.get(name, 0) + times


class Targets:
    """Decode a target column of real numbers.

    missing_codes: numbers and words that mean "no value".
    """

    def __init__(self, missing_codes: Sequence[float | str] = ()) -> None:
        self._missing = _missing(missing_codes)
        self._codes = [code for code in self._missing if not isinstance(code, str)]
        # Words that are written as numbers are told from other spellings of the same.
        self._has_words = any(
            isinstance(code, str) and isinstance(label_key(code), float) for code in self._missing
        )

    def numbers(self, cells: Cells) -> Row | None:
        """Return what `value` says of the words, NaN for None; None where some are no numbers."""
        if self._has_words or (found := cells.floats) is None:
            return None
        return np.where(~np.isfinite(found) | np.isin(found, self._codes), np.nan, found)

    def value(self, cell: str) -> float | None:
        """Return the number, or None where it is missing.

        Raises StreamError: it is not a number.
        """
        text = cell.strip()
        if text.lower() in self._missing:
            return None
        try:
            value = float(text)
        except ValueError:
            try:
                value = float(text.replace(",", "."))
            except ValueError:
                raise StreamError(f"{shortened(text)} is not a number") from None
        return None if not math.isfinite(value) or value in self._missing else value


class ClassNames(Named):
    """Decode a target column of several classes.

    names: the classes in the order of their numbers, from 0. Numbers are compared as numbers.
    missing_codes: numbers and words that mean "no label", unless they are a class.
    """

    def __init__(self, names: Sequence[str], missing_codes: Sequence[float | str] = ()) -> None:
        self._places = {label_key(name): place for place, name in enumerate(names)}
        self._missing = _missing(missing_codes).difference(self._places)
        super().__init__()

    def value(self, cell: str) -> int | None:
        """Return the number of the class, or None where the label is missing.

        Raises StreamError: it is not one of the classes.
        """
        key = label_key(cell)
        place = self._places.get(key)
        if place is None and _small(key) not in self._missing:
            raise StreamError(
                f"label {shortened(cell.strip())} is not one of the {len(self._places)} classes: "
                "name all of them with --classes A,B,C"
            )
        return place

    @staticmethod
    def found(cells: Iterable[str], missing_codes: Sequence[float | str] = ()) -> tuple[str, ...]:
        """Return the classes that occur, in the order of numbers or else of words.

        Raises StreamError: there are more than 256, or fewer than two; or no cells at all.
        """
        names: dict[str | float, str] = {}
        gone, unsaid = _missing(missing_codes), Named()
        for cell in cells:
            key = label_key(cell)
            if _small(key) in gone:
                unsaid.tally(cell, None, 1)
            elif key not in names:
                names[key] = cell.strip()
                if len(names) > _MOST_CLASSES:
                    raise StreamError(
                        f"more than {_MOST_CLASSES} classes, such as {shortened(cell.strip())}: "
                        "real numbers are learned with --kind regression"
                    )
        if not (names or unsaid.cells):
            raise StreamError("there is no readable row after the header")
        if len(names) < 2:
            raise StreamError(_too_few([*names.values()], [*unsaid.gone]))
        numbers = all(isinstance(key, float) for key in names)
        order = sorted((float(key) if numbers else 0.0, name) for key, name in names.items())
        return tuple(name for _, name in order)


class LabelMap(Named):
    """Decode the cells of the target column.

    positive: the value that means +1; every other value then means -1. Numbers are compared as
        numbers, so ``"1"`` and ``"1.0"`` are the same label. Without it the stream must use 1 and
        -1, 1 and 0, or true and false, yes and no, on and off.
    missing_codes: numbers and words that mean "no label", unless they are a label that is
        understood.
    is_told: whether the learner is told the labels; those that only judge it are of two classes
        always.
    """

    def __init__(
        self,
        positive: str | None = None,
        missing_codes: Sequence[float | str] = (),
        *,
        is_told: bool = True,
    ) -> None:
        self._is_told = is_told
        self._missing = _missing(missing_codes)
        self._positive_key = None if positive is None else label_key(positive)
        self._negative_seen: float | None = None
        super().__init__()

    def value(self, cell: str) -> int | None:
        """Return +1 or -1, or None where the label is missing.

        Raises StreamError: the label is not understood. The message does not know the row: the
            caller adds it.
        """
        return self._decoded(label_key(cell), cell)

    def never(self, positive: str, column: str) -> str:
        """Return the sentence about a label that means +1 and never occurred."""
        common = sorted(self.seen.items(), key=lambda item: -item[1])[:6]
        listing = ", ".join(f"{shortened(name)} ({count:,})" for name, count in common)
        near = get_close_matches(positive.lower(), [name.lower() for name in self.seen], n=1)
        meant = next((name for name in self.seen if name.lower() in near), None)
        hint = f"; did you mean --positive {shlex.quote(meant)}?" if meant else ""
        return f"the label {positive!r} never occurs in column {column!r}: {listing}{hint}"

    def one_sided(self, used: int, positive: int) -> str:
        """Return the warning about labels that all mean the same, or nothing.

        used, positive: rows that were learned, and how many of their labels mean +1.
        """
        if used < 2 or positive not in (0, used):
            return ""
        names = ", ".join(map(shortened, self.seen))
        return (
            f"all {used:,} labels mean {'+1' if positive else '-1'} ({names}): "
            "there is nothing to tell apart, and the figures say nothing"
        )

    def _decoded(self, key: str | float, cell: str) -> int | None:
        if self._positive_key is not None and key == self._positive_key:
            return 1
        if self._positive_key is not None:
            return None if _small(key) in self._missing else -1
        if key == 1.0:
            return 1
        if key in (0.0, -1.0):
            # 1, 0 and -1 in one stream are three classes, and guessing which two belong
            # together would be silent and wrong half of the time.
            if self._negative_seen is None:
                self._negative_seen = float(key)
            elif key != self._negative_seen:
                raise StreamError(
                    "the labels 0 and -1 both occur: name the one that means +1 with --positive"
                )
            return -1
        if _small(key) in self._missing:
            return None
        if isinstance(key, str) and key.lower() in YES | NO:
            return 1 if key.lower() in YES else -1
        text = f"label {shortened(cell.strip())} is neither 1 nor -1 or 0: "
        text += "name the value that means "
        if not self._is_told:
            raise StreamError(
                f"{text}a labelled failure with --positive VALUE, or evaluate without labels: omit "
                "--target, and exclude this column with --ignore"
            )
        raise StreamError(
            f"{text}+1 with --positive VALUE, or learn several classes or real numbers: "
            "--kind multiclass, --kind regression"
        )


def doubt(labels: Labels, kind: str) -> str:
    """Return the warning about a word that is read as "no label" and may be a class, or nothing.

    A class may well be called "none". What is learned stays as it is; the warning says how the word
    becomes a class. Among labels that are numbers such a word is a gap, and not told of.

    labels: what has decoded the target column.
    kind: the kind of labels.
    """
    if not isinstance(labels, Named):
        return ""
    names = [name for name in labels.seen if isinstance(label_key(name), str)]
    least = max(_DOUBTFUL, _DOUBTFUL_SHARE * labels.cells)
    words = {word: count for word, count in labels.gone.items() if count >= least}
    if not names or not words:
        return ""
    said = " and ".join(f"{shortened(word)} ({count:,})" for word, count in words.items())
    text = f"of {labels.cells:,} labels these are read as missing: {said}; if that is a class, "
    if kind == "multiclass":
        return f"{text}name all classes: {_classes_option(names, [*words])}"
    text += "write another word for it in the stream"
    return (
        text
        if kind == "novelty"
        else f"{text}, or give --kind multiclass " + _classes_option(names, [*words])
    )


def _classes_option(names: list[str], words: list[str]) -> str:
    """Return the option that names these classes, the words first where there are many."""
    known = sorted({*names, *words})
    if len(known) > _MOST_IN_REMEDY or any("," in name for name in known):
        known = [*words, "..."]
    return "--classes " + shlex.quote(",".join(known))


def _too_few(names: list[str], words: list[str]) -> str:
    """Return the sentence about labels of fewer than two classes."""
    text = f"the labels hold {shortened(names[0])} alone" if names else "every label is missing"
    text += ": two classes are the least"
    if not words:
        return text
    said = " and ".join(map(shortened, words))
    text += f"; {said} {'is' if len(words) == 1 else 'are'} read as missing"
    return f"{text}; if that is a class: {_classes_option(names, words)}"


def _missing(codes: Sequence[float | str]) -> frozenset[float | str]:
    """Return the numbers, and the words in small letters, that mean "no label"."""
    return MISSING_WORDS.union(code.lower() if isinstance(code, str) else code for code in codes)


def _small(key: str | float) -> str | float:
    return key.lower() if isinstance(key, str) else key


def label_key(cell: str) -> str | float:
    """Return what two spellings of one label have in common."""
    text = cell.strip()
    try:
        number = float(text)
    except ValueError:
        return text.lower() if text.lower() in MISSING_WORDS else text
    return "nan" if math.isnan(number) else number
