/* SPDX-License-Identifier: Apache-2.0 */
/* write_options.c -- dryRun, fieldManager, fieldValidation, force. */
#include "api/http/write_options.h"

#include <stdio.h>

#include "api/http/field_errors.h"
#include "base/str.h"
#include "json/text.h"

bool lw_options_complete(lw_api_status *errors, const char *kind)
{
    if (errors->cause_count == 0 && errors->st == LW_OK) {
        lw_api_status_done(errors);
        return true;
    }
    lw_api_status_complete_invalid(errors, lw_gvk_make("meta.k8s.io", "v1", kind), LW_STR(""));
    return false;
}

bool lw_dry_run_check(const lw_str *values, size_t count, lw_api_status *errors)
{
    bool is_good = true;
    for (size_t i = 0; i < count && is_good; i++)
        is_good = lw_str_equal(values[i], LW_STR("All"));
    if (is_good)
        return true;
    lw_buf message;
    lw_buf_init(&message, LW_API_STATUS_TEXT_MAX);
    lw_buf_append_text(&message, "Unsupported value: [");
    for (size_t i = 0; i < count; i++) {
        lw_buf_append_text(&message, i > 0 ? "," : "");
        lw_json_append_quoted(&message, values[i]);
    }
    lw_buf_append_text(&message, "]: supported values: \"All\"");
    if (message.st < 0 && errors->st == LW_OK)
        errors->st = message.st;
    lw_api_status_add_cause(errors, LW_STR("FieldValueNotSupported"), lw_buf_view(&message),
                            LW_STR("dryRun"));
    lw_buf_done(&message);
    return false;
}

static size_t collect(const lw_query *query, const char *name, lw_str *values)
{
    size_t count = 0;
    for (size_t i = 0; i < query->count; i++) {
        if (lw_str_equal(query->parameters[i].name, lw_str_of(name)))
            values[count++] = query->parameters[i].value;
    }
    return count;
}

/* ASCII controls are not printable; what is not ASCII is taken for text if it is UTF-8. */
static void check_printable(lw_str manager, lw_api_status *errors)
{
    char detail[64];
    for (size_t i = 0; i < manager.len; i++) {
        unsigned char c = (unsigned char)manager.ptr[i];
        if (c >= 0x20 && c != 0x7f)
            continue;
        (void)snprintf(detail, sizeof(detail), "invalid character U+%04X (at position %zu)", c, i);
        lw_field_error_invalid(errors, "fieldManager", manager, detail);
        return;
    }
    if (!lw_utf8_is_valid(manager))
        lw_field_error_invalid(errors, "fieldManager", manager,
                               "should only contain printable characters");
}

static void check_field_manager(lw_str manager, lw_api_status *errors)
{
    if (manager.len > LW_FIELD_MANAGER_MAX)
        lw_api_status_add_field_error(errors, LW_FIELD_TOO_LONG, LW_STR("fieldManager"), LW_STR(""),
                                      LW_STR("may not be more than 128 bytes"));
    check_printable(manager, errors);
}

static void check_field_validation(lw_str value, lw_api_status *errors)
{
    if (value.len > 0 && !lw_str_equal(value, LW_STR("Ignore")) &&
        !lw_str_equal(value, LW_STR("Warn")) && !lw_str_equal(value, LW_STR("Strict")))
        lw_api_status_add_field_error(
            errors, LW_FIELD_NOT_SUPPORTED, LW_STR("fieldValidation"), value,
            LW_STR("supported values: \"\", \"Ignore\", \"Strict\", \"Warn\""));
}

bool lw_write_options_read(lw_write_options *options, const lw_query *query, const char *kind,
                           lw_api_status *status)
{
    lw_str values[LW_QUERY_PARAMETERS_MAX], force;
    size_t count = collect(query, "dryRun", values);
    lw_api_status_init(status);
    options->is_dry_run = lw_dry_run_check(values, count, status) && count > 0;
    check_field_manager(lw_query_get(query, "fieldManager"), status);
    check_field_validation(lw_query_get(query, "fieldValidation"), status);
    if (strcmp(kind, "PatchOptions") == 0 && lw_query_find(query, "force", &force))
        lw_field_error_forbidden(status, "force",
                                 LW_STR("may not be specified for non-apply patch"));
    return lw_options_complete(status, kind);
}

/* As Go reads a boolean of a query: present and neither "false" nor "0" is true. */
static bool is_true(const lw_query *query, const char *name)
{
    lw_str value;
    return lw_query_find(query, name, &value) && !lw_str_equal(value, LW_STR("false")) &&
           !lw_str_equal(value, LW_STR("0"));
}

bool lw_write_options_read_apply(lw_write_options *options, const lw_query *query,
                                 lw_api_status *status)
{
    lw_str values[LW_QUERY_PARAMETERS_MAX], manager = lw_query_get(query, "fieldManager");
    size_t count = collect(query, "dryRun", values);
    lw_api_status_init(status);
    if (manager.len == 0)
        lw_field_error_required(status, "fieldManager", "is required for apply patch");
    check_field_manager(manager, status);
    options->is_dry_run = lw_dry_run_check(values, count, status) && count > 0;
    options->is_forced = is_true(query, "force");
    check_field_validation(lw_query_get(query, "fieldValidation"), status);
    return lw_options_complete(status, "PatchOptions");
}
