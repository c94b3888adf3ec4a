#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""wired.py -- no file is forgotten: every source, file of the page, example, header, test, scenario
list and fuzz target is named in the meson.build that should build it, every public header is part of
listwatch.h, and every fuzz target has seeds."""

import re

from check import SPDX, Plant, Problem, files, includes, main, relative

# (files, the meson.build files that may name one, what it is called there).  {stem} and {target} are
# entries of the list that the file opens with; elsewhere the same word may mean something else.
RULES = [
    ("src/*/*.c", ["src/{1}/meson.build", "src/meson.build"], "{name}.c"),
    ("src/*/*/*.c", ["src/{1}/meson.build"], "{2}/{name}.c"),
    ("src/schema/fields/*", ["src/schema/meson.build"], "fields/{name}.fields"),
    ("web/*.js", ["web/meson.build"], "{name}.js"),
    ("web/*.css", ["web/meson.build"], "{name}.css"),
    ("cli/*.c", ["cli/meson.build"], "{name}.c"),
    ("examples/*.c", ["examples/meson.build"], "{name}"),
    ("examples/*/*.c", ["examples/meson.build"], "{below}.c"),
    ("include/**/*.h", ["include/meson.build"], "{below}.h"),
    ("tests/thread/*_test.c", ["tests/thread/meson.build"], "{stem}"),
    ("tests/oracle/*_test.c", ["tests/oracle/meson.build"], "{stem}"),
    ("tests/oom/*_scenarios.c", ["tests/oom/meson.build"], "{stem}"),
    ("tests/fuzz/fuzz_*.c", ["tests/fuzz/meson.build"], "{target}"),
]


def quoted(text):
    """Everything that stands in quotes in a meson.build, and what is put together from it in a loop
    as 'before' + name + 'after'."""
    text = re.sub(r"^\s*#.*$", "", text, flags=re.MULTILINE)
    names = set(re.findall(r"'([^'\n]*)'", text))
    frames = re.findall(r"'([^'\n]*)' \+ \w+ \+ '([^'\n]*)'", text)
    return names | {before + name + after for before, after in frames for name in names}


def listed(text):
    """What stands in the first list or dictionary of a meson.build."""
    first = re.search(r"^\w+ = [\[{](.*?)[\]}]", text, re.DOTALL | re.MULTILINE)
    return quoted(first[1]) if first else set()


def read(root, name):
    path = root / name
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def check_named(root):
    problems = []
    for pattern, places, called in RULES:
        for path in files(root, pattern):
            parts = relative(root, path).split("/")
            stem = re.sub(r"_(test|scenarios)$", "", path.stem)
            below = "/".join(parts[1:])[:-len(path.suffix)]
            wanted = called.format(*parts, name=path.stem, target=path.stem, stem=stem, below=below)
            places_here = [place.format(*parts) for place in places]
            names = listed if called in ("{stem}", "{target}") else quoted
            if not any(wanted in names(read(root, place)) for place in places_here):
                problems.append(Problem("/".join(parts), 0,
                                        f"is not named in {' or '.join(places_here)}"))
    return problems


def check_unit_tests(root):
    """Unit tests are named below their module, 'json': ['cursor', ...], or in the module's own
    meson.build."""
    place = "tests/unit/meson.build"
    named = {module: quoted(names) for module, names in
             re.findall(r"'(\w+)':\s*\[(.*?)\]", read(root, place), re.DOTALL)}
    problems = []
    for path in files(root, "tests/unit/**/*_test.c"):
        module, name = relative(root / "tests/unit", path)[:-len("_test.c")].split("/", 1)
        own = f"tests/unit/{module}/meson.build"
        names = named.get(module, set()) | quoted(read(root, own))
        if name not in names:
            problems.append(Problem(relative(root, path), 0, f"is not named in {place} or {own}"))
    return problems


# Headers of the other libraries: a program that wants a server, or etcd, says so.
OTHER_LIBRARIES = {"listwatch/etcd.h", "listwatch/server.h", "listwatch/server_faults.h",
                   "listwatch/server_store.h", "listwatch/server_webhook.h", "listwatch/test.h"}


def check_umbrella(root):
    named = {name for _, name, _ in includes(read(root, "include/listwatch.h"))}
    below = [(relative(root, path), relative(root / "include", path))
             for path in files(root, "include/listwatch/*.h")]
    return ([Problem(name, 0, "is not included by listwatch.h")
             for name, included in below if included not in named | OTHER_LIBRARIES]
            + [Problem("include/listwatch.h", 0, f"includes {name}, which belongs to another library")
               for name in sorted(named & OTHER_LIBRARIES)])


def check_seeds(root):
    return [Problem(relative(root, path), 0, f"has no seeds in tests/fuzz/corpus/{path.stem}/")
            for path in files(root, "tests/fuzz/fuzz_*.c")
            if not files(root, f"tests/fuzz/corpus/{path.stem}/*")]


def check(root):
    return check_named(root) + check_unit_tests(root) + check_umbrella(root) + check_seeds(root)


CLEAN = {
    "src/base/a.c": SPDX,
    "src/json/b.c": SPDX,
    "src/base/meson.build": "base_sources = files('a.c')\n",
    "src/json/b_fast.c": SPDX,
    "src/schema/fields/a.fields": "package a\n",
    "src/schema/meson.build": "files('fields/a.fields')\n",
    "src/meson.build": "simd = static_library('simd', 'b.c')\nforeach kind : ['fast']\n"
    "  simd += files('b_' + kind + '.c')\nendforeach\n",
    "include/listwatch.h": SPDX + "#include <listwatch/a.h>\n",
    "include/listwatch/a.h": SPDX,
    "include/listwatch/sys/b.h": SPDX,
    "include/meson.build": "files('listwatch.h', 'listwatch/a.h', 'listwatch/server.h',\n  'listwatch/sys/b.h')\n",
    "web/a.js": "// a\n",
    "web/a.css": "/* a */\n",
    "web/meson.build": "page_files = files('a.js', 'a.css')\n",
    "cli/main.c": SPDX,
    "cli/meson.build": "files('main.c')\n",
    "tests/unit/base/a_test.c": SPDX,
    "tests/unit/meson.build": "unit_tests = {\n  'base': ['x',\n    'a'],\n  'json': ['c'],\n}\n",
    "include/listwatch/server.h": SPDX,
    "tests/unit/net/a_test.c": SPDX,
    "tests/unit/net/meson.build": "names = ['a']\n",
    "tests/thread/a_test.c": SPDX,
    "tests/thread/meson.build": "tests = ['a']\n",
    "tests/oracle/a_test.c": SPDX,
    "tests/oracle/meson.build": "tests = ['a']\n",
    "tests/oom/a_scenarios.c": SPDX,
    "tests/oom/meson.build": "modules = ['x', 'a']\nif module == 'd'\nendif\n",
    "tests/fuzz/fuzz_a.c": SPDX,
    "tests/fuzz/meson.build": "targets = {\n  'fuzz_a': 10,\n}\n",
    "tests/fuzz/corpus/fuzz_a/seed": "x",
}

PLANTS = [
    Plant("a source nobody builds", {"src/base/d.c": SPDX},
          "src/base/d.c: is not named in src/base/meson.build"),
    Plant("a source in a folder of a module that nobody builds", {"src/base/d/d.c": SPDX},
          "src/base/d/d.c: is not named in src/base/meson.build"),
    Plant("a source that is only mentioned in a comment",
          {"src/base/d.c": SPDX, "src/base/meson.build": "files('a.c')\n# 'd.c'\n"}, "src/base/d.c"),
    Plant("fields that are in no table", {"src/schema/fields/d.fields": "package d\n"},
          "src/schema/fields/d.fields: is not named in src/schema/meson.build"),
    Plant("a file of the page that the server has not", {"web/d.js": "// d\n"},
          "web/d.js: is not named in web/meson.build"),
    Plant("an example nobody builds", {"examples/d.c": SPDX},
          "examples/d.c: is not named in examples/meson.build"),
    Plant("a file of an example nobody builds", {"examples/d/e.c": SPDX},
          "examples/d/e.c: is not named in examples/meson.build"),
    Plant("a header that is not installed", {"include/listwatch/sys/d.h": SPDX},
          "sys/d.h: is not named in include/meson.build"),
    Plant("a header that listwatch.h forgets", {"include/listwatch/d.h": SPDX},
          "d.h: is not included by listwatch.h"),
    Plant("a header of another library in listwatch.h",
          {"include/listwatch.h": "#include <listwatch/a.h>\n#include <listwatch/server.h>\n"},
          "includes listwatch/server.h, which belongs to another library"),
    Plant("a unit test nobody runs", {"tests/unit/base/d_test.c": SPDX},
          "tests/unit/base/d_test.c: is not named"),
    Plant("a unit test its module forgets", {"tests/unit/net/d_test.c": SPDX},
          "tests/unit/net/d_test.c: is not named"),
    Plant("a unit test that is named in another module", {"tests/unit/base/c_test.c": SPDX},
          "tests/unit/base/c_test.c: is not named"),
    Plant("a thread test nobody runs", {"tests/thread/d_test.c": SPDX}, "tests/thread/d_test.c"),
    Plant("an oracle nobody asks", {"tests/oracle/d_test.c": SPDX}, "tests/oracle/d_test.c"),
    Plant("scenarios nobody runs", {"tests/oom/d_scenarios.c": SPDX}, "tests/oom/d_scenarios.c"),
    Plant("a fuzz target nobody runs", {"tests/fuzz/fuzz_d.c": SPDX}, "tests/fuzz/fuzz_d.c: is not"),
    Plant("a fuzz target without seeds", {"tests/fuzz/fuzz_d.c": SPDX}, "has no seeds"),
]

if __name__ == "__main__":
    main("every file is built, run or installed", check, CLEAN, PLANTS)
