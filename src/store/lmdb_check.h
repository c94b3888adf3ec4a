/* SPDX-License-Identifier: Apache-2.0 */
/* lmdb_check.h -- is the file whole? asked before LMDB maps it.
 *
 * LMDB believes what its file says of itself.  Of a file that was cut short it would map pages that
 * are not there, and touching one kills the process. */
#ifndef LW_STORE_LMDB_CHECK_H
#define LW_STORE_LMDB_CHECK_H

#include <stdbool.h>

typedef enum lw_lmdb_file_state {
    LW_LMDB_WHOLE,   /* as far as can be seen from its length */
    LW_LMDB_ABSENT,  /* there is no such file */
    LW_LMDB_EMPTY,   /* 0 bytes: a store never leaves such a file, see lmdb_new.c */
    LW_LMDB_FOREIGN, /* no file of LMDB's, or of another version or machine */
    LW_LMDB_CUT,     /* pages that are referred to are missing */
    LW_LMDB_UNREAD,  /* errno says why */
} lw_lmdb_file_state;

lw_lmdb_file_state lw_lmdb_check(const char *file);

#endif
