/* SPDX-License-Identifier: Apache-2.0 */
/* storage_protection.c -- takes finalizers off deleted claims and volumes that nobody uses.
 *
 * Only objects that are being deleted and have the finalizer are known here. */
#include "api/lifecycle/storage_protection.h"

#include "api/context/controller_set.h"
#include "api/context/key_scheduler.h"
#include "api/pending/metadata.h"
#include "api/write/purge.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/container_of.h"
#include "base/str.h"
#include "schema/kinds/kinds.h"
#include "json/fields.h"

enum {
    HELD_MAX = 1 << 20,
    RUNNING_MAX = 4, /* at once */
    KEY_MAX = 1024,  /* bytes of "namespace/name" */
    NAME_MAX = 512,  /* bytes of the name of a pod's own claim */
};

#define RETRY_NS LW_NS_PER_S

/* A deleted claim, or a deleted volume: its namespace is empty. */
typedef struct held {
    lw_scheduled_key key; /* first; "namespace/name" */
    lw_write write;       /* while it runs */
    int64_t not_before_ns;
} held;

struct lw_storage_protection {
    lw_api_port *port;
    unsigned controllers;
    lw_key_scheduler held; /* of held */
};

static lw_str finalizer_of(const lw_kind *kind)
{
    return kind == &lw_kind_persistentvolumes ? LW_FINALIZER_VOLUME : LW_FINALIZER_CLAIM;
}

static bool is_shut_down(const lw_object *pod)
{
    lw_str phase = lw_str_of(lw_object_string(pod, "/status/phase", ""));
    return lw_str_equal(phase, LW_STR("Succeeded")) || lw_str_equal(phase, LW_STR("Failed"));
}

/* Whether |volume| is an ephemeral one whose claim is called |claim|. */
static bool owns_claim(const lw_object *pod, const lw_node *volume, lw_str claim)
{
    lw_buf name;
    lw_buf_init(&name, NAME_MAX);
    lw_buf_printf(&name, "%s-%.*s", lw_object_name(pod),
                  LW_STR_ARG(lw_fields_text(volume, "name")));
    bool is_own = lw_node_get(volume, LW_STR("ephemeral")) && name.st == LW_OK &&
                  lw_str_equal(lw_buf_view(&name), claim) && !is_shut_down(pod);
    lw_buf_done(&name);
    return is_own;
}

/* Sets |*is_used| if a volume of |pod| is |claim|.  A pod without a node does not count: no kubelet
 * starts it with a claim that is being deleted. */
static lw_status look_at_pod(const lw_object *pod, lw_str claim, bool *is_used)
{
    lw_tree *tree = NULL;
    lw_str volumes;
    if (lw_object_string(pod, "/spec/nodeName", "")[0] == '\0' ||
        lw_object_raw(pod, "/spec/volumes", &volumes) < 0)
        return LW_OK;
    lw_status st = lw_tree_parse(&tree, volumes, 0, NULL);
    if (st < 0)
        return st;
    for (size_t i = 0; i < lw_node_count(lw_tree_root(tree)); i++) {
        const lw_node *volume = lw_node_at(lw_tree_root(tree), i);
        *is_used |=
            owns_claim(pod, volume, claim) ||
            lw_str_equal(lw_fields_text_at(volume, "/persistentVolumeClaim/claimName"), claim);
    }
    lw_tree_free(tree);
    return LW_OK;
}

static lw_status look_for_pods(const lw_write *write, bool *is_used)
{
    const lw_cache_filter filter = { .ns = write->key.ns };
    lw_cache_list list = { 0 };
    lw_status st = lw_cache_list_now(lw_api_resource(write->port->api, &lw_kind_pods), &filter,
                                     LW_STR(""), 0, &list, NULL);
    if (st < 0)
        return st;
    for (size_t i = 0; i < list.count && st == LW_OK && !*is_used; i++)
        st = look_at_pod(list.objects[i], write->key.name, is_used);
    lw_cache_list_done(&list);
    return st;
}

static bool drop_finalizer(lw_pending_object *pending, void *arg)
{
    (void)arg;
    lw_metadata_drop_finalizer(pending->metadata, finalizer_of(pending->kind));
    return lw_metadata_is_released(pending);
}

static lw_write_decision held_decide(lw_write *write)
{
    bool is_used = false;
    lw_status st = LW_OK;
    if (!write->current)
        return LW_WRITE_KEEP;
    if (write->kind == &lw_kind_persistentvolumes)
        is_used = lw_str_equal(lw_str_of(lw_object_string(write->current, "/status/phase", "")),
                               LW_STR("Bound"));
    else
        st = look_for_pods(write, &is_used);
    if (st < 0)
        return lw_write_fail(write, st);
    return is_used ? LW_WRITE_KEEP : lw_purge_decide_last(write, drop_finalizer, NULL);
}

static void held_done(lw_write *write)
{
    held *h = LW_CONTAINER_OF(write, held, write);
    bool has_failed = write->outcome == LW_WRITE_REFUSE;
    lw_write_release(write);
    h->not_before_ns = has_failed ? lw_key_scheduler_now(h->key.scheduler) + RETRY_NS : 0;
    lw_key_scheduler_pass_over(&h->key, has_failed);
}

