/* SPDX-License-Identifier: Apache-2.0 */
/* listwatch_client.c -- the source of objects from an API server: a session of the client with the
 * interface of a source.
 *
 *   call:  FINDING ─found─▶ ASKING ─▶ end
 *             └── not found, no response ──▶ end
 *
 * A source is opened with a name as a user types it.  Its first call finds the resource by
 * discovery, and does so again after a 404: custom resources are deleted and created again, maybe
 * in other versions.  One thread at a time. */
#include "informer/listwatch_client.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "client/session.h"
#include "informer/source_spec.h"

typedef struct client_provider {
    lw_provider base;
    lw_client *client;
    lw_session *session;
    bool is_json_only;
} client_provider;

typedef struct client_source {
    lw_source base;
    client_provider *provider;
    lw_source_spec spec;
    lw_resource resource; /* if |is_found| */
    bool is_found;
    bool is_doubted; /* the cached result of discovery is wrong: the server returned 404 */
    bool needs_json; /* the server has fields that only its JSON can tell us */
    char cluster[LW_SESSION_CLUSTER_MAX + 1]; /* of the last response; empty: not known */
} client_source;

/* A list or watch in progress. */
typedef struct client_call {
    client_source *source;
    lw_source_sink sink;
    bool is_watch;
    bool is_protobuf;
    bool is_noted;             /* what the response says about the cluster */
    lw_source_request request; /* the call owns its strings */
    lw_session_find *find;     /* FINDING */
    lw_session_call *call;     /* ASKING */
} client_call;

static void call_free(client_call *call)
{
    lw_free((char *)(uintptr_t)call->request.resource_version);
    lw_free((char *)(uintptr_t)call->request.resource_version_match);
    lw_free((char *)(uintptr_t)call->request.continue_token);
    lw_free(call);
}

/* Ends: the call is freed before its user is called. */

static void on_fail(const lw_error *err, void *arg)
{
    client_call *call = arg;
    client_source *source = call->source;
    lw_source_sink sink = call->sink;
    if (err && err->code == LW_ERR_NOT_FOUND) {
        source->is_doubted = source->is_doubted || source->is_found;
        source->is_found = false;
    }
    lw_error retry;
    if (err && err->code == LW_ERR_UNSUPPORTED && call->is_protobuf) {
        source->needs_json = true;
        (void)lw_error_set(&retry, LW_ERR_UNAVAILABLE,
                           "%s; %s are read as JSON from now on, which costs more", err->message,
                           source->spec.resource);
        err = &retry;
    }
    call_free(call);
    sink.on_fail(err, sink.arg);
}

static void note_cluster(client_call *call)
{
    call->is_noted = true;
    (void)snprintf(call->source->cluster, sizeof(call->source->cluster), "%s",
                   lw_session_call_cluster(call->call));
}

static void on_list_end(const lw_list_metadata *metadata, void *arg)
{
    client_call *call = arg;
    lw_source_sink sink = call->sink;
    call_free(call);
    sink.on_list_end(metadata, sink.arg);
}

static void on_object(const lw_object *obj, void *arg)
{
    client_call *call = arg;
    if (!call->is_noted)
        note_cluster(call);
    call->sink.on_object(obj, call->sink.arg);
}

static void on_open(void *arg)
{
    client_call *call = arg;
    note_cluster(call);
    call->sink.on_open(call->sink.arg);
}

static void on_event(const lw_watch_event *event, void *arg)
{
    client_call *call = arg;
    call->sink.on_event(event, call->sink.arg);
}

/* Sends the request of |call|, after the resource was found. */
static lw_status ask(client_call *call, lw_error *err)
{
    /* By is_watch, then by is_protobuf. */
    static lw_status (*const start[2][2])(lw_session *, lw_gvr, const lw_list_options *,
                                          const lw_source_sink *, lw_session_call **,
                                          lw_error *) = {
        { lw_session_list, lw_session_list_protobuf },
        { lw_session_watch, lw_session_watch_protobuf },
    };
    const client_source *source = call->source;
    const lw_source_request *request = &call->request;
    const lw_source_sink sink = { .on_object = on_object,
                                  .on_list_end = on_list_end,
                                  .on_open = on_open,
                                  .on_event = on_event,
                                  .on_fail = on_fail,
                                  .arg = call };
    const lw_list_options options = {
        /* Cluster-scoped resources ignore the namespace of the factory. */
        .ns = source->resource.is_namespaced && source->spec.ns[0] ? source->spec.ns : NULL,
        .label_selector = source->spec.label_selector,
        .field_selector = source->spec.field_selector,
        .resource_version = request->resource_version,
        .resource_version_match = request->resource_version_match,
        .limit = request->limit,
        .continue_token = request->continue_token,
        .timeout_s = request->timeout_s,
        .allows_bookmarks = request->allows_bookmarks,
        .sends_initial_events = request->sends_initial_events,
        .is_metadata_only = source->spec.is_metadata_only,
        .read = source->spec.read,
    };
    call->is_protobuf = !source->provider->is_json_only && !source->needs_json &&
                        lw_session_has_protobuf(&source->resource, &options);
    return start[call->is_watch][call->is_protobuf](source->provider->session, source->resource.gvr,
                                                    &options, &sink, &call->call, err);
}

static void on_found(const lw_resource *resource, const lw_error *err, void *arg)
{
    client_call *call = arg;
    lw_error failure = LW_ERROR_INIT;
    call->find = NULL;
    if (!resource) {
        on_fail(err, call);
        return;
    }
    call->source->resource = *resource;
    call->source->is_found = true;
    call->source->is_doubted = false;
    lw_status st = ask(call, &failure);
    if (st < 0) {
        failure.code = st;
        on_fail(&failure, call);
    }
}

