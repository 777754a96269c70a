"""Error messages of a build that is impossible."""

import runpy
from pathlib import Path

import numpy
import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def setup():
    """The functions of setup.py; nothing is built."""
    return runpy.run_path(str(ROOT / "setup.py"), run_name="setup")


@pytest.fixture
def folders():
    from sysconfig import get_paths

    return [get_paths()["include"], numpy.get_include()]


def test_this_machine_can_build(setup, folders):
    setup["check_compiler"](folders)
    flags = setup["flags_of"]("edgeolk.core.step")
    assert "-O3" in flags
    assert setup["supported"](flags) == flags


def test_no_compiler(setup, folders, monkeypatch):
    monkeypatch.setenv("CC", "no-such-compiler -O2")
    with pytest.raises(SystemExit) as told:
        setup["check_compiler"](folders)
    assert "no C compiler 'no-such-compiler'" in str(told.value)
    assert "apt install gcc python3-dev" in str(told.value)


@pytest.mark.skipif(not Path("/proc/meminfo").exists(), reason="free memory is not known")
def test_little_memory_is_for_one_compiler(setup, monkeypatch):
    said = "MemTotal: 1000000 kB\nMemAvailable:   400000 kB\n"
    monkeypatch.setattr(Path, "read_text", lambda *_, **__: said)
    assert setup["jobs"]() == 1


def test_no_headers(setup, tmp_path):
    with pytest.raises(SystemExit) as told:
        setup["check_compiler"]([str(tmp_path)])
    assert "apt install gcc python3-dev" in str(told.value)
    assert "Python.h" in str(told.value)


@pytest.mark.parametrize("whose", ["Python", "numpy"])
def test_headers_of_another_word_size(whose, setup, tmp_path):
    sizes = {"Python": 8, "numpy": 8, whose: 2}
    (tmp_path / "Python.h").write_text(f"#define SIZEOF_VOID_P {sizes['Python']}\n")
    (tmp_path / "numpy").mkdir()
    config = f"#define NPY_SIZEOF_PY_INTPTR_T {sizes['numpy']}\n"
    (tmp_path / "numpy" / "_numpyconfig.h").write_text(config)
    with pytest.raises(SystemExit, match=f"headers of {whose} are for another word size"):
        setup["check_compiler"]([str(tmp_path)])


def test_every_compiled_module_is_built(setup):
    sources = {path.relative_to(ROOT) for path in (ROOT / "edgeolk").rglob("*.pyx")}
    assert {Path(name.replace(".", "/") + ".pyx") for name in setup["MODULES"]} == sources


def test_clang_cl_is_refused(setup, folders, monkeypatch, tmp_path):
    path = tmp_path / "clang-cl"
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    monkeypatch.setenv("CC", str(path))
    with pytest.raises(SystemExit, match="clang-cl takes their flags in another spelling"):
        setup["check_compiler"](folders)


def test_the_processors_of_a_universal_build(setup, monkeypatch):
    import sysconfig

    assert setup["architectures"]() == []
    monkeypatch.setattr(sysconfig, "get_platform", lambda: "macosx-11.0-universal2")
    monkeypatch.setenv("ARCHFLAGS", "-arch arm64 -arch x86_64")
    assert setup["architectures"]() == ["arm64", "x86_64"]
    monkeypatch.setenv("ARCHFLAGS", "-arch arm64")
    assert setup["architectures"]() == ["arm64"]
