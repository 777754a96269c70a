"""Normal draws in C against numpy's, bit for bit."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sysconfig
from pathlib import Path

import numpy as np
import pytest

import edgeolk.core

LOOPS = Path(edgeolk.core.__file__).parent / "loops"
#: Writes COUNT draws of each seed.
SOURCE = r"""
#include <stdio.h>
#include <stdlib.h>
#include "normals.h"
int main(int n, char **given)
{
    for (int i = 2; i < n; i++) {
        olk_pcg64 generator;
        olk_pcg64_seed(&generator, strtoull(given[i], NULL, 10));
        for (long k = atol(given[1]); k > 0; k--) {
            const double x = olk_standard_normal(&generator);
            if (fwrite(&x, sizeof(x), 1, stdout) != 1)
                return 1;
        }
    }
    return 0;
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> str:
    compiler = shlex.split(sysconfig.get_config_var("CC") or "cc")[0]
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    made = str(tmp_path_factory.mktemp("normals") / "draw")
    command = [compiler, "-O2", "-std=gnu11", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror"]
    command += [f"-I{LOOPS}", "-x", "c", "-", "-o", made, "-lm"]
    ran = subprocess.run(command, input=SOURCE, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return made


def drawn(program: str, seeds: list[int], count: int) -> np.ndarray:
    command = [program, str(count), *map(str, seeds)]
    ran = subprocess.run(command, capture_output=True, check=True)
    return np.frombuffer(ran.stdout, dtype=np.uint64).reshape(len(seeds), count)


def expected(seed: int, count: int) -> np.ndarray:
    draws = np.random.Generator(np.random.PCG64(seed)).standard_normal(count)
    return draws.view(np.uint64)


def test_many_seeds(program: str) -> None:
    """Small ones, both ends of one word and of two, and any."""
    seeds = [*range(100), 2**32 - 1, 2**32, 2**32 + 1, 2**63, 2**64 - 1]
    seeds += np.random.default_rng(1).integers(2**64, size=400, dtype=np.uint64).tolist()
    found = drawn(program, seeds, 2000)
    for seed, row in zip(seeds, found, strict=True):
        assert np.array_equal(row, expected(seed, 2000)), seed


def test_many_draws(program: str) -> None:
    """Millions hold every way out: the layers, their edges, and the tail on both sides."""
    count = 4_000_000
    found = drawn(program, [7], count)[0]
    assert np.array_equal(found, expected(7, count))
    draws = found.view(np.float64)
    # Beyond the last layer, 2.6 in 10,000.
    assert 800 < np.count_nonzero(np.abs(draws) > 3.6541528853610088) < 1300
    assert draws.min() < -4.5
    assert draws.max() > 4.5
