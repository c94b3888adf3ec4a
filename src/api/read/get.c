/* SPDX-License-Identifier: Apache-2.0 */
/* get.c -- GET of one object: the newest there is, and not older than the client asks for. */
#include "api/http/call.h"
#include "api/read/read.h"

#include "api/context/cache_lookup.h"
#include "api/conversion/call_conversion.h"
#include "api/http/failures.h"
#include "api/http/list_options.h"
#include "api/http/wait.h"
#include "base/alloc.h"
#include "base/str.h"

enum {
    MESSAGE_MAX = 256 * 1024,
};

static void reply_object(lw_api_call *call, const lw_object *obj)
{
    lw_call_reply_object(call, 200, obj);
}

static void reply_now(lw_api_call *call)
{
    lw_object *obj = NULL;
    lw_key key = { call->route.ns, call->route.name };
    lw_status st = lw_lookup(call->cache, key, &obj);
    if (st < 0)
        lw_call_reply_unreadable(call, st);
    else if (obj)
        lw_call_with_converted(call, obj, reply_object);
    else
        lw_call_reply_not_found(call);
}

static void wait_over(lw_call_wait *wait, lw_wait_outcome outcome)
{
    if (!lw_call_wait_refuses(wait, outcome))
        reply_now(wait->call);
    lw_free(wait);
}

static void wait_and_reply(lw_api_call *call, uint64_t revision)
{
    lw_call_wait *wait = lw_alloc_zero(1, sizeof(*wait));
    if (!wait) {
        lw_call_reply_nomem(call);
        return;
    }
    wait->call = call;
    wait->over = wait_over;
    lw_call_wait_begin(wait, revision);
}

void lw_rest_get(lw_api_call *call)
{
    uint64_t revision = 0;
    lw_str text = lw_query_get(&call->query, "resourceVersion");
    lw_buf message;
    lw_buf_init(&message, MESSAGE_MAX);
    if (text.len > 0 && !lw_revision_parse(text, &revision, &message)) {
        lw_api_status status;
        lw_api_status_unclassified(&status, &message);
        lw_call_reply_status(call, &status);
    } else if (text.len == 0) {
        lw_call_when_newest(call, reply_now);
    } else if (revision == 0) {
        reply_now(call);
    } else {
        wait_and_reply(call, revision);
    }
}
