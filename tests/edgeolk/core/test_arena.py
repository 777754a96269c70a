"""Memory for a block: what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from edgeolk.core.arena import Arena


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"nbytes": 100, "boundary": 7}, "boundary must be 8, 16, 32 or 64, got 7"),
        ({"nbytes": 64, "boundary": 64}, "nbytes must be above 64, got 64"),
        ({"nbytes": 100, "buffer": bytearray(99)}, "buffer must hold 100 bytes, got 99"),
        ({"nbytes": 100, "buffer": bytearray(200), "mark": b"eolk"}, "holds no block"),
    ],
)
def test_what_no_block_can_be_in(arguments: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        Arena(**arguments)
