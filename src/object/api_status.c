/* SPDX-License-Identifier: Apache-2.0 */
/* api_status.c -- the Status object: build, write, parse; and the table of reasons.
 *
 * All strings are in one growing buffer, so they are stored as offsets, not as pointers. */
#include "object/api_status.h"

#include "base/alloc.h"
#include "base/str.h"

enum {
    /* No cause is added after this number of bytes; a message of the status that repeats all causes
     * still has space. */
    CAUSES_TEXT_MAX = 1024 * 1024,
};

void lw_api_status_init(lw_api_status *status)
{
    *status = (lw_api_status){ 0 };
    lw_buf_init(&status->text, LW_API_STATUS_TEXT_MAX);
}

void lw_api_status_done(lw_api_status *status)
{
    lw_buf_done(&status->text);
    lw_free(status->causes);
    lw_api_status_init(status);
}

lw_status lw_api_status_state(const lw_api_status *status)
{
    return status->st < 0 ? status->st : status->text.st;
}

lw_str lw_api_status_str(const lw_api_status *status, lw_api_text text)
{
    return text.len > 0 ? lw_str_make(status->text.data + text.at, text.len) : lw_str_make(NULL, 0);
}

void lw_api_status_set(lw_api_status *status, lw_api_text *field, lw_str value)
{
    size_t at = status->text.len;
    lw_buf_append_str(&status->text, value);
    if (status->text.st == LW_OK)
        *field = (lw_api_text){ at, value.len };
}

static bool reserve_cause(lw_api_status *status)
{
    if (status->cause_count < status->cause_cap)
        return true;
    if (status->cause_count >= LW_API_STATUS_CAUSES_MAX)
        return false;
    size_t cap = status->cause_cap ? 2 * status->cause_cap : 4;
    lw_api_cause *causes = lw_realloc_array(status->causes, cap, sizeof(causes[0]));
    if (!causes) {
        status->st = LW_ERR_NOMEM;
        return false;
    }
    status->causes = causes;
    status->cause_cap = cap;
    return true;
}

bool lw_api_status_is_full(const lw_api_status *status)
{
    return lw_api_status_state(status) < 0 || status->cause_count >= LW_API_STATUS_CAUSES_MAX ||
           status->text.len > CAUSES_TEXT_MAX;
}

void lw_api_status_add_cause(lw_api_status *status, lw_str reason, lw_str message, lw_str field)
{
    if (message.len > CAUSES_TEXT_MAX / 2)
        message = LW_STR("Invalid value: ... (too long to be shown)");
    if (lw_api_status_is_full(status) || !reserve_cause(status))
        return;
    lw_api_cause cause = { 0 };
    lw_api_status_set(status, &cause.reason, reason);
    lw_api_status_set(status, &cause.message, message);
    lw_api_status_set(status, &cause.field, field);
    status->causes[status->cause_count++] = cause;
    status->has_details = true;
}

static void write_text(const lw_api_status *status, lw_json_writer *w, const char *key,
                       lw_api_text text)
{
    if (text.len > 0)
        lw_json_write_member_string(w, key, lw_api_status_str(status, text));
}

static void write_causes(const lw_api_status *status, lw_json_writer *w)
{
    lw_json_write_key(w, LW_STR("causes"));
    lw_json_write_array_begin(w);
    for (size_t i = 0; i < status->cause_count; i++) {
        const lw_api_cause *cause = &status->causes[i];
        lw_json_write_object_begin(w);
        write_text(status, w, "reason", cause->reason);
        write_text(status, w, "message", cause->message);
        write_text(status, w, "field", cause->field);
        lw_json_write_object_end(w);
    }
    lw_json_write_array_end(w);
}

static bool has_details(const lw_api_status *status)
{
    return status->has_details || status->name.len > 0 || status->group.len > 0 ||
           status->kind.len > 0 || status->uid.len > 0 || status->cause_count > 0 ||
           status->retry_after_s != 0;
}

