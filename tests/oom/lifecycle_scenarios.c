/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle_scenarios.c -- the background work of the server, with every allocation failing in
 * turn: work that a failure prevented is done later. */
#include <string.h>

#include "api/context/port.h"
#include "api/lifecycle/lifecycle.h"
#include "base/clock.h"
#include "base/error.h"
#include "oom/api_scene.h"
#include "oom/oom.h"

#define START_NS INT64_C(1794707364000000000) /* 2026-11-15T01:49:24Z */
#define OLD      "\"2026-11-14T01:49:24Z\""

enum {
    TURNS = 60, /* a tenth of a second each: far more than a pause and all the work after it */
    /* Leaves room for the rest of a key and of a value. */
    KEY_SIZE = FAKE_KEY_SIZE - 16,
    METADATA_SIZE = FAKE_VALUE_SIZE - 60,
};

static void put(fake_store *store, const char *key, const char *kind, const char *metadata,
                const char *rest)
{
    char full[FAKE_KEY_SIZE], value[FAKE_VALUE_SIZE];
    (void)snprintf(full, sizeof(full), "/registry/%s", key);
    (void)snprintf(value, sizeof(value),
                   "{\"kind\":\"%s\",\"apiVersion\":\"v1\",\"metadata\":{%s}%s}", kind, metadata,
                   rest);
    (void)fake_commit(store, full, value, NULL);
}

static void put_config(fake_store *store, const char *ns, const char *name, const char *more)
{
    char key[KEY_SIZE], metadata[METADATA_SIZE];
    (void)snprintf(key, sizeof(key), "configmaps/%s/%s", ns, name);
    (void)snprintf(metadata, sizeof(metadata),
                   "\"name\":\"%s\",\"namespace\":\"%s\",\"uid\":\"u-%s\"%s", name, ns, name, more);
    put(store, key, "ConfigMap", metadata, "");
}

#define OWNED_BY(name)                                                                             \
    ",\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"name\":\"" name         \
    "\",\"uid\":\"u-" name "\",\"blockOwnerDeletion\":true}]"
#define DELETED_WITH(finalizer) ",\"deletionTimestamp\":" OLD ",\"finalizers\":[\"" finalizer "\"]"

static void fill_owners(fake_store *store)
{
    put_config(store, "default", "lost", OWNED_BY("nobody"));
    put_config(store, "default", "front", DELETED_WITH("foregroundDeletion"));
    put_config(store, "default", "child", OWNED_BY("front"));
    put_config(store, "default", "leaves", DELETED_WITH("orphan"));
    put_config(store, "default", "orphan", OWNED_BY("leaves"));
}

static void fill_namespace(fake_store *store)
{
    put(store, "namespaces/t", "Namespace",
        "\"name\":\"t\",\"uid\":\"u-t\",\"deletionTimestamp\":" OLD,
        ",\"spec\":{\"finalizers\":[\"kubernetes\"]}");
    put_config(store, "t", "a", "");
    put_config(store, "t", "b", "");
}

static void fill_events(fake_store *store)
{
    put(store, "events/default/e", "Event",
        "\"name\":\"e\",\"namespace\":\"default\",\"uid\":\"u-e\",\"creationTimestamp\":" OLD, "");
}

static void fill_quota(fake_store *store)
{
    put(store, "resourcequotas/default/q", "ResourceQuota",
        "\"name\":\"q\",\"namespace\":\"default\",\"uid\":\"u-q\"",
        ",\"spec\":{\"hard\":{\"configmaps\":\"2\",\"pods\":\"3\"}}");
    put(store, "pods/default/p", "Pod", "\"name\":\"p\",\"namespace\":\"default\",\"uid\":\"u-p\"",
        ",\"spec\":{\"containers\":[{\"name\":\"c\"}]}");
    put_config(store, "default", "c", "");
}

/* Adds two Secrets for tokens, one of them of an account that does not exist. */
static void fill_token_secrets(fake_store *store)
{
    put(store, "serviceaccounts/default/a", "ServiceAccount",
        "\"name\":\"a\",\"namespace\":\"default\",\"uid\":\"u-a\"", "");
    put(store, "secrets/default/s", "Secret",
        "\"name\":\"s\",\"namespace\":\"default\",\"uid\":\"u-s\",\"annotations\":{"
        "\"kubernetes.io/service-account.name\":\"a\"}",
        ",\"type\":\"kubernetes.io/service-account-token\"");
    put(store, "secrets/default/t", "Secret",
        "\"name\":\"t\",\"namespace\":\"default\",\"uid\":\"u-t\",\"annotations\":{"
        "\"kubernetes.io/service-account.name\":\"b\"}",
        ",\"type\":\"kubernetes.io/service-account-token\"");
}

