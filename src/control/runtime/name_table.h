/* SPDX-License-Identifier: Apache-2.0 */
/* name_table.h -- records found by their name: a hash table whose entries are parts of the records.
 *
 * The table owns nothing but its slots.  One thread at a time. */
#ifndef LW_CONTROL_RUNTIME_NAME_TABLE_H
#define LW_CONTROL_RUNTIME_NAME_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include <listwatch.h>

/* The part of a record by which it is found; its first member, so that one is the other.  The name
 * lives as long as the record is in the table. */
typedef struct lw_named {
    struct lw_named *next;
    uint64_t hash;
    lw_str name;
} lw_named;

/* All zero is an empty table. */
typedef struct lw_names {
    lw_named **slots;
    size_t slot_count; /* 0, or a power of two */
    size_t count;
} lw_names;

/* Frees the slots; the records are the caller's. */
void lw_names_done(lw_names *names);

/* The record, or NULL. */
void *lw_names_get(const lw_names *names, lw_str name);

/* Adds |record|, whose name is set and not in there.  LW_ERR_NOMEM, and nothing is changed. */
lw_status lw_names_add(lw_names *names, lw_named *record);

/* Takes |record| out. */
void lw_names_remove(lw_names *names, lw_named *record);

/* The record after |record| in no order, the first for NULL; NULL at the end.  Nothing may be added
 * meanwhile; to remove one, ask for the next before. */
void *lw_names_next(const lw_names *names, const lw_named *record);

#endif
