/* SPDX-License-Identifier: Apache-2.0 */
/* session.c -- a transport with the credentials of a client, and its lists and watches. */
#include "client/session.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/crc32c.h"
#include "base/error.h"
#include "base/str.h"
#include "client/request.h"
#include "client/session_internal.h"
#include "object/gvk.h"
#include "schema/message/message.h"

enum {
    API_VERSION_MAX = 512, /* bytes of an apiVersion of a built-in kind; they are shorter */
};

static lw_status session_new(lw_session **out, lw_client *client, lw_error *err)
{
    const lw_transport_options options = {
        .connect_timeout_s = client->options.connect_timeout_s,
        .keepalive_s = client->options.keepalive_s,
        .keepalive_reply_s = client->options.keepalive_reply_s,
        .clock = client->clock,
    };
    lw_session *session = lw_alloc_zero(1, sizeof(*session));
    if (!session)
        return lw_error_nomem(err);
    session->client = client;
    lw_credentials_init(&session->credentials);
    lw_dlist_init(&session->calls);
    lw_dlist_init(&session->finds);
    lw_dlist_init(&session->streams);
    lw_session__init_waiting(session);
    session->cancel = (lw_cancel)LW_CANCEL_NONE;
    lw_status st = lw_cancel_init(&session->cancel, err);
    if (st == LW_OK)
        st = lw_transport_new(&session->transport, &options, err);
    if (st < 0) {
        lw_session_free(session);
        return st;
    }
    *out = session;
    return LW_OK;
}

lw_status lw_session__new_pooled(lw_session **out, lw_client *client, lw_error *err)
{
    lw_status st = session_new(out, client, err);
    if (st == LW_OK)
        (*out)->is_direct = true;
    return st;
}

lw_status lw_session_new(lw_session **out, lw_client *client, lw_error *err)
{
    lw_status st = session_new(out, client, err);
    if (st < 0)
        return st;
    (void)lw_client_ref(client);
    (*out)->owns_client = true;
    return LW_OK;
}

void lw_session_free(lw_session *session)
{
    if (!session)
        return;
    lw_session__end_streams(session, NULL);
    lw_session__drop_finds(session);
    lw_discovery_free(session->discovery);
    lw_session__drop_calls(session);
    lw_heap_done(&session->waiting);
    lw_transport_free(session->transport);
    lw_credentials_done(&session->credentials);
    lw_cancel_done(&session->cancel);
    if (session->owns_client)
        lw_client_unref(session->client);
    lw_free(session);
}

void lw_session__end_streams(lw_session *session, const lw_error *err)
{
    for (size_t left = session->stream_count; left > 0 && !lw_dlist_is_empty(&session->streams);
         left--) {
        lw_session_stream *stream =
            LW_DLIST_ITEM(lw_dlist_first(&session->streams), lw_session_stream, node);
        stream->end(stream, err);
    }
}

static lw_status session_set_endpoint(lw_session *session, lw_error *err)
{
    const lw_config_endpoint *config = lw_config_get_endpoint(session->client->config);
    lw_transport_endpoint endpoint = {
        .server = config->server,
        .tls_server_name = config->tls_server_name,
        .proxy_url = session->client->proxy_url ? session->client->proxy_url : config->proxy_url,
        .ca_pem = lw_buf_view(&session->credentials.ca_pem),
        .cert_pem = lw_buf_view(&session->credentials.cert_pem),
        .key_pem = lw_buf_view(&session->credentials.key_pem),
        .is_insecure = config->is_insecure,
    };
    lw_status st = lw_transport_set_endpoint(session->transport, &endpoint, err);
    if (st < 0)
        return st;
    session->has_endpoint = true;
    session->tls_generation = session->credentials.tls_generation;
    return LW_OK;
}

lw_status lw_session__refresh(lw_session *session, lw_error *err)
{
    lw_client *client = session->client;
    lw_cancel_scope scope; /* for a plugin that is running */
    lw_cancel_enter(&scope, &session->cancel);
    lw_status st = lw_config_credentials(client->config, client->clock, &session->credentials, err);
    lw_cancel_leave(&scope);
    if (st < 0)
        return st;
    if (session->has_endpoint && session->tls_generation == session->credentials.tls_generation)
        return LW_OK;
    return session_set_endpoint(session, err);
}

lw_status lw_session_identity(lw_session *session, char *dst, size_t size, lw_error *err)
{
    lw_status st = lw_session__refresh(session, err);
    if (st < 0)
        return st;
    lw_str ca = lw_buf_view(&session->credentials.ca_pem);
    (void)snprintf(dst, size, "%s ca=%08" PRIx32, lw_config_server(session->client->config),
                   lw_crc32c(0, ca.ptr, ca.len));
    return LW_OK;
}

int lw_session_fd(const lw_session *session)
{
    return lw_transport_fd(session->transport);
}

