"""Writes names.md, the index of every public name: python docs/names.py."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any

PAGE = Path(__file__).with_name("names.md")
PACKAGES = ("edgeolk", "edgeolk.sklearn", "edgeolk.river", "edgeolk.bare", "firmware_sim")
#: Names of packages that have no ``__all__``, and of what public functions return.
MORE = {"edgeolk": ("named.NamedLearner",), "edgeolk.bare": ("BareLearner",)}
#: What a learner lacks if it was made without an option, or is of another kind.
_REFUSALS = re.compile(
    r"^(?:\w+, )*(?:AttributeError(?:, \w+)*|ValueError(?=\n    The learner was made))\n"
    r"(?P<when>(?:    .*\n?)+)",
    re.MULTILINE,
)
HEAD = """# Every public name

What each is, in one sentence; `help(name)` has the rest, and so has
[the reference](reference.md). Functions and methods have `()`, classes and properties have not.
*Refused* says which objects lack a name. `python docs/names.py` writes this page from the
docstrings.
"""


def _words(thing: Any) -> str:
    """The first paragraph of a docstring, in one line of Markdown."""
    text = (inspect.getdoc(thing) or "").split("\n\n")
    # Compiled functions begin with their signature.
    first = text[1] if re.fullmatch(r"[\w.]+\(.*\)( ->.*)?", text[0]) and len(text) > 1 else text[0]
    return _markdown(first)


def _markdown(text: str) -> str:
    """A text in one line of Markdown."""
    return " ".join(text.split()).replace("``", "`").replace("|", "\\|")


def _refusals(thing: Any) -> str:
    """When an object does not have a member, as its docstring says it under Raises."""
    found = _REFUSALS.search(inspect.getdoc(thing) or "")
    return f" *Refused: {_markdown(found['when'])}*" if found else ""


def _page(thing: Any) -> str:
    """The page that a docstring names, as a link."""
    found = re.search(r"^Pages?: docs/([\w-]+\.md)", inspect.getdoc(thing) or "", re.MULTILINE)
    return f"[{found[1].removesuffix('.md')}]({found[1]})" if found else ""


def _members(kind: type, listed: set[Any]) -> Iterator[tuple[str, Any]]:
    """The public methods and properties of a class that are the library's own.

    listed: classes whose members have lines of their own, which subclasses do not repeat.
    """
    above = {base for one in listed if one in kind.__mro__ for base in one.__mro__}
    for name in sorted(name for name in dir(kind) if not name.startswith("_")):
        owner = next(base for base in kind.__mro__ if name in vars(base) or base is object)
        thing = inspect.getattr_static(kind, name)
        if owner.__module__.split(".")[0] not in ("edgeolk", "firmware_sim") or owner in above:
            continue
        # Scikit-learn's methods that request metadata describe themselves only on an instance.
        if re.fullmatch(r"set_\w+_request", name) or not inspect.getdoc(thing):
            continue
        if (inspect.getdoc(thing) or "").startswith("Alias for field number"):
            continue  # a namedtuple's, which the docstring of its class describes
        if isinstance(thing, (classmethod, staticmethod)):
            thing = thing.__func__
            yield name, thing
        elif callable(thing) or hasattr(thing, "__get__"):
            yield name, getattr(kind, name) if callable(thing) else thing


def rows(package: str) -> Iterator[str]:
    """The lines of the table of a package."""
    module = importlib.import_module(package)
    found: dict[str, Any] = {name: getattr(module, name) for name in getattr(module, "__all__", ())}
    for path in MORE.get(package, ()):
        place, _, name = f"{package}.{path}".rpartition(".")
        found[path] = getattr(importlib.import_module(place), name)
    for name in sorted(found, key=str.lower):
        thing = found[name]
        call = "()" * (callable(thing) and not inspect.isclass(thing))
        yield f"| `{name}{call}` | {_words(thing)} | {_page(thing)} |"
        is_plain = inspect.isclass(thing) and not issubclass(thing, (Enum, Exception))
        listed = {*found.values()} - {thing, None if name != "Learner" else found["Scorer"]}
        for member, what in _members(thing, listed) if is_plain else ():
            call = "()" * callable(getattr(thing, member))
            yield f"| `{name}.{member}{call}` | {_words(what)}{_refusals(what)} | |"


def text() -> str:
    """The page."""
    parts = [HEAD]
    for package in PACKAGES:
        parts.append(f"\n## {package}\n\n| name | what it is | page |\n|---|---|---|\n")
        parts.append("\n".join(rows(package)) + "\n")
    return "".join(parts)


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