static void write_details(const lw_api_status *status, lw_json_writer *w)
{
    lw_json_write_key(w, LW_STR("details"));
    lw_json_write_object_begin(w);
    write_text(status, w, "name", status->name);
    write_text(status, w, "group", status->group);
    write_text(status, w, "kind", status->kind);
    write_text(status, w, "uid", status->uid);
    if (status->cause_count > 0)
        write_causes(status, w);
    if (status->retry_after_s != 0)
        lw_json_write_member_int(w, "retryAfterSeconds", status->retry_after_s);
    lw_json_write_object_end(w);
}

lw_status lw_api_status_write(const lw_api_status *status, lw_json_writer *w)
{
    if (lw_api_status_state(status) < 0)
        return lw_api_status_state(status);
    lw_json_write_object_begin(w);
    lw_json_write_member_string(w, "kind", LW_STR("Status"));
    lw_json_write_member_string(w, "apiVersion", LW_STR("v1"));
    lw_json_write_key(w, LW_STR("metadata"));
    lw_json_write_object_begin(w);
    write_text(status, w, "continue", status->continue_token);
    lw_json_write_object_end(w);
    lw_json_write_member_string(w, "status",
                                status->is_success ? LW_STR("Success") : LW_STR("Failure"));
    write_text(status, w, "message", status->message);
    write_text(status, w, "reason", status->reason);
    if (has_details(status))
        write_details(status, w);
    if (status->code != 0)
        lw_json_write_member_int(w, "code", status->code);
    lw_json_write_object_end(w);
    return lw_json_writer_status(w);
}

static lw_str string_of(const lw_node *object, lw_str key)
{
    const lw_node *node = lw_node_get(object, key);
    return lw_node_is(node, LW_JSON_STRING) ? lw_node_text(node) : lw_str_make(NULL, 0);
}

static int32_t int_of(const lw_node *object, lw_str key)
{
    int64_t value = 0;
    if (!lw_node_int64(lw_node_get(object, key), &value) || value < 0 || value > INT32_MAX)
        return 0;
    return (int32_t)value;
}

static void read_causes(lw_api_status *status, const lw_node *causes)
{
    if (!lw_node_is(causes, LW_JSON_ARRAY))
        return;
    for (size_t i = 0; i < lw_node_count(causes); i++) {
        const lw_node *cause = lw_node_at(causes, i);
        if (lw_node_is(cause, LW_JSON_OBJECT))
            lw_api_status_add_cause(status, string_of(cause, LW_STR("reason")),
                                    string_of(cause, LW_STR("message")),
                                    string_of(cause, LW_STR("field")));
    }
}

static void read_details(lw_api_status *status, const lw_node *details)
{
    if (!lw_node_is(details, LW_JSON_OBJECT))
        return;
    status->has_details = true;
    lw_api_status_set(status, &status->name, string_of(details, LW_STR("name")));
    lw_api_status_set(status, &status->group, string_of(details, LW_STR("group")));
    lw_api_status_set(status, &status->kind, string_of(details, LW_STR("kind")));
    lw_api_status_set(status, &status->uid, string_of(details, LW_STR("uid")));
    read_causes(status, lw_node_get(details, LW_STR("causes")));
    status->retry_after_s = int_of(details, LW_STR("retryAfterSeconds"));
}

static bool is_status(const lw_node *root)
{
    if (!lw_str_equal(string_of(root, LW_STR("kind")), LW_STR("Status")))
        return false;
    lw_str version = string_of(root, LW_STR("apiVersion"));
    return lw_str_equal(version, LW_STR("v1")) || lw_str_equal(version, LW_STR("meta.k8s.io/v1"));
}

