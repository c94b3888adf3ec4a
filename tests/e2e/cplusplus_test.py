#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cplusplus_test.py -- listwatch.hpp in each standard of C++, and against a server.

    cplusplus_test.py PROGRAM LIBRARY CXX INCLUDE SOURCE EXAMPLE"""

import os
import subprocess
import sys

from serving import Server, run_tests

LIBRARY, CXX, INCLUDE, SOURCE, EXAMPLE = sys.argv[2:7]
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror"]


def run(command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=90, **options)
    assert done.returncode == 0, " ".join(command) + "\n" + done.stdout
    return done.stdout


def the_header_has_no_warnings_in_any_standard(_):
    for standard in ["c++11", "c++14", "c++17", "c++20", "c++2b"]:
        run([CXX, f"-std={standard}", *WARNINGS, "-I", INCLUDE, "-fsyntax-only", EXAMPLE])


def each_class_works_against_a_server(program):
    server = Server(program, memory=True).start()
    try:
        built = server.folder + "/program"
        run([CXX, "-std=c++11", *WARNINGS, "-I", INCLUDE, SOURCE, LIBRARY, "-pthread", "-o", built])
        folder = os.path.dirname(os.path.abspath(LIBRARY))
        told = run([built, server.url()], env=dict(os.environ, LD_LIBRARY_PATH=folder))
        assert told == "done\n", told
    finally:
        server.remove()


run_tests([the_header_has_no_warnings_in_any_standard, each_class_works_against_a_server])
