/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_authz_config.c -- an authorization configuration of any bytes: it is refused with a reason,
 * or its conditions can be evaluated; and any bytes as the answer of a webhook. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/str.h"
#include "fuzz/fuzz.h"
#include "server/webhook/authz_config.h"

static void check_answer(lw_str body)
{
    lw_access_answer answer = { .reason = NULL };
    lw_error err = LW_ERROR_INIT;
    if (lw_access_review_read(&answer, body, LW_REVIEW_V1, &err) == LW_OK &&
        answer.decision == LW_AUTHZ_PENDING)
        abort();
    lw_free(answer.reason);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const lw_str spec = LW_STR_INIT("{\"resourceAttributes\":{\"verb\":\"get\"},"
                                           "\"user\":\"ann\",\"groups\":[\"team\"]}");
    lw_str text = lw_str_make((const char *)data, size);
    lw_authz_config config;
    lw_error err = LW_ERROR_INIT;
    if (lw_authz_config_parse(&config, text, &err) < 0) {
        if (err.message[0] == '\0')
            abort(); /* a refusal has a reason */
    } else {
        for (size_t i = 0; i < config.count; i++)
            (void)lw_match_conditions_eval(config.at[i].webhook.conditions, spec, NULL);
    }
    lw_authz_config_done(&config);
    check_answer(text);
    return 0;
}
