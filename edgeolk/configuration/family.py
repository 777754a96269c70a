"""What a family of learners is to the rest of the library: one record.

``ring/family.py`` and ``sorf/family.py`` have one each, ``configuration/families.py`` both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from edgeolk.configuration.arguments import Choices, Given
from edgeolk.configuration.regions import Kind
from edgeolk.configuration.settings import Settings
from edgeolk.parts.methods import Method


@dataclass(frozen=True, kw_only=True)
class FamilyTraits:
    """The row of a family."""

    #: Its record of a configuration, which has the table of options.
    settings: type[Settings]
    #: The axes whose members a file has.
    axes: tuple[str, ...]
    #: The regions of a block in their order.
    kinds: Mapping[str, Kind]
    #: Names of the regions that a configuration needs.
    needed: Callable[[Any], set[str]]
    #: From the arguments of ``Config`` to the ways to configure.
    configure: Callable[[Given], Choices]
    #: The arguments common to all learners that only this family has and that are not at their
    #: defaults; and the parameters, as a caller gives them.
    arguments: Callable[[Any], dict[str, Any]]
    parameters: Callable[[Any], dict[str, Any]]
    #: Names of all options that an algorithm may have, and its own name for the budget, "" for
    #: none.
    options_of: Callable[[Method], tuple[str, ...]]
    members_of: Callable[[Method], str]
    #: Names of the options with several numbers.
    listed: tuple[str, ...] = ()
    #: The lists that a file has: name -> number in files of the first of its 8 numbers.
    lists: Mapping[str, int] = field(default_factory=dict)
    #: Region -> the option, and its value, that files omit because the region implies it.
    implied: Mapping[str, tuple[str, float]] = field(default_factory=dict)
    #: The width of the kernel that files omit, times the number of inputs; 0: files have it.
    omitted_gamma: float = 0.0
    #: Regions with wide alignment in a block of more than 4 KiB; None: all.
    wide: tuple[str, ...] | None = None
