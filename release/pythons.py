"""Wheels of x86-64 Linux for other Pythons of this machine, cross-built as all are, and tested.

``python -m release.pythons python3.10 python3.13 ...``: each gets a wheel by zig for an old glibc,
a virtual environment with the newest numpy it takes, and a part of the library's tests
(release/fewer.py). The wheels stay in ``build``: those that are published come from cibuildwheel.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from release.targets import BUILD, ROOT, TARGETS
from release.wheels import cross_build, source_distribution, unpack, zig_script

#: What is run: algorithms against their twins, files, kinds of rows, variants.
TESTS = (
    *("core/test_variants.py", "files/test_golden.py", "files/test_system.py", "test_bare.py"),
    *("test_columns.py", "test_kernels.py", "test_storage.py", "test_structured_learner.py"),
    *("test_threads.py", "test_twins.py"),
)
ASKED = (
    "import sys, sysconfig; print('cp' + sysconfig.get_config_var('py_version_nodot'));"
    " print(sysconfig.get_path('include')); print(sysconfig.get_config_var('EXT_SUFFIX'))"
)


def build_wheel(python: str, source: Path) -> tuple[str, Path]:
    """The tag of a Python, and a wheel for it."""
    said = subprocess.run([python, "-c", ASKED], check=True, capture_output=True, text=True)
    tag, include, suffix = said.stdout.split()
    target = TARGETS["x86_64"]
    import numpy

    folders = [Path(include), Path(numpy.get_include())]
    script = zig_script(f"x86_64-{tag}", target.zig, target.flags, folders)
    environment = {
        **os.environ,
        "CC": str(script),
        "LDSHARED": f"{script} -shared -s -Wl,--gc-sections",
        "CFLAGS": "",
        "SETUPTOOLS_EXT_SUFFIX": suffix,
        "_PYTHON_HOST_PLATFORM": "linux-x86_64",
    }
    return tag, cross_build(source, f"x86_64-{tag}", tag, environment)


def test_wheel(python: str, tag: str, wheel: Path) -> tuple[int, str]:
    """Install a wheel in an environment of its own, run tests; exit code, and what was counted."""
    folder = BUILD / "pythons" / tag
    project = folder / "project"
    subprocess.run([python, "-m", "venv", "--clear", str(folder)], check=True)
    own = str(folder / "bin/python")
    words = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([own, *words, str(wheel), "pytest>=8", "hypothesis>=6.100"], check=True)
    # Beside no package: what is tested is what was installed.
    for name in ("tests", "bench", "release"):
        unwanted = shutil.ignore_patterns("__pycache__", "cache")
        shutil.copytree(ROOT / name, project / name, ignore=unwanted)
    shutil.copy(ROOT / "pyproject.toml", project)
    fewer = ["-p", "release.fewer", "--most=2"]
    tests = [f"tests/edgeolk/{name}" for name in TESTS]
    run = subprocess.run(
        [own, "-m", "pytest", "-p", "no:cacheprovider", *fewer, *tests],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
    )
    counted = re.findall(r"(\d+ (?:passed|failed|skipped|errors?))", run.stdout)
    if run.returncode:
        print(run.stdout[-4000:], run.stderr[-2000:])
    return run.returncode, ", ".join(counted)


def main() -> int:
    """Build and test for all that are named; 1 where tests failed."""
    source, failed = unpack(source_distribution()), 0
    for python in sys.argv[1:]:
        tag, wheel = build_wheel(python, source)
        code, counted = test_wheel(python, tag, wheel)
        failed += code != 0
        print(f"{wheel.stat().st_size:>11,}  {tag}: {counted}", flush=True)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
