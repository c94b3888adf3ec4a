/* SPDX-License-Identifier: Apache-2.0 */
/* check.h -- opens the file for plain reads, and checks that it is complete before LMDB maps it.
 *
 * LMDB trusts its file.  It would map pages that are missing from a truncated file, and an access
 * to one of them kills the process. */
#ifndef LW_STORE_LMDB_CHECK_H
#define LW_STORE_LMDB_CHECK_H

#include "store/lmdb/pages/pages.h"
#include "store/lmdb/trees.h"

typedef enum lw_lmdb_file_state {
    LW_LMDB_WHOLE,   /* complete, as far as can be seen from its length */
    LW_LMDB_ABSENT,  /* the file does not exist */
    LW_LMDB_EMPTY,   /* 0 bytes: a store never leaves such a file, see new.c */
    LW_LMDB_FOREIGN, /* not an LMDB file, or of another version or architecture */
    LW_LMDB_HALF,    /* one of the two pages that describe the last commits is damaged */
    LW_LMDB_CUT,     /* referenced pages are missing */
    LW_LMDB_UNREAD,  /* cannot be read; see errno */
} lw_lmdb_file_state;

/* An open file and its two meta pages. */
typedef struct lw_lmdb_file {
    lw_lmdb_pages pages;
    lw_lmdb_meta metas[2];
} lw_lmdb_file;

/* Opens |path| and reads its meta pages.  The file is open after LW_LMDB_WHOLE, LW_LMDB_HALF and
 * LW_LMDB_CUT (which may still be found to be whole); it must be closed in all cases. */
lw_lmdb_file_state lw_lmdb_file_open(lw_lmdb_file *file, const char *path);
void lw_lmdb_file_close(lw_lmdb_file *file);

/* Returns the meta page of the last commit, of those that are valid. */
const lw_lmdb_meta *lw_lmdb_file_newest(const lw_lmdb_file *file);

/* Reads the trees of the last commit that can be read; for repairs. */
void lw_lmdb_file_find_trees(lw_lmdb_file *file, lw_lmdb_trees *trees);

/* Checks what can be seen without reading all of the file. */
lw_lmdb_file_state lw_lmdb_check(const char *path);

#endif