lw_status lw_api_status_from_tree(lw_api_status *status, const lw_node *root)
{
    lw_api_status_init(status);
    if (!is_status(root))
        return LW_ERR_INVALID;
    const lw_node *metadata = lw_node_get(root, LW_STR("metadata"));
    lw_api_status_set(status, &status->continue_token, string_of(metadata, LW_STR("continue")));
    status->is_success = lw_str_equal(string_of(root, LW_STR("status")), LW_STR("Success"));
    status->code = int_of(root, LW_STR("code"));
    lw_api_status_set(status, &status->message, string_of(root, LW_STR("message")));
    lw_api_status_set(status, &status->reason, string_of(root, LW_STR("reason")));
    read_details(status, lw_node_get(root, LW_STR("details")));
    return lw_api_status_state(status);
}

/* Indexed by lw_api_reason. */
static const struct {
    lw_str text;
    int code;
    lw_status st;
} reasons[] = {
    [LW_REASON_UNKNOWN] = { { NULL, 0 }, 500, LW_ERR_INTERNAL },
    [LW_REASON_UNAUTHORIZED] = { LW_STR_INIT("Unauthorized"), 401, LW_ERR_UNAUTHORIZED },
    [LW_REASON_FORBIDDEN] = { LW_STR_INIT("Forbidden"), 403, LW_ERR_FORBIDDEN },
    [LW_REASON_NOT_FOUND] = { LW_STR_INIT("NotFound"), 404, LW_ERR_NOT_FOUND },
    [LW_REASON_ALREADY_EXISTS] = { LW_STR_INIT("AlreadyExists"), 409, LW_ERR_EXISTS },
    [LW_REASON_CONFLICT] = { LW_STR_INIT("Conflict"), 409, LW_ERR_CONFLICT },
    [LW_REASON_GONE] = { LW_STR_INIT("Gone"), 410, LW_ERR_EXPIRED },
    [LW_REASON_EXPIRED] = { LW_STR_INIT("Expired"), 410, LW_ERR_EXPIRED },
    [LW_REASON_INVALID] = { LW_STR_INIT("Invalid"), 422, LW_ERR_INVALID },
    [LW_REASON_BAD_REQUEST] = { LW_STR_INIT("BadRequest"), 400, LW_ERR_INVALID },
    [LW_REASON_METHOD_NOT_ALLOWED] = { LW_STR_INIT("MethodNotAllowed"), 405, LW_ERR_UNSUPPORTED },
    [LW_REASON_NOT_ACCEPTABLE] = { LW_STR_INIT("NotAcceptable"), 406, LW_ERR_UNSUPPORTED },
    [LW_REASON_REQUEST_ENTITY_TOO_LARGE] = { LW_STR_INIT("RequestEntityTooLarge"), 413,
                                             LW_ERR_LIMIT },
    [LW_REASON_UNSUPPORTED_MEDIA_TYPE] = { LW_STR_INIT("UnsupportedMediaType"), 415,
                                           LW_ERR_UNSUPPORTED },
    [LW_REASON_TOO_MANY_REQUESTS] = { LW_STR_INIT("TooManyRequests"), 429, LW_ERR_TOO_MANY },
    [LW_REASON_INTERNAL_ERROR] = { LW_STR_INIT("InternalError"), 500, LW_ERR_INTERNAL },
    [LW_REASON_STORAGE_READ_ERROR] = { LW_STR_INIT("StorageReadError"), 500, LW_ERR_INTERNAL },
    [LW_REASON_SERVER_TIMEOUT] = { LW_STR_INIT("ServerTimeout"), 500, LW_ERR_TIMEOUT },
    [LW_REASON_SERVICE_UNAVAILABLE] = { LW_STR_INIT("ServiceUnavailable"), 503,
                                        LW_ERR_UNAVAILABLE },
    [LW_REASON_TIMEOUT] = { LW_STR_INIT("Timeout"), 504, LW_ERR_TIMEOUT },
    [LW_REASON_INSUFFICIENT_STORAGE] = { LW_STR_INIT("InsufficientStorage"), 507, LW_ERR_NO_SPACE },
};

enum {
    REASON_COUNT = sizeof(reasons) / sizeof(reasons[0]),
};

lw_str lw_api_reason_text(lw_api_reason reason)
{
    return reasons[reason].text;
}

