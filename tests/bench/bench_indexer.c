/* SPDX-License-Identifier: Apache-2.0 */
/* bench_indexer.c -- the cache of 100,000 objects: how long each thing takes.
 *
 *     ninja -C build tests/bench/bench-indexer && build/tests/bench/bench-indexer [objects]
 *
 * One thread; the objects are pods of the generator's size, visited in an order of no use to the
 * processor's caches. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/random.h"
#include "base/str.h"
#include "informer/delta_fifo.h"
#include "informer/index/indexer.h"

enum {
    IN_A_SET = 100, /* objects with one value under the index */
    PADDING = 1500, /* bytes of spec */
};

typedef struct bench {
    size_t count;
    lw_object **objects, **changed;
    size_t *order; /* a random one */
    lw_indexer *indexer;
    double since_ns;
} bench;

/* Processor time: other programs on the machine do not count. */
static double now_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void start(bench *b)
{
    b->since_ns = now_ns();
}

static void report(const bench *b, const char *what, double times)
{
    double ns = now_ns() - b->since_ns;
    printf("%-34s %10.1f ns each %12.3f ms in all\n", what, ns / times, ns / 1e6);
}

static lw_object *make(size_t number, unsigned rv)
{
    static char json[PADDING + 512];
    lw_object *obj = NULL;
    int len =
        snprintf(json, sizeof(json),
                 "{\"metadata\":{\"namespace\":\"team-%zu\",\"name\":\"web-7d4b9c-%zu\","
                 "\"uid\":\"3f0c-%zu\",\"resourceVersion\":\"%u\",\"labels\":{\"node\":\"node-"
                 "%zu\"}},\"spec\":{\"padding\":\"%0*d\"}}",
                 number % 200, number, number, rv, number / IN_A_SET, PADDING, 0);
    if (lw_object_from_json(&obj, json, (size_t)len, NULL) < 0)
        abort();
    return obj;
}

static void index_node(const lw_object *obj, void (*add)(void *to, lw_str value), void *to,
                       void *arg)
{
    (void)arg;
    add(to, lw_str_of(lw_object_label(obj, "node")));
}

static void prepare(bench *b)
{
    lw_random random;
    lw_random_init(&random, 1);
    b->objects = calloc(b->count, sizeof(*b->objects));
    b->changed = calloc(b->count, sizeof(*b->changed));
    b->order = calloc(b->count, sizeof(*b->order));
    if (!b->objects || !b->changed || !b->order || lw_indexer_new(&b->indexer) < 0)
        abort();
    for (size_t i = 0; i < b->count; i++) {
        b->objects[i] = make(i, 1);
        b->changed[i] = make(i, 2);
        size_t at = (size_t)lw_random_below(&random, i + 1);
        b->order[i] = b->order[at];
        b->order[at] = i;
    }
    if (lw_indexer_add_index(b->indexer, "node", index_node, NULL, NULL) < 0)
        abort();
}

static void put_all(bench *b, lw_object **objects, const char *what)
{
    start(b);
    for (size_t i = 0; i < b->count; i++) {
        lw_object *old = NULL;
        if (lw_indexer_put(b->indexer, objects[b->order[i]], &old) < 0)
            abort();
        lw_object_unref(old);
    }
    report(b, what, (double)b->count);
}

static void get_all(bench *b)
{
    start(b);
    for (size_t i = 0; i < b->count; i++)
        lw_object_unref(
            lw_indexer_get_ref(b->indexer, lw_object_key(b->changed[b->order[b->count - 1 - i]])));
    report(b, "get, and unref", (double)b->count);
}

static void list_all(bench *b)
{
    lw_object_list *list = NULL;
    start(b);
    if (lw_indexer_select(b->indexer, LW_STR(""), NULL, &list, NULL) < 0)
        abort();
    report(b, "list all", (double)lw_object_list_count(list));
    lw_object_list_free(list);
}

static void list_by_index(bench *b)
{
    size_t sets = b->count / IN_A_SET;
    start(b);
    for (size_t i = 0; i < sets; i++) {
        char node[32];
        lw_object_list *list = NULL;
        (void)snprintf(node, sizeof(node), "node-%zu", (i * 7919) % sets);
        if (lw_indexer_by_index(b->indexer, "node", lw_str_of(node), &list, NULL) < 0)
            abort();
        lw_object_list_free(list);
    }
    report(b, "by index, 100 objects, and free", (double)sets);
}

static void replace_all(bench *b, lw_object **objects, const char *what)
{
    start(b);
    if (lw_indexer_replace(b->indexer, (const lw_object *const *)objects, b->count, NULL, NULL) < 0)
        abort();
    report(b, what, (double)b->count);
}

static void queue_all(bench *b)
{
    lw_delta_fifo *fifo = NULL;
    lw_dlist deltas;
    if (lw_delta_fifo_new(&fifo, NULL) < 0)
        abort();
    start(b);
    for (size_t i = 0; i < b->count; i++) {
        if (lw_delta_fifo_update(fifo, b->objects[b->order[i]]) < 0)
            abort();
    }
    while (lw_delta_fifo_pop(fifo, &deltas)) {
        LW_DLIST_FOR_EACH_SAFE(lw_delta, delta, &deltas, arrival)
        lw_delta_free(delta);
    }
    report(b, "through the queue", (double)b->count);
    lw_delta_fifo_free(fifo);
}

int main(int argc, char **argv)
{
    bench b = { .count = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 100000 };
    prepare(&b);
    put_all(&b, b.objects, "put, new, two indexes");
    put_all(&b, b.changed, "put, changed");
    get_all(&b);
    list_all(&b);
    list_all(&b);
    list_by_index(&b);
    replace_all(&b, b.changed, "replace, all unchanged");
    replace_all(&b, b.objects, "replace, all changed");
    queue_all(&b);
    size_t objects = 0, all = lw_indexer_bytes(b.indexer);
    for (size_t i = 0; i < b.count; i++)
        objects += lw_object_memory(b.objects[i]);
    printf("%-34s %10.1f bytes an object beside its %zu\n", "memory",
           (double)(all - objects) / (double)b.count, objects / b.count);
    lw_indexer_free(b.indexer);
    for (size_t i = 0; i < b.count; i++) {
        lw_object_unref(b.objects[i]);
        lw_object_unref(b.changed[i]);
    }
    free(b.objects);
    free(b.changed);
    free(b.order);
    return 0;
}
