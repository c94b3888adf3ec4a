# SPDX-License-Identifier: Apache-2.0
# The front door.  Meson and ninja do the work, out of tree; this file only knows the way to them.
#
#   make              build the libraries and the program into build/
#   make test         every check there is; the last line counts them
#   make run          a cluster in one process: server, controllers, three hollow nodes, the page
#   make demo         the same until all Pods run, for scripts: exits with 0
#   make help         the rest

BUILD        ?= build
PREFIX       ?= /usr/local
LIBDIR       ?= lib
DESTDIR      ?=
JOBS         ?= $(shell nproc 2>/dev/null || echo 2)
FUZZ_SECONDS ?= 60
BENCH_BYTES  ?= 256M
BENCH_PODS   ?= 50000
BENCH_CACHED ?= 100000

# What checks that packages are there.  `make DEPS=true` skips it, where they come from elsewhere.
DEPS   ?= sh tools/deps.sh
MESON  ?= meson
NINJA  ?= ninja
PYTHON ?= python3

# What is installed, and so what is measured.
RELEASE := -Doptimization=2 -Ddebug=false -Db_ndebug=true -Dtests=disabled

INTEROP_EXAMPLES := $(patsubst %.c,%,$(wildcard examples/0*.c))

.DEFAULT_GOAL := all
.PHONY: all test test-arm64 test-page run demo bench interop fuzz install deps clean format help \
    build-packages

all: build-packages $(BUILD)/build.ninja
	@$(NINJA) -j $(JOBS) -C $(BUILD) product

build-packages:
	@$(DEPS) build

$(BUILD)/build.ninja: | build-packages
	@$(MESON) setup $(BUILD)

test:
	@$(DEPS) build test
	@sh tools/kubectl.sh fetch $(BUILD)-kubectl
	@$(PYTHON) tools/test.py --build $(BUILD) --jobs $(JOBS)

test-arm64:
	@$(DEPS) build
	@$(DEPS) arm64
	@$(PYTHON) tools/test.py --build $(BUILD) --jobs $(JOBS) --stage arm64

test-page: build-packages $(BUILD)/build.ninja
	@$(DEPS) page
	@$(NINJA) --quiet -j $(JOBS) -C $(BUILD) listwatch
	@$(PYTHON) -B tests/e2e/page_test.py $(BUILD)/listwatch

run: build-packages $(BUILD)/build.ninja
	@$(NINJA) --quiet -j $(JOBS) -C $(BUILD) listwatch
	@$(PYTHON) tools/run.py $(BUILD)/listwatch $(BUILD)/run examples/web.yaml $(RUN_OPTIONS)

demo: build-packages $(BUILD)/build.ninja
	@$(NINJA) --quiet -j $(JOBS) -C $(BUILD) listwatch
	@$(PYTHON) tools/run.py --demo $(BUILD)/listwatch $(BUILD)/demo examples/web.yaml $(RUN_OPTIONS)

bench:
	@$(DEPS) build bench
	@test -f $(BUILD)-bench/build.ninja || \
	    $(MESON) setup $(BUILD)-bench $(RELEASE) -Dbench=enabled
	@$(NINJA) --quiet -j $(JOBS) -C $(BUILD)-bench listwatch tests/bench/bench-scan \
	    tests/bench/bench-server tests/bench/bench-client tests/bench/bench-etcd \
	    tests/bench/write-to-handler
	$(BUILD)-bench/tests/bench/bench-scan --bytes $(BENCH_BYTES)
	$(BUILD)-bench/tests/bench/bench-server --folder $(BUILD)-bench --pods $(BENCH_PODS) \
	    $(BUILD)-bench/listwatch
	$(BUILD)-bench/tests/bench/bench-client --folder $(BUILD)-bench --pods $(BENCH_CACHED) \
	    --client-go "$$(sh tests/interop/clientgo/build.sh $(BUILD)-bench)"
	$(PYTHON) tests/bench/cluster_bench.py --build $(BUILD)-bench --plot $(BUILD)-bench/cluster.svg
	JOBS=$(JOBS) $(PYTHON) tests/interop/etcd_bench.py --build $(BUILD)-bench \
	    --interop $(BUILD)-interop

