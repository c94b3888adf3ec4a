/* SPDX-License-Identifier: Apache-2.0 */
/* saving.c -- when the saved copies are written, and the thread that does. */
#include "cache/saving.h"

#include <unistd.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/str.h"
#include "cache/saved/copy_writer.h"
#include "cache/state.h"

enum {
    NICE = 10, /* not the lowest: it takes locks of the cache for moments, which others wait for */
};

/* Opens the folder, unless it is open. */
static lw_status open_dir(lw_cache_saving *saving, lw_error *err)
{
    lw_state_dir *dir = NULL;
    if (atomic_load(&saving->dir))
        return LW_OK;
    lw_status st = lw_state_dir_open(&dir, saving->folder, err);
    if (st < 0)
        return st;
    lw_state_dir_remove_unfinished(dir);
    atomic_store(&saving->dir, dir);
    return LW_OK;
}

void lw_cache_saving_init(lw_cache_saving *saving, const lw_cache_options *options)
{
    lw_error err = LW_ERROR_INIT;
    *saving = (lw_cache_saving){ .min_bytes = options->saved_min_bytes ? options->saved_min_bytes
                                                                       : LW_CACHE_SAVE_BYTES };
    lw_dlist_init(&saving->due);
    lw_cond_init(&saving->is_changed);
    lw_mutex_init(&saving->write_mu);
    atomic_init(&saving->is_stopping, false);
    atomic_init(&saving->dir, NULL);
    if (!options->saved_folder)
        return;
    if (options->compact == LW_COMPACT_OFF || !lw_store_has_checksums(options->store)) {
        lw_state_dir_remove(options->saved_folder);
        return;
    }
    saving->folder = lw_str_dup(lw_str_of(options->saved_folder));
    lw_status st = saving->folder ? LW_OK : lw_error_nomem(&err);
    if (st == LW_OK && access(saving->folder, F_OK) == 0)
        st = open_dir(saving, &err);
    if (st == LW_OK)
        return;
    lw_log(options->logger, LW_LOG_WARN, "cache",
           "no copies of large resources are saved, so the next start takes longer: %s",
           err.message);
    lw_free(saving->folder);
    saving->folder = NULL;
}

void lw_cache_saving_done(lw_cache_saving *saving)
{
    lw_state_dir_close(atomic_load(&saving->dir));
    lw_free(saving->folder);
    lw_mutex_done(&saving->write_mu);
    lw_cond_done(&saving->is_changed);
}

bool lw_copy_name_of(const lw_cache_resource *resource, lw_copy_name *out)
{
    const lw_state_dir *dir = atomic_load(&resource->cache->saving.dir);
    lw_buf identity;
    *out = (lw_copy_name){ .path = NULL };
    if (!dir || resource->is_fed)
        return false;
    lw_buf_init(&identity, LW_STATE_IDENTITY_MAX);
    lw_buf_printf(&identity, "copy of: %s\n", resource->prefix_text);
    out->identity = lw_buf_take_text(&identity);
    lw_buf_done(&identity);
    lw_str name = resource->prefix; /* "/registry/configmaps/" */
    name.len--;
    char *text = lw_str_dup(lw_str_starts_with(name, LW_STR("/")) ? lw_str_skip(name, 1) : name);
    if (out->identity && text)
        out->path = lw_state_dir_path(dir, text, out->identity);
    lw_free(text);
    return out->path != NULL;
}

void lw_copy_name_done(lw_copy_name *name)
{
    lw_free(name->path);
    lw_free(name->identity);
    *name = (lw_copy_name){ .path = NULL };
}

void lw_cache_saving_removed(lw_cache_resource *resource)
{
    lw_copy_name name;
    if (lw_copy_name_of(resource, &name))
        (void)unlink(name.path);
    lw_copy_name_done(&name);
}

/* Writing. */

