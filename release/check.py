"""Whether this commit can be released: ``python -m release.check``.

Checks what is easily forgotten, in seconds; the tests and the wheels are separate steps
(docs/releasing.md). Exits with 1 and prints a line for each missing item.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import edgeolk
from bench import older
from bench.machine import git
from release import record

ROOT = Path(__file__).parent.parent


def missing(version: str) -> list[str]:
    """Return what a release of a version still lacks, one sentence each."""
    found = []
    if git("status", "--porcelain"):
        found.append("the work tree has changes that are not committed")
    if f"v{version}" in git("tag", "--list").split():
        found.append(f"v{version} is tagged already: raise __version__ in edgeolk/version.py")
    if "OWNER" in (ROOT / "pyproject.toml").read_text():
        found.append("pyproject.toml has the placeholder OWNER: docs/releasing.md, step 1")
    citation = (ROOT / "CITATION.cff").read_text()
    if f"\nversion: {version}\n" not in citation:
        found.append(f"CITATION.cff does not name version {version}")
    changes = (ROOT / "CHANGELOG.md").read_text()
    heading = re.search(rf"^## {re.escape(version)}\b(.*)$", changes, re.MULTILINE)
    if heading is None:
        found.append(f"CHANGELOG.md has no section {version}")
    elif "unreleased" in heading[1]:
        found.append(f"CHANGELOG.md still calls {version} unreleased")
    elif heading[1].strip(" ()") not in citation:
        found.append(f"CITATION.cff has another date-released than CHANGELOG.md: {heading[1]}")
    found += [
        f"bench/{page}, measured on {commit}, is older than the code it measures: {command}"
        for page, commit, _, command, _ in older.table().rows
    ]
    return found + record.missing()


def main() -> int:
    """Print what is missing, or the next step."""
    lacking = missing(edgeolk.__version__)
    ready = f"{edgeolk.__version__} can be released: docs/releasing.md says how"
    print("\n".join(lacking) or ready)
    return 1 if lacking else 0


if __name__ == "__main__":
    sys.exit(main())
