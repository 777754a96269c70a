"""The signature, for ``help`` and editors, of a class that takes the arguments of ``Config``."""

from __future__ import annotations

from edgeolk.configuration.config import Config
from edgeolk.lean import Any


class Signature:
    """The signature of its class, with the arguments of ``Config`` in place of ``**options``.

    It is made when it is asked for: `inspect` takes memory that a learner on a board does without.
    """

    def __get__(self, instance: Any, owner: type) -> Any:
        import inspect

        own = list(inspect.signature(owner.__init__).parameters.values())[1:-1]  # type: ignore[misc]
        named = [one for one in own if one.kind is one.KEYWORD_ONLY]
        all_of_config = list(inspect.signature(Config.__init__).parameters.values())[2:]
        places = [one for one in own if one not in named]
        *common, last = all_of_config
        return inspect.Signature([*places, *common, *named, last])
