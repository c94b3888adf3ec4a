/* SPDX-License-Identifier: Apache-2.0 */
/* name_table.h -- a hash table of records by name, whose entries are embedded in the records.
 *
 * The table owns only its slots.  One thread at a time. */
#ifndef LW_CONTROL_RUNTIME_NAME_TABLE_H
#define LW_CONTROL_RUNTIME_NAME_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include <listwatch.h>

/* The key of a record; must be its first member.  The name must be valid as long as the record is
 * in the table. */
typedef struct lw_named {
    struct lw_named *next;
    uint64_t hash;
    lw_str name;
} lw_named;

/* Must be zeroed. */
typedef struct lw_names {
    lw_named **slots;
    size_t slot_count; /* 0, or a power of two */
    size_t count;
} lw_names;

/* Frees the slots; the records belong to the caller. */
void lw_names_done(lw_names *names);

/* Returns the record, or NULL. */
void *lw_names_get(const lw_names *names, lw_str name);

/* Adds |record|, whose name is set and not in the table.  LW_ERR_NOMEM; then nothing has
 * changed. */
lw_status lw_names_add(lw_names *names, lw_named *record);

/* Removes |record|. */
void lw_names_remove(lw_names *names, lw_named *record);

/* Returns the record after |record| in arbitrary order, the first for NULL; NULL at the end.
 * Nothing may be added during the iteration; to remove a record, get the next one first. */
void *lw_names_next(const lw_names *names, const lw_named *record);

#endif
