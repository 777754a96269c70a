"""The commit that results are measured on, as pages say it."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
UNKNOWN = "an unknown commit"
#: In prose and in JSON.
_SAID = re.compile(
    r"measured[ _]on\W+(commit `[0-9a-f]+`(?: and changes to it)?|an unknown commit)", re.IGNORECASE
)


def git(*words: str) -> str:
    """What git says; empty where it cannot."""
    try:
        ran = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return ran.stdout.strip() if ran.returncode == 0 else ""


def here() -> str:
    """The commit of this tree, in words: "commit `4f1c…`", and whether something was changed."""
    commit = git("rev-parse", "--short=12", "HEAD")
    if not commit:
        return UNKNOWN
    made = (":!bench/results", ":!bench/papers/RESULTS.md", ":!bench/papers/figures")
    changed = git("status", "--porcelain", "--untracked-files=no", "--", ".", *made)
    return f"commit `{commit}`" + (" and changes to it" if changed else "")


def said(text: str) -> list[str]:
    """On what a page says its figures were measured; each once, in its order."""
    return list(dict.fromkeys(_SAID.findall(text))) or [UNKNOWN]
