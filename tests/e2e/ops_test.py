#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ops_test.py -- the alerts and the dashboard name metrics and labels that the server has, and the
guide explains every alert.     usage: ops_test.py LISTWATCH ALERTS DASHBOARD GUIDE"""

import json
import re
import shutil
import subprocess
import sys

from serving import CONFIGMAPS, Server, Watch, config_map, run_tests

ALERTS, DASHBOARD, GUIDE = sys.argv[2:5]
OF_PROMETHEUS = {"up": {"job", "instance"}}  # what a scrape adds itself
SCRAPED = {"job", "instance"}
WORDS = {"by", "without", "on", "ignoring", "and", "or", "unless", "offset", "bool", "inf", "nan"}
SAMPLE = re.compile(r"^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? \S+$")
SELECTOR = re.compile(r"([a-zA-Z_:][\w:]*)\s*(\{[^}]*\})?")


def read_rules():
    """(name, expression) of every alert: one is a line of "alert", the other one of "expr"."""
    with open(ALERTS, encoding="utf-8") as file:
        text = file.read()
    names = re.findall(r"^  - alert: (\w+)$", text, re.MULTILINE)
    found = re.findall(r"^    expr: (.*?)(?:  #.*)?$", text, re.MULTILINE)
    assert names and len(names) == len(found) == len(set(names)), (names, found)
    assert len(re.findall(r"severity: (?:critical|warning)", text)) == len(names)
    assert len(re.findall(r"^      summary: \".+\"$", text, re.MULTILINE)) == len(names)
    return list(zip(names, found))


def read_queries():
    """(title, expression) of every query of the dashboard."""
    with open(DASHBOARD, encoding="utf-8") as file:
        board = json.load(file)
    found = [(panel["title"], target["expr"])
             for panel in board["panels"] for target in panel.get("targets", [])]
    assert len(found) > 10
    return found


def selectors(expression):
    """The metrics in |expression|, each with the labels that it is selected by."""
    text = re.sub(r"\b(?:by|without|on|ignoring)\s*\([^)]*\)", "", expression)
    text = re.sub(r"\[[^\]]*\]", "", text)
    text = re.sub(r"(?<![\w\"])[\d.]+(?:e\d+)?\b", "", text)
    for match in SELECTOR.finditer(text):
        is_function = text[match.end(1):].lstrip().startswith("(")
        if match[1] in WORDS or is_function:
            continue
        yield match[1], set(re.findall(r"(\w+)\s*(?:=~|!~|!=|=)", match[2] or ""))


def grouped_by(expression):
    return {label.strip() for labels in re.findall(r"\bby\s*\(([^)]*)\)", expression)
            for label in labels.split(",")}


def scrape(server):
    """name -> its labels, of everything that a server has that was used a little."""
    connection = server.connect()
    connection.request("GET", "/metrics")
    text = connection.getresponse().read().decode()
    connection.close()
    found = {}
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        sample = SAMPLE.match(line)
        assert sample, line
        found.setdefault(sample[1], set()).update(re.findall(r'(\w+)="', sample[2] or ""))
    return found


def use(server):
    watch = Watch(server, f"{CONFIGMAPS}?watch=1")
    status, made = server.call("POST", CONFIGMAPS, config_map("a", k="v"))
    assert status == 201, made
    next(watch)
    assert server.call("GET", f"{CONFIGMAPS}/a")[0] == 200
    assert server.call("GET", CONFIGMAPS)[0] == 200
    made["data"]["k"] = "w"
    assert server.call("PUT", f"{CONFIGMAPS}/a", made)[0] == 200
    assert server.call("DELETE", f"{CONFIGMAPS}/a")[0] == 200
    return watch


def every_metric_that_is_named_exists(program):
    server = Server(program, memory=True)
    try:
        watch = use(server.start())
        metrics = scrape(server)
        watch.close()
        for title, expression in read_rules() + read_queries():
            named = list(selectors(expression))
            assert named, (title, expression)
            for name, labels in named:
                has = metrics.get(name, OF_PROMETHEUS.get(name))
                assert has is not None, f"{title}: the server has no metric {name}: {expression}"
                missing = labels - has - SCRAPED
                assert not missing, f"{title}: {name} has no labels {missing}"
            unknown = grouped_by(expression) - SCRAPED - set().union(
                *(metrics.get(name, set()) for name, _ in named))
            assert not unknown, f"{title}: grouped by {unknown}"
    finally:
        server.remove()


def the_guide_explains_every_alert(program):
    del program
    with open(GUIDE, encoding="utf-8") as file:
        guide = file.read()
    for name, _ in read_rules():
        assert f"`{name}`" in guide, f"{GUIDE} does not explain {name}"


def prometheus_accepts_the_rules(program):
    del program
    promtool = shutil.which("promtool")
    if not promtool:
        return "there is no promtool"
    done = subprocess.run([promtool, "check", "rules", ALERTS], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return None


def panels_do_not_overlap(program):
    del program
    with open(DASHBOARD, encoding="utf-8") as file:
        panels = json.load(file)["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    taken = set()
    for panel in panels:
        at = panel["gridPos"]
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"])
                 for y in range(at["y"], at["y"] + at["h"])}
        assert not cells & taken and at["x"] + at["w"] <= 24, panel["title"]
        taken |= cells


run_tests([
    every_metric_that_is_named_exists,
    the_guide_explains_every_alert,
    prometheus_accepts_the_rules,
    panels_do_not_overlap,
])
