/* SPDX-License-Identifier: Apache-2.0 */
/* fake_provider_state.c -- the objects and the injected faults of the fake API server. */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "support/fake_provider_core.h"

void fake_provider__poke(fake_provider *fake)
{
    uint64_t one = 1;
    (void)!write(fake->fd, &one, sizeof(one));
}

lw_error fake_error(lw_status code, int http_status, const char *message)
{
    lw_error err = LW_ERROR_INIT;
    (void)lw_error_set(&err, code, "%s", message);
    err.http_status = http_status;
    return err;
}

static bool grow(void **array, size_t count, size_t *slots, size_t size)
{
    if (count < *slots)
        return true;
    size_t more = *slots ? *slots * 2 : 64;
    void *bigger = lw_realloc_array(*array, more, size);
    if (!bigger)
        return false;
    *array = bigger;
    *slots = more;
    return true;
}

fake_provider_counts fake_provider_look(fake_provider *fake)
{
    lw_mutex_lock(&fake->mu);
    fake_provider_counts counts = fake->counts;
    counts.revision = fake->revision;
    lw_mutex_unlock(&fake->mu);
    return counts;
}

/* Objects. */

static int compare_place(const stored *s, const char *resource, lw_key key)
{
    int order = lw_str_compare(lw_str_of(s->resource), lw_str_of(resource));
    return order ? order : lw_key_compare(lw_object_key(s->object), key);
}

