/* SPDX-License-Identifier: Apache-2.0 */
/* oracle_yajl.c -- yajl as it comes: no comments, UTF-8 checked, one value, nothing behind it. */
#include <stdlib.h>

#include <yajl/yajl_parse.h>

#include "oracle/oracle.h"

bool oracle_yajl_accepts(const char *bytes, size_t len, size_t chunk)
{
    yajl_handle parser = yajl_alloc(NULL, NULL, NULL);
    if (!parser)
        abort();
    yajl_status status = yajl_status_ok;
    for (size_t at = 0; status == yajl_status_ok && at < len; at += chunk) {
        size_t piece = chunk < len - at ? chunk : len - at;
        status = yajl_parse(parser, (const unsigned char *)bytes + at, piece);
    }
    if (status == yajl_status_ok)
        status = yajl_complete_parse(parser);
    yajl_free(parser);
    return status == yajl_status_ok;
}
