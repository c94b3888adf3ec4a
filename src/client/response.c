/* SPDX-License-Identifier: Apache-2.0 */
/* response.c -- a raw response: status, headers and body. */
#include "client/response.h"

#include <strings.h>

#include "base/alloc.h"

lw_response *lw_response__new(size_t max_body)
{
    lw_response *response = lw_alloc_zero(1, sizeof(*response));
    if (!response)
        return NULL;
    lw_buf_init(&response->head, LW_RESPONSE_HEAD_MAX);
    lw_buf_init(&response->body, max_body);
    return response;
}

void lw_response__reset(lw_response *response)
{
    response->status = 0;
    lw_buf_reset(&response->head);
    lw_buf_reset(&response->body);
}

void lw_response_free(lw_response *response)
{
    if (!response)
        return;
    lw_buf_done(&response->head);
    lw_buf_done(&response->body);
    lw_free(response);
}

int lw_response_status(const lw_response *response)
{
    return response->status;
}

lw_str lw_response_body(const lw_response *response)
{
    return response->body.len > 0 ? lw_buf_view(&response->body) : lw_str_of("");
}

const char *lw_response_header(const lw_response *response, const char *name)
{
    const char *at = response->head.data;
    const char *end = at ? at + response->head.len : NULL;
    while (at < end) {
        const char *value = at + strlen(at) + 1;
        if (strcasecmp(at, name) == 0)
            return value;
        at = value + strlen(value) + 1;
    }
    return NULL;
}
