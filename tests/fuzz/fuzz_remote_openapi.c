/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_remote_openapi.c -- OpenAPI 2.0 documents of other servers, merged into one of this server:
 * the result is valid JSON, has everything that was there, and becomes protobuf. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "fuzz/fuzz.h"
#include "schema/openapi/openapi_proto.h"
#include "server/aggregator/openapi_merge.h"
#include "json/scan.h"

static const char own[] = "{\"swagger\":\"2.0\",\"paths\":{\"/api/v1\":{}},\"definitions\":{"
                          "\"A\":{\"type\":\"object\"},\"B\":{\"$ref\":\"#/definitions/A\"}}}";

static lw_apiservice *service_of(lw_apiservice *service, lw_remote_openapi *openapi, lw_str group)
{
    *service = (lw_apiservice){ .group = group, .version = LW_STR("v1"), .openapi = openapi };
    return service;
}

static void merge(lw_remote_openapi *first, lw_remote_openapi *second)
{
    union {
        lw_apiservice_table table;
        char room[sizeof(lw_apiservice_table) + 2 * sizeof(lw_apiservice *)];
    } holder = { .table = { .count = 2 } };
    lw_apiservice services[2];
    lw_buf json, proto;
    holder.table.at[0] = service_of(&services[0], first, LW_STR("x"));
    holder.table.at[1] = service_of(&services[1], second, LW_STR("y"));
    lw_buf_init(&json, LW_REMOTE_OPENAPI_MAX);
    lw_buf_init(&proto, LW_REMOTE_OPENAPI_MAX);
    lw_buf_append_text(&json, own);
    if (lw_openapi_merge(&holder.table, &json) < 0 ||
        lw_json_validate(lw_buf_view(&json), 0, NULL) < 0 ||
        !memmem(json.data, json.len, "\"A\":{\"type\":\"object\"", 20) ||
        lw_openapi_append_proto(lw_buf_view(&json), &proto) < 0)
        abort();
    lw_buf_done(&json);
    lw_buf_done(&proto);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lw_str answer = lw_str_make((const char *)data, size);
    lw_remote_openapi *first = NULL, *second = NULL;
    if (lw_remote_openapi_read(&first, answer, LW_STR("x"), LW_STR("v1"), NULL) < 0)
        return 0;
    if (lw_json_validate(lw_buf_view(&first->json), 0, NULL) < 0)
        abort();
    if (lw_remote_openapi_read(&second, answer, LW_STR("y"), LW_STR("v1"), NULL) < 0)
        second = lw_remote_openapi_ref(first);
    merge(first, second);
    lw_remote_openapi_unref(first);
    lw_remote_openapi_unref(second);
    return 0;
}
