/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_grpc_status.c -- heads and trailers of gRPC, endpoints and versions.  The input is lines of
 * "name:value".  The result is always a known code and a message of one line. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "etcd/endpoints.h"
#include "etcd/error_map.h"
#include "etcd/etcd.h"
#include "fuzz/fuzz.h"

enum {
    FIELDS_MAX = 64,
};

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void judge(const lw_grpc_status *status)
{
    const lw_grpc_end end = { LW_OK, status->code, status->message, false };
    lw_etcd_error verdict;
    lw_etcd_map_error(&verdict, &end, "http://a:1", "Range");
    must(verdict.err.code < 0 && strstr(verdict.err.message, "http://a:1") != NULL);
    must(!verdict.is_not_begun || verdict.is_not_done);
    lw_etcd_map_error_reason(&verdict, status->message, "http://a:1", "Watch");
    must(verdict.err.code < 0);
}

static void parse_endpoints(lw_str text)
{
    lw_etcd_endpoints endpoints;
    if (lw_etcd_endpoints_parse(&endpoints, text, NULL) < 0)
        return;
    must(endpoints.count > 0 && endpoints.count <= LW_ETCD_ENDPOINTS_MAX);
    for (size_t i = 0; i < endpoints.count; i++)
        must(endpoints.items[i].port > 0 && endpoints.items[i].host[0] != '\0');
    lw_etcd_endpoints_done(&endpoints);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lw_http_header fields[FIELDS_MAX];
    lw_str input = lw_str_make((const char *)data, size), rest = input, line;
    lw_grpc_status status;
    size_t count = 0;
    while (rest.len > 0 && count < FIELDS_MAX) {
        (void)lw_str_cut(rest, '\n', &line, &rest);
        (void)lw_str_cut(line, ':', &fields[count].name, &fields[count].value);
        count++;
    }
    lw_grpc_status_init(&status);
    lw_grpc_status_head(&status, 200, fields, count / 2);
    lw_grpc_status_trailers(&status, fields + count / 2, count - count / 2);
    must(status.code >= LW_GRPC_NONE && status.code <= LW_GRPC_UNAUTHENTICATED);
    must(memchr(status.message, '\0', sizeof(status.message)) != NULL);
    must(strchr(status.message, '\n') == NULL);
    judge(&status);
    parse_endpoints(input);
    (void)lw_etcd_version_has_progress(input);
    return 0;
}
