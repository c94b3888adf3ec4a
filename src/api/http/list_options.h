/* SPDX-License-Identifier: Apache-2.0 */
/* list_options.h -- what a list, a watch or the deletion of a collection is asked to do: the
 * parameters, checked against one another, and the selectors. */
#ifndef LW_API_HTTP_LIST_OPTIONS_H
#define LW_API_HTTP_LIST_OPTIONS_H

#include "api/media/page_token.h"
#include "api/media/query.h"
#include "cache/cache.h"
#include "object/api_errors.h"
#include "schema/kinds/kind.h"

typedef enum lw_tristate {
    LW_UNSET,
    LW_NO,
    LW_YES,
} lw_tristate;

/* Strings are views of the query. */
typedef struct lw_api_list_options {
    lw_str resource_version;
    lw_str match; /* resourceVersionMatch */
    lw_str continue_token;
    int64_t limit;     /* 0: none */
    int64_t timeout_s; /* 0: not said */
    bool allows_bookmarks;
    lw_tristate initial_events; /* sendInitialEvents */
    lw_label_selector *labels;  /* NULL: everything */
    lw_field_selector *fields;  /* NULL: everything */
    bool takes_any_field;       /* |fields| may name any field, with dots: "spec.replicas" */
} lw_api_list_options;

/* Reads |query| for a list of |kind| (|is_watch|: a watch); |takes_any_field|: see above.  False:
 * it makes no sense, and |status| is the answer; it is untouched otherwise.  Call
 * lw_api_list_options_done in any case. */
bool lw_api_list_options_read(lw_api_list_options *options, const lw_query *query,
                              const lw_kind *kind, bool is_watch, bool takes_any_field,
                              lw_api_status *status);
void lw_api_list_options_done(lw_api_list_options *options);

/* The objects meant: those of |ns| (empty: all) that are called |name| (empty: any) and that the
 * selectors choose.  Borrows everything.  False: |name| and the field selector contradict one
 * another, and |status| is the answer. */
bool lw_api_list_options_filter(const lw_api_list_options *options, const lw_kind *kind, lw_str ns,
                                lw_str name, lw_cache_filter *filter, lw_api_status *status);

/* What state a list is to show, and how much of it. */
typedef struct lw_list_plan {
    bool is_exact;       /* the state at |revision|; else any that is not older */
    uint64_t revision;   /* 0: none is named */
    bool is_newest;      /* what the store has now; else, without a revision, what there is */
    size_t limit;        /* 0: all */
    bool is_page;        /* begins at the token's start */
    lw_page_token token; /* with is_page */
} lw_list_plan;

/* Works out the plan; false: |status| is the answer.  Call lw_list_plan_done in any case. */
bool lw_list_plan_make(lw_list_plan *plan, const lw_api_list_options *options,
                       lw_api_status *status);
void lw_list_plan_done(lw_list_plan *plan);

/* Reads a resourceVersion.  False, and |message| is Kubernetes' complaint, to which |message| must
 * be initialised: resourceVersion: Invalid value: "abc": strconv.ParseUint: ... */
bool lw_revision_parse(lw_str text, uint64_t *revision, lw_buf *message);

#endif
