/* SPDX-License-Identifier: Apache-2.0 */
/* watcher_index.h -- the watchers of a subscription by what their filters require of an object, so
 * that a change costs by the watchers that it may concern.
 *
 * A watcher of one namespace, one name, or one spec.nodeName (what a node's agent watches) has a
 * key and is in the table; every other watcher is in the common list, which each change concerns.
 * Two different keys may have the same hash: then a watcher is called for nothing, and its filter
 * finds no event.
 *
 * Threads: belongs to the port's thread. */
#ifndef LW_CACHE_WATCHER_INDEX_H
#define LW_CACHE_WATCHER_INDEX_H

#include "base/dlist.h"
#include "base/hash.h"
#include "cache/event_ring.h"
#include "cache/watcher.h"

typedef enum lw_watcher_key {
    LW_WATCHER_KEY_NONE,   /* in the common list */
    LW_WATCHER_KEY_NS,     /* a namespace */
    LW_WATCHER_KEY_NAME,   /* a name, in any namespace or without one */
    LW_WATCHER_KEY_OBJECT, /* a namespace and a name */
    LW_WATCHER_KEY_NODE,   /* a value of spec.nodeName */
    LW_WATCHER_KEYS,
} lw_watcher_key;

typedef struct lw_watcher_index {
    lw_hash_seed seed;
    lw_dlist common;
    lw_dlist *slots;   /* watchers whose hashes have the same low bits; NULL: none had a key yet */
    size_t slot_count; /* a power of two, or 0 */
    size_t counts[LW_WATCHER_KEYS]; /* watchers of each kind of key, in a list or being called */
} lw_watcher_index;

void lw_watcher_index_init(lw_watcher_index *index);
void lw_watcher_index_done(lw_watcher_index *index); /* it has no watchers */

/* Determines the key of |watcher|, which has its filter and scope, and adds it.  When memory runs
 * out, it becomes a watcher without a key. */
void lw_watcher_index_add(lw_watcher_index *index, lw_watcher *watcher);
void lw_watcher_index_remove(lw_watcher_index *index, lw_watcher *watcher);

size_t lw_watcher_index_count(const lw_watcher_index *index);

/* Returns true if at least one watcher has a key. */
bool lw_watcher_index_has_keys(const lw_watcher_index *index);

/* Returns true if lw_watcher_index_take reads more of the objects than their names. */
bool lw_watcher_index_reads_objects(const lw_watcher_index *index);

/* Moves the watchers that change number |seq| may concern, and that have not pulled it yet, to the
 * end of |due|, except the common ones.  False: this cannot be told; any watcher may be
 * concerned. */
bool lw_watcher_index_take(lw_watcher_index *index, const lw_cache_change *change, uint64_t seq,
                           lw_dlist *due);

/* Moves the common watchers, or all of them, to the end of |due|.  Idle ones continue with change
 * |seq|. */
void lw_watcher_index_take_common(lw_watcher_index *index, lw_dlist *due);
void lw_watcher_index_take_all(lw_watcher_index *index, uint64_t seq, lw_dlist *due);

/* Puts back |watcher|, which was taken and is in no list. */
void lw_watcher_index_put_back(lw_watcher_index *index, lw_watcher *watcher);

#endif
