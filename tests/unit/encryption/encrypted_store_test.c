/* SPDX-License-Identifier: Apache-2.0 */
/* encrypted_store_test.c -- what an encrypted store has in the store below it. */
#include "encryption/encrypted_store.h"

#include <stdio.h>

#include "base/str.h"
#include "base/sync.h"
#include "store/lmdb/lmdb.h"
#include "store/memory.h"
#include "suite/store_place.h"
#include "unit/test.h"

enum {
    ROOM = 4096,
};

#define CONFIG                                                                                     \
    "apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources:\n"          \
    "- resources: [secrets, services, widgets.example.com]\n"                                      \
    "  providers:\n"                                                                               \
    "  - aescbc: {keys: [{name: two, secret: MDEyMzQ1Njc4OTAxMjM0NQ==},"                           \
    " {name: one, secret: MTEyMzQ1Njc4OTAxMjM0NQ==}]}\n"                                           \
    "  - identity: {}\n"

/* A store and the one below it. */
typedef struct fixture {
    lw_store *inner, *store;
} fixture;

static int setup(void **state)
{
    static fixture f;
    static const lw_encrypted_resource resources[] = {
        { LW_STR_INIT("secrets"), LW_STR_INIT(""), LW_STR_INIT("secrets") },
        { LW_STR_INIT("services/specs"), LW_STR_INIT(""), LW_STR_INIT("services") },
        { LW_STR_INIT("deployments"), LW_STR_INIT("apps"), LW_STR_INIT("deployments") },
    };
    lw_error err = LW_ERROR_INIT;
    lw_memory_store_options memory = { .clock = NULL };
    lw_encrypted_store_options options = { .key_prefix = LW_STR("/registry/"),
                                           .resources = resources,
                                           .count = 3 };
    assert_int_equal(lw_encryption_config_parse(&options.config, lw_str_of(CONFIG), &err), LW_OK);
    assert_int_equal(lw_memory_store_new(&f.inner, &memory, &err), LW_OK);
    options.inner = f.inner;
    assert_int_equal(lw_encrypted_store_new(&f.store, &options, &err), LW_OK);
    *state = &f;
    return 0;
}

static int teardown(void **state)
{
    lw_store_free(((fixture *)*state)->store);
    return 0;
}

static uint64_t put(lw_store *store, const char *key, const char *value, void *attachment)
{
    lw_store_txn txn = { .op = LW_STORE_PUT,
                         .key = lw_str_of(key),
                         .value = lw_str_of(value),
                         .attachment = attachment };
    assert_int_equal(lw_store_commit(store, &txn), LW_OK);
    return txn.revision;
}

/* The value of |key|; valid until the next call. */
static const char *value_of(lw_store *store, const char *key, lw_store_record *record)
{
    static char text[ROOM];
    lw_buf value;
    lw_store_record own;
    lw_error err = LW_ERROR_INIT;
    lw_buf_init(&value, ROOM - 1);
    if (lw_store_get(store, lw_str_of(key), 0, &value, record ? record : &own, &err) < 0)
        fail_msg("%s", err.message);
    memcpy(text, value.data, value.len);
    text[value.len] = '\0';
    lw_buf_done(&value);
    return text;
}

static void assert_stored(void **state, const char *key, const char *prefix)
{
    const fixture *f = *state;
    (void)put(f->store, key, "{\"a\":1}", NULL);
    assert_string_equal(value_of(f->store, key, NULL), "{\"a\":1}");
    const char *stored = value_of(f->inner, key, NULL);
    if (strncmp(stored, prefix, strlen(prefix)) != 0)
        fail_msg("%s is stored as %s", key, stored);
}

static void resources_are_found_by_where_they_are_stored(void **state)
{
    assert_stored(state, "/registry/secrets/default/a", "k8s:enc:aescbc:v1:two:");
    assert_stored(state, "/registry/services/specs/default/a", "k8s:enc:aescbc:v1:two:");
    assert_stored(state, "/registry/example.com/widgets/default/a", "k8s:enc:aescbc:v1:two:");
    assert_stored(state, "/registry/example.com/gadgets/default/a", "{\"a\":1}");
    assert_stored(state, "/registry/deployments/default/a", "{\"a\":1}");
    assert_stored(state, "/registry/configmaps/default/secrets", "{\"a\":1}");
    assert_stored(state, "/health", "{\"a\":1}");
}

static void a_value_of_before_is_stale(void **state)
{
    const fixture *f = *state;
    lw_store_record record;
    (void)put(f->inner, "/registry/secrets/default/old", "{}", NULL);
    assert_string_equal(value_of(f->store, "/registry/secrets/default/old", &record), "{}");
    assert_true(record.is_stale);
    (void)put(f->store, "/registry/secrets/default/new", "{}", NULL);
    assert_string_equal(value_of(f->store, "/registry/secrets/default/new", &record), "{}");
    assert_false(record.is_stale);
}

static void a_conflict_is_told(void **state)
{
    const fixture *f = *state;
    uint64_t revision = put(f->store, "/registry/secrets/default/a", "{}", NULL);
    lw_store_txn txn = { .op = LW_STORE_PUT,
                         .key = LW_STR("/registry/secrets/default/a"),
                         .value = LW_STR("{}") };
    assert_int_equal(lw_store_commit(f->store, &txn), LW_ERR_CONFLICT);
    assert_int_equal(txn.revision, revision);
}

