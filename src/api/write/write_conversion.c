/* SPDX-License-Identifier: Apache-2.0 */
/* write_conversion.c -- questions of writes to conversion webhooks. */
#include "api/write/write_conversion.h"

#include "api/conversion/convert.h"
#include "api/write/ask.h"
#include "base/alloc.h"
#include "base/container_of.h"
#include "base/str.h"
#include "schema/kinds/definition.h"

/* One object of a write that is being converted. */
typedef struct converting {
    lw_write_question base; /* first */
    lw_convert job;
    lw_write *write;
    bool is_converted;
    bool is_decided; /* |decision| was taken; otherwise it is taken with the converted object */
    lw_write_decision decision;
} converting;

static void converting_free(lw_write_question *question)
{
    converting *c = (converting *)(void *)question;
    lw_convert_cancel(&c->job);
    lw_free(c);
}

static lw_write_decision refuse(lw_write *write, lw_convert *job)
{
    lw_convert_refuse(job, false, &write->status);
    return LW_WRITE_REFUSE;
}

static lw_write_decision resume(lw_write *write)
{
    converting *c = (converting *)(void *)write->question;
    lw_write_decision decision = c->decision;
    bool is_converted = c->is_converted, is_decided = c->is_decided;
    if (!is_converted)
        decision = refuse(write, &c->job);
    write->question = NULL;
    converting_free(&c->base);
    return is_converted && !is_decided ? write->decide(write) : decision;
}

static void question_done(lw_convert *job, bool is_converted)
{
    converting *c = LW_CONTAINER_OF(job, converting, job);
    c->is_converted = is_converted;
    lw_write_resume(c->write);
}

static lw_convert job_of(const lw_write *write, const lw_kind *kind, lw_object **place)
{
    return (lw_convert){ .port = write->port,
                         .kind = kind,
                         .objects = place,
                         .count = 1,
                         .deadline_ns = lw_ask_deadline(write) };
}

/* Converts |*place| to |kind|.  |decided|: what was decided; NULL: nothing yet. */
static bool convert(lw_write *write, const lw_kind *kind, lw_object **place,
                    const lw_write_decision *decided, lw_write_decision *decision)
{
    converting *c = lw_alloc_zero(1, sizeof(*c));
    if (!c) {
        *decision = lw_write_fail(write, LW_ERR_NOMEM);
        return false;
    }
    c->base.free = converting_free;
    c->write = write;
    c->is_decided = decided != NULL;
    c->decision = decided ? *decided : LW_WRITE_REFUSE;
    c->job = job_of(write, kind, place);
    c->job.done = question_done;
    lw_convert_outcome outcome = lw_convert_start(&c->job);
    if (outcome == LW_CONVERT_WAITING) {
        write->question = &c->base;
        write->resume = resume;
        *decision = LW_WRITE_ASK;
        return false;
    }
    if (outcome == LW_CONVERT_FAILED)
        *decision = refuse(write, &c->job);
    lw_free(c);
    return outcome == LW_CONVERT_DONE;
}

bool lw_write_convert_current(lw_write *write, lw_write_decision *decision)
{
    const struct lw_custom *custom = write->kind->custom;
    write->is_stored_otherwise = false;
    if (!write->current || !custom || !lw_definition_has_webhook(custom->definition))
        return true;
    const lw_kind *stored = lw_definition_storage_kind(custom->definition);
    write->is_stored_otherwise = stored && lw_convert_is_needed(stored, write->current);
    return !write->call || !lw_convert_is_needed(write->kind, write->current) ||
           convert(write, write->kind, &write->current, NULL, decision);
}

bool lw_write_convert_next(lw_write *write, lw_write_decision *decision)
{
    const struct lw_custom *custom = write->kind->custom;
    lw_write_decision decided = *decision;
    if ((decided != LW_WRITE_PUT && decided != LW_WRITE_PUT_FIRST) || !write->next ||
        !write->call || !custom)
        return true;
    const lw_kind *stored = lw_definition_storage_kind(custom->definition);
    return !stored || !lw_convert_is_needed(stored, write->next) ||
           convert(write, stored, &write->next, &decided, decision);
}

/* A result that is being converted: nothing can stop it but its time limit. */
typedef struct showing {
    lw_convert job; /* first */
    lw_write *write;
} showing;

static void show(lw_write *write, lw_convert *job, bool is_converted)
{
    if (!is_converted)
        write->outcome = refuse(write, job);
    write->done(write);
}

static void result_done(lw_convert *job, bool is_converted)
{
    showing *s = (showing *)(void *)job;
    lw_write *write = s->write;
    write->port->under_way--;
    lw_convert reason = *job;
    lw_free(s);
    show(write, &reason, is_converted);
}

void lw_write_convert_result(lw_write *write)
{
    if (!write->call || write->outcome != LW_WRITE_PUT || !write->result ||
        !lw_convert_is_needed(write->kind, write->result)) {
        write->done(write);
        return;
    }
    showing *s = lw_alloc_zero(1, sizeof(*s));
    if (!s) { /* it is stored: nothing can be shown of it */
        lw_object_unref(write->result);
        write->result = NULL;
        write->done(write);
        return;
    }
    s->write = write;
    s->job = job_of(write, write->kind, &write->result);
    s->job.done = result_done;
    lw_convert_outcome outcome = lw_convert_start(&s->job);
    if (outcome == LW_CONVERT_WAITING) {
        write->port->under_way++;
        return;
    }
    lw_convert reason = s->job;
    lw_free(s);
    show(write, &reason, outcome == LW_CONVERT_DONE);
}
