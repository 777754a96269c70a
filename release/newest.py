"""The newest Python, put together so that it runs on both Debians.

Debian 12 and 13 lack it, and that of Debian's development release needs a newer C library. The
interpreter and its compiled modules are those of a wheel that freezes programs, compiled for all
Linux systems; modules written in Python, headers and pip are those of Debian's development release.
Their last numbers may differ, as of 3.14.9 and 3.14.10.

The interpreter would start a frozen program: a small library takes the place of its main.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

from release.rootfs import mirror
from release.targets import BUILD, TARGETS

VERSION = "3.14"
WHEEL = "freeze-core==0.8.1"
SUITE = "sid"
TRIPLET = TARGETS["x86_64"].triplet
PACKAGES = (f"libpython{VERSION}-dev", f"python{VERSION}-venv")
#: Calls the main of Python instead; programs that it starts have a main of their own.
MAIN = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>

typedef int (*program)(int, char **, char **);
typedef void (*action)(void);
int Py_BytesMain(int, char **);

static int python(int count, char **words, char **environment)
{
    (void)environment;
    return Py_BytesMain(count, words);
}

int __libc_start_main(program frozen, int count, char **words, action first, action last,
                      action loaded, void *stack)
{
    int (*next)(program, int, char **, action, action, action, void *) =
        dlsym(RTLD_NEXT, "__libc_start_main");
    (void)frozen;
    unsetenv("LD_PRELOAD");
    return next(python, count, words, first, last, loaded, stack);
}
"""


def _interpreter(folder: Path, to: Path) -> None:
    """Download the wheel; place its interpreter, compiled modules and their libraries."""
    tag = f"cp{VERSION.replace('.', '')}"
    words = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    words += ["--only-binary=:all:", "--platform=manylinux_2_17_x86_64", f"--abi={tag}"]
    words += ["--implementation=cp", f"--python-version={VERSION}", f"--dest={folder}", WHEEL]
    subprocess.run(words, check=True)
    [wheel] = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as opened:
        opened.extractall(folder / "wheel")
    parts = folder / "wheel/freeze_core"
    program = parts / f"bases/console-cpython-{VERSION.replace('.', '')}-{TRIPLET}"
    shutil.copy(program, to / "interpreter")
    (to / "interpreter").chmod(0o755)
    modules = to / f"lib/python{VERSION}/lib-dynload"
    modules.mkdir()
    for module in (parts / "lib").glob("*.so"):
        shutil.copy(module, modules)
    # Where the modules look for them.
    shutil.copytree(folder / "wheel/freeze_core.libs", to / "lib/freeze_core.libs")


def _library(folder: Path, to: Path) -> None:
    """Extract Debian's packages; place modules in Python, headers and the wheel of pip."""
    debian = folder / "debian"
    command = ["mmdebstrap", "--quiet", "--variant=extract", f"--include={','.join(PACKAGES)}"]
    command += ['--aptopt=Acquire::Check-Valid-Until "false"', SUITE, str(debian)]
    subprocess.run([*command, f"deb {mirror()} {SUITE} main"], check=True)
    ignored = shutil.ignore_patterns("lib-dynload", "sitecustomize.py", "config-*", "test")
    name = f"python{VERSION}"
    shutil.copytree(debian / "usr/lib" / name, to / "lib" / name, ignore=ignored)
    shutil.copytree(debian / "usr/include" / name, to / "include" / name)
    # Debian's own would include a file of another folder.
    shutil.copy(debian / "usr/include" / TRIPLET / name / "pyconfig.h", to / "include" / name)
    shutil.copytree(debian / "usr/share/python-wheels", to / "wheels")


def assembled() -> Path:
    """Return a folder to be placed at /opt/python3.14 of a system; make it if needed.

    ``place`` says what is compiled there.
    """
    done = BUILD / "readme" / f"python{VERSION}"
    if done.exists():
        return done
    folder = done.with_suffix(".parts")
    shutil.rmtree(folder, ignore_errors=True)
    made = folder / "made"
    for name in ("bin", "lib"):
        (made / name).mkdir(parents=True)
    _library(folder, made)
    _interpreter(folder, made)
    (made / "start.c").write_text(MAIN, "utf-8")
    preload = f"LD_PRELOAD=/opt/python{VERSION}/lib/start.so"
    program = made / f"bin/python{VERSION}"
    program.write_text(
        f'#!/bin/bash\n{preload} exec -a "$0" /opt/python{VERSION}/interpreter "$@"\n', "utf-8"
    )
    program.chmod(0o755)
    made.rename(done)
    shutil.rmtree(folder)
    return done


def place(system: Path) -> str:
    """Place it in a system; return the command that finishes it there."""
    there = system / f"opt/python{VERSION}"
    shutil.rmtree(there, ignore_errors=True)
    shutil.copytree(assembled(), there, symlinks=True)
    wheels = system / "usr/share/python-wheels"
    shutil.copytree(there / "wheels", wheels, dirs_exist_ok=True)
    return f"cd /opt/python{VERSION} && gcc -shared -fPIC -O1 -o lib/start.so start.c"
