/* SPDX-License-Identifier: Apache-2.0 */
/* list_path.h -- the path and query of a list or watch request. */
#ifndef LISTWATCH_CLI_LIST_PATH_H
#define LISTWATCH_CLI_LIST_PATH_H

#include "targets.h"
#include "text.h"

typedef struct list_query {
    const char *labels, *fields;  /* selectors; NULL: none */
    const char *continue_token;   /* NULL: the first page */
    const char *resource_version; /* NULL: none */
    long limit;                   /* 0: no pages */
    bool is_watch;
    bool has_whole_objects; /* in a Table; otherwise their metadata */
} list_query;

/* Appends the path of |t| with the query.  A target with a name and is_watch is selected by a field
 * selector. */
void list_path(const target *t, const list_query *query, text_buf *out);

#endif
