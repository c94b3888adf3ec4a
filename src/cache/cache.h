/* SPDX-License-Identifier: Apache-2.0 */
/* cache.h -- the watch cache: for each resource, the current objects in key order and a ring of the
 * most recent changes.
 *
 * One watch on the store feeds it, on the store's thread; any thread may read.  Objects carry their
 * resourceVersion and are shared, so nothing is encoded twice.  The ring goes back as far as the
 * store's history, also after a restart: the cache loads the compacted state and then replays the
 * changes that followed. */
#ifndef LW_CACHE_CACHE_H
#define LW_CACHE_CACHE_H

#include <listwatch/field_selector.h>
#include <listwatch/label_selector.h>
#include <listwatch/log.h>
#include <listwatch/object.h>
#include <listwatch/sys/clock.h>

#include "object/compact/compact.h"
#include "store/store.h"

typedef struct lw_cache lw_cache;
typedef struct lw_cache_resource lw_cache_resource;

typedef struct lw_cache_options {
    lw_store *store;
    lw_compact_mode compact; /* AUTO: resources that take LW_CACHE_COMPACT_BYTES or more */
    size_t max_ring_events;  /* per resource; 0: LW_CACHE_RING_EVENTS */
    /* Where copies of large resources are saved, so that the next start takes less time (saving.h);
     * NULL: nowhere. */
    const char *saved_folder;
    size_t saved_min_bytes;  /* how large they are; 0: LW_CACHE_SAVE_BYTES */
    const lw_clock *clock;   /* NULL: the system clock */
    const lw_logger *logger; /* may be NULL */
} lw_cache_options;

enum {
    LW_CACHE_RING_EVENTS = 1 << 20, /* a safety limit: the store's history normally ends earlier */
    LW_CACHE_COMPACT_BYTES = 16 * 1024 * 1024, /* of objects and past events of one resource */
};

lw_status lw_cache_new(lw_cache **out, const lw_cache_options *options, lw_error *err);

/* Adds the resource whose keys begin with |prefix| ("/registry/pods/"), followed by "ns/name" or,
 * if not |is_namespaced|, by "name".  No prefix may be the beginning of another.  May be called at
 * any time, but not on the store's thread.  If the cache has started, the resource is loaded at
 * once, with its history.  LW_ERR_EXISTS, or any error of lw_cache_start. */
lw_status lw_cache_add(lw_cache *cache, lw_str prefix, bool is_namespaced, lw_cache_resource **out,
                       lw_error *err);

/* Removes a resource.  The cache no longer follows it; its watchers get its remaining changes and
 * then LW_WATCH_STEP_ENDED; its prefix can be added again.  A holder of a reference can still read
 * the last state.  Call it once, on any thread but the store's. */
void lw_cache_remove(lw_cache_resource *resource);

/* The cache holds a reference to a resource until it is removed.  A reader that needs it longer
 * takes its own reference, and must drop it before the cache is freed. */
lw_cache_resource *lw_cache_resource_ref(lw_cache_resource *resource);
void lw_cache_resource_unref(lw_cache_resource *resource); /* NULL does nothing */

/* Sees every object of a resource as it comes and goes, in order: first those that are loaded, then
 * each change, before its writer gets the reply.  Called on the thread that applies changes, one
 * call at a time; must not block, nor use the cache. */
typedef struct lw_cache_observer {
    /* |obj| is new or has changed.  LW_ERR_NOMEM: the resource is dropped (reset) and loaded
     * again later. */
    lw_status (*put)(const lw_object *obj, void *arg);
    void (*remove)(const lw_object *obj, void *arg);
    void (*reset)(void *arg); /* there are no objects any more */
    void *arg;
} lw_cache_observer;

/* Sets the observer of |resource|, which is copied.  Once, before the cache starts. */
void lw_cache_observe(lw_cache_resource *resource, const lw_cache_observer *observer);

/* Loads the state of the store and follows it.  Returns when the cache is as new as the store was
 * at the time of the call.  LW_ERR_INVALID: a value in the store is not an object; |err| names the
 * key. */
lw_status lw_cache_start(lw_cache *cache, lw_error *err);

/* Stops following the store.  Close all watchers and ports before freeing the cache.  NULL does
 * nothing. */
void lw_cache_stop(lw_cache *cache);
void lw_cache_free(lw_cache *cache);

