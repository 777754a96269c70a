"""Narrower widths, and models side by side, for each task; and a rule by classes and bytes."""

from __future__ import annotations

from collections.abc import Mapping

from bench.bytes.ablations.tries import SIZES, STATES, Try, halves, of_settings, tolerant
from bench.bytes.grid import BINARY, KIB, REGRESSION
from bench.bytes.sets import SPECS

USUAL = "as it is"
SETTINGS: Mapping[str, Mapping[str, object]] = {
    USUAL: {},
    "{1, 3, 10}": {"widths": (1.0, 3.0, 10.0)},
    "{3, 10}": {"widths": (3.0, 10.0)},
    "{1, 3}": {"widths": (1.0, 3.0)},
    "{.3, 1, 3, 10}": {"widths": (0.3, 1.0, 3.0, 10.0)},
    "{.1, .3, 1}": {"widths": (0.1, 0.3, 1.0)},
    "2 groups": {"groups": 2},
    "3 groups": {"groups": 3},
}
#: Rules: from how many classes and bytes on, and what they take there.
RULES: Mapping[str, tuple[int, int, str]] = {
    "{1, 3, 10} from 10 classes": (10, 0, "{1, 3, 10}"),
    "{1, 3, 10} from 10 classes and 16 KiB": (10, 16 * KIB, "{1, 3, 10}"),
    "{1, 3, 10} from 20 classes and 16 KiB": (20, 16 * KIB, "{1, 3, 10}"),
    "{3, 10} from 20 classes and 16 KiB": (20, 16 * KIB, "{3, 10}"),
    "2 groups from 64 KiB": (0, 64 * KIB, "2 groups"),
}


def ruled(data: str, size: int, rule: str) -> float:
    """The error where a rule chooses the widths."""
    taken = USUAL
    if rule in RULES:
        classes, least, setting = RULES[rule]
        if SPECS[data].classes >= classes and size >= least:
            taken = setting
    return plain(data, size, taken)


plain = tolerant(of_settings(SETTINGS), USUAL)
TRIES = (
    *(
        Try(
            f"widths, {task}",
            "Multiples of gamma that the features are made for, instead of {.3, 1, 3}; groups are"
            " models side by side. Where groups do not fit, the usual.",
            tuple(SETTINGS),
            SIZES,
            *halves(sets),
            plain,
        )
        for task, sets in (
            ("several classes", STATES),
            ("two classes", BINARY),
            ("real targets", REGRESSION),
        )
    ),
    Try(
        "widths by a rule",
        "Several classes; widths from the number of classes and the bytes.",
        (USUAL, *RULES),
        SIZES,
        *halves(STATES),
        ruled,
    ),
)
