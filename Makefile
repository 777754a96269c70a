# Every target sets up what it needs in $(VENV); nothing but Python, a C compiler and make is assumed.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
SOURCES := setup.py pyproject.toml edgeolk/core/generate.py $(wildcard edgeolk/parts/*.py) \
	$(shell find edgeolk -name '*.pyx' -o -name '*.pxd' ! -name parts.pxd ! -name switches.pxd -o -name '*.h')

.NOTPARALLEL:
.PHONY: help replay test test-slow lint bench roofs speed growth peers accuracy papers memory \
	instructions mutants wheels test-pi clean
help:
	@echo "make replay   replay the bundled sensor stream under 4 KiB and print the report"
	@echo "make test     run the tests              make test-slow  run the long ones too"
	@echo "make mutants  break the checkpoints and files in 70 ways; the tests must notice each"
	@echo "make lint     ruff, mypy, cython-lint, gcc warnings"
	@echo "make bench    roofs, speed, growth, peers (each a target of its own; 20 minutes in all)"
	@echo "make accuracy published figures on a9a"
	@echo "make papers   every published table again, into bench/papers (most of an hour)"
	@echo "make memory   allocations, resident memory, error against bytes, longest steps"
	@echo "make wheels   cross-built wheels for Debian's Pythons into dist, and the sdist"
	@echo "make test-pi  tests of the wheels under emulated Raspberry Pis, riscv64 and s390x (hours)"
	@echo "make instructions  instruction counts held against the recorded ones (needs valgrind)"

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.sim: $(BIN)/python $(SOURCES)
	$(PIP) "setuptools>=77" "cython>=3.1" "numpy>=2.0"
	$(PIP) --no-build-isolation --editable ".[sim]"
	@touch $@

$(VENV)/.test: $(VENV)/.sim
	$(PIP) --no-build-isolation --editable ".[test]"
	@touch $@

$(VENV)/.lint: $(VENV)/.test
	$(PIP) --no-build-isolation --editable ".[lint]"
	@touch $@

$(VENV)/.bench: $(VENV)/.sim
	$(PIP) --no-build-isolation --editable ".[bench]"
	@touch $@

# dlib's Python package lacks its online learners: they are compiled where there is a g++.
$(VENV)/.peers: $(VENV)/.sim bench/peers/build_dlib.py bench/peers/dlib_peer.cpp
	$(PIP) --no-build-isolation --editable ".[peers]"
	$(BIN)/python -m bench.peers.build_dlib
	@touch $@

replay: $(VENV)/.sim
	$(BIN)/python -m firmware_sim replay occupancy --ram 4KiB

test: $(VENV)/.test
	$(BIN)/python -m pytest

test-slow: $(VENV)/.test
	$(BIN)/python -m pytest -m ""

$(VENV)/.wheels: $(VENV)/.sim
	$(PIP) --no-build-isolation --editable ".[wheels]"
	@touch $@

wheels: $(VENV)/.wheels
	$(BIN)/python -m release.wheels

test-pi: $(VENV)/.wheels
	$(BIN)/python -m release.emulated

mutants: $(VENV)/.test
	$(BIN)/python tests/mutants.py

lint: $(VENV)/.lint
	$(BIN)/ruff check
	$(BIN)/mypy
	PATH="$(CURDIR)/$(BIN):$$PATH" cython-lint edgeolk
	printf '#include "variants.h"\nconst olk_simd *olk_table(void);\nconst olk_simd *olk_table(void) { return olk_variants; }\n' \
		| $(CC) -O3 -std=gnu11 -Wall -Wextra -Werror -Iedgeolk/core/loops -x c -c -o /dev/null -

bench: roofs speed growth peers

roofs speed growth: $(VENV)/.bench
	$(BIN)/python -m bench.$@

papers: $(VENV)/.bench
	$(PIP) scikit-learn
	$(BIN)/python -m bench.papers

accuracy: $(VENV)/.bench
	$(BIN)/python -m bench.accuracy

memory: $(VENV)/.bench
	$(BIN)/python -m bench.memory
	$(BIN)/python -m bench.memory.steps

instructions: $(VENV)/.sim
	$(BIN)/python -m bench.instructions

peers: $(VENV)/.peers
	$(BIN)/python -m bench.peers

clean:
	rm -rf build dist *.egg-info $(VENV) edgeolk/core/parts.pxd edgeolk/core/switches.pxd
	find edgeolk -name '*.so' -delete -o -name '*.c' -delete
