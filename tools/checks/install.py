#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""install.py -- what `make install` lays down is whole: programs that know only pkg-config are built
against it, with the shared libraries and with the static ones, and run; a project of CMake finds it;
the examples are built as their readers would build them."""

import argparse
import os
import shlex
import shutil
import sys
import tempfile
from pathlib import Path

from check import ROOT, Tap, files, includes, relative, run

INSTALLED = ["bin/listwatch", "include/listwatch.h", "include/listwatch/error.h",
             "include/listwatch/etcd.h", "include/listwatch/server.h",
             "include/listwatch/sys/alloc.h", "liblistwatch.a",
             "liblistwatch.so", "liblistwatch.so.0", "liblistwatch-server.a",
             "liblistwatch-server.so", "liblistwatch-server.so.0", "liblistwatch-etcd.a",
             "liblistwatch-etcd.so", "liblistwatch-etcd.so.0", "liblistwatch-test.a", "man1/listwatch.1",
             "man1/listwatch-apply.1", "man1/listwatch-delete.1", "man1/listwatch-get.1",
             "man1/listwatch-serve.1", "man1/listwatch-watch.1", "man3/listwatch.3",
             "listwatch/alerts.yaml", "listwatch/dashboard.json",
             "man3/lw_factory.3", "man3/lw_factory_new.3", "pkgconfig/listwatch.pc",
             "pkgconfig/listwatch-etcd.pc", "pkgconfig/listwatch-server.pc", "pkgconfig/listwatch-test.pc",
             "systemd/system/listwatch.service", "cmake/listwatch/listwatch-config.cmake",
             "cmake/listwatch/listwatch-config-version.cmake",
             "bash-completion/completions/listwatch", "zsh/site-functions/_listwatch",
             "fish/vendor_completions.d/listwatch.fish"]

# The test program of each package.
PROGRAMS = {"listwatch": r"""
#include <listwatch.h>
#include <stdio.h>
#include <string.h>

#if !LW_VERSION_AT_LEAST(LW_VERSION_MAJOR, LW_VERSION_MINOR, LW_VERSION_PATCH) || \
    !LW_VERSION_AT_LEAST(0, 0, 99) || LW_VERSION_AT_LEAST(LW_VERSION_MAJOR + 1, 0, 0) || \
    LW_VERSION_AT_LEAST(LW_VERSION_MAJOR, LW_VERSION_MINOR + 1, 0) || \
    LW_VERSION_AT_LEAST(LW_VERSION_MAJOR, LW_VERSION_MINOR, LW_VERSION_PATCH + 1)
#error "LW_VERSION_AT_LEAST"
#endif

int main(void)
{
    printf("%s\n", lw_version());
    return strcmp(lw_version(), LW_VERSION) != 0;
}
""", "listwatch-server": r"""
#include <listwatch/server.h>
#include <stdio.h>

int main(void)
{
    lw_server_options options = LW_SERVER_OPTIONS_INIT;
    lw_server *server = NULL;
    lw_error err = LW_ERROR_INIT;
    options.listen = "127.0.0.1:0";
    if (lw_server_start(&server, &options, &err) < 0) {
        printf("%s\n", err.message);
        return 1;
    }
    printf("%s\n", lw_server_url(server));
    lw_server_stop(server, 1);
    return 0;
}
""", "listwatch-etcd": r"""
#include <listwatch.h>
#include <listwatch/etcd.h>
#include <stdio.h>

int main(void)
{
    lw_provider *etcd = NULL;
    lw_factory *factory = NULL;
    lw_informer *informer;
    lw_error err = LW_ERROR_INIT;
    if (lw_etcd_provider_new(&etcd, &(lw_etcd_provider_options){ .endpoints = "http://[::1]:9" },
                             &err) < 0 ||
        lw_factory_new(&factory, &(lw_factory_options){ .size = sizeof(lw_factory_options), .provider = etcd }, &err) < 0 ||
        lw_factory_informer(factory, "/app/", &informer, &err) < 0 ||
        lw_factory_dispatch(factory, &err) < 0) {
        printf("%s\n", err.message);
        return 1;
    }
    lw_factory_free(factory);
    return 0;
}
"""}


def one(folder, pattern):
    return next(iter(sorted(folder.glob(pattern))), None)


def environment(stage):
    """What programs are built and run with, when the installed tree is below |stage|."""
    return dict(os.environ, PKG_CONFIG_PATH=str(one(stage, "**/listwatch.pc").parent),
                PKG_CONFIG_SYSROOT_DIR=str(stage),
                LD_LIBRARY_PATH=str(one(stage, "**/liblistwatch.so.*").parent))


def pkg_config(stage, packages, arguments):
    """The flags that pkg-config gives for |packages|, words of one string."""
    code, text = run(["pkg-config"] + arguments + packages.split(), env=environment(stage))
    return shlex.split(text) if code == 0 else None


def check_build(tap, stage, cc, package, what, arguments, extra):
    flags = pkg_config(stage, package, arguments)
    if flags is None:
        tap.report(False, f"pkg-config {' '.join(arguments)} {package}")
        return
    program = stage / f"{package}-{what}"
    source = stage / f"{package}.c"
    source.write_text(PROGRAMS[package])
    code, text = run(cc + ["-std=c11", "-Wall", "-Werror", source, "-o", program] + extra(flags))
    if code == 0:
        code, text = run([program], env=environment(stage))
    tap.report(code == 0, f"a program builds with the {what} {package} and runs", [text])
    if what == "static":
        _, text = run(["readelf", "--dynamic", program])
        tap.report("liblistwatch" not in text, f"... and does not need {package} at run time", [text])


CMAKE = """\
cmake_minimum_required(VERSION 3.16)
project(check C)
find_package(listwatch 0.1 REQUIRED COMPONENTS etcd server)
find_package(listwatch 9.0 QUIET)
if(listwatch_FOUND)
  message(FATAL_ERROR "version 9.0 was found")
