/* SPDX-License-Identifier: Apache-2.0 */
/* resident.h -- keeps the mapped file from counting towards the memory of the process.
 *
 * Pages read through the map stay resident until the system needs the memory, in addition to the
 * objects created from them.  So touched pages are released from time to time; they stay in the
 * page cache, and reading them again costs a page fault but no disk access. */
#ifndef LW_STORE_LMDB_RESIDENT_H
#define LW_STORE_LMDB_RESIDENT_H

#include <stdatomic.h>
#include <stddef.h>

enum {
    LW_LMDB_RESIDENT_BYTES = 4 << 20, /* touched bytes after which pages are released */
};

typedef struct lw_lmdb_resident {
    atomic_size_t touched;
} lw_lmdb_resident;

struct MDB_env;

/* Records that |bytes| of the file were read or written through |env|, whose map must not change
 * during the call.  Any thread. */
void lw_lmdb_resident_touch(lw_lmdb_resident *resident, struct MDB_env *env, size_t bytes);

#endif
