/* SPDX-License-Identifier: Apache-2.0 */
/* request_info.h -- the attributes of a request that decide which flow it belongs to, as in
 * kube-apiserver's RequestInfo: from method, path and query alone, whatever is served. */
#ifndef LW_API_HTTP_REQUEST_INFO_H
#define LW_API_HTTP_REQUEST_INFO_H

#include <stdbool.h>

#include "net/http.h"

/* Views into the request, percent-encoded as they were sent. */
typedef struct lw_request_info {
    bool is_resource; /* below /api/v1 or /apis/GROUP/VERSION */
    lw_str verb;      /* "list"; otherwise the method in lower case */
    lw_str path;
    lw_str group, version, resource, subresource;
    lw_str ns, name;
} lw_request_info;

void lw_request_info_read(lw_request_info *info, const lw_http_request *request);

/* Returns true for get, list and watch, whatever the target. */
bool lw_request_info_is_read_only(const lw_request_info *info);

/* Returns true for requests that stay open without being a watch: exec, logs, port forwarding. */
bool lw_request_info_is_long_running(const lw_request_info *info);

/* Gets the first value of |name| in |query|, percent-encoded; false: there is none.  The same that
 * lw_query_find finds: the name may be escaped, malformed pairs are ignored. */
bool lw_query_raw(lw_str query, lw_str name, lw_str *value);

/* Returns true if the parameter |name| of |query| is set to true, as lw_query_bool. */
bool lw_query_raw_bool(lw_str query, lw_str name);

#endif