endif()
find_package(listwatch 0.1 QUIET OPTIONAL_COMPONENTS engine)
if(NOT listwatch_FOUND OR listwatch_engine_FOUND)
  message(FATAL_ERROR "an unknown component was found")
endif()
add_executable(main listwatch.c)
target_link_libraries(main PRIVATE listwatch::listwatch)
add_executable(etcd listwatch-etcd.c)
target_link_libraries(etcd PRIVATE listwatch::etcd)
add_executable(server listwatch-server.c)
target_link_libraries(server PRIVATE listwatch::server)
"""


def check_cmake(tap, stage, cc):
    """find_package in a project of CMake; the sources are those of check_build."""
    if shutil.which("cmake") is None:
        print("# cmake is not installed: find_package(listwatch) was not tried")
        return
    folder = stage / "cmake-project"
    folder.mkdir()
    (folder / "CMakeLists.txt").write_text(CMAKE)
    for package, source in PROGRAMS.items():
        (folder / f"{package}.c").write_text(source)
    env = environment(stage)
    env.update(CC=shutil.which(cc[-1]) or cc[-1],
               listwatch_DIR=str(one(stage, "**/listwatch-config.cmake").parent))
    code, text = run(["cmake", "-S", folder, "-B", folder / "build"], env=env)
    if code == 0:
        code, text = run(["cmake", "--build", folder / "build"], env=env)
    tap.report(code == 0, "a project of CMake finds and links the three libraries", [text])
    for name in ("main", "etcd", "server") if code == 0 else ():
        code, text = run([folder / "build" / name], env=env)
        tap.report(code == 0, f"... and its program with listwatch::{name} runs", [text])


def wanted_packages(source):
    """The libraries an example needs, by what it includes."""
    names = [name for _, name, _ in includes(source.read_text(encoding="utf-8"))]
    if "listwatch/etcd.h" in names:
        return "listwatch-etcd"
    if "listwatch/test.h" in names:
        return "listwatch-test"
    if "listwatch/server.h" in names or "listwatch/server_webhook.h" in names:
        return "listwatch-server listwatch" if "listwatch.h" in names else "listwatch-server"
    return "listwatch"


def check_examples(tap, stage, cc):
    for source in files(ROOT, "examples/*.c", "examples/test_server/*.c"):
        flags = pkg_config(stage, wanted_packages(source), ["--cflags", "--libs"]) or []
        code, text = run(cc + ["-std=c11", "-Wall", "-Werror", source, "-o", stage / source.stem]
                         + flags)
        tap.report(code == 0, f"{relative(ROOT, source)} builds with the flags of pkg-config", [text])


def check_website(tap, stage, cc):
    """The folder of the tutorial, copied elsewhere, with its own Makefile."""
    folder = shutil.copytree(ROOT / "examples" / "website", stage / "website")
    code, text = run(["make", "-C", folder, f"CC={shlex.join(cc)}",
                      "CFLAGS=-std=c11 -Wall -Wextra -Werror", "website-controller", "test"],
                     env=environment(stage))
    tap.report(code == 0, "a copy of examples/website is built by its Makefile, and its test passes",
               [text])


def statically(stage):
    """Names the archives themselves, so that the shared libraries beside them are not taken."""
    archives = {"-llistwatch": ["liblistwatch.a"],
                "-llistwatch-etcd": ["liblistwatch-etcd.a"],
                "-llistwatch-server": ["liblistwatch-server.a", "liblistwatch.a"]}
    return lambda flags: [word for flag in flags
                          for word in ([str(one(stage, "**/" + name)) for name in archives[flag]]
                                       if flag in archives else [flag])]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--cc", default="cc")
    args = parser.parse_args()
    tap = Tap()
    with tempfile.TemporaryDirectory() as scratch:
        stage = Path(scratch)
        code, text = run(["meson", "install", "--no-rebuild", "-C", args.build, "--destdir", stage])
        tap.report(code == 0, "installs into an empty folder", [text])
        if code == 0:
            for pattern in INSTALLED:
                tap.report(one(stage, "**/" + pattern) is not None, f"installs {pattern}")
            cc = shlex.split(args.cc)
            for package in PROGRAMS:
                check_build(tap, stage, cc, package, "shared", ["--cflags", "--libs"],
                            lambda flags: flags)
                check_build(tap, stage, cc, package, "static", ["--static", "--cflags", "--libs"],
                            statically(stage))
            check_cmake(tap, stage, cc)
            check_examples(tap, stage, cc)
            check_website(tap, stage, cc)
    sys.exit(tap.finish())


if __name__ == "__main__":
    main()
