#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""plots_test.py -- the committed pictures and pages are what figures.json gives; and the check of
it finds what differs."""

import json
import shutil
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path[:0] = [str(HERE), str(HERE.parent), str(ROOT / "tools/checks")]

from check import Tap  # noqa: E402
from client_figures import rows  # noqa: E402
from output import FOLDER, PAGES, outputs, stale  # noqa: E402
from plots import FIGURES  # noqa: E402

PICTURE = FOLDER + "/cold-cpu.svg"
PAGE = "docs/reference/performance.md"
TABLE = """cold start of an informer, 500 pods
                                wall ms   CPU ms
  listwatch, list                    65       14
  listwatch, streamed list           58       13
  client-go typed, protobuf         658     2.50

500 events on 500 pods
  listwatch, list                  8613     5.90
"""


def copied(scratch):
    """What the check reads, as a tree of its own."""
    root = Path(scratch) / "root"
    shutil.copytree(ROOT / FOLDER, root / FOLDER)
    for page in PAGES:
        (root / page).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / page, root / page)
    return root


def found_after(change):
    with tempfile.TemporaryDirectory() as scratch:
        root = copied(scratch)
        change(root)
        return stale(root, FIGURES)


def other_figure(root):
    figures = json.loads((root / FIGURES).read_text())
    figures["client"]["cold"][0]["cpu_ms"] *= 2
    (root / FIGURES).write_text(json.dumps(figures))


def edit(path, old, new):
    def change(root):
        text = (root / path).read_text()
        assert old in text, old
        (root / path).write_text(text.replace(old, new))
    return change


def without_peers(root):
    figures = json.loads((root / FIGURES).read_text())
    client, server, python = figures["client"], figures["server"], figures["python"]
    client["client_go"] = None
    server.pop("versions", None)
    for rows_of, keys in ((client, ("cold", "events")), (python, ("work",)),
                          (server, ("start", "creates", "lists", "watchers"))):
        for key in keys:
            rows_of[key] = [row for row in rows_of[key] if row["who"].startswith("listwatch")]
    (root / FIGURES).write_text(json.dumps(figures))


def is_drawn_without_peers():
    with tempfile.TemporaryDirectory() as scratch:
        root = copied(scratch)
        without_peers(root)
        made = outputs(root, FIGURES)
        drawn = "".join(text for path, text in made.items() if path.suffix == ".svg")
        return (len(made) > len(PAGES) and "listwatch" in drawn
                and not any(peer in drawn for peer in ("client-go", "kube-apiserver + etcd",
                                                       "official")))


def main():
    tap = Tap()
    found = stale(ROOT, FIGURES)
    tap.report(not found, "pictures and pages are what the figures give",
               [*found, "run `make plots-draw`"])
    for what, change, wanted in (
            ("a figure that was changed", other_figure, PICTURE),
            ("a picture that was changed", edit(PICTURE, "</svg>", "<g/></svg>"), PICTURE),
            ("a picture that is missing", lambda root: (root / PICTURE).unlink(), PICTURE),
            ("a picture that nothing draws any more",
             lambda root: (root / FOLDER / "old.svg").write_text("<svg/>"), FOLDER + "/old.svg"),
            ("a page that was changed", edit(PAGE, "Command: ", "Run: "), PAGE)):
        found = found_after(change)
        tap.report(wanted in found, f"finds {what}", [f"found: {found}"])
    tap.report(is_drawn_without_peers(), "draws what there is where no peer was measured")
    read = rows(TABLE, "cold start")
    tap.report(read == [("listwatch", [65, 14]), ("client-go", [658, 2.5])],
               "reads the table that is asked for, and the contestants that are drawn", [read])
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
