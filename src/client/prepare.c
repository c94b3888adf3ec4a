/* SPDX-License-Identifier: Apache-2.0 */
/* prepare.c -- the requests of get, create, update, patch, apply and delete. */
#include "client/prepare.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/options.h"
#include "base/str.h"
#include "client/request.h"

enum {
    BODY_MAX = 64 * 1024 * 1024, /* bytes of an object; servers accept 3 MiB */
};

/* Query parameters; empty ones are not sent. */
typedef struct parameters {
    bool dry_run, force;
    lw_str field_manager, field_validation;
    lw_str field_selector, label_selector, resource_version;
} parameters;

static void begin(lw_prepared *p, const char *method)
{
    *p = (lw_prepared){ .method = method, .accept = lw_accept_json };
    lw_buf_init(&p->text, BODY_MAX);
}

void lw_prepared_done(lw_prepared *p)
{
    lw_free(p->target);
    lw_buf_done(&p->text);
}

static lw_status set_target(lw_prepared *p, const lw_api_path *path, const parameters *q,
                            lw_error *err)
{
    lw_buf target;
    bool has_query = false;
    lw_buf_init(&target, LW_REQUEST_TARGET_MAX);
    lw_status st = lw_request_append_path(&target, path, err);
    if (st == LW_OK) {
        lw_request_append_query(&target, &has_query, "dryRun", lw_str_of(q->dry_run ? "All" : ""));
        lw_request_append_query(&target, &has_query, "fieldManager", q->field_manager);
        lw_request_append_query(&target, &has_query, "fieldSelector", q->field_selector);
        lw_request_append_query(&target, &has_query, "fieldValidation", q->field_validation);
        lw_request_append_query(&target, &has_query, "force", lw_str_of(q->force ? "true" : ""));
        lw_request_append_query(&target, &has_query, "labelSelector", q->label_selector);
        lw_request_append_query(&target, &has_query, "resourceVersion", q->resource_version);
        st = lw_request_target_status(&target, err);
    }
    if (st == LW_OK && !(p->target = lw_buf_take_text(&target)))
        st = lw_error_nomem(err);
    lw_buf_done(&target);
    return st;
}

static lw_status set_text(lw_prepared *p, const char *what, lw_error *err)
{
    if (p->text.st == LW_ERR_LIMIT)
        return lw_error_set(err, LW_ERR_LIMIT, "the %s is larger than %d MiB", what,
                            BODY_MAX >> 20);
    if (p->text.st < 0)
        return lw_error_nomem(err);
    p->body = lw_buf_view(&p->text);
    p->content_type = p->body.len > 0 ? lw_accept_json : NULL;
    return LW_OK;
}

static lw_status set_object(lw_prepared *p, const lw_object *obj, lw_error *err)
{
    lw_request_append_object(&p->text, obj);
    return set_text(p, "object", err);
}

/* Without a name the request would be for the collection. */
static lw_status need_name(const lw_api_path *path, lw_error *err)
{
    if (path->name.len > 0)
        return LW_OK;
    return lw_error_set(err, LW_ERR_INVALID, "the name of the object is empty");
}

lw_status lw_prepare_get(lw_prepared *p, const lw_client *client, lw_gvr gvr, const char *ns,
                         const char *name, const lw_get_options *options, lw_error *err)
{
    lw_get_options o = LW_GET_OPTIONS_INIT;
    begin(p, "GET");
    lw_status st = lw_options_read(&o, sizeof(o), options, "lw_get_options", err);
    const lw_api_path path = { gvr, lw_str_of(ns), lw_str_of(name), lw_str_of(o.subresource) };
    const parameters q = { .resource_version = lw_str_of(o.resource_version) };
    if (o.is_metadata_only)
        p->accept = lw_accept_metadata;
    p->timeout_ms = lw_client__timeout_ms(client, o.timeout_ms);
    if (st == LW_OK)
        st = need_name(&path, err);
    return st < 0 ? st : set_target(p, &path, &q, err);
}

static lw_status check_subresource(const lw_create_options *o, lw_error *err)
{
    bool has_name = o->name && o->name[0], has_subresource = o->subresource && o->subresource[0];
    if (has_name == has_subresource)
        return LW_OK;
    /* With only one of them, it would create another object than the one that is meant. */
    return lw_error_set(err, LW_ERR_INVALID,
                        "name and subresource of lw_create_options must be set together, e.g. a "
                        "pod and \"binding\"");
}

lw_status lw_prepare_create(lw_prepared *p, const lw_client *client, lw_gvr gvr,
                            const lw_object *obj, const lw_create_options *options, lw_error *err)
{
    lw_create_options o = LW_CREATE_OPTIONS_INIT;
    begin(p, "POST");
    lw_status st = lw_options_read(&o, sizeof(o), options, "lw_create_options", err);
    if (st == LW_OK)
        st = check_subresource(&o, err);
    const lw_api_path path = { gvr, lw_str_of(o.ns ? o.ns : lw_object_namespace(obj)),
                               lw_str_of(o.name), lw_str_of(o.subresource) };
    const parameters q = { .dry_run = o.dry_run,
                           .field_manager = lw_str_of(o.field_manager),
                           .field_validation = lw_str_of(o.field_validation) };
    p->timeout_ms = lw_client__timeout_ms(client, o.timeout_ms);
    if (st == LW_OK)
        st = set_target(p, &path, &q, err);
    return st < 0 ? st : set_object(p, obj, err);
}

