"""The machine and the commit that results are measured on, in the wording of the pages."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from pathlib import Path

import numpy as np

import edgeolk as ek

ROOT = Path(__file__).resolve().parent.parent
UNKNOWN = "an unknown commit"
CHANGED = " and changes to it"
#: What a benchmark writes: git's words for all other files.
CODE = (".", ":!bench/results", ":!bench/papers/RESULTS.md", ":!bench/papers/figures")
#: In prose and in JSON.
_MEASURED_ON = re.compile(
    r"measured[ _]on\W+(commit `[0-9a-f]+`(?: and changes to it)?|an unknown commit)", re.IGNORECASE
)
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


def git(*words: str) -> str:
    """The output of git; empty on failure."""
    try:
        done = subprocess.run(
            ["git", *words], cwd=ROOT, capture_output=True, text=True, check=False
        )
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def here() -> str:
    """The last commit that changed more than results, as text: "commit `4f1c…`"; and changes."""
    commit = git("log", "-1", "--abbrev=12", "--format=%h", "--", *CODE)
    if not commit:
        return UNKNOWN
    changed = git("status", "--porcelain", "--untracked-files=no", "--", *CODE)
    return f"commit `{commit}`" + (CHANGED if changed else "")


def commits_of(text: str) -> list[str]:
    """The commits on which a page's figures were measured, without duplicates."""
    return list(dict.fromkeys(_MEASURED_ON.findall(text))) or [UNKNOWN]
