# Every job of the project is a rule here; CI calls these rules and nothing else.
#
#   make repl       try the package at a prompt; ARGS="--demo" begins with a small world
#   make test       run the tests
#   make build      compile the libraries and the example
#   make lint       check the formatting, the language, and that all that is public is documented
#   make availability  find what the oldest supported macOS and iOS do not have; on Linux
#   make format     format the sources
#   make language   count unusual phrases in comments, messages and pages; ARGS="--list" shows each
#   make docs       write the guides and the reference, as a website, to .build-docs/site
#   make bench      measure the binary form and the store, against their peers; ARGS="..." is passed on
#   make bench-codecs, bench-store  the one, or the other
#   make figures    count what calls of the store cost, and fail if it is more than before
#   make figures-update  take what they cost now as what they may
#   make bench-sync measure the engine between a server and a store, and the collections
#
#   make tsan       run the tests under the thread sanitizer
#   make asan       run the tests under the address sanitizer, which finds leaks too
#   make ubsan      run the C++ code under the undefined behavior sanitizer
#   make fuzz       feed the decoders damaged bytes, for FUZZ_SECONDS (10) each; make NAME feeds one of them
#   make mutants    plant deliberate bugs, and say which test finds each
#   make faults     inject each kind of fault, and write what becomes of messages into Docs/Reliability.md
#   make soak       let clients live with faults for SOAK_SECONDS (600), with SEED, and write that there too
#   make interop    read and write the binary form against protoc
#   make consumers  build, run and test the packages in Tests/Consumers, which use this one
#   make graphs     resolve those packages ten times each
#   make ios        build the libraries for the iOS simulator; on macOS, with Xcode and CMake
#   make matrix-server  start a Matrix homeserver on loopback, to try MatrixBackend with
#   make test-matrix    run the conformance suite on that homeserver
#   make corpus     import the real logs in CORPUS, page them offline, and compare them
#   make nightly    what takes longer: tsan, asan, graphs, the long tests, faults, soak, ten minutes of fuzz
#
#   make install    put the prompt into PREFIX/bin (/usr/local); make uninstall removes it
#   make deps       install LevelDB and readline where they are missing
#   make clean      remove all that was built
#
# The rules that compile install what is missing first.

SHELL := /bin/bash
MAKEFLAGS += --silent
.DEFAULT_GOAL := help

