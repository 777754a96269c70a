"""Whether this commit can be released: ``python -m release.check``.

Checks what is easily forgotten, in seconds; the tests and the wheels are separate steps
(docs/releasing.md). Prints a line for each item that the commit lacks, and exits with 1 if there is
any; steps that are left to the publisher are listed apart.
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


def for_the_publisher(version: str) -> list[str]:
    """Return the steps that only the owner of the published repository can take."""
    named = "OWNER" not in (ROOT / "pyproject.toml").read_text()
    owner = (
        "replace the placeholder OWNER by the owner of the repository: docs/releasing.md, step 1"
    )
    return [*([] if named else [owner]), f"push the tag v{version}: docs/releasing.md, step 7"]


def main() -> int:
    """Print what is missing, and the publisher's steps."""
    lacking = missing(edgeolk.__version__)
    print("\n".join(lacking) or f"nothing is missing for {edgeolk.__version__}")
    for step in for_the_publisher(edgeolk.__version__):
        print(f"left to the publisher: {step}")
    return 1 if lacking else 0


if __name__ == "__main__":
    sys.exit(main())
