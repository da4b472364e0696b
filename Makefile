# One way to do each thing. `make check` is what .ci/run calls; VENV=DIR takes another environment.
VENV ?= .venv
PYTHON ?= python3
BIN := $(VENV)/bin

.PHONY: install format lint types spelling test slow tests mutants speed cover docs check

install: ## environment with cueref (editable) and everything the checks need
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[test,browser]'

format: ## rewrite layout and import order
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix --select I .

lint: ## layout as `make format` leaves it, and the rules of pyproject.toml
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: ## mypy, strict, all packages
	$(BIN)/mypy

spelling:
	$(BIN)/codespell

test: ## the fast tests
	$(BIN)/pytest

slow: ## the slow tests; pytest's code 5 only says that there are none
	$(BIN)/pytest -m slow --ignore=tests/browser || test $$? -eq 5

tests: ## all of them in one run, the fast ones first (tests/conftest.py)
	$(BIN)/pytest -m 'slow or not slow' --ignore=tests/browser

mutants: ## every foul check switched off in turn: at least one test must fail (some minutes)
	$(BIN)/python -m benchmarks.mutants

speed: ## rulings a second on one core
	$(BIN)/python -m benchmarks.rulings

cover: ## branch coverage of the fast tests; needs pytest-cov, which nothing else does
	$(BIN)/pip install --quiet --disable-pip-version-check pytest-cov
	$(BIN)/pytest --cov=calibration --cov=vision --cov=tracker --cov=referee --cov=sample_videos --cov-branch --cov-report=term-missing:skip-covered

CHROMIUM ?= chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
	--disable-component-update --disable-sync --user-data-dir=$(CURDIR)/build/readme/browser --hide-scrollbars

docs: ## the page of rule coverage, and the pictures: the report on our own sample video and the live pages, drawn by Chromium
	$(BIN)/python -m referee.rules.coverage > docs/rule-coverage.md
	$(BIN)/cueref review sample_videos/legal_pot.mp4 --game nine-ball -o build/readme
	$(CHROMIUM) --window-size=900,850 --screenshot=$(CURDIR)/docs/images/report.png file://$(CURDIR)/build/readme/report.html
	$(BIN)/python tests/browser/pictures.py

check: lint types spelling tests ## all that must hold before a change goes in
