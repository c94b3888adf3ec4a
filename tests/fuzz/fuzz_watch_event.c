/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_watch_event.c -- a watch stream gives the same events and the same error however it is
 * split. */
#include <stdlib.h>
#include <string.h>

#include <listwatch/watch_event.h>

#include "base/buf.h"
#include "fuzz/fuzz.h"

enum {
    NOTES_LIMIT = 64 << 20,
};

/* The result of reading. */
typedef struct outcome {
    lw_buf notes; /* every event, in full */
    lw_status st;
    lw_error error;
} outcome;

static lw_status note_event(const lw_watch_event *event, void *arg, lw_error *err)
{
    lw_buf *notes = arg;
    (void)err;
    lw_buf_printf(notes, "%s%s", lw_watch_event_type_name(event->type),
                  event->is_initial_events_end ? " end " : " ");
    if (event->object)
        lw_buf_append_str(notes, lw_object_json(event->object));
    if (event->error)
        lw_buf_printf(notes, " %d %s", event->error->code, event->error->message);
    lw_buf_append_char(notes, '\n');
    return LW_OK;
}

static void read_stream(outcome *o, const lw_read_options *read, const char *bytes, size_t len,
                        size_t step)
{
    lw_event_reader *reader = NULL;
    const lw_event_reader_options options = {
        .read = *read,
        .on_event = note_event,
        .arg = &o->notes,
    };
    o->error = (lw_error)LW_ERROR_INIT;
    lw_buf_init(&o->notes, NOTES_LIMIT);
    if (lw_event_reader_new(&reader, &options, NULL) < 0)
        abort();
    o->st = LW_OK;
    for (size_t at = 0; o->st == LW_OK && at < len; at += step)
        o->st =
            lw_event_reader_feed(reader, bytes + at, len - at < step ? len - at : step, &o->error);
    if (o->st == LW_OK)
        o->st = lw_event_reader_finish(reader, &o->error);
    lw_event_reader_free(reader);
}

static void check_cuts(const lw_read_options *read, const char *bytes, size_t len, size_t step)
{
    outcome whole, cut;
    read_stream(&whole, read, bytes, len, len + 1);
    read_stream(&cut, read, bytes, len, step);
    if (whole.st != cut.st || whole.error.offset != cut.error.offset ||
        strcmp(whole.error.message, cut.error.message) != 0 ||
        !lw_str_equal(lw_buf_view(&whole.notes), lw_buf_view(&cut.notes)))
        abort();
    lw_buf_done(&whole.notes);
    lw_buf_done(&cut.notes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const drop[] = { "/metadata/annotations", "/spec/*/a", NULL };
    static const char *const keep[] = { "/spec/a", "/status/*/b", NULL };
    const lw_read_options options[] = {
        { 0 }, { .drop = drop }, { .keep = keep }, { .max_object_size = 64 }
    };
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        check_cuts(&options[i], (const char *)data, size, 1);
        check_cuts(&options[i], (const char *)data, size, size % 61 + 2);
    }
    return 0;
}
