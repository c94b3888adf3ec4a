/* SPDX-License-Identifier: Apache-2.0 */
/* etcd_source_test.c -- an informer on a real etcd in its own thread, while others read its cache,
 * come and go as handlers, and write. */
#include <listwatch/etcd.h>

#include <stdio.h>

#include <listwatch/factory.h>

#include "support/etcd_process.h"
#include "support/etcd_writer.h"
#include "thread/crew.h"

enum {
    KEYS = 20,
    WRITES = 200,
};

typedef struct arena {
    lw_informer *informer;
    atomic_bool is_over;
    lw_mutex mu; /* guards what follows */
    lw_cond changed;
    uint64_t told; /* the revision of the last event */
    unsigned updates;
    bool is_out_of_order;
} arena;

static void testify(const lw_event *event, void *arg)
{
    arena *a = arg;
    uint64_t revision = lw_object_revision(event->object);
    lw_mutex_lock(&a->mu);
    if (event->type == LW_EVENT_UPDATE) {
        a->is_out_of_order |= revision <= a->told;
        a->updates++;
    }
    a->told = revision;
    lw_cond_broadcast(&a->changed);
    lw_mutex_unlock(&a->mu);
}

static void await_told(arena *a, uint64_t revision)
{
    lw_mutex_lock(&a->mu);
    while (a->told < revision)
        lw_cond_wait(&a->changed, &a->mu);
    lw_mutex_unlock(&a->mu);
}

static void ignore(const lw_event *event, void *arg)
{
    (void)event;
    (void)arg;
}

/* A reader, and a handler that comes and goes. */
static void read_on(void *arg)
{
    arena *a = arg;
    const lw_handler handler = { .on_event = ignore };
    while (!atomic_load(&a->is_over)) {
        lw_registration *registration = NULL;
        lw_object_list *all = lw_lister_list(lw_informer_lister(a->informer), NULL, NULL);
        lw_object_list_free(all);
        if (lw_informer_add_handler(a->informer, &handler, &registration, NULL) == LW_OK)
            lw_informer_remove_handler(a->informer, registration);
    }
}

static void write_on(void *arg)
{
    etcd_blocking *writer = arg;
    char key[32];
    for (int i = 0; i < WRITES; i++) {
        snprintf(key, sizeof(key), "/app/%d", i % KEYS);
        (void)etcd_writer_put_text(writer, key, "x");
    }
}

static void informer_and_its_readers_share_a_cache(void **state)
{
    etcd_cluster cluster;
    etcd_blocking *writer = NULL;
    arena a = { .informer = NULL };
    lw_provider *provider = NULL;
    lw_factory *factory = NULL;
    lw_thread reader, scribe;
    lw_error err = LW_ERROR_INIT;
    (void)state;
    if (!etcd_is_installed())
        skip();
    assert_true(etcd_cluster_start(&cluster, NULL));
    assert_int_equal(etcd_blocking_new(&writer,
                                       &(lw_etcd_options){ .endpoints = cluster.endpoints }, NULL),
                     LW_OK);
    write_on(writer);
    const lw_etcd_provider_options where = { .endpoints = cluster.endpoints };
    const lw_handler handler = { .on_event = testify, .arg = &a };
    lw_mutex_init(&a.mu);
    lw_cond_init(&a.changed);
    assert_int_equal(lw_etcd_provider_new(&provider, &where, &err), LW_OK);
    assert_int_equal(lw_factory_new(&factory,
                                    &(lw_factory_options){ .size = sizeof(lw_factory_options),
                                                           .provider = provider },
                                    &err),
                     LW_OK);
    assert_int_equal(lw_factory_informer(factory, "/app/", &a.informer, &err), LW_OK);
    assert_int_equal(lw_informer_add_handler(a.informer, &handler, NULL, &err), LW_OK);
    assert_int_equal(lw_factory_start(factory, &err), LW_OK);
    assert_int_equal(lw_factory_wait_for_sync(factory, 60, &err), LW_OK);
    assert_int_equal(lw_thread_start(&reader, "reader", read_on, &a, NULL), LW_OK);
    assert_int_equal(lw_thread_start(&scribe, "scribe", write_on, writer, NULL), LW_OK);
    lw_thread_join(&scribe);
    uint64_t last = etcd_writer_put_text(writer, "/app/0", "last");
    assert_int_equal(lw_informer_wait_for_revision(a.informer, last, 60, &err), LW_OK);
    await_told(&a, last);
    atomic_store(&a.is_over, true);
    lw_thread_join(&reader);
    lw_factory_free(factory);
    assert_true(a.updates >= WRITES + 1); /* a write may have been done twice */
    assert_false(a.is_out_of_order);
    lw_cond_done(&a.changed);
    lw_mutex_done(&a.mu);
    etcd_blocking_free(writer);
    etcd_cluster_stop(&cluster);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(informer_and_its_readers_share_a_cache),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
