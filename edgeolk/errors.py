"""Errors that callers may want to distinguish, and suggestions for a misspelt name."""

from __future__ import annotations

import sys
from collections.abc import Iterable


class BadRowError(ValueError):
    """A reading that is not a number: not finite, beyond what storage or the kernel can hold.

    Page: docs/survival.md.

    Nothing of the row was learned. ``on_bad_row="skip"`` counts such rows and continues.
    """


class NewerFormatError(ValueError):
    """A file or a checkpoint in a format of a newer version of the library."""


class BudgetError(RuntimeError):
    """Nothing more can be learned: the ring is full and the policy rejects the example, or 2^62
    steps were counted; the example changed nothing.

    Page: docs/reference.md.
    """


#: What other libraries, or arguments, call things -> what they are called here, if there.
_ELSEWHERE = {
    "answer": "predict",
    "answer_one": "predict_one",
    "classes_": "names",
    "dim": "n_features",
    "fit": "learn_many",
    "inputs": "n_features",
    "load": "open",
    "memory_usage": "nbytes",
    "n_inputs": "n_features",
    "partial_fit": "learn_many",
    "ram": "nbytes",
    "random_state": "seed",
    "save": "write",
    "size": "nbytes",
    "task": "loss",
}
#: What other libraries have as methods of a learner -> what does it here.
_INSTEAD = {
    "dump": "save(path)",
    "export": "ek.export_c(learner, folder)",
    "export_c": "ek.export_c(learner, folder)",
    "load": "ek.load(path)",
    "reset": "ek.Learner(learner.config) for an untrained learner, or restart()",
    "score": "predict(X) and a metric of yours, or the mistakes it counts",
    "to_c": "ek.export_c(learner, folder)",
}


def unknown_attribute(holder: object, name: str, parameters: Iterable[str] = ()) -> AttributeError:
    """The error for an attribute that ``holder`` lacks, with similar names.

    parameters: keys of its ``parameters``.
    """
    kind = type(holder)
    message = f"{kind.__name__!r} object has no attribute {name!r}"
    if name in parameters:
        message += f": use parameters[{name!r}]"
    elif not name.startswith("_"):
        public = [known for known in dir(kind) if not known.startswith("_")]
        if name in _INSTEAD and "learn_one" in public and _ELSEWHERE.get(name) not in public:
            message += f": use {_INSTEAD[name]}"
        else:
            message += suggest(name, public)
    return AttributeError(message)


def suggest(given: object, known: Iterable[str]) -> str:
    """The end of a message, such as ``" (did you mean 'a' or 'b'?)"``, "" if no name is similar.

    Up to three of the ``known`` names, most similar first; case does not matter. What is known by
    another name elsewhere comes alone.
    """
    known = list(known)
    if _ELSEWHERE.get(str(given)) in known:
        return f" (did you mean {_ELSEWHERE[str(given)]!r}?)"
    # Imported here: only error messages need it.
    from difflib import get_close_matches

    names = {name.lower(): name for name in known}
    found = get_close_matches(str(given).lower(), names, n=3, cutoff=0.6)
    if not found:
        return ""
    return f" (did you mean {' or '.join(repr(names[name]) for name in found)}?)"


def callers_level() -> int:
    """The ``stacklevel`` of a warning that shows the line which called this package."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals["__name__"].startswith("edgeolk."):
        frame, level = frame.f_back, level + 1
    return level
