/* SPDX-License-Identifier: Apache-2.0 */
/* grpc_status.c -- parses the status of a gRPC reply. */
#include "etcd/grpc_status.h"

#include <string.h>

#include "base/error.h"
#include "base/str.h"

void lw_grpc_status_init(lw_grpc_status *status)
{
    *status = (lw_grpc_status){ .code = LW_GRPC_NONE };
}

const char *lw_grpc_code_name(lw_grpc_code code)
{
    static const char *const names[] = {
        "ok",
        "cancelled",
        "unknown",
        "invalid argument",
        "deadline exceeded",
        "not found",
        "already exists",
        "permission denied",
        "resource exhausted",
        "failed precondition",
        "aborted",
        "out of range",
        "unimplemented",
        "internal",
        "unavailable",
        "data loss",
        "unauthenticated",
    };
    if (code < 0 || (size_t)code >= sizeof(names) / sizeof(names[0]))
        return "no status";
    return names[code];
}

/* %XX encodes a byte; a % without two hex digits stands for itself. */
static void read_message(lw_grpc_status *status, lw_str value)
{
    char text[LW_GRPC_MESSAGE_SIZE * 2];
    size_t len = 0;
    for (size_t i = 0; i < value.len && len < sizeof(text); i++) {
        int high =
            i + 2 < value.len && value.ptr[i] == '%' ? lw_char_hex_value(value.ptr[i + 1]) : -1;
        int low = high >= 0 ? lw_char_hex_value(value.ptr[i + 2]) : -1;
        if (low >= 0)
            i += 2;
        text[len++] = low >= 0 ? (char)(unsigned char)(high * 16 + low) : value.ptr[i];
    }
    lw_line_copy(status->message, sizeof(status->message), text, len);
}

static void read_fields(lw_grpc_status *status, const lw_http_header *headers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t code;
        if (lw_str_equal(headers[i].name, LW_STR("grpc-status")))
            status->code =
                lw_str_to_uint64(headers[i].value, &code) && code <= LW_GRPC_UNAUTHENTICATED
                    ? (lw_grpc_code)code
                    : LW_GRPC_UNKNOWN;
        else if (lw_str_equal(headers[i].name, LW_STR("grpc-message")))
            read_message(status, headers[i].value);
    }
}

void lw_grpc_status_head(lw_grpc_status *status, int http_status, const lw_http_header *headers,
                         size_t count)
{
    status->http_status = http_status;
    for (size_t i = 0; i < count; i++) {
        if (lw_str_equal(headers[i].name, LW_STR("content-type")))
            status->is_grpc = lw_str_starts_with(headers[i].value, LW_STR("application/grpc"));
    }
    read_fields(status, headers, count);
}

void lw_grpc_status_trailers(lw_grpc_status *status, const lw_http_header *headers, size_t count)
{
    read_fields(status, headers, count);
}
