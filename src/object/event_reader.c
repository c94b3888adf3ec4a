/* SPDX-License-Identifier: Apache-2.0 */
/* event_reader.c -- reads the events of a watch, and the names of their types.
 *
 * Each event is scanned once: its object is made when it is complete, its type may come before or
 * after it, and the event is delivered at the end of its document.
 *
 * Paths to drop or keep must not remove the annotation that ends the initial events, nor the reason
 * of an error; and the type of the event may come after the object.  So with such paths the object
 * is read completely, and a second scan prunes it when the type is known. */
#include "object/watch_event.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "object/api_errors.h"
#include "object/object.h"
#include "json/text.h"

struct lw_event_reader {
    lw_scan *scan;
    lw_scan *pruner; /* NULL: nothing to prune */
    lw_watch_event_fn on_event;
    void *arg;
    lw_object *object; /* of the current document; may still be NULL */
};

static lw_status reader_on_object(const lw_scan_item *item, void *arg, lw_error *err)
{
    lw_event_reader *reader = arg;
    lw_object_unref(reader->object);
    reader->object = NULL;
    lw_status st = lw_object__from_item(item, &reader->object);
    return st < 0 ? lw_object__error(err, st) : LW_OK;
}

static lw_status reader_on_pruned(const lw_scan_item *item, void *arg, lw_error *err)
{
    lw_status st = lw_object__from_item(item, arg);
    return st < 0 ? lw_object__error(err, st) : LW_OK;
}

/* Replaces the current object with a pruned one. */
static lw_status reader_prune(lw_event_reader *reader, lw_error *err)
{
    lw_object *whole = reader->object;
    lw_str json = lw_object_json(whole);
    reader->object = NULL;
    lw_scan_reset(reader->pruner);
    lw_status st = lw_scan_feed(reader->pruner, json.ptr, json.len, err);
    if (st == LW_OK)
        st = lw_scan_finish(reader->pruner, err);
    lw_object_unref(whole);
    return st;
}

bool lw_watch_event__ends_initial(const lw_object *obj)
{
    const char *value = lw_object_annotation(obj, "k8s.io/initial-events-end");
    return value && strcmp(value, "true") == 0;
}

lw_status lw_watch_event__read_error(const lw_object *obj, lw_error *error, lw_error *err)
{
    if (!obj) {
        (void)lw_error_set(error, LW_ERR_INTERNAL,
                           "the server ended the watch with an ERROR event that gives no reason");
        return LW_OK;
    }
    if (lw_api_error_decode(lw_object_json(obj), 0, LW_STR(""), error) == LW_ERR_NOMEM)
        return lw_error_nomem(err);
    return LW_OK;
}

static lw_status reader_deliver(lw_event_reader *reader, lw_watch_event_type type, lw_error *err)
{
    lw_watch_event event = { .type = type };
    lw_error error = LW_ERROR_INIT;
    lw_status st = LW_OK;
    if (type == LW_WATCH_ERROR) {
        st = lw_watch_event__read_error(reader->object, &error, err);
        event.error = &error;
    } else if (type == LW_WATCH_BOOKMARK) {
        event.is_initial_events_end = lw_watch_event__ends_initial(reader->object);
    } else if (reader->pruner) {
        st = reader_prune(reader, err);
    }
    if (st < 0)
        return st;
    event.object = reader->object;
    return reader->on_event(&event, reader->arg, err);
}

static lw_status reader_read_type(const lw_scan_envelope *envelope, lw_watch_event_type *type,
                                  lw_error *err)
{
    lw_scan_text text = envelope->type;
    lw_str raw = text.is_present ? lw_str_make(envelope->json.ptr + text.at, text.len)
                                 : lw_str_make(NULL, 0);
    for (int i = LW_WATCH_ADDED; i <= LW_WATCH_ERROR; i++) {
        *type = (lw_watch_event_type)i;
        if (lw_json_text_equal(raw, lw_str_of(lw_watch_event_type_name(*type))))
            return LW_OK;
    }
    if (!text.is_present)
        return lw_error_set_at(err, LW_ERR_INVALID, envelope->end, "the watch event has no type");
    return lw_error_set_at(err, LW_ERR_INVALID, envelope->end,
                           "the watch event has the unknown type \"%.*s\"", LW_STR_ARG(raw));
}

