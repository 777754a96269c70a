"""The service of the Raspberry Pi page, with a simulated sensor and a sysfs of files."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def service() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "docs/examples/pi/service.py"), run_name="service")


def test_it_says_what_is_unusual_and_goes_on_after_a_stop(
    service: dict[str, Any], tmp_path: Path
) -> None:
    place, said = str(tmp_path / "model.checkpoint"), []
    rows = service["simulated"](3)
    service["watch"](rows, place, 700, said.append)
    assert any(words.startswith("row 400:") for words in said)
    assert len(said) < 70
    said.clear()
    service["watch"](rows, place, 1300, said.append)
    assert all(int(words.split()[1].rstrip(":")) > 700 for words in said)


def test_channels_of_a_device(service: dict[str, Any], tmp_path: Path) -> None:
    for name, text in (("in_temp_input", "21500\n"), ("in_pressure_raw", "77\n"), ("name", "x\n")):
        (tmp_path / name).write_text(text)
    assert next(service["sensor"](tmp_path)) == [77.0, 21500.0]
    with pytest.raises(SystemExit, match="no channel"):
        next(service["sensor"](tmp_path / "gone"))
