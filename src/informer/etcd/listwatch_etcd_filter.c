/* SPDX-License-Identifier: Apache-2.0 */
/* listwatch_etcd_filter.c -- the keys that belong to a source: a range, a namespace, selectors.
 *
 * etcd supports only ranges.  The rest is applied here, like on a server: an object that starts to
 * match is ADDED, one that no longer matches is DELETED. */
#include "informer/etcd/listwatch_etcd_internal.h"

#include <listwatch/match.h>

#include "base/error.h"
#include "base/str.h"

/* Appends the end of the range of all keys that begin with |first|. */
static void append_end(lw_buf *end, lw_str first)
{
    while (first.len > 0 && (unsigned char)first.ptr[first.len - 1] == 0xff)
        first.len--;
    if (first.len == 0) {
        lw_buf_append_char(end, '\0'); /* all keys from the first on */
        return;
    }
    lw_buf_append(end, first.ptr, first.len - 1);
    lw_buf_append_char(end, (char)(first.ptr[first.len - 1] + 1));
}

/* If the prefix ends in '/', the namespace is a part of the keys. */
static void append_first(lw_buf *first, lw_str prefix, lw_str ns)
{
    lw_buf_append_str(first, prefix);
    if (ns.len == 0 || !lw_str_ends_with(prefix, LW_STR("/")))
        return;
    lw_buf_append_str(first, ns);
    if (ns.ptr[0] != '/')
        lw_buf_append_char(first, '/');
}

lw_status lw_etcd_source__init_filter(lw_etcd_source *source, lw_error *err)
{
    const lw_source_spec *spec = &source->spec;
    lw_str prefix = lw_str_of(spec->resource);
    lw_buf_init(&source->first, LW_ETCD_SOURCE_KEY_MAX);
    lw_buf_init(&source->end, LW_ETCD_SOURCE_KEY_MAX);
    lw_buf_init(&source->scratch, LW_ETCD_MESSAGE_MAX);
    if (prefix.len == 0)
        return lw_error_set(err, LW_ERR_INVALID,
                            "the resource of an etcd informer must be a key prefix, e.g. /app/");
    append_first(&source->first, prefix, lw_str_of(spec->ns));
    append_end(&source->end, lw_buf_view(&source->first));
    if (source->first.st < 0 || source->end.st < 0)
        return lw_error_nomem(err);
    source->form = (lw_etcd_object_form){ .directory = lw_etcd_object_directory(prefix),
                                          .is_metadata_only = spec->is_metadata_only,
                                          .read = spec->read };
    source->whole = (lw_etcd_object_form){ .directory = source->form.directory,
                                           .read = { .keeps_managed_fields = true } };
    lw_status st = lw_label_selector_parse(&source->labels, lw_str_of(spec->label_selector), err);
    if (st == LW_OK)
        st = lw_field_selector_parse(&source->fields, lw_str_of(spec->field_selector), err);
    source->has_filter =
        st == LW_OK && (spec->ns[0] != '\0' || !lw_label_selector_is_everything(source->labels) ||
                        !lw_field_selector_is_everything(source->fields));
    return st;
}

void lw_etcd_source__done_filter(lw_etcd_source *source)
{
    lw_label_selector_free(source->labels);
    lw_field_selector_free(source->fields);
    lw_buf_done(&source->first);
    lw_buf_done(&source->end);
    lw_buf_done(&source->scratch);
}

/* Releases the buffer after a large value. */
static void tidy_scratch(lw_etcd_source *source)
{
    if (source->scratch.cap > LW_ETCD_SOURCE_SCRATCH_KEPT)
        lw_buf_done(&source->scratch);
}

static lw_status make(lw_etcd_source *source, const lw_etcd_object_form *form, const lw_etcd_kv *kv,
                      uint64_t revision, lw_object **out, lw_error *err)
{
    lw_status st = lw_etcd_object_make(out, form, kv, revision, &source->scratch, err);
    tidy_scratch(source);
    return st;
}

