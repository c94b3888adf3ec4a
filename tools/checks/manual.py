#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""manual.py -- checks the manual of the library (docs/man/*.3): each public function is in one
page as its header declares it, each page has its sections and is installed, its example compiles,
and what it refers to is there."""

import re
import sys
import tempfile
from pathlib import Path

from check import ROOT, SPDX, Plant, Problem, files, main, relative, run
from declared import declarations

sys.path.insert(0, str(ROOT / "tools"))
from man_links import names, prototypes, section  # noqa: E402

SECTIONS = ["NAME", "SYNOPSIS", "DESCRIPTION", "RETURN VALUE", "THREADS", "EXAMPLE", "SEE ALSO"]


def arguments(parser):
    parser.add_argument("--cc", default="cc")


def check_prototypes(root, pages):
    problems, shown = [], {}
    declared = {d.name: d for d in declarations(root)}
    for path, text in pages.items():
        for name, words in prototypes(text).items():
            if name not in declared:
                problems.append(Problem(path, 0, f"{name} is not in a public header"))
            elif words != declared[name].prototype:
                problems.append(Problem(path, 0, f"{name}: says \"{words}\", "
                                        f"{declared[name].header} \"{declared[name].prototype}\""))
            if name in shown:
                problems.append(Problem(path, 0, f"{name} is also in {shown[name]}"))
            shown[name] = path
    return problems + [Problem(d.header, d.line, f"{d.name} has no page in docs/man")
                       for d in declared.values() if d.name not in shown]


def check_references(root, path, text, known):
    return [Problem(path, 0, f"{name}({number}): the page does not exist")
            for name, number in re.findall(r"\b(lw_\w+|listwatch[\w\\-]*)(?:\\fR| )\((\d)\)", text)
            if f"{name}.{number}".replace("\\", "") not in known]


def check_example(path, text, root, cc):
    """The code between .nf and .fi, compiled."""
    code = re.search(r"^\.nf\n(.*?)^\.fi", section(text, "EXAMPLE"), re.MULTILINE | re.DOTALL)
    if not code:
        return [Problem(path, 0, "has no example")]
    source = re.sub(r"^\\&", "", code[1], flags=re.MULTILINE).replace("\\e", "\\")
    with tempfile.TemporaryDirectory() as scratch:
        unit = Path(scratch) / "example.c"
        unit.write_text(source)
        status, said = run([cc, "-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only",
                            "-I", root / "include", unit])
    first = next((line for line in said.splitlines() if "error" in line), said.strip())
    return [Problem(path, 0, f"its example does not compile: {first}")] if status else []


def check(root, args):
    paths = files(root, "docs/man/*.3")
    pages = {relative(root, path): path.read_text(encoding="utf-8") for path in paths}
    known = {path.name for path in files(root, "docs/man/*.[1-9]")}
    known |= {name + ".3" for path in paths for name in names(path)}
    installed = (root / "docs/meson.build").read_text(encoding="utf-8")
    problems = check_prototypes(root, pages)
    for path, text in pages.items():
        missing = [title for title in SECTIONS if not section(text, title).strip()]
        problems += [Problem(path, 0, f"has no section {title}") for title in missing]
        if f"'man/{Path(path).name}'" not in installed:
            problems.append(Problem(path, 0, "is not named in docs/meson.build"))
        problems += check_references(root, path, text, known)
        problems += check_example(path, text, root, args.cc)
    return problems


def page(title, synopsis, example="int a;", see="lw_b"):
    body = "".join(f".SH {name}\ntext\n" for name in SECTIONS[2:5])
    return (f".TH {title} 3\n.SH NAME\n{title} \\- x\n.SH SYNOPSIS\n.nf\n.B #include <a.h>\n.PP\n"
            f"{synopsis}\n.fi\n{body}.SH EXAMPLE\n.nf\n{example}\n.fi\n.SH SEE ALSO\n.BR {see} (3)\n")


A = '.BI "int lw_a(const char *" text ,\n.BI "    int " n );'
CLEAN = {
    "include/listwatch/a.h": SPDX + "/* Does. */\nLW_API int lw_a(const char *text,\n"
    "                int n);\n\n/* Is. */\nstatic inline int lw_b(void)\n{\n    return 1;\n}\n",
    "docs/man/one.3": page("one", A + "\n.PP\n.B int lw_b(void);"),
    "docs/meson.build": "install_man('man/one.3', 'man/two.3')\n",
}

PLANTS = [
    Plant("a function without a page", {"docs/man/one.3": page("one", A, see="lw_a")},
          "include/listwatch/a.h:7: lw_b has no page"),
    Plant("a prototype that has changed",
          {"include/listwatch/a.h": "LW_API int lw_a(const char *text, long n);\nLW_API int lw_b(void);\n"},
          "lw_a: says \"int lw_a(const char *text, int n);\""),
    Plant("a function that is gone", {"include/listwatch/a.h": "LW_API int lw_b(void);\n"},
          "docs/man/one.3: lw_a is not in a public header"),
    Plant("a function in two pages", {"docs/man/two.3": page("two", ".B int lw_b(void);")},
          "lw_b is also in docs/man/one.3"),
    Plant("a page without a section", {"docs/man/two.3": page("two", "").replace("THREADS", "T")},
          "docs/man/two.3: has no section THREADS"),
    Plant("a page that is not installed", {"docs/man/three.3": page("three", "")},
          "docs/man/three.3: is not named in docs/meson.build"),
    Plant("a reference to nowhere", {"docs/man/two.3": page("two", "", see="lw_c")},
          "docs/man/two.3: lw_c(3): the page does not exist"),
    Plant("an example that does not compile", {"docs/man/two.3": page("two", "", "int a = b;")},
          "docs/man/two.3: its example does not compile"),
]

if __name__ == "__main__":
    main("each public function has a page, and the manual is correct", check, CLEAN, PLANTS, arguments)
