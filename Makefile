# Every target sets up what it needs in $(VENV); nothing but Python, a C compiler and make is assumed.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
SOURCES := setup.py pyproject.toml edgeolk/core/generate.py edgeolk/configuration/typed.py \
	edgeolk/catalogue/methods.py $(wildcard edgeolk/parts/*.py) \
	$(shell find edgeolk -name '*.pyx' -o -name '*.pxd' ! -name parts.pxd ! -name headers.pxd ! -name '*switch*.pxd' -o -name '*.h')

# Compiled modules that Python calls into; what their stubs say is held against the modules.
STUBBED := $(subst /,.,$(basename $(shell find edgeolk -name '*.pyi')))
# C that Cython writes.
GENERATED := edgeolk/boundary/*.c edgeolk/core/*.c edgeolk/scaling/*.c

# Every test process, and every one that these start, would compile each module and rewrite each test
# again.
unexport PYTHONDONTWRITEBYTECODE
.NOTPARALLEL:
.PHONY: help replay test test-slow test-mcu exports lint bench roofs speed growth peers accuracy papers memory \
	instructions results bytes mutants sanitized fuzz fuzz-guided fuzz-slots asan valgrind tsan soak nightly coverage \
	wheels test-windows test-frozen test-pi docs clean
help:
	@echo "make replay   forecast a bundled sensor stream under 4 KiB and print the report"
	@echo "make test     run the tests              make test-slow  run the long ones too"
	@echo "make exports  every export of the agreement list against the library, bit for bit"
	@echo "make test-mcu exported learners on emulated microcontrollers (qemu-system-arm, gcc-arm-none-eabi)"
	@echo "make mutants  break checkpoints, files, the simulator and the loops in some 280 ways; the tests must notice each"
	@echo "make docs     the documentation as pages, into build/docs, its links and examples checked"
	@echo "make lint     ruff, mypy, cython-lint, gcc warnings"
	@echo "make bench    roofs, speed, growth, peers (each a target of its own; 20 minutes in all)"
	@echo "make results  the pages of results that take minutes, again; then which are older than their code"
	@echo "make accuracy published figures on a9a"
	@echo "make papers   every published table again, into bench/papers (half an hour)"
	@echo "make bytes    error against bytes, every learner on every set (an hour)"
	@echo "make memory   allocations, resident memory, error against bytes, longest steps"
	@echo "make fuzz     a million hostile files and blocks under the sanitizers (FUZZ=n for another number)"
	@echo "make fuzz-guided  the same by what inputs reach, for an hour (GUIDED=seconds)"
	@echo "make fuzz-slots  flash slots of an exported learner, by libFuzzer, for an hour (GUIDED=seconds)"
	@echo "make asan     the tests under AddressSanitizer and UndefinedBehaviourSanitizer"
	@echo "make valgrind one pass of every algorithm under valgrind"
	@echo "make tsan     threads that score beside each other under ThreadSanitizer"
	@echo "make soak     10^7 steps of every algorithm, 10^9 of two (hours; STEPS=n for another number)"
	@echo "make nightly  the tests with the long ones, a process a core, and 10^6 steps of every algorithm"
	@echo "make coverage branches of the Python code and lines of the compiled core that the tests run"
	@echo "make wheels   cross-built wheels for Debian's Pythons into dist, and the sdist"
	@echo "make test-windows  tests of the wheel for Windows, in a Python under Wine (needs root once, for apt-get)"
	@echo "make test-frozen  wheels in a Python on musl and in a free-threaded one (needs root once, for apt-get)"
	@echo "make test-pi  tests of the wheels under emulated Raspberry Pis, riscv64 and s390x (hours)"
	@echo "make instructions  instruction counts held against the recorded ones (needs valgrind)"

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

# Compiles once for what is asked and all that it includes, so that a later target finds its stamp.
install = $(PIP) "setuptools>=77" "cython>=3.1" "numpy>=2.0" && \
	$(PIP) --no-build-isolation --editable ".[$(1)]" && touch $(2:%=$(VENV)/.%)

$(VENV)/.sim: $(BIN)/python $(SOURCES)
	$(call install,sim,sim)

$(VENV)/.test: $(BIN)/python $(SOURCES)
	$(call install,test,sim test)

$(VENV)/.lint: $(BIN)/python $(SOURCES)
	$(call install,lint,sim test lint)

$(VENV)/.docs: $(BIN)/python $(SOURCES)
	$(call install,docs,sim test docs)

$(VENV)/.bench: $(BIN)/python $(SOURCES)
	$(call install,bench,sim bench)

# dlib's Python package lacks its online learners: they are compiled where there is a g++.
$(VENV)/.peers: $(VENV)/.sim bench/peers/build_dlib.py bench/peers/dlib_peer.cpp
	$(PIP) --no-build-isolation --editable ".[peers]"
	$(BIN)/python -m bench.peers.build_dlib
	@touch $@

replay: $(VENV)/.sim
	$(BIN)/python -m firmware_sim replay house --kind regression --ram 4KiB

# A process for each core takes tests in their order, so that those of a file stay together, and from
# the other what is left at the end.
EVERY_CORE := --numprocesses logical --dist worksteal
test: $(VENV)/.test
	$(BIN)/python -m pytest $(EVERY_CORE)

test-mcu: $(VENV)/.test
	$(BIN)/python -m pytest -m "mcu and not slow" tests/firmware_sim/mcu/test_mcu.py

# Every export of the agreement list answers as the library; build/exports keeps what it says.
exports: $(VENV)/.test
	EDGEOLK_SIMD=scalar $(BIN)/python -m release.exports write build/exports

test-slow: $(VENV)/.test
	$(BIN)/python -m pytest -m ""

$(VENV)/.wheels: $(VENV)/.sim
	$(PIP) --no-build-isolation --editable ".[wheels]"
	@touch $@

wheels: $(VENV)/.wheels
	$(BIN)/python -m release.syntax
	$(BIN)/python -m release.vectors
	$(BIN)/python -m release.wheels
	$(BIN)/python -m release.foreign

# In a Python for Windows, under Wine: what is left out, and why, says release/windows_tests.py.
test-windows: $(VENV)/.wheels
	$(BIN)/python -m release.windows

# Pythons that Debian has not: on musl, and free-threaded.
test-frozen: $(VENV)/.wheels
	$(BIN)/python -m release.frozen

test-pi: $(VENV)/.wheels
	$(BIN)/python -m release.emulated
	$(BIN)/python -m release.source

mutants: $(VENV)/.test
	$(BIN)/python tests/mutants.py

docs: $(VENV)/.docs
	$(BIN)/python -m sphinx -q -W --keep-going -b html docs build/docs
	$(BIN)/python docs/check.py build/docs
	$(BIN)/python -m pytest tests/docs tests/test_readme.py

lint: $(VENV)/.lint
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/mypy --strict tests/packaging/user.py
	$(BIN)/python -m mypy.stubtest --ignore-positional-only --ignore-disjoint-bases \
		--allowlist tests/packaging/allowed.txt --ignore-unused-allowlist $(STUBBED)
	PATH="$(CURDIR)/$(BIN):$$PATH" cython-lint edgeolk
	$(BIN)/python -m edgeolk.core.units $(CC) -O2 -std=gnu11 -Wall -Wextra -Werror

bench: roofs speed growth peers

roofs speed growth: $(VENV)/.bench
	$(BIN)/python -m bench.$@

papers: $(VENV)/.bench
	$(PIP) scikit-learn
	$(BIN)/python -m bench.papers

accuracy: $(VENV)/.bench
	$(BIN)/python -m bench.papers --only a9a --quick

memory: $(VENV)/.bench
	$(BIN)/python -m bench.memory
	$(BIN)/python -m bench.memory.steps

instructions: $(VENV)/.sim
	$(BIN)/python -m bench.instructions

# Pages of results that take minutes, made again; what is older than its code after that takes longer.
results: $(VENV)/.test roofs speed growth memory
	$(BIN)/python -m bench.speed.blocks
	$(BIN)/python -m bench.fleets
	$(BIN)/python -m bench.instructions --record
	$(BIN)/python -m bench.older --save
	$(BIN)/python -m bench.older

bytes: $(VENV)/.peers
	$(BIN)/python -m bench.bytes

peers: $(VENV)/.peers
	$(BIN)/python -m bench.peers

# A copy of the tree in the folder $(1), compiled with the environment $(2). Made anew every time, so
# that what is tested is what is there; files keep their times, so only what changed is compiled.
COPIED := edgeolk firmware_sim tests bench docs release setup.py pyproject.toml README.md Makefile \
	LICENSE .github
define copy
	mkdir -p $(1)
	find $(1) \( -name '*.py' -o -name '*.h' \) -delete
	tar -c --anchored --exclude='*.so' $(GENERATED:%=--exclude='%') --exclude='*/__pycache__' \
		$(COPIED) | tar -x -C $(1)
	cd $(1) && $(2) $(CURDIR)/$(BIN)/python setup.py --quiet build_ext --inplace
endef

# A copy of the tree compiled with AddressSanitizer and UndefinedBehaviourSanitizer: what one finds
# ends the process. Python's own memory comes from malloc there, so that the blocks have red zones.
SAN := build/sanitized
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
SANITIZED = cd $(SAN) && env PYTHONMALLOC=malloc PYTHONPATH=. EDGEOLK_SANITIZED=1 \
	ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:malloc_context_size=2:quarantine_size_mb=8 UBSAN_OPTIONS=print_stacktrace=1 \
	LD_PRELOAD="$$($(CC) -print-file-name=libasan.so) $$($(CC) -print-file-name=libubsan.so)" \
	$(CURDIR)/$(BIN)/python

sanitized: $(VENV)/.test
	$(call copy,$(SAN),CFLAGS="$(SANITIZE)" LDFLAGS="$(SANITIZE)")

FUZZ ?= 1000000
fuzz: sanitized
	$(SANITIZED) tests/support/fuzz.py $$(($(FUZZ) / 2)) 1 & first=$$!; \
	$(SANITIZED) tests/support/fuzz.py $$(($(FUZZ) / 2)) 2 && wait $$first

GUIDED ?= 3600
fuzz-guided: $(VENV)/.test
	$(PIP) atheris
	$(BIN)/python tests/support/fuzz_guided.py build/corpus -max_total_time=$(GUIDED) -max_len=8192 -timeout=10

# Slots of an exported learner, guided by what inputs reach; clang with libclang-rt.
fuzz-slots: $(VENV)/.test
	mkdir -p build/slots/corpus
	$(BIN)/python tests/support/fuzz_flash.py build/slots
	build/slots/fuzz build/slots/corpus -max_total_time=$(GUIDED) -max_len=600

# Left out: tests that count allocations or bound memory of a process, which the sanitizers multiply,
# that read machine code, or that preload a library of their own; those of pages and packages, which
# need more of the repository; and the fuzzer, which make fuzz runs.
ASAN_LEFT_OUT := $(foreach name,test_allocations test_out_of_memory test_memory_contract test_bare \
	files/test_fuzz core/test_c core/test_vector_code,--ignore=tests/edgeolk/$(name).py) --ignore=tests/bench \
	--ignore=tests/firmware_sim --ignore=tests/test_mutants.py --ignore=tests/test_setup.py \
	--ignore=tests/docs --ignore=tests/packaging

asan: sanitized
	$(SANITIZED) -m pytest $(EVERY_CORE) $(ASAN_LEFT_OUT)

# One pass of every algorithm under valgrind's memory checker; Python's own tricks are suppressed.
valgrind: $(VENV)/.test
	PYTHONMALLOC=malloc EDGEOLK_SIMD=baseline valgrind --quiet --error-exitcode=1 --errors-for-leak-kinds=none \
		--leak-check=no --suppressions=tests/valgrind.supp $(BIN)/python tests/support/one_pass.py

# Readers beside each other under ThreadSanitizer. Compiled with it: the module of scores, which places
# rows and hands out scratch; the loops only get pointers from there.
TSAN := build/tsan
tsan: $(VENV)/.test
	mkdir -p $(TSAN)
	tar -c --exclude='*/__pycache__' edgeolk tests/support | tar -x -C $(TSAN)
	cd $(TSAN) && $(CC) -O1 -g1 -std=gnu11 -ffp-contract=off -fno-math-errno -fno-trapping-math -w \
		-fsanitize=thread -fPIC -shared -I. -Iedgeolk/core/loops \
		$$($(CURDIR)/$(BIN)/python -c "import numpy, sysconfig; print('-I' + numpy.get_include(), '-I' + sysconfig.get_path('include'))") \
		edgeolk/boundary/scoring.c -lm -o $$(ls edgeolk/boundary/scoring.*.so)
	cd $(TSAN) && PYTHONPATH=. TSAN_OPTIONS=exitcode=66 \
		LD_PRELOAD="$$($(CC) -print-file-name=libtsan.so)" $(CURDIR)/$(BIN)/python tests/support/readers_beside.py

STEPS ?= 1e7
soak: $(VENV)/.test
	$(BIN)/python tests/support/soak.py $(STEPS)
	$(BIN)/python tests/support/soak.py 1e9 perceptron rbp

# What changes are to stand before the next day: hours of make test-slow and make soak, shortened.
nightly: $(VENV)/.test
	$(BIN)/python -m pytest -m "" $(EVERY_CORE)
	$(BIN)/python tests/support/soak.py 1e6
	$(BIN)/python tests/support/soak.py 1e7 sorf

# Lines of the compiled core, of a build that counts them, and branches of the Python code.
# Left out: what reads machine code, what fails every allocation, and what counts bytes beside the
# tracer's own.
TRACE := build/traced
TRACED_OUT := --ignore=tests/edgeolk/core/test_vector_code.py \
	--ignore=tests/edgeolk/test_out_of_memory.py \
	--deselect=tests/edgeolk/test_threads.py::test_a_second_reader_takes_memory_and_gives_it_back
coverage: $(VENV)/.test
	$(PIP) coverage
	$(call copy,$(TRACE),EDGEOLK_TRACED=1)
	cd $(TRACE) && $(CURDIR)/$(BIN)/python -m coverage erase
	cd $(TRACE) && PYTHONPATH=$(CURDIR)/$(TRACE) $(CURDIR)/$(BIN)/python -m coverage run -m pytest \
		$(EVERY_CORE) --ignore=tests/bench --ignore=tests/firmware_sim \
		--ignore=tests/edgeolk/files/test_fuzz.py --ignore=tests/docs --ignore=tests/packaging \
		--ignore=tests/test_mutants.py $(TRACED_OUT)
	cd $(TRACE) && $(CURDIR)/$(BIN)/python -m coverage combine --quiet
	cd $(TRACE) && $(CURDIR)/$(BIN)/python -m coverage report --skip-covered --fail-under=95
	$(BIN)/python tests/support/lines.py $(TRACE)

clean:
	rm -rf build dist *.egg-info $(VENV) edgeolk/core/parts.pxd edgeolk/core/headers.pxd edgeolk/core/*switch*.pxd edgeolk/configuration/options.py
	find edgeolk -name '*.so' -delete
	rm -f $(GENERATED)