/* Selectors also work on fields that are dropped. */
static bool needs_whole(const lw_etcd_source *source)
{
    return !lw_field_selector_is_everything(source->fields) &&
           (source->form.is_metadata_only || source->form.read.drop || source->form.read.keep);
}

static bool is_in_namespace(const lw_etcd_source *source, const lw_object *obj)
{
    const char *ns = source->spec.ns;
    return ns[0] == '\0' || strcmp(ns, lw_object_namespace(obj)) == 0;
}

static bool is_selected(const lw_etcd_source *source, const lw_object *obj)
{
    return is_in_namespace(source, obj) && lw_label_selector_matches(source->labels, obj) &&
           lw_field_selector_matches_object(source->fields, obj);
}

lw_status lw_etcd_source__select(lw_etcd_source *source, const lw_etcd_kv *kv, uint64_t revision,
                                 lw_object **out, lw_error *err)
{
    lw_object *obj = NULL;
    bool is_twice = needs_whole(source);
    lw_status st = make(source, is_twice ? &source->whole : &source->form, kv, revision, &obj, err);
    if (st < 0)
        return st;
    if (source->has_filter && !is_selected(source, obj)) {
        lw_object_unref(obj);
        obj = NULL;
    } else if (is_twice) {
        lw_object_unref(obj);
        return make(source, &source->form, kv, revision, out, err);
    }
    *out = obj;
    return LW_OK;
}

/* The key was deleted, and its previous value is unknown. */
static lw_status make_gone(lw_etcd_source *source, const lw_etcd_event *event, lw_object **out,
                           lw_error *err)
{
    lw_object *obj = NULL;
    lw_status st = lw_etcd_object_make_gone(&obj, &source->form, event->kv.key,
                                            event->kv.mod_revision, &source->scratch, err);
    tidy_scratch(source);
    if (st == LW_OK && !is_in_namespace(source, obj)) {
        lw_object_unref(obj);
        obj = NULL;
    }
    *out = obj;
    return st;
}

/* Handles a change whose key does not, or no longer, belong to the source: DELETED if it did
 * before, or if that is unknown. */
static lw_status judge_gone(lw_etcd_source *source, const lw_etcd_event *event,
                            lw_watch_event_type *type, lw_object **out, lw_error *err)
{
    lw_status st = event->has_prev ? lw_etcd_source__select(source, &event->prev,
                                                            event->kv.mod_revision, out, err)
                                   : make_gone(source, event, out, err);
    if (st == LW_OK && *out)
        *type = LW_WATCH_DELETED;
    return st;
}

/* Sets whether the key belonged to the source before; true if that is unknown. */
static lw_status was_selected(lw_etcd_source *source, const lw_etcd_event *event, bool *answer,
                              lw_error *err)
{
    lw_object *before = NULL;
    lw_status st = LW_OK;
    *answer = true;
    if (source->has_filter && event->has_prev) {
        st = lw_etcd_source__select(source, &event->prev, event->prev.mod_revision, &before, err);
        *answer = before != NULL;
        lw_object_unref(before);
    }
    return st;
}

lw_status lw_etcd_source__judge(lw_etcd_source *source, const lw_etcd_event *event,
                                lw_watch_event_type *type, lw_object **out, lw_error *err)
{
    bool is_made = event->kv.create_revision == event->kv.mod_revision, was_there = false;
    lw_object *now = NULL;
    *type = (lw_watch_event_type)0;
    *out = NULL;
    if (event->is_delete)
        return judge_gone(source, event, type, out, err);
    lw_status st = lw_etcd_source__select(source, &event->kv, event->kv.mod_revision, &now, err);
    if (st < 0)
        return st;
    if (!now)
        return is_made ? LW_OK : judge_gone(source, event, type, out, err);
    if (!is_made)
        st = was_selected(source, event, &was_there, err);
    if (st < 0) {
        lw_object_unref(now);
        return st;
    }
    *type = was_there ? LW_WATCH_MODIFIED : LW_WATCH_ADDED;
    *out = now;
    return LW_OK;
}
