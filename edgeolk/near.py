"""What somebody may have meant by a name that there is not."""

from __future__ import annotations

from collections.abc import Iterable


def near(given: object, known: Iterable[str]) -> str:
    """``" (did you mean 'a' or 'b'?)"``, nearest first; empty where nothing is near.

    Parameters
    ----------
    given : object
        What was given; upper and lower case are alike.
    known : iterable of str
        The names there are.
    """
    from difflib import get_close_matches  # only where something went wrong

    names = {name.lower(): name for name in known}
    found = get_close_matches(str(given).lower(), names, n=3, cutoff=0.6)
    if not found:
        return ""
    return f" (did you mean {' or '.join(repr(names[name]) for name in found)}?)"
