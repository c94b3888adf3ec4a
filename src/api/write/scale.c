/* SPDX-License-Identifier: Apache-2.0 */
/* scale.c -- an object seen as a Scale. */
#include "api/write/scale.h"

#include <stdio.h>

#include "api/pending/pending_object.h"
#include "base/str.h"
#include "json/writer.h"

lw_gvk lw_scale_gvk(void)
{
    return lw_gvk_make("autoscaling", "v1", "Scale");
}

static void write_member(const lw_object *obj, const char *pointer, const char *key,
                         lw_json_writer *w)
{
    lw_str raw;
    if (lw_object_raw(obj, pointer, &raw) < 0 || lw_str_equal(raw, LW_STR("null")))
        return;
    lw_json_write_key(w, lw_str_of(key));
    lw_json_write_raw(w, raw);
}

static void write_metadata(const lw_object *obj, lw_json_writer *w)
{
    lw_json_write_key(w, LW_STR("metadata"));
    lw_json_write_object_begin(w);
    write_member(obj, "/metadata/name", "name", w);
    write_member(obj, "/metadata/namespace", "namespace", w);
    write_member(obj, "/metadata/uid", "uid", w);
    if (lw_object_revision(obj) > 0)
        write_member(obj, "/metadata/resourceVersion", "resourceVersion", w);
    write_member(obj, "/metadata/creationTimestamp", "creationTimestamp", w);
    lw_json_write_object_end(w);
}

/* A LabelSelector, or a map of labels that must all be there, as text. */
static lw_status write_selector(const lw_object *obj, const char *pointer, lw_json_writer *w)
{
    lw_str raw, whole;
    lw_label_selector *selector = NULL;
    lw_buf wrapped;
    if (!pointer || lw_object_raw(obj, pointer, &raw) < 0 || lw_str_equal(raw, LW_STR("null")))
        return LW_OK;
    if (raw.ptr[0] == '"') { /* custom resources keep it as text */
        lw_json_write_key(w, LW_STR("selector"));
        lw_json_write_raw(w, raw);
        return LW_OK;
    }
    char labels[256], expressions[256];
    (void)snprintf(labels, sizeof(labels), "%s/matchLabels", pointer);
    (void)snprintf(expressions, sizeof(expressions), "%s/matchExpressions", pointer);
    bool is_structured = lw_object_raw(obj, labels, &whole) == LW_OK ||
                         lw_object_raw(obj, expressions, &whole) == LW_OK ||
                         lw_str_equal(raw, LW_STR("{}"));
    lw_buf_init(&wrapped, LW_STORE_VALUE_MAX);
    lw_buf_append_text(&wrapped, is_structured ? "" : "{\"matchLabels\":");
    lw_buf_append_str(&wrapped, raw);
    lw_buf_append_text(&wrapped, is_structured ? "" : "}");
    lw_status st = wrapped.st;
    if (st == LW_OK)
        st = lw_label_selector_from_json(&selector, lw_buf_view(&wrapped), NULL);
    if (st == LW_OK && lw_label_selector_text(selector).len > 0)
        lw_json_write_member_string(w, "selector", lw_label_selector_text(selector));
    lw_label_selector_free(selector);
    lw_buf_done(&wrapped);
    /* A selector that cannot be read is none. */
    return st == LW_ERR_NOMEM ? st : LW_OK;
}

lw_status lw_scale_write(const lw_kind *kind, const lw_object *obj, lw_buf *out)
{
    const lw_scale_paths *paths = kind->scale;
    lw_json_writer w;
    int64_t wanted = lw_object_int(obj, paths->replicas, 0);
    lw_json_writer_init(&w, out, LW_JSON_COMPACT);
    lw_json_write_object_begin(&w);
    lw_json_write_member_string(&w, "kind", LW_STR("Scale"));
    lw_json_write_member_string(&w, "apiVersion", LW_STR("autoscaling/v1"));
    write_metadata(obj, &w);
    lw_json_write_key(&w, LW_STR("spec"));
    lw_json_write_object_begin(&w);
    if (wanted != 0)
        lw_json_write_member_int(&w, "replicas", wanted);
    lw_json_write_object_end(&w);
    lw_json_write_key(&w, LW_STR("status"));
    lw_json_write_object_begin(&w);
    lw_json_write_member_int(&w, "replicas", lw_object_int(obj, paths->status_replicas, 0));
    lw_status st = write_selector(obj, paths->selector, &w);
    lw_json_write_object_end(&w);
    lw_json_write_object_end(&w);
    return st < 0 ? st : lw_json_writer_status(&w);
}
