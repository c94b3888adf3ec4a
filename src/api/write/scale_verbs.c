/* SPDX-License-Identifier: Apache-2.0 */
/* scale_verbs.c -- GET, PUT and PATCH of a scale: a change of one number in the object. */
#include <stdio.h>

#include "api/context/cache_lookup.h"
#include "api/conversion/call_conversion.h"
#include "api/http/failures.h"
#include "api/http/wait.h"
#include "api/pending/metadata.h"
#include "api/pending/metadata_validation.h"
#include "api/pending/pending_object.h"
#include "api/write/ask.h"
#include "api/write/change.h"
#include "api/write/patch_body.h"
#include "api/write/scale.h"
#include "api/write/scale_managers.h"
#include "api/write/verbs.h"
#include "base/str.h"
#include "json/fields.h"

static lw_write_decision refuse_missing(lw_write *write)
{
    lw_api_status_not_found(&write->status, lw_kind_gvr(write->kind), write->key.name);
    return LW_WRITE_REFUSE;
}

/* Reads the number that is wanted; false: the write is refused with what is wrong. */
static bool read_replicas(lw_write *write, const lw_node *scale, int64_t *replicas)
{
    lw_api_status *status = &write->status;
    const lw_node *node = lw_fields_find(scale, "/spec/replicas");
    *replicas = 0;
    if (lw_node_type(node) == LW_JSON_NULL)
        return true;
    lw_api_status_init(status);
    if (!lw_node_is(node, LW_JSON_NUMBER) || !lw_node_int64(node, replicas) ||
        *replicas > INT32_MAX)
        lw_field_error_plain(status, "spec.replicas", lw_node_text(node), "must be an integer");
    else if (*replicas < 0)
        lw_field_error_plain(status, "spec.replicas", lw_node_text(node),
                             "must be greater than or equal to 0");
    else
        return true;
    lw_api_status_complete_invalid(status, lw_scale_gvk(), write->key.name);
    return false;
}

/* The name of a scale is that of its object. */
static bool fits(lw_write *write, const lw_node *scale)
{
    char message[1024];
    lw_str name = lw_fields_text_at(scale, "/metadata/name");
    lw_str ns = lw_fields_text_at(scale, "/metadata/namespace");
    if (!lw_metadata_is_in(ns, write->key.ns, &write->status))
        return false;
    if (lw_str_equal(name, write->key.name))
        return true;
    (void)snprintf(message, sizeof(message),
                   "the name of the object (%.*s) does not match the name on the URL (%.*s)",
                   LW_STR_ARG(name), LW_STR_ARG(write->key.name));
    lw_api_status_bad_request(&write->status, lw_str_of(message));
    return false;
}

/* Puts |value| at |pointer|, whose way there exists or is made of objects. */
static void put_at(lw_tree *tree, const char *pointer, int64_t value)
{
    lw_node *node = lw_tree_root(tree);
    const char *last = strrchr(pointer, '/');
    char segment[64];
    while (pointer < last) {
        const char *end = strchr(pointer + 1, '/');
        (void)snprintf(segment, sizeof(segment), "%.*s", (int)(end - pointer - 1), pointer + 1);
        node = lw_fields_object(tree, node, segment);
        pointer = end;
    }
    lw_fields_set_int(tree, node, last + 1, value);
}

static bool check(lw_write *write, const lw_node *scale)
{
    int64_t replicas;
    return fits(write, scale) && read_replicas(write, scale, &replicas);
}

/* Asks policies and webhooks about the scale, which is not the object that changes.  |*scale|
 * becomes what they make of it. */
static bool is_admitted(lw_write *write, const lw_node **scale, lw_write_decision *decision)
{
    lw_buf old;
    lw_buf_init(&old, LW_STORE_VALUE_MAX);
    lw_status st = lw_scale_write(write->kind, write->current, &old);
    lw_ask ask = { .operation = LW_OPERATION_UPDATE,
                   .subresource = LW_SUB_SCALE,
                   .object = *scale,
                   .gvk = lw_scale_gvk(),
                   .old = lw_buf_view(&old),
                   .check = check };
    bool is_good = st == LW_OK && lw_ask_is_admitted(write, &ask, decision);
    if (st < 0)
        *decision = lw_write_fail(write, st);
    lw_buf_done(&old);
    *scale = ask.object;
    return is_good;
}

