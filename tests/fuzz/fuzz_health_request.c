/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_health_request.c -- heads of requests to the server of health checks: views stay inside the
 * head, and what is accepted begins with a slash. */
#include <stdlib.h>

#include "base/str.h"
#include "fuzz/fuzz.h"
#include "operator/health_server.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lw_str head = lw_str_make((const char *)data, size);
    lw_health_server_request request = { .is_head = false };
    int status = lw_health_server_parse(head, &request);
    if (status != 200 && status != 400 && status != 405 && status != 505)
        abort();
    if (status == 200 && (request.path.len == 0 || request.path.ptr[0] != '/' ||
                          request.path.len + request.query.len > size))
        abort();
    return 0;
}