/* Calls. */

static lw_status copy_request(lw_source_request *out, const lw_source_request *request)
{
    *out = *request;
    out->resource_version = lw_str_dup(lw_str_of(request->resource_version));
    out->resource_version_match = lw_str_dup(lw_str_of(request->resource_version_match));
    out->continue_token = lw_str_dup(lw_str_of(request->continue_token));
    bool is_whole = out->resource_version && out->resource_version_match && out->continue_token;
    return is_whole ? LW_OK : LW_ERR_NOMEM;
}

static lw_status begin(lw_source *base, const lw_source_request *request,
                       const lw_source_sink *sink, bool is_watch, lw_source_call **out,
                       lw_error *err)
{
    client_source *source = (client_source *)(void *)base;
    client_call *call = lw_alloc_zero(1, sizeof(*call));
    if (!call)
        return lw_error_nomem(err);
    call->source = source;
    call->sink = *sink;
    call->is_watch = is_watch;
    lw_status st = copy_request(&call->request, request);
    if (st < 0)
        (void)lw_error_nomem(err);
    else if (source->is_found)
        st = ask(call, err);
    else
        st = (source->is_doubted ? lw_session_find_resource_anew
                                 : lw_session_find_resource)(source->provider->session,
                                                             source->spec.resource, on_found, call,
                                                             &call->find, err);
    if (st < 0) {
        call_free(call);
        return st;
    }
    *out = (lw_source_call *)(void *)call;
    return LW_OK;
}

static lw_status source_list(lw_source *source, const lw_source_request *request,
                             const lw_source_sink *sink, lw_source_call **out, lw_error *err)
{
    return begin(source, request, sink, false, out, err);
}

static lw_status source_watch(lw_source *source, const lw_source_request *request,
                              const lw_source_sink *sink, lw_source_call **out, lw_error *err)
{
    return begin(source, request, sink, true, out, err);
}

static void source_cancel(lw_source *source, lw_source_call *opaque)
{
    client_call *call = (client_call *)(void *)opaque;
    (void)source;
    if (call->find)
        lw_session_find_cancel(call->find);
    if (call->call)
        lw_session_cancel(call->call);
    call_free(call);
}

static void source_free(lw_source *base)
{
    client_source *source = (client_source *)(void *)base;
    lw_source_spec_done(&source->spec);
    lw_free(source);
}

/* The provider. */

static lw_status provider_open(lw_provider *base, const lw_source_spec *spec, lw_source **out,
                               lw_error *err)
{
    static const lw_source_ops ops = { source_list, source_watch, source_cancel, source_free };
    client_source *source = lw_alloc_zero(1, sizeof(*source));
    if (!source)
        return lw_error_nomem(err);
    source->base.ops = &ops;
    source->provider = (client_provider *)(void *)base;
    if (lw_source_spec_copy(&source->spec, spec) < 0) {
        lw_free(source);
        return lw_error_nomem(err);
    }
    *out = &source->base;
    return LW_OK;
}

static int provider_fd(lw_provider *base)
{
    return lw_session_fd(((client_provider *)(void *)base)->session);
}

static int provider_timeout_ms(lw_provider *base)
{
    return lw_session_timeout_ms(((client_provider *)(void *)base)->session);
}

static lw_status provider_dispatch(lw_provider *base, lw_error *err)
{
    (void)err;
    lw_session_dispatch(((client_provider *)(void *)base)->session);
    return LW_OK;
}

static void provider_free(lw_provider *base)
{
    client_provider *provider = (client_provider *)(void *)base;
    lw_session_free(provider->session);
    lw_client_unref(provider->client);
    lw_free(provider);
}

static bool provider_type(lw_provider *base, const lw_source *opaque, lw_source_type *out)
{
    const client_source *source = (const client_source *)(const void *)opaque;
    (void)base;
    if (!source->is_found)
        return false;
    *out = (lw_source_type){ source->resource.gvr.group, source->resource.kind,
                             source->resource.is_namespaced };
    return true;
}

static lw_status provider_identity(lw_provider *base, char *dst, size_t size, lw_error *err)
{
    return lw_session_identity(((client_provider *)(void *)base)->session, dst, size, err);
}

static void provider_cluster(lw_provider *base, const lw_source *source, char *dst, size_t size)
{
    (void)base;
    (void)snprintf(dst, size, "%s", ((const client_source *)(const void *)source)->cluster);
}

lw_status lw_client_provider_new(lw_provider **out, lw_client *client, const char *encoding,
                                 lw_error *err)
{
    static const lw_provider_ops ops = { .open = provider_open,
                                         .fd = provider_fd,
                                         .timeout_ms = provider_timeout_ms,
                                         .dispatch = provider_dispatch,
                                         .free = provider_free,
                                         .type = provider_type,
                                         .identity = provider_identity,
                                         .cluster = provider_cluster };
    bool is_json_only = encoding && strcmp(encoding, "json") == 0;
    if (encoding && !is_json_only && strcmp(encoding, "protobuf") != 0)
        return lw_error_set(err, LW_ERR_INVALID,
                            "\"%s\" is not an encoding; use \"protobuf\" or \"json\"", encoding);
    client_provider *provider = lw_alloc_zero(1, sizeof(*provider));
    if (!provider)
        return lw_error_nomem(err);
    provider->base.ops = &ops;
    provider->is_json_only = is_json_only;
    lw_status st = lw_session_new(&provider->session, client, err);
    if (st < 0) {
        lw_free(provider);
        return st;
    }
    provider->client = lw_client_ref(client);
    *out = &provider->base;
    return LW_OK;
}
