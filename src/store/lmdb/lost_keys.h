/* SPDX-License-Identifier: Apache-2.0 */
/* lost_keys.h -- names the keys whose latest record is on a damaged page. */
#ifndef LW_STORE_LMDB_LOST_KEYS_H
#define LW_STORE_LMDB_LOST_KEYS_H

#include "store/lmdb/trees.h"
#include "store/lmdb/verify.h"

/* Reads the log and the keys again, and calls |on_lost| for each key that exists and whose record
 * is not in the part of the log that can be read.  Records that can be read but are damaged are not
 * reported again. */
void lw_lmdb_lost_keys(lw_lmdb_pages *pages, const lw_lmdb_trees *trees,
                       void (*on_lost)(const lw_lmdb_damage *damage, void *arg), void *arg);

#endif