/* Returns the first position that is not before the key. */
static size_t find_place(const fake_provider *fake, const char *resource, lw_key key)
{
    size_t low = 0, high = fake->object_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_place(&fake->objects[middle], resource, key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

lw_object *fake_provider__make_object(const char *resource, lw_key key, uint64_t revision,
                                      uint64_t generation, const char *app, const char *members)
{
    lw_object *obj = NULL;
    lw_buf text;
    lw_buf_init(&text, 1 << 20);
    lw_buf_printf(&text,
                  "{\"apiVersion\":\"v1\",\"kind\":\"%s\",\"metadata\":{\"name\":\"%.*s\","
                  "\"uid\":\"u-%" PRIu64 "\",\"resourceVersion\":\"%" PRIu64 "\"",
                  resource, LW_STR_ARG(key.name), generation, revision);
    if (key.ns.len > 0)
        lw_buf_printf(&text, ",\"namespace\":\"%.*s\"", LW_STR_ARG(key.ns));
    if (app)
        lw_buf_printf(&text, ",\"labels\":{\"app\":\"%s\"}", app);
    lw_buf_append_text(&text, "}");
    if (members)
        lw_buf_printf(&text, ",%s", members);
    lw_buf_append_text(&text, "}");
    if (text.st == LW_OK)
        (void)lw_object_from_json(&obj, text.data, text.len, NULL);
    lw_buf_done(&text);
    return obj;
}

static bool record_event(fake_provider *fake, lw_watch_event_type type, const char *resource,
                         const lw_object *obj, const lw_object *before)
{
    char *name = lw_str_dup(lw_str_of(resource));
    void *array = fake->events;
    if (!name || !grow(&array, fake->event_count, &fake->event_slots, sizeof(past_event))) {
        lw_free(name);
        return false;
    }
    fake->events = array;
    fake->events[fake->event_count++] =
        (past_event){ .type = type,
                      .revision = fake->revision,
                      .resource = name,
                      .object = lw_object_ref(obj),
                      .before = before ? lw_object_ref(before) : NULL,
                      .is_lost = fake->is_lossy };
    return true;
}

static bool insert_at(fake_provider *fake, size_t at, const char *resource, lw_object *obj,
                      uint64_t generation)
{
    char *name = lw_str_dup(lw_str_of(resource));
    void *array = fake->objects;
    if (!name || !grow(&array, fake->object_count, &fake->object_slots, sizeof(stored))) {
        lw_free(name);
        return false;
    }
    fake->objects = array;
    memmove(&fake->objects[at + 1], &fake->objects[at], (fake->object_count - at) * sizeof(stored));
    fake->objects[at] = (stored){ name, obj, generation };
    fake->object_count++;
    return true;
}

static bool put_locked(fake_provider *fake, const char *resource, lw_key key, const char *app,
                       const char *members)
{
    size_t at = find_place(fake, resource, key);
    bool is_there =
        at < fake->object_count && compare_place(&fake->objects[at], resource, key) == 0;
    uint64_t generation = is_there ? fake->objects[at].generation : ++fake->generations;
    lw_object *obj =
        fake_provider__make_object(resource, key, fake->revision + 1, generation, app, members);
    if (!obj)
        return false;
    fake->revision++;
    lw_object *before = is_there ? fake->objects[at].object : NULL;
    bool is_done =
        record_event(fake, is_there ? LW_WATCH_MODIFIED : LW_WATCH_ADDED, resource, obj, before);
    if (is_done && !is_there)
        is_done = insert_at(fake, at, resource, obj, generation);
    else if (is_done)
        fake->objects[at].object = obj;
    lw_object_unref(is_done ? before : obj);
    return is_done;
}

static bool delete_locked(fake_provider *fake, const char *resource, lw_key key)
{
    size_t at = find_place(fake, resource, key);
    if (at == fake->object_count || compare_place(&fake->objects[at], resource, key) != 0)
        return false;
    stored gone = fake->objects[at];
    lw_object *last = NULL;
    if (lw_object_with_revision(&last, gone.object, fake->revision + 1) < 0)
        return false;
    fake->revision++;
    (void)record_event(fake, LW_WATCH_DELETED, resource, last, NULL);
    fake->object_count--;
    memmove(&fake->objects[at], &fake->objects[at + 1], (fake->object_count - at) * sizeof(stored));
    lw_object_unref(last);
    lw_object_unref(gone.object);
    lw_free(gone.resource);
    return true;
}

lw_key fake_provider__key_of(const char *text)
{
    lw_key key = { { NULL, 0 }, { NULL, 0 } };
    (void)lw_key_parse(lw_str_of(text), &key, NULL);
    return key;
}

uint64_t fake_provider_put(fake_provider *fake, const char *resource, const char *key,
                           const char *app, const char *members)
{
    lw_mutex_lock(&fake->mu);
    uint64_t revision =
        put_locked(fake, resource, fake_provider__key_of(key), app, members) ? fake->revision : 0;
    lw_mutex_unlock(&fake->mu);
    fake_provider__poke(fake);
    return revision;
}

uint64_t fake_provider_delete(fake_provider *fake, const char *resource, const char *key)
{
    lw_mutex_lock(&fake->mu);
    uint64_t revision =
        delete_locked(fake, resource, fake_provider__key_of(key)) ? fake->revision : 0;
    lw_mutex_unlock(&fake->mu);
    fake_provider__poke(fake);
    return revision;
}

uint64_t fake_provider_recreate(fake_provider *fake, const char *resource, const char *key)
{
    lw_mutex_lock(&fake->mu);
    bool is_done = delete_locked(fake, resource, fake_provider__key_of(key)) &&
                   put_locked(fake, resource, fake_provider__key_of(key), NULL, NULL);
    uint64_t revision = is_done ? fake->revision : 0;
    lw_mutex_unlock(&fake->mu);
    fake_provider__poke(fake);
    return revision;
}

/* Faults. */

void fake_provider_set_lossy(fake_provider *fake, bool is_lossy)
{
    lw_mutex_lock(&fake->mu);
    fake->is_lossy = is_lossy;
    lw_mutex_unlock(&fake->mu);
}

void fake_provider__forget_events(fake_provider *fake)
{
    for (size_t i = 0; i < fake->event_count; i++) {
        lw_free(fake->events[i].resource);
        lw_object_unref(fake->events[i].object);
        lw_object_unref(fake->events[i].before);
    }
    fake->event_count = 0;
}

void fake_provider_compact(fake_provider *fake)
{
    lw_mutex_lock(&fake->mu);
    fake->compacted = fake->revision;
    fake_provider__forget_events(fake);
    lw_mutex_unlock(&fake->mu);
}

void fake_provider_bookmark(fake_provider *fake)
{
    lw_mutex_lock(&fake->mu);
    LW_DLIST_FOR_EACH(fake_call, call, &fake->calls, link)
    call->wants_bookmark = call->is_watch;
    lw_mutex_unlock(&fake->mu);
    fake_provider__poke(fake);
}

void fake_provider_end_watches(fake_provider *fake, const lw_error *err)
{
    lw_mutex_lock(&fake->mu);
    LW_DLIST_FOR_EACH(fake_call, call, &fake->calls, link)
    {
        call->is_ended = call->is_watch;
        call->has_failed = call->is_watch && err;
        if (err)
            call->error = *err;
    }
    lw_mutex_unlock(&fake->mu);
    fake_provider__poke(fake);
}

void fake_provider_fail_lists(fake_provider *fake, unsigned count, const lw_error *err)
{
    lw_mutex_lock(&fake->mu);
    fake->list_failures = count;
    fake->list_error = *err;
    lw_mutex_unlock(&fake->mu);
}

void fake_provider_fail_watches(fake_provider *fake, unsigned count, const lw_error *err)
{
    lw_mutex_lock(&fake->mu);
    fake->watch_failures = count;
    fake->watch_error = *err;
    lw_mutex_unlock(&fake->mu);
}

void fake_provider_hold(fake_provider *fake, bool is_held)
{
    lw_mutex_lock(&fake->mu);
    fake->is_held = is_held;
    lw_mutex_unlock(&fake->mu);
    fake_provider__poke(fake);
}

void fake_provider_set_streams(fake_provider *fake, bool has_streams)
{
    lw_mutex_lock(&fake->mu);
    fake->has_streams = has_streams;
    lw_mutex_unlock(&fake->mu);
}
