/* SPDX-License-Identifier: Apache-2.0 */
/* async_start.c -- starts asynchronous requests, and turns their ends into results. */
#include "base/error.h"
#include "base/options.h"
#include "client/async_internal.h"
#include "client/call.h"
#include "client/raw.h"
#include "object/object_list.h"

static void on_fail(const lw_error *err, void *arg)
{
    lw_request *request = arg;
    request->call = NULL;
    lw_request__end(request, err, &(lw_result){ .st = LW_OK });
}

/* One object. */

static void on_body(lw_str body, void *arg)
{
    lw_request *request = arg;
    lw_error err = LW_ERROR_INIT;
    lw_object *obj = NULL;
    request->call = NULL;
    lw_status st = lw_object_from_json(&obj, body.ptr ? body.ptr : "", body.len, &err);
    lw_result result = { .object = obj };
    lw_request__end(request, st < 0 ? &err : NULL, &result);
    lw_object_unref(obj);
}

/* Starts |p|, unless preparing it has failed with |st|, and is done with it. */
static lw_status start(lw_async *async, lw_prepared *p, lw_status st, lw_result_fn on_result,
                       void *arg, lw_request **out, lw_error *err)
{
    lw_request *request = NULL;
    if (st == LW_OK)
        st = lw_request__new(&request, async, on_result, arg, err);
    if (st == LW_OK) {
        const lw_source_sink sink = { .on_fail = on_fail, .arg = request };
        st = lw_client__start(async->session, p, on_body, &sink, &request->call, err);
        st = lw_request__started(request, st, out);
    }
    lw_prepared_done(p);
    return st;
}

lw_status lw_async_get(lw_async *async, lw_gvr gvr, const char *ns, const char *name,
                       const lw_get_options *options, lw_result_fn on_result, void *arg,
                       lw_request **out, lw_error *err)
{
    lw_prepared p;
    lw_status st = lw_prepare_get(&p, async->client, gvr, ns, name, options, err);
    return start(async, &p, st, on_result, arg, out, err);
}

lw_status lw_async_create(lw_async *async, lw_gvr gvr, const lw_object *obj,
                          const lw_create_options *options, lw_result_fn on_result, void *arg,
                          lw_request **out, lw_error *err)
{
    lw_prepared p;
    lw_status st = lw_prepare_create(&p, async->client, gvr, obj, options, err);
    return start(async, &p, st, on_result, arg, out, err);
}

lw_status lw_async_update(lw_async *async, lw_gvr gvr, const lw_object *obj,
                          const lw_update_options *options, lw_result_fn on_result, void *arg,
                          lw_request **out, lw_error *err)
{
    lw_prepared p;
    lw_status st = lw_prepare_update(&p, async->client, gvr, obj, options, err);
    return start(async, &p, st, on_result, arg, out, err);
}

lw_status lw_async_patch(lw_async *async, lw_gvr gvr, const char *ns, const char *name,
                         lw_str patch, const lw_patch_options *options, lw_result_fn on_result,
                         void *arg, lw_request **out, lw_error *err)
{
    lw_prepared p;
    lw_status st = lw_prepare_patch(&p, async->client, gvr, ns, name, patch, options, err);
    return start(async, &p, st, on_result, arg, out, err);
}

lw_status lw_async_apply(lw_async *async, lw_gvr gvr, const char *ns, const char *name,
                         lw_str configuration, const lw_apply_options *options,
                         lw_result_fn on_result, void *arg, lw_request **out, lw_error *err)
{
    lw_prepared p;
    lw_status st = lw_prepare_apply(&p, async->client, gvr, ns, name, configuration, options, err);
    return start(async, &p, st, on_result, arg, out, err);
}

lw_status lw_async_delete(lw_async *async, lw_gvr gvr, const char *ns, const char *name,
                          const lw_delete_options *options, lw_result_fn on_result, void *arg,
                          lw_request **out, lw_error *err)
{
    lw_prepared p;
    lw_status st = lw_prepare_delete(&p, async->client, gvr, ns, name, options, err);
    return start(async, &p, st, on_result, arg, out, err);
}

