"""Decoding of the target column: what the decoders of all kinds of labels share."""

from __future__ import annotations

import math
import shlex
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from firmware_sim.plaintext import shortened
from firmware_sim.streams import Row
from firmware_sim.streams.block import Cells
from firmware_sim.streams.cells import MISSING_WORDS

# Different labels that are counted by name; a column with more does not hold classes.
_MAX_NAMED = 64
# A word for "missing" is suspect from this many labels and this share of them on; fewer are gaps.
_MIN_SUSPECT, _MIN_SUSPECT_SHARE = 10, 0.02
# Most classes that a suggestion lists.
_MAX_IN_REMEDY = 12


class Labels(ABC):
    """A decoder of the cells of a target column."""

    @abstractmethod
    def value(self, cell: str) -> float | None:
        """Return the label, or None if it is missing; raises StreamError if it is invalid."""

    def numbers(self, cells: Cells) -> Row | None:
        """Return `value` of all words, NaN if missing; None if they are decoded one by one."""
        return None

    #: Whether cells are counted by `tally`.
    counts: ClassVar[bool] = False

    def tally(self, cell: str, label: float | None, times: int) -> None:
        """Count a cell that `value` decoded to this label."""
        raise NotImplementedError

    def warning(self) -> str:
        """Return the warning about a word that is read as "no label" but may be one; else empty."""
        return ""

    def never_message(self, positive: str, column: str) -> str:
        """Return the message for a label of +1 that never occurred; empty if there is none."""
        return ""


class LabelCounter(Labels):
    """Counts of labels, and of words that were read as "no label".

    Such a word may be a class after all.

    seen: how often each label occurred, by its name in the stream, for the first few names.
    cells: all cells, missing labels included.
    missing_words: how often each word for "no label" occurred, in its first spelling.
    """

    counts = True

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

    def remedy(self, option: str) -> str:
        """Return what makes such a word a class.

        option: the option that names all classes.
        """
        return "write another word for it in the stream"

    def warning(self) -> str:
        """Return the warning about a word that is read as "no label" but may be a class.

        A class may well be called "none". The warning does not change what is learned; it says how
        to make the word a class. Among numeric labels such a word is a gap, without a warning.
        """
        names = [name for name in self.seen if isinstance(label_key(name), str)]
        min_count = max(_MIN_SUSPECT, _MIN_SUSPECT_SHARE * self.cells)
        words = {word: count for word, count in self.missing_words.items() if count >= min_count}
        if not names or not words:
            return ""
        listing = " and ".join(f"{shortened(word)} ({count:,})" for word, count in words.items())
        return (
            f"of {self.cells:,} labels these are read as missing: {listing}; if that is a class, "
            + self.remedy(classes_option(names, [*words]))
        )


def classes_option(names: list[str], words: list[str]) -> str:
    """Return the option that names these classes; of many only the words."""
    known = sorted({*names, *words})
    if len(known) > _MAX_IN_REMEDY or any("," in name for name in known):
        known = [*words, "..."]
    return "--classes " + shlex.quote(",".join(known))


def missing_labels(codes: Sequence[float | str]) -> frozenset[float | str]:
    """Return the numbers and the lowercase words that mean "no label"."""
    return MISSING_WORDS.union(code.lower() if isinstance(code, str) else code for code in codes)


def lowercase(key: str | float) -> str | float:
    """Return the key, in lowercase if it is a word."""
    return key.lower() if isinstance(key, str) else key


def label_key(cell: str) -> str | float:
    """Return the same key for all spellings of one label."""
    text = cell.strip()
    try:
        number = float(text)
    except ValueError:
        return text.lower() if text.lower() in MISSING_WORDS else text
    return "nan" if math.isnan(number) else number