# Where there is no go or no way to Go's modules, this says so and passes.
interop: build-packages $(BUILD)/build.ninja
	@$(NINJA) --quiet -j $(JOBS) -C $(BUILD) product $(INTEROP_EXAMPLES) \
	    tests/interop/check-documents tests/interop/patch-cases tests/interop/proto-documents \
	    tests/suite/suite-store_etcd
	@$(PYTHON) tests/interop/fields/compare.py
	@JOBS=$(JOBS) $(PYTHON) tests/interop/fields/decode.py --build $(BUILD) --interop $(BUILD)-interop
	@JOBS=$(JOBS) $(PYTHON) tests/interop/fields/proto.py --build $(BUILD) --interop $(BUILD)-interop
	@$(PYTHON) tests/interop/definitions.py --build $(BUILD) --interop $(BUILD)-interop $(ONLY)
	@JOBS=$(JOBS) $(PYTHON) tests/interop/run.py --build $(BUILD) --interop $(BUILD)-interop $(ONLY)
	@JOBS=$(JOBS) $(PYTHON) tests/interop/clients.py --build $(BUILD) --interop $(BUILD)-interop \
	    $(ONLY)
	@JOBS=$(JOBS) $(PYTHON) tests/interop/kubernetes_e2e.py --build $(BUILD) \
	    --interop $(BUILD)-interop $(ONLY)
	@test ! -x $(BUILD)-interop/etcd || CMOCKA_MESSAGE_OUTPUT=TAP \
	    PATH="$(abspath $(BUILD)-interop):$$PATH" $(BUILD)/tests/suite/suite-store_etcd

fuzz:
	@$(DEPS) build fuzz
	@test -f $(BUILD)-fuzz/build.ninja || CC=clang-14 $(MESON) setup $(BUILD)-fuzz \
	    -Dfuzz=true -Dtests=disabled -Dbench=disabled -Db_sanitize=address,undefined \
	    -Db_lundef=false
	@$(NINJA) --quiet -j $(JOBS) -C $(BUILD)-fuzz fuzzers
	@$(PYTHON) tools/fuzz.py --build $(BUILD)-fuzz --seconds $(FUZZ_SECONDS) --jobs $(JOBS)

install: build-packages
	@test -f $(BUILD)-release/build.ninja || \
	    $(MESON) setup $(BUILD)-release $(RELEASE) -Dbench=disabled
	@$(MESON) configure $(BUILD)-release -Dprefix='$(PREFIX)' -Dlibdir='$(LIBDIR)'
	@$(NINJA) -j $(JOBS) -C $(BUILD)-release product
	@DESTDIR='$(DESTDIR)' $(MESON) install --no-rebuild -C $(BUILD)-release

deps:
	@$(DEPS) build test bench fuzz
	@sh tools/kubectl.sh fetch $(BUILD)-kubectl

format:
	@git ls-files -co --exclude-standard '*.[ch]' | xargs clang-format-14 -i

clean:
	rm -rf $(BUILD) $(BUILD)-clang $(BUILD)-tsan $(BUILD)-arm64 $(BUILD)-bench \
	    $(BUILD)-fuzz $(BUILD)-interop $(BUILD)-release $(BUILD)-kubectl

help:
	@echo 'make            build the libraries and the program into $(BUILD)/'
	@echo 'make test       every check: unit tests with gcc and clang, ASan+UBSan, TSan, failing'
	@echo '                allocations, fuzz corpora, a short run of each libFuzzer target, headers,'
	@echo '                layers, format, banned functions'
	@echo 'make test-arm64 the tests built for arm64 and run under qemu'
	@echo 'make test-page  the page in headless Chromium, which is fetched for it (make test skips'
	@echo '                these cases where there is none)'
	@echo 'make run        a cluster on free ports until Ctrl-C: a Deployment becomes Pods, the page,'
	@echo '                lines to paste for curl and kubectl; its data stays in $(BUILD)/run/'
	@echo 'make demo       the same until all Pods run'
	@echo '                RUN_OPTIONS=... for the server: "--etcd http://127.0.0.1:2379"'
	@echo 'make bench      the scanner against yajl, and its memory (BENCH_BYTES=256M); the server'
	@echo '                under load (BENCH_PODS=50000); informers on BENCH_CACHED=100000 pods, beside'
	@echo '                client-go where there is a go; 20,000 Pods on 1,000 hollow nodes'
	@echo 'make interop    the library, the program and the examples against a real kube-apiserver and'
	@echo '                etcd; clients of other languages and the end-to-end suite of Kubernetes'
	@echo '                against the server; public CustomResourceDefinitions: needs go, npm,'
	@echo '                cargo; builds into $(BUILD)-interop/ (long, the first time);'
	@echo '                ONLY=word runs the checks of that name, ETCD=path takes that etcd'
	@echo 'make fuzz       each libFuzzer target for FUZZ_SECONDS=60'
	@echo 'make install    libraries, headers, program, man pages (PREFIX=/usr/local,'
	@echo '                LIBDIR=lib, DESTDIR=)'
	@echo 'make deps       install the missing Debian packages'
	@echo 'make format     lay out the C files with clang-format-14'
	@echo 'make clean      remove everything that was built'
	@echo 'Others: BUILD=build JOBS=2 CC=... (at the first build)'
