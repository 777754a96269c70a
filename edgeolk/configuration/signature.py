"""The signature, for ``help`` and editors, of a class that takes the arguments of ``Config``."""

from __future__ import annotations

from typing import Any

from edgeolk.configuration.config import Config


class Signature:
    """A descriptor: the signature of its class, with ``Config``'s arguments for ``**options``.

    It is built on access: `inspect` takes memory that a learner on a board does not need.
    """

    def __get__(self, instance: Any, owner: type) -> Any:
        import inspect

        own = list(inspect.signature(owner.__init__).parameters.values())[1:-1]  # type: ignore[misc]
        keyword_only = [parameter for parameter in own if parameter.kind is parameter.KEYWORD_ONLY]
        all_of_config = list(inspect.signature(Config.__init__).parameters.values())[2:]
        positional = [parameter for parameter in own if parameter not in keyword_only]
        *common, last = all_of_config
        return inspect.Signature([*positional, *common, *keyword_only, last])
