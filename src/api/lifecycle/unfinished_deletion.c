/* SPDX-License-Identifier: Apache-2.0 */
/* unfinished_deletion.c -- a pod that is still there some seconds after it should be gone.
 *
 *     written as deleted ──removed──▶ forgotten
 *           └──AFTER_NS──▶ removed by us */
#include "api/lifecycle/unfinished_deletion.h"

#include "api/context/key_scheduler.h"
#include "api/write/write.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/container_of.h"
#include "base/str.h"
#include "schema/kinds/kinds.h"

enum {
    DELETED_MAX = 1 << 20,
    RUNNING_MAX = 4, /* at once */
    KEY_MAX = 1024,  /* bytes of "namespace/name" */
};

/* Until then the server that deletes it, which may be another one, is likely to remove it. */
#define AFTER_NS (5 * LW_NS_PER_S)

/* A pod that is written as deleted and has nothing to wait for. */
typedef struct deleted_pod {
    lw_scheduled_key key; /* first; "namespace/name" */
    lw_write write;       /* while it runs */
    int64_t not_before_ns;
} deleted_pod;

struct lw_unfinished_deletion {
    lw_api_port *port;
    lw_key_scheduler pods; /* of deleted_pod */
};

static bool is_unfinished(const lw_object *pod)
{
    lw_str text;
    return lw_object_raw(pod, "/metadata/deletionTimestamp", &text) == LW_OK &&
           lw_object_raw(pod, "/metadata/deletionGracePeriodSeconds", &text) == LW_OK &&
           lw_str_equal(text, LW_STR("0")) && lw_object_raw(pod, "/metadata/finalizers", &text) < 0;
}

static lw_write_decision decide(lw_write *write)
{
    return write->current && is_unfinished(write->current) ? LW_WRITE_DELETE : LW_WRITE_KEEP;
}

static void done(lw_write *write)
{
    deleted_pod *pod = LW_CONTAINER_OF(write, deleted_pod, write);
    bool has_failed = write->outcome == LW_WRITE_REFUSE;
    lw_write_release(write);
    pod->not_before_ns = lw_key_scheduler_now(pod->key.scheduler) + AFTER_NS;
    lw_key_scheduler_pass_over(&pod->key, has_failed);
}

static void start(lw_scheduled_key *key)
{
    deleted_pod *pod = (deleted_pod *)(void *)key;
    const lw_unfinished_deletion *deletion =
        LW_CONTAINER_OF(key->scheduler, lw_unfinished_deletion, pods);
    pod->write =
        (lw_write){ .port = deletion->port, .kind = &lw_kind_pods, .decide = decide, .done = done };
    (void)lw_str_cut(key->name, '/', &pod->write.key.ns, &pod->write.key.name);
    lw_write_start(&pod->write);
}

static int64_t ready_ns(const lw_scheduled_key *key)
{
    return ((const deleted_pod *)(const void *)key)->not_before_ns;
}

static const lw_key_scheduler_type removing = {
    .entry_size = sizeof(deleted_pod),
    .keys_max = DELETED_MAX,
    .running_max = RUNNING_MAX,
    .ready_ns = ready_ns,
    .start = start,
};

lw_status lw_unfinished_deletion_new(lw_unfinished_deletion **out, lw_api_port *port)
{
    lw_unfinished_deletion *deletion = lw_alloc_zero(1, sizeof(*deletion));
    if (!deletion)
        return LW_ERR_NOMEM;
    deletion->port = port;
    lw_key_scheduler_init(&deletion->pods, &removing, port->loop);
    *out = deletion;
    return LW_OK;
}

static lw_status add(lw_unfinished_deletion *deletion, lw_str name)
{
    lw_scheduled_key *key = lw_key_scheduler_add(&deletion->pods, name);
    if (!key)
        return LW_ERR_NOMEM;
    ((deleted_pod *)(void *)key)->not_before_ns = lw_key_scheduler_now(&deletion->pods) + AFTER_NS;
    lw_key_scheduler_want(key);
    return LW_OK;
}

lw_status lw_unfinished_deletion_observe(lw_unfinished_deletion *deletion, const lw_kind *kind,
                                         const lw_cache_event *event)
{
    if (kind != &lw_kind_pods)
        return LW_OK;
    bool is_wanted = event->type != LW_WATCH_DELETED && is_unfinished(event->object);
    if (!is_wanted && lw_map_count(&deletion->pods.keys) == 0)
        return LW_OK;
    lw_buf name;
    lw_key of = lw_object_key(event->object);
    lw_buf_init(&name, KEY_MAX);
    lw_buf_printf(&name, "%.*s/%.*s", LW_STR_ARG(of.ns), LW_STR_ARG(of.name));
    lw_status st = name.st < 0 ? LW_ERR_NOMEM : LW_OK;
    lw_scheduled_key *known =
        st < 0 ? NULL : lw_key_scheduler_find(&deletion->pods, lw_buf_view(&name));
    if (known && !is_wanted)
        lw_key_scheduler_remove(known);
    else if (!known && is_wanted && st == LW_OK)
        st = add(deletion, lw_buf_view(&name));
    lw_buf_done(&name);
    return st;
}

void lw_unfinished_deletion_pump(lw_unfinished_deletion *deletion)
{
    lw_key_scheduler_pump(&deletion->pods);
}

void lw_unfinished_deletion_forget(lw_unfinished_deletion *deletion)
{
    lw_key_scheduler_forget(&deletion->pods);
}

void lw_unfinished_deletion_stop(lw_unfinished_deletion *deletion)
{
    if (deletion)
        lw_key_scheduler_stop(&deletion->pods);
}

void lw_unfinished_deletion_free(lw_unfinished_deletion *deletion)
{
    if (!deletion)
        return;
    lw_unfinished_deletion_stop(deletion);
    lw_key_scheduler_done(&deletion->pods);
    lw_free(deletion);
}
