/* SPDX-License-Identifier: Apache-2.0 */
/* api_errors.c -- the error responses of an API server, with the exact messages of Kubernetes. */
#include "object/api_errors.h"

#include "base/str.h"
#include "object/gvk.h"
#include "object/quote.h"

static void begin(lw_api_status *status, lw_api_reason reason)
{
    lw_api_status_init(status);
    status->code = lw_api_reason_code(reason);
    lw_api_status_set(status, &status->reason, lw_api_reason_text(reason));
}

/* The message is what was appended to the text from |at| on. */
static void end_message(lw_api_status *status, size_t at)
{
    if (status->text.st == LW_OK)
        status->message = (lw_api_text){ at, status->text.len - at };
}

static void set_message(lw_api_status *status, const char *before, lw_str message)
{
    size_t at = status->text.len;
    lw_buf_append_text(&status->text, before);
    lw_buf_append_str(&status->text, message);
    end_message(status, at);
}

static void begin_plain(lw_api_status *status, lw_api_reason reason, lw_str message)
{
    begin(status, reason);
    set_message(status, "", message);
}

static void set_details(lw_api_status *status, lw_gvr gvr, lw_str name)
{
    status->has_details = true;
    lw_api_status_set(status, &status->name, name);
    lw_api_status_set(status, &status->group, gvr.group);
    lw_api_status_set(status, &status->kind, gvr.resource);
}

/* |before|pods.group "name"|after||why|, with the details that go with it. */
static void begin_about(lw_api_status *status, lw_api_reason reason, lw_gvr gvr, lw_str name,
                        const char *before, const char *after, lw_str why)
{
    begin(status, reason);
    set_details(status, gvr, name);
    size_t at = status->text.len;
    lw_buf_append_text(&status->text, before);
    lw_grouped_append(&status->text, gvr.resource, gvr.group);
    lw_buf_append_char(&status->text, ' ');
    lw_quote_append(&status->text, name);
    lw_buf_append_text(&status->text, after);
    lw_buf_append_str(&status->text, why);
    end_message(status, at);
}

void lw_api_status_success(lw_api_status *status, lw_gvr gvr, lw_str name, lw_str uid)
{
    lw_api_status_init(status);
    status->is_success = true;
    set_details(status, gvr, name);
    lw_api_status_set(status, &status->uid, uid);
}

void lw_api_status_not_found(lw_api_status *status, lw_gvr gvr, lw_str name)
{
    begin_about(status, LW_REASON_NOT_FOUND, gvr, name, "", " not found", LW_STR(""));
}

void lw_api_status_already_exists(lw_api_status *status, lw_gvr gvr, lw_str name)
{
    begin_about(status, LW_REASON_ALREADY_EXISTS, gvr, name, "", " already exists", LW_STR(""));
}

void lw_api_status_name_not_generated(lw_api_status *status, lw_gvr gvr, lw_str name)
{
    begin_about(status, LW_REASON_ALREADY_EXISTS, gvr, name, "",
                " already exists, the server was not able to generate a unique name for the object",
                LW_STR(""));
    status->retry_after_s = 1;
}

void lw_api_status_conflict(lw_api_status *status, lw_gvr gvr, lw_str name, lw_str why)
{
    begin_about(status, LW_REASON_CONFLICT, gvr, name, "Operation cannot be fulfilled on ", ": ",
                why);
}

void lw_api_status_modified(lw_api_status *status, lw_gvr gvr, lw_str name)
{
    lw_api_status_conflict(status, gvr, name,
                           LW_STR("the object has been modified; please apply your changes to the "
                                  "latest version and try again"));
}

void lw_api_status_expired(lw_api_status *status, lw_str message)
{
    begin_plain(status, LW_REASON_EXPIRED, message);
}

void lw_api_status_too_old_rv(lw_api_status *status, uint64_t requested, uint64_t oldest)
{
    begin(status, LW_REASON_EXPIRED);
    size_t at = status->text.len;
    lw_buf_printf(&status->text, "too old resource version: %llu (%llu)",
                  (unsigned long long)requested, (unsigned long long)oldest);
    end_message(status, at);
}

void lw_api_status_list_expired(lw_api_status *status)
{
    lw_api_status_expired(status, LW_STR("The resourceVersion for the provided list is too old."));
}

void lw_api_status_page_expired(lw_api_status *status, lw_str token)
{
    lw_api_status_expired(
        status,
        LW_STR("The provided continue parameter is too old to display a consistent list result. "
               "You can start a new list without the continue parameter, or use the continue token "
               "in this response to retrieve the remainder of the results. Continuing with the "
               "provided token results in an inconsistent list - objects that were created, "
               "modified, or deleted between the time the first chunk was returned and now may "
               "show up in the list."));
    lw_api_status_set(status, &status->continue_token, token);
}

void lw_api_status_too_large_rv(lw_api_status *status, uint64_t requested, uint64_t current)
{
    begin(status, LW_REASON_TIMEOUT);
    size_t at = status->text.len;
    lw_buf_printf(&status->text, "Timeout: Too large resource version: %llu, current: %llu",
                  (unsigned long long)requested, (unsigned long long)current);
    end_message(status, at);
    lw_api_status_add_cause(status, LW_STR("ResourceVersionTooLarge"),
                            LW_STR("Too large resource version"), LW_STR(""));
    status->retry_after_s = 1;
}

