/* SPDX-License-Identifier: Apache-2.0 */
/* rest_unwritten.c -- the verbs that write, until they are there: each gives way to its own. */
#include "api/call.h"

#include "base/str.h"

static void reply_unwritten(lw_api_call *call)
{
    lw_api_status status;
    lw_api_status_generic(&status, 501, LW_STR("not written yet"));
    lw_call_reply_status(call, &status);
}

__attribute__((weak)) void lw_rest_create(lw_api_call *call)
{
    reply_unwritten(call);
}

__attribute__((weak)) void lw_rest_update(lw_api_call *call)
{
    reply_unwritten(call);
}

__attribute__((weak)) void lw_rest_patch(lw_api_call *call)
{
    reply_unwritten(call);
}

__attribute__((weak)) void lw_rest_delete(lw_api_call *call)
{
    reply_unwritten(call);
}

__attribute__((weak)) void lw_rest_delete_collection(lw_api_call *call)
{
    reply_unwritten(call);
}

__attribute__((weak)) void lw_rest_get_scale(lw_api_call *call)
{
    reply_unwritten(call);
}
