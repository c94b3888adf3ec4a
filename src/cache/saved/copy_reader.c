/* SPDX-License-Identifier: Apache-2.0 */
/* copy_reader.c -- see copy_reader.h. */
#include "cache/saved/copy_reader.h"

#include <assert.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "base/sync.h"
#include "object/object.h"
#include "state/state_file.h"

/* An object, and the checksum of the record that it was made of. */
typedef struct copied {
    lw_object *object; /* a reference; NULL: it was taken */
    uint32_t checksum;
} copied;

typedef struct batch {
    copied all[LW_COPY_BATCH];
    size_t count;
} batch;

struct lw_copy_reader {
    lw_copy_source source;
    lw_thread thread;
    uint32_t note;    /* the thread's: of the next object ... */
    bool has_note;    /* ... if there is one */
    lw_status st;     /* of the reading, when the thread has ended */
    lw_error err;     /* likewise */
    lw_state state;   /* likewise */
    const batch *now; /* the caller's: which it takes from; NULL: none */
    size_t at;        /* likewise: the next object in it */

    lw_mutex mu; /* guards the following members */
    lw_cond is_changed;
    uint64_t filled; /* batches that were handed over ... */
    uint64_t taken;  /* ... and those that were taken; their objects are gone */
    bool is_over;    /* no more are handed over */
    bool is_closed;  /* none is taken any more */

    batch batches[LW_COPY_BATCHES]; /* by number, modulo; the thread fills the one after |filled| */
};

/* The thread. */

static batch *filling(lw_copy_reader *reader)
{
    return &reader->batches[reader->filled % LW_COPY_BATCHES];
}

/* Hands the batch over and waits for the next one.  False: nobody wants it any more. */
static bool hand_over(lw_copy_reader *reader)
{
    lw_mutex_lock(&reader->mu);
    reader->filled++;
    lw_cond_broadcast(&reader->is_changed);
    while (reader->filled - reader->taken == LW_COPY_BATCHES && !reader->is_closed)
        lw_cond_wait(&reader->is_changed, &reader->mu);
    bool goes_on = !reader->is_closed;
    lw_mutex_unlock(&reader->mu);
    return goes_on;
}

static void on_note(uint32_t note, void *arg)
{
    lw_copy_reader *reader = arg;
    reader->note = note;
    reader->has_note = true;
}

static lw_status on_object(const lw_object *obj, void *arg, lw_error *err)
{
    lw_copy_reader *reader = arg;
    batch *b = filling(reader);
    if (!reader->has_note)
        return lw_error_set(err, LW_ERR_INVALID, "it has an object without a checksum");
    reader->has_note = false;
    b->all[b->count++] = (copied){ lw_object_ref(obj), reader->note };
    if (b->count == LW_COPY_BATCH && !hand_over(reader))
        return lw_error_set(err, LW_ERR_STOPPED, "the reading was ended");
    return LW_OK;
}

static void run(void *arg)
{
    lw_copy_reader *reader = arg;
    const lw_saved_sink sink = { .on_object = on_object,
                                 .on_note = on_note,
                                 .compact = *reader->source.compact,
                                 .arg = reader };
    reader->st = lw_state_file_read(reader->source.path, reader->source.identity, &sink,
                                    &reader->state, &reader->err);
    lw_mutex_lock(&reader->mu);
    if (filling(reader)->count > 0 && !reader->is_closed)
        reader->filled++;
    reader->is_over = true;
    lw_cond_broadcast(&reader->is_changed);
    lw_mutex_unlock(&reader->mu);
}

/* The caller. */

lw_copy_reader *lw_copy_reader_open(const lw_copy_source *source)
{
    if (access(source->path, F_OK) < 0)
        return NULL;
    lw_copy_reader *reader = lw_alloc_zero(1, sizeof(*reader));
    if (!reader)
        return NULL;
    reader->source = *source;
    reader->err = (lw_error)LW_ERROR_INIT;
    lw_mutex_init(&reader->mu);
    lw_cond_init(&reader->is_changed);
    if (lw_thread_start(&reader->thread, "lw-copy", run, reader, NULL) == LW_OK)
        return reader;
    lw_cond_done(&reader->is_changed);
    lw_mutex_done(&reader->mu);
    lw_free(reader);
    return NULL;
}

static void release_objects(batch *b)
{
    for (size_t i = 0; i < b->count; i++)
        lw_object_unref(b->all[i].object);
    b->count = 0;
}

/* Goes to the next batch.  False: there is none. */
static bool next_batch(lw_copy_reader *reader)
{
    if (reader->now)
        release_objects(&reader->batches[reader->taken % LW_COPY_BATCHES]);
    lw_mutex_lock(&reader->mu);
    if (reader->now) {
        reader->taken++;
        lw_cond_broadcast(&reader->is_changed);
    }
    while (reader->taken == reader->filled && !reader->is_over)
        lw_cond_wait(&reader->is_changed, &reader->mu);
    bool has_more = reader->taken < reader->filled;
    lw_mutex_unlock(&reader->mu);
    reader->now = has_more ? &reader->batches[reader->taken % LW_COPY_BATCHES] : NULL;
    reader->at = 0;
    return has_more;
}

/* Returns the next object that was not passed; NULL: there is none. */
static copied *next_copied(lw_copy_reader *reader)
{
    if ((!reader->now || reader->at == reader->now->count) && !next_batch(reader))
        return NULL;
    return &reader->batches[reader->taken % LW_COPY_BATCHES].all[reader->at];
}

lw_object *lw_copy_reader_take(lw_copy_reader *reader, const lw_store_head *head, lw_str key)
{
    copied *next;
    int order = -1;
    while ((next = next_copied(reader)) &&
           (order = lw_index_compare(reader->source.index, next->object, key)) < 0)
        reader->at++;
    if (!next || order > 0)
        return NULL;
    reader->at++;
    if (lw_object_revision(next->object) != head->mod_revision || next->checksum != head->checksum)
        return NULL;
    lw_object *found = next->object;
    next->object = NULL;
    return found;
}

lw_status lw_copy_reader_close(lw_copy_reader *reader, lw_compact **packer, lw_error *err)
{
    *packer = NULL;
    if (!reader)
        return LW_OK;
    lw_mutex_lock(&reader->mu);
    reader->is_closed = true;
    lw_cond_broadcast(&reader->is_changed);
    lw_mutex_unlock(&reader->mu);
    lw_thread_join(&reader->thread);
    lw_status st = reader->st == LW_ERR_STOPPED ? LW_OK : reader->st;
    if (reader->st == LW_OK)
        *packer = reader->state.packer;
    if (st < 0 && err)
        *err = reader->err;
    for (size_t i = 0; i < LW_COPY_BATCHES; i++)
        release_objects(&reader->batches[i]);
    lw_cond_done(&reader->is_changed);
    lw_mutex_done(&reader->mu);
    lw_free(reader);
    return st;
}
