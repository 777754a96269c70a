"""Decoding of the target column: from the words of a stream to the labels of a learner."""

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

# Different labels that are counted by name; a column with more does not hold classes.
_MAX_NAMED = 64
# Most classes of a stream; a column of measurements has more different values.
_MAX_CLASSES = 256
# A word for "missing" is suspect from this many labels and this share of them on; fewer are gaps.
_MIN_SUSPECT, _MIN_SUSPECT_SHARE = 10, 0.02
# Most classes that a suggestion lists.
_MAX_IN_REMEDY = 12


class Labels(Protocol):
    """A decoder of the cells of a target column."""

    def value(self, cell: str) -> float | None:
        """Return the label, or None if it is missing; raises StreamError if it is invalid."""


class LabelCounter:
    """Counts of labels, and of words that were read as "no label".

    Such a word may be a class after all.

    seen: how often each label occurred, by its name in the stream, for the first few names.
    cells: all cells, missing labels included.
    missing_words: how often each word for "no label" occurred, in its first spelling.
    """

    def __init__(self) -> None:
        self.seen: dict[str, int] = {}
        self.cells = 0
        self.missing_words: dict[str, int] = {}
        self._spellings: dict[str | float, str] = {}

    def tally(self, cell: str, label: float | None, times: int) -> None:
        """Count a cell that `value` decoded to this label.

        Empty cells and codes are certainly missing labels: they are not counted as words.
        """
        self.cells += times
        name, key = cell.strip(), label_key(cell)
        if label is not None:
            if name in self.seen or len(self.seen) < _MAX_NAMED:
                self.seen[name] = self.seen.get(name, 0) + times
        elif key and key in MISSING_WORDS:
            name = self._spellings.setdefault(key, name)
            self.missing_words[name] = self.missing_words.get(name, 0) + times


