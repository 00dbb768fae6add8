# Two commands do all the set-up: `make demo` and `make test`. Needs Python 3.11 or newer and make, nothing else.
PYTHON ?= $(shell command -v python3.11 || command -v python3.12 || command -v python3.13 || command -v python3)
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes
OWN := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
ARGS ?=
PYTEST_ARGS ?=

.PHONY: help demo test check bench browser cluster judge docs lock clean
help:
	@sed -n 's/^\([a-z]*\):.*## /make \1	/p' $(MAKEFILE_LIST)

demo: .venv/.run ## the real bot on a local Slack and a local Kubernetes; ARGS="--tour --exit" for a short visit
	$(BIN)/gpubot demo $(ARGS)

test: .venv/.test ## the tests that need nothing but Python
	$(BIN)/python -m pytest -n 2 tests $(PYTEST_ARGS)

check: .venv/.ci ## style, types, import contract, no registry's host in any file
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tests/hygiene.py

bench: .venv/.ci ## the figures, as ratios in one run, into bench.json; SKIP_CLUSTER=1 leaves the real control plane out
	$(BIN)/python -m tests.bench $(ARGS)

browser: .venv/.ci ## Debian's chromium drives the demo page; screenshots go to build/screenshots
	$(BIN)/python -m pytest tests/browser -m browser $(PYTEST_ARGS)

cluster: .venv/.ci ## the tests against a real control plane, built first (needs Go)
	$(BIN)/python -m pytest tests/cluster -m cluster $(PYTEST_ARGS)

judge: .venv/.ci ## 10,000 random pods: kube-scheduler's own plugins and ours must agree (needs Go); GPUBOT_JUDGE_PODS, GPUBOT_JUDGE_SEED
	$(BIN)/python -m pytest tests/judge -m judge $(PYTEST_ARGS)

docs: .venv/.run ## the pages that are made from docstrings
	$(BIN)/gpubot manifest --docs docs/commands.md

lock: ## look for newer versions of everything within pyproject's ranges
	python3 -m venv .lockenv && .lockenv/bin/pip install --quiet uv
	for name in ci test run; do \
	  case $$name in run) extras="--extra build";; test) extras="--extra build --extra test";; ci) extras="--all-extras";; esac; \
	  .lockenv/bin/uv pip compile pyproject.toml $$extras --upgrade --universal --python-version 3.11 --generate-hashes \
	    --no-emit-index-url --no-emit-find-links --no-header --no-annotate --quiet \
	    $$(test $$name = ci || echo --constraint config/lock/ci.txt) -o config/lock/$$name.txt || exit 1; \
	done; rm -rf .lockenv

.venv/bin/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed: install it, or say which one with PYTHON=..."; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "$(PYTHON) is older than 3.11: say which one to use with PYTHON=..."; exit 1; }
	$(PYTHON) -m venv .venv

.venv/.run: .venv/bin/python config/lock/run.txt pyproject.toml
	$(PIP) -r config/lock/run.txt
	$(OWN)
	@touch $@

.venv/.test: .venv/.run config/lock/test.txt
	$(PIP) -r config/lock/test.txt
	@touch $@

.venv/.ci: .venv/.test config/lock/ci.txt
	$(PIP) -r config/lock/ci.txt
	@touch $@

clean: ## remove what the commands made
	rm -rf .venv .lockenv build bench.json
