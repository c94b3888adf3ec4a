/* SPDX-License-Identifier: Apache-2.0 */
/* lane.c -- a transport with the credentials of a client, and the three requests it is used for. */
#include "client/lane.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "client/lane_parts.h"
#include "client/request.h"

static lw_status lane_new(lw_lane **out, lw_client *client, lw_error *err)
{
    const lw_transport_options options = {
        .keepalive_s = client->options.keepalive_s,
        .keepalive_reply_s = client->options.keepalive_reply_s,
        .clock = client->clock,
    };
    lw_lane *lane = lw_alloc_zero(1, sizeof(*lane));
    if (!lane)
        return lw_error_nomem(err);
    lane->client = client;
    lw_credentials_init(&lane->credentials);
    lw_list_init(&lane->calls);
    lw_list_init(&lane->finds);
    lw_status st = lw_transport_new(&lane->transport, &options, err);
    if (st < 0) {
        lw_lane_free(lane);
        return st;
    }
    *out = lane;
    return LW_OK;
}

lw_status lw_lane__new_pooled(lw_lane **out, lw_client *client, lw_error *err)
{
    return lane_new(out, client, err);
}

lw_status lw_lane_new(lw_lane **out, lw_client *client, lw_error *err)
{
    lw_status st = lane_new(out, client, err);
    if (st < 0)
        return st;
    (void)lw_client_ref(client);
    (*out)->owns_client = true;
    return LW_OK;
}

void lw_lane_free(lw_lane *lane)
{
    if (!lane)
        return;
    lw_lane__drop_finds(lane);
    lw_discovery_free(lane->discovery);
    lw_lane__drop_calls(lane);
    lw_transport_free(lane->transport);
    lw_credentials_done(&lane->credentials);
    if (lane->owns_client)
        lw_client_unref(lane->client);
    lw_free(lane);
}

static lw_status lane_set_endpoint(lw_lane *lane, lw_error *err)
{
    const lw_config_endpoint *config = lw_config_get_endpoint(lane->client->config);
    lw_transport_endpoint endpoint = {
        .server = config->server,
        .tls_server_name = config->tls_server_name,
        .proxy_url = config->proxy_url,
        .ca_pem = lw_buf_view(&lane->credentials.ca_pem),
        .cert_pem = lw_buf_view(&lane->credentials.cert_pem),
        .key_pem = lw_buf_view(&lane->credentials.key_pem),
        .is_insecure = config->is_insecure,
    };
    lw_status st = lw_transport_set_endpoint(lane->transport, &endpoint, err);
    if (st < 0)
        return st;
    lane->has_endpoint = true;
    lane->tls_generation = lane->credentials.tls_generation;
    return LW_OK;
}

lw_status lw_lane__refresh(lw_lane *lane, lw_error *err)
{
    lw_client *client = lane->client;
    lw_status st = lw_config_credentials(client->config, client->clock, &lane->credentials, err);
    if (st < 0)
        return st;
    if (lane->has_endpoint && lane->tls_generation == lane->credentials.tls_generation)
        return LW_OK;
    return lane_set_endpoint(lane, err);
}

int lw_lane_fd(const lw_lane *lane)
{
    return lw_transport_fd(lane->transport);
}

int lw_lane_timeout_ms(const lw_lane *lane)
{
    return lw_lane__has_answers(lane) ? 0 : lw_transport_timeout_ms(lane->transport);
}

void lw_lane_dispatch(lw_lane *lane)
{
    lw_transport_dispatch(lane->transport);
    lw_lane__answer_finds(lane);
}

uint64_t lw_lane_bytes(const lw_lane *lane)
{
    lw_transport_stats stats;
    lw_transport_read_stats(lane->transport, &stats);
    return stats.bytes_in;
}

/* Starts |request| with the target that |buf| has become, and is done with |buf|. */
static lw_status lane_start_at(lw_lane *lane, lw_buf *buf, lw_lane_request *request,
                               const lw_lane_sink *sink, lw_lane_call **out, lw_error *err)
{
    char *target = lw_buf_take_text(buf);
    lw_buf_done(buf);
    if (!target)
        return lw_error_nomem(err);
    request->target = target;
    lw_status st = lw_lane__start(lane, request, sink, out, err);
    lw_free(target);
    return st;
}

lw_status lw_lane_list(lw_lane *lane, lw_gvr gvr, const lw_list_options *options,
                       const lw_lane_sink *sink, lw_lane_call **out, lw_error *err)
{
    lw_lane_request request = {
        .kind = LW_LANE_LIST,
        .method = "GET",
        .accept = options->is_metadata_only ? lw_accept_metadata_list : lw_accept_json,
        /* However long a list takes, something has to come. */
        .idle_timeout_s = lane->client->options.timeout_s,
        .read = &options->read,
    };
    lw_buf target;
    lw_buf_init(&target, LW_REQUEST_TARGET_MAX);
    lw_status st = lw_request_append_list(&target, gvr, options, err);
    if (st < 0) {
        lw_buf_done(&target);
        return st;
    }
    return lane_start_at(lane, &target, &request, sink, out, err);
}

lw_status lw_lane_watch(lw_lane *lane, lw_gvr gvr, const lw_list_options *options,
                        const lw_lane_sink *sink, lw_lane_call **out, lw_error *err)
{
    lw_lane_request request = {
        .kind = LW_LANE_WATCH,
        .method = "GET",
        .accept = options->is_metadata_only ? lw_accept_metadata : lw_accept_json,
        /* A quiet watch is no dead one: its connection is probed by the transport. */
        .timeout_s = options->timeout_s > 0 ? options->timeout_s + LW_LANE_WATCH_GRACE_S : 0,
        .read = &options->read,
    };
    lw_buf target;
    lw_buf_init(&target, LW_REQUEST_TARGET_MAX);
    lw_status st = lw_request_append_watch(&target, gvr, options, err);
    if (st < 0) {
        lw_buf_done(&target);
        return st;
    }
    return lane_start_at(lane, &target, &request, sink, out, err);
}

lw_status lw_lane_send(lw_lane *lane, const char *method, const char *target,
                       const char *content_type, lw_str body, const lw_lane_sink *sink,
                       lw_lane_call **out, lw_error *err)
{
    lw_lane_request request = {
        .kind = LW_LANE_PLAIN,
        .method = method,
        .target = target,
        .accept = lw_accept_json,
        .content_type = content_type,
        .body = body,
        .timeout_s = lane->client->options.timeout_s,
    };
    return lw_lane__start(lane, &request, sink, out, err);
}
