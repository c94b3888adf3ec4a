/* SPDX-License-Identifier: Apache-2.0 */
/* forward.c -- starts connections to ports of pods; stream_open.c says why by this protocol. */
#include <stdio.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "client/request.h"
#include "client/stream/stream_internal.h"

enum {
    ACTION_SIZE = 32,
    PORT_SIZE = 8,
};

static lw_status make_target(lw_stream *stream, const char *ns, const char *pod, lw_error *err)
{
    const lw_api_path path = { lw_gvr_make("", "v1", "pods"), lw_str_of(ns), lw_str_of(pod),
                               LW_STR("portforward") };
    char port[PORT_SIZE];
    bool has_query = false;
    lw_buf target;
    (void)snprintf(port, sizeof(port), "%u", stream->port);
    lw_buf_init(&target, LW_REQUEST_TARGET_MAX);
    lw_status st = lw_request_append_path(&target, &path, err);
    if (st == LW_OK) {
        lw_request_append_query(&target, &has_query, "ports", lw_str_of(port));
        st = lw_request_target_status(&target, err);
    }
    stream->target = st == LW_OK ? lw_buf_take_text(&target) : NULL;
    lw_buf_done(&target);
    if (st == LW_OK && !stream->target)
        st = lw_error_nomem(err);
    return st;
}

lw_status lw_stream__start_forward(lw_session *session, const char *ns, const char *pod,
                                   unsigned port, int fd, bool owns_fd,
                                   const lw_stream_options *options, lw_stream **out, lw_error *err)
{
    lw_stream *stream = NULL;
    char action[ACTION_SIZE];
    if (port == 0 || port > UINT16_MAX)
        return lw_error_set(err, LW_ERR_INVALID, "%u is not a valid port", port);
    (void)snprintf(action, sizeof(action), "port %u of", port);
    lw_status st = lw_stream__new(&stream, session, action, ns, pod, options, err);
    if (st < 0)
        return st;
    stream->is_forward = true;
    stream->port = port;
    stream->options.container = NULL;
    st = make_target(stream, ns, pod, err);
    if (st == LW_OK && fd >= 0)
        st = lw_stream_pump_new(&stream->pump, stream, fd, owns_fd, err);
    if (st == LW_OK)
        st = lw_stream__ask(stream, err);
    if (st < 0 && stream->pump)
        lw_stream_pump_disown(stream->pump);
    return lw_stream__started(stream, st, out);
}
