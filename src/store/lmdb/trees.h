/* SPDX-License-Identifier: Apache-2.0 */
/* trees.h -- finds the databases of one commit in a file that is read with pages.h. */
#ifndef LW_STORE_LMDB_TREES_H
#define LW_STORE_LMDB_TREES_H

#include "store/lmdb/format.h"
#include "store/lmdb/pages/pages.h"

typedef struct lw_lmdb_trees {
    lw_lmdb_db meta, log, keys;
    unsigned found;   /* how many of the three */
    bool is_readable; /* the table of databases is not damaged */
    unsigned format;
    bool has_state;
    lw_lmdb_state state;
    uint64_t damage_page; /* of the first damage */
    const char *damage;   /* what was damaged; NULL: nothing */
} lw_lmdb_trees;

/* Reads the small trees of |meta| and the state.  |pages| records no pages meanwhile. */
void lw_lmdb_trees_find(lw_lmdb_trees *trees, lw_lmdb_pages *pages, const lw_lmdb_meta *meta);

#endif