static void held_start(lw_scheduled_key *key)
{
    held *h = (held *)(void *)key;
    const lw_storage_protection *protection =
        LW_CONTAINER_OF(key->scheduler, lw_storage_protection, held);
    h->write = (lw_write){ .port = protection->port, .decide = held_decide, .done = held_done };
    (void)lw_str_cut(key->name, '/', &h->write.key.ns, &h->write.key.name);
    h->write.kind =
        h->write.key.ns.len > 0 ? &lw_kind_persistentvolumeclaims : &lw_kind_persistentvolumes;
    lw_write_start(&h->write);
}

static int64_t held_ready_ns(const lw_scheduled_key *key)
{
    return ((const held *)(const void *)key)->not_before_ns;
}

static const lw_key_scheduler_type releasing = {
    .entry_size = sizeof(held),
    .keys_max = HELD_MAX,
    .running_max = RUNNING_MAX,
    .ready_ns = held_ready_ns,
    .start = held_start,
};

lw_status lw_storage_protection_new(lw_storage_protection **out, lw_api_port *port,
                                    unsigned controllers)
{
    lw_storage_protection *protection = lw_alloc_zero(1, sizeof(*protection));
    if (!protection)
        return LW_ERR_NOMEM;
    protection->port = port;
    protection->controllers = controllers;
    lw_key_scheduler_init(&protection->held, &releasing, port->loop);
    *out = protection;
    return LW_OK;
}

static bool is_held(const lw_kind *kind, const lw_cache_event *event)
{
    lw_str text;
    lw_tree *tree = NULL;
    if (event->type == LW_WATCH_DELETED ||
        lw_object_raw(event->object, "/metadata/deletionTimestamp", &text) < 0 ||
        lw_object_raw(event->object, "/metadata/finalizers", &text) < 0)
        return false;
    bool is_there = lw_tree_parse(&tree, text, 0, NULL) < 0 || /* the write will look again */
                    lw_fields_list_has(lw_tree_root(tree), finalizer_of(kind));
    lw_tree_free(tree);
    return is_there;
}

static lw_status observe_storage(lw_storage_protection *protection, const lw_kind *kind,
                                 const lw_cache_event *event)
{
    lw_buf name;
    lw_key key = lw_object_key(event->object);
    bool is_wanted = is_held(kind, event);
    lw_buf_init(&name, KEY_MAX);
    lw_buf_printf(&name, "%.*s/%.*s", LW_STR_ARG(key.ns), LW_STR_ARG(key.name));
    lw_scheduled_key *known =
        name.st < 0 ? NULL : lw_key_scheduler_find(&protection->held, lw_buf_view(&name));
    if (is_wanted && !known && name.st == LW_OK)
        known = lw_key_scheduler_add(&protection->held, lw_buf_view(&name));
    lw_buf_done(&name);
    if (!known)
        return is_wanted ? LW_ERR_NOMEM : LW_OK;
    if (is_wanted)
        lw_key_scheduler_want(known);
    else
        lw_key_scheduler_remove(known);
    return LW_OK;
}

/* A pod has changed: deleted claims of its namespace may be free now. */
static void observe_pod(lw_storage_protection *protection, const lw_object *pod)
{
    lw_str ns = lw_str_of(lw_object_namespace(pod)), of, rest;
    lw_map_cursor at = lw_map_begin(&protection->held.keys);
    for (lw_scheduled_key *key; (key = lw_map_next(&protection->held.keys, &at));) {
        (void)lw_str_cut(key->name, '/', &of, &rest);
        if (lw_str_equal(of, ns))
            lw_key_scheduler_want(key);
    }
}

lw_status lw_storage_protection_observe(lw_storage_protection *protection, const lw_kind *kind,
                                        const lw_cache_event *event)
{
    if (!protection)
        return LW_OK;
    if (kind == &lw_kind_persistentvolumeclaims
            ? protection->controllers & LW_CONTROLLER_CLAIM_PROTECTION
            : kind == &lw_kind_persistentvolumes &&
                  protection->controllers & LW_CONTROLLER_VOLUME_PROTECTION)
        return observe_storage(protection, kind, event);
    if (kind == &lw_kind_pods && event->type != LW_WATCH_ADDED)
        observe_pod(protection, event->object);
    return LW_OK;
}

void lw_storage_protection_pump(lw_storage_protection *protection)
{
    if (protection)
        lw_key_scheduler_pump(&protection->held);
}

void lw_storage_protection_forget(lw_storage_protection *protection)
{
    if (protection)
        lw_key_scheduler_forget(&protection->held);
}

void lw_storage_protection_stop(lw_storage_protection *protection)
{
    if (protection)
        lw_key_scheduler_stop(&protection->held);
}

void lw_storage_protection_free(lw_storage_protection *protection)
{
    if (!protection)
        return;
    lw_storage_protection_stop(protection);
    lw_key_scheduler_done(&protection->held);
    lw_free(protection);
}
