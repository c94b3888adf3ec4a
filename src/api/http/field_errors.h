/* SPDX-License-Identifier: Apache-2.0 */
/* field_errors.h -- what is wrong with single fields, as the causes of one Status (422).
 *
 * |errors| is an initialised Status; it is valid as long as it has no causes. */
#ifndef LW_API_HTTP_FIELD_ERRORS_H
#define LW_API_HTTP_FIELD_ERRORS_H

#include "object/api_errors.h"

/* |field| must be set. */
void lw_field_error_required(lw_api_status *errors, const char *field, const char *detail);

/* |field| has a number, or anything else that is not shown in quotes, that it cannot have. */
void lw_field_error_plain(lw_api_status *errors, const char *field, lw_str value,
                          const char *detail);

/* |field| has the string |value|, which it cannot have. */
void lw_field_error_invalid(lw_api_status *errors, const char *field, lw_str value,
                            const char *detail);

/* |field| must not be set, or not so. */
void lw_field_error_forbidden(lw_api_status *errors, const char *field, lw_str detail);

#endif
