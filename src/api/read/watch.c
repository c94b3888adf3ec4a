/* SPDX-License-Identifier: Apache-2.0 */
/* watch.c -- GET with ?watch: from which state the watch starts, and what it says first; how
 * it goes on is watch_stream.c's. */
#include "api/http/call.h"
#include "api/read/read.h"

#include "api/http/failures.h"
#include "api/http/list_options.h"
#include "api/http/reply.h"
#include "api/http/wait.h"
#include "api/read/watch_stream.h"
#include "base/alloc.h"
#include "base/str.h"
#include "cache/feed.h"

enum {
    MESSAGE_MAX = 256 * 1024,
};

typedef struct watch_setup {
    lw_call_wait wait; /* holds the call */
    lw_api_list_options options;
    lw_watch_request request;
    uint64_t revision; /* asked for; 0: none */
} watch_setup;

static void setup_free(watch_setup *setup)
{
    lw_api_list_options_done(&setup->options);
    lw_free(setup);
}

/* What the watch begins with.  A watch that names no state gets one: so it always was, and since
 * Kubernetes 1.34 it is as if it had asked for it. */
static void choose_start(watch_setup *setup)
{
    bool has_initial = setup->options.initial_events == LW_YES ||
                       (setup->options.initial_events == LW_UNSET && setup->revision == 0);
    if (has_initial) {
        setup->request.start = LW_WATCH_START_STATE;
        setup->request.ends_initial_events = setup->options.allows_bookmarks;
    } else if (setup->revision == 0) {
        setup->request.start = LW_WATCH_START_NOW;
    } else {
        setup->request.start = LW_WATCH_START_AFTER;
        setup->request.after = setup->revision;
    }
}

static void wait_over(lw_call_wait *wait, lw_wait_outcome outcome)
{
    watch_setup *setup = (watch_setup *)(void *)wait;
    lw_api_call *call = wait->call;
    lw_api_status status;
    switch (outcome) {
    case LW_WAIT_REACHED: lw_watch_stream_start(call, &setup->options, &setup->request); break;
    case LW_WAIT_LATE:
        lw_api_status_too_large_rv(&status, wait->revision,
                                   lw_cache_resource_revision(call->cache));
        lw_watch_stream_refuse(call, &status);
        break;
    case LW_WAIT_GONE:
    case LW_WAIT_NOMEM:
    case LW_WAIT_FAILED: (void)lw_call_wait_refuses(wait, outcome); break;
    }
    setup_free(setup);
}

/* Everything that is refused before the watch is one.  False: |status| is the answer. */
static bool read_setup(watch_setup *setup, lw_api_call *call, lw_api_status *status)
{
    const lw_route *route = &call->route;
    if (!lw_api_list_options_read(&setup->options, &call->query, route->kind, true,
                                  lw_feed_is_fed(call->cache), status) ||
        !lw_api_list_options_filter(&setup->options, route->kind, route->ns, route->name,
                                    &setup->request.filter, status))
        return false;
    lw_str text = setup->options.resource_version;
    lw_buf message;
    lw_buf_init(&message, MESSAGE_MAX);
    if (text.len > 0 && !lw_revision_parse(text, &setup->revision, &message)) {
        lw_api_status_unclassified(status, &message);
        return false;
    }
    choose_start(setup);
    return true;
}

static void refuse_while_draining(lw_api_call *call)
{
    lw_api_status status;
    lw_api_status_unavailable(&status, LW_STR("the server is shutting down"));
    status.retry_after_s = 1;
    lw_call_reply_status(call, &status);
}

void lw_rest_watch(lw_api_call *call)
{
    lw_api_status status;
    lw_table_form form;
    if (call->port->is_draining) {
        refuse_while_draining(call);
        return;
    }
    if (call->media.as == LW_MEDIA_TABLE && !lw_reply_table_form(call, &form))
        return;
    watch_setup *setup = lw_alloc_zero(1, sizeof(*setup));
    if (!setup) {
        lw_call_reply_nomem(call);
        return;
    }
    setup->wait.call = call;
    setup->wait.over = wait_over;
    if (!read_setup(setup, call, &status)) {
        setup_free(setup);
        lw_call_reply_status(call, &status);
        return;
    }
    /* A watch after a future revision waits for it; an initial state at one cannot be served. */
    if (setup->options.resource_version.len == 0)
        lw_call_wait_newest(&setup->wait);
    else
        lw_call_wait_begin(&setup->wait,
                           setup->request.start == LW_WATCH_START_STATE ? setup->revision : 0);
}
