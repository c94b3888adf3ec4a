/* SPDX-License-Identifier: Apache-2.0 */
/* faults_witness.c -- checks the events of a handler against the true history. */
#include "suite/faults_witness.h"

#include <inttypes.h>

#include "suite/faults_text.h"
#include "suite/faults_trace.h"
#include "unit/test.h"

#define EXPECT(witness, event, condition)                                                          \
    do {                                                                                           \
        if (!(condition))                                                                          \
            refuse((witness), (event), #condition);                                                \
    } while (0)

static void refuse(const faults_witness *w, const lw_event *event, const char *what)
{
    unsigned name = faults_name_of(event->object);
    fail_msg("the %s handler got an invalid event %s (%s) of o%u at %" PRIu64 " after %" PRIu64
             " (object %" PRIu64 "): violates %s",
             w->name, lw_event_type_name(event->type), lw_event_cause_name(event->cause), name,
             lw_object_revision(event->object), w->told[name].last_rv, w->told[name].obj.rv, what);
}

/* Returns the change of |name| that produced |obj|, or NULL. */
static const model_event *find_change(const faults_witness *w, unsigned name, const lw_object *obj)
{
    for (size_t i = 0; i < w->past->count; i++) {
        const model_event *change = &w->past->log[i];
        const model_object version = { change->rv, change->generation };
        if (change->rv == lw_object_revision(obj) && change->name == name)
            return faults_is_written(obj, name, &version) ? change : NULL;
    }
    return NULL;
}

static bool is_what_was_told(const lw_object *obj, unsigned name, const faults_told *told)
{
    return told->obj.rv != 0 && faults_is_written(obj, name, &told->obj);
}

/* A watch reports each change of a known object.  If the object was unknown, a list may have
 * skipped its creation and deletion. */
static bool is_next(const faults_witness *w, const faults_told *told, const model_event *change)
{
    if (!w->is_told_all || told->obj.rv == 0)
        return change->rv > told->last_rv;
    return model_history_after_of(w->past, told->last_rv, change->name) == change;
}

static void hear_put(faults_witness *w, const lw_event *event, unsigned name)
{
    faults_told *told = &w->told[name];
    const model_event *change = find_change(w, name, event->object);
    bool is_new = told->obj.rv == 0;
    EXPECT(w, event, change && change->type != LW_WATCH_DELETED);
    EXPECT(w, event, (event->type == LW_EVENT_ADD) == is_new);
    EXPECT(w, event, change->rv > told->last_rv);
    EXPECT(w, event, event->cause != LW_CAUSE_WATCH || is_next(w, told, change));
    EXPECT(w, event, event->cause != LW_CAUSE_INITIAL || is_new);
    if (event->type == LW_EVENT_UPDATE) {
        EXPECT(w, event, is_what_was_told(event->old_object, name, told));
        EXPECT(w, event, event->is_uid_changed == (told->obj.generation != change->generation));
    }
    EXPECT(w, event, !event->is_final_state_unknown);
    told->obj = (model_object){ change->rv, change->generation };
    told->last_rv = change->rv;
    w->adds += event->type == LW_EVENT_ADD;
    w->updates += event->type == LW_EVENT_UPDATE;
}

static void hear_delete(faults_witness *w, const lw_event *event, unsigned name)
{
    faults_told *told = &w->told[name];
    EXPECT(w, event, told->obj.rv != 0);
    if (event->cause == LW_CAUSE_WATCH) {
        const model_event *change = find_change(w, name, event->object);
        EXPECT(w, event, change && change->type == LW_WATCH_DELETED);
        EXPECT(w, event, is_next(w, told, change));
        EXPECT(w, event, !event->is_final_state_unknown);
        told->last_rv = change->rv;
    } else {
        model_object state[MODEL_NAMES];
        model_history_state_at(w->past, event->revision, state);
        EXPECT(w, event, event->cause == LW_CAUSE_RELIST);
        EXPECT(w, event, event->is_final_state_unknown);
        EXPECT(w, event, !w->is_told_all || is_what_was_told(event->object, name, told));
        EXPECT(w, event, event->revision > told->last_rv);
        EXPECT(w, event, state[name].rv == 0);
        told->last_rv = event->revision;
        w->relisted++;
    }
    told->obj = (model_object){ 0, 0 };
    w->deletes++;
}

static void hear_resync(faults_witness *w, const lw_event *event, unsigned name)
{
    const faults_told *told = &w->told[name];
    EXPECT(w, event, w->is_resynced);
    EXPECT(w, event, event->type == LW_EVENT_UPDATE);
    EXPECT(w, event, is_what_was_told(event->object, name, told));
    EXPECT(w, event, is_what_was_told(event->old_object, name, told));
    w->resyncs++;
}

void faults_witness_hear(const lw_event *event, void *arg)
{
    faults_witness *w = arg;
    unsigned name = faults_name_of(event->object);
    faults_trace("  %s: %s o%u %" PRIu64 " (%s)", w->name, lw_event_type_name(event->type), name,
                 event->revision, lw_event_cause_name(event->cause));
    if (event->cause == LW_CAUSE_RESYNC)
        hear_resync(w, event, name);
    else if (event->type == LW_EVENT_DELETE)
        hear_delete(w, event, name);
    else
        hear_put(w, event, name);
}

void faults_witness_check(const faults_witness *w)
{
    model_object state[MODEL_NAMES];
    model_history_state_at(w->past, w->past->rv, state);
    for (unsigned i = 0; i < MODEL_NAMES; i++) {
        uint64_t told = w->told[i].obj.rv;
        if (told != state[i].rv || (told && w->told[i].obj.generation != state[i].generation))
            fail_msg("the last event of the %s handler for o%u is at %" PRIu64
                     ", the server is at %" PRIu64,
                     w->name, i, told, state[i].rv);
    }
}
