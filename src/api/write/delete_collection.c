/* SPDX-License-Identifier: Apache-2.0 */
/* delete_collection.c -- DELETE of all that a list would show, each by itself: what is made
 * meanwhile stays. */
#include "api/conversion/call_conversion.h"
#include "api/http/list_options.h"
#include "api/http/wait.h"
#include "api/http/warnings.h"
#include "api/write/delete.h"
#include "api/write/mass_delete.h"
#include "api/write/verbs.h"
#include "base/alloc.h"
#include "base/container_of.h"
#include "base/str.h"

typedef struct collection {
    lw_mass_delete mass; /* first */
    lw_api_call *call;   /* NULL once it is answered */
    lw_tree *body;
    lw_api_list_options options;
    lw_cache_filter filter;
    lw_cache_list list;              /* what is deleted, as it was */
    const lw_field_selector *fields; /* that select converted objects; NULL: none */
    lw_call_conversion conversion;   /* of the objects of |list|, to select by |fields| */
} collection;

static void collection_free(collection *c)
{
    lw_api_list_options_done(&c->options);
    lw_cache_list_done(&c->list);
    for (size_t i = 0; i < c->conversion.count; i++)
        lw_object_unref(c->conversion.objects[i]);
    lw_free(c->conversion.objects);
    lw_call_free(c->call);
    lw_tree_free(c->body);
    lw_free(c);
}

static void collection_refuse(collection *c, lw_api_status *status)
{
    lw_api_call *call = c->call;
    c->call = NULL;
    lw_call_reply_status(call, status);
    collection_free(c);
}

static void collection_done(lw_mass_delete *mass)
{
    collection *c = (collection *)(void *)mass;
    lw_api_call *call = c->call;
    if (mass->deleted > 0 && !mass->options.is_dry_run)
        call->api->write_hooks->after_delete(mass->port, call->route.kind);
    if (mass->has_failed) {
        collection_refuse(c, &mass->failure);
        return;
    }
    c->call = NULL;
    lw_call_reply_list(call, &c->list, LW_STR(""), -1);
    c->list = (lw_cache_list){ 0 };
    collection_free(c);
}

/* Lists what is meant.  False: |status| says why not. */
static bool collect(collection *c, lw_api_status *status)
{
    lw_api_call *call = c->call;
    lw_error err = LW_ERROR_INIT;
    if (!lw_api_list_options_read(&c->options, &call->query, call->route.kind, false, false,
                                  status) ||
        !lw_api_list_options_filter(&c->options, call->route.kind, call->route.ns, LW_STR(""),
                                    &c->filter, status))
        return false;
    if (lw_convert_selects(call->route.kind, &c->filter)) {
        c->fields = c->filter.fields;
        c->filter.fields = NULL;
    }
    lw_status st = lw_cache_list_now(call->cache, &c->filter, LW_STR(""), (size_t)c->options.limit,
                                     &c->list, &err);
    if (st == LW_OK)
        return true;
    c->list = (lw_cache_list){ 0 };
    lw_api_status_of_error(status, &err);
    return false;
}

static void start(collection *c)
{
    lw_api_call *call = c->call;
    lw_warn_of_deletion(call, &c->mass.options);
    c->mass.options.is_collection = true;
    c->mass.port = call->port;
    c->mass.user = call->user;
    c->mass.call = call;
    c->mass.kind = lw_kind_stored(call->route.kind);
    c->mass.objects = c->list.objects;
    c->mass.count = c->list.count;
    c->mass.done = collection_done;
    lw_mass_delete_start(&c->mass);
}

/* Keeps of the list what the field selector chooses of the converted objects. */
static void select_converted(collection *c)
{
    size_t kept = 0;
    for (size_t i = 0; i < c->list.count; i++) {
        if (c->filter.fields_match(c->fields, c->conversion.objects[i], c->filter.fields_arg))
            c->list.objects[kept++] = c->list.objects[i];
        else
            lw_object_unref(c->list.objects[i]);
    }
    c->list.count = kept;
}

static void converted(lw_call_conversion *conversion, bool is_converted)
{
    collection *c = LW_CONTAINER_OF(conversion, collection, conversion);
    if (is_converted) {
        select_converted(c);
        start(c);
    } else {
        c->call = NULL;
        collection_free(c);
    }
}

static void convert(collection *c)
{
    lw_object **objects = lw_alloc_zero(c->list.count, sizeof(lw_object *));
    if (!objects) {
        lw_api_call *call = c->call;
        c->call = NULL;
        lw_call_reply_nomem(call);
        collection_free(c);
        return;
    }
    for (size_t i = 0; i < c->list.count; i++)
        objects[i] = lw_object_ref(c->list.objects[i]);
    c->conversion = (lw_call_conversion){
        .call = c->call, .objects = objects, .count = c->list.count, .over = converted
    };
    lw_call_conversion_begin(&c->conversion);
}

static void delete_collection_now(lw_api_call *call)
{
    collection *c = lw_alloc_zero(1, sizeof(*c));
    lw_api_status status;
    if (!c) {
        lw_call_reply_nomem(call);
        return;
    }
    c->call = call;
    if (!lw_rest_read_delete_options(call, &c->body, &c->mass.options, &status) ||
        !collect(c, &status)) {
        collection_refuse(c, &status);
        return;
    }
    if (c->fields && c->list.count > 0)
        convert(c);
    else
        start(c);
}

void lw_rest_delete_collection(lw_api_call *call)
{
    lw_call_when_newest(call, delete_collection_now);
}
