"""Structs as their headers declare them, for whoever fills or reads them."""

from __future__ import annotations

from pathlib import Path

import pytest

import edgeolk as ek
from edgeolk.core import structs

HEADER = """\
enum { PAIRS = 2, MANY = PAIRS + 1 }; /* not struct { */
typedef struct {
    double x, *most[PAIRS]; /* two; of them */
    const void *bytes;
    int32_t table[MANY][PAIRS + 2];
} thing;
"""


def test_a_header_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "thing.h").write_text(HEADER)
    monkeypatch.setattr(structs, "C_FOLDER", tmp_path)
    constants, found = structs.read("thing.h")
    assert constants == {"PAIRS": 2, "MANY": 3}
    assert found == {
        "thing": (
            ("x", "double", ()),
            ("most", "double *", (2,)),
            ("bytes", "const void *", ()),
            ("table", "int32_t", (3, 4)),
        )
    }


def test_the_engine_has_the_members_of_the_header() -> None:
    made = ek.Learner("sorf", n_features=3, D=64, kernel=ek.Gaussian(1.0))._engine.sorf_config()
    members = structs.read("sorf_types.h")[1]["olk_sorf"]
    assert [member.name for member in members] == list(made)[: len(members)]
