/* SPDX-License-Identifier: Apache-2.0 */
/* lmdb_resident.h -- keeps the file from counting twice as our memory.
 *
 * What is read through the map stays in the process until somebody else wants the memory, and the
 * objects that were made of it stand beside it.  So what was touched is given back from time to
 * time; the system's own cache keeps it, and reading it again costs a fault and no disk. */
#ifndef LW_STORE_LMDB_RESIDENT_H
#define LW_STORE_LMDB_RESIDENT_H

#include <stdatomic.h>
#include <stddef.h>

enum {
    LW_LMDB_RESIDENT_BYTES = 4 << 20, /* touched before they are given back */
};

typedef struct lw_lmdb_resident {
    atomic_size_t touched;
} lw_lmdb_resident;

struct MDB_env;

/* |bytes| of the file were read or written through |env|, whose map cannot change meanwhile.  Any
 * thread. */
void lw_lmdb_resident_touch(lw_lmdb_resident *resident, struct MDB_env *env, size_t bytes);

#endif
