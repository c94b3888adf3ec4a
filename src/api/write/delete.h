/* SPDX-License-Identifier: Apache-2.0 */
/* delete.h -- what the two deletes share. */
#ifndef LW_API_WRITE_DELETE_H
#define LW_API_WRITE_DELETE_H

#include "api/http/call.h"
#include "api/http/delete_options.h"

/* Reads the options from the body (kept in |*body|) or, without one, from the query.  False:
 * |status| says what is wrong. */
bool lw_rest_read_delete_options(lw_api_call *call, lw_tree **body, lw_api_delete_options *options,
                                 lw_api_status *status);

#endif