class Targets:
    """Decode a target column of real numbers.

    missing_codes: numbers and words that mean "no value".
    """

    def __init__(self, missing_codes: Sequence[float | str] = ()) -> None:
        self._missing = _missing(missing_codes)
        self._codes = [code for code in self._missing if not isinstance(code, str)]
        # Codes given as words must match the spelling, even if they look like numbers.
        self._has_words = any(
            isinstance(code, str) and isinstance(label_key(code), float) for code in self._missing
        )

    def numbers(self, cells: Cells) -> Row | None:
        """Return `value` of all words, NaN if missing; None if some of them are not numbers."""
        if self._has_words or (found := cells.floats) is None:
            return None
        return np.where(~np.isfinite(found) | np.isin(found, self._codes), np.nan, found)

    def value(self, cell: str) -> float | None:
        """Return the number, or None if it is missing.

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


class ClassNames(LabelCounter):
    """Decode a target column of several classes.

    names: the classes in the order of their numbers, from 0. Numbers are compared as numbers.
    missing_codes: numbers and words that mean "no label", unless they are a class.
    """

    def __init__(self, names: Sequence[str], missing_codes: Sequence[float | str] = ()) -> None:
        self._places = {label_key(name): place for place, name in enumerate(names)}
        self._missing = _missing(missing_codes).difference(self._places)
        super().__init__()

    def value(self, cell: str) -> int | None:
        """Return the number of the class, or None if the label is missing.

        Raises StreamError: it is not one of the classes.
        """
        key = label_key(cell)
        place = self._places.get(key)
        if place is None and _lower(key) not in self._missing:
            raise StreamError(
                f"label {shortened(cell.strip())} is not one of the {len(self._places)} classes: "
                "name all of them with --classes A,B,C"
            )
        return place

    @staticmethod
    def found(cells: Iterable[str], missing_codes: Sequence[float | str] = ()) -> tuple[str, ...]:
        """Return the classes that occur, sorted as numbers if all are, else as words.

        Raises StreamError: there are more than 256 or fewer than two classes, or no cells.
        """
        names: dict[str | float, str] = {}
        missing_words, counter = _missing(missing_codes), LabelCounter()
        for cell in cells:
            key = label_key(cell)
            if _lower(key) in missing_words:
                counter.tally(cell, None, 1)
            elif key not in names:
                names[key] = cell.strip()
                if len(names) > _MAX_CLASSES:
                    raise StreamError(
                        f"more than {_MAX_CLASSES} classes, such as {shortened(cell.strip())}: "
                        "real numbers are learned with --kind regression"
                    )
        if not (names or counter.cells):
            raise StreamError("there is no readable row after the header")
        if len(names) < 2:
            raise StreamError(_too_few([*names.values()], [*counter.missing_words]))
        numbers = all(isinstance(key, float) for key in names)
        order = sorted((float(key) if numbers else 0.0, name) for key, name in names.items())
        return tuple(name for _, name in order)


class LabelMap(LabelCounter):
    """Decode the cells of the target column.

    positive: the value that means +1; every other value then means -1. Numbers are compared as
        numbers, so ``"1"`` and ``"1.0"`` are the same label. Without it the stream must use 1 and
        -1, 1 and 0, or true and false, yes and no, on and off.
    missing_codes: numbers and words that mean "no label", unless they are a label that is
        understood.
    is_supervised: whether the learner receives the labels; labels that only evaluate it always have
        two classes.
    """

    def __init__(
        self,
        positive: str | None = None,
        missing_codes: Sequence[float | str] = (),
        *,
        is_supervised: bool = True,
    ) -> None:
        self._is_supervised = is_supervised
        self._missing = _missing(missing_codes)
        self._positive_key = None if positive is None else label_key(positive)
        self._negative_seen: float | None = None
        super().__init__()

    def value(self, cell: str) -> int | None:
        """Return +1 or -1, or None if the label is missing.

        Raises StreamError: the label is not understood; the caller adds the row to the message.
        """
        return self._decoded(label_key(cell), cell)

    def never_message(self, positive: str, column: str) -> str:
        """Return the message for a positive label that never occurred."""
        common = sorted(self.seen.items(), key=lambda item: -item[1])[:6]
        listing = ", ".join(f"{shortened(name)} ({count:,})" for name, count in common)
        similar = get_close_matches(positive.lower(), [name.lower() for name in self.seen], n=1)
        suggestion = next((name for name in self.seen if name.lower() in similar), None)
        hint = f"; did you mean --positive {shlex.quote(suggestion)}?" if suggestion else ""
        return f"the label {positive!r} never occurs in column {column!r}: {listing}{hint}"

    def one_sided_warning(self, used: int, positive: int) -> str:
        """Return the warning about labels that all mean the same; empty if they do not.

        used, positive: number of learned rows, and of those with a label of +1.
        """
        if used < 2 or positive not in (0, used):
            return ""
        names = ", ".join(map(shortened, self.seen))
        return (
            f"all {used:,} labels mean {'+1' if positive else '-1'} ({names}): "
            "there is nothing to learn, and the figures are meaningless"
        )

    def _decoded(self, key: str | float, cell: str) -> int | None:
        if self._positive_key is not None and key == self._positive_key:
            return 1
        if self._positive_key is not None:
            return None if _lower(key) in self._missing else -1
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
        if _lower(key) in self._missing:
            return None
        if isinstance(key, str) and key.lower() in YES | NO:
            return 1 if key.lower() in YES else -1
        text = f"label {shortened(cell.strip())} is neither 1 nor -1 or 0: "
        text += "name the value that means "
        if not self._is_supervised:
            raise StreamError(
                f"{text}a labelled failure with --positive VALUE, or evaluate without labels: omit "
                "--target, and exclude this column with --ignore"
            )
        raise StreamError(
            f"{text}+1 with --positive VALUE, or learn several classes or real numbers: "
            "--kind multiclass, --kind regression"
        )


def missing_word_warning(labels: Labels, kind: str) -> str:
    """Return the warning about a word that is read as "no label" but may be a class; else empty.

    A class may well be called "none". The warning does not change what is learned; it says how to
    make the word a class. Among numeric labels such a word is a gap, without a warning.

    labels: the decoder of the target column, after use.
    kind: the kind of labels.
    """
    if not isinstance(labels, LabelCounter):
        return ""
    names = [name for name in labels.seen if isinstance(label_key(name), str)]
    min_count = max(_MIN_SUSPECT, _MIN_SUSPECT_SHARE * labels.cells)
    words = {word: count for word, count in labels.missing_words.items() if count >= min_count}
    if not names or not words:
        return ""
    listing = " and ".join(f"{shortened(word)} ({count:,})" for word, count in words.items())
    text = f"of {labels.cells:,} labels these are read as missing: {listing}; if that is a class, "
    if kind == "multiclass":
        return f"{text}name all classes: {_classes_option(names, [*words])}"
    text += "write another word for it in the stream"
    return (
        text
        if kind == "novelty"
        else f"{text}, or give --kind multiclass " + _classes_option(names, [*words])
    )


def _classes_option(names: list[str], words: list[str]) -> str:
    """Return the option that names these classes; of many only the words."""
    known = sorted({*names, *words})
    if len(known) > _MAX_IN_REMEDY or any("," in name for name in known):
        known = [*words, "..."]
    return "--classes " + shlex.quote(",".join(known))


def _too_few(names: list[str], words: list[str]) -> str:
    """Return the message for labels of fewer than two classes."""
    text = f"the labels hold {shortened(names[0])} alone" if names else "every label is missing"
    text += ": two classes are the least"
    if not words:
        return text
    listing = " and ".join(map(shortened, words))
    text += f"; {listing} {'is' if len(words) == 1 else 'are'} read as missing"
    return f"{text}; if that is a class: {_classes_option(names, words)}"


def _missing(codes: Sequence[float | str]) -> frozenset[float | str]:
    """Return the numbers and the lowercase words that mean "no label"."""
    return MISSING_WORDS.union(code.lower() if isinstance(code, str) else code for code in codes)


def _lower(key: str | float) -> str | float:
    return key.lower() if isinstance(key, str) else key


def label_key(cell: str) -> str | float:
    """Return the same key for all spellings of one label."""
    text = cell.strip()
    try:
        number = float(text)
    except ValueError:
        return text.lower() if text.lower() in MISSING_WORDS else text
    return "nan" if math.isnan(number) else number