static void what_cannot_be_decrypted_fails_the_read(void **state)
{
    const fixture *f = *state;
    lw_buf value;
    lw_store_record record;
    lw_error err = LW_ERROR_INIT;
    (void)put(f->inner, "/registry/secrets/default/a", "k8s:enc:aescbc:v1:three:xxxx", NULL);
    lw_buf_init(&value, ROOM);
    assert_int_equal(lw_store_get(f->store, LW_STR("/registry/secrets/default/a"), 0, &value,
                                  &record, &err),
                     LW_ERR_INVALID);
    assert_non_null(strstr(err.message, "k8s:enc:aescbc:v1:three:"));
    assert_int_equal(value.len, 0);
    lw_buf_done(&value);
}

/* What a watch was told. */
typedef struct told {
    lw_mutex mu;
    lw_cond moved;
    uint64_t revision; /* guarded by mu, with the others */
    char text[ROOM];
} told;

static void on_events(const lw_store_event *events, size_t count, uint64_t revision, void *arg)
{
    told *t = arg;
    lw_mutex_lock(&t->mu);
    for (size_t i = 0; i < count; i++) {
        const lw_store_event *event = &events[i];
        size_t len = strlen(t->text);
        lw_str value = event->attachment ? LW_STR("attached") : event->value;
        (void)snprintf(t->text + len, sizeof(t->text) - len, "%.*s=%.*s%s%s\n",
                       LW_STR_ARG(event->key), LW_STR_ARG(value), event->is_stale ? " stale" : "",
                       event->unreadable ? " unreadable" : "");
    }
    t->revision = revision;
    lw_cond_broadcast(&t->moved);
    lw_mutex_unlock(&t->mu);
}

static void await(told *t, uint64_t revision)
{
    lw_mutex_lock(&t->mu);
    while (t->revision < revision)
        lw_cond_wait(&t->moved, &t->mu);
    lw_mutex_unlock(&t->mu);
}

static void a_watch_decrypts_what_has_no_object(void **state)
{
    const fixture *f = *state;
    told t = { .revision = 0 };
    lw_store_watch *watch = NULL;
    lw_store_sink sink = { .on_events = on_events, .arg = &t };
    lw_error err = LW_ERROR_INIT;
    lw_mutex_init(&t.mu);
    lw_cond_init(&t.moved);
    (void)put(f->store, "/registry/secrets/default/a", "{\"a\":1}", NULL);
    (void)put(f->inner, "/registry/secrets/default/b", "{\"b\":1}", NULL);
    (void)put(f->inner, "/registry/secrets/default/c", "k8s:enc:aescbc:v1:three:xxxx", NULL);
    uint64_t past = put(f->store, "/registry/configmaps/default/d", "{\"d\":1}", NULL);
    assert_int_equal(lw_store_watch_open(f->store, LW_STR("/"), 0, &sink, &watch, &err), LW_OK);
    await(&t, past); /* a change that comes while the past is told is of the past, too */
    await(&t, put(f->store, "/registry/secrets/default/e", "{\"e\":1}", &t));
    lw_store_watch_close(f->store, watch);
    assert_string_equal(t.text, "/registry/secrets/default/a={\"a\":1}\n"
                                "/registry/secrets/default/b={\"b\":1} stale\n"
                                "/registry/secrets/default/c= unreadable\n"
                                "/registry/configmaps/default/d={\"d\":1}\n"
                                "/registry/secrets/default/e=attached\n");
    lw_cond_done(&t.moved);
    lw_mutex_done(&t.mu);
}

static bool ask(const lw_store_head *head, void *arg)
{
    (void)head;
    ++*(unsigned *)arg;
    return true;
}

static lw_status count_record(const lw_store_record *record, void *arg, lw_error *err)
{
    (void)record;
    (void)err;
    *(unsigned *)arg += 100;
    return LW_OK;
}

/* So nobody saves a copy of its values, which would not be encrypted. */
static void it_has_no_checksums_though_the_store_below_has(void **state)
{
    store_place place;
    lw_store *store = NULL;
    unsigned seen = 0;
    lw_encrypted_store_options options = { .key_prefix = LW_STR("/registry/") };
    lw_store_range_result result;
    const lw_store_range everything = { .has = ask };
    (void)state;
    store_place_make(&place);
    const lw_lmdb_store_options durable = { .folder = place.folder, .map_bytes = 1 << 20 };
    assert_int_equal(lw_lmdb_store_open(&options.inner, &durable, NULL), LW_OK);
    assert_int_equal(lw_encryption_config_parse(&options.config, lw_str_of(CONFIG), NULL), LW_OK);
    assert_int_equal(lw_encrypted_store_new(&store, &options, NULL), LW_OK);
    (void)put(store, "/registry/secrets/a/b", "secret", NULL);
    assert_true(lw_store_has_checksums(options.inner));
    assert_false(lw_store_has_checksums(store));
    assert_int_equal(lw_store_read(store, &everything, count_record, &seen, &result, NULL), LW_OK);
    assert_int_equal(seen, 100);
    lw_store_free(store);
    store_place_remove(&place);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(resources_are_found_by_where_they_are_stored, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_value_of_before_is_stale, setup, teardown),
        cmocka_unit_test_setup_teardown(a_conflict_is_told, setup, teardown),
        cmocka_unit_test_setup_teardown(what_cannot_be_decrypted_fails_the_read, setup, teardown),
        cmocka_unit_test_setup_teardown(a_watch_decrypts_what_has_no_object, setup, teardown),
        cmocka_unit_test(it_has_no_checksums_though_the_store_below_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
