# All jobs of the project are rules in this file. CI calls only these rules.
#
#   make repl       start the prompt; ARGS="--demo" begins with a demo server
#   make test       run the tests
#   make build      compile the libraries and the example
#   make lint       check formatting, language, documentation coverage and the mutants' patterns
#   make availability  find APIs that the oldest supported macOS and iOS lack; on Linux
#   make format     format the sources
#   make schema     write Docs/scrollback.proto and Benchmarks/compared.proto from the schemas
#   make language   count unusual phrases in comments, messages and pages; ARGS="--list" shows each
#   make docs       build the website of the guides and the reference in .build-docs/site
#   make bench      benchmark the binary form and the store against alternatives; passes ARGS on
#   make bench-codecs, bench-store  run one of these two benchmarks
#   make figures    count the costs of store operations; fail if one exceeds its limit
#   make figures-update  replace the limits by the current costs
#   make bench-sync benchmark the engine between a server and a store, and the collections
#   make measure    make all figures of the pages on performance, in about an hour; the parts that a
#                   command does not write into the pages are in .build-measure
#   make bench-search  compare searches with SQLite's FTS5; ARGS="CORPUS", a file of JSON lines
#
#   make tsan       run the tests with the thread sanitizer
#   make asan       run the tests with the address sanitizer, which also finds leaks
#   make ubsan      run the C++ code with the undefined behavior sanitizer
#   make fuzz       fuzz each decoder for FUZZ_SECONDS (10); make NAME fuzzes one of them
#   make mutants    plant deliberate bugs, and report which test detects each
#   make faults     inject each kind of fault, and write the results to Docs/Reliability.md
#   make soak       run clients with faults for SOAK_SECONDS (600) from SEED; write to the same page
#   make interop    compare the binary form with protoc
#   make app-costs  print what the package adds to a program, and to the time of a build
#   make consumers  build, run and test the packages in Tests/Consumers, which depend on this one
#   make graphs     resolve the dependencies of those packages ten times each
#   make ios        build the libraries for the iOS simulator; on macOS, with Xcode
#   make matrix-server  start a Matrix homeserver on loopback, for trying MatrixBackend
#   make test-matrix    run the conformance suite, stories and a soak on two such homeservers
#   make test-matrix-quick  run three of the stories on one such homeserver, in half a minute
#   make figures-matrix measure MatrixBackend on such a homeserver, in some minutes
#   make test-inspector run the inspector's page in Chromium; PICTURES=Docs also writes its pictures
#   make simulation run the simulation of the engine in a release build with SEEDS (100000) seeds
#   make corpus     import the real chat logs in CORPUS, page them offline, and compare them
#   make nightly    run the jobs that are too slow for CI: tsan, asan, graphs, short benchmarks,
#                   long tests, 25,000 seeds, faults, soak, and fuzz
#
#   make install    install the prompt in PREFIX/bin (/usr/local); make uninstall removes it
#   make deps       install readline and, on Linux, LevelDB if they are missing, with apt-get as root or
#                   brew
#   make clean      remove all build products
#
# Rules that compile code first install missing dependencies.

SHELL := /bin/bash
MAKEFLAGS += --silent
.DEFAULT_GOAL := help

