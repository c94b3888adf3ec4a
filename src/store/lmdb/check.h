/* SPDX-License-Identifier: Apache-2.0 */
/* check.h -- checks that the file is complete before LMDB maps it.
 *
 * LMDB trusts its file.  It would map pages that are missing from a truncated file, and an access
 * to one of them kills the process. */
#ifndef LW_STORE_LMDB_CHECK_H
#define LW_STORE_LMDB_CHECK_H

#include <stdbool.h>

typedef enum lw_lmdb_file_state {
    LW_LMDB_WHOLE,   /* complete, as far as can be seen from its length */
    LW_LMDB_ABSENT,  /* the file does not exist */
    LW_LMDB_EMPTY,   /* 0 bytes: a store never leaves such a file, see new.c */
    LW_LMDB_FOREIGN, /* not an LMDB file, or of another version or architecture */
    LW_LMDB_CUT,     /* referenced pages are missing */
    LW_LMDB_UNREAD,  /* cannot be read; see errno */
} lw_lmdb_file_state;

lw_lmdb_file_state lw_lmdb_check(const char *file);

#endif
