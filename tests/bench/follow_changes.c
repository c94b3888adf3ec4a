/* SPDX-License-Identifier: Apache-2.0 */
/* follow_changes.c -- many informers on ConfigMaps, and a line for each change that one of them is
 * told of.
 *
 *   follow-changes URL INFORMERS SHARDS [STATE_DIR]
 *
 * Informer i selects the ConfigMaps with the label shard=i mod SHARDS.  It prints "ready" when all
 * are synced, and for each event "i NAME VALUE NS": the value is the member "n" of the data, the
 * time is that of CLOCK_REALTIME.  It ends with its standard input.  recovery_bench.py and
 * warm_restart_bench.py run it. */
#include <listwatch.h>

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    SYNC_S = 120,
};

static long long now_ns(void)
{
    struct timespec ts;
    (void)clock_gettime(CLOCK_REALTIME, &ts);
    return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

static void on_event(const lw_event *event, void *arg)
{
    if (event->type == LW_EVENT_DELETE)
        return;
    printf("%" PRIuPTR " %s %s %lld\n", (uintptr_t)arg, lw_object_name(event->object),
           lw_object_string(event->object, "/data/n", "0"), now_ns());
}

static int fail(const lw_error *err)
{
    (void)fprintf(stderr, "follow-changes: %s\n", err->message);
    return 1;
}

static lw_status add_informer(lw_factory *factory, unsigned i, unsigned shards, lw_error *err)
{
    char selector[64];
    lw_informer *informer = NULL;
    lw_informer_options options = LW_INFORMER_OPTIONS_INIT;
    lw_handler handler = { .on_event = on_event, .arg = (void *)(uintptr_t)i };
    (void)snprintf(selector, sizeof(selector), "shard=%u,follower!=%u", i % shards, i);
    options.label_selector = selector;
    lw_status st = lw_factory_informer_with(factory, "configmaps", &options, &informer, err);
    return st < 0 ? st : lw_informer_add_handler(informer, &handler, NULL, err);
}

/* Dispatches until the end of the standard input. */
static void run(lw_factory *factory)
{
    struct pollfd set[] = { { .fd = STDIN_FILENO, .events = POLLIN },
                            { .fd = lw_factory_fd(factory), .events = POLLIN } };
    while (!(set[0].revents & (POLLIN | POLLHUP))) {
        if (poll(set, 2, lw_factory_timeout_ms(factory)) < 0 && errno != EINTR)
            return;
        if (lw_factory_dispatch(factory, NULL) < 0)
            return;
        (void)fflush(stdout);
    }
}

int main(int argc, char **argv)
{
    lw_error err = LW_ERROR_INIT;
    lw_config_options where = LW_CONFIG_OPTIONS_INIT;
    lw_factory_options options = LW_FACTORY_OPTIONS_INIT;
    lw_config *config = NULL;
    lw_factory *factory = NULL;
    if (argc < 4)
        return 2;
    where.server = argv[1];
    unsigned count = (unsigned)strtoul(argv[2], NULL, 10);
    unsigned shards = (unsigned)strtoul(argv[3], NULL, 10);
    options.state_dir = argc > 4 ? argv[4] : NULL;
    if (lw_config_load(&config, &where, &err) < 0 ||
        lw_client_new(&options.client, config, NULL, &err) < 0)
        return fail(&err);
    lw_config_unref(config);
    lw_status st = lw_factory_new(&factory, &options, &err);
    lw_client_unref(options.client);
    for (unsigned i = 0; st == LW_OK && i < count; i++)
        st = add_informer(factory, i, shards, &err);
    if (st == LW_OK)
        st = lw_factory_wait_for_sync(factory, SYNC_S, &err);
    if (st < 0) {
        lw_factory_free(factory);
        return fail(&err);
    }
    printf("ready\n");
    (void)fflush(stdout);
    run(factory);
    lw_factory_free(factory);
    return 0;
}
