# SPDX-License-Identifier: Apache-2.0
"""output.py -- what the figures give: a file for each picture, and the marked places of the pages.

A page has `<!-- plot: NAME -->` and `<!-- end of plot -->`: between them stand the picture, its
statement and, in docs/reference/performance.md, the command.  `<!-- plot: machine -->` is the place
of commit, date and machine."""

import json
import re

from pictures import pictures

FOLDER = "docs/pictures/plots"
PAGES = {"docs/reference/performance.md": "../pictures/plots/", "README.md": FOLDER + "/"}
WITH_COMMANDS = "docs/reference/performance.md"
PLACE = re.compile(r"(<!-- plot: ([\w-]+) -->\n).*?(<!-- end of plot -->)", re.DOTALL)


def source(figures):
    """One line: which program, when, where."""
    where = figures["machine"]
    busy = " (busy with other work)" if where["is_busy"] else ""
    return (f"commit {figures['commit']}, {figures['date']}; {where['cpu']}, {where['cores']} cores, "
            f"{where['memory_gb']} GB, {where['kernel']}{busy}")


def machine_block(figures):
    where = figures["machine"]
    busy = ("\n\n**The machine was busy with other work while this was measured.** Times are longer "
            "than on a quiet machine, for all programs.") if where["is_busy"] else ""
    peers = figures["server"].get("versions", "kube-apiserver and etcd were not measured")
    return ("| commit | date | processor | cores | memory | system | peers |\n"
            "|---|---|---|---|---|---|---|\n"
            f"| `{figures['commit']}` | {figures['date']} | {where['cpu']} | {where['cores']} | "
            f"{where['memory_gb']} GB | {where['kernel']} | client-go "
            f"{figures['client']['client_go'] or 'was not measured'}, {peers} |{busy}\n")


def block(picture, folder, with_command):
    command = f"\nCommand: `{picture.command}`\n" if with_command else ""
    return f"![{picture.statement}]({folder}{picture.name}.svg)\n{command}"


def filled(text, figures, drawn, page):
    blocks = {picture.name: block(picture, PAGES[page], page == WITH_COMMANDS) for picture in drawn}
    blocks["machine"] = machine_block(figures)
    return PLACE.sub(lambda place: place[1] + blocks.get(place[2], "Not measured.\n") + place[3], text)


def outputs(root, figures_path):
    """Path -> text of every file that is made."""
    figures = json.loads((root / figures_path).read_text(encoding="utf-8"))
    drawn = pictures(figures)
    made = {root / FOLDER / f"{picture.name}.svg": picture.draw(source(figures))
            for picture in drawn}
    for page in PAGES:
        text = (root / page).read_text(encoding="utf-8")
        made[root / page] = filled(text, figures, drawn, page)
    return made


def stale(root, figures_path):
    """Names of the files that differ from what the figures give, or that nothing gives."""
    made = outputs(root, figures_path)
    there = set((root / FOLDER).glob("*.svg"))
    return sorted(str(path.relative_to(root)) for path in made.keys() | there
                  if not path.exists() or path not in made
                  or path.read_text(encoding="utf-8") != made[path])
