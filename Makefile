# Every target does its own set-up, in .venv, and does it again only where something changed.
VENV   := .venv
PYTHON := $(VENV)/bin/python
PIP    := $(VENV)/bin/pip --disable-pip-version-check --quiet
ENGINE := CMakeLists.txt $(shell find tavla_ai/engine -name '*.cpp' -o -name '*.hpp' -o -name '*.inl')
# The editable install knows modules by the list that was made when it was installed.
MODULES := $(sort $(shell find tavla_ai -name '*.py'))
RUN    := runs/quick
BUNDLE := exports/quick

.PHONY: FORCE setup train test test-slow test-wheel test-peer sanitize lint docs bench calibrate tensorboard clean

setup: $(VENV)/.engine

$(VENV)/.compiler:
	@command -v "$${CXX:-c++}" >/dev/null 2>&1 || command -v g++ >/dev/null 2>&1 || command -v clang++ >/dev/null 2>&1 || { \
	  echo "tavla-ai needs a C++20 compiler and found none: install g++ 11 or clang 14 or later (Debian and Ubuntu: apt-get install g++; macOS: xcode-select --install)" >&2; exit 1; }
	@command -v python3 >/dev/null 2>&1 || { echo "tavla-ai needs Python 3.11 or later as python3" >&2; exit 1; }
	@python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "tavla-ai needs Python 3.11 or later; python3 is $$(python3 -V 2>&1)" >&2; exit 1; }
	@python3 -m venv $(VENV) || { echo "python3 cannot make a virtual environment (Debian and Ubuntu: apt-get install python3-venv)" >&2; exit 1; }
	@touch $@

# Torch comes first, in the version the project is tested with, so that no other package chooses one.
$(VENV)/.packages: pyproject.toml $(VENV)/.compiler
	@echo "installing packages into $(VENV); the first time takes a few minutes"
	@$(PIP) install "torch==2.13.0"
	@$(PIP) install "scikit-build-core>=0.11" "nanobind>=2.4"
	@$(PIP) install --no-build-isolation --editable ".[train,export,dev,docs]"
	@touch $@

# Written only where the list is another one.
$(VENV)/.modules: FORCE | $(VENV)/.compiler
	@echo "$(MODULES)" | cmp -s - $@ || echo "$(MODULES)" > $@
FORCE:

$(VENV)/.engine: $(ENGINE) $(VENV)/.packages $(VENV)/.modules
	@$(PIP) install --no-build-isolation --no-deps --editable .
	@touch $@

train: setup
	$(PYTHON) -m train --config configs/quick.yaml --run $(RUN) --resume auto
	@test -e $(BUNDLE)/manifest.json || $(VENV)/bin/tavla export $(RUN)/final --out $(BUNDLE)
	$(VENV)/bin/tavla export --verify $(BUNDLE)
	@echo
	@echo "The bot is $(RUN)/final, its bundle for a game server $(BUNDLE)."
	@echo "Next: $(VENV)/bin/tavla tournament $(RUN)/final checkpoints/tavla pubeval --games 4000"
	@echo "      $(PYTHON) -m train --config configs/tavla.yaml      # the long recipe"
	@echo "      make tensorboard                                  # the curves"

test: setup
	$(PYTHON) -m pytest -n auto

test-slow: setup
	$(PYTHON) -m pytest -m "slow or not slow" -n 2

# Builds the wheel, installs it into an environment without torch and Ray, and runs the lines of docs/first-day.md there.
test-wheel: setup
	$(PYTHON) -m pytest -m slow tests/docs/test_first_day.py

# Needs the extra [peers] and GNU Backgammon; what is not there is skipped.
test-peer: setup
	$(PYTHON) -m pytest -m peer

# The engine's tests with AddressSanitizer and UndefinedBehaviorSanitizer, in an environment of their own.
SANITIZED := build/sanitize-venv
sanitize: setup
	@python3 -m venv $(SANITIZED)
	@$(SANITIZED)/bin/pip --disable-pip-version-check --quiet install "scikit-build-core>=0.11" "nanobind>=2.4" pytest hypothesis
	@$(SANITIZED)/bin/pip --disable-pip-version-check --quiet install --no-build-isolation \
	  --config-settings=build-dir=build/sanitize --config-settings=cmake.define.TAVLA_SANITIZE=ON .
	cd tests && LD_PRELOAD="$$($${CXX:-c++} -print-file-name=libasan.so) $$($${CXX:-c++} -print-file-name=libstdc++.so)" \
	  ASAN_OPTIONS=detect_leaks=0 ../$(SANITIZED)/bin/python -P -m pytest -q -p no:cacheprovider \
	  engine evaluator/test_bearoff.py

lint: setup
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports --no-logo

# Warnings are errors. Builds without a network.
docs: setup
	NO_MKDOCS_2_WARNING=1 $(PYTHON) -m mkdocs build --strict --quiet
	@echo "The site is build/site/index.html."

bench: setup
	$(VENV)/bin/tavla bench

# Run it again whenever one of the three checkpoints changes; about ten minutes. The gaps are the same in both houses.
RATINGS := easy=1200,medium=1500,hard=1750
LEVELS := checkpoints/levels.yaml
calibrate: setup
	$(VENV)/bin/tavla calibrate --ruleset north-sultan --match-length 3 --ratings $(RATINGS) --out $(LEVELS)
	$(VENV)/bin/tavla calibrate --ruleset oyna-tavla --match-length 5 --ratings $(RATINGS) --out $(LEVELS)

tensorboard: setup
	$(VENV)/bin/tensorboard --logdir runs

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .grimp_cache .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
