/* SPDX-License-Identifier: Apache-2.0 */
/* pages.h -- reads the trees of an LMDB file with plain reads, and checks their structure.
 *
 * LMDB trusts its file: a damaged page makes it return wrong data, write over other data or crash.
 * So a file is read once with these functions before LMDB maps it.  Everything that LMDB relies on
 * is checked: numbers and kinds of pages, the places of nodes, the order of keys, the counts.
 *
 * The layout is that of LMDB 0.9 (data version 1) on 64-bit little-endian machines:
 *
 *   page   { u64 number; u16 pad, flags; u16 lower, upper | u32 pages (overflow) } u16 nodes[] ...
 *   meta   page { u32 magic, version; u64 address, map size; db free, main; u64 last page, txn id }
 *   db     { u32 page size; u16 flags, depth; u64 branch, leaf, overflow, entries, root }
 *   node   { u16 low, high, flags, key size } key, data */
#ifndef LW_STORE_LMDB_PAGES_H
#define LW_STORE_LMDB_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum {
    LW_LMDB_DB_SIZE = 48,
    LW_LMDB_META_SIZE = 152,
};

#define LW_LMDB_NO_ROOT UINT64_MAX

/* The description of one tree. */
typedef struct lw_lmdb_db {
    uint32_t page_size; /* of the file, in the tree of free pages; otherwise 0 */
    unsigned flags;
    unsigned depth;
    uint64_t branches, leaves, overflows, entries;
    uint64_t root; /* LW_LMDB_NO_ROOT: the tree is empty */
} lw_lmdb_db;

/* One of the two first pages: they describe the last two commits. */
typedef struct lw_lmdb_meta {
    bool is_valid;
    uint64_t address, map_size;
    lw_lmdb_db free, main;
    uint64_t last_page;
    uint64_t txn_id;
} lw_lmdb_meta;

/* An open file.  One thread. */
typedef struct lw_lmdb_pages {
    int fd;        /* -1: not open */
    uint64_t size; /* of the file */
    uint32_t page_size;
    uint64_t last_page; /* pages after it do not belong to the commit that is read */
    lw_buf used;        /* one bit per page that was seen; empty: not recorded */
    lw_buf window;      /* bytes that were read ahead (pages_read.c) ... */
    uint64_t window_at; /* ... and where they are in the file */
    uint64_t read_end;  /* of the last read */
    uint64_t following; /* how many reads before it each began soon after the one before */
    lw_buf value;       /* the last value that was read past the window */
    int error;          /* errno of the first read that failed, or ENOMEM */
} lw_lmdb_pages;

/* A key and its value.  The views are valid until the callback returns. */
typedef struct lw_lmdb_node {
    lw_str key;
    lw_str value;
    bool is_tree; /* the value is a db */
    uint64_t page;
} lw_lmdb_node;

typedef struct lw_lmdb_visitor {
    bool has_numbers; /* the keys are numbers of the machine, as in the tree of free pages */
    size_t value_max; /* larger values are damage */
    void (*on_node)(const lw_lmdb_node *node, void *arg); /* in the order of keys */
    void (*on_damage)(uint64_t page, const char *what, void *arg);
    void *arg;
} lw_lmdb_visitor;

lw_lmdb_meta lw_lmdb_meta_decode(const unsigned char *bytes, uint64_t number);
lw_lmdb_db lw_lmdb_db_decode(const char *bytes);

/* Opens |fd|, or nothing if it is -1. */
void lw_lmdb_pages_init(lw_lmdb_pages *pages, int fd);
void lw_lmdb_pages_done(lw_lmdb_pages *pages); /* closes it */

/* Reads |len| bytes at |offset|; false if there are fewer, or with |pages->error|. */
bool lw_lmdb_pages_read(lw_lmdb_pages *pages, void *out, size_t len, uint64_t offset);

/* As lw_lmdb_pages_read, without a copy if possible; NULL instead of false.  The bytes are valid
 * until the next read. */
const char *lw_lmdb_pages_view(lw_lmdb_pages *pages, size_t len, uint64_t offset);

/* True if the file contains all of |count| pages from |first| on. */
bool lw_lmdb_pages_has(const lw_lmdb_pages *pages, uint64_t first, uint64_t count);

/* Marks a page as seen; false if it was seen before. */
bool lw_lmdb_pages_mark(lw_lmdb_pages *pages, uint64_t number);

/* Starts to record which pages are seen.  LW_ERR_NOMEM. */
lw_status lw_lmdb_pages_record(lw_lmdb_pages *pages);

/* Visits every node that can be read, and reports all damage.  After a failed read or allocation,
 * |pages->error| is set and the rest is not visited. */
void lw_lmdb_pages_walk(lw_lmdb_pages *pages, const lw_lmdb_db *db, const lw_lmdb_visitor *visitor);

/* As lw_lmdb_pages_walk for one of |parts| parts of a tree whose root is not a leaf; the root
 * itself belongs to part 0.  Adds to |*seen| what the part has, which is not compared with |db|. */
void lw_lmdb_pages_walk_part(lw_lmdb_pages *pages, const lw_lmdb_db *db,
                             const lw_lmdb_visitor *visitor, size_t part, size_t parts,
                             lw_lmdb_db *seen);

#endif