lw_status lw_async_delete_collection(lw_async *async, lw_gvr gvr, const lw_list_options *which,
                                     const lw_delete_options *options, lw_result_fn on_result,
                                     void *arg, lw_request **out, lw_error *err)
{
    lw_prepared p;
    lw_status st = lw_prepare_delete_collection(&p, async->client, gvr, which, options, err);
    return start(async, &p, st, on_result, arg, out, err);
}

/* One page of a list. */

static void list_on_object(const lw_object *obj, void *arg)
{
    lw_request *request = arg;
    lw_error err = LW_ERROR_INIT;
    if (lw_object_list__collect(obj, request->list, &err) == LW_OK)
        return;
    lw_session_cancel(request->call);
    request->call = NULL;
    lw_request__end(request, &err, &(lw_result){ .st = LW_OK });
}

static void list_on_end(const lw_list_metadata *metadata, void *arg)
{
    lw_request *request = arg;
    lw_error err = LW_ERROR_INIT;
    lw_result result = { .list = request->list };
    request->call = NULL;
    bool is_set = lw_object_list__set_metadata(request->list, metadata) == LW_OK;
    if (!is_set)
        (void)lw_error_nomem(&err);
    lw_request__end(request, is_set ? NULL : &err, &result);
}

lw_status lw_async_list(lw_async *async, lw_gvr gvr, const lw_list_options *options,
                        lw_result_fn on_result, void *arg, lw_request **out, lw_error *err)
{
    lw_list_options o = LW_LIST_OPTIONS_INIT;
    lw_request *request = NULL;
    lw_status st = lw_options_read(&o, sizeof(o), options, "lw_list_options", err);
    if (st == LW_OK)
        st = lw_request__new(&request, async, on_result, arg, err);
    if (st < 0)
        return st;
    const lw_source_sink sink = {
        .on_object = list_on_object, .on_list_end = list_on_end, .on_fail = on_fail, .arg = request
    };
    if (lw_object_list_new(&request->list, 0) < 0)
        st = lw_error_nomem(err);
    if (st == LW_OK)
        st = lw_session_list(async->session, gvr, &o, &sink, &request->call, err);
    return lw_request__started(request, st, out);
}

/* Raw requests. */

static lw_status raw_on_bytes(const char *bytes, size_t len, void *arg)
{
    lw_request *request = arg;
    return request->on_bytes(bytes, len, request->bytes_arg);
}

static void raw_on_reply(lw_response *reply, void *arg)
{
    lw_request *request = arg;
    lw_result result = { .response = reply };
    request->call = NULL;
    lw_request__end(request, NULL, &result);
    lw_response_free(reply);
}

lw_status lw_async_raw(lw_async *async, const char *method, const char *path,
                       const lw_raw_options *options, lw_result_fn on_result, void *arg,
                       lw_request **out, lw_error *err)
{
    lw_raw_options o = LW_RAW_OPTIONS_INIT;
    lw_request *request = NULL;
    lw_status st = lw_options_read(&o, sizeof(o), options, "lw_raw_options", err);
    if (st == LW_OK)
        st = lw_request__new(&request, async, on_result, arg, err);
    if (st < 0)
        return st;
    request->on_bytes = o.on_bytes;
    request->bytes_arg = o.arg;
    const lw_raw_sink sink = { raw_on_bytes, raw_on_reply, on_fail, request };
    st = lw_raw__start(async->session, method, path, &o, &sink, &request->call, err);
    return lw_request__started(request, st, out);
}

/* Resources. */

static void find_on_done(const lw_resource *resource, const lw_error *err, void *arg)
{
    lw_request *request = arg;
    lw_result result = { .resource = resource };
    request->find = NULL;
    lw_request__end(request, err, &result);
}

lw_status lw_async_find_resource(lw_async *async, const char *name, lw_result_fn on_result,
                                 void *arg, lw_request **out, lw_error *err)
{
    lw_request *request = NULL;
    lw_status st = lw_request__new(&request, async, on_result, arg, err);
    if (st < 0)
        return st;
    st = lw_session_find_resource(async->session, name, find_on_done, request, &request->find, err);
    return lw_request__started(request, st, out);
}
