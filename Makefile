# SPDX-License-Identifier: Apache-2.0
# Entry points for common tasks.  Meson and ninja do the work, in separate build directories.
#
#   make              build the libraries and the program into build/
#   make test         all checks; the last line is a summary
#   make run          a cluster in one process: server, controllers, three hollow nodes, the page
#   make demo         the same until all Pods are running, for scripts: exits with 0
#   make help         all targets

BUILD        ?= build
PREFIX       ?= /usr/local
LIBDIR       ?= lib
DESTDIR      ?=
JOBS         ?= $(shell nproc 2>/dev/null || echo 2)
FUZZ_SECONDS ?= 60
BENCH_BYTES  ?= 256M
BENCH_PODS   ?= 50000
BENCH_CACHED ?= 100000
PLOT_PODS    ?= 1000,10000,100000

# The check for required packages.  `make DEPS=true` skips it, if they come from elsewhere.
DEPS   ?= sh tools/deps.sh
MESON  ?= meson
NINJA  ?= ninja
PYTHON ?= python3

# The build that is installed and measured.
RELEASE := -Doptimization=2 -Ddebug=false -Db_ndebug=true -Dtests=disabled

INTEROP_EXAMPLES := $(patsubst %.c,%,$(wildcard examples/0*.c))

.DEFAULT_GOAL := all
.PHONY: all test test-arm64 test-page run demo bench plots plots-draw interop fuzz install dist deb deb-test image \
    abi-update python deps clean format help build-packages

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
	@$(NINJA) --quiet -j $(JOBS) -C $(BUILD)-bench product tests/bench/bench-scan \
	    tests/bench/bench-server tests/bench/bench-client tests/bench/bench-etcd \
	    tests/bench/bench-authz tests/bench/write-to-handler tests/bench/follow-changes \
	    tests/bench/pod-list-gen
	$(BUILD)-bench/tests/bench/bench-scan --bytes $(BENCH_BYTES)
	$(BUILD)-bench/tests/bench/bench-server --pods $(BENCH_PODS) \
	    $(BUILD)-bench/listwatch
	$(BUILD)-bench/tests/bench/bench-authz
	$(PYTHON) -B tests/bench/access_bench.py $(BUILD)-bench/listwatch
	$(BUILD)-bench/tests/bench/bench-client --pods $(BENCH_CACHED) \
	    --client-go "$$(sh tests/interop/clientgo/build.sh $(BUILD)-bench)"
	ulimit -n 16384; $(PYTHON) -B tests/bench/recovery_bench.py \
	    --client-go "$$(sh tests/interop/clientgo/build.sh $(BUILD)-bench)" $(BUILD)-bench
	ulimit -n 16384; $(PYTHON) -B tests/bench/warm_restart_bench.py \
	    --client-go "$$(sh tests/interop/clientgo/build.sh $(BUILD)-bench)" $(BUILD)-bench
	$(PYTHON) -B tests/bench/mirror_bench.py $(BUILD)-bench
	$(PYTHON) tests/bench/cluster_bench.py --build $(BUILD)-bench --plot $(BUILD)-bench/cluster.svg
	$(PYTHON) -B tests/bench/python_bench.py --venv $(BUILD)-bench/python-venv \
	    $(BUILD)-bench/listwatch $(BUILD)-bench/src/liblistwatch.so.0 \
	    $(BUILD)-bench/tests/bench/pod-list-gen
	JOBS=$(JOBS) $(PYTHON) tests/interop/etcd_bench.py --build $(BUILD)-bench \
	    --interop $(BUILD)-interop

# Measures, and draws what docs/reference/performance.md shows.  kube-apiserver and etcd take part if
# `make interop` has built them.
plots:
	@$(DEPS) build bench
	@test -f $(BUILD)-bench/build.ninja || \
	    $(MESON) setup $(BUILD)-bench $(RELEASE) -Dbench=enabled
	@$(NINJA) --quiet -j $(JOBS) -C $(BUILD)-bench product tests/bench/bench-server \
	    tests/bench/bench-client tests/bench/pod-list-gen
	ulimit -n 16384; $(PYTHON) -B tests/bench/plots/plots.py measure --build $(BUILD)-bench \
	    --interop $(BUILD)-interop --pods $(PLOT_PODS) \
	    --client-go "$$(sh tests/interop/clientgo/build.sh $(BUILD)-bench)"
	@$(MAKE) --no-print-directory plots-draw

plots-draw:
	@$(PYTHON) -B tests/bench/plots/plots.py draw

