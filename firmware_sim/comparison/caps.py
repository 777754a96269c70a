"""Caps as people write them."""

from __future__ import annotations


def written(ram: int) -> str:
    """Return a cap in KiB where it is a whole number of them, else in bytes."""
    return f"{ram // 1024}KiB" if ram % 1024 == 0 else f"{ram}B"
