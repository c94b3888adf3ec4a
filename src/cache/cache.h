/* SPDX-License-Identifier: Apache-2.0 */
/* cache.h -- the watch cache: of each resource the current objects in order, and a ring of the
 * changes that led to them.
 *
 * It is fed by one watch on the store, on the store's thread; any thread reads.  Objects carry
 * their resourceVersion and are shared: nothing is encoded twice.  The ring goes back as far as the
 * store remembers, over a restart too: the cache starts from the compacted state and replays what
 * followed. */
#ifndef LW_CACHE_CACHE_H
#define LW_CACHE_CACHE_H

#include <listwatch/field_selector.h>
#include <listwatch/label_selector.h>
#include <listwatch/log.h>
#include <listwatch/object.h>
#include <listwatch/sys/clock.h>

#include "store/store.h"

typedef struct lw_cache lw_cache;
typedef struct lw_cache_resource lw_cache_resource;

typedef struct lw_cache_options {
    lw_store *store;
    size_t max_ring_events;  /* of one resource; 0: LW_CACHE_RING_EVENTS */
    const lw_clock *clock;   /* NULL: the system's */
    const lw_logger *logger; /* may be NULL */
} lw_cache_options;

enum {
    LW_CACHE_RING_EVENTS =
        1 << 20, /* a bound against surprises: the store's history is the real one */
};

lw_status lw_cache_new(lw_cache **out, const lw_cache_options *options, lw_error *err);

/* Adds the resource whose keys begin with |prefix| ("/registry/pods/"), followed by "ns/name" or,
 * when not |is_namespaced|, "name"; no prefix begins another.  Any time, but not on the store's
 * thread; what the store holds of it, its history too, is loaded at once if the cache has started.
 * LW_ERR_EXISTS, and as lw_cache_start. */
lw_status lw_cache_add(lw_cache *cache, lw_str prefix, bool is_namespaced, lw_cache_resource **out,
                       lw_error *err);

/* Lets a resource go: it is followed no more, its watchers get what is left of its changes and then
 * LW_WATCH_STEP_ENDED, and its prefix can be added anew.  Who still holds it reads what was there
 * last. Any thread but the store's; once. */
void lw_cache_remove(lw_cache_resource *resource);

/* The cache holds a resource until it is removed; others who read it longer hold it, too, and let
 * go before the cache is freed. */
lw_cache_resource *lw_cache_resource_ref(lw_cache_resource *resource);
void lw_cache_resource_unref(lw_cache_resource *resource); /* NULL does nothing */

/* Loads what the store has and follows it; returns when the cache is as new as the store was when
 * it was called.  LW_ERR_INVALID: a value in the store is no object; names the key. */
lw_status lw_cache_start(lw_cache *cache, lw_error *err);

/* Stops following.  Watchers and ports must be gone before the free.  NULL does nothing. */
void lw_cache_stop(lw_cache *cache);
void lw_cache_free(lw_cache *cache);

/* Everything up to this revision is in. */
uint64_t lw_cache_revision(const lw_cache *cache);

/* How many changes of one resource it remembers at most. */
size_t lw_cache_ring_limit(const lw_cache *cache);

/* Which objects.  Borrowed: the owner keeps it alive as long as it is used. */
typedef struct lw_cache_filter {
    lw_str ns;                       /* empty: all */
    lw_str name;                     /* empty: all */
    const lw_label_selector *labels; /* NULL: all */
    const lw_field_selector *fields; /* NULL: all */
    /* How fields are read; NULL: lw_field_selector_matches_object. */
    bool (*fields_match)(const lw_field_selector *fields, const lw_object *obj, const void *arg);
    const void *fields_arg;
} lw_cache_filter;

/* On a store that others write to, a reader never waits for the store: while a resource is being
 * loaded again, each of these is LW_ERR_UNAVAILABLE (and lw_cache_get_ref NULL).
 *
 * The object, to unref; NULL: there is none.  (Or memory has run out twice: while a change was
 * applied, and now that the resource should be loaded again.) */
lw_object *lw_cache_get_ref(lw_cache_resource *resource, lw_str ns, lw_str name);

/* Some objects at one revision, in the order of their keys. */
typedef struct lw_cache_list {
    lw_object **objects; /* a reference each */
    size_t count;
    uint64_t revision;
    bool has_more;    /* there are matches beyond the limit */
    size_t remaining; /* how many; known only when the filter has no selectors */
} lw_cache_list;

/* |start|: the first key wanted, relative to the resource's prefix ("ns/name\0" or "name\0");
 * empty: from the beginning.  |limit| 0: all.  Costs O(what is in the namespace). LW_ERR_NOMEM. */
lw_status lw_cache_list_now(lw_cache_resource *resource, const lw_cache_filter *filter,
                            lw_str start, size_t limit, lw_cache_list *out, lw_error *err);

/* The same as of |revision|: from the cache when nothing of the resource has changed since, else
 * from the store.  LW_ERR_EXPIRED, LW_ERR_TOO_LARGE_RV, LW_ERR_IO, LW_ERR_NOMEM. */
lw_status lw_cache_list_at(lw_cache_resource *resource, const lw_cache_filter *filter, lw_str start,
                           size_t limit, uint64_t revision, lw_cache_list *out, lw_error *err);

/* The same if the cache can tell by itself; false: the store must be asked, and nothing was
 * written. */
bool lw_cache_list_try_at(lw_cache_resource *resource, const lw_cache_filter *filter, lw_str start,
                          size_t limit, uint64_t revision, lw_cache_list *out, lw_status *st,
                          lw_error *err);

void lw_cache_list_done(lw_cache_list *list);

/* For metrics; any thread. */
typedef struct lw_cache_stats {
    size_t objects, object_bytes;
    size_t ring_events, ring_bytes; /* bytes: of objects only the ring still holds, about */
    size_t watchers;
    uint64_t events, oldest_revision; /* a watch can start from oldest_revision - 1 */
} lw_cache_stats;

void lw_cache_resource_stats(lw_cache_resource *resource, lw_cache_stats *stats);

#endif
