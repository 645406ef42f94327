# Everything happens in .venv, which each target makes first where it must: the versions are those
# of requirements-dev.txt. Any Python from 3.11 on does, as in `make PYTHON=python3.13 test`.

PYTHON ?= python3
UPGRADE ?= --upgrade
export PIP_DISABLE_PIP_VERSION_CHECK := 1
BIN := .venv/bin
APT := apt-get install -qy --no-install-recommends
CORE := $(filter-out %/contract.pxd,$(wildcard core_ext/phom_core/*.p[xy]?))
CORE_TESTS := $(addprefix tests/test_,decoder.py encoder.py games.py handed_cases.py hands.py)
SOURCES := pyproject.toml setup.py proto/generate.py $(wildcard proto/phom/v1/*.proto) $(CORE)

.PHONY: help run test test-system image sanitize slow soak differential laws mutants fuzz unchanged bench instructions lint types licences lock clean

help:  ## Say what there is to make.
	@grep -E '^[a-z-]+:.*##' Makefile | sed -E 's/:.*##/\t/' | expand -t 16

run: .venv/installed  ## Judge a sample game, then serve.
	$(BIN)/phom-referee replay docs/sample.phom
	@echo "To call the server that starts now, type in another terminal:"
	@echo "  $(BIN)/phom-referee convert docs/sample.phom --to json | $(BIN)/python docs/call.py"
	@echo "Ctrl-C stops it."
	$(BIN)/phom-referee serve

test: .venv/installed .venv/tools  ## All that needs no more than Python, a C compiler, make and git.
	$(BIN)/pytest -n auto

test-system: .venv/installed sanitize  ## Installing, signals, leaks, a real Prometheus and Envoy, the sanitizers.
	command -v promtool > /dev/null || $(APT) prometheus
	$(BIN)/pytest -m "system and not slow"

image: .venv/installed  ## Build the container image without a daemon, and run it as Kubernetes would (root, Debian).
	command -v buildah && command -v crun && command -v mmdebstrap || $(APT) buildah crun mmdebstrap
	deploy/build-image.sh .cache/image
	$(BIN)/pytest -m image

# Builds into a folder of its own, which goes before the installed core; the tests are the same.
sanitize: .venv/installed  ## The core's tests again, with a core that reports its own faults.
	PHOM_SANITIZE=address,undefined $(BIN)/pip install -q --no-build-isolation --no-deps --upgrade --target .cache/sanitized .
	PYTHONPATH=$(CURDIR)/.cache/sanitized LD_PRELOAD=$$(gcc -print-file-name=libasan.so) ASAN_OPTIONS=detect_leaks=0 $(BIN)/pytest -n auto $(CORE_TESTS)

slow: .venv/installed  ## The tests that take minutes.
	$(BIN)/pytest -m "slow and not system"

soak: .venv/installed  ## Millions of games through one server: memory, files and threads stay.
	$(BIN)/pytest -m "slow and system"

differential: .venv/installed  ## Referee against oracle, 500,000 logs; most of an hour on a core.
	$(BIN)/python tests/differential.py --count 500000 --seed 1

laws: .venv/installed  ## No dead ends in a million states; all laws on 100,000 of each house; half an hour on a core.
	$(BIN)/python tests/dead_ends.py --states 1000000 --seed 1
	$(BIN)/python tests/laws.py --states 100000 --seed 1

mutants: .venv/installed  ## Faults put into the rules one by one: a test finds each; half an hour on two cores.
	$(BIN)/python tests/mutants/run.py --jobs 2

fuzz: .venv/installed  ## The decoder against protobuf's parser, ten million mutated inputs.
	$(BIN)/python tests/fuzz_decoder.py --count 10000000 --seed 1 --jobs 2

unchanged: .venv/installed  ## The same bytes for every request as BASE (main) gives: for who moves code.
	$(BIN)/python tests/unchanged.py --base $(or $(BASE),main)

# OpenSpiel is what the solver is compared with, h2load the load of unary calls; both for this alone.
bench: .venv/bench  ## Every figure as a ratio against its roof, on two processors; ten minutes.
	command -v h2load > /dev/null || $(APT) nghttp2-client
	$(BIN)/python tests/bench/run.py

instructions: .venv/installed  ## Instructions a hand takes, by valgrind's callgrind, against their limits.
	$(BIN)/python tests/bench/instructions.py

lint: .venv/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	PATH="$(BIN):$$PATH" cython-lint core_ext
	$(BIN)/buf lint
	$(BIN)/buf format --diff --exit-code
	$(BIN)/hadolint deploy/Dockerfile

types: .venv/installed
	$(BIN)/mypy

licences: .venv/installed  ## What the image holds, under which licences; an unknown one is an error.
	$(BIN)/pip-licenses --from=mixed --partial-match --allow-only "Apache;BSD;MIT;PSF" --packages $$(sed -n 's/==.*//p' deploy/requirements.txt)

# Without --upgrade a lock keeps what it has; the image gets the versions that the tests had.
UV = .cache/uv/bin/uv pip compile -q --universal --generate-hashes --custom-compile-command "make lock"
BUILDS = python3 -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"], sep="\n")'

lock:  ## Write the three locks anew, with the newest versions allowed; UPGRADE= for what is missing only.
	$(PYTHON) -m venv .cache/uv
	.cache/uv/bin/pip install -q uv
	$(BUILDS) | $(UV) $(UPGRADE) --extra dev pyproject.toml - -o requirements-dev.txt
	$(UV) -c requirements-dev.txt --extra tracing pyproject.toml -o deploy/requirements.txt
	$(BUILDS) | $(UV) -c requirements-dev.txt --group image - -o deploy/requirements-build.txt

clean:  ## Remove all that is not committed but made.
	git clean -fdXq

.venv/locked: requirements-dev.txt
	@echo "Setting up .venv: a few minutes, once."
	$(PYTHON) -m venv --clear .venv
	$(BIN)/pip install -q --require-hashes -r requirements-dev.txt
	touch $@

.venv/installed: .venv/locked $(SOURCES)
	$(BIN)/pip install -q --no-build-isolation --no-deps -e .
	touch $@

# Go comes with the other tools; what it builds has its hashes in go.sum.
.venv/tools: .venv/locked $(wildcard tests/operatorcheck/*)
	cd tests/operatorcheck && GOBIN=$(CURDIR)/.venv/bin $(CURDIR)/.venv/bin/go install tool .
	touch $@

.venv/bench: .venv/installed
	$(BIN)/pip install -q open_spiel==2.0.2
	touch $@
