# The commands of a developer, and of .ci/run. Everything they make lies in build/.
#
#   make demo       build, then run the programs of examples/ on real data
#   make test       the whole test suite; the stage and language tests on the other Pythons too
#   make help       the rest
#
# PYTHON=/path/to/python chooses the interpreter, JOBS=N the number of processes.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

SUPPORTED := $(shell .ci/bootstrap supported)
JOBS ?= $(shell nproc)
TEST_JOBS ?= 2
# A test that runs for so many seconds hangs: the slowest take a fraction on a loaded machine of two
# cores. A thread ends the process of pytest-xdist that runs it, also while it is in machine code.
TEST_TIMEOUT ?= 900

PYTHON ?= $(shell .ci/bootstrap default-python $(SUPPORTED))
PYTHON := $(PYTHON)
VERSION := $(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null || echo 3.11)
OTHERS := $(filter-out $(VERSION),$(SUPPORTED))

DEV := build/dev
VENV := build/venv-$(VERSION)
RUN := $(VENV)/bin/python
PYTEST := -m pytest -n $(TEST_JOBS) --timeout $(TEST_TIMEOUT) --timeout-method thread
OTHER_TESTS := -m "not one_python" tests/stage tests/language
# Tests of kernels need NVIDIA's assembler and libdevice: those of a CUDA toolkit, or from PyPI.
MAIN_EXTRAS := build test lint $(if $(wildcard /usr/local/cuda/bin/ptxas),,test-cuda)
OTHER_EXTRAS := build test-language

.PHONY: help system venv venvs configure build build-all demo test test-cpp test-python \
        test-others test-gpu bench lint format tidy sanitize wheel docs check-docs test-engines clean

help:
	@echo 'make demo       the programs of examples/ on real data, checked and timed; pictures in build/demo'
	@echo 'make test       C++ and Python tests on CPython $(VERSION); stage and language tests on the others'
	@echo 'make test-gpu   kernels and device arrays on this machine'\''s GPU, then both under compute-sanitizer'
	@echo 'make build      the compiler and the package for CPython $(VERSION): $(RUN) can import numjit'
	@echo 'make bench      the benchmark against Numba and C++'
	@echo 'make lint       clang-format, ruff, mypy, layers, sizes of files and functions; make format mends the first two'
	@echo 'make tidy       clang-tidy over the C++ sources'
	@echo 'make sanitize   C++ tests and language tests under ASan and UBSan'
	@echo 'make wheel      a source distribution and manylinux wheels in build/wheel, checked and tried out'
	@echo 'make docs       the documentation as a site in build/site, with the gallery of the examples'
	@echo 'make check-docs the pages of the site in a browser (chromium): none is wider than its window'
	@echo 'make test-engines  Dask, joblib, MPI and others, in an environment of their own'
	@echo 'make clean      remove build/'

# -- what a build needs ------------------------------------------------------------------------

system:
	@.ci/bootstrap system $(PYTHON)

venv: system
	@.ci/bootstrap venv $(VENV) $(PYTHON) $(MAIN_EXTRAS)

venvs: venv
	@for version in $(OTHERS); do \
	  python=$$(.ci/bootstrap find-python $$version); \
	  if [ -n "$$python" ]; then \
	    .ci/bootstrap venv build/venv-$$version $$python $(OTHER_EXTRAS); \
	  else \
	    echo "numjit: there is no CPython $$version here; its tests are left out"; \
	  fi; \
	done

# -- build -------------------------------------------------------------------------------------

# $(call configure,PRESET,PYTHONS): only when the list of interpreters changes; CMake notices by
# itself what else changes.
configure_if_changed = \
	@pythons=$(2); stamp=build/$(1)/pythons; \
	if [ "$$(cat $$stamp 2>/dev/null)" != "$$pythons" ]; then \
	  cmake --preset $(1) "-DNUMJIT_PYTHONS=$$pythons" && echo "$$pythons" >$$stamp; \
	fi

