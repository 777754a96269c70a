"""The types of all arguments, which editors and type checkers read, are up to date."""

from __future__ import annotations

from pathlib import Path

from edgeolk.configuration import generate_options


def test_the_types_of_arguments_are_what_the_generator_writes() -> None:
    path = Path(generate_options.__file__).with_name("options.py")
    assert path.read_text(encoding="utf-8") == generate_options.text(), (
        "options.py is not what the rows of edgeolk/parts say: run"
        " python -m edgeolk.configuration.generate_options"
    )