/* Puts the number into the stored object; |rv| is the resourceVersion of the scale. */
static lw_write_decision store_replicas(lw_write *write, int64_t replicas, lw_str rv,
                                        const lw_node *managed)
{
    lw_tree *tree = NULL;
    bool is_stored;
    lw_status st = lw_write_read_current(write, &tree, &is_stored);
    if (st < 0)
        return lw_write_fail(write, st);
    put_at(tree, write->kind->scale->replicas, replicas);
    if (rv.len > 0)
        lw_fields_set_text(tree, lw_fields_find(lw_tree_root(tree), "/metadata"), "resourceVersion",
                           rv);
    st = lw_tree_status(tree);
    const lw_node *stored = lw_fields_find(lw_tree_root(tree), "/metadata/managedFields");
    lw_change change = { .body = lw_tree_root(tree),
                         .is_patched = true,
                         .is_asked = true,
                         .manager = lw_write_call_manager(lw_write_call_of(write)),
                         .managed = managed };
    if (!managed && !lw_scale_is_managed(stored, write->kind))
        change.managed = stored; /* a number that nobody has remains so */
    change.manager.is_apply = change.managed;
    lw_write_decision decision =
        st < 0 ? lw_write_fail(write, st) : lw_change_update(write, &change);
    lw_tree_free(tree);
    return decision;
}

lw_write_decision lw_scale_change(lw_write *write, const lw_node *scale, const lw_node *managed)
{
    int64_t replicas;
    lw_write_decision decision;
    if (!is_admitted(write, &scale, &decision))
        return decision;
    lw_str rv = lw_fields_text_at(scale, "/metadata/resourceVersion");
    return read_replicas(write, scale, &replicas) ? store_replicas(write, replicas, rv, managed)
                                                  : LW_WRITE_REFUSE;
}

lw_write_decision lw_scale_decide_update(lw_write *write)
{
    if (!write->current)
        return refuse_missing(write);
    return lw_scale_change(write, lw_tree_root(lw_write_call_of(write)->body), NULL);
}

lw_write_decision lw_scale_decide_patch(lw_write *write)
{
    lw_tree *tree = NULL;
    lw_buf json;
    if (!write->current)
        return refuse_missing(write);
    lw_buf_init(&json, LW_STORE_VALUE_MAX);
    lw_status st = lw_scale_write(write->kind, write->current, &json);
    if (st == LW_OK)
        st = lw_tree_parse(&tree, lw_buf_view(&json), 0, NULL);
    lw_buf_done(&json);
    lw_write_decision decision = LW_WRITE_REFUSE;
    if (st < 0)
        decision = lw_write_fail(write, st);
    else if (lw_patch_apply(lw_write_call_of(write), tree))
        decision = lw_scale_change(write, lw_tree_root(tree), NULL);
    lw_tree_free(tree);
    return decision;
}

static void reply_scale(lw_api_call *call, const lw_object *obj)
{
    enum {
        OK = 200
    };
    lw_buf json;
    lw_buf_init(&json, LW_STORE_VALUE_MAX);
    if (obj && lw_scale_write(call->route.kind, obj, &json) == LW_OK) {
        lw_call_reply_json(call, OK, &json);
        return;
    }
    lw_buf_done(&json);
    lw_call_reply_nomem(call);
}

void lw_scale_answer(lw_write *write)
{
    lw_write_call *wc = lw_write_call_of(write);
    lw_api_call *call = wc->call;
    if (write->outcome == LW_WRITE_REFUSE) {
        lw_write_call_answer(write);
        return;
    }
    wc->call = NULL;
    reply_scale(call, write->outcome == LW_WRITE_KEEP ? write->current : write->result);
    lw_write_call_free(wc);
}

static void get_scale_now(lw_api_call *call)
{
    lw_object *obj = NULL;
    lw_status st = lw_lookup(call->cache, (lw_key){ call->route.ns, call->route.name }, &obj);
    if (st < 0) {
        lw_call_reply_unreadable(call, st);
        return;
    }
    if (obj) {
        lw_call_with_converted(call, obj, reply_scale);
        return;
    }
    lw_api_status status;
    lw_api_status_not_found(&status, lw_kind_gvr(call->route.kind), call->route.name);
    lw_call_reply_status(call, &status);
}

void lw_rest_get_scale(lw_api_call *call)
{
    lw_call_when_newest(call, get_scale_now);
}
