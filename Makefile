# Two commands do everything on a machine with Python >= 3.11, venv and make: `make demo` and `make test`.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/pip --disable-pip-version-check --quiet
WORKERS ?= auto
LARGE ?= 10000000

# A package of the system, where we may install one; the lists of packages may have to be fetched first.
system = { apt-get install -qq $(1) || { apt-get update -qq && apt-get install -qq $(1); }; } 2>/dev/null

.PHONY: demo test quick lint types unit bench docs figures wheel clean

demo: $(VENV)/installed
	$(BIN)/cobogo demo --out demo

test: lint types unit

lint: $(VENV)/tests-installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-cache
	$(BIN)/python -m press.messages --check

types: $(VENV)/tests-installed
	$(BIN)/mypy

unit: $(VENV)/tests-installed $(VENV)/browser-installed $(VENV)/mariadb-installed .venv-oracles/installed .venv-oracles-ldp/installed
	$(BIN)/pytest -n $(WORKERS) --dist loadgroup

# The inner loop, in less than a minute: no doctests, browsers, engines, nor what is marked slow.
quick: $(VENV)/tests-installed
	$(BIN)/pytest -n $(WORKERS) --dist loadgroup --quick tests

bench: $(VENV)/tests-installed .venv-peers/installed .venv-peers-smartnoise/installed .venv-peers-opendp/installed
	COBOGO_THOROUGH=1 $(BIN)/pytest --evidence tests
	COBOGO_THOROUGH=1 $(BIN)/pytest -n auto --dist loadgroup tests
	$(BIN)/python -m benchmarks
	LARGE=$(LARGE) $(BIN)/python -m benchmarks.large

docs: $(VENV)/docs-installed
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo 'Open site/index.html.'

# Draw every picture of the documentation again, some of them in a browser. Takes minutes; the pictures are committed.
figures: $(VENV)/tests-installed $(VENV)/browser-installed
	$(BIN)/python -m figures

# What goes to an index: built, checked, and installed into an empty environment with nothing but its core dependencies.
wheel: $(VENV)/tests-installed
	rm -rf dist .venv-wheel
	$(BIN)/python -m build --no-isolation
	$(BIN)/twine check --strict dist/*
	$(PYTHON) -m venv .venv-wheel
	.venv-wheel/bin/pip --disable-pip-version-check --quiet install --constraint requirements.lock dist/*.whl
	.venv-wheel/bin/cobogo demo --rows 300 --out .venv-wheel/demo
	rm -rf .venv-wheel

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Cobogó needs Python 3.11 or later: make PYTHON=…")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: $(VENV)/bin/python requirements.lock pyproject.toml
	$(PIP) install --constraint requirements.lock --editable .
	@echo 'Compiling modules and kernels, once.'
	$(BIN)/python -m compileall -q src/cobogo
	$(BIN)/python -m cobogo.publish.recode.warm
	touch $@

$(VENV)/docs-installed: $(VENV)/installed
	$(PIP) install --constraint requirements.lock --editable '.[docs]'
	touch $@

$(VENV)/tests-installed: $(VENV)/installed
	$(PIP) install --constraint requirements.lock --editable '.[test]'
	@echo 'Compiling the kernels of every algorithm, once.'
	PYTHONPATH=tests $(BIN)/python tests/support/kernel_tasks.py
	touch $@

# The workbench is tested in the system's Chromium; where there is none, one is fetched by Playwright or by the system.
$(VENV)/browser-installed: $(VENV)/tests-installed
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || \
	$(BIN)/playwright install chromium || $(call system,chromium) || \
	echo 'There is no Chromium here and none can be installed, so the tests of the workbench are skipped.'
	touch $@

# A MariaDB server comes from the system only, and its driver is compiled where it is installed.
$(VENV)/mariadb-installed: $(VENV)/tests-installed
	@PATH=$$PATH:/usr/sbin command -v mariadbd >/dev/null || $(call system,--no-install-recommends mariadb-server-core) || true
	@$(PIP) install --constraint requirements.lock --editable '.[mariadb]' 2>/dev/null || \
	{ $(call system,libmariadb-dev) && $(PIP) install --constraint requirements.lock --editable '.[mariadb]'; } || \
	echo 'The driver of MariaDB cannot be installed here, so the tests of MariaDB are skipped.'
	touch $@

# pycanon, an independent measure of k and l, wants older libraries than ours: it lives in an environment of its own.
# qif, an independent solver of optimal mechanisms, is compiled for some machines only: its test is left out elsewhere.
.venv-oracles/installed: tests/oracles/requirements.txt tests/oracles/qif.txt
	$(PYTHON) -m venv .venv-oracles
	.venv-oracles/bin/pip --disable-pip-version-check --quiet install --requirement tests/oracles/requirements.txt
	@.venv-oracles/bin/pip --disable-pip-version-check --quiet install --requirement tests/oracles/qif.txt || \
	echo 'qif cannot be installed here, so its test is left out.'
	touch $@

# Independent local reports. They were made for other versions of their own libraries: where they cannot be installed,
# their tests are skipped.
.venv-oracles-ldp/installed: tests/oracles/ldp.txt
	@$(PYTHON) -m venv .venv-oracles-ldp && \
	.venv-oracles-ldp/bin/pip --disable-pip-version-check --quiet install --requirement $< && touch $@ || \
	{ rm -rf .venv-oracles-ldp; echo 'pure-ldp cannot be installed here, so its tests are skipped.'; }

# The packages that benchmarks compare with want older libraries, too.
.venv-peers/installed: benchmarks/peers/requirements.txt
	$(PYTHON) -m venv .venv-peers
	.venv-peers/bin/pip --disable-pip-version-check --quiet install --requirement benchmarks/peers/requirements.txt
	touch $@

# Each of these pins an OpenDP of its own. Where one cannot be installed, its benchmark is left out.
.venv-peers-%/installed: benchmarks/peers/%.txt
	@$(PYTHON) -m venv .venv-peers-$* && \
	.venv-peers-$*/bin/pip --disable-pip-version-check --quiet install --requirement $< && touch $@ || \
	echo '$* cannot be installed here, so its benchmark is left out.'

clean:
	rm -rf $(VENV) .venv-oracles .venv-oracles-ldp .venv-peers .venv-peers-smartnoise .venv-peers-opendp demo .pytest_cache .mypy_cache .ruff_cache .hypothesis
