/* SPDX-License-Identifier: Apache-2.0 */
/* etcd_source_test.c -- informers directly on a real etcd: caches, handlers, indexes, and how they
 * behave when members fail and history is compacted. */
#include <listwatch/etcd.h>

#include <stdio.h>
#include <stdlib.h>

#include <listwatch/factory.h>

#include "support/etcd_process.h"
#include "support/etcd_writer.h"
#include "unit/test.h"

enum {
    SYNC_S = 60,
    MANY = 1500, /* keys: more than a page */
};

/* The events of a handler. */
typedef struct event_log {
    char text[512];
    size_t adds, updates, deletes;
    uint64_t last;
    bool is_out_of_order;
} event_log;

typedef struct fixture {
    etcd_cluster cluster;
    etcd_blocking *writer;
    lw_factory *factory;
    lw_informer *informer;
    event_log book;
} fixture;

static char sign_of(lw_event_type type)
{
    switch (type) {
    case LW_EVENT_ADD: return '+';
    case LW_EVENT_UPDATE: return '~';
    case LW_EVENT_DELETE: return '-';
    }
    return '?';
}

static void take_note(const lw_event *event, void *arg)
{
    event_log *book = arg;
    size_t len = strlen(book->text);
    uint64_t revision = lw_object_revision(event->object);
    book->adds += event->type == LW_EVENT_ADD;
    book->updates += event->type == LW_EVENT_UPDATE;
    book->deletes += event->type == LW_EVENT_DELETE;
    book->is_out_of_order |= event->type != LW_EVENT_ADD && revision <= book->last;
    book->last = revision;
    snprintf(book->text + len, sizeof(book->text) - len, "%s%c%s=%s", len ? " " : "",
             sign_of(event->type), lw_object_name(event->object),
             lw_object_string(event->object, "/data", ""));
}

static void open_factory(fixture *t, const lw_factory_options *options)
{
    lw_error err = LW_ERROR_INIT;
    lw_provider *provider = NULL;
    lw_factory_options all = *options;
    bool is_tls = t->cluster.options.is_tls;
    const lw_etcd_provider_options where = { .endpoints = t->cluster.endpoints,
                                             .ca_file = is_tls ? t->cluster.ca_file : NULL,
                                             .cert_file = is_tls ? t->cluster.cert_file : NULL,
                                             .key_file = is_tls ? t->cluster.key_file : NULL };
    const lw_handler handler = { .on_event = take_note, .arg = &t->book };
    t->book = (event_log){ .text = "" };
    assert_int_equal(lw_etcd_provider_new(&provider, &where, &err), LW_OK);
    all.provider = provider;
    assert_int_equal(lw_factory_new(&t->factory, &all, &err), LW_OK);
    assert_int_equal(lw_factory_informer(t->factory, "/app/", &t->informer, &err), LW_OK);
    assert_int_equal(lw_informer_add_handler(t->informer, &handler, NULL, &err), LW_OK);
}

static void fixture_open_with(fixture *t, const etcd_cluster_options *options)
{
    *t = (fixture){ .factory = NULL };
    assert_true(etcd_cluster_start(&t->cluster, options));
    bool is_tls = options->is_tls;
    const lw_etcd_options where = { .endpoints = t->cluster.endpoints,
                                    .ca_file = is_tls ? t->cluster.ca_file : NULL,
                                    .cert_file = is_tls ? t->cluster.cert_file : NULL,
                                    .key_file = is_tls ? t->cluster.key_file : NULL };
    assert_int_equal(etcd_blocking_new(&t->writer, &where, NULL), LW_OK);
}

static void fixture_open(fixture *t, size_t members)
{
    fixture_open_with(t, &(etcd_cluster_options){ .members = members });
}

static void fixture_close(fixture *t)
{
    lw_factory_free(t->factory);
    etcd_blocking_free(t->writer);
    etcd_cluster_stop(&t->cluster);
}

static void sync(fixture *t)
{
    lw_error err = LW_ERROR_INIT;
    lw_status st = lw_factory_wait_for_sync(t->factory, SYNC_S, &err);
    if (st < 0)
        print_error("%s\n", err.message);
    assert_int_equal(st, LW_OK);
}

static void see(fixture *t, uint64_t revision)
{
    lw_error err = LW_ERROR_INIT;
    assert_true(revision > 0);
    lw_status st = lw_informer_wait_for_revision(t->informer, revision, SYNC_S, &err);
    if (st < 0)
        print_error("%s\n", err.message);
    assert_int_equal(st, LW_OK);
}

static uint64_t put(fixture *t, const char *key, const char *value)
{
    uint64_t revision = etcd_writer_put_text(t->writer, key, value);
    assert_true(revision > 0);
    return revision;
}

