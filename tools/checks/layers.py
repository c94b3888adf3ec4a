#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""layers.py -- the layer table (tools/layers.txt), checked from the #include lines.

Prints the graph of modules as it is, and fails on an include that the table does not allow, on a
cycle between modules, and on a cycle between headers."""

from collections import defaultdict
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from check import SPDX, Plant, Problem, files, includes, main, relative

TABLE = Path(__file__).resolve().parent.parent / "layers.txt"
ROOT = TABLE.parent.parent

C_STANDARD = set("""assert.h complex.h ctype.h errno.h fenv.h float.h inttypes.h iso646.h limits.h
locale.h math.h setjmp.h signal.h stdalign.h stdarg.h stdatomic.h stdbool.h stddef.h stdint.h
stdio.h stdlib.h stdnoreturn.h string.h tgmath.h threads.h time.h uchar.h wchar.h wctype.h""".split())

POSIX = set("""dirent.h endian.h fcntl.h getopt.h netdb.h poll.h strings.h unistd.h arpa/inet.h netinet/in.h
netinet/tcp.h sys/eventfd.h sys/mman.h sys/random.h sys/resource.h sys/socket.h sys/stat.h
sys/time.h sys/types.h sys/uio.h sys/un.h sys/wait.h""".split())

# C headers that must not be used: threads come from base/sync.
UNUSED_STANDARD = {"threads.h"}


@dataclass
class Table:
    modules: dict = field(default_factory=dict)  # module: what it may include
    also: list = field(default_factory=list)  # (glob of files, modules)
    headers: list = field(default_factory=list)  # (glob of headers, globs of files)
    outside: list = field(default_factory=list)  # folders that see public headers only


def read_table(path):
    table = Table()
    for number, line in enumerate(path.read_text().splitlines(), 1):
        words = line.split("#")[0].split()
        if not words:
            continue
        if words[0] == "module":
            table.modules[words[1].rstrip(":")] = words[2:]
        elif words[0] == "also":
            table.also.append((words[1].rstrip(":"), words[2:]))
        elif words[0] == "header" and words[2] == "in":
            table.headers.append((words[1], words[3:]))
        elif words[0] == "outside":
            table.outside += words[1:]
        else:
            raise SystemExit(f"{path}:{number}: syntax error: {line}")
    for module, may in table.modules.items():
        for other in may:
            if not any(fnmatchcase(name, other) for name in table.modules):
                raise SystemExit(f"{path}: module {module} may include {other}, which does not exist")
    return table


def module_of(table, inner):
    """The module of a file by its path below src/: api/http/call.h -> api/http; None: of none."""
    folder = inner.rpartition("/")[0]
    return folder if folder in table.modules else None


def allowed(table, name, own):
    """Globs of the modules that the file |name| of the module |own| may include."""
    may = [own, *table.modules[own]]
    for glob, more in table.also:
        if fnmatchcase(name, glob):
            may += more
    return may


def is_outside(table, name):
    return any(name.startswith(folder + "/") for folder in table.outside)


def judge_system(table, name, header):
    """Why |name| must not include the system header |header|; None when it may."""
    rules = [where for what, where in table.headers if fnmatchcase(header, what)]
    if rules:
        if any(fnmatchcase(name, glob) for where in rules for glob in where):
            return None
        return f"<{header}> belongs to {' '.join(g for where in rules for g in where)} only"
    if header in UNUSED_STANDARD:
        return f"<{header}> must not be used"
    if header in C_STANDARD or header in POSIX:
        return None
    return f"<{header}> is not in tools/layers.txt"


def judge_public(header):
    """Why a public header must not include |header|."""
    if header.startswith("listwatch/") or header in C_STANDARD - UNUSED_STANDARD:
        return None
    return f"a public header may include <listwatch/...> and C headers only, not {header}"


def judge_internal(table, name, header):
    """Why |name| in src/ must not include the quoted |header|."""
    own = module_of(table, name[len("src/"):])
    if "/" not in header:
        return f'"{header}" must be written with its module: "{own}/{header}"'
    module = module_of(table, header)
    if module is None:
        return f'"{header}" is of no module of the layer table'
    if not any(fnmatchcase(module, glob) for glob in allowed(table, name, own)):
        return f"{own} must not include {module} ({header})"
    return None


def judge_controller(table, root, name, header):
    """Why |name| in src/control/ must not include the quoted |header|, which is below it."""
    if not (root / "src/control" / header).is_file():
        return f'public headers only: "{header}" is internal'
    own = module_of(table, name[len("src/"):])
    module = module_of(table, f"control/{header}")
    if own is None or module is None:
        return f'"{header}" is of no module of the layer table'
    if not any(fnmatchcase(module, glob) for glob in allowed(table, name, own)):
        return f"{own} must not include {module} ({header})"
    return None


def judge(table, root, name, header, is_quoted):
    if name.startswith("include/"):
        return judge_public(header)
    if is_outside(table, name):
        if is_quoted and name.startswith("src/control/"):
            return judge_controller(table, root, name, header)
        if is_quoted:
            # The headers of its own folder, or of cli/ for one below it, by their bare name.
            folders = [(root / name).parent] + [root / "cli"] * name.startswith("cli/")
            is_own = ".." not in header and any((one / header).is_file() for one in folders)
            is_also = any(fnmatchcase(name, glob) and header.split("/")[0] in more
                          for glob, more in table.also)
            return None if is_own or is_also else f'public headers only: "{header}" is internal'
        if header == "listwatch.h" or header.startswith("listwatch/"):
            return None
        return judge_system(table, name, header)
    if is_quoted:
        return judge_internal(table, name, header)
    if header == "listwatch.h":
        return "the library includes what it needs, not all of <listwatch.h>"
    if header.startswith("listwatch/"):
        return None
    return judge_system(table, name, header)


def own_header(root, table, name):
    """What the .c file |name| must include first, or None: src/base/buf.c -> base/buf.h, but
    src/control/runtime/loop.c -> runtime/loop.h; when there is no such header but a public one of
    that name, that."""
    if not name.startswith("src/") or not name.endswith(".c"):
        return None
    inner = name[len("src/"):-len(".c")] + ".h"
    if (root / "src" / inner).is_file():
        return inner.split("/", 1)[1] if is_outside(table, name) else inner
    public = "listwatch/" + inner.split("/", 1)[1]
    return public if (root / "include" / public).is_file() else None


def find_cycles(edges):
    """Include cycles among headers, each once, as lists of names."""
    state, cycles = {}, []

    def visit(node, trail):
        state[node] = "open"
        for target in sorted(edges.get(node, ())):
            if state.get(target) == "open":
                cycles.append(trail[trail.index(target):] + [target])
            elif target not in state:
                visit(target, trail + [target])
        state[node] = "done"

    for node in sorted(edges):
        if node not in state:
            visit(node, [node])
    return cycles


def resolve(root, name, header, is_quoted):
    """The file of the tree that an include names, or None."""
    places = [f"include/{header}"]
    if is_quoted:
        places = [f"src/{header}", f"{name.rsplit('/', 1)[0]}/{header}"]
        if name.startswith("src/control/"):
            places = [f"src/control/{header}"]
    return next((p for p in places if (root / p).is_file()), None)


def module_graph(table, edges):
    """Which modules include which, as they do: by files of src/, whatever the table says."""
    graph = defaultdict(set)
    for name, targets in edges.items():
        own = module_of(table, name[len("src/"):]) if name.startswith("src/") else None
        for target in targets:
            other = module_of(table, target[len("src/"):]) if target.startswith("src/") else None
            if own and other and own != other:
                graph[own].add(other)
    return graph


def print_graph(graph):
    for module in sorted(graph):
        print(f"# {module} -> {' '.join(sorted(graph[module]))}")


def check(root, table_path=TABLE):
    table = read_table(table_path)
    problems, edges = [], defaultdict(set)
    for path in files(root, "src/**/*.[ch]", "cli/**/*.[ch]", "examples/**/*.[ch]",
                      "include/**/*.h"):
        name = relative(root, path)
        if name.startswith("src/") and not module_of(table, name[len("src/"):]):
            problems.append(Problem(name, 0, "is not in a module of tools/layers.txt"))
            continue
        found = includes(path.read_text(encoding="utf-8"))
        for line, header, is_quoted in found:
            why = judge(table, root, name, header, is_quoted)
            if why:
                problems.append(Problem(name, line, why))
            target = resolve(root, name, header, is_quoted)
            if target:
                edges[name].add(target)
        first = own_header(root, table, name)
        if first and (not found or found[0][1] != first):
            line = found[0][0] if found else 1
            problems.append(Problem(name, line, f"must include its own header first: {first}"))
    for cycle in find_cycles(edges):
        problems.append(Problem(cycle[0], 0, "include cycle: " + " -> ".join(cycle)))
    graph = module_graph(table, edges)
    for cycle in find_cycles(graph):
        problems.append(Problem(f"src/{cycle[0]}", 0, "module cycle: " + " -> ".join(cycle)))
    if root == ROOT:
        print_graph(graph)
    return problems


CLEAN = {
    "include/listwatch.h": SPDX + "#include <listwatch/str.h>\n",
    "include/listwatch/str.h": SPDX + "#include <stddef.h>\n",
    "src/base/buf.h": SPDX + "#include <listwatch/str.h>\n",
    "src/base/buf.c": SPDX + '#include "base/buf.h"\n\n#include <string.h>\n',
    "src/base/str.c": SPDX + "#include <listwatch/str.h>\n",
    "src/base/sync.c": SPDX + "#include <pthread.h>\n",
    "src/json/yaml/yaml_read.c": SPDX + '#include <yaml.h>\n#include "base/buf.h"\n',
    "src/store/etcd.c": SPDX + '#include "etcd/kv.h"\n',
    "src/etcd/kv.h": SPDX,
    "cli/main.c": SPDX + '#include "command.h"\n#include <listwatch.h>\n#include <stdio.h>\n',
    "cli/command.h": SPDX,
    "src/control/job/job.c": SPDX + '#include <listwatch.h>\n#include <pthread.h>\n'
                                    '#include "runtime/loop.h"\n',
    "src/control/runtime/loop.h": SPDX,
    "src/api/context/port.h": SPDX,
    "src/api/write/write.h": SPDX + '#include "api/context/port.h"\n',
    "src/api/quota/quota_charge.h": SPDX,
    "src/api/quota/quota_charge.c": SPDX + '#include "api/quota/quota_charge.h"\n'
                                           '#include "api/write/write.h"\n',
    "src/control/control.h": SPDX,
    "src/control/control.c": SPDX + '#include "control.h"\n',
    "cli/control.c": SPDX + '#include "control/control.h"\n',
}

PLANTS = [
    Plant("base that includes json", {"src/base/dlist.c": '#include "json/scan.h"\n'},
          "src/base/dlist.c:1: base must not include json"),
    Plant("json that includes object", {"src/json/tree.c": '\n#include "object/key.h"\n'},
          "src/json/tree.c:2: json must not include object"),
    Plant("server that includes client", {"src/server/run.c": '#include "client/list.h"\n'},
          "server must not include client"),
    Plant("the informer that includes client elsewhere than in its source",
          {"src/informer/reflector.c": '#include "client/list.h"\n'},
          "informer must not include client"),
    Plant("pthread outside base/sync", {"src/base/dlist.c": "#include <pthread.h>\n"},
          "<pthread.h> belongs to src/base/sync*"),
    Plant("libyaml outside json/yaml", {"src/json/tree.c": "#include <yaml.h>\n"},
          "<yaml.h> belongs to"),
    Plant("an unknown third-party header", {"src/json/tree.c": "#include <yyjson.h>\n"},
          "<yyjson.h> is not in tools/layers.txt"),
    Plant("an internal header without its module", {"src/base/dlist.c": '#include "buf.h"\n'},
          'must be written with its module'),
    Plant("a public header that includes an internal one",
          {"include/listwatch/map.h": '#include "base/buf.h"\n'}, "a public header may include"),
    Plant("a public header that includes POSIX",
          {"include/listwatch/fd.h": "#include <unistd.h>\n"}, "a public header may include"),
    Plant("a program that includes an internal header",
          {"cli/get.c": '#include "base/buf.h"\n'}, "public headers only"),
    Plant("a program that includes a controller elsewhere than where it runs them",
          {"cli/get.c": '#include "control/control.h"\n'}, "public headers only"),
    Plant("an example that includes an internal header",
          {"examples/a.c": '#include "../src/base/buf.h"\n'}, "public headers only"),
    Plant("a controller that includes an internal header",
          {"src/control/node/node.c": '#include "base/buf.h"\n'}, "public headers only"),
    Plant("the write engine that includes quotas",
          {"src/api/write/change.c": '#include "api/quota/quota_charge.h"\n'},
          "api/write must not include api/quota"),
    Plant("the runtime of controllers that includes a controller",
          {"src/control/runtime/run.c": '#include "job/job.h"\n', "src/control/job/job.h": ""},
          "control/runtime must not include control/job"),
    Plant("two modules that include each other",
          {"src/store/etcd_a.c": '#include "etcd/kv.h"\n',
           "src/store/store.h": "\n",
           "src/etcd/back.c": '#include "store/store.h"\n'},
          "module cycle: "),
    Plant("a folder that is not in the table", {"src/util/util.c": "\n"},
          "is not in a module"),
    Plant("a folder of a module that is not in the table", {"src/api/util/util.c": "\n"},
          "is not in a module"),
    Plant("a file that includes its own header second",
          {"src/base/buf.c": '#include <string.h>\n#include "base/buf.h"\n'},
          "must include its own header first: base/buf.h"),
    Plant("a controller that includes its own header second",
          {"src/control/control.c": '#include <string.h>\n#include "control.h"\n'},
          "must include its own header first: control.h"),
    Plant("an include cycle",
          {"src/base/a.h": '#include "base/b.h"\n', "src/base/b.h": '#include "base/a.h"\n'},
          "include cycle: src/base/a.h -> src/base/b.h -> src/base/a.h"),
    Plant("an include behind a comment",
          {"src/base/dlist.c": '/* x */ #include "json/scan.h"\n'}, "base must not include json"),
]

if __name__ == "__main__":
    main("every #include follows the layer table", check, CLEAN, PLANTS)
