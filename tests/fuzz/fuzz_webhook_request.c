/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_webhook_request.c -- a request of any bytes to the webhooks of a controller: the answer is
 * valid JSON, or a refusal with a reason. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "fuzz/fuzz.h"
#include "server/hook_server/review.h"
#include "json/scan.h"

static void admit(const lw_webhook_admission *request, lw_webhook_response *response, void *arg)
{
    (void)arg;
    lw_webhook_warn(response, "%s %s", request->name, request->user);
    lw_webhook_annotate(response, request->ns, request->operation);
    if (strlen(request->kind) % 2 == 1)
        lw_webhook_deny(response, 0, "%s", request->resource);
    else if (request->object.len > 0)
        lw_webhook_patch(response, request->object); /* not an array */
    else
        lw_webhook_patch(response, lw_str_of("[]"));
}

static void convert(lw_str object, const char *api_version, lw_webhook_response *response,
                    void *arg)
{
    (void)arg;
    if (strlen(api_version) > 8)
        lw_webhook_deny(response, 0, "%s", api_version);
    lw_webhook_converted(response, object);
}

static void check(const lw_review_handler *handler, lw_str body)
{
    lw_buf out;
    lw_buf_init(&out, LW_REVIEW_ANSWER_MAX);
    int status = lw_review_answer(handler, body, &out);
    if (out.st < 0 || out.len == 0)
        abort();
    if (status == 200 && lw_json_validate(lw_buf_view(&out), 0, NULL) < 0)
        abort();
    if (status != 200 && status != 400 && status != 500)
        abort();
    lw_buf_done(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const lw_review_handler admission = { .admit = admit }, conversion = { .convert = convert };
    lw_str body = lw_str_make((const char *)data, size);
    check(&admission, body);
    check(&conversion, body);
    return 0;
}
