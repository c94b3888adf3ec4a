/* SPDX-License-Identifier: Apache-2.0 */
/* delete_options.h -- how something is to be deleted: DeleteOptions, in the body or the query. */
#ifndef LW_API_HTTP_DELETE_OPTIONS_H
#define LW_API_HTTP_DELETE_OPTIONS_H

#include <stdint.h>

#include "api/media/query.h"
#include "object/api_errors.h"
#include "json/tree.h"

/* What becomes of those who name the object as their owner. */
typedef enum lw_propagation {
    LW_PROPAGATION_DEFAULT,    /* as the object's finalizers say, or its kind */
    LW_PROPAGATION_BACKGROUND, /* they go after it */
    LW_PROPAGATION_FOREGROUND, /* those who block it go first */
    LW_PROPAGATION_ORPHAN,     /* they stay, and lose their owner */
} lw_propagation;

/* The views point into the tree or the query they were read from. */
typedef struct lw_api_delete_options {
    bool has_grace;
    int64_t grace_s; /* not below 0 */
    lw_str uid;      /* preconditions; empty: none */
    lw_str resource_version;
    lw_propagation propagation;
    bool is_dry_run;
    bool is_collection;  /* one of many that a request deletes */
    bool wants_accepted; /* orphanDependents=false: 202 when it is not gone at once */
} lw_api_delete_options;

/* Reads a DeleteOptions object.  False: |status| says what is wrong (400, 422). */
bool lw_api_delete_options_from_tree(lw_api_delete_options *options, const lw_node *root,
                                     lw_api_status *status);

/* The same from the parameters of a query. */
bool lw_api_delete_options_from_query(lw_api_delete_options *options, const lw_query *query,
                                      lw_api_status *status);

#endif
