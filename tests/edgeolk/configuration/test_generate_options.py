"""The types of all arguments, which editors and type checkers read, are up to date."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from edgeolk.configuration import generate_options


def test_the_types_of_arguments_are_what_the_generator_writes() -> None:
    path = Path(generate_options.__file__).with_name("options.py")
    assert path.read_text(encoding="utf-8") == generate_options.text(), (
        "options.py is not what the rows of edgeolk/parts say: run"
        " python -m edgeolk.configuration.generate_options"
    )


def test_the_generator_writes_the_file_only_if_it_would_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "options.py"
    monkeypatch.setattr(generate_options, "__file__", str(tmp_path / "generate_options.py"))
    generate_options.write()
    assert path.read_text(encoding="utf-8") == generate_options.text()
    path.write_text("another")
    generate_options.write()
    assert path.read_text(encoding="utf-8") == generate_options.text()
    path.chmod(0o444)
    before = path.stat()
    generate_options.write()
    assert path.stat().st_mtime_ns == before.st_mtime_ns


def test_the_program_leaves_a_file_that_is_up_to_date(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[Path] = []
    source = generate_options.__file__
    monkeypatch.setattr(Path, "write_text", lambda path, *_, **__: written.append(path))
    runpy.run_path(source, run_name="__main__")
    assert written == []