MODULES := Models Store Sync Collections EmbeddedServer MatrixBackend ScrollbackTesting ScrollbackInspector
FUZZERS := Records JSON Rows Sealed CacheFile Names Cursors ChatLog LogPieces Line Search
# These build the libraries with other flags. They come last, so that the others share one build.
LAST_CONSUMERS := WithInspector WithLogging WithOwnModules
CONSUMERS := $(filter-out $(LAST_CONSUMERS),$(patsubst Tests/Consumers/%/Package.swift,%,\
    $(wildcard Tests/Consumers/*/Package.swift))) $(LAST_CONSUMERS)
SOURCES := Package.swift Sources Tests Examples Benchmarks
FUZZ_SECONDS ?= 10
# Optimized code with the checks of `assert`, which debug builds always have.
ASSERTIONS := -Xswiftc -assert-config -Xswiftc Debug
SOAK_SECONDS := 600
SEEDS := 100000
# Two servers, with two ports each: this one and the next, and ten more.
MATRIX_TEST_PORT := 18408
SEED := $(shell date +%s)
# The page to which faults and soak write their results; empty for none.
PAGE := Docs/Reliability.md
PREFIX := /usr/local

# With all traits. They keep dependencies of single parts from apps that do not use these parts.
TRAITS := --traits Inspector,Logging
STRICT := $(TRAITS) -Xswiftc -warnings-as-errors --explicit-target-dependency-import-check error
# Eight tests at a time: without a limit all of them are open at once, with 1,700 files. Foundation's
# Process reads past the end of its list of open files when it starts with more than about 1,365.
TEST = swift test --quiet --disable-xctest --experimental-maximum-parallelization-width $(PARALLEL_TESTS)
PARALLEL_TESTS := 8
# A cached build manifest would lack files that are new in Sources.
BENCH := cd Benchmarks && swift run -c release --disable-build-manifest-caching
# All consumers share a scratch directory, so that their dependencies are built once. The cached
# build manifest would be that of the previous package.
CONSUME := --disable-build-manifest-caching --scratch-path .build-consumers --package-path Tests/Consumers/

ifeq ($(shell uname),Darwin)
# The compiler does not search Homebrew's directories, and would use the system's libedit as readline.
export CPATH := $(shell brew --prefix readline)/include
export LIBRARY_PATH := $(shell brew --prefix readline)/lib
DOCC := xcrun docc
SDK = -sdk "$$(xcrun --show-sdk-path)"
else
DOCC := docc
endif

DOCC_FLAGS := --enable-experimental-external-link-support --warnings-as-errors \
    --transform-for-static-hosting --hosting-base-path scrollback

.PHONY: matrix-server test-matrix test-matrix-quick figures-matrix test-inspector help repl test corpus build built lint availability format schema language docs bench bench-codecs bench-store bench-sync bench-search measure figures figures-update \
	tsan asan ubsan fuzz fuzzer faults soak interop consumers app-costs graphs ios nightly simulation mutants install uninstall deps deps-bench deps-browser deps-interop clean symbols \
	$(FUZZERS) Logs $(CONSUMERS)

# Prints the comment at the top of this file.
help:
	sed -n '/^#/!q; s/^# \{0,1\}//p' $(firstword $(MAKEFILE_LIST))

repl: deps
	swift run $(STRICT) scrollback-repl $(ARGS)

test: deps
	$(TEST) $(STRICT)

build: deps
	swift build $(STRICT)

lint: language symbols .build-tools/undocumented .build-tools/mutants .build-tools/tidy
	.build-tools/tidy
	swift format lint --strict --recursive --parallel $(SOURCES)
	.build-tools/mutants check
	.build-tools/undocumented .build-symbols/*

# Type-checks the modules of the debug build again, for Apple's systems.
ifeq ($(shell uname),Darwin)
availability:
	echo "On macOS, each build checks the availability."
else
availability: built .build-tools/availability
	.build-tools/availability
endif

language: .build-tools/language
	.build-tools/language $(ARGS)

schema: deps
	SCROLLBACK_RECORD=1 $(TEST) $(STRICT) --filter ProtoTests

format:
	swift format --in-place --recursive --parallel $(SOURCES)

docs: symbols .build-tools/guides
	rm -rf .build-docs
	.build-tools/guides .build-docs/Guides.docc
	$(DOCC) convert .build-docs/Guides.docc $(DOCC_FLAGS) --fallback-display-name Guides \
	    --fallback-bundle-identifier scrollback.Guides --output-path .build-docs/Guides.doccarchive
	links="--dependency .build-docs/Guides.doccarchive"; \
	for module in $(MODULES); do \
	    mkdir -p .build-docs/$$module && \
	    cp .build-symbols/$$module[.@]* .build-docs/$$module && \
	    $(DOCC) convert Sources/$$module/$$module.docc --additional-symbol-graph-dir .build-docs/$$module \
	        --fallback-display-name $$module --fallback-bundle-identifier scrollback.$$module \
	        --enable-experimental-external-link-support $$links --warnings-as-errors \
	        --transform-for-static-hosting --hosting-base-path scrollback \
	        --output-path .build-docs/$$module.doccarchive || exit 1; \
	    links="$$links --dependency .build-docs/$$module.doccarchive"; \
	done
	mkdir -p .build-docs/site
	$(DOCC) merge $(patsubst %,.build-docs/%.doccarchive,Guides $(MODULES)) --output-path .build-docs/site/scrollback \
	    --synthesized-landing-page-name Scrollback --synthesized-landing-page-kind Package
	echo "Serve .build-docs/site, and open /scrollback/documentation there."

bench: bench-codecs bench-store

bench-codecs: deps deps-bench
	$(BENCH) bench $(ARGS)

bench-store: deps deps-bench
	$(BENCH) bench-store $(ARGS)

bench-sync: deps deps-bench
	$(BENCH) bench-sync $(ARGS)

bench-search: deps deps-bench
	$(BENCH) bench-search $(ARGS)

# Each part is run alone: another one beside it would change the figures. The corpus is that of the
# searches; without one, they are omitted.
measure: deps deps-bench
	mkdir -p .build-measure
	set -e -o pipefail; \
	measured() { tee "$(CURDIR)/.build-measure/$$1.md"; }; \
	$(MAKE) bench ARGS="--markdown ../Docs/Performance.md"; \
	$(MAKE) bench-store ARGS=tables | measured tables; \
	$(MAKE) bench-store ARGS="kinds --count 1000000" | measured kinds; \
	for run in 1 2 3; do $(MAKE) bench-sync | measured sync-$$run; done; \
	if [ -n "$(CORPUS)" ]; then \
	    $(MAKE) bench-search ARGS="$(abspath $(CORPUS))" | measured search; \
	    $(MAKE) bench-search ARGS="$(abspath $(CORPUS)) --generate 1000000" | measured search-generated; \
	fi; \
	$(MAKE) app-costs | measured app-costs; \
	$(MAKE) figures-matrix | measured matrix

matrix-server:
	Tests/Tools/matrix-server start

# Separate servers, so that one that `make matrix-server` started goes on. They are stopped in any
# case.
define with-matrix
	if ! $(call limit,300) Tests/Tools/matrix-server needs; then \
	    echo "Skipped: this needs Synapse, which cannot be installed from PyPI."; exit; fi; \
	export MATRIX_HOME="$(CURDIR)/.build-matrix/test" MATRIX_PORT=$(MATRIX_TEST_PORT); \
	export MATRIX_PEER=$$((MATRIX_PORT + 10)); \
	export SCROLLBACK_MATRIX=http://127.0.0.1:$$MATRIX_PORT; \
	export SCROLLBACK_MATRIX_PEER=http://127.0.0.1:$$MATRIX_PEER; \
	export SWIFT_BACKTRACE=enable=yes,threads=all,interactive=no,color=no; \
	peer() { MATRIX_HOME="$(CURDIR)/.build-matrix/peer" MATRIX_PORT=$$MATRIX_PEER \
	    MATRIX_PEER=$(MATRIX_TEST_PORT) Tests/Tools/matrix-server $$1; }; \
	trap 'Tests/Tools/matrix-server stop; peer stop' EXIT; \
	Tests/Tools/matrix-server start && $1
endef

# Ends a command that takes longer than a number of seconds, where coreutils are installed.
limit = $(shell command -v timeout >/dev/null && echo timeout -k 5 $1)

# One test at a time: a homeserver with SQLite answers many at once too late on a busy machine.
# The stories restart a server, so they run alone.
test-matrix: deps
	$(call with-matrix,peer start \
	    && if Tests/Tools/matrix-nio needs; then export SCROLLBACK_MATRIX_NIO=1; fi \
	    && $(TEST) $(STRICT) --no-parallel --filter 'LiveConformanceTests|LiveSoakTests|LiveMatrixTests|LiveClientTests|LiveKindTests|LiveTrafficTests' \
	    && $(TEST) $(STRICT) --skip-build --filter LiveStoryTests)

# The stories that do not restart the server. `make test` has built them.
test-matrix-quick: deps
	$(call with-matrix,$(call limit,150) $(TEST) $(STRICT) --skip-build \
	    --filter 'messagesAndEditWrittenOffline|twoDevicesOfAUser|messageThatArrivesLate' \
	    || { echo "The live tests failed or did not end within 150 s." >&2; false; })

figures-matrix: deps
	$(call with-matrix,peer start && TEST_TARGET=MatrixBackendTests SCROLLBACK_MATRIX_FIGURES=1 \
	    $(TEST) $(TRAITS) --configuration release -Xswiftc -enable-testing \
	    --scratch-path .build-figures --filter LiveFigureTests)

test-inspector: deps deps-browser
	SCROLLBACK_BROWSER=1 SCROLLBACK_PICTURES="$(PICTURES)" $(TEST) $(STRICT) --filter 'BrowserTests|PictureTests'

# With sanitizers, tests are so slow that eight at a time would exceed their limits of ten minutes.
tsan asan: PARALLEL_TESTS := 3

# Tests of the main actor wait for each other, and each command of the prompt for all of them, so the
# tests of the prompt get a process of their own.
tsan: deps
	export TSAN_OPTIONS=suppressions=$(CURDIR)/Tests/Tools/races.txt; \
	$(TEST) $(TRAITS) --sanitize=thread --scratch-path .build-tsan --skip '^REPLTests\.' && \
	$(TEST) $(TRAITS) --sanitize=thread --scratch-path .build-tsan --filter '^REPLTests\.'

# The linker warns about the sanitizer's own symbols. Tests that kill processes or run protoc test
# other processes, without the sanitizer.
asan: deps
	set -o pipefail; \
	LSAN_OPTIONS=suppressions=$(CURDIR)/Tests/Tools/leaks.txt:print_suppressions=0 \
	    $(TEST) $(TRAITS) --sanitize=address --scratch-path .build-asan --skip 'Interop|protoc|KillTests' 2>&1 | sed '/local symbol .__asan_/d'

# Compiles only the C++ code, which takes seconds. On macOS, LevelDB is not installed for that.
ifeq ($(shell uname),Darwin)
ubsan:
	echo "make ubsan runs on Linux."
else
ubsan: deps
	mkdir -p .build-ubsan
	clang++ -std=c++17 -O1 -g -Wall -Wextra -Werror -Wno-nullability-completeness -pthread \
	    -fsanitize=undefined -fno-sanitize-recover=all \
	    -ISources/CLevelDB/include -ITests/CFaultEnvironment/include \
	    Sources/CLevelDB/*.cpp Tests/CFaultEnvironment/*.cpp Tests/UndefinedBehavior/main.cpp \
	    -lleveldb -o .build-ubsan/main
	.build-ubsan/main .build-ubsan/databases
endif

# Runs two fuzzers at a time, since each has one thread. make 3.81 of macOS mixes their output.
fuzz:
	$(MAKE) --jobs 2 $(if $(filter output-sync,$(.FEATURES)),--output-sync) $(FUZZERS)

fuzzer: deps
	swiftc -sanitize=fuzzer -parse-as-library -o /dev/null -driver-print-jobs Tests/Fuzz/Fuzzer/Fuzzer.swift \
	    >/dev/null 2>&1 || { \
	    echo "This Swift toolchain has no libFuzzer; Xcode's has none. Install a toolchain from swift.org." >&2; exit 1; \
	}
	swift build --sanitize=fuzzer --configuration release $(ASSERTIONS) --product ScrollbackFuzzer \
	    --scratch-path .build-fuzz

# The first directory receives new inputs, and those that crashed, took more than five seconds, or
# used more memory than an input of a few kilobytes justifies.
$(FUZZERS) Logs: fuzzer
	mkdir -p .build-fuzz/$@
	set -o pipefail; \
	FUZZ_TARGET=$@ SWIFT_BACKTRACE=enable=no .build-fuzz/release/ScrollbackFuzzer -max_total_time=$(FUZZ_SECONDS) \
	    -timeout=5 -rss_limit_mb=1024 -malloc_limit_mb=256 \
	    -artifact_prefix=.build-fuzz/$@- -verbosity=0 -print_funcs=0 -print_final_stats=1 \
	    .build-fuzz/$@ Tests/Fuzz/Corpus/$@ 2>&1 | sed '/^["#]/d; s/^/$@: /'

# MUTANTS are the names of the mutants to run; the default is all.
mutants: deps .build-tools/mutants
	.build-tools/mutants plant .build-mutants/tree
	swift build --build-tests --package-path .build-mutants/tree --scratch-path .build-mutants/build
	SCROLLBACK_RUNS=2000 .build-tools/mutants kill .build-mutants/tree $(MUTANTS)

faults: deps
	swift run -c release $(STRICT) ScrollbackReliability faults $(if $(PAGE),--page $(PAGE))

soak: deps
	swift run -c release $(STRICT) ScrollbackReliability soak $(SOAK_SECONDS) $(SEED) $(if $(PAGE),--page $(PAGE))

interop: deps deps-interop
	SCROLLBACK_REQUIRE_PROTOC=1 $(TEST) $(STRICT) --filter 'Interop|protoc'

consumers: $(CONSUMERS)
	swift build $(CONSUME)Plain --configuration release --static-swift-stdlib
	.build-consumers/release/Plain
	! swift package --scratch-path .build-graphs --package-path Tests/Consumers/Plain show-dependencies \
	    | grep -iE 'flyingfox|swift-log'

app-costs: deps
	Tests/Tools/app-costs

$(CONSUMERS): deps
	$(if $(shell grep executableTarget Tests/Consumers/$@/Package.swift),swift run $(CONSUME)$@)
	$(if $(wildcard Tests/Consumers/$@/Tests),$(TEST) $(CONSUME)$@)

# SwiftPM rejects a graph with two modules of the same name only in some runs.
graphs:
	for package in $(CONSUMERS); do rm -rf .build-graphs; for run in {1..10}; do \
	    swift package --scratch-path .build-graphs --package-path Tests/Consumers/$$package \
	        show-dependencies >/dev/null || { echo "$$package was refused in run $$run"; exit 1; }; \
	done; done

# Builds only the libraries: the prompt would need readline.
ios:
	for scheme in Scrollback EmbeddedServer ScrollbackTesting; do \
	    xcodebuild build -quiet -scheme $$scheme -destination 'generic/platform=iOS Simulator' \
	        -derivedDataPath .build-ios || exit 1; \
	done

corpus: deps
	SCROLLBACK_CORPUS=$(abspath $(CORPUS)) swift test --disable-xctest $(STRICT) --filter CorpusTests

# A release build runs five times as many seeds in a second as the build of `make test`.
simulation: deps
	TEST_TARGET=SyncTests SCROLLBACK_RUNS=$(SEEDS) SCROLLBACK_FIRST=$(SEED) \
	    $(TEST) $(TRAITS) --configuration release $(ASSERTIONS) -Xswiftc -enable-testing \
	    --scratch-path .build-simulation --filter SyncTests.ModelTests

nightly: deps deps-bench
	.ci/lanes 'graphs, bench bench-sync ARGS=--quick, simulation SEEDS=25000, asan, fuzz FUZZ_SECONDS=120' \
	    'tsan, test SCROLLBACK_NIGHTLY=1, faults soak PAGE='

# Strips debug information. The program needs LevelDB and readline on the system where it runs.
install: deps
	swift build $(STRICT) --configuration release --product scrollback-repl
	install -d "$(DESTDIR)$(PREFIX)/bin"
	install -s -m 755 "$$(swift build --configuration release --show-bin-path)/scrollback-repl" \
	    "$(DESTDIR)$(PREFIX)/bin/scrollback"
	echo "$(DESTDIR)$(PREFIX)/bin/scrollback is installed."

uninstall:
	rm -f "$(DESTDIR)$(PREFIX)/bin/scrollback"

clean:
	rm -rf .build .build-* Benchmarks/.build

# Writes the public symbols of the modules as JSON, for lint and docs. `swift package
# dump-symbol-graph` would compile all modules again, with all traits.
symbols: built
	rm -rf .build-symbols && mkdir -p .build-symbols
	modules=$$(swift build --show-bin-path); \
	system=$$(swift -print-target-info | sed -n 's/^ *"triple": *"\(.*\)".*/\1/p'); \
	for module in $(MODULES); do \
	    swift symbolgraph-extract -module-name $$module -target $$system $(SDK) \
	        -I $$modules/Modules -I Sources/CLevelDB/include \
	        -I .build/checkouts/FlyingFox/CSystemLinux/include \
	        -Xcc -fmodule-map-file=$$modules/CScrollbackLevelDB.build/module.modulemap \
	        -minimum-access-level public -skip-synthesized-members -output-dir .build-symbols || exit 1; \
	done

built: deps
	swift build $(STRICT) --build-tests

.build-tools/%: Tests/Tools/%.swift
	mkdir -p $(@D)
	swiftc -O -o $@ $<

# macOS has libedit under the name of readline, but without readline/rltypedefs.h. On macOS, SwiftPM
# builds LevelDB.
deps:
ifeq ($(shell uname),Darwin)
	$(call have,readline/rltypedefs.h) || $(call install,,readline)
else
	($(call have,leveldb/c.h) && $(call have,readline/rltypedefs.h)) || \
	    $(call install,libleveldb-dev libreadline-dev,readline)
endif

# The figures are counts, not times, so they are the same on every machine with Linux. Deterministic
# hashing keeps them the same in every process.
figures figures-update: deps
	cd Benchmarks/Measuring && SWIFT_DETERMINISTIC_HASHING=1 swift run -c release --disable-build-manifest-caching \
	    --scratch-path ../../.build-consumers figures $(if $(filter figures,$@),check,write) figures.txt

# The libraries with which the store is compared.
deps-bench:
	$(call have,sqlite3.h) || $(call install,libsqlite3-dev,sqlite)
	$(call have,lmdb.h) || $(call install,liblmdb-dev,lmdb)

deps-interop:
	command -v protoc >/dev/null || $(call install,protobuf-compiler,protobuf)

deps-browser:
	command -v chromedriver >/dev/null || \
	    $(call install,chromium chromium-driver,--cask google-chrome chromedriver)

have = echo '\#include <$(1)>' | clang -E -x c - >/dev/null 2>&1

# $(call install,packages of apt,packages of brew)
install = if command -v apt-get >/dev/null; then \
	    if [ -n "$(SUDO)" ] && ! command -v sudo >/dev/null; then \
	        echo "Only root installs packages, and there is no sudo. As root: apt-get install $(1)" >&2; exit 1; \
	    fi; \
	    echo "Installing missing packages$(if $(SUDO),. sudo may ask for your password for): apt-get install $(1)"; \
	    export DEBIAN_FRONTEND=noninteractive; \
	    $(SUDO) apt-get update -qq && $(SUDO) apt-get install -y -qq $(1) >/dev/null; \
	elif command -v brew >/dev/null; then \
	    echo "Installing missing packages: brew install $(2)"; \
	    brew install $(2); \
	else \
	    echo "Neither apt-get nor brew is here. Please install, with headers: $(2)." >&2; exit 1; \
	fi

SUDO := $(if $(filter-out 0,$(shell id -u)),sudo --preserve-env=DEBIAN_FRONTEND)
