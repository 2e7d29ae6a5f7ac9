# Every target sets up what it needs in .venv; all it takes is Python 3.11 or later and make.
PYTHON ?= python3
PIP_ARGS ?=
VENV := .venv
RUN := $(VENV)/bin/
export DAGSTER_HOME := $(CURDIR)/dagster_home
# Where it is set, as in many containers, each of the hundreds of processes that tests start would compile the sources anew.
unexport PYTHONDONTWRITEBYTECODE

UV := $(shell command -v uv)
# uv takes a seventh of pip's time, and knows pip's folder of wheels only if it is told.
WHEELS = $(or $(PIP_FIND_LINKS),$(shell $(PYTHON) -m pip config get global.find-links 2> /dev/null))
INSTALL = $(if $(UV),UV_FIND_LINKS="$(WHEELS)" $(UV) pip install --python $(RUN)python,$(RUN)python -m pip install) --quiet $(PIP_ARGS)
# Three workers for two cores, as tests wait for processes. A worker runs whole files and groups (tests/support/groups.py);
# what is skipped is named at the end.
WORKERS ?= $(shell echo $$(( ($$(getconf _NPROCESSORS_ONLN) * 3 + 1) / 2 )))
COSTS = $(VENV)/costs.jsonl
PYTEST = $(RUN)python -m pytest -n $(WORKERS) --dist loadgroup -rs

.PHONY: demo test test-changed test-slow test-slow-part check figures lint pyright ui docs site wheel sbom audit clean

demo: $(VENV)/.installed  ## build the sample corpus, answer its questions, score the answers
	$(RUN)kohaku refresh
	@echo
	@echo "ask:      .venv/bin/kohaku ask \"How much electricity did the whole workshop use in 2023?\" --unit kWh"
	@echo "open UI:  make ui   (then http://127.0.0.1:3000)"

test: $(VENV)/.installed-dev  ## run the tests that protect daily work; no key and no network
	@rm -f $(COSTS)
	$(PYTEST) -m "not slow" --costs=$(COSTS)

BASE ?=
test-changed: $(VENV)/.installed-dev  ## run the tests nearest to what differs from main, or from BASE=HEAD~3, in about 80 s
	PYTHONPATH=docs $(RUN)python tests/support/changed_tests.py $(if $(BASE),--base $(BASE))

test-slow: $(VENV)/.installed-dev  ## run the tests that storm: kills, many clients, Ray, Postgres, the wheel
	$(PYTEST) -m slow tests
	@! git diff --quiet HEAD || git rev-parse HEAD > .ci/slow-tier  # what has changed since is what CI runs of it

test-slow-part: $(VENV)/.installed-dev  ## run the slow tests of code that has changed and a third of the others, for 3 minutes
	$(PYTEST) -m slow --slow-part=180 tests

check: lint site sbom test figures  ## all that each change must pass
	@! git diff --quiet HEAD || git rev-parse 'HEAD^{tree}' >> $(VENV)/.checked  # for people to see; nothing is skipped for it

figures: $(VENV)/.installed-dev  ## print what a change is to keep low (CONTRIBUTING.md, A budget)
	@PYTHONPATH=docs $(RUN)python tests/support/figures.py

lint: $(VENV)/.installed-dev  ## check format, lint and types
	$(RUN)ruff format --check .
	$(RUN)ruff check .
	$(RUN)pyrefly check

# At Node's own limit of memory pyright drops its caches and takes three times as long.
pyright: $(VENV)/.installed-dev  ## check types by a second, slower checker, before a release
	NODE_OPTIONS=--max-old-space-size=8192 $(RUN)pyright

ui: $(VENV)/.installed  ## open Dagster with its daemon on the project of kohaku.toml
	$(RUN)kohaku ui

docs: $(VENV)/.installed-dev  ## write the generated pages of docs/ anew from the code
	$(RUN)python docs/generate.py

site: $(VENV)/.installed-dev  ## build the documentation into site/; a link that leads nowhere is an error
	NO_MKDOCS_2_WARNING=1 $(RUN)mkdocs build --quiet --strict

wheel: $(VENV)/.installed-dev  ## build sdist and wheel into dist/, and try the wheel in an empty environment
	PIP_ARGS="$(PIP_ARGS)" .ci/wheel

sbom: $(VENV)/.installed-dev  ## list all dependencies with their licences into dist/
	$(RUN)python .ci/dependencies.py

audit: $(VENV)/.installed-dev  ## look for known vulnerabilities of the dependencies
	.ci/audit

clean:  ## remove everything that was computed; documents and settings stay
	rm -rf data/store dist site $(addprefix dagster_home/,history logs schedules storage .logs_queue .nux .telemetry)

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Kohaku needs Python 3.11 or later; set PYTHON=/path/to/python3.11")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml constraints.txt | $(VENV)/bin/python
	@echo "installing into $(VENV); the first time this takes a few minutes"
	$(INSTALL) -c constraints.txt -e .
	@touch $@

$(VENV)/.installed-dev: pyproject.toml constraints.txt | $(VENV)/bin/python
	@echo "installing into $(VENV); the first time this takes a few minutes"
	$(INSTALL) -c constraints.txt -e '.[dev,docs,ocr]'
	@touch $(VENV)/.installed $@
