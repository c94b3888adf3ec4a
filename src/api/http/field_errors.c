/* SPDX-License-Identifier: Apache-2.0 */
/* field_errors.c -- adds the error of one field to a Status. */
#include "api/http/field_errors.h"

#include "base/buf.h"
#include "base/str.h"

void lw_field_error_required(lw_api_status *errors, const char *field, const char *detail)
{
    lw_api_status_add_field_error(errors, LW_FIELD_REQUIRED, lw_str_of(field), LW_STR(""),
                                  lw_str_of(detail));
}

void lw_field_error_invalid(lw_api_status *errors, const char *field, lw_str value,
                            const char *detail)
{
    lw_api_status_add_field_error(errors, LW_FIELD_INVALID, lw_str_of(field), value,
                                  lw_str_of(detail));
}

void lw_field_error_forbidden(lw_api_status *errors, const char *field, lw_str detail)
{
    lw_api_status_add_field_error(errors, LW_FIELD_FORBIDDEN, lw_str_of(field), LW_STR(""), detail);
}

void lw_field_error_plain(lw_api_status *errors, const char *field, lw_str value,
                          const char *detail)
{
    lw_buf message;
    lw_buf_init(&message, LW_API_STATUS_TEXT_MAX);
    lw_buf_append_text(&message, "Invalid value: ");
    lw_buf_append_str(&message, value);
    if (*detail)
        lw_buf_append_text(&message, ": ");
    lw_buf_append_text(&message, detail);
    if (message.st == LW_OK)
        lw_api_status_add_cause(errors, LW_STR("FieldValueInvalid"), lw_buf_view(&message),
                                lw_str_of(field));
    else if (errors->st == LW_OK)
        errors->st = message.st;
    lw_buf_done(&message);
}
