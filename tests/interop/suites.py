#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""suites.py -- test suites of controller-runtime and of operators, from their Go modules, against
listwatch (`listwatch envtest`) and against kube-apiserver with etcd: a part of `make interop`.

    suites.py --build FOLDER --interop FOLDER [WORD...]   the programs; where kube-apiserver, etcd and
                                                          kubectl are; words of the suites to run
        --suites FOLDER                                   where the suites are built (default: suites
                                                          below the interop folder)
        --only real|listwatch                             one of the two columns
        --prepare                                         build the suites, run none
        --list                                            names of the suites

Each test that passes with kube-apiserver must pass with listwatch, unless DIFFERENCES in
suites_list.py says why not.  Prints TAP, a line a package; then a table.  Where Go, a module or a
server cannot be had, it says why and skips."""

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import uuid
from collections import Counter
from pathlib import Path

from program import Skip, note
from suites_list import DIFFERENCES, SUITES

HERE = Path(__file__).resolve().parent
PACKAGE_TIMEOUT = 600  # seconds
START_TIMEOUT = "60s"  # of kube-apiserver on a busy machine
KUBERNETES = ["api", "apiextensions-apiserver", "apimachinery", "apiserver", "cli-runtime",
              "client-go", "component-base", "component-helpers", "kube-aggregator", "kubectl",
              "kms", "metrics", "streaming"]
NICE = ["nice", "-n", "10"]  # builds only: a server that starts late fails its suite


def go(*words, cwd, what):
    """Runs go; Skip with its last words when it fails."""
    env = dict(os.environ, GOFLAGS="-mod=mod -buildvcs=false", GOTOOLCHAIN="local", GOWORK="off")
    done = subprocess.run(NICE + ["go", *map(str, words)], cwd=cwd, env=env, capture_output=True,
                          text=True)
    if done.returncode != 0:
        said = [x for x in (done.stdout + done.stderr).strip().splitlines() if "warning:" not in x]
        raise Skip(f"{what}: {said[-1] if said else 'go has failed'}")
    return done.stdout


def versions(folder, what):
    """Versions of the modules that the one in |folder| is built with."""
    form = "{{.Path}} {{if .Replace}}{{.Replace.Version}}{{else}}{{.Version}}{{end}}"
    lines = go("list", "-m", "-f", form, "all", cwd=folder, what=what).splitlines()
    return dict(line.split() for line in lines if len(line.split()) == 2)


class Source:
    """A copy of a suite's module, and its tests as programs; both are made once."""

    def __init__(self, suite, folder):
        self.suite = suite
        self.folder = folder / suite.name
        self.source = self.folder / f"{suite.version}" / "src"
        self.programs = self.folder / f"{suite.version}" / "bin"

    def prepare(self):
        if self.source.exists():
            return
        what = f"{self.suite.module}@{self.suite.version}"
        self.folder.mkdir(parents=True, exist_ok=True)
        told = json.loads(go("mod", "download", "-json", what, cwd=self.folder, what=what))
        fresh = self.folder / "fresh"
        shutil.rmtree(fresh, ignore_errors=True)
        shutil.copytree(told["Dir"], fresh)
        subprocess.run(["chmod", "-R", "u+w", fresh], check=True)
        for script in fresh.rglob("*.sh"):
            script.chmod(0o755)  # a module does not say which of its files are programs
        self.edit(fresh, what)
        if self.suite.is_aligned:
            self.align(fresh, what)
        self.source.parent.mkdir(parents=True, exist_ok=True)
        fresh.rename(self.source)

    def edit(self, folder, what):
        """Its go.mod: the libraries of Kubernetes, and no folders beside it."""
        module = json.loads(go("mod", "edit", "-json", cwd=folder, what=what))
        words = [f"-dropreplace={x['Old']['Path']}" for x in module.get("Replace") or []
                 if x["New"]["Path"].startswith(".") or x["Old"]["Path"].startswith("k8s.io/")]
        asked = {x["Path"] for x in module.get("Require") or []}
        parts = [x["Path"] for x in module.get("Require") or []  # modules of the same repository
                 if x["Version"].startswith("v0.0.0-00010101")]
        words += [f"-require={x}@{self.suite.version}" for x in parts
                  if x.startswith(self.suite.module + "/")]
        for path, version in self.suite.libraries.items():
            if path != "kubernetes":
                words += [f"-require={path}@{version}"] if path in asked else []
                continue
            words += [f"-require=k8s.io/{x}@{version}" for x in KUBERNETES
                      if f"k8s.io/{x}" in asked]
        if words:
            go("mod", "edit", *words, cwd=folder, what=what)

    def align(self, folder, what):
        """All libraries as controller-runtime's suite has them: they are compiled already."""
        first = Source(SUITES[0], self.folder.parent)
        first.prepare()
        theirs, ours = versions(first.source, what), versions(folder, what)
        words = [f"-replace={path}={path}@{theirs[path]}" for path, version in ours.items()
                 if theirs.get(path, version) != version]
        if words:
            go("mod", "edit", *words, cwd=folder, what=what)

    def packages(self):
        if self.suite.packages[0].endswith("..."):
            lines = go("list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.Dir}}{{end}}",
                       *self.suite.packages, cwd=self.source, what=self.suite.name).split()
            return [os.path.relpath(line, self.source) for line in lines]
        return self.suite.packages

    def variables(self):
        """Variables with folders of modules that the suite requires."""
        found = {}
        for name, place in self.suite.folders:
            module, folder = place.split(":")
            root = go("list", "-m", "-f", "{{.Dir}}", module, cwd=self.source, what=self.suite.name)
            found[name] = str(Path(root.strip()) / folder)
        return found

    def program(self, package):
        """The tests of |package| as a program."""
        name = package.replace("/", "_") if package != "." else "root"
        program = self.programs / (name + ".test")
        if not program.exists():
            tags = ["-tags", self.suite.tags] if self.suite.tags else []
            go("test", "-p", os.environ.get("JOBS", "1"), "-vet=off", "-c", *tags, "-o", program,
               "./" + package, cwd=self.source, what=f"{self.suite.name} {package}")
        return program


