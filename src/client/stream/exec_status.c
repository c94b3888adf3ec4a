/* SPDX-License-Identifier: Apache-2.0 */
/* exec_status.c -- the Status with which a kubelet reports the end of a command:
 *
 *     {"status":"Success"}
 *     {"status":"Failure","reason":"NonZeroExitCode",
 *      "details":{"causes":[{"reason":"ExitCode","message":"3"}]}} */
#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"
#include "base/str.h"
#include "client/stream/stream_internal.h"
#include "object/api_errors.h"
#include "json/path.h"
#include "json/scan.h"

enum {
    CAUSES_MAX = 16,
    POINTER_SIZE = 48,
    DEPTH_MAX = 32,
    EXIT_CODE_MAX = 255,
    STATUS_INTERNAL = 500,
};

/* Returns the string at |pointer| without its quotes; empty: there is none.  Escapes stay. */
static lw_str string_at(lw_str json, const char *pointer)
{
    lw_str value;
    if (lw_json_path_find(json, lw_str_of(pointer), &value) < 0 || value.len < 2 ||
        value.ptr[0] != '"')
        return LW_STR("");
    return lw_str_make(value.ptr + 1, value.len - 2);
}

static bool find_exit_code(lw_str json, int *exit_code)
{
    for (unsigned i = 0; i < CAUSES_MAX; i++) {
        char reason[POINTER_SIZE], message[POINTER_SIZE];
        uint64_t code;
        (void)snprintf(reason, sizeof(reason), "/details/causes/%u/reason", i);
        (void)snprintf(message, sizeof(message), "/details/causes/%u/message", i);
        if (lw_str_equal(string_at(json, reason), LW_STR("ExitCode")) &&
            lw_str_to_uint64(string_at(json, message), &code)) {
            *exit_code = code <= EXIT_CODE_MAX ? (int)code : EXIT_CODE_MAX;
            return true;
        }
    }
    return false;
}

lw_status lw_exec_status_read(lw_str text, int *exit_code, lw_error *err)
{
    /* Text that is not JSON is a message of a kubelet that failed before the command. */
    if (lw_json_validate(text, DEPTH_MAX, NULL) < 0)
        return lw_error_set(err, LW_ERR_INTERNAL, "%.*s", LW_STR_ARG(text));
    if (lw_str_equal(string_at(text, "/status"), LW_STR("Success"))) {
        *exit_code = 0;
        return LW_OK;
    }
    if (lw_str_equal(string_at(text, "/reason"), LW_STR("NonZeroExitCode")) &&
        find_exit_code(text, exit_code))
        return LW_OK;
    return lw_api_error_decode(text, STATUS_INTERNAL, LW_STR(""), err);
}