# Every environment that exists takes part, so that `make demo` and `make test` in turn don't
# configure anew; each builds only what it needs.
all_pythons = "$$(ls -d $(CURDIR)/build/venv-[0-9]*/bin/python | paste -sd ';')"

build: venv
	$(call configure_if_changed,dev,$(all_pythons))
	@cmake --build $(DEV) -j $(JOBS) --target numjit_package numjit_core_$(VERSION)

build-all: venvs
	$(call configure_if_changed,dev,$(all_pythons))
	@cmake --build $(DEV) -j $(JOBS)

# -- run ---------------------------------------------------------------------------------------

# The environment needs less than that of the tests; one that has more will do.
demo: MAIN_EXTRAS := build demo bench
demo: build
	@$(RUN) examples/run_demo.py --out build/demo

bench: build
	@$(RUN) tests/bench/run.py

# Every part runs even when an earlier one fails; the failures are told at the end.
test: build-all
	@failed=; \
	for part in test-cpp test-python test-others; do \
	  $(MAKE) --no-print-directory $$part || failed+=" $$part"; \
	done; \
	if [ -n "$$failed" ]; then echo "numjit: failed:$$failed"; exit 1; fi

test-cpp:
	ctest --test-dir $(DEV) --output-on-failure -j $(TEST_JOBS) --timeout $(TEST_TIMEOUT)

test-python:
	$(RUN) $(PYTEST) tests

# What is the same on every version of CPython is marked so. All parameters of a test run above; each
# of the others meets another part of them.
test-others:
	@failed=; part=0; \
	for version in $(OTHERS); do \
	  part=$$((part + 1)); share="--part $$part/$(words $(SUPPORTED))"; \
	  [ -x build/venv-$$version/bin/python ] || continue; \
	  echo "build/venv-$$version/bin/python $(PYTEST) $$share $(OTHER_TESTS)"; \
	  build/venv-$$version/bin/python $(PYTEST) $$share $(OTHER_TESTS) || \
	    failed+=" $$version"; \
	done; \
	if [ -n "$$failed" ]; then echo "numjit: failed on CPython$$failed"; exit 1; fi

# On the GPU of this machine, and then the files that launch kernels under the tools of
# compute-sanitizer, several at once. Refused calls that a test asks for are no fault, and no launch
# is to keep Python's frames, and so arrays, for its place on the host. Left out are tests of texts,
# arrays of 4 GB, examples, and a driver that is not NVIDIA's.
GPU_WATCHED := $(filter-out $(addprefix tests/cuda/test_,guide_page.py numpy_page.py ptx.py races.py \
               offsets.py examples.py launches.py) tests/gpuarrays/test_page.py,\
               $(wildcard tests/cuda/test_*.py tests/gpuarrays/test_*.py))
SANITIZER := compute-sanitizer --report-api-errors no --show-backtrace device --error-exitcode 9

test-gpu:
	@failed=; export NUMJIT_TEST_GPU=1; \
	$(RUN) $(PYTEST) tests/cuda tests/gpuarrays || failed+=" tests"; \
	for tool in memcheck racecheck initcheck synccheck; do \
	  export NUMJIT_TEST_SANITIZER=$$tool; \
	  echo "compute-sanitizer --tool $$tool"; \
	  printf '%s\n' $(GPU_WATCHED) | xargs -P $$(( ($$(nproc) + 1) / 2 )) -n 1 \
	    $(SANITIZER) --tool $$tool $(RUN) -m pytest -q || failed+=" $$tool"; \
	done; \
	if [ -n "$$failed" ]; then echo "numjit: failed on the GPU:$$failed"; exit 1; fi

# -- style -------------------------------------------------------------------------------------

SOURCES := '*.c' '*.cpp' '*.def' '*.h' '*.py'
CXX_FILES = $(shell find frontend typeinfer codegen runtime pyext tests -name '*.h' -o -name '*.cpp' -o -name '*.c')
TABLES = $(shell find frontend typeinfer codegen runtime pyext -name '*.def')
AS_TABLES = --style=file:.clang-format-tables

