#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""banned.py -- finds calls of banned functions, and of those that only one file may call."""

import re
from fnmatch import fnmatchcase

from check import SPDX, Plant, Problem, code_only, files, line_of, main, relative

EVERYWHERE = ["src/**/*.[ch]", "include/**/*.h", "cli/**/*.[ch]", "examples/**/*.[ch]",
              "tests/**/*.[ch]"]
LIBRARY = ["src/*", "include/*"]

# (names, where the rule holds, files that are excepted, what to do instead)
RULES = [
    ("strcpy strcat sprintf vsprintf gets stpcpy", ["*"], [], "use lw_buf or snprintf"),
    ("strtok strtok_r", ["*"], [], "use lw_str_cut"),
    ("atoi atol atoll atof", ["*"], [], "use lw_str_to_int64"),
    ("alloca", ["*"], [], "use the heap, with a cap"),
    ("sleep usleep nanosleep", ["*"], [], "wait for the event; time comes from lw_clock"),
    ("system popen", ["*"], [], "do not start a shell"),
    ("signal", ["*"], [], "use sigaction, in a program"),
    ("malloc calloc realloc reallocarray free strdup strndup asprintf vasprintf aligned_alloc "
     "posix_memalign", LIBRARY, ["src/base/alloc.c", "src/control/*", "src/testkit/*"], "use lw_alloc"),
    ("printf fprintf vprintf vfprintf puts fputs putchar putc fputc perror fwrite", LIBRARY,
     ["src/control/*"], "the library returns errors, it prints nothing"),
    ("exit _exit abort", LIBRARY, ["src/control/*"], "return an error"),
    ("setlocale strtod strtof strtold", LIBRARY, ["src/json/text.c", "src/json/number.c"],
     "answers must not depend on the locale: use lw_json_number_to_double"),
    ("rand srand random srandom drand48", ["*"], [], "use base/backoff or a seeded generator"),
    ("time gettimeofday", LIBRARY, ["src/base/clock.c"], "time comes from lw_clock"),
]
PREFIXES = [("pthread_", LIBRARY, ["src/base/sync*", "src/control/*"], "use base/sync")]
WORDS = ["TO" + "DO", "FIX" + "ME", "X" + "XX"]  # split, so that this file passes


# format(printf, ...) names a function without calling it.
ATTRIBUTE = re.compile(r"__attribute__\(\(.*\)\)")


def applies(name, where, excepted):
    return (any(fnmatchcase(name, glob) for glob in where)
            and not any(fnmatchcase(name, glob) for glob in excepted))


# Must not be passed as a function pointer either.  Other names may be variables.
NOT_EVEN_NAMED = "malloc calloc realloc free strdup printf".split()

# One search for the names of all rules: a search per rule takes half a minute.
NAMES = "|".join(name for names, *_ in RULES for name in names.split())
CALL = re.compile(rf"\b({NAMES})\s*\(")
HANDED = re.compile(rf"[(,=]\s*&?({'|'.join(NOT_EVEN_NAMED)})\s*[,);}}]")
# What makes it a member.
MEMBER = re.compile(r"(?:\.|->)$")


def calls(code):
    """(line, name) of every banned call, except as a member."""
    for match in CALL.finditer(code):
        if not MEMBER.search(code, max(0, match.start() - 2), match.start()):
            yield line_of(code, match.start()), match[1]
    for match in HANDED.finditer(code):
        yield line_of(code, match.start(1)), match[1]


def check(root):
    problems = []
    for path in files(root, *EVERYWHERE):
        name = relative(root, path)
        text = path.read_text(encoding="utf-8")
        code = ATTRIBUTE.sub(lambda m: " " * len(m[0]), code_only(text))
        for line, what in calls(code):
            for names, where, excepted, instead in RULES:
                if what in names.split() and applies(name, where, excepted):
                    problems.append(Problem(name, line, f"{what}: {instead}"))
        for prefix, where, excepted, instead in PREFIXES:
            if applies(name, where, excepted):
                for match in re.finditer(rf"\b{prefix}\w+", code):
                    problems.append(Problem(name, line_of(code, match.start()),
                                            f"{match[0]}: {instead}"))
        for word in WORDS:
            for match in re.finditer(rf"\b{word}\b", text):
                problems.append(Problem(name, line_of(text, match.start()),
                                        f"{word}: finish it, or open an issue"))
    return problems


CLEAN = {
    "src/base/alloc.c": SPDX + "void *lw_alloc(size_t n)\n{\n    return malloc(n);\n}\n",
    "src/base/sync.c": SPDX + "pthread_mutex_t mu;\n",
    "src/base/buf.c": SPDX + '/* not malloc(), nor sprintf() */\nconst char *s = "free(x)";\n'
    "void f(struct a *a)\n{\n    a->free(a);\n    a->vt.signal(a);\n    lw_free(a);\n"
    "    snprintf(s, n, \"%s\", x);\n}\n",
    "include/listwatch/api.h": SPDX + "#define F(a, b) __attribute__((format(printf, a, b)))\n",
    "src/base/clock.h": SPDX + "int64_t due(int64_t time);\nstruct a {\n    char *free;\n};\n",
    "cli/main.c": SPDX + 'int main(void)\n{\n    printf("x");\n    free(malloc(1));\n}\n',
    "tests/unit/a_test.c": SPDX + "void *p = malloc(1);\n",
}

PLANTS = [
    Plant("strcpy", {"src/base/a.c": "void f(void)\n{\n    strcpy(a, b);\n}\n"},
          "src/base/a.c:3: strcpy"),
    Plant("sprintf in a test", {"tests/unit/b_test.c": "void f(void)\n{\n    sprintf(a, b);\n}\n"},
          "tests/unit/b_test.c:3: sprintf"),
    Plant("atoi in the program", {"cli/get.c": "int a = atoi(b);\n"}, "cli/get.c:1: atoi"),
    Plant("strtok", {"cli/get.c": "x = strtok (b, c);\n"}, "strtok"),
    Plant("alloca", {"src/base/a.c": "x = alloca(9);\n"}, "alloca"),
    Plant("sleep in a test", {"tests/unit/b_test.c": "sleep(1);\n"}, "wait for the event"),
    Plant("usleep", {"src/base/a.c": "usleep(1);\n"}, "usleep"),
    Plant("system", {"cli/get.c": "system(a);\n"}, "do not start a shell"),
    Plant("signal", {"cli/get.c": "signal(SIGPIPE, SIG_IGN);\n"}, "use sigaction"),
    Plant("malloc in the library", {"src/json/a.c": "x = malloc(3);\n"}, "use lw_alloc"),
    Plant("free in the library", {"src/json/a.c": "\nfree(x);\n"}, "src/json/a.c:2: free"),
    Plant("free taken as a pointer", {"src/json/a.c": "done(x, free);\n"}, "use lw_alloc"),
    Plant("printing from the library", {"src/json/a.c": 'fprintf(stderr, "x");\n'},
          "it prints nothing"),
    Plant("pthread outside sync", {"src/base/a.c": "pthread_mutex_lock(&m);\n"}, "use base/sync"),
    Plant("strtod", {"src/json/a.c": "double d = strtod(a, &b);\n"}, "locale"),
    Plant("a note to oneself", {"src/base/a.c": "/* TO" + "DO: later */\n"}, "finish it"),
    Plant("a call after a string with a quote",
          {"src/base/a.c": 'x("\\"", \'"\', malloc(3));\n'}, "use lw_alloc"),
]

if __name__ == "__main__":
    main("no banned function", check, CLEAN, PLANTS)