class Outcome:
    """What has become of a package's tests."""

    def __init__(self):
        self.tests = {}  # name: pass, fail or skip
        self.seconds = 0.0
        self.why = {}

    def count(self, what):
        return Counter(self.tests.values())[what]


def end_all(mark):
    """Ends the processes that a suite has left behind: those with |mark| in their environment.
    Servers of envtest are in process groups of their own."""
    for environ in Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark.encode() in environ.read_bytes():
                os.kill(int(environ.parent.name), signal.SIGKILL)
        except (FileNotFoundError, PermissionError, ProcessLookupError):
            pass


def go_tests(output):
    """Tests without subtests, by what test2json has said; one that runs specs of ginkgo is none."""
    said, runners = {}, set()
    for line in output.splitlines():
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if event.get("Test") and event["Action"] in ("pass", "fail", "skip"):
            said[event["Test"]] = event["Action"]
        elif event.get("Test") and event["Action"] == "run":
            said.setdefault(event["Test"], "fail")  # until it ends
        elif event.get("Test") and "Running Suite: " in event.get("Output", ""):
            runners.add(event["Test"])
    return {name: what for name, what in said.items()
            if name not in runners and not any(other.startswith(name + "/") for other in said)}


def ginkgo_specs(report):
    """Specs by name, and the messages of failed ones."""
    words = {"passed": "pass", "skipped": "skip", "pending": "skip"}
    specs, why = {}, {}
    for suite in json.loads(report.read_text()):
        for spec in suite["SpecReports"] or []:
            if spec["LeafNodeType"] != "It":
                if spec["State"] not in words:
                    why[spec["LeafNodeType"]] = (spec.get("Failure") or {}).get("Message", "")
                continue
            name = " ".join([*(spec["ContainerHierarchyTexts"] or []), spec["LeafNodeText"]])
            while name in specs:
                name += " again"
            specs[name] = words.get(spec["State"], "fail")
            if specs[name] == "fail":
                why[name] = (spec.get("Failure") or {}).get("Message", "")
    return specs, why


