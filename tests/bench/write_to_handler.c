/* SPDX-License-Identifier: Apache-2.0 */
/* write_to_handler.c -- how long a write takes to reach a handler: from before the request is sent
 * until the informer of the same process tells of the object.
 *
 *     write-to-handler SERVER-URL WRITES-A-SECOND     until its standard input ends
 *
 * Prints one line: {"count":...,"p50_us":...,"p99_us":...,"max_us":...}. */
#include <inttypes.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <listwatch.h>

enum {
    WRITES_MAX = 100000,
};

static _Atomic int64_t sent_at[WRITES_MAX];
static int64_t took[WRITES_MAX]; /* by the handler alone, until the factory has stopped */
static size_t took_count;

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void on_map(const lw_event *event, void *arg)
{
    int64_t now = now_ns();
    unsigned long number = 0;
    (void)arg;
    if (event->type != LW_EVENT_ADD ||
        sscanf(lw_object_name(event->object), "probe-%lu", &number) != 1 || number >= WRITES_MAX ||
        took_count == WRITES_MAX)
        return;
    int64_t sent = atomic_load(&sent_at[number]);
    if (sent > 0)
        took[took_count++] = now - sent;
}

static lw_status write_one(lw_client *client, unsigned long number, lw_error *err)
{
    char json[256];
    lw_object *map = NULL;
    int len = snprintf(json, sizeof(json),
                       "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{"
                       "\"namespace\":\"default\",\"name\":\"probe-%lu\"}}",
                       number);
    lw_status st = lw_object_from_json(&map, json, (size_t)len, err);
    if (st < 0)
        return st;
    atomic_store(&sent_at[number], now_ns());
    st = lw_client_create(client, lw_gvr_make("", "v1", "configmaps"), map, NULL, NULL, err);
    lw_object_unref(map);
    return st;
}

/* Whether the input has ended while waiting for |until|. */
static bool has_ended(int64_t until)
{
    struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
    int64_t left_ms = (until - now_ns() + 999999) / 1000000;
    return poll(&input, 1, left_ms > 0 ? (int)left_ms : 0) > 0;
}

static int by_size(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void tell(void)
{
    qsort(took, took_count, sizeof(took[0]), by_size);
    int64_t p50 = took_count ? took[took_count / 2] : 0;
    int64_t p99 = took_count ? took[took_count * 99 / 100] : 0;
    int64_t max = took_count ? took[took_count - 1] : 0;
    printf("{\"count\":%zu,\"p50_us\":%" PRId64 ",\"p99_us\":%" PRId64 ",\"max_us\":%" PRId64 "}\n",
           took_count, p50 / 1000, p99 / 1000, max / 1000);
}

int main(int argc, char **argv)
{
    lw_error err = LW_ERROR_INIT;
    lw_config *config = NULL;
    lw_client *client = NULL;
    lw_factory *factory = NULL;
    lw_informer *maps;
    double rate = argc == 3 ? strtod(argv[2], NULL) : 0;
    if (!(rate > 0)) {
        fprintf(stderr, "usage: write-to-handler SERVER-URL WRITES-A-SECOND\n");
        return 2;
    }
    const lw_config_options where = { .size = sizeof(lw_config_options), .server = argv[1] };
    const lw_handler handler = { .on_event = on_map };
    lw_status st = lw_config_load(&config, &where, &err);
    if (st == LW_OK)
        st = lw_client_new(&client, config, NULL, &err);
    if (st == LW_OK)
        st = lw_factory_new(&factory,
                            &(lw_factory_options){ .size = sizeof(lw_factory_options),
                                                   .client = client },
                            &err);
    if (st == LW_OK)
        st = lw_factory_informer(factory, "configmaps", &maps, &err);
    if (st == LW_OK)
        st = lw_informer_add_handler(maps, &handler, NULL, &err);
    if (st == LW_OK)
        st = lw_factory_start(factory, &err);
    if (st == LW_OK)
        st = lw_factory_wait_for_sync(factory, 60, &err);
    int64_t next = now_ns();
    for (unsigned long n = 0; st == LW_OK && n < WRITES_MAX && !has_ended(next); n++) {
        st = write_one(client, n, &err);
        next += (int64_t)(1e9 / rate);
    }
    lw_factory_free(factory);
    lw_client_unref(client);
    lw_config_unref(config);
    if (st < 0) {
        fprintf(stderr, "write-to-handler: %s\n", err.message);
        return 1;
    }
    tell();
    return 0;
}