lw_api_reason lw_api_reason_of_text(lw_str text)
{
    for (int i = 1; i < REASON_COUNT; i++) {
        if (lw_str_equal(text, reasons[i].text))
            return (lw_api_reason)i;
    }
    return LW_REASON_UNKNOWN;
}

int lw_api_reason_code(lw_api_reason reason)
{
    return reasons[reason].code;
}

lw_api_reason lw_api_reason_of_code(int code)
{
    switch (code) {
    case 400: return LW_REASON_BAD_REQUEST;
    case 401: return LW_REASON_UNAUTHORIZED;
    case 403: return LW_REASON_FORBIDDEN;
    case 404: return LW_REASON_NOT_FOUND;
    case 405: return LW_REASON_METHOD_NOT_ALLOWED;
    case 406: return LW_REASON_NOT_ACCEPTABLE;
    case 409: return LW_REASON_CONFLICT;
    case 415: return LW_REASON_UNSUPPORTED_MEDIA_TYPE;
    case 422: return LW_REASON_INVALID;
    case 429: return LW_REASON_TOO_MANY_REQUESTS;
    case 503: return LW_REASON_SERVICE_UNAVAILABLE;
    case 504: return LW_REASON_TIMEOUT;
    case 507: return LW_REASON_INSUFFICIENT_STORAGE;
    default: return code >= 500 ? LW_REASON_INTERNAL_ERROR : LW_REASON_UNKNOWN;
    }
}

lw_api_reason lw_api_reason_of_status(lw_status st)
{
    switch (st) {
    case LW_ERR_INVALID:
    case LW_ERR_SYNTAX: return LW_REASON_BAD_REQUEST;
    case LW_ERR_LIMIT: return LW_REASON_REQUEST_ENTITY_TOO_LARGE;
    case LW_ERR_NOT_FOUND: return LW_REASON_NOT_FOUND;
    case LW_ERR_EXISTS: return LW_REASON_ALREADY_EXISTS;
    case LW_ERR_CONFLICT: return LW_REASON_CONFLICT;
    case LW_ERR_EXPIRED: return LW_REASON_EXPIRED;
    case LW_ERR_UNAUTHORIZED: return LW_REASON_UNAUTHORIZED;
    case LW_ERR_FORBIDDEN: return LW_REASON_FORBIDDEN;
    case LW_ERR_TOO_MANY: return LW_REASON_TOO_MANY_REQUESTS;
    case LW_ERR_TIMEOUT:
    case LW_ERR_TOO_LARGE_RV: return LW_REASON_TIMEOUT;
    case LW_ERR_UNAVAILABLE:
    case LW_ERR_STOPPED: return LW_REASON_SERVICE_UNAVAILABLE;
    case LW_ERR_UNSUPPORTED: return LW_REASON_UNSUPPORTED_MEDIA_TYPE;
    case LW_ERR_TEST_FAILED: return LW_REASON_INVALID;
    case LW_ERR_NO_SPACE: return LW_REASON_INSUFFICIENT_STORAGE;
    case LW_OK:
    case LW_ERR_NOMEM:
    case LW_ERR_IO:
    case LW_ERR_INTERNAL: break;
    }
    return LW_REASON_INTERNAL_ERROR;
}

lw_status lw_api_reason_status(lw_api_reason reason, int code)
{
    if (reason != LW_REASON_UNKNOWN)
        return reasons[reason].st;
    switch (code) {
    case 408: return LW_ERR_TIMEOUT;
    case 410: return LW_ERR_EXPIRED;
    case 413: return LW_ERR_LIMIT;
    case 502: return LW_ERR_UNAVAILABLE; /* a proxy could not reach the server */
    default: break;
    }
    reason = lw_api_reason_of_code(code);
    if (reason != LW_REASON_UNKNOWN)
        return reasons[reason].st;
    return code >= 400 && code < 500 ? LW_ERR_INVALID : LW_ERR_INTERNAL;
}
