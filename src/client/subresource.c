/* SPDX-License-Identifier: Apache-2.0 */
/* subresource.c -- logs, scale, eviction, binding and tokens. */
#include <listwatch/subresource.h>

#include <inttypes.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/options.h"
#include "base/str.h"
#include "client/request.h"
#include "json/writer.h"

enum {
    TEXT_MAX = 1024 * 1024, /* bytes of an object that is posted */
};

static lw_gvr pods(void)
{
    return lw_gvr_make("", "v1", "pods");
}

/* Logs. */

static void append_number(lw_buf *target, bool *has_query, const char *name, int64_t value)
{
    char text[24];
    (void)snprintf(text, sizeof(text), "%" PRId64, value);
    if (value > 0)
        lw_request_append_query(target, has_query, name, lw_str_of(text));
}

static void append_flag(lw_buf *target, bool *has_query, const char *name, bool value)
{
    if (value)
        lw_request_append_query(target, has_query, name, LW_STR("true"));
}

static lw_status append_log_target(lw_buf *target, const char *ns, const char *pod,
                                   const lw_log_options *o, lw_error *err)
{
    const lw_api_path path = { pods(), lw_str_of(ns), lw_str_of(pod), LW_STR("log") };
    bool has_query = false;
    lw_status st = lw_request_append_path(target, &path, err);
    if (st < 0)
        return st;
    lw_request_append_query(target, &has_query, "container", lw_str_of(o->container));
    append_flag(target, &has_query, "follow", o->follow);
    append_number(target, &has_query, "limitBytes", o->limit_bytes);
    append_flag(target, &has_query, "previous", o->previous);
    append_number(target, &has_query, "sinceSeconds", o->since_s);
    append_number(target, &has_query, "tailLines", o->tail_lines);
    append_flag(target, &has_query, "timestamps", o->timestamps);
    return lw_request_target_status(target, err);
}

lw_status lw_client_log(lw_client *client, const char *ns, const char *pod,
                        const lw_log_options *options, lw_bytes_fn on_bytes, void *arg,
                        lw_error *err)
{
    lw_log_options o = LW_LOG_OPTIONS_INIT;
    lw_raw_options raw = LW_RAW_OPTIONS_INIT;
    lw_buf target;
    lw_status st = lw_options_read(&o, sizeof(o), options, "lw_log_options", err);
    if (st < 0)
        return st;
    lw_buf_init(&target, LW_REQUEST_TARGET_MAX);
    st = append_log_target(&target, ns, pod, &o, err);
    char *path = st == LW_OK ? lw_buf_take_text(&target) : NULL;
    lw_buf_done(&target);
    if (!path)
        return st < 0 ? st : lw_error_nomem(err);
    raw.on_bytes = on_bytes;
    raw.arg = arg;
    raw.timeout_ms = o.timeout_ms;
    st = lw_client_raw(client, "GET", path, &raw, NULL, err);
    lw_free(path);
    return st;
}

/* Scale. */

lw_status lw_client_get_scale(lw_client *client, lw_gvr gvr, const char *ns, const char *name,
                              int64_t *replicas, lw_error *err)
{
    lw_get_options options = LW_GET_OPTIONS_INIT;
    lw_object *scale = NULL;
    options.subresource = "scale";
    lw_status st = lw_client_get(client, gvr, ns, name, &options, &scale, err);
    if (st < 0)
        return st;
    *replicas = lw_object_int(scale, "/spec/replicas", 0); /* 0 is omitted */
    lw_object_unref(scale);
    return LW_OK;
}

lw_status lw_client_set_scale(lw_client *client, lw_gvr gvr, const char *ns, const char *name,
                              int64_t replicas, lw_error *err)
{
    lw_patch_options options = LW_PATCH_OPTIONS_INIT;
    char patch[64];
    options.subresource = "scale";
    (void)snprintf(patch, sizeof(patch), "{\"spec\":{\"replicas\":%" PRId64 "}}", replicas);
    return lw_client_patch(client, gvr, ns, name, lw_str_of(patch), &options, NULL, err);
}

/* Objects that are posted. */

