/* SPDX-License-Identifier: Apache-2.0 */
/* watch_world.h -- a watch whose callbacks write down what they hear. */
#ifndef LW_TESTS_UNIT_ETCD_WATCH_WORLD_H
#define LW_TESTS_UNIT_ETCD_WATCH_WORLD_H

#include "base/buf.h"
#include "unit/etcd/etcd_world.h"

typedef struct watch_note {
    lw_etcd_watch *watch;
    lw_buf said; /* "+key=value" and "-key" of each event */
    unsigned opens, batches, events, progresses, cuts, ends;
    uint64_t last_revision, progress, opened, compacted;
    bool is_disordered; /* a revision came twice, or in parts */
    size_t bytes;
    lw_error err;        /* of the last cut or end */
    unsigned cancels_at; /* cancel in the callback of this batch; 0: never */
    unsigned pauses_at;  /* pause in the callback of this batch; 0: never */
    bool has_prev, wants_text;
    char prev[64];
} watch_note;

static inline void watch_note__opened(uint64_t revision, void *arg)
{
    watch_note *note = arg;
    note->opens++;
    note->opened = revision;
}

static inline void watch_note__events(const lw_etcd_event *events, size_t count, void *arg)
{
    watch_note *note = arg;
    note->batches++;
    if (events[0].kv.mod_revision <= note->last_revision)
        note->is_disordered = true;
    for (size_t i = 0; i < count; i++) {
        const lw_etcd_kv *kv = &events[i].kv;
        if (kv->mod_revision < note->last_revision)
            note->is_disordered = true;
        note->last_revision = kv->mod_revision;
        note->bytes += kv->value.len;
        if (note->wants_text && events[i].is_delete)
            lw_buf_printf(&note->said, "-%.*s ", LW_STR_ARG(kv->key));
        else if (note->wants_text)
            lw_buf_printf(&note->said, "+%.*s=%.*s ", LW_STR_ARG(kv->key), LW_STR_ARG(kv->value));
        note->has_prev = events[i].has_prev;
        (void)snprintf(note->prev, sizeof(note->prev), "%.*s", LW_STR_ARG(events[i].prev.value));
    }
    note->events += (unsigned)count;
    if (note->batches == note->cancels_at)
        lw_etcd_watch_cancel(note->watch);
    if (note->batches == note->pauses_at)
        lw_etcd_watch_set_paused(note->watch, true);
}

static inline void watch_note__progress(uint64_t revision, void *arg)
{
    watch_note *note = arg;
    note->progresses++;
    note->progress = revision;
}

static inline void watch_note__cut(const lw_error *err, void *arg)
{
    watch_note *note = arg;
    note->cuts++;
    note->err = *err;
}

static inline void watch_note__ended(const lw_error *err, uint64_t compacted, void *arg)
{
    watch_note *note = arg;
    note->ends++;
    note->err = *err;
    note->compacted = compacted;
    note->watch = NULL;
}

/* Opens the watch; the options of the note are set before. */
static inline void watch_note_open(watch_note *note, lw_etcd *etcd,
                                   const lw_etcd_watch_request *request)
{
    const lw_etcd_watch_sink sink = { watch_note__opened, watch_note__events, watch_note__progress,
                                      watch_note__cut,    watch_note__ended,  note };
    lw_buf_init(&note->said, 1 << 20);
    note->err = (lw_error)LW_ERROR_INIT;
    assert_int_equal(lw_etcd_watch_open(&note->watch, etcd, request, &sink), LW_OK);
    assert_int_equal(note->opens + note->ends, 0);
}

static inline void watch_note_close(watch_note *note)
{
    lw_etcd_watch_cancel(note->watch);
    lw_buf_done(&note->said);
}

#endif
