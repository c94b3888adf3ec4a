/* SPDX-License-Identifier: Apache-2.0 */
/* path_index.h -- an index by the string at a JSON Pointer. */
#ifndef LW_INFORMER_INDEX_PATH_INDEX_H
#define LW_INFORMER_INDEX_PATH_INDEX_H

#include <listwatch/informer.h>

#include "base/dlist.h"

typedef struct lw_path_index {
    lw_dlist_node link; /* for the owner */
    char pointer[];
} lw_path_index;

/* Makes an index.  LW_ERR_INVALID: |pointer| is not a JSON Pointer.  LW_ERR_NOMEM. */
lw_status lw_path_index_new(lw_path_index **out, const char *pointer, lw_error *err);
void lw_path_index_free(lw_path_index *index);

/* The index function; |arg| is the lw_path_index. */
void lw_path_index_values(const lw_object *obj, void (*add)(void *to, lw_str value), void *to,
                          void *arg);

#endif
