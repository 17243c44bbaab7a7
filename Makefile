# make setup   an environment in .venv and a Chromium; a second call does nothing
# make train   trains on the mock shop
# make serve   the mock sites for your own browser
# make test | lint | bench | clean
#
# Tests that take minutes are left out of `make test`; `make test ARGS="-m long"` runs them.
# ARGS="..." is handed on to the command: make test ARGS="-k server"
# PYTHON=python3.12 chooses the interpreter. TORCH_ARGS="--index-url URL" chooses where torch comes from:
# on Linux pip's default is a CUDA build of several gigabytes, and PyTorch's own index of CPU builds is far smaller.

PYTHON ?= python3
TORCH_ARGS ?=
TEST_WORKERS ?= 2
ARGS ?=

VENV := .venv
PY := $(VENV)/bin/python
READY := $(VENV)/.ready

.PHONY: setup train serve test lint format bench clean

setup: $(READY)

$(PY):
	@command -v $(PYTHON) >/dev/null || { echo "$(PYTHON) was not found: install Python 3.11 or later, or set PYTHON=" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or later is needed; choose one with PYTHON=, $(PYTHON) is too old" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
		{ [ "$$(id -u)" = 0 ] && apt-get update -q && apt-get install -y -q --no-install-recommends python3-venv; } || \
		{ echo "Python's venv module is missing; on Debian type: sudo apt-get install python3-venv" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

$(READY): pyproject.toml | $(PY)
	$(PY) -m pip install -q $(TORCH_ARGS) "$$($(PY) -c 'import tomllib; print(*[d for d in tomllib.load(open("pyproject.toml", "rb"))["project"]["dependencies"] if d.startswith("torch=")])')"
	$(PY) -m pip install -q -e '.[dev]'
	$(PY) -m harness.install
	@touch $@

train: setup
	$(PY) -m harness.train $(ARGS)

serve: setup
	$(PY) -m harness.serve $(ARGS)

test: setup
	$(PY) -m pytest -n $(TEST_WORKERS) --dist loadfile -m "not long" $(ARGS)

lint: setup
	$(PY) -m ruff format --check .
	$(PY) -m ruff check .
	$(PY) -m mypy
	$(VENV)/bin/oxlint --deny-warnings harness/page harness/forms sites tests

format: setup
	$(PY) -m ruff format .
	$(PY) -m ruff check --fix .

bench: setup
	$(PY) -m harness.bench $(ARGS)

clean:
	rm -rf build dist *.egg-info test-results .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find harness policy sites tests -name __pycache__ -type d -prune -exec rm -rf {} +
