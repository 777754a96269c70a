# Every target sets up what it needs in $(VENV); nothing but Python, a C compiler and make is assumed.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
SOURCES := setup.py pyproject.toml edgeolk/core/generate.py $(wildcard edgeolk/parts/*.py) \
	$(shell find edgeolk -name '*.pyx' -o -name '*.pxd' ! -name parts.pxd ! -name switches.pxd -o -name '*.h')

.NOTPARALLEL:
.PHONY: help replay test test-slow lint bench roofs speed growth peers accuracy papers memory \
	instructions mutants fuzz asan clean
help:
	@echo "make replay   replay the bundled sensor stream under 4 KiB and print the report"
	@echo "make test     run the tests              make test-slow  run the long ones too"
	@echo "make mutants  break the checkpoints and files in 70 ways; the tests must notice each"
	@echo "make lint     ruff, mypy, cython-lint, gcc warnings"
	@echo "make bench    roofs, speed, growth, peers (each a target of its own; 20 minutes in all)"
	@echo "make accuracy published figures on a9a"
	@echo "make papers   every published table again, into bench/papers (most of an hour)"
	@echo "make memory   allocations, resident memory, error against bytes, longest steps"
	@echo "make fuzz     a million hostile files and blocks under the sanitizers (FUZZ=n for another number)"
	@echo "make asan     the tests under AddressSanitizer and UndefinedBehaviourSanitizer"
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
	$(BIN)/python -m firmware_sim replay occupancy --ram 4KiB --algorithm sorf

test: $(VENV)/.test
	$(BIN)/python -m pytest

test-slow: $(VENV)/.test
	$(BIN)/python -m pytest -m ""

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

# A copy of the tree compiled with AddressSanitizer and UndefinedBehaviourSanitizer: what one finds
# ends the process. Python's own memory comes from malloc there, so that the blocks have red zones.
SAN := build/sanitized
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
SANITIZED = cd $(SAN) && env PYTHONMALLOC=malloc PYTHONPATH=. EDGEOLK_SANITIZED=1 \
	ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:malloc_context_size=2:quarantine_size_mb=8 UBSAN_OPTIONS=print_stacktrace=1 \
	LD_PRELOAD="$$($(CC) -print-file-name=libasan.so) $$($(CC) -print-file-name=libubsan.so)" \
	$(CURDIR)/$(BIN)/python

$(SAN)/.built: $(VENV)/.test
	mkdir -p $(SAN)
	tar -c --anchored --exclude='*.so' --exclude='edgeolk/*.c' --exclude='*/__pycache__' \
		edgeolk firmware_sim tests bench docs setup.py pyproject.toml README.md Makefile | tar -x -C $(SAN)
	cd $(SAN) && CFLAGS="$(SANITIZE)" LDFLAGS="$(SANITIZE)" \
		$(CURDIR)/$(BIN)/python setup.py --quiet build_ext --inplace
	@touch $@

FUZZ ?= 1000000
fuzz: $(SAN)/.built
	$(SANITIZED) tests/fuzz.py $$(($(FUZZ) / 2)) 1 & first=$$!; \
	$(SANITIZED) tests/fuzz.py $$(($(FUZZ) / 2)) 2 && wait $$first

asan: $(SAN)/.built
	$(SANITIZED) -m pytest

clean:
	rm -rf build dist *.egg-info $(VENV) edgeolk/core/parts.pxd edgeolk/core/switches.pxd
	find edgeolk -name '*.so' -delete -o -name '*.c' -delete
