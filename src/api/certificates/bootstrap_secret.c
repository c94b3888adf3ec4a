/* SPDX-License-Identifier: Apache-2.0 */
/* bootstrap_secret.c -- reads Secrets with bootstrap tokens. */
#include "api/certificates/bootstrap_secret.h"

#include <stdint.h>
#include <stdio.h>

#include "base/str.h"
#include "base/text/base64.h"
#include "base/text/time_text.h"

enum {
    POINTER_SIZE = 64,
    TIME_MAX = 64, /* bytes of a time of expiry */
};

bool lw_bootstrap_secret_is(const lw_object *secret)
{
    lw_str type;
    return lw_object_get_string(secret, "/type", &type) == LW_OK &&
           lw_str_equal(type, LW_STR("bootstrap.kubernetes.io/token"));
}

bool lw_bootstrap_secret_value(const lw_object *secret, const char *key, lw_buf *out)
{
    char pointer[POINTER_SIZE];
    lw_str base64;
    (void)snprintf(pointer, sizeof(pointer), "/data/%s", key);
    return lw_object_get_string(secret, pointer, &base64) == LW_OK &&
           lw_base64_decode_lenient(out, base64) && out->st == LW_OK;
}

int64_t lw_bootstrap_secret_expiry_ns(const lw_object *secret)
{
    lw_buf text;
    lw_str json;
    lw_time time;
    int64_t expiry_ns = INT64_MIN;
    if (lw_object_raw(secret, "/data/expiration", &json) < 0)
        return INT64_MAX;
    lw_buf_init(&text, TIME_MAX);
    if (lw_bootstrap_secret_value(secret, "expiration", &text)) {
        bool is_time = lw_time_parse(lw_buf_view(&text), &time);
        /* A time that nanoseconds cannot express is centuries away. */
        if (text.len == 0 || (is_time && !lw_time_to_ns(time, &expiry_ns) && time.s > 0))
            expiry_ns = INT64_MAX;
    }
    lw_buf_done(&text);
    return expiry_ns;
}
