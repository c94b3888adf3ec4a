/* SPDX-License-Identifier: Apache-2.0 */
/* write_options.h -- what a client says about a write beside the object: CreateOptions,
 * UpdateOptions, PatchOptions in the query. */
#ifndef LW_API_HTTP_WRITE_OPTIONS_H
#define LW_API_HTTP_WRITE_OPTIONS_H

#include "api/media/query.h"
#include "object/api_errors.h"
#include "json/tree.h"

enum {
    LW_FIELD_MANAGER_MAX = 128, /* bytes */
};

typedef struct lw_write_options {
    bool is_dry_run;
    bool is_forced; /* of an apply alone */
} lw_write_options;

/* Reads them as an object of |kind| ("CreateOptions").  False: |status| says what is wrong
 * (422). */
bool lw_write_options_read(lw_write_options *options, const lw_query *query, const char *kind,
                           lw_api_status *status);

/* The PatchOptions of an apply, which must name its manager. */
bool lw_write_options_read_apply(lw_write_options *options, const lw_query *query,
                                 lw_api_status *status);

/* Judges the values of dryRun, a list of strings; adds a fault and returns false when one is not
 * supported. */
bool lw_dry_run_check(const lw_str *values, size_t count, lw_api_status *errors);

/* Ends |errors| as those of an options object.  False when there are any. */
bool lw_options_complete(lw_api_status *errors, const char *kind);

#endif