lw_status lw_prepare_update(lw_prepared *p, const lw_client *client, lw_gvr gvr,
                            const lw_object *obj, const lw_update_options *options, lw_error *err)
{
    lw_update_options o = LW_UPDATE_OPTIONS_INIT;
    begin(p, "PUT");
    lw_status st = lw_options_read(&o, sizeof(o), options, "lw_update_options", err);
    const lw_api_path path = { gvr, lw_str_of(lw_object_namespace(obj)),
                               lw_str_of(lw_object_name(obj)), lw_str_of(o.subresource) };
    const parameters q = { .dry_run = o.dry_run,
                           .field_manager = lw_str_of(o.field_manager),
                           .field_validation = lw_str_of(o.field_validation) };
    p->timeout_ms = lw_client__timeout_ms(client, o.timeout_ms);
    if (st == LW_OK)
        st = need_name(&path, err);
    if (st == LW_OK)
        st = set_target(p, &path, &q, err);
    return st < 0 ? st : set_object(p, obj, err);
}

lw_status lw_prepare_patch(lw_prepared *p, const lw_client *client, lw_gvr gvr, const char *ns,
                           const char *name, lw_str patch, const lw_patch_options *options,
                           lw_error *err)
{
    lw_patch_options o = LW_PATCH_OPTIONS_INIT;
    begin(p, "PATCH");
    lw_status st = lw_options_read(&o, sizeof(o), options, "lw_patch_options", err);
    const lw_api_path path = { gvr, lw_str_of(ns), lw_str_of(name), lw_str_of(o.subresource) };
    const parameters q = { .dry_run = o.dry_run,
                           .field_manager = lw_str_of(o.field_manager),
                           .field_validation = lw_str_of(o.field_validation) };
    p->content_type = lw_patch_content_type(o.type);
    p->body = patch;
    p->timeout_ms = lw_client__timeout_ms(client, o.timeout_ms);
    if (st == LW_OK && (!p->content_type || patch.len == 0))
        st = lw_error_set(err, LW_ERR_INVALID, "the patch is empty or its type is unknown");
    if (st == LW_OK)
        st = need_name(&path, err);
    return st < 0 ? st : set_target(p, &path, &q, err);
}

/* Returns the default field manager: the first word of the user agent, like on the server. */
static lw_str field_manager_of(const lw_client *client)
{
    lw_str product, rest;
    (void)lw_str_cut(lw_str_of(client->user_agent), '/', &product, &rest);
    if (product.len > LW_CLIENT_PRODUCT_MAX)
        product.len = LW_CLIENT_PRODUCT_MAX;
    return product.len > 0 ? product : LW_STR("listwatch");
}

lw_status lw_prepare_apply(lw_prepared *p, const lw_client *client, lw_gvr gvr, const char *ns,
                           const char *name, lw_str configuration, const lw_apply_options *options,
                           lw_error *err)
{
    lw_apply_options o = LW_APPLY_OPTIONS_INIT;
    begin(p, "PATCH");
    lw_status st = lw_options_read(&o, sizeof(o), options, "lw_apply_options", err);
    const lw_api_path path = { gvr, lw_str_of(ns), lw_str_of(name), lw_str_of(o.subresource) };
    lw_str manager = lw_str_of(o.field_manager);
    const parameters q = { .dry_run = o.dry_run,
                           .force = o.force,
                           .field_manager = manager.len > 0 ? manager : field_manager_of(client),
                           .field_validation = lw_str_of(o.field_validation) };
    p->content_type = "application/apply-patch+yaml";
    p->body = configuration;
    p->timeout_ms = lw_client__timeout_ms(client, o.timeout_ms);
    if (st == LW_OK && configuration.len == 0)
        st = lw_error_set(err, LW_ERR_INVALID, "the configuration to apply is empty");
    if (st == LW_OK)
        st = need_name(&path, err);
    return st < 0 ? st : set_target(p, &path, &q, err);
}

/* Sets the target and the body of a delete of what is at |path|. */
static lw_status set_delete(lw_prepared *p, const lw_client *client, const lw_api_path *path,
                            parameters *q, const lw_delete_options *options, lw_error *err)
{
    lw_delete_options o = LW_DELETE_OPTIONS_INIT;
    lw_status st = lw_options_read(&o, sizeof(o), options, "lw_delete_options", err);
    if (st < 0)
        return st;
    q->dry_run = o.dry_run;
    p->timeout_ms = lw_client__timeout_ms(client, o.timeout_ms);
    lw_request_append_delete_options(&p->text, &o);
    st = set_text(p, "delete options", err);
    return st < 0 ? st : set_target(p, path, q, err);
}

lw_status lw_prepare_delete(lw_prepared *p, const lw_client *client, lw_gvr gvr, const char *ns,
                            const char *name, const lw_delete_options *options, lw_error *err)
{
    const lw_api_path path = { gvr, lw_str_of(ns), lw_str_of(name), lw_str_of(NULL) };
    parameters q = { .force = false };
    begin(p, "DELETE");
    lw_status st = need_name(&path, err);
    return st < 0 ? st : set_delete(p, client, &path, &q, options, err);
}

lw_status lw_prepare_delete_collection(lw_prepared *p, const lw_client *client, lw_gvr gvr,
                                       const lw_list_options *which,
                                       const lw_delete_options *options, lw_error *err)
{
    lw_list_options w = LW_LIST_OPTIONS_INIT;
    begin(p, "DELETE");
    if (!which)
        return lw_error_set(err, LW_ERR_INVALID,
                            "the options that select the objects to delete are missing");
    lw_status st = lw_options_read(&w, sizeof(w), which, "lw_list_options", err);
    const lw_api_path path = { .gvr = gvr, .ns = lw_str_of(w.ns) };
    parameters q = { .field_selector = lw_str_of(w.field_selector),
                     .label_selector = lw_str_of(w.label_selector),
                     .resource_version = lw_str_of(w.resource_version) };
    return st < 0 ? st : set_delete(p, client, &path, &q, options, err);
}