/* Takes a snapshot, and the bytes that it has more than the copy. */
static bool take_snapshot(lw_cache_resource *resource, lw_index *objects, size_t *unsaved)
{
    lw_cache *cache = resource->cache;
    lw_mutex_lock(&cache->apply_mu);
    bool is_there = resource->state == LW_RESOURCE_FOLLOWING;
    if (is_there) {
        *objects = lw_index_snapshot(&resource->index);
        *unsaved = resource->saving.unsaved_bytes;
        resource->saving.unsaved_bytes = 0;
    }
    lw_mutex_unlock(&cache->apply_mu);
    return is_there;
}

static lw_status write_copy(lw_cache_resource *resource, lw_error *err)
{
    lw_cache *cache = resource->cache;
    lw_copy_name name;
    lw_index objects;
    size_t unsaved = 0;
    if (!lw_copy_name_of(resource, &name) || !take_snapshot(resource, &objects, &unsaved)) {
        lw_copy_name_done(&name);
        return lw_error_set(err, LW_ERR_UNAVAILABLE, "the resource cannot be saved");
    }
    const lw_copy_target target = { .path = name.path,
                                    .identity = lw_str_of(name.identity),
                                    .prefix = resource->prefix,
                                    .store = cache->store,
                                    .is_stopping = &cache->saving.is_stopping };
    lw_status st = lw_copy_write(&target, &objects, err);
    lw_index_done(&objects);
    lw_copy_name_done(&name);
    if (st < 0) {
        lw_mutex_lock(&cache->apply_mu);
        resource->saving.unsaved_bytes += unsaved;
        lw_mutex_unlock(&cache->apply_mu);
    }
    return st;
}

lw_status lw_cache_saving_write(lw_cache_resource *resource, lw_error *err)
{
    lw_cache_saving *saving = &resource->cache->saving;
    lw_mutex_lock(&saving->write_mu);
    lw_status st = saving->folder ? open_dir(saving, err) : LW_OK;
    if (st == LW_OK)
        st = write_copy(resource, err);
    lw_mutex_unlock(&saving->write_mu);
    return st;
}

/* The thread. */

static int64_t now_ns(void)
{
    return lw_clock_now(lw_clock_system());
}

static void push_due_locked(lw_cache_resource *resource);

static void write_due(lw_cache_resource *resource)
{
    lw_cache *cache = resource->cache;
    lw_resource_saving *saving = &resource->saving;
    lw_error err = LW_ERROR_INIT;
    lw_status st = lw_cache_saving_write(resource, &err);
    bool tells;
    lw_mutex_lock(&cache->apply_mu);
    tells = st < 0 && st != LW_ERR_STOPPED && st != LW_ERR_UNAVAILABLE && !saving->has_failed;
    saving->has_failed = st < 0 && (saving->has_failed || tells);
    saving->retry_ns = st < 0 ? now_ns() + LW_CACHE_SAVE_RETRY_S * LW_NS_PER_S : 0;
    if (st < 0 && !atomic_load(&cache->saving.is_stopping))
        push_due_locked(resource);
    lw_mutex_unlock(&cache->apply_mu);
    if (atomic_load(&resource->is_removed))
        lw_cache_saving_removed(resource);
    if (tells)
        lw_log(cache->logger, LW_LOG_WARN, "cache",
               "cannot save a copy of %s, so the next start takes longer; it is tried again every "
               "%d minutes: %s",
               resource->prefix_text, LW_CACHE_SAVE_RETRY_S / 60, err.message);
}

/* Returns when |resource|, which is due, is to be written; it may have to be asked again then. */
static int64_t ready_ns(const lw_cache_resource *resource, int64_t now)
{
    const lw_resource_saving *saving = &resource->saving;
    int64_t ready = saving->changed_ns + LW_CACHE_SAVE_REST_S * LW_NS_PER_S;
    int64_t late = saving->since_ns + LW_CACHE_SAVE_LATE_S * LW_NS_PER_S;
    if (lw_dlist_node_is_linked(&resource->packing.due_link) && ready <= now)
        ready = now + LW_CACHE_SAVE_POLL_S * LW_NS_PER_S;
    if (ready > late)
        ready = late;
    return ready < saving->retry_ns ? saving->retry_ns : ready;
}

/* Takes the resource that is to be written now, with the reference of the list; NULL: none is.
 * |*deadline| is when to ask again. */