void lw_api_status_bad_request(lw_api_status *status, lw_str message)
{
    begin_plain(status, LW_REASON_BAD_REQUEST, message);
}

void lw_api_status_unauthorized(lw_api_status *status, lw_str message)
{
    begin_plain(status, LW_REASON_UNAUTHORIZED,
                message.len > 0 ? message : LW_STR("not authorized"));
}

void lw_api_status_forbidden(lw_api_status *status, lw_gvr gvr, lw_str name, lw_str why)
{
    bool has_resource = gvr.group.len > 0 || gvr.resource.len > 0;
    if (has_resource && name.len > 0) {
        begin_about(status, LW_REASON_FORBIDDEN, gvr, name, "", " is forbidden: ", why);
        return;
    }
    begin(status, LW_REASON_FORBIDDEN);
    set_details(status, gvr, name);
    size_t at = status->text.len;
    lw_grouped_append(&status->text, gvr.resource, gvr.group);
    lw_buf_append_text(&status->text, has_resource ? " is forbidden: " : "forbidden: ");
    lw_buf_append_str(&status->text, why);
    end_message(status, at);
}

void lw_api_status_method_not_supported(lw_api_status *status, lw_gvr gvr, lw_str action)
{
    begin(status, LW_REASON_METHOD_NOT_ALLOWED);
    set_details(status, gvr, LW_STR(""));
    size_t at = status->text.len;
    lw_buf_append_str(&status->text, action);
    lw_buf_append_text(&status->text, " is not supported on resources of kind \"");
    lw_grouped_append(&status->text, gvr.resource, gvr.group);
    lw_buf_append_char(&status->text, '"');
    end_message(status, at);
}

void lw_api_status_not_acceptable(lw_api_status *status, lw_str message)
{
    begin_plain(status, LW_REASON_NOT_ACCEPTABLE, message);
}

void lw_api_status_unsupported_media_type(lw_api_status *status, lw_str message)
{
    begin_plain(status, LW_REASON_UNSUPPORTED_MEDIA_TYPE, message);
}

void lw_api_status_too_large(lw_api_status *status, lw_str why)
{
    begin(status, LW_REASON_REQUEST_ENTITY_TOO_LARGE);
    set_message(status, "Request entity too large: ", why);
}

void lw_api_status_too_many(lw_api_status *status, lw_str message, int32_t retry_after_s)
{
    begin_plain(status, LW_REASON_TOO_MANY_REQUESTS, message);
    status->has_details = true;
    status->retry_after_s = retry_after_s;
}

void lw_api_status_internal(lw_api_status *status, lw_str why)
{
    begin(status, LW_REASON_INTERNAL_ERROR);
    set_message(status, "Internal error occurred: ", why);
    lw_api_status_add_cause(status, LW_STR(""), why, LW_STR(""));
}

void lw_api_status_server_timeout(lw_api_status *status, lw_gvr gvr, lw_str operation,
                                  int32_t retry_after_s)
{
    begin(status, LW_REASON_SERVER_TIMEOUT);
    set_details(status, gvr, operation);
    size_t at = status->text.len;
    lw_buf_append_text(&status->text, "The ");
    lw_buf_append_str(&status->text, operation);
    lw_buf_append_text(&status->text, " operation against ");
    lw_grouped_append(&status->text, gvr.resource, gvr.group);
    lw_buf_append_text(&status->text, " could not be completed at this time, please try again.");
    end_message(status, at);
    status->retry_after_s = retry_after_s;
}

void lw_api_status_unavailable(lw_api_status *status, lw_str message)
{
    begin_plain(status, LW_REASON_SERVICE_UNAVAILABLE, message);
}

void lw_api_status_no_space(lw_api_status *status, lw_str message)
{
    begin_plain(status, LW_REASON_INSUFFICIENT_STORAGE, message);
}

void lw_api_status_timeout(lw_api_status *status, lw_str why, int32_t retry_after_s)
{
    begin(status, LW_REASON_TIMEOUT);
    set_message(status, "Timeout: ", why);
    status->has_details = true;
    status->retry_after_s = retry_after_s;
}

void lw_api_status_of_error(lw_api_status *status, const lw_error *err)
{
    lw_api_reason reason = lw_api_reason_of_text(lw_str_of(err->reason));
    if (reason == LW_REASON_UNKNOWN)
        reason = lw_api_reason_of_status(err->code);
    begin_plain(status, reason, lw_str_of(err->message));
    status->retry_after_s = err->retry_after_s;
}

void lw_api_status_complete_apply_conflict(lw_api_status *status, lw_str message)
{
    status->code = lw_api_reason_code(LW_REASON_CONFLICT);
    lw_api_status_set(status, &status->reason, lw_api_reason_text(LW_REASON_CONFLICT));
    lw_api_status_set(status, &status->message, message);
    status->has_details = true;
}