# If Go or its modules are not available, this prints a message and passes.
interop: build-packages $(BUILD)/build.ninja
	@$(NINJA) --quiet -j $(JOBS) -C $(BUILD) product $(INTEROP_EXAMPLES) \
	    tests/bench/pod-list-gen tests/interop/check-documents tests/interop/patch-cases \
	    tests/interop/proto-documents tests/suite/suite-store_etcd
	@$(PYTHON) tests/interop/fields/compare.py
	@JOBS=$(JOBS) $(PYTHON) tests/interop/fields/decode.py --build $(BUILD) --interop $(BUILD)-interop
	@JOBS=$(JOBS) $(PYTHON) tests/interop/fields/proto.py --build $(BUILD) --interop $(BUILD)-interop
	@$(PYTHON) tests/interop/definitions.py --build $(BUILD) --interop $(BUILD)-interop $(ONLY)
	@JOBS=$(JOBS) $(PYTHON) tests/interop/run.py --build $(BUILD) --interop $(BUILD)-interop $(ONLY)
	@JOBS=$(JOBS) $(PYTHON) tests/interop/clients.py --build $(BUILD) --interop $(BUILD)-interop \
	    $(ONLY)
	@JOBS=$(JOBS) $(PYTHON) tests/interop/kubernetes_e2e.py --build $(BUILD) \
	    --interop $(BUILD)-interop $(ONLY)
	@JOBS=$(JOBS) $(PYTHON) tests/interop/kubectl_commands.py --build $(BUILD) \
	    --interop $(BUILD)-interop $(ONLY)
	@JOBS=$(JOBS) $(PYTHON) tests/interop/control_plane.py --build $(BUILD) \
	    --interop $(BUILD)-interop $(ONLY)
	@JOBS=$(JOBS) $(PYTHON) tests/interop/real_nodes.py --build $(BUILD) \
	    --interop $(BUILD)-interop $(ONLY)
	@JOBS=$(JOBS) $(PYTHON) tests/interop/suites.py --build $(BUILD) --interop $(BUILD)-interop \
	    $(ONLY)
	@test ! -x $(BUILD)-interop/etcd || JOBS=$(JOBS) $(PYTHON) tests/interop/kubernetes_e2e.py \
	    --build $(BUILD) --interop $(BUILD)-interop --etcd $(BUILD)-interop/etcd sig-auth
	@test ! -x $(BUILD)-interop/etcd || CMOCKA_MESSAGE_OUTPUT=TAP \
	    PATH="$(abspath $(BUILD)-interop):$$PATH" $(BUILD)/tests/suite/suite-store_etcd

fuzz:
	@$(DEPS) build fuzz
	@test -f $(BUILD)-fuzz/build.ninja || CC=clang-14 $(MESON) setup $(BUILD)-fuzz \
	    -Dfuzz=true -Dtests=disabled -Dbench=disabled -Db_sanitize=address,undefined \
	    -Db_lundef=false -Dc_args=-fsanitize=fuzzer-no-link
	@$(NINJA) --quiet -j $(JOBS) -C $(BUILD)-fuzz fuzzers
	@$(PYTHON) tools/fuzz.py --build $(BUILD)-fuzz --seconds $(FUZZ_SECONDS) --jobs $(JOBS)

install: build-packages
	@test -f $(BUILD)-release/build.ninja || \
	    $(MESON) setup $(BUILD)-release $(RELEASE) -Dbench=disabled
	@$(MESON) configure $(BUILD)-release -Dprefix='$(PREFIX)' -Dlibdir='$(LIBDIR)'
	@$(NINJA) -j $(JOBS) -C $(BUILD)-release product
	@DESTDIR='$(DESTDIR)' $(MESON) install --no-rebuild -C $(BUILD)-release

dist:
	@sh tools/dist.sh $(BUILD)-dist

# Debian packages, the source package and what lintian says.
deb: build-packages
	@$(DEPS) deb
	@JOBS=$(JOBS) sh tools/deb.sh $(BUILD)-deb

# Needs root: installs the packages of `make deb` into a new Debian below $(BUILD)-deb, and uses them.
deb-test:
	@$(DEPS) deb
	@sh tools/kubectl.sh fetch $(BUILD)-kubectl
	@$(PYTHON) -B tests/packages/deb_test.py --debs $(BUILD)-deb \
	    --kubectl "$$(sh tools/kubectl.sh path $(BUILD)-kubectl)"

image: build-packages
	@$(MAKE) --no-print-directory install DESTDIR='$(abspath $(BUILD)-image/tree)' PREFIX=/usr
	@$(PYTHON) tools/image.py --tree $(BUILD)-image/tree $(BUILD)-image
	@$(PYTHON) -B tests/packages/image_test.py $(BUILD)-image/listwatch-image.tar

