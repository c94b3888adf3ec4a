/* SPDX-License-Identifier: Apache-2.0 */
/* copy_writer.c -- see copy_writer.h. */
#include "cache/saved/copy_writer.h"

#include <assert.h>
#include <string.h>
#include <sys/statvfs.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "object/compact/compact.h"
#include "object/object.h"
#include "object/object_body.h"
#include "state/state_file.h"

/* An object of the snapshot that is what the store has. */
typedef struct matched {
    const lw_object *object; /* borrowed from the snapshot */
    uint32_t checksum;
} matched;

typedef struct matching {
    const lw_copy_target *target;
    const lw_index *index;
    lw_index_cursor cursor;
    const lw_object *next;            /* of the snapshot; NULL: there is none */
    char start[LW_STORE_KEY_MAX + 1]; /* where the next portion begins */
    size_t start_len;
    bool is_over; /* there is no next portion */

    matched portion[LW_COPY_PORTION];
    size_t count, at;
} matching;

/* Returns true if |obj| can be read without the tables of its kind. */
static bool is_json(const lw_object *obj)
{
    return obj->is_packed ? obj->origin->message_type == NULL : !obj->is_message;
}

/* Called for each record in the order of the keys; none has to be reported. */
static bool match(const lw_store_head *head, void *arg)
{
    matching *m = arg;
    lw_str key = lw_str_skip(head->key, m->target->prefix.len);
    int order = -1;
    assert(m->count < LW_COPY_PORTION);
    memcpy(m->start, head->key.ptr, head->key.len);
    m->start[head->key.len] = '\0'; /* the smallest key after this one */
    m->start_len = head->key.len + 1;
    while (m->next && (order = lw_index_compare(m->index, m->next, key)) < 0)
        m->next = lw_index_next(m->index, &m->cursor);
    if (m->next && order == 0 && lw_object_revision(m->next) == head->mod_revision &&
        is_json(m->next))
        m->portion[m->count++] = (matched){ m->next, head->checksum };
    return true;
}

/* A record that the store reports although it was told not to. */
static lw_status ignore_record(const lw_store_record *record, void *arg, lw_error *err)
{
    matching *m = arg;
    (void)err;
    memcpy(m->start, record->key.ptr, record->key.len);
    m->start[record->key.len] = '\0';
    m->start_len = record->key.len + 1;
    return LW_OK;
}

/* The store must not run out of space because of a copy that it can do without. */
static lw_status check_space(const matching *m, lw_error *err)
{
    struct statvfs disk;
    char folder[4096];
    const char *slash = strrchr(m->target->path, '/');
    size_t len = slash ? (size_t)(slash - m->target->path) : 0;
    if (len == 0 || len >= sizeof(folder))
        return LW_OK;
    memcpy(folder, m->target->path, len);
    folder[len] = '\0';
    if (statvfs(folder, &disk) == 0 &&
        (uint64_t)disk.f_bavail * disk.f_frsize < (uint64_t)LW_COPY_FREE_MIN)
        return lw_error_set(err, LW_ERR_NO_SPACE, "less than %d MiB are free in %s",
                            LW_COPY_FREE_MIN >> 20, folder);
    return LW_OK;
}

static lw_status next_portion(matching *m, lw_error *err)
{
    const lw_copy_target *target = m->target;
    char end[LW_STORE_KEY_MAX];
    lw_store_range_result result;
    lw_store_range range = { .start = lw_str_make(m->start, m->start_len),
                             .limit = LW_COPY_PORTION,
                             .has = match };
    m->count = m->at = 0;
    if (atomic_load(target->is_stopping))
        return lw_error_set(err, LW_ERR_STOPPED, "the server is stopping");
    lw_status st = check_space(m, err);
    if (st < 0)
        return st;
    lw_store_prefix_end(target->prefix, end, &range.end);
    st = lw_store_read(target->store, &range, ignore_record, m, &result, err);
    m->is_over = st < 0 || !result.has_more || !m->next;
    return st;
}

/* The objects for the file. */
typedef struct objects_source {
    matching m;
    lw_status st;
    lw_error err;
} objects_source;

static const lw_object *next_object(void *arg, size_t index)
{
    objects_source *source = arg;
    matching *m = &source->m;
    (void)index;
    while (source->st == LW_OK && m->at == m->count && !m->is_over)
        source->st = next_portion(m, &source->err);
    return source->st == LW_OK && m->at < m->count ? m->portion[m->at++].object : NULL;
}

static uint32_t note_of(void *arg)
{
    const objects_source *source = arg;
    return source->m.portion[source->m.at - 1].checksum;
}

static lw_status end_of(void *arg, lw_error *err)
{
    const objects_source *source = arg;
    if (source->st < 0 && err)
        *err = source->err;
    return source->st;
}

lw_status lw_copy_write(const lw_copy_target *target, const lw_index *objects, lw_error *err)
{
    objects_source *source = lw_alloc_zero(1, sizeof(*source));
    if (!source)
        return lw_error_nomem(err);
    source->err = (lw_error)LW_ERROR_INIT;
    source->m.target = target;
    source->m.index = objects;
    source->m.cursor = lw_index_seek(objects, 0);
    source->m.next = lw_index_next(objects, &source->m.cursor);
    memcpy(source->m.start, target->prefix.ptr, target->prefix.len);
    source->m.start_len = target->prefix.len;
    const lw_state_facts facts = { .identity = target->identity,
                                   .resource_version = LW_STR("0"),
                                   .saved_s = lw_clock_wall(lw_clock_system()) / LW_NS_PER_S };
    const lw_state_objects all = { .count = lw_index_count(objects),
                                   .at = next_object,
                                   .arg = source,
                                   .note = note_of,
                                   .end = end_of };
    lw_status st = lw_state_file_write(target->path, &facts, &all, err);
    lw_free(source);
    return st;
}