def run_package(source, package, assets, log):
    """Runs the tests of |package| in its folder."""
    program = source.program(package)
    report = log.with_suffix(".json")
    report.unlink(missing_ok=True)
    has_ginkgo = b"onsi/ginkgo/v2" in program.read_bytes()
    command = [str(program), "-test.v=test2json", f"-test.timeout={PACKAGE_TIMEOUT}s"]
    if has_ginkgo:
        command += [f"--ginkgo.json-report={report}", "--ginkgo.no-color"]
        command += [f"--ginkgo.focus={source.suite.focus}"] if source.suite.focus else []
    mark = f"LISTWATCH_SUITE={uuid.uuid4()}"
    env = dict([mark.split("=")], **{**os.environ, "KUBEBUILDER_ASSETS": str(assets)})
    env["PATH"] = f"{assets}:{env['PATH']}"
    env.update(source.variables())
    env.setdefault("KUBEBUILDER_CONTROLPLANE_START_TIMEOUT", START_TIMEOUT)
    outcome, began = Outcome(), time.monotonic()
    with log.open("wb") as out:
        process = subprocess.Popen(command, cwd=source.source / package, env=env, stdout=out,
                                   stderr=subprocess.STDOUT)
        try:
            process.wait(timeout=PACKAGE_TIMEOUT + 30)
        except subprocess.TimeoutExpired:
            note(f"{source.suite.name} {package}: not over after {PACKAGE_TIMEOUT} s")
        finally:
            end_all(mark)
            process.wait()
    outcome.seconds = time.monotonic() - began
    told = subprocess.run(["go", "tool", "test2json"], stdin=log.open("rb"), capture_output=True,
                          text=True)
    outcome.tests = go_tests(told.stdout)
    if report.exists():
        specs, outcome.why = ginkgo_specs(report)
        outcome.tests.update(specs)
    if not outcome.tests and process.returncode != 0:
        outcome.tests["the suite starts"] = "fail"
    return outcome


def reason_of(suite, test):
    return next((reason for name, pattern, reason in DIFFERENCES
                 if name == suite.name and re.search(pattern, test)), None)


def worse(real, ours):
    """Tests that pass with kube-apiserver alone."""
    return [test for test, what in real.tests.items()
            if what == "pass" and ours.tests.get(test, "fail") == "fail"]


class Columns:
    """The servers, each with its assets folder."""

    def __init__(self, args):
        self.folder = args.suites
        self.assets = {}
        if args.only != "listwatch":
            self.assets["real"] = self.real(args.interop)
        if args.only != "real":
            self.assets["listwatch"] = self.listwatch(args)

    def real(self, interop):
        missing = [x for x in ("kube-apiserver", "etcd", "kubectl") if not (interop / x).exists()]
        if missing:
            done = subprocess.run(["sh", HERE / "build.sh", interop, *missing], capture_output=True,
                                  text=True)
            if done.returncode != 0:
                raise Skip(done.stdout.strip())
        folder = self.folder / "assets-real"
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("kube-apiserver", "etcd", "kubectl"):
            link = folder / name
            link.unlink(missing_ok=True)
            link.symlink_to(interop / name)
        return folder

    def listwatch(self, args):
        folder = self.folder / "assets-listwatch"
        env = dict(os.environ, PATH=f"{args.interop}:{os.environ['PATH']}")
        done = subprocess.run([args.build / "listwatch", "envtest", folder], env=env,
                              capture_output=True, text=True, check=True)
        return Path(done.stdout.strip())

    def run(self, source, package, column, again=""):
        name = package.replace("/", "_") if package != "." else "root"
        logs = self.folder / "logs"
        logs.mkdir(exist_ok=True)
        return run_package(source, package, self.assets[column],
                           logs / f"{source.suite.name}-{name}-{column}{again}.log")


