"""The facts about the machine that are needed to interpret timings."""

from __future__ import annotations

import os
import platform

import numpy as np

import edgeolk as ek

_ARCHITECTURES = {"x86_64": "x86-64", "AMD64": "x86-64", "aarch64": "AArch64", "arm64": "AArch64"}
_X86_VARIANTS = {"baseline": "SSE2", "v3": "AVX2 + FMA", "v4": "AVX-512"}


def architecture() -> str:
    """Name of the processor family."""
    return _ARCHITECTURES.get(platform.machine(), platform.machine())


def cores() -> int:
    """Cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def variant_title(name: str) -> str:
    """The title of an instruction-set variant."""
    if architecture() != "x86-64":
        return name
    return f"{name} ({_X86_VARIANTS[name]})" if name in _X86_VARIANTS else name


def facts() -> dict[str, str]:
    """Architecture, variant in use, cores and versions."""
    return {
        "architecture": architecture(),
        "variant": variant_title(ek.simd()),
        "cores": str(cores()),
        "python": ".".join(platform.python_version_tuple()[:2]),
        "numpy": ".".join(np.__version__.split(".")[:2]),
    }


def sentence() -> str:
    """The facts in one line."""
    f = facts()
    return (
        f"{f['architecture']}, variant {f['variant']}, {f['cores']} cores,"
        f" Python {f['python']}, numpy {f['numpy']}"
    )