static lw_cache_resource *take_due_locked(lw_cache_saving *saving, int64_t *deadline)
{
    int64_t now = now_ns();
    *deadline = LW_NEVER_NS;
    LW_DLIST_FOR_EACH(lw_cache_resource, resource, &saving->due, saving.due_link)
    {
        int64_t ready = ready_ns(resource, now);
        if (ready <= now) {
            lw_dlist_remove(&resource->saving.due_link);
            return resource;
        }
        if (ready < *deadline)
            *deadline = ready;
    }
    return NULL;
}

static void run(void *arg)
{
    lw_cache *cache = arg;
    lw_cache_saving *saving = &cache->saving;
    int64_t deadline;
    lw_thread_add_nice(NICE);
    lw_mutex_lock(&cache->apply_mu);
    while (!atomic_load(&saving->is_stopping)) {
        lw_cache_resource *resource = take_due_locked(saving, &deadline);
        if (!resource) {
            (void)lw_cond_wait_until(&saving->is_changed, &cache->apply_mu, deadline);
            continue;
        }
        lw_mutex_unlock(&cache->apply_mu);
        write_due(resource);
        lw_cache_resource_unref(resource);
        lw_mutex_lock(&cache->apply_mu);
    }
    lw_mutex_unlock(&cache->apply_mu);
}

void lw_cache_saving_stop(lw_cache *cache)
{
    lw_cache_saving *saving = &cache->saving;
    lw_mutex_lock(&cache->apply_mu);
    bool has_thread = saving->has_thread;
    atomic_store(&saving->is_stopping, true);
    lw_cond_broadcast(&saving->is_changed);
    lw_mutex_unlock(&cache->apply_mu);
    if (has_thread)
        lw_thread_join(&saving->thread);
    lw_mutex_lock(&cache->apply_mu);
    saving->has_thread = false;
    atomic_store(&saving->is_stopping, false);
    for (lw_dlist_node *node; (node = lw_dlist_pop_front(&saving->due));)
        lw_cache_resource_unref(LW_DLIST_ITEM(node, lw_cache_resource, saving.due_link));
    lw_mutex_unlock(&cache->apply_mu);
}

/* What comes in. */

static bool is_wanted_locked(const lw_cache_resource *resource)
{
    const lw_cache_saving *saving = &resource->cache->saving;
    return saving->folder && !resource->is_fed && resource->object_bytes >= saving->min_bytes &&
           resource->saving.unsaved_bytes > resource->object_bytes / LW_CACHE_SAVE_PART;
}

/* Without a thread nothing is saved, until the next attempt. */
static void push_due_locked(lw_cache_resource *resource)
{
    lw_cache *cache = resource->cache;
    lw_cache_saving *saving = &cache->saving;
    if (lw_dlist_node_is_linked(&resource->saving.due_link))
        return;
    lw_dlist_push_back(&saving->due, &resource->saving.due_link);
    (void)lw_cache_resource_ref(resource);
    resource->saving.since_ns = now_ns();
    if (!saving->has_thread && !atomic_load(&saving->is_stopping))
        saving->has_thread = lw_thread_start(&saving->thread, "lw-save", run, cache, NULL) == LW_OK;
    lw_cond_signal(&saving->is_changed);
}

void lw_cache_saving_changed_locked(lw_cache_resource *resource, size_t bytes)
{
    resource->saving.unsaved_bytes += bytes;
    if (!is_wanted_locked(resource))
        return;
    resource->saving.changed_ns = now_ns();
    push_due_locked(resource);
}

void lw_cache_saving_loaded(lw_cache_resource *resource, size_t copied, size_t bytes)
{
    lw_mutex_lock(&resource->cache->apply_mu);
    resource->saving.copied = copied;
    resource->saving.unsaved_bytes = 0;
    /* Packing may have changed how large an object is thought to be. */
    size_t all = resource->object_bytes;
    lw_cache_saving_changed_locked(resource, bytes < all ? all - bytes : 0);
    bool is_small = resource->object_bytes < resource->cache->saving.min_bytes;
    lw_mutex_unlock(&resource->cache->apply_mu);
    if (is_small)
        lw_cache_saving_removed(resource);
}
