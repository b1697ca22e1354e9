# One command each; every target sets up what it needs, so each works alone on a fresh clone.

PYTHON ?= python3
# Parallel test processes: one and a half per core unless told otherwise (tests/conftest.py).
JOBS ?= auto
PYTEST_OPTIONS ?=
# Modules are compiled once, whatever the surroundings say: the tests start hundreds of processes. Empty is off.
export PYTHONDONTWRITEBYTECODE :=

BIN := .venv/bin
READY := .venv/.ready
PYTEST := $(BIN)/pytest -n $(JOBS) --maxprocesses 8 --dist worksteal $(PYTEST_OPTIONS)

# What users read: pages, help texts, messages. Their exceptions are in pyproject.toml.
SPELLED := README.md CHANGELOG.md CONTRIBUTING.md ARCHITECTURE.md SECURITY.md docs examples server fuzz bench \
  editor-client/README.md editor-client/package.json editor-client/src

.DEFAULT_GOAL := help
.PHONY: help setup demo check lint types types-product types-tests layers guest docs docs-serve client-lint format test test-heavy test-all shake redteam test-llm client client-test vsix pages e2e quality realcode history image rooms schema lock lock-bigcodebench clean

help: ## Say what each target does.
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | while IFS="$$(printf '\t')" read -r name text; do printf '  make %-11s %s\n' "$$name" "$$text"; done

setup: $(READY) ## Create .venv and install the project with its development tools.

$(READY): pyproject.toml
	@found=; \
	for candidate in "$(PYTHON)" python3.13 python3.12 python3.11 python3.14 python3; do \
	  if "$$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then found=$$candidate; break; fi; \
	done; \
	if [ -z "$$found" ]; then \
	  echo "No Python 3.11 or newer with venv was found as '$(PYTHON)' or python3.x; install one, or name it: make $(MAKECMDGOALS) PYTHON=/path/to/python3.12" >&2; \
	  exit 2; \
	fi; \
	if ! $(BIN)/python -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then \
	  echo "Creating .venv with $$found"; \
	  "$$found" -m venv --clear .venv; \
	fi
	@echo "Installing lsp-evalplus and its development tools into .venv"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

demo: $(READY) ## Check examples/ and show what is wrong with them (no network, no key, about ten seconds).
	@$(BIN)/python examples/demo.py

check: lint types layers guest docs client-lint ## Everything that can be said without running the code.

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

# Two targets, so that `make --jobs 2 check` runs them side by side.
types: types-product types-tests

types-product: $(READY)
	$(BIN)/pyright

types-tests: $(READY)
	$(BIN)/pyright --project tests/pyrightconfig.json

layers: $(READY)
	$(BIN)/lint-imports --no-logo

# The guest runs in the user's interpreter, which may be as old as CPython 3.9.
guest: $(READY)
	$(BIN)/vermin --quiet --no-tips --violations --target=3.9- fuzz/lsp_evalplus/fuzz/guest

docs: $(READY) ## Check the spelling, and build the documentation site in build/docs/site; links that lead nowhere fail.
	@$(BIN)/codespell $(SPELLED)
	@$(BIN)/python docs/make_site.py build/docs

docs-serve: $(READY) ## Build the documentation site, and show it on this machine.
	@$(BIN)/python docs/make_site.py build/docs --serve

format: $(READY) ## Format the code and mend what ruff can mend.
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

test: $(READY) ## The default suite: under three minutes on two cores.
	$(PYTEST) -m 'not slow and not e2e'

test-heavy: $(READY) ## The slow tests that `make test` leaves out.
	$(PYTEST) -m 'slow and not further and not e2e'

test-all: $(READY) ## Every test but real editors; those on data sets need LSP_EVALPLUS_DATA.
	$(PYTEST) -m 'not e2e'

# The model's server has an environment of its own: torch is large, and nothing of it belongs to this project.
LLM_TORCH ?= torch --index-url https://download.pytorch.org/whl/cpu
LLM_READY := .venv-llm/.ready

$(LLM_READY): $(READY)
	$(BIN)/python -m venv .venv-llm
	.venv-llm/bin/python -m pip install --quiet --disable-pip-version-check $(LLM_TORCH)
	.venv-llm/bin/python -m pip install --quiet --disable-pip-version-check 'transformers[serving]' tokenizers
	@touch $@

SHAKE_OPTIONS ?=

shake: $(READY) ## The default suite five times beside eight busy loops (SHAKE_OPTIONS='--suite slow --runs 2').
	$(BIN)/python tests/shake/shake.py $(SHAKE_OPTIONS)

redteam: $(READY) ## Every attack that was tried so far, by kind: tried, held, not held (about ten minutes).
	$(BIN)/python tests/redteam/redteam.py $(REDTEAM_OPTIONS)

EXPORT := --frozen --no-dev --no-emit-project --no-header --no-annotate --quiet

