# se-gsl: graph structure learning by structural entropy, as a set of small programs
#
# make            build the tools into build/bin
# make demo       run the main job on data made on the spot
# make test       build and test
# make wheel      the Python package with the programs
# make mpi        se-train-mpi and se-tree-mpi, for several machines
# A new file in tools/ is a new tool, in common/ or formats/ a new part of the library.

VERSION := 0.1.0
B       ?= build
PREFIX  ?= /usr/local
SECONDS ?= 30

CC      ?= cc
MPICC   ?= mpicc
CFLAGS  ?= -O3 -g
WARN    := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
           -Wcast-qual -Wwrite-strings -Wvla -Wno-missing-field-initializers -Werror
BLAS     = $(shell pkg-config --modversion openblas 2>/dev/null)
# The commit that is built, with a + if something was changed since; a tarball has a file of it
REVISION := $(or $(shell cat .revision 2>/dev/null || \
             git describe --always --abbrev=7 --dirty=+ --exclude='*' 2>/dev/null),unknown)
# Nobody asks errno about a square root, and loops with one become vectors without it.
SE_FLAGS := -std=gnu11 -fno-math-errno -D_GNU_SOURCE -I. -I$(B) -MMD -MP $(WARN) \
           -DSE_LIBDIR='"$(PREFIX)/lib/se-gsl"'
# Against what a fault of ours could be used for; not where sanitizers watch, nor twice where a
# distribution passes its own.
HARDEN  := $(if $(findstring sanitize,$(CFLAGS)),,-fPIE -fstack-protector-strong \
           $(if $(findstring FORTIFY,$(CPPFLAGS) $(CFLAGS)),,-D_FORTIFY_SOURCE=2))
HARDEN_LD := $(if $(findstring sanitize,$(CFLAGS)),,-pie -Wl,-z,relro,-z,now)
LIBS    := -Wl,--as-needed -lz -lm -lpthread -ldl