MODULES := Models Store Sync Collections EmbeddedServer MatrixBackend ScrollbackTesting
FUZZERS := Records JSON Rows Sealed CacheFile Names Cursors ChatLog Line
CONSUMERS := $(patsubst Tests/Consumers/%/Package.swift,%,$(wildcard Tests/Consumers/*/Package.swift))
SOURCES := Package.swift Sources Tests Examples Benchmarks
FUZZ_SECONDS ?= 10
SOAK_SECONDS := 600
SEED := $(shell date +%s)
# What faults and soak write their part of; nothing for none.
PAGE := Docs/Reliability.md
PREFIX := /usr/local

STRICT := -Xswiftc -warnings-as-errors --explicit-target-dependency-import-check error
TEST := swift test --quiet --disable-xctest
# All in one directory, so that what they share is built once; a manifest that was kept would be of
# the package before.
CONSUME := swift run --disable-build-manifest-caching --scratch-path .build-consumers \
    --package-path Tests/Consumers/

ifeq ($(shell uname),Darwin)
# Homebrew's directories are not searched by default, and readline would be the system's libedit.
export CPATH := $(shell brew --prefix leveldb)/include:$(shell brew --prefix readline)/include
export LIBRARY_PATH := $(shell brew --prefix leveldb)/lib:$(shell brew --prefix readline)/lib
DOCC := xcrun docc
else
DOCC := docc
endif

DOCC_FLAGS := --enable-experimental-external-link-support --warnings-as-errors \
    --transform-for-static-hosting --hosting-base-path scrollback

.PHONY: matrix-server test-matrix help repl test corpus build built lint availability format language docs bench bench-codecs bench-store bench-sync figures figures-update \
	tsan asan ubsan fuzz fuzzer faults soak interop consumers graphs ios nightly mutants install uninstall deps deps-bench deps-interop clean symbols \
	$(FUZZERS) Logs $(CONSUMERS)

# What is at the top of this file.
help:
	sed -n '/^#/!q; s/^# \{0,1\}//p' $(firstword $(MAKEFILE_LIST))

repl: deps
	swift run $(STRICT) scrollback-repl $(ARGS)

test: deps
	$(TEST) $(STRICT)

build: deps
	swift build $(STRICT)

lint: language symbols .build-tools/undocumented .build-tools/mutants
	swift format lint --strict --recursive --parallel $(SOURCES)
	.build-tools/mutants check
	.build-tools/undocumented $(foreach module,$(MODULES),.build/*/symbolgraph/$(module)[.@]*)

# The debug build is checked once more, as if for Apple's systems.
ifeq ($(shell uname),Darwin)
availability:
	echo "On macOS, each build checks the availability."
else
availability: built .build-tools/availability
	.build-tools/availability
endif

language: .build-tools/language
	.build-tools/language $(ARGS)

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
	    cp .build/*/symbolgraph/$$module[.@]* .build-docs/$$module && \
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
	cd Benchmarks && swift run -c release bench $(ARGS)

bench-store: deps deps-bench
	cd Benchmarks && swift run -c release bench-store $(ARGS)

bench-sync: deps deps-bench
	cd Benchmarks && swift run -c release bench-sync $(ARGS)

matrix-server:
	Tests/Tools/matrix-server start

# Skipped where neither an installed homeserver nor PyPI is there.
test-matrix: deps
	if Tests/Tools/matrix-server needs; then \
	    Tests/Tools/matrix-server start && \
	    SCROLLBACK_MATRIX=http://127.0.0.1:$${MATRIX_PORT:-8008} $(TEST) $(STRICT) --filter LiveConformanceTests; \
	    status=$$?; Tests/Tools/matrix-server stop; exit $$status; \
	else echo "Skipped: the tests need Synapse, and PyPI cannot be reached."; fi

tsan: deps
	$(TEST) --sanitize=thread --scratch-path .build-tsan

# The linker warns of each of the sanitizer's own symbols. Foundation leaks some bytes of each process
# that it starts, so protoc and the kills are left out.
asan: deps
	set -o pipefail; \
	$(TEST) --sanitize=address --scratch-path .build-asan --skip 'Interop|protoc|KillTests' 2>&1 | sed '/local symbol .__asan_/d'

# Compiles the C++ alone, which takes seconds. The vptr check would need a LevelDB built with RTTI.
ubsan: deps
	mkdir -p .build-ubsan
	clang++ -std=c++17 -O1 -g -Wall -Wextra -Werror -Wno-nullability-completeness -pthread \
	    -fsanitize=undefined -fno-sanitize=vptr -fno-sanitize-recover=all \
	    -ISources/CLevelDBEnvironment/include -ITests/CFaultEnvironment/include \
	    Sources/CLevelDBEnvironment/*.cpp Tests/CFaultEnvironment/*.cpp Tests/UndefinedBehavior/main.cpp \
	    -lleveldb -o .build-ubsan/main
	.build-ubsan/main .build-ubsan/databases

# Two at a time: a fuzzer is one thread. The make of macOS, 3.81, cannot keep their output apart.
fuzz:
	$(MAKE) --jobs 2 $(if $(filter output-sync,$(.FEATURES)),--output-sync) $(FUZZERS)

fuzzer: deps
	swiftc -sanitize=fuzzer -parse-as-library -o /dev/null -driver-print-jobs Tests/Fuzz/Fuzzer/Fuzzer.swift \
	    >/dev/null 2>&1 || { \
	    echo "This Swift toolchain has no libFuzzer; Xcode's has none. Install a toolchain from swift.org." >&2; exit 1; \
	}
	swift build --sanitize=fuzzer --configuration release --product ScrollbackFuzzer --scratch-path .build-fuzz

# New inputs are kept in the first directory, beside those that crashed, took more than five seconds, or
# had memory taken that nothing in a few kilobytes is worth.
$(FUZZERS) Logs: fuzzer
	mkdir -p .build-fuzz/$@
	set -o pipefail; \
	FUZZ_TARGET=$@ SWIFT_BACKTRACE=enable=no .build-fuzz/release/ScrollbackFuzzer -max_total_time=$(FUZZ_SECONDS) \
	    -timeout=5 -rss_limit_mb=1024 -malloc_limit_mb=256 \
	    -artifact_prefix=.build-fuzz/$@- -verbosity=0 -print_funcs=0 -print_final_stats=1 \
	    .build-fuzz/$@ Tests/Fuzz/Corpus/$@ 2>&1 | sed '/^["#]/d; s/^/$@: /'

# MUTANTS are the names of those that are meant; all by default.
mutants: deps .build-tools/mutants
	.build-tools/mutants plant .build-mutants/tree
	swift build --build-tests --package-path .build-mutants/tree --scratch-path .build-mutants/build
	.build-tools/mutants kill .build-mutants/tree $(MUTANTS)

faults: deps
	swift run -c release $(STRICT) ScrollbackReliability faults $(if $(PAGE),--page $(PAGE))

soak: deps
	swift run -c release $(STRICT) ScrollbackReliability soak $(SOAK_SECONDS) $(SEED) $(if $(PAGE),--page $(PAGE))

interop: deps deps-interop
	SCROLLBACK_REQUIRE_PROTOC=1 $(TEST) $(STRICT) --filter 'Interop|protoc'

consumers: $(CONSUMERS)
	swift build --disable-build-manifest-caching --scratch-path .build-consumers \
	    --package-path Tests/Consumers/Plain --configuration release --static-swift-stdlib
	.build-consumers/release/Plain
	swift test --quiet --disable-xctest --disable-build-manifest-caching --scratch-path .build-consumers \
	    --package-path Tests/Consumers/FirstCollection

$(CONSUMERS): deps
	$(CONSUME)$@

# SwiftPM refuses a graph with two modules of one name in some runs and not in others.
graphs:
	for package in $(CONSUMERS); do rm -rf .build-graphs; for run in {1..10}; do \
	    swift package --scratch-path .build-graphs --package-path Tests/Consumers/$$package \
	        show-dependencies >/dev/null || { echo "$$package was refused in run $$run"; exit 1; }; \
	done; done

# The libraries alone: the prompt needs readline, and no program is linked.
ios: .build-ios/leveldb.xcframework
	for scheme in Scrollback EmbeddedServer ScrollbackTesting; do \
	    xcodebuild build -quiet -scheme $$scheme -destination 'generic/platform=iOS Simulator' \
	        -derivedDataPath .build-ios \
	        HEADER_SEARCH_PATHS="\$$(inherited) $$(echo "$(CURDIR)"/$</ios-*-simulator/Headers)" || exit 1; \
	done

.build-ios/leveldb.xcframework: Tests/Tools/leveldb-xcframework
	$< $@

corpus: deps
	SCROLLBACK_CORPUS=$(abspath $(CORPUS)) swift test --disable-xctest $(STRICT) --filter CorpusTests

nightly: tsan asan graphs
	SCROLLBACK_NIGHTLY=1 $(MAKE) test
	SCROLLBACK_RUNS=100000 SCROLLBACK_FIRST=$$(date +%s) $(TEST) $(STRICT) --filter ModelTests
	$(MAKE) faults soak PAGE=
	$(MAKE) fuzz FUZZ_SECONDS=600

# Stripped of what only a debugger reads. It needs LevelDB and readline of the system where it runs.
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

# What the modules make public, as JSON: what lint checks and docs shows. The dump covers the
# modules of the tests too, and fails if they are not there.
symbols: built
	rm -rf .build/*/symbolgraph
	swift package $(STRICT) dump-symbol-graph --minimum-access-level public \
	    --skip-synthesized-members >/dev/null

built: deps
	swift build $(STRICT) --build-tests

.build-tools/%: Tests/Tools/%.swift
	mkdir -p $(@D)
	swiftc -O -o $@ $<

# libedit, which macOS has under readline's name, has no readline/rltypedefs.h.
deps:
	($(call have,leveldb/c.h) && $(call have,readline/rltypedefs.h)) || \
	    $(call install,libleveldb-dev libreadline-dev,leveldb readline)

# No time is measured, so it is the same on every machine. The hash tables of Swift are seeded anew in
# each process otherwise.
figures figures-update: deps
	cd Benchmarks/Measuring && SWIFT_DETERMINISTIC_HASHING=1 swift run -c release --disable-build-manifest-caching \
	    --scratch-path ../../.build-consumers figures $(if $(filter figures,$@),check,write) figures.txt

# What the store is compared with.
deps-bench:
	$(call have,sqlite3.h) || $(call install,libsqlite3-dev,sqlite)

deps-interop:
	command -v protoc >/dev/null || $(call install,protobuf-compiler,protobuf)

have = echo '\#include <$(1)>' | clang -E -x c - >/dev/null 2>&1

# $(call install,packages of apt,packages of brew)
install = if command -v apt-get >/dev/null; then \
	    if [ -n "$(SUDO)" ] && ! command -v sudo >/dev/null; then \
	        echo "Only root installs packages, and there is no sudo. As root: apt-get install $(1)" >&2; exit 1; \
	    fi; \
	    echo "Installing $(1)"; \
	    export DEBIAN_FRONTEND=noninteractive; \
	    $(SUDO) apt-get update -qq && $(SUDO) apt-get install -y -qq $(1) >/dev/null; \
	elif command -v brew >/dev/null; then \
	    brew install $(2); \
	else \
	    echo "Neither apt-get nor brew is here. Please install, with headers: $(2)." >&2; exit 1; \
	fi

SUDO := $(if $(filter-out 0,$(shell id -u)),sudo --preserve-env=DEBIAN_FRONTEND)
