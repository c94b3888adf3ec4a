/* SPDX-License-Identifier: Apache-2.0 */
/* value.h -- strings as LMDB's interface takes and returns them. */
#ifndef LW_STORE_LMDB_VALUE_H
#define LW_STORE_LMDB_VALUE_H

#include <lmdb.h>

#include <listwatch/str.h>

static inline MDB_val lw_lmdb_val(lw_str s)
{
    /* LMDB's interface lacks const, but it does not write. */
    union {
        const char *given;
        void *wanted;
    } pointer = { .given = s.ptr };
    return (MDB_val){ s.len, pointer.wanted };
}

static inline lw_str lw_lmdb_str(MDB_val val)
{
    return lw_str_make((const char *)val.mv_data, val.mv_size);
}

#endif