static lw_informer_statistics stats_of(const fixture *t)
{
    lw_informer_statistics stats;
    lw_informer_stats(t->informer, &stats);
    return stats;
}

#define SKIP_WITHOUT_ETCD()                                                                        \
    do {                                                                                           \
        if (!etcd_is_installed())                                                                  \
            skip();                                                                                \
    } while (0)

static void informer_follows_a_prefix(void **state)
{
    fixture t;
    (void)state;
    SKIP_WITHOUT_ETCD();
    fixture_open(&t, 1);
    put(&t, "/app/a", "one");
    put(&t, "/apple", "none of it");
    open_factory(&t, &(lw_factory_options){ .size = sizeof(lw_factory_options), .resync_s = 0 });
    sync(&t);
    assert_string_equal(t.book.text, "+a=one");
    put(&t, "/app/b", "two");
    put(&t, "/app/a", "three");
    see(&t, etcd_writer_delete(t.writer, "/app/b"));
    assert_string_equal(t.book.text, "+a=one +b=two ~a=three -b=two");
    assert_int_equal(lw_lister_count(lw_informer_lister(t.informer)), 1);
    lw_object *a = lw_lister_get(lw_informer_lister(t.informer), "", "a");
    assert_string_equal(lw_object_string(a, "/data", ""), "three");
    lw_object_unref(a);
    fixture_close(&t);
}

static void fill(fixture *t, size_t count)
{
    char key[64], value[64];
    for (size_t i = 0; i < count; i++) {
        snprintf(key, sizeof(key), "/app/ns%zu/k%05zu", i % 3, i);
        snprintf(value, sizeof(value), "{\"color\":\"%s\"}", i % 2 ? "red" : "blue");
        put(t, key, value);
    }
}

static void assert_filled(fixture *t)
{
    const lw_lister *lister = lw_informer_lister(t->informer);
    lw_object_list *found = NULL;
    assert_int_equal(lw_lister_count(lister), MANY);
    assert_int_equal(t->book.adds, MANY);
    assert_int_equal(lw_lister_by_index(lister, "color", "red", &found, NULL), LW_OK);
    assert_int_equal(lw_object_list_count(found), MANY / 2);
    lw_object_list_free(found);
    found = lw_lister_list(lister, "ns1", NULL);
    assert_int_equal(lw_object_list_count(found), MANY / 3);
    lw_object_list_free(found);
}

static void many_keys_arrive_by_stream_and_by_pages(void **state)
{
    const lw_factory_options ways[] = {
        { .size = sizeof(lw_factory_options), .resync_s = 0 },
        { .size = sizeof(lw_factory_options), .lists_only = true },
        { .size = sizeof(lw_factory_options), .lists_only = true, .page_size = 100 },
    };
    fixture t;
    (void)state;
    SKIP_WITHOUT_ETCD();
    fixture_open(&t, 1);
    fill(&t, MANY);
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        open_factory(&t, &ways[i]);
        assert_int_equal(lw_informer_add_index_path(t.informer, "color", "/value/color", NULL),
                         LW_OK);
        sync(&t);
        assert_filled(&t);
        lw_factory_free(t.factory);
        t.factory = NULL;
    }
    fixture_close(&t);
}

static void large_values_arrive(void **state)
{
    enum {
        SIZE = 1 << 20,
        COUNT = 20
    };
    fixture t;
    char key[32];
    char *value = malloc(SIZE);
    (void)state;
    SKIP_WITHOUT_ETCD();
    assert_non_null(value);
    memset(value, 'x', SIZE);
    fixture_open(&t, 1);
    for (int i = 0; i < COUNT; i++) {
        snprintf(key, sizeof(key), "/app/%d", i);
        assert_true(etcd_writer_put(t.writer, key, lw_str_make(value, SIZE)) > 0);
    }
    open_factory(&t,
                 &(lw_factory_options){ .size = sizeof(lw_factory_options), .lists_only = true });
    sync(&t);
    assert_int_equal(lw_lister_count(lw_informer_lister(t.informer)), COUNT);
    see(&t, etcd_writer_put(t.writer, "/app/0", lw_str_make(value, SIZE - 1)));
    free(value);
    fixture_close(&t);
}

/* The factory is not driven meanwhile: it finds its connection closed and its revision
 * compacted. */