/* Returns the revision up to which every change has been applied. */
uint64_t lw_cache_revision(const lw_cache *cache);

/* The same for one resource: a fed one (feed.h) has a revision of its own. */
uint64_t lw_cache_resource_revision(const lw_cache_resource *resource);

/* Returns a number that is larger after each change of the resource, as soon as watchers get it.
 * Any thread. */
uint64_t lw_cache_resource_changes(const lw_cache_resource *resource);

/* Returns the maximum number of changes in the ring of one resource. */
size_t lw_cache_ring_limit(const lw_cache *cache);

/* Selects objects.  Everything is borrowed: the caller keeps it alive while the filter is in
 * use. */
typedef struct lw_cache_filter {
    lw_str ns;                       /* empty: all */
    lw_str name;                     /* empty: all */
    const lw_label_selector *labels; /* NULL: all */
    const lw_field_selector *fields; /* NULL: all */
    /* Evaluates the field selector; NULL: lw_field_selector_matches_object. */
    bool (*fields_match)(const lw_field_selector *fields, const lw_object *obj, const void *arg);
    const void *fields_arg;
    /* The objects of lists may be packed: the caller opens those whose contents it reads
     * (lw_compact_open).  Objects from all other functions are open, unless
     * there was no memory for it. */
    bool takes_packed;
} lw_cache_filter;

/* On a store that others write to, a reader never waits for the store: while a resource is being
 * loaded again, each of these is LW_ERR_UNAVAILABLE (and lw_cache_get_ref NULL).
 *
 * Returns the object, which the caller unrefs, or NULL if there is none.  It is also NULL if the
 * resource had to be reloaded after memory ran out, and memory ran out again. */
lw_object *lw_cache_get_ref(lw_cache_resource *resource, lw_str ns, lw_str name);

/* Objects at one revision, in key order. */
typedef struct lw_cache_list {
    lw_object **objects; /* one reference each */
    size_t count;
    uint64_t revision;
    bool has_more;    /* more objects match than the limit allows */
    size_t remaining; /* how many more; known only if the filter has no selectors */
} lw_cache_list;

/* Lists the current objects.  |start| is the first key to return, relative to the resource's prefix
 * ("ns/name\0" or "name\0"); empty: from the beginning.  |limit| 0: no limit.  The cost is
 * proportional to the number of objects in the namespace.  LW_ERR_NOMEM. */
lw_status lw_cache_list_now(lw_cache_resource *resource, const lw_cache_filter *filter,
                            lw_str start, size_t limit, lw_cache_list *out, lw_error *err);

/* Lists the objects as of |revision|: from the cache if the resource has not changed since then,
 * otherwise from the store.  LW_ERR_EXPIRED, LW_ERR_TOO_LARGE_RV, LW_ERR_IO, LW_ERR_NOMEM. */
lw_status lw_cache_list_at(lw_cache_resource *resource, const lw_cache_filter *filter, lw_str start,
                           size_t limit, uint64_t revision, lw_cache_list *out, lw_error *err);

/* Like lw_cache_list_at, but only if the cache has the answer.  False: the store must be read, and
 * nothing was written. */
bool lw_cache_list_try_at(lw_cache_resource *resource, const lw_cache_filter *filter, lw_str start,
                          size_t limit, uint64_t revision, lw_cache_list *out, lw_status *st,
                          lw_error *err);

void lw_cache_list_done(lw_cache_list *list);

/* Estimates what a list of namespace |ns| (empty: all) has to go through: how many objects there
 * are, and their size, exactly if they are few or all objects of the resource.  0 and 0 if the
 * resource cannot be read. */
void lw_cache_measure(lw_cache_resource *resource, lw_str ns, size_t *objects, size_t *bytes);

/* Statistics for the metrics; any thread. */
typedef struct lw_cache_stats {
    size_t objects, object_bytes; /* bytes: as if none were packed */
    size_t packed_objects;
    size_t stale_objects; /* stored in a form that is to be replaced (lw_store_record.is_stale) */
    size_t ring_events,
        ring_bytes; /* bytes: approximate, of objects that only the ring still refers to */
    size_t watchers;
    uint64_t events, oldest_revision; /* a watch can start from oldest_revision - 1 */
} lw_cache_stats;

void lw_cache_resource_stats(lw_cache_resource *resource, lw_cache_stats *stats);

#endif
