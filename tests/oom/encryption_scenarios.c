/* SPDX-License-Identifier: Apache-2.0 */
/* encryption_scenarios.c -- src/encryption, with each allocation failing in turn. */
#include <string.h>

#include "oom/oom.h"

#include "base/str.h"
#include "encryption/encrypted_store.h"
#include "store/memory.h"

static const char text[] =
    "{\"apiVersion\":\"apiserver.config.k8s.io/v1\",\"kind\":\"EncryptionConfiguration\","
    "\"resources\":[{\"resources\":[\"secrets\",\"widgets.example.com\"],\"providers\":["
    "{\"aesgcm\":{\"keys\":[{\"name\":\"two\",\"secret\":\"MDEyMzQ1Njc4OTAxMjM0NQ==\"},"
    "{\"name\":\"one\",\"secret\":\"MTEyMzQ1Njc4OTAxMjM0NQ==\"}]}},{\"identity\":{}}]}]}";

static lw_status demand(bool is_right)
{
    return is_right ? LW_OK : LW_ERR_INTERNAL;
}

static lw_status reads_a_configuration(lw_error *err)
{
    lw_encryption_config *config = NULL;
    lw_status st = lw_encryption_config_parse(&config, lw_str_of(text), err);
    if (st == LW_OK)
        st = demand(lw_encryption_config_find(config, LW_STR(""), LW_STR("secrets"))->count == 3);
    lw_encryption_config_free(config);
    return st;
}

static lw_status open_store(lw_store **out, lw_error *err)
{
    static const lw_encrypted_resource secrets = { LW_STR_INIT("secrets"), LW_STR_INIT(""),
                                                   LW_STR_INIT("secrets") };
    lw_encrypted_store_options options = { .key_prefix = LW_STR("/registry/"),
                                           .resources = &secrets,
                                           .count = 1 };
    lw_status st = lw_encryption_config_parse(&options.config, lw_str_of(text), err);
    if (st == LW_OK)
        st = lw_memory_store_new(&options.inner, NULL, err);
    if (st == LW_OK)
        st = lw_encrypted_store_new(out, &options, err);
    if (st < 0) {
        lw_store_free(options.inner);
        lw_encryption_config_free(options.config);
    }
    return st;
}

static lw_status check_record(const lw_store_record *record, void *arg, lw_error *err)
{
    (void)err;
    ++*(size_t *)arg;
    return demand(lw_str_equal(record->value, LW_STR("{\"a\":1}")));
}

/* What a watch has been told. */
typedef struct told {
    size_t events;
    bool is_wrong;
    lw_status st; /* why it has ended */
} told;

static void on_events(const lw_store_event *events, size_t count, uint64_t revision, void *arg)
{
    told *t = arg;
    (void)revision;
    for (size_t i = 0; i < count; i++) {
        t->events++;
        if (events[i].unreadable)
            t->st = events[i].unreadable->code;
        else if (!lw_str_equal(events[i].value, LW_STR("{\"a\":1}")))
            t->is_wrong = true;
    }
}

static void on_end(const lw_error *err, void *arg)
{
    told *t = arg;
    if (err->code != LW_ERR_STOPPED)
        t->st = err->code;
}

static lw_status use_store(lw_store *store, lw_error *err)
{
    static const char *const keys[] = { "/registry/secrets/a", "/registry/example.com/widgets/b",
                                        "/registry/pods/c" };
    size_t put = 0, seen = 0;
    lw_status st = LW_OK;
    for (size_t i = 0; st == LW_OK && i < 3; i++) {
        lw_store_txn txn = { .op = LW_STORE_PUT,
                             .key = lw_str_of(keys[i]),
                             .value = LW_STR("{\"a\":1}") };
        st = lw_store_commit(store, &txn);
        put += st == LW_OK;
    }
    lw_store_range all = { .limit = 0 };
    lw_store_range_result result;
    lw_status read = lw_store_read(store, &all, check_record, &seen, &result, err);
    if (st == LW_OK)
        st = read;
    if (read == LW_OK && seen != put)
        return LW_ERR_INTERNAL;
    told t = { .events = 0 };
    const lw_store_sink sink = { .on_events = on_events, .on_end = on_end, .arg = &t };
    lw_store_watch *watch = NULL;
    if (st == LW_OK)
        st = lw_store_watch_open(store, LW_STR("/"), 0, &sink, &watch, err);
    if (st < 0)
        return st;
    /* The store's thread tells of the past after the first of these, and before the second. */
    lw_status committed = LW_ERR_CONFLICT;
    for (int i = 0; i < 2 && committed == LW_ERR_CONFLICT; i++) {
        lw_store_txn none = { .op = LW_STORE_DELETE,
                              .key = LW_STR("/registry/none"),
                              .expected = 1 };
        committed = lw_store_commit(store, &none);
    }
    lw_store_watch_close(store, watch);
    if (t.is_wrong || (t.st == LW_OK && committed == LW_ERR_CONFLICT && t.events != put))
        return LW_ERR_INTERNAL;
    return t.st < 0 ? t.st : committed == LW_ERR_CONFLICT ? LW_OK : committed;
}

static lw_status keeps_encrypted_values(lw_error *err)
{
    lw_store *store = NULL;
    lw_status st = open_store(&store, err);
    if (st == LW_OK)
        st = use_store(store, err);
    lw_store_free(store);
    return st;
}

const oom_scenario encryption_scenarios[] = {
    { "encryption/reads a configuration", reads_a_configuration },
    { "encryption/keeps encrypted values", keeps_encrypted_values },
};
const size_t encryption_scenario_count =
    sizeof(encryption_scenarios) / sizeof(encryption_scenarios[0]);