class Table:
    """Figures of each suite and column."""

    def __init__(self):
        self.rows = {}

    def add(self, suite, column, outcome):
        row = self.rows.setdefault(suite, {}).setdefault(column, Counter())
        row.update(outcome.tests.values())
        row["seconds"] += outcome.seconds

    def print(self, columns):
        head = " | ".join(f"{x}: passed | failed | skipped | seconds" for x in columns)
        print(f"| suite | {head} |")
        print("|---" * (1 + 4 * len(columns)) + "|")
        total = {column: Counter() for column in columns}
        for suite, row in self.rows.items():
            for column in columns:
                total[column].update(row.get(column, {}))
            print(self.line(suite, [row.get(column, Counter()) for column in columns]))
        print(self.line("total", list(total.values())))

    @staticmethod
    def line(name, counts):
        cells = [f"{x['pass']} | {x['fail']} | {x['skip']} | {x['seconds']:.0f}" for x in counts]
        return f"| {name} | " + " | ".join(cells) + " |"


def compare(columns, table, source, package):
    """Runs one package in each column.  Tests that differ without a reason."""
    outcomes = {column: columns.run(source, package, column) for column in columns.assets}
    for column, outcome in outcomes.items():
        table.add(source.suite.name, column, outcome)
        note(f"{source.suite.name} {package} {column}: {outcome.count('pass')} passed, "
             f"{outcome.count('fail')} failed, {outcome.count('skip')} skipped, "
             f"{outcome.seconds:.1f} s")
    ours, real = outcomes.get("listwatch"), outcomes.get("real")
    if real and not real.count("pass"):
        raise Skip("none of its tests passes with kube-apiserver")
    if not ours:
        return []
    different = worse(real, ours) if real else [x for x, what in ours.tests.items() if what == "fail"]
    different = [x for x in different if not reason_of(source.suite, x)]
    if different and real:  # once more: a busy machine makes tests late
        second = columns.run(source, package, "listwatch", "-again")
        different = [x for x in different if second.tests.get(x, "fail") == "fail"]
    for test in different:
        note(f"differs: {test}: {ours.why.get(test, '')[:300]}")
    return different


def prepare_suites(args, suites):
    for suite in suites:
        source = Source(suite, args.suites)
        try:
            source.prepare()
            for package in source.packages():
                try:
                    source.program(package)
                    note(f"{suite.name} {package}")
                except Skip as reason:
                    note(str(reason))
        except Skip as reason:
            note(str(reason))
    return 0


def run_suites(args, suites):
    columns, table, number = Columns(args), Table(), 0
    counts = Counter()
    for suite in suites:
        source = Source(suite, args.suites)
        packages = []
        try:
            source.prepare()
            packages = source.packages()
        except Skip as reason:
            number += 1
            counts["skipped"] += 1
            print(f"ok {number} - {suite.name} # SKIP {reason}", flush=True)
        for package in packages:
            number += 1
            try:
                different = compare(columns, table, source, package)
            except Skip as reason:
                counts["skipped"] += 1
                print(f"ok {number} - {suite.name} {package} # SKIP {reason}", flush=True)
                continue
            counts["failed" if different else "passed"] += 1
            print(f"{'not ok' if different else 'ok'} {number} - {suite.name} {package}", flush=True)
    print(f"1..{number}")
    table.print(list(columns.assets))
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    return 1 if counts["failed"] else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=Path, default=Path("build"))
    parser.add_argument("--interop", type=Path, default=Path("build-interop"))
    parser.add_argument("--suites", type=Path)
    parser.add_argument("--only", choices=["real", "listwatch"])
    parser.add_argument("--prepare", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("words", nargs="*")
    args = parser.parse_args()
    args.interop = args.interop.resolve()
    args.suites = (args.suites or args.interop / "suites").resolve()
    suites = [x for x in SUITES
              if not args.words or any(word in x.name for word in args.words)]
    if args.list:
        print("\n".join(x.name for x in suites))
        return 0
    try:
        if not suites:
            raise Skip("no suite has such a name")
        if not shutil.which("go"):
            raise Skip("there is no go in PATH to build the suites with")
        if args.only != "real" and not (args.build / "listwatch").exists():
            raise Skip(f"there is no listwatch in {args.build}")
        args.suites.mkdir(parents=True, exist_ok=True)
        return prepare_suites(args, suites) if args.prepare else run_suites(args, suites)
    except Skip as reason:
        print(f"1..0 # SKIP {reason}")
        print("0 passed, 0 failed, 0 skipped")
        return 0


if __name__ == "__main__":
    sys.exit(main())
