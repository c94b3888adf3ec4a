/* SPDX-License-Identifier: Apache-2.0 */
/* write.c -- blocking create, update, patch, apply and delete. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "client/call.h"
#include "client/request.h"

enum {
    BODY_MAX = 64 * 1024 * 1024, /* bytes of an object; servers accept 3 MiB */
};

/* A write.  Empty parameters are not sent. */
typedef struct write_request {
    const char *method;
    lw_api_path path;
    lw_str dry_run, field_manager, field_validation, force;
    const char *content_type;
    lw_str body;
} write_request;

static lw_status write_send(lw_client *client, const write_request *request, lw_object **out,
                            lw_error *err)
{
    lw_buf target;
    bool has_query = false;
    lw_buf_init(&target, LW_REQUEST_TARGET_MAX);
    lw_status st = lw_request_append_path(&target, &request->path, err);
    if (st == LW_OK) {
        lw_request_append_query(&target, &has_query, "dryRun", request->dry_run);
        lw_request_append_query(&target, &has_query, "fieldManager", request->field_manager);
        lw_request_append_query(&target, &has_query, "fieldValidation", request->field_validation);
        lw_request_append_query(&target, &has_query, "force", request->force);
    }
    char *text = st == LW_OK ? lw_buf_take_text(&target) : NULL;
    if (st == LW_OK && !text)
        st = lw_error_nomem(err);
    if (st == LW_OK)
        st = lw_client__exchange(client, request->method, text,
                                 request->body.len > 0 ? request->content_type : NULL,
                                 request->body, out, err);
    lw_free(text);
    lw_buf_done(&target);
    return st;
}

static lw_status write_object(lw_client *client, write_request *request, const lw_object *obj,
                              lw_object **out, lw_error *err)
{
    lw_buf body;
    lw_buf_init(&body, BODY_MAX);
    lw_request_append_object(&body, obj);
    lw_status st = body.st;
    if (st == LW_ERR_LIMIT)
        st = lw_error_set(err, st, "the object is larger than %d MiB", BODY_MAX >> 20);
    else if (st < 0)
        st = lw_error_nomem(err);
    request->content_type = "application/json";
    request->body = lw_buf_view(&body);
    if (st == LW_OK)
        st = write_send(client, request, out, err);
    lw_buf_done(&body);
    return st;
}

lw_status lw_client_create(lw_client *client, lw_gvr gvr, const lw_object *obj, lw_object **out,
                           lw_error *err)
{
    write_request request = {
        .method = "POST",
        .path = { .gvr = gvr, .ns = lw_str_of(lw_object_namespace(obj)) },
    };
    return write_object(client, &request, obj, out, err);
}

static lw_status need_name(lw_str name, lw_error *err)
{
    if (name.len > 0)
        return LW_OK;
    return lw_error_set(err, LW_ERR_INVALID, "the name of the object is empty");
}

lw_status lw_client_create_subresource(lw_client *client, lw_gvr gvr, const char *ns,
                                       const char *name, const char *subresource,
                                       const lw_object *obj, lw_object **out, lw_error *err)
{
    write_request request = {
        .method = "POST",
        .path = { .gvr = gvr,
                  .ns = lw_str_of(ns),
                  .name = lw_str_of(name),
                  .subresource = lw_str_of(subresource) },
    };
    lw_status st = need_name(request.path.name, err);
    if (st < 0)
        return st;
    if (request.path.subresource.len == 0) /* otherwise it would create the object itself */
        return lw_error_set(err, LW_ERR_INVALID,
                            "the name of the subresource is empty; set it, e.g. \"binding\"");
    return write_object(client, &request, obj, out, err);
}

lw_status lw_client_update(lw_client *client, lw_gvr gvr, const lw_object *obj,
                           const char *subresource, lw_object **out, lw_error *err)
{
    write_request request = {
        .method = "PUT",
        .path = { .gvr = gvr,
                  .ns = lw_str_of(lw_object_namespace(obj)),
                  .name = lw_str_of(lw_object_name(obj)),
                  .subresource = lw_str_of(subresource) },
    };
    lw_status st = need_name(request.path.name, err);
    return st < 0 ? st : write_object(client, &request, obj, out, err);
}

lw_status lw_client_patch(lw_client *client, lw_gvr gvr, const char *ns, const char *name,
                          const char *subresource, lw_patch_type type, const char *patch,
                          size_t len, lw_object **out, lw_error *err)
{
    write_request request = {
        .method = "PATCH",
        .path = { .gvr = gvr,
                  .ns = lw_str_of(ns),
                  .name = lw_str_of(name),
                  .subresource = lw_str_of(subresource) },
        .content_type = lw_patch_content_type(type),
        .body = lw_str_make(patch, len),
    };
    lw_status st = need_name(request.path.name, err);
    if (st < 0)
        return st;
    if (!request.content_type || len == 0)
        return lw_error_set(err, LW_ERR_INVALID, "the patch is empty or its type is unknown");
    return write_send(client, &request, out, err);
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

lw_status lw_client_apply(lw_client *client, lw_gvr gvr, const char *ns, const char *name,
                          const char *configuration, size_t len, const lw_apply_options *options,
                          lw_object **out, lw_error *err)
{
    static const lw_apply_options defaults = LW_APPLY_OPTIONS_INIT;
    const lw_apply_options *o = options ? options : &defaults;
    lw_str manager = lw_str_of(o->field_manager);
    write_request request = {
        .method = "PATCH",
        .path = { .gvr = gvr,
                  .ns = lw_str_of(ns),
                  .name = lw_str_of(name),
                  .subresource = lw_str_of(o->subresource) },
        .dry_run = o->dry_run ? LW_STR("All") : LW_STR(""),
        .field_manager = manager.len > 0 ? manager : field_manager_of(client),
        .field_validation = lw_str_of(o->field_validation),
        .force = o->force ? LW_STR("true") : LW_STR(""),
        .content_type = "application/apply-patch+yaml",
        .body = lw_str_make(configuration, len),
    };
    lw_status st = need_name(request.path.name, err);
    if (st < 0)
        return st;
    if (len == 0)
        return lw_error_set(err, LW_ERR_INVALID, "the configuration to apply is empty");
    return write_send(client, &request, out, err);
}

lw_status lw_client_delete(lw_client *client, lw_gvr gvr, const char *ns, const char *name,
                           const lw_delete_options *options, lw_error *err)
{
    write_request request = {
        .method = "DELETE",
        .path = { .gvr = gvr, .ns = lw_str_of(ns), .name = lw_str_of(name) },
        .content_type = "application/json",
    };
    lw_status st = need_name(request.path.name, err);
    if (st < 0)
        return st; /* without a name it would delete the collection */
    lw_buf body;
    lw_buf_init(&body, LW_REQUEST_TARGET_MAX);
    if (options)
        lw_request_append_delete_options(&body, options);
    if (body.st < 0)
        st = body.st == LW_ERR_LIMIT
                 ? lw_error_set(err, LW_ERR_LIMIT, "the delete options are too long")
                 : lw_error_nomem(err);
    request.body = lw_buf_view(&body);
    if (st == LW_OK)
        st = write_send(client, &request, NULL, err);
    lw_buf_done(&body);
    return st;
}

lw_status lw_client_show_informers(lw_client *client, const char *report, lw_error *err)
{
    return lw_client__exchange(client, "POST", "/debug/listwatch/informers", "application/json",
                               lw_str_of(report), NULL, err);
}
