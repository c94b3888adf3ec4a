/* SPDX-License-Identifier: Apache-2.0 */
/* 12_cplusplus.cpp -- an informer in C++: what is there, and what changes, until Ctrl-C.
 *
 *     12_cplusplus [RESOURCE] */
#include <csignal>
#include <cstdio>
#include <string>

#include <listwatch/listwatch.hpp>

static int fail(const listwatch::error &err)
{
    std::fprintf(stderr, "12_cplusplus: %s\n", err.message());
    return 1;
}

int main(int argc, char **argv)
{
    /* A thread of the library calls the handler; this thread handles signals. */
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, nullptr);

    const char *resource = argc > 1 ? argv[1] : "pods";
    listwatch::error err;
    listwatch::factory factory;
    if (!factory.open(listwatch::factory::options(), err))
        return fail(err);
    listwatch::informer informer = factory.make(resource, err);
    if (!informer)
        return fail(err);
    const bool is_added = informer.on_event(
        [](const lw_event &event) {
            const listwatch::object obj = listwatch::object::share(event.object);
            std::printf("%s %s/%s\n", lw_event_type_name(event.type), std::string(obj.ns()).c_str(),
                        std::string(obj.name()).c_str());
            std::fflush(stdout);
        },
        err);
    if (!is_added || !factory.start(err) || !factory.wait_for_sync(30, err))
        return fail(err);
    std::printf("%zu %s\n", informer.cache().count(), resource);
    std::fflush(stdout);
    int number = 0;
    sigwait(&signals, &number);
    return 0;
}