/* Adds a custom kind, and one of its objects that has an owner and a dependent. */
static void fill_custom(fake_store *store)
{
    (void)fake_commit(
        store, "/registry/apiextensions.k8s.io/customresourcedefinitions/as.b.c",
        "{\"metadata\":{\"name\":\"as.b.c\",\"uid\":\"u-d\"},\"spec\":{\"group\":\"b.c\","
        "\"scope\":\"Cluster\",\"names\":{\"plural\":\"as\",\"kind\":\"A\"},\"versions\":"
        "[{\"name\":\"v1\",\"served\":true,\"storage\":true}]}}",
        NULL);
    (void)fake_commit(
        store, "/registry/b.c/as/a",
        "{\"kind\":\"A\",\"apiVersion\":\"b.c/v1\",\"metadata\":{\"name\":\"a\",\"uid\":"
        "\"u-a\",\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"name\":"
        "\"n\",\"uid\":\"u-n\"}]}}",
        NULL);
    put_config(
        store, "default", "child",
        ",\"ownerReferences\":[{\"apiVersion\":\"b.c/v1\",\"kind\":\"A\",\"name\":\"a\",\"uid\":"
        "\"u-a\"}]");
}

/* Returns how many objects of |plural| contain |text|; SIZE_MAX: unknown. */
static size_t left_with(const api_scene *s, const char *plural, const char *text)
{
    const lw_cache_filter all = { .ns = LW_STR("") };
    lw_cache_list list = { 0 };
    size_t count = 0;
    const lw_kind *kind =
        lw_registry_find(s->registry, LW_STR(""), LW_STR("v1"), lw_str_of(plural));
    if (lw_cache_list_now(lw_api_resource(s->api, kind), &all, LW_STR(""), 0, &list, NULL) < 0)
        return SIZE_MAX;
    for (size_t i = 0; i < list.count; i++) {
        lw_str json = lw_object_json(list.objects[i]);
        count += memmem(json.ptr, json.len, text, strlen(text)) != NULL;
    }
    lw_cache_list_done(&list);
    return count;
}

static lw_status live_with(void (*fill)(fake_store *store), const char *plural, const char *text,
                           size_t wanted, bool admits_accounts, lw_error *err)
{
    api_scene s;
    lw_manual_clock *clock = NULL;
    api_scene_init(&s);
    s.ops.submit = api_scene_submit;
    fill(&s.store);
    lw_status st = lw_manual_clock_new(&clock, START_NS);
    if (st == LW_OK) {
        s.clock = lw_manual_clock_as_clock(clock);
        st = api_scene_begin(&s, err);
    }
    if (st == LW_OK) {
        s.api->event_ttl_s = 60;
        s.api->admits_accounts = admits_accounts;
        st = lw_lifecycle_start(s.api, s.loop, err);
    }
    for (int i = 0; i < TURNS && st == LW_OK; i++) {
        lw_manual_clock_advance(clock, LW_NS_PER_S / 10);
        (void)lw_loop_turn(s.loop, 0, NULL);
    }
    if (st == LW_OK && left_with(&s, plural, text) != wanted)
        st = lw_error_nomem(err); /* memory that never becomes available: it would retry forever */
    api_scene_end(&s);
    lw_manual_clock_free(clock);
    return st;
}

static lw_status live(void (*fill)(fake_store *store), const char *plural, size_t wanted,
                      lw_error *err)
{
    return live_with(fill, plural, "", wanted, false, err);
}

static lw_status garbage_is_collected(lw_error *err)
{
    return live(fill_owners, "configmaps", 1, err);
}

static lw_status namespaces_are_emptied(lw_error *err)
{
    return live(fill_namespace, "namespaces", 0, err);
}

static lw_status custom_resources_are_collected(lw_error *err)
{
    return live(fill_custom, "configmaps", 0, err);
}

static lw_status events_expire(lw_error *err)
{
    return live(fill_events, "events", 0, err);
}

static lw_status quotas_are_counted(lw_error *err)
{
    return live_with(fill_quota, "resourcequotas", "\"used\":{\"configmaps\":\"1\",\"pods\":\"1\"}",
                     1, false, err);
}

static lw_status secrets_get_tokens(lw_error *err)
{
    lw_status st = live(fill_token_secrets, "secrets", 1, err);
    return st < 0 ? st
                  : live_with(fill_token_secrets, "secrets", "\"token\":\"dG9rZW4g", 1, false, err);
}

static void fill_space(fake_store *store)
{
    put(store, "namespaces/n", "Namespace", "\"name\":\"n\",\"uid\":\"u-n\"", "");
}

static lw_status namespaces_get_accounts(lw_error *err)
{
    return live_with(fill_space, "serviceaccounts", "\"name\":\"default\"", 1, true, err);
}

const oom_scenario lifecycle_scenarios[] = {
    { "garbage is collected", garbage_is_collected },
    { "custom resources are collected", custom_resources_are_collected },
    { "namespaces are emptied", namespaces_are_emptied },
    { "events expire", events_expire },
    { "quotas are counted", quotas_are_counted },
    { "secrets get tokens", secrets_get_tokens },
    { "namespaces get accounts", namespaces_get_accounts },
};
const size_t lifecycle_scenario_count =
    sizeof(lifecycle_scenarios) / sizeof(lifecycle_scenarios[0]);