static lw_status reader_on_document(const lw_scan_envelope *envelope, void *arg, lw_error *err)
{
    lw_event_reader *reader = arg;
    lw_watch_event_type type;
    lw_status st = reader_read_type(envelope, &type, err);
    if (st == LW_OK && !reader->object && type != LW_WATCH_ERROR)
        st = lw_error_set_at(err, LW_ERR_INVALID, envelope->end,
                             "the watch event of type %s has no object",
                             lw_watch_event_type_name(type));
    if (st == LW_OK)
        st = reader_deliver(reader, type, err);
    lw_object_unref(reader->object);
    reader->object = NULL;
    return st;
}

static lw_status reader_new_scans(lw_event_reader *reader, const lw_read_options *read,
                                  lw_error *err)
{
    static const char *const nothing[] = { NULL };
    bool prunes = read->drop || read->keep;
    lw_scan_options how = lw_object__scan_options(read, LW_SCAN_EVENT);
    how.is_stream = true;
    how.on_item = reader_on_object;
    how.on_document = reader_on_document;
    how.arg = reader;
    if (prunes) {
        how.drop = nothing;
        how.keep = NULL;
    }
    lw_status st = lw_scan_new(&reader->scan, &how, err);
    if (st < 0 || !prunes)
        return st;
    how = lw_object__scan_options(read, LW_SCAN_OBJECT);
    how.trusts_input = true; /* validated by the first scan */
    how.on_item = reader_on_pruned;
    how.arg = &reader->object;
    return lw_scan_new(&reader->pruner, &how, err);
}

lw_status lw_event_reader_new(lw_event_reader **out, const lw_event_reader_options *options,
                              lw_error *err)
{
    lw_event_reader *reader = lw_alloc_zero(1, sizeof(*reader));
    if (!reader)
        return lw_error_nomem(err);
    reader->on_event = options->on_event;
    reader->arg = options->arg;
    lw_status st = reader_new_scans(reader, &options->read, err);
    if (st < 0) {
        lw_event_reader_free(reader);
        return st;
    }
    *out = reader;
    return LW_OK;
}

void lw_event_reader_free(lw_event_reader *reader)
{
    if (!reader)
        return;
    lw_scan_free(reader->scan);
    lw_scan_free(reader->pruner);
    lw_object_unref(reader->object);
    lw_free(reader);
}

lw_status lw_event_reader_feed(lw_event_reader *reader, const char *bytes, size_t len,
                               lw_error *err)
{
    return lw_scan_feed(reader->scan, bytes, len, err);
}

lw_status lw_event_reader_finish(lw_event_reader *reader, lw_error *err)
{
    return lw_scan_finish(reader->scan, err);
}

void lw_event_reader_reset(lw_event_reader *reader)
{
    lw_scan_reset(reader->scan);
    lw_object_unref(reader->object);
    reader->object = NULL;
}

static const char *const type_names[] = {
    [LW_WATCH_ADDED] = "ADDED",     [LW_WATCH_MODIFIED] = "MODIFIED",
    [LW_WATCH_DELETED] = "DELETED", [LW_WATCH_BOOKMARK] = "BOOKMARK",
    [LW_WATCH_ERROR] = "ERROR",
};

const char *lw_watch_event_type_name(lw_watch_event_type type)
{
    return type >= LW_WATCH_ADDED && type <= LW_WATCH_ERROR ? type_names[type] : "";
}

bool lw_watch_event_type_parse(lw_str name, lw_watch_event_type *type)
{
    for (int i = LW_WATCH_ADDED; i <= LW_WATCH_ERROR; i++) {
        if (lw_str_equal(name, lw_str_of(type_names[i]))) {
            *type = (lw_watch_event_type)i;
            return true;
        }
    }
    return false;
}