/* Posts |text| to the subresource and frees it. */
static lw_status post_take(lw_client *client, lw_gvr gvr, const char *ns, const char *name,
                           const char *subresource, lw_buf *text, lw_object **out, lw_error *err)
{
    lw_create_options options = LW_CREATE_OPTIONS_INIT;
    lw_object *obj = NULL;
    options.ns = ns;
    options.name = name;
    options.subresource = subresource;
    lw_status st = LW_OK;
    if (text->st == LW_ERR_LIMIT)
        st = lw_error_set(err, text->st, "the request is larger than %d bytes", TEXT_MAX);
    else if (text->st < 0)
        st = lw_error_nomem(err);
    else
        st = lw_object_from_json(&obj, text->data, text->len, err);
    lw_buf_done(text);
    if (st == LW_OK)
        st = lw_client_create(client, gvr, obj, &options, out, err);
    lw_object_unref(obj);
    return st;
}

static void write_head(lw_json_writer *w, const char *api_version, const char *kind, const char *ns,
                       const char *name)
{
    lw_json_write_object_begin(w);
    lw_json_write_member_string(w, "apiVersion", lw_str_of(api_version));
    lw_json_write_member_string(w, "kind", lw_str_of(kind));
    lw_json_write_key(w, LW_STR("metadata"));
    lw_json_write_object_begin(w);
    lw_json_write_member_string(w, "name", lw_str_of(name));
    if (ns && ns[0])
        lw_json_write_member_string(w, "namespace", lw_str_of(ns));
    lw_json_write_object_end(w);
}

lw_status lw_client_evict(lw_client *client, const char *ns, const char *pod,
                          const lw_delete_options *options, lw_error *err)
{
    lw_delete_options o = LW_DELETE_OPTIONS_INIT;
    lw_json_writer w;
    lw_buf text, how;
    lw_status st = lw_options_read(&o, sizeof(o), options, "lw_delete_options", err);
    if (st < 0)
        return st;
    lw_buf_init(&text, TEXT_MAX);
    lw_buf_init(&how, TEXT_MAX);
    lw_request_append_delete_options(&how, &o);
    lw_json_writer_init(&w, &text, LW_JSON_COMPACT);
    write_head(&w, "policy/v1", "Eviction", ns, pod);
    if (how.len > 0) {
        lw_json_write_key(&w, LW_STR("deleteOptions"));
        lw_json_write_raw(&w, lw_buf_view(&how));
    }
    lw_json_write_object_end(&w);
    if (how.st < 0)
        text.st = how.st;
    lw_buf_done(&how);
    return post_take(client, pods(), ns, pod, "eviction", &text, NULL, err);
}

lw_status lw_client_bind(lw_client *client, const char *ns, const char *pod, const char *node,
                         lw_error *err)
{
    lw_json_writer w;
    lw_buf text;
    lw_buf_init(&text, TEXT_MAX);
    lw_json_writer_init(&w, &text, LW_JSON_COMPACT);
    write_head(&w, "v1", "Binding", ns, pod);
    lw_json_write_key(&w, LW_STR("target"));
    lw_json_write_object_begin(&w);
    lw_json_write_member_string(&w, "apiVersion", LW_STR("v1"));
    lw_json_write_member_string(&w, "kind", LW_STR("Node"));
    lw_json_write_member_string(&w, "name", lw_str_of(node));
    lw_json_write_object_end(&w);
    lw_json_write_object_end(&w);
    return post_take(client, pods(), ns, pod, "binding", &text, NULL, err);
}

lw_status lw_client_request_token(lw_client *client, const char *ns, const char *service_account,
                                  const lw_token_options *options, lw_object **out, lw_error *err)
{
    lw_token_options o = LW_TOKEN_OPTIONS_INIT;
    lw_json_writer w;
    lw_buf text;
    lw_status st = lw_options_read(&o, sizeof(o), options, "lw_token_options", err);
    if (st < 0)
        return st;
    lw_buf_init(&text, TEXT_MAX);
    lw_json_writer_init(&w, &text, LW_JSON_COMPACT);
    write_head(&w, "authentication.k8s.io/v1", "TokenRequest", ns, service_account);
    lw_json_write_key(&w, LW_STR("spec"));
    lw_json_write_object_begin(&w);
    lw_json_write_key(&w, LW_STR("audiences"));
    lw_json_write_array_begin(&w);
    for (const char *const *audience = o.audiences; audience && *audience; audience++)
        lw_json_write_string(&w, lw_str_of(*audience));
    lw_json_write_array_end(&w);
    if (o.expiration_s > 0)
        lw_json_write_member_int(&w, "expirationSeconds", o.expiration_s);
    lw_json_write_object_end(&w);
    lw_json_write_object_end(&w);
    return post_take(client, lw_gvr_make("", "v1", "serviceaccounts"), ns, service_account, "token",
                     &text, out, err);
}