static void relists_if_history_was_compacted_while_disconnected(void **state)
{
    fixture t;
    (void)state;
    SKIP_WITHOUT_ETCD();
    fixture_open(&t, 1);
    put(&t, "/app/a", "1");
    put(&t, "/app/b", "1");
    open_factory(&t, &(lw_factory_options){ .size = sizeof(lw_factory_options), .resync_s = 0 });
    sync(&t);
    etcd_member_kill(&t.cluster, 0);
    assert_true(etcd_member_start(&t.cluster, 0));
    put(&t, "/app/a", "2");
    assert_true(etcd_writer_delete(t.writer, "/app/b") > 0);
    uint64_t last = put(&t, "/app/c", "2");
    assert_int_equal(etcd_blocking_compact(t.writer, last, NULL), LW_OK);
    see(&t, last);
    assert_int_equal(stats_of(&t).last_relist_reason, LW_RELIST_EXPIRED);
    assert_int_equal(lw_lister_count(lw_informer_lister(t.informer)), 2);
    assert_int_equal(t.book.deletes, 1);
    assert_int_equal(t.book.updates, 1);
    see(&t, put(&t, "/app/a", "3"));
    fixture_close(&t);
}

static void no_event_is_lost_while_members_fail_in_turn(void **state)
{
    enum {
        ROUND = 50,
        MEMBERS = 3
    };
    fixture t;
    char value[32];
    uint64_t last = 0;
    (void)state;
    SKIP_WITHOUT_ETCD();
    fixture_open(&t, MEMBERS);
    put(&t, "/app/counter", "0");
    open_factory(&t, &(lw_factory_options){ .size = sizeof(lw_factory_options), .resync_s = 0 });
    sync(&t);
    for (size_t i = 0; i < MEMBERS; i++) {
        for (int n = 0; n < ROUND; n++) {
            if (n == ROUND / 2)
                etcd_member_kill(&t.cluster, i);
            snprintf(value, sizeof(value), "%zu.%d", i, n);
            last = put(&t, "/app/counter", value);
        }
        see(&t, last);
        assert_true(etcd_member_start(&t.cluster, i));
    }
    assert_true(t.book.updates >= (size_t)MEMBERS * ROUND); /* a write may have been retried */
    assert_false(t.book.is_out_of_order);
    assert_int_equal(stats_of(&t).relists, 0);
    fixture_close(&t);
}

static void factories_can_be_made_and_freed_repeatedly(void **state)
{
    fixture t;
    lw_error err = LW_ERROR_INIT;
    (void)state;
    SKIP_WITHOUT_ETCD();
    fixture_open(&t, 1);
    fill(&t, 100);
    for (int i = 0; i < 50; i++) {
        open_factory(&t, &(lw_factory_options){ .size = sizeof(lw_factory_options),
                                                .lists_only = i % 2 });
        assert_int_equal(lw_factory_start(t.factory, &err), LW_OK);
        if (i % 3 > 0)
            sync(&t);
        if (i % 3 == 2)
            lw_factory_stop(t.factory);
        lw_factory_free(t.factory);
        t.factory = NULL;
    }
    fixture_close(&t);
}

static void selectors_are_applied(void **state)
{
    fixture t;
    (void)state;
    SKIP_WITHOUT_ETCD();
    fixture_open(&t, 1);
    put(&t, "/app/a", "{\"metadata\":{\"labels\":{\"on\":\"yes\"}}}");
    put(&t, "/app/b", "{\"metadata\":{\"labels\":{\"on\":\"no\"}}}");
    open_factory(&t, &(lw_factory_options){ .size = sizeof(lw_factory_options),
                                            .label_selector = "on=yes" });
    sync(&t);
    put(&t, "/app/a", "{\"metadata\":{\"labels\":{\"on\":\"no\"}}}");
    see(&t, put(&t, "/app/b", "{\"metadata\":{\"labels\":{\"on\":\"yes\"}}}"));
    assert_string_equal(t.book.text, "+a= -a= +b=");
    fixture_close(&t);
}

static void client_certificates_are_required_and_presented(void **state)
{
    fixture t;
    (void)state;
    SKIP_WITHOUT_ETCD();
    fixture_open_with(&t, &(etcd_cluster_options){ .is_tls = true, .wants_client_cert = true });
    put(&t, "/app/a", "one");
    open_factory(&t, &(lw_factory_options){ .size = sizeof(lw_factory_options), .resync_s = 0 });
    sync(&t);
    see(&t, put(&t, "/app/a", "two"));
    assert_string_equal(t.book.text, "+a=one ~a=two");
    fixture_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(informer_follows_a_prefix),
        TEST(many_keys_arrive_by_stream_and_by_pages),
        TEST(large_values_arrive),
        TEST(relists_if_history_was_compacted_while_disconnected),
        TEST(no_event_is_lost_while_members_fail_in_turn),
        TEST(factories_can_be_made_and_freed_repeatedly),
        TEST(selectors_are_applied),
        TEST(client_certificates_are_required_and_presented),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
