/* SPDX-License-Identifier: Apache-2.0 */
/* fetch.c -- reads whole responses of a server. */
#include "fetch.h"

lw_status fetch_document(lw_client *client, const char *path, const char *accept, lw_document **out,
                         lw_error *err)
{
    lw_raw_options options = LW_RAW_OPTIONS_INIT;
    lw_response *response = NULL;
    options.accept = accept ? accept : "application/json";
    lw_status st = lw_client_raw(client, "GET", path, &options, &response, err);
    if (st == LW_OK) {
        lw_str body = lw_response_body(response);
        st = lw_document_from_json(out, body.ptr, body.len, err);
    }
    lw_response_free(response);
    return st;
}
