"""The commit on which results are measured, in the wording of the pages."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
UNKNOWN = "an unknown commit"
#: In prose and in JSON.
_MEASURED_ON = re.compile(
    r"measured[ _]on\W+(commit `[0-9a-f]+`(?: and changes to it)?|an unknown commit)", re.IGNORECASE
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
    """The commit of this tree as text: "commit `4f1c…`", and whether there are changes."""
    commit = git("rev-parse", "--short=12", "HEAD")
    if not commit:
        return UNKNOWN
    results = (":!bench/results", ":!bench/papers/RESULTS.md", ":!bench/papers/figures")
    changed = git("status", "--porcelain", "--untracked-files=no", "--", ".", *results)
    return f"commit `{commit}`" + (" and changes to it" if changed else "")


def commits_of(text: str) -> list[str]:
    """The commits on which a page's figures were measured, without duplicates."""
    return list(dict.fromkeys(_MEASURED_ON.findall(text))) or [UNKNOWN]
