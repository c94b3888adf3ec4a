/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_write.c -- objects that strangers send: whatever it is, it is refused or becomes an object,
 * and that object, sent again, changes nothing.
 *
 * The first byte chooses the kind, the rest is the body. */
#include "fuzz/fuzz.h"

#include <stdlib.h>

#include "api/change.h"
#include "api/context/port.h"
#include "base/str.h"
#include "unit/cache/fake_store.h"

/* An API on a store without threads, made once. */
typedef struct scene {
    fake_store store;
    lw_registry *registry;
    lw_cache *cache;
    lw_api *api;
    lw_api_port port;
} scene;

static const struct {
    const char *group, *plural;
} kinds[] = {
    { "", "configmaps" },
    { "", "secrets" },
    { "", "pods" },
    { "", "services" },
    { "apps", "deployments" },
    { "apps", "statefulsets" },
    { "apps", "daemonsets" },
    { "batch", "jobs" },
    { "batch", "cronjobs" },
    { "", "namespaces" },
    { "", "persistentvolumeclaims" },
    { "", "replicationcontrollers" },
    { "coordination.k8s.io", "leases" },
    { "admissionregistration.k8s.io", "mutatingwebhookconfigurations" },
    { "flowcontrol.apiserver.k8s.io", "prioritylevelconfigurations" },
};

static scene *the_scene(void)
{
    static scene s;
    if (s.api)
        return &s;
    fake_init(&s.store);
    const lw_cache_options cache_options = { .store = &s.store.base };
    if (lw_registry_new(&s.registry) < 0 || lw_cache_new(&s.cache, &cache_options, NULL) < 0)
        abort();
    const lw_api_options options = { .store = &s.store.base,
                                     .cache = s.cache,
                                     .registry = s.registry,
                                     .server_address = LW_STR("") };
    if (lw_api_new(&s.api, &options, NULL) < 0 || lw_cache_start(s.cache, NULL) < 0)
        abort();
    s.port.api = s.api;
    lw_random_init(&s.port.random, 1);
    return &s;
}

/* |obj| sent as it is must change nothing: what is filled in is filled in once. */
static void send_again(lw_write *write, lw_object *obj)
{
    lw_tree *tree = NULL;
    if (lw_object_with_revision(&write->current, obj, 7) < 0 ||
        lw_tree_parse(&tree, lw_object_json(write->current), 0, NULL) < 0)
        abort();
    const lw_change change = { .body = lw_tree_root(tree) };
    if (lw_change_update(write, &change) != LW_WRITE_KEEP)
        abort();
    lw_tree_free(tree);
}

static void send(scene *s, const lw_kind *kind, const lw_node *body)
{
    lw_write write = { .port = &s->port,
                       .kind = kind,
                       .key = { kind->is_namespaced ? LW_STR("default") : LW_STR(""),
                                LW_STR("a") } };
    const lw_change change = { .body = body, .is_unnamed = true };
    lw_write_verdict verdict = lw_change_create(&write, &change);
    if (verdict == LW_WRITE_REFUSE) {
        lw_api_status_done(&write.status);
        return;
    }
    if (verdict != LW_WRITE_PUT || !write.next)
        abort();
    lw_object *made = write.next;
    write.next = NULL;
    send_again(&write, made);
    lw_object_unref(made);
    lw_object_unref(write.current);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    scene *s = the_scene();
    size_t chosen = data[0] % (sizeof(kinds) / sizeof(kinds[0]));
    const lw_kind *kind = lw_registry_find(s->registry, lw_str_of(kinds[chosen].group),
                                           LW_STR("v1"), lw_str_of(kinds[chosen].plural));
    lw_tree *tree = NULL;
    if (!kind)
        abort();
    if (lw_tree_parse(&tree, lw_str_make((const char *)data + 1, size - 1), 0, NULL) < 0)
        return 0;
    if (lw_node_is(lw_tree_root(tree), LW_JSON_OBJECT))
        send(s, kind, lw_tree_root(tree));
    lw_tree_free(tree);
    return 0;
}