SOURCES := $(sort $(shell find common formats -name "*.c"))
LIB     := $(B)/libse.a
NAMES   := $(patsubst tools/%.c,%,$(sort $(wildcard tools/se-*.c)))
TOOLS   := $(NAMES:%=$(B)/bin/%)
UNITS   := $(patsubst tests/unit/%.c,$(B)/unit/%,$(sort $(wildcard tests/unit/test-*.c)))
FUZZERS := $(patsubst tests/fuzz/%.c,$(B)/fuzz/%,$(sort $(wildcard tests/fuzz/fuzz-*.c)))
# Shell programs: those named se-* are installed, the rest goes along with them
DRIVERS := $(sort $(wildcard pipelines/se-*))
LINKS   := $(DRIVERS:pipelines/%=$(B)/bin/%)
ALL     := $(NAMES) $(DRIVERS:pipelines/%=%)
COMPLETIONS := $(ALL:%=$(B)/completions/%) $(ALL:%=$(B)/completions/_%)
SHARED  := $(filter-out $(DRIVERS) pipelines/lib pipelines/adapters pipelines/presets \
           pipelines/results pipelines/demo pipelines/packaging,$(sort $(wildcard pipelines/*)))
SCRIPTS := $(DRIVERS) $(filter-out %.tsv %.slurm,$(SHARED)) pipelines/demo \
           $(wildcard pipelines/lib/*.sh pipelines/adapters/* pipelines/packaging/conda/*/*.sh \
           .ci/run tests/setup tests/run tests/cluster cuda/usage tests/fuzz/run tests/fuzz/coverage tests/bench/*.sh tests/bench/run man/update tests/*.bash)

all: $(TOOLS) $(LINKS) $(COMPLETIONS) $(B)/share/se-gsl/options

# Packages are looked for once; tests/setup installs them or says how.
$(B)/.%-ready: tests/setup
	@mkdir -p $(@D)
	tests/setup $*
	@touch $@

$(B)/%.o: %.c | $(B)/.build-ready
	@mkdir -p $(@D)
	$(CC) $(SE_FLAGS) $(HARDEN) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

# A file common/train/models/NAME.c is a model
$(B)/models.inc: $(wildcard common/train/models/*.c)
	@mkdir -p $(@D)
	printf 'MODEL(%s)\n' $(patsubst common/train/models/%.c,%,$(sort $(wildcard common/train/models/*.c))) > $@

$(B)/common/train/models.o: $(B)/models.inc

# A struct se_format_NAME in formats/ is a format
$(B)/formats.inc: $(wildcard formats/*.c)
	@mkdir -p $(@D)
	sed -n 's/^const struct se_format se_format_\([a-z0-9_]*\) = {.*/FORMAT(\1)/p' $(sort $^) > $@

$(B)/formats/formats.o: $(B)/formats.inc

# Looked at each time, written when it differs
$(B)/version.inc: .FORCE
	@mkdir -p $(@D)
	@printf '#define SE_%s "%s"\n' VERSION '$(VERSION)' REVISION '$(REVISION)' \
	    BLAS 'OpenBLAS $(BLAS)' > $@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

$(B)/common/cli/version.o: $(B)/version.inc

$(LIB): $(SOURCES:%.c=$(B)/%.o)
	@rm -f $@
	$(AR) rcs $@ $^

$(TOOLS): $(B)/bin/%: $(B)/tools/%.o $(LIB)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(HARDEN_LD) $(LDFLAGS) -o $@ $(filter %.o,$^) $(LIB) $(LIBS)

# What fills a file of its own
$(B)/bin/se-info: $(B)/tools/info_row.o
$(B)/bin/se-cache: $(patsubst %,$(B)/tools/cache_%.o,key list steps)
$(B)/bin/se-train $(B)/fuzz/fuzz-train: $(B)/tools/train_options.o
$(B)/bin/se-tree $(B)/fuzz/fuzz-tree: $(B)/tools/tree_options.o

$(LINKS): $(B)/bin/%: pipelines/%
	@mkdir -p $(@D)
	ln -sf $(abspath $<) $@

$(UNITS): $(B)/unit/%: $(B)/tests/unit/%.o $(LIB)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(HARDEN_LD) $(LDFLAGS) -o $@ $^ $(LIBS)

# The options of se-gsl and of its stages, which it would else ask the tools for at every start
$(B)/share/se-gsl/options: $(TOOLS) $(wildcard pipelines/lib/stages.* pipelines/lib/se-gsl.txt)
	@mkdir -p $(@D)
	PATH="$(abspath $(B)/bin):$$PATH" pipelines/lib/stages.sh > $@.new
	mv $@.new $@

# The options of se-gsl are those of the stages, so all tools are there first
$(B)/completions/_%: $(B)/bin/% | $(TOOLS) $(LINKS)
	@mkdir -p $(@D)
	$< --completion zsh > $@

$(B)/completions/%: $(B)/bin/% | $(TOOLS) $(LINKS)
	@mkdir -p $(@D)
	$< --completion bash > $@

units: $(UNITS)

demo: all | $(B)/.demo-ready
	@pipelines/demo $(B)/bin

test: all units $(if $(shell command -v $(MPICC)),mpi) | $(B)/.test-ready
	tests/run $(B) $(TESTS)

# The same tests with every access and every undefined operation checked; not those of the
# shell programs, which run the same tools again
SHELL_TESTS := $(patsubst %,tests/%.bats,se-gsl se-report se-report-page se-data adapters experiments \
               man se-gsl-faults se-gsl-methods)
check-sanitize:
	$(MAKE) B=build/sanitize CFLAGS='-O1 -g -fno-omit-frame-pointer \
	    -fsanitize=address,undefined -fno-sanitize-recover=all' \
	    TESTS='$(filter-out $(SHELL_TESTS),$(sort $(wildcard tests/*.bats)))' test

# Every tool under valgrind on small data
check-valgrind: all | $(B)/.test-ready $(B)/.valgrind-ready
	SE_VALGRIND=1 tests/run $(B) tests/valgrind.bats

# gcc's analyzer (half a minute on two cores) takes the lanes of a vector for the bits of one
# number, so in the files of vector.h it sees shifts too wide and sums not set
ANALYZED := $(SOURCES) $(wildcard tools/*.c)
VECTORS  := $(shell grep -l "train/vector.h\|train_kernels.c" $(ANALYZED))
ANALYZE  := gcc $(filter-out -MMD -MP,$(SE_FLAGS)) -O1 -fanalyzer -c -o /dev/null
lint: all | $(B)/.lint-ready
	cppcheck -q -j $$(nproc) --std=c11 --enable=warning,performance,portability --inline-suppr \
	    --suppressions-list=tests/cppcheck.txt --error-exitcode=1 -I. -I$(B) -D_GNU_SOURCE \
	    -D__x86_64__ tools common formats
	printf '%s\n' $(SOURCES) $(wildcard tools/*.c) | xargs -P $$(nproc) -n 8 sh -c \
	    'clang-tidy --quiet --warnings-as-errors="*" "$$@" -- -std=gnu11 -D_GNU_SOURCE -I. \
	    -I$(B) 2>/dev/null' tidy
	printf '%s\n' $(filter-out $(VECTORS),$(ANALYZED)) | xargs -P $$(nproc) -n 1 $(ANALYZE)
	printf '%s\n' $(VECTORS) | xargs -P $$(nproc) -n 1 $(ANALYZE) \
	    -Wno-analyzer-shift-count-overflow -Wno-analyzer-use-of-uninitialized-value
	shellcheck $(SCRIPTS)
	for page in man/*.[1-9]; do groff -mdoc -ww -z $$page || exit 1; done
	mandoc -T lint -W warning man/*.[1-9]

# What takes longer than the tests: sanitizers, valgrind, analyzers, a little fuzzing, the package
check-slow:
	$(MAKE) check-sanitize
	$(MAKE) check-valgrind
	$(MAKE) lint
	$(MAKE) fuzz SECONDS=10
	$(MAKE) deb

# 500 runs killed and resumed, 100 damaged; each failing call for ten minutes
check-kill: all | $(B)/.test-ready
	SE_KILLS=500 tests/run $(B) tests/se-gsl-faults.bats
	SE_CORRUPTIONS=100 tests/run $(B) tests/corrupt.bats
	SE_INJECT_SECONDS=600 tests/run $(B) tests/inject.bats

fuzz: | $(B)/.fuzz-ready
	$(MAKE) B=build/fuzz CC=clang CFLAGS='-O1 -g -fsanitize=fuzzer-no-link,address,undefined \
	    -fno-sanitize-recover=all -DSE_SMALL_BLOCKS' fuzzers
	tests/fuzz/run build/fuzz $(SECONDS)

# What was fuzzed by make fuzz and which lines its corpus reaches, as tables
fuzz-coverage: | $(B)/.fuzz-ready
	$(MAKE) B=build/coverage CC=clang CFLAGS='-O1 -g1 -fsanitize=fuzzer-no-link \
	    -fprofile-instr-generate -fcoverage-mapping -DSE_SMALL_BLOCKS' fuzzers
	@mkdir -p build/fuzz
	tests/fuzz/coverage build/coverage build/fuzz

fuzzers: $(FUZZERS)

$(FUZZERS): $(B)/fuzz/%: $(B)/tests/fuzz/%.o $(LIB)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -fsanitize=fuzzer -o $@ $^ $(LIBS)

bench: all | $(B)/.bench-ready
	tests/bench/run $(B)/bin $(BENCH)

# Refresh what the man pages say of options
man: all
	man/update $(B)/bin

include cuda/emu/emu.mk cuda/cuda.mk mpi/mpi.mk

BIN  = $(DESTDIR)$(PREFIX)/bin
MAN  = $(DESTDIR)$(PREFIX)/share/man
BASH = $(DESTDIR)$(PREFIX)/share/bash-completion/completions
ZSH  = $(DESTDIR)$(PREFIX)/share/zsh/site-functions
SHARE = $(DESTDIR)$(PREFIX)/share/se-gsl
LIBDIR = $(DESTDIR)$(PREFIX)/lib/se-gsl

install: all
	install -d $(BIN) $(MAN)/man1 $(MAN)/man5 $(MAN)/man7 $(BASH) $(ZSH) $(SHARE)/lib \
	    $(SHARE)/adapters $(SHARE)/presets
	install $(TOOLS) $(DRIVERS) $(BIN)
	install $(filter-out %.tsv,$(SHARED)) $(SHARE)
	install -m 644 $(filter %.tsv,$(SHARED)) $(SHARE)
	install -m 644 pipelines/lib/* $(SHARE)/lib
	install -m 644 pipelines/presets/* $(SHARE)/presets
	install pipelines/adapters/* $(SHARE)/adapters
	install -m 644 man/*.1 $(MAN)/man1
	install -m 644 man/*.5 $(MAN)/man5
	install -m 644 man/*.7 $(MAN)/man7
	chmod 755 $(SHARE)/lib/stages.sh
	install -m 644 $(B)/share/se-gsl/options $(SHARE)
	install -m 644 $(ALL:%=$(B)/completions/%) $(BASH)
	install -m 644 $(ALL:%=$(B)/completions/_%) $(ZSH)
	if [ -e $(CUDA_PLUGIN) ]; then install -D -t $(LIBDIR) $(CUDA_PLUGIN); fi

uninstall:
	rm -f $(ALL:%=$(BIN)/%) $(ALL:%=$(BASH)/%) $(ALL:%=$(ZSH)/_%)
	rm -rf $(SHARE) $(LIBDIR)
	rm -f $(patsubst man/%,$(MAN)/man1/%,$(wildcard man/*.1)) \
	    $(patsubst man/%,$(MAN)/man5/%,$(wildcard man/*.5)) \
	    $(patsubst man/%,$(MAN)/man7/%,$(wildcard man/*.7))

# A tarball of the last commit that builds and tests without git and without a network
NAME := se-gsl-$(VERSION)
dist:
	@git rev-parse -q --verify HEAD >/dev/null || { echo "make dist needs the git repository" >&2; exit 1; }
	@mkdir -p $(B)
	git archive --prefix=$(NAME)/ --add-virtual-file=$(NAME)/.revision:$(REVISION:+=) HEAD | \
	    gzip -n > $(B)/$(NAME).tar.gz
	@echo $(B)/$(NAME).tar.gz

# A Debian package of that tarball, built aside; the tests are not run again
deb: dist | $(B)/.deb-ready
	rm -rf $(B)/deb
	mkdir -p $(B)/deb
	tar -xzf $(B)/$(NAME).tar.gz -C $(B)/deb
	cd $(B)/deb/$(NAME) && DEB_BUILD_OPTIONS='nocheck parallel=2' DEB_BUILD_PROFILES=nocheck dpkg-buildpackage -b -us -uc
	lintian --fail-on error $(B)/deb/se-gsl_*.changes
	@echo $(B)/deb/se-gsl_$(VERSION)_*.deb

# A wheel of the Python package with the programs, for pip
wheel: all | $(B)/.wheel-ready
	rm -rf $(B)/wheel
	$(MAKE) install DESTDIR=$(abspath $(B))/wheel PREFIX=/env
	formats/python/make-wheel $(B)/wheel/env $(B)

# The wheel in a clean environment with the libraries that it works with, from PyPI
check-python: wheel | $(B)/.test-ready
	rm -rf $(B)/python
	python3 -m venv $(B)/python
	$(B)/python/bin/pip install -q numpy scipy networkx igraph pandas anndata scanpy scikit-learn
	$(B)/python/bin/pip install -q --no-index --no-deps $(B)/segsl-*.whl
	SE_PYTHON=$(abspath $(B))/python/bin/python tests/run $(B) tests/python.bats

clean:
	rm -rf build

.PHONY: .FORCE all units demo test check-slow check-kill check-sanitize check-valgrind lint fuzz fuzz-coverage fuzzers bench man \
        install uninstall dist deb wheel check-python clean
.SECONDARY:
-include $(shell find $(B) -name '*.d' 2>/dev/null)
