/* SPDX-License-Identifier: Apache-2.0 */
/* failures.c -- refusals that several verbs give. */
#include "api/http/failures.h"

#include <stdio.h>

#include "base/str.h"

enum {
    UNPROCESSABLE = 422,
    TOO_MANY = 429,
    UNAVAILABLE = 503,
    RETRY_S = 1, /* when to try again, if nobody knows better */
};

void lw_call_reply_error(lw_api_call *call, lw_status st, const lw_error *err)
{
    if (st == LW_ERR_NOMEM) {
        lw_call_reply_nomem(call);
        return;
    }
    lw_api_status status;
    lw_api_status_of_error(&status, err);
    if (status.retry_after_s == 0 && (status.code == TOO_MANY || status.code == UNAVAILABLE))
        status.retry_after_s = RETRY_S;
    lw_call_reply_status(call, &status);
}

void lw_api_status_of_failure(lw_api_status *status, lw_status st)
{
    if (st == LW_ERR_LIMIT)
        lw_api_status_too_large(status, LW_STR("the object is too large to be stored"));
    else if (st == LW_ERR_NOMEM || st == LW_ERR_UNAVAILABLE)
        lw_api_status_unreadable(status, st);
    else
        lw_api_status_internal(status, lw_str_of(lw_status_name(st)));
}

void lw_api_status_over_budget(lw_api_status *status, const lw_budget *budget)
{
    enum {
        MESSAGE_SIZE = 512,
    };
    char message[MESSAGE_SIZE];
    bool is_of_schema = lw_budget_part_is_of_schema(budget->over);
    (void)snprintf(message, sizeof(message),
                   "the request takes too much work: it has used up its %llu steps while %s; %s",
                   (unsigned long long)budget->limit, lw_budget_part_name(budget->over),
                   is_of_schema ? "send fewer or shorter values, or simplify the schema of the "
                                  "resource (patterns, validation rules, anyOf, oneOf)"
                                : "send fewer fields and list items in one request");
    if (!is_of_schema) {
        lw_api_status_too_large(status, lw_str_of(message));
        return;
    }
    lw_api_status_init(status);
    status->code = UNPROCESSABLE;
    lw_api_status_set(status, &status->reason, LW_STR("Invalid"));
    lw_api_status_set(status, &status->message, lw_str_of(message));
}

void lw_api_status_away(lw_api_status *status, lw_str message)
{
    lw_api_status_unavailable(status, message);
    status->retry_after_s = RETRY_S;
}

void lw_api_status_unreadable(lw_api_status *status, lw_status st)
{
    if (st != LW_ERR_NOMEM) {
        lw_api_status_away(status,
                           LW_STR("the watch cache is being reloaded from the store; try again"));
        return;
    }
    lw_api_status_init(status);
    status->st = st;
}

void lw_call_reply_unreadable(lw_api_call *call, lw_status st)
{
    lw_api_status status;
    lw_api_status_unreadable(&status, st);
    lw_call_reply_status(call, &status);
}

void lw_call_reply_too_large_rv(lw_api_call *call, uint64_t revision)
{
    lw_api_status status;
    lw_api_status_too_large_rv(&status, revision,
                               call->cache ? lw_cache_resource_revision(call->cache)
                                           : lw_cache_revision(call->api->cache));
    lw_call_reply_status(call, &status);
}

void lw_call_reply_not_found(lw_api_call *call)
{
    lw_api_status status;
    lw_api_status_not_found(&status, lw_kind_gvr(call->route.kind), call->route.name);
    lw_call_reply_status(call, &status);
}

/* A message that could not be built is no message. */
static void finish_message(lw_api_status *status, lw_buf *message)
{
    if (message->st < 0)
        status->st = message->st;
    lw_buf_done(message);
}

void lw_call_reply_bad_request(lw_api_call *call, lw_buf *message)
{
    lw_api_status status;
    lw_api_status_bad_request(&status, lw_buf_view(message));
    finish_message(&status, message);
    lw_call_reply_status(call, &status);
}

void lw_api_status_unclassified(lw_api_status *status, lw_buf *message)
{
    lw_api_status_init(status);
    status->code = 500;
    lw_api_status_set(status, &status->message, lw_buf_view(message));
    finish_message(status, message);
}

bool lw_failure_bad_request(lw_api_status *status, lw_buf *message)
{
    lw_api_status_bad_request(status, lw_buf_view(message));
    if (message->st < 0)
        status->st = message->st;
    lw_buf_done(message);
    return false;
}