lock: ## Resolve uv.lock anew, and what the VS Code extension installs from it (needs uv).
	uv lock
	uv export $(EXPORT) --output-file editor-client/locked/requirements.txt
	uv export $(EXPORT) --extra llm --output-file editor-client/locked/requirements-llm.txt
	uv export $(EXPORT) --extra mcp --output-file editor-client/locked/requirements-mcp.txt
	uv export $(EXPORT) --extra llm --extra mcp --output-file editor-client/locked/requirements-llm-mcp.txt

BIGCODEBENCH_LOCK = bench/lsp_evalplus/bench/environment/bigcodebench-py310.txt
lock-bigcodebench: ## Lock BigCodeBench's environment anew: its versions with the hashes of all their files (needs uv).
	sed -n 's/^\([A-Za-z0-9][^ ]*==[^ ]*\) .*/\1/p' $(BIGCODEBENCH_LOCK) > $(BIGCODEBENCH_LOCK).in
	uv pip compile --generate-hashes --no-annotate --no-header --python-version 3.10 $(BIGCODEBENCH_LOCK).in --output-file $(BIGCODEBENCH_LOCK)
	rm $(BIGCODEBENCH_LOCK).in

test-llm: $(READY) $(LLM_READY) ## A real OpenAI-compatible server with random weights: its garbage does no harm.
	LSP_EVALPLUS_LLM_PYTHON="$(CURDIR)/.venv-llm/bin/python" $(BIN)/pytest -m llm_server tests/server/test_real_model.py $(PYTEST_OPTIONS)

editor-client/node_modules/.ready: editor-client/package-lock.json
	cd editor-client && npm ci --no-audit --no-fund
	@touch $@

pages-client/node_modules/.ready: pages-client/package-lock.json
	cd pages-client && npm ci --ignore-scripts --no-audit --no-fund
	@touch $@

ifeq ($(shell command -v npm),)
client-lint:
	@echo "npm is not installed: the VS Code extension and the charts of pages are left out of this check."
else
client-lint: editor-client/node_modules/.ready pages-client/node_modules/.ready
	cd editor-client && npm run --silent check
	cd pages-client && npm run --silent check
endif

pages: pages-client/node_modules/.ready ## Build the script that draws the charts of pages again.
	cd pages-client && npm run --silent build

client: editor-client/node_modules/.ready ## Lint, type-check and test the VS Code extension.
	cd editor-client && npm run --silent check && npm run --silent test

client-test: editor-client/node_modules/.ready # `make check` has linted and type-checked it.
	cd editor-client && npm run --silent test

vsix: $(READY) editor-client/node_modules/.ready ## Build editor-client/lsp-evalplus.vsix with the server's wheel inside.
	rm -rf editor-client/bundled
	$(BIN)/python -m build --wheel --outdir editor-client/bundled . >/dev/null
	cp editor-client/locked/requirements*.txt editor-client/bundled/
	cd editor-client && npm run --silent package

e2e: vsix pages ## Drive VS Code, Neovim, Emacs and pages in a browser; installs them first (Debian, as root or with sudo).
	tests/e2e/install.sh
	# A scenario that fails is tried once more and counted as a rerun: browsers on shared machines lose keystrokes now and then.
	# Four that fail twice have one cause: the rest would take its time to fail as well.
	LSP_EVALPLUS_E2E=1 $(BIN)/pytest -m e2e tests/e2e --reruns 1 --maxfail 4 --basetemp="$$(mktemp -d)/e2e" $(PYTEST_OPTIONS)

quality: $(READY) ## How many known bugs are found, how fast, how small (needs LSP_EVALPLUS_DATA).
	$(BIN)/python tests/quality/measure.py

REALCODE ?= --jobs 2

realcode: $(READY) ## How much is found in 57 packages of PyPI that nobody looks at, and what is said of harmless changes (two hours).
	$(BIN)/python tests/quality/realcode.py --packages realcode_unseen.txt $(REALCODE)

history: $(READY) ## Compare published versions of public packages with `check --diff` (PyPI; half an hour).
	$(BIN)/python tests/history/record.py

image: $(READY) ## Record docs/images/demo.svg again from the real demo.
	$(BIN)/python docs/images/make_demo_svg.py

rooms: $(READY) ## Draw docs/images/rooms.svg again: which room imports which.
	$(BIN)/python docs/images/make_rooms_svg.py

schema: $(READY) ## Write docs/settings.schema.json and the extension's settings again from their definitions.
	$(BIN)/python docs/make_settings_schema.py

clean: ## Remove what the other targets made.
	rm -rf .venv .venv-llm .pytest_cache .ruff_cache .import_linter_cache .hypothesis dist build htmlcov .coverage
	find server fuzz bench tests examples docs -name __pycache__ -type d -prune -exec rm -rf {} +