lint: venv
	@! git grep -nE '^(<{7}|>{7}) '
	@! git grep -nE '^ *(//|#) -{3,}$$' -- $(SOURCES) # the rest of a heading that a formatter broke
	@$(VENV)/bin/clang-format --dry-run -Werror $(CXX_FILES)
	@$(VENV)/bin/clang-format $(AS_TABLES) --dry-run -Werror $(TABLES)
	@$(VENV)/bin/ruff check .
	@$(VENV)/bin/ruff format --check .
	@$(RUN) .ci/check_layers.py
	@$(RUN) .ci/check_imports.py
	@$(RUN) .ci/check_sizes.py
	@$(RUN) .ci/check_docstrings.py
	@$(VENV)/bin/mypy

format: venv
	@$(VENV)/bin/clang-format -i $(CXX_FILES)
	@$(VENV)/bin/clang-format $(AS_TABLES) -i $(TABLES)
	@$(VENV)/bin/ruff check --fix --quiet . || true
	@$(VENV)/bin/ruff format .

tidy: venv
	$(call configure_if_changed,tidy,"$(CURDIR)/$(RUN)")
	@.ci/tidy build/tidy $(JOBS)

# -- sanitizers --------------------------------------------------------------------------------

# LLVM's archives are not instrumented: they write to arena memory that its headers, compiled by
# us, have marked as poisoned. A failed allocation is an answer that the runtime has to handle.
# Frames stay on the stack, where the limit of recursion expects them.
asan = allow_user_poisoning=0:allocator_may_return_null=1:detect_stack_use_after_return=0

# Nor is the interpreter: the runtime libraries are loaded before it, Python's own allocator is
# switched off so that ASan sees every object, and leaks are not judged because the interpreter
# leaves some at its end.
preload = $$(printf '%s:' $$(for name in asan ubsan stdc++; do g++ -print-file-name=lib$$name.so; done))

# Frames are several times as large as usual, and tests nest calls as deep as those allow.
sanitize: venv
	$(call configure_if_changed,sanitize,"$(CURDIR)/$(RUN)")
	@cmake --build build/sanitize -j $(JOBS)
	ASAN_OPTIONS=$(asan) UBSAN_OPTIONS=print_stacktrace=1 \
	  ctest --test-dir build/sanitize --output-on-failure -j $(TEST_JOBS) \
	  --timeout $(TEST_TIMEOUT)
	ulimit -s "$$(ulimit -Hs)"; LD_PRELOAD=$(preload) PYTHONMALLOC=malloc PYTHONPATH=build/sanitize/python \
	  ASAN_OPTIONS=$(asan):detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
	  $(RUN) $(PYTEST) tests/language

# -- wheel -------------------------------------------------------------------------------------

wheel:
	@.ci/make_wheels build/wheel $(SUPPORTED)
	@$(PYTHON) .ci/check_wheel.py build/wheel
	@for version in $(SUPPORTED); do .ci/try_wheel build/wheel $$version; done

# -- documentation -----------------------------------------------------------------------------

build/demo/times.txt: | build
	@mkdir -p build/demo
	@$(RUN) examples/run_demo.py --out build/demo >$@.new && mv $@.new $@

docs: build/demo/times.txt
	@.ci/bootstrap venv build/venv-docs $(PYTHON) docs
	@NO_MKDOCS_2_WARNING=1 build/venv-docs/bin/mkdocs build --strict --quiet

check-docs: docs
	@$(PYTHON) .ci/check_site.py build/site build/site-pictures

# -- engines -----------------------------------------------------------------------------------

test-engines: build
	@.ci/bootstrap venv build/venv-engines $(PYTHON) test-engines
	build/venv-engines/bin/python $(PYTEST) tests/processes

clean:
	rm -rf build