# Makes the ABI of this build the one that later ones are compared with (docs/reference/abi.md).
abi-update: build-packages $(BUILD)/build.ninja
	@$(NINJA) --quiet -j $(JOBS) -C $(BUILD) product
	@$(PYTHON) -B tools/checks/abi.py --update --library $(BUILD)/src/liblistwatch.so \
	    --library $(BUILD)/src/liblistwatch-server.so --library $(BUILD)/src/liblistwatch-etcd.so

# A wheel (no compiled parts; the library is loaded when it is imported) and an sdist.
python:
	@test -x $(BUILD)-python/bin/python || $(PYTHON) -m venv $(BUILD)-python
	@$(BUILD)-python/bin/pip -q install build
	@$(BUILD)-python/bin/python -m build --outdir $(BUILD)-python/dist python

deps:
	@$(DEPS) build test bench fuzz
	@sh tools/kubectl.sh fetch $(BUILD)-kubectl

format:
	@git ls-files -co --exclude-standard '*.[ch]' | xargs clang-format-14 -i

clean:
	rm -rf $(BUILD) $(BUILD)-clang $(BUILD)-tsan $(BUILD)-arm64 $(BUILD)-bench \
	    $(BUILD)-fuzz $(BUILD)-interop $(BUILD)-release $(BUILD)-kubectl \
	    $(BUILD)-dist $(BUILD)-deb $(BUILD)-image $(BUILD)-python

help:
	@echo 'make            build the libraries and the program into $(BUILD)/'
	@echo 'make test       all checks: unit tests with gcc and clang, ASan+UBSan, TSan, failing'
	@echo '                allocations, fuzz corpora, a short run of each libFuzzer target, headers,'
	@echo '                layers, format, banned functions'
	@echo 'make test-arm64 build the tests for arm64 and run them under qemu'
	@echo 'make test-page  tests of the page in headless Chromium, which is downloaded (make test skips'
	@echo '                them if there is no Chromium)'
	@echo 'make run        run a cluster on free ports until Ctrl-C: a Deployment with Pods, the page,'
	@echo '                examples for curl and kubectl; its data is kept in $(BUILD)/run/'
	@echo 'make demo       the same, but exit when all Pods are running'
	@echo '                RUN_OPTIONS=... options for the server, e.g. "--etcd http://127.0.0.1:2379"'
	@echo 'make bench      benchmarks: the JSON scanner compared with yajl (BENCH_BYTES=256M); the server'
	@echo '                under load (BENCH_PODS=50000); informers with BENCH_CACHED=100000 pods, compared'
	@echo '                with client-go if Go is installed; 20,000 Pods on 1,000 hollow nodes'
	@echo 'make plots      measure informers beside client-go and the server beside kube-apiserver and etcd'
	@echo '                (built by make interop), and draw docs/reference/performance.md; five minutes;'
	@echo '                PLOT_PODS=1000,10000,100000'
	@echo 'make plots-draw draw it again from docs/pictures/plots/figures.json'
	@echo 'make interop    test the library, the program and the examples with a real kube-apiserver and'
	@echo '                etcd; the server with clients of other languages and the end-to-end tests of'
	@echo '                Kubernetes; public CustomResourceDefinitions.  Needs go, npm and cargo;'
	@echo '                builds into $(BUILD)-interop/ (the first time takes long);'
	@echo '                ONLY=word runs the checks with that name, ETCD=path uses that etcd'
	@echo 'make fuzz       run each libFuzzer target for FUZZ_SECONDS=60'
	@echo 'make install    install libraries, headers, program, man pages, alerts (PREFIX=/usr/local,'
	@echo '                LIBDIR=lib, DESTDIR=)'
	@echo 'make dist       the release tarball of the last commit, in $(BUILD)-dist/'
	@echo 'make deb        Debian packages of the last commit, in $(BUILD)-deb/'
	@echo 'make deb-test   install, use and purge them in a new Debian 12; needs root and debootstrap'
	@echo 'make image      an OCI image of the program, in $(BUILD)-image/listwatch-image.tar'
	@echo 'make abi-update accept changes of the ABI: write tools/abi.txt'
	@echo 'make python     build the wheel and the sdist of the Python package into $(BUILD)-python/dist/'
	@echo 'make deps       install the missing Debian packages'
	@echo 'make format     format the C files with clang-format-14'
	@echo 'make clean      remove all build directories'
	@echo 'Other variables: BUILD=build JOBS=2 CC=... (CC only at the first build)'
