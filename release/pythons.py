"""Wheels for other Pythons on x86-64 Linux, built and tested here.

``python -m release.pythons python3.10 sid/python3.14 ...``: a Python of this machine, or of a
Debian release, which is extracted under ``build/rootfs`` and run there (root). Each gets a wheel
from this machine's compiler, the newest compatible numpy, and a part of the library's tests
(release/fewer.py). The wheels stay in ``build``: published ones come from cibuildwheel, which also
uses GCC.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from release.project import FEWER, copied, counted
from release.rootfs import root_file_system
from release.targets import BUILD, TARGETS, Debian
from release.wheels import cross_build, environment_of, source_distribution, unpack

#: The tests: algorithms against their references, files, kinds of rows, variants.
TESTS = (
    *("core/test_variants.py", "files/test_golden.py", "files/test_system.py", "test_bare.py"),
    *("test_columns.py", "parts/test_kernels.py", "test_storage.py"),
    "sorf/test_structured_learner.py",
    *("test_threads.py", "test_agreement.py"),
)
QUERY = (
    "import sys, sysconfig; print('cp' + sysconfig.get_config_var('py_version_nodot'));"
    " print(sysconfig.get_path('include')); print(sysconfig.get_config_var('EXT_SUFFIX'))"
)


#: Packages of Debian's newest release, which has more than one Python.
NEWEST = (
    *("python3.14", "libpython3.14-dev", "python3.15", "libpython3.15-dev"),
    *("coreutils", "libstdc++6"),
)
TOOLS = ("numpy", "pytest>=8.2", "hypothesis>=6.100")
PIP = ("pip", "install", "--quiet", "--disable-pip-version-check")


@dataclass(frozen=True)
class Python:
    """A Python to build and test for.

    Parameters
    ----------
    command : tuple of str
        The command that starts it.
    system : Path or None
        The root of a Debian that it runs in; None for this machine.
    tag : str
        Its tag in the names of wheels.
    include : Path
        The folder of its headers.
    suffix : str
        The end of the names of compiled modules.
    """

    command: tuple[str, ...]
    system: Path | None
    tag: str
    include: Path
    suffix: str


def find_python(name: str) -> Python:
    """Return the Python of a name such as ``python3.10`` or ``sid/python3.14``."""
    suite, _, program = name.rpartition("/")
    if suite:
        release = Debian(suite, program.removeprefix("python"))
        system = root_file_system(TARGETS["x86_64"], release, NEWEST)
        triplet = TARGETS["x86_64"].triplet
        include = BUILD / "headers" / f"{suite}-{program}"
        shutil.copytree(system / "usr/include" / program, include, dirs_exist_ok=True)
        # Debian's own would include a file that only that system's compiler finds.
        shutil.copy(system / "usr/include" / triplet / program / "pyconfig.h", include)
        suffix = f".cpython-{release.tag.removeprefix('cp')}-{triplet}.so"
        command = ("chroot", str(system), f"/usr/bin/{program}")
        return Python(command, system, release.tag, include, suffix)
    printed = subprocess.run([program, "-c", QUERY], check=True, capture_output=True, text=True)
    tag, folder, suffix = printed.stdout.split()
    return Python((program,), None, tag, Path(folder), suffix)


def build_wheel(python: Python, source: Path) -> Path:
    """Build a wheel for a Python."""
    compiler = f"{os.environ.get('CC') or 'gcc'} -I{python.include}"
    environment = environment_of(compiler, "", python.suffix, "linux-x86_64")
    return cross_build(source, f"x86_64-{python.tag}", python.tag, environment)


def prepared(python: Python, wheel: Path) -> tuple[Path, dict[str, str], str]:
    """Install a wheel and the tests' requirements; return tests' folder, environment, Python."""
    if python.system is None:
        folder = BUILD / "pythons" / python.tag
        subprocess.run([*python.command, "-m", "venv", "--clear", str(folder)], check=True)
        program = str(folder / "bin/python")
        subprocess.run([program, "-m", *PIP, str(wheel), *TOOLS], check=True)
        return folder / "project", dict(os.environ), program
    site = python.system / f"opt/{python.tag}"
    shutil.rmtree(site, ignore_errors=True)
    version = ["--only-binary=:all:", "--python-version", python.tag.removeprefix("cp")]
    platforms = [f"--platform=manylinux_2_{minor}_x86_64" for minor in (17, 27, 28)]
    words = [sys.executable, "-m", *PIP, "--target", str(site), *version, *platforms]
    subprocess.run([*words, "--platform=linux_x86_64", str(wheel), *TOOLS], check=True)
    for name in ("lib", "lib64"):
        if not (python.system / name).exists():
            (python.system / name).symlink_to(f"usr/{name}")
    environment = {
        "PYTHONPATH": f"/opt/{python.tag}",
        "PATH": "/usr/sbin:/usr/bin:/bin",
        "HOME": "/tmp",
    }
    return python.system / f"opt/{python.tag}-project", environment, python.command[-1]


def test_wheel(python: Python, wheel: Path) -> tuple[int, str]:
    """Install a wheel in a new environment and run tests; return exit code and counts."""
    project, environment, program = prepared(python, wheel)
    copied(project)
    words = [program, "-m", "pytest", *FEWER, *(f"tests/edgeolk/{name}" for name in TESTS)]
    if python.system is not None:
        inside = f"--chdir=/{project.relative_to(python.system)}"
        words = ["chroot", str(python.system), "/usr/bin/env", inside, *words]
    run = subprocess.run(
        words, cwd=project, env=environment, capture_output=True, text=True, check=False
    )
    if run.returncode:
        print(run.stdout[-4000:], run.stderr[-2000:])
    return run.returncode, counted(run.stdout)


def main() -> int:
    """Build and test for all given Pythons; return 1 if tests failed."""
    source, failed = unpack(source_distribution()), 0
    for name in sys.argv[1:]:
        python = find_python(name)
        wheel = build_wheel(python, source)
        code, printed = test_wheel(python, wheel)
        failed += code != 0
        print(f"{wheel.stat().st_size:>11,}  {python.tag}: {printed}", flush=True)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