int lw_session_timeout_ms(const lw_session *session)
{
    int timeout_ms = lw_transport_timeout_ms(session->transport);
    int64_t due_ns = lw_session__until_due_ns(session);
    if (lw_session__has_answers(session))
        return 0;
    if (due_ns == LW_NEVER_NS)
        return timeout_ms;
    int64_t due_ms = (due_ns + LW_NS_PER_MS - 1) / LW_NS_PER_MS;
    if (timeout_ms >= 0 && timeout_ms < due_ms)
        return timeout_ms;
    return due_ms < INT_MAX ? (int)due_ms : INT_MAX;
}

void lw_session_dispatch(lw_session *session)
{
    lw_transport_dispatch(session->transport);
    lw_session__send_due(session);
    lw_session__answer_finds(session);
}

/* Starts |request| with the target that |buf| has become, and is done with |buf|. */
static lw_status session_start_at(lw_session *session, lw_buf *buf, lw_session_request *request,
                                  const lw_source_sink *sink, lw_session_call **out, lw_error *err)
{
    char *target = lw_buf_take_text(buf);
    lw_buf_done(buf);
    if (!target)
        return lw_error_nomem(err);
    request->target = target;
    lw_status st = lw_session__start(session, request, sink, out, err);
    lw_free(target);
    return st;
}

bool lw_session_has_protobuf(const lw_resource *resource, const lw_list_options *options)
{
    char room[API_VERSION_MAX];
    lw_buf version = { .data = room, .cap = sizeof(room), .limit = sizeof(room) };
    if (options->is_metadata_only || options->read.drop || options->read.keep)
        return false;
    lw_api_version_append(&version, resource->gvr.group, resource->gvr.version);
    return version.st == LW_OK && lw_message_has_kind(lw_buf_view(&version), resource->kind);
}

static lw_status session_list(lw_session *session, lw_gvr gvr, const lw_list_options *options,
                              bool accepts_protobuf, const lw_source_sink *sink,
                              lw_session_call **out, lw_error *err)
{
    lw_session_request request = {
        .kind = LW_SESSION_LIST,
        .method = "GET",
        .accept = options->is_metadata_only ? lw_accept_metadata_list
                  : accepts_protobuf        ? lw_accept_protobuf
                                            : lw_accept_json,
        .accepts_protobuf = accepts_protobuf,
        /* A list may take long, but bytes must arrive. */
        .idle_timeout_s = session->client->options.timeout_s,
        .read = &options->read,
    };
    lw_buf target;
    lw_buf_init(&target, LW_REQUEST_TARGET_MAX);
    lw_status st = lw_request_append_list(&target, gvr, options, err);
    if (st < 0) {
        lw_buf_done(&target);
        return st;
    }
    return session_start_at(session, &target, &request, sink, out, err);
}

static lw_status session_watch(lw_session *session, lw_gvr gvr, const lw_list_options *options,
                               bool accepts_protobuf, const lw_source_sink *sink,
                               lw_session_call **out, lw_error *err)
{
    lw_session_request request = {
        .kind = LW_SESSION_WATCH,
        .method = "GET",
        .accept = options->is_metadata_only ? lw_accept_metadata
                  : accepts_protobuf        ? lw_accept_protobuf_watch
                                            : lw_accept_json,
        .accepts_protobuf = accepts_protobuf,
        /* A watch without events is not dead: the transport probes its connection. */
        .timeout_ms = options->timeout_s > 0
                          ? ((int64_t)options->timeout_s + LW_SESSION_WATCH_GRACE_S) * 1000
                          : 0,
        .read = &options->read,
    };
    lw_buf target;
    lw_buf_init(&target, LW_REQUEST_TARGET_MAX);
    lw_status st = lw_request_append_watch(&target, gvr, options, err);
    if (st < 0) {
        lw_buf_done(&target);
        return st;
    }
    return session_start_at(session, &target, &request, sink, out, err);
}

lw_status lw_session_list(lw_session *session, lw_gvr gvr, const lw_list_options *options,
                          const lw_source_sink *sink, lw_session_call **out, lw_error *err)
{
    return session_list(session, gvr, options, false, sink, out, err);
}

lw_status lw_session_list_protobuf(lw_session *session, lw_gvr gvr, const lw_list_options *options,
                                   const lw_source_sink *sink, lw_session_call **out, lw_error *err)
{
    return session_list(session, gvr, options, true, sink, out, err);
}

lw_status lw_session_watch(lw_session *session, lw_gvr gvr, const lw_list_options *options,
                           const lw_source_sink *sink, lw_session_call **out, lw_error *err)
{
    return session_watch(session, gvr, options, false, sink, out, err);
}

lw_status lw_session_watch_protobuf(lw_session *session, lw_gvr gvr, const lw_list_options *options,
                                    const lw_source_sink *sink, lw_session_call **out,
                                    lw_error *err)
{
    return session_watch(session, gvr, options, true, sink, out, err);
}
