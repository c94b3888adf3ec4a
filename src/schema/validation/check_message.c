/* SPDX-License-Identifier: Apache-2.0 */
/* check_message.c -- the messages of a check, in the words of kube-apiserver. */
#include "schema/validation/check_message.h"

#include "base/str.h"
#include "object/quote.h"
#include "json/text.h"

void lw_check_fail(lw_check_walk *w)
{
    w->is_over = true;
    w->st = LW_ERR_NOMEM;
}

lw_str lw_check_decoded(lw_check_walk *w, lw_str raw)
{
    if (!raw.len || !memchr(raw.ptr, '\\', raw.len))
        return raw;
    lw_buf_reset(&w->key);
    lw_json_append_unescaped(&w->key, raw);
    if (w->key.st < 0)
        lw_check_fail(w);
    return lw_buf_view(&w->key);
}

/* Appends spec.containers[0].env. */
static void append_path(lw_buf *out, const lw_check_place *at)
{
    if (!at)
        return;
    append_path(out, at->up);
    if (!at->member && !at->raw_key.ptr) {
        lw_buf_printf(out, "[%zu]", at->index);
        return;
    }
    if (out->len > 0)
        lw_buf_append_char(out, '.');
    if (at->member)
        lw_buf_append_str(out, at->member->field->name);
    else
        lw_json_append_unescaped(out, at->raw_key);
}

static bool is_told(const lw_check *check, lw_str text)
{
    for (size_t i = 0; i < check->count; i++) {
        if (lw_str_equal(lw_check_finding(check, i), text))
            return true;
    }
    return false;
}

void lw_check_find(lw_check_walk *w, const char *what, const lw_check_place *here, lw_str raw_key)
{
    lw_check *check = w->check;
    lw_buf *out = &check->findings;
    if (w->quiet > 0 || check->count == LW_CHECK_FINDINGS_MAX || out->st < 0)
        return;
    size_t start = out->len;
    lw_buf_reset(&w->path);
    append_path(&w->path, &(lw_check_place){ .up = here, .raw_key = raw_key });
    lw_buf_append_text(out, what);
    lw_quote_append(out, lw_buf_view(&w->path));
    if (w->path.st == LW_ERR_NOMEM || out->st == LW_ERR_NOMEM) {
        lw_check_fail(w);
        return;
    }
    if (w->path.st < 0 || out->st < 0 ||
        is_told(check, lw_str_make(out->data + start, out->len - start)))
        lw_buf_truncate(out, start);
    else
        check->ends[check->count++] = out->len;
}

/* Appends the way from |type| to its inline field |via|: "VolumeSource.".  False: it has none. */
static bool append_inline(lw_buf *out, const lw_type *type, const lw_field *via)
{
    for (size_t i = 0; i < type->field_count; i++) {
        const lw_field *field = &type->fields[i];
        size_t before = out->len;
        if (!(field->flags & LW_FIELD_INLINE))
            continue;
        lw_buf_append_str(out, field->name);
        lw_buf_append_char(out, '.');
        if (field == via || append_inline(out, field->type, via))
            return true;
        lw_buf_truncate(out, before);
    }
    return false;
}

/* Appends spec.volumes.VolumeSource.hostPath: the path in Go, with inline structs, without keys and
 * indexes. */
static void append_go_path(lw_buf *out, const lw_check_place *at)
{
    if (!at)
        return;
    append_go_path(out, at->up);
    if (!at->member)
        return;
    lw_buf_append_char(out, '.');
    if (at->member->via)
        (void)append_inline(out, at->owner, at->member->via);
    lw_buf_append_str(out, at->member->field->name);
}

bool lw_check_begin_fault(lw_check_walk *w, bool last)
{
    last = last || w->quiet > 0;
    if (!last && w->check->fault.len > 0)
        return false;
    lw_buf_reset(&w->check->fault);
    w->is_over = last;
    return true;
}

void lw_check_end_fault(lw_check_walk *w)
{
    if (w->check->fault.st == LW_ERR_NOMEM)
        lw_check_fail(w);
}

/* Returns Go's name for a JSON type. */
static const char *go_word(lw_json_type json)
{
    static const char *const words[] = {
        [LW_JSON_NULL] = "null",     [LW_JSON_BOOL] = "bool",   [LW_JSON_NUMBER] = "number",
        [LW_JSON_STRING] = "string", [LW_JSON_ARRAY] = "array", [LW_JSON_OBJECT] = "object",
    };
    return words[json];
}

void lw_check_wrong_type(lw_check_walk *w, const lw_check_place *here, lw_json_type json,
                         lw_str number, lw_str go, bool last)
{
    lw_buf *out = &w->check->fault;
    const lw_check_place *field = here;
    if (!lw_check_begin_fault(w, last))
        return;
    while (field && !field->member)
        field = field->up;
    lw_buf_printf(out, "json: cannot unmarshal %s", go_word(json));
    if (number.len > 0) {
        lw_buf_append_char(out, ' ');
        lw_buf_append_str(out, number);
    }
    lw_buf_append_text(out, field ? " into Go struct field " : " into Go value");
    if (field)
        lw_buf_append_str(out, field->owner->name);
    append_go_path(out, field);
    lw_buf_append_text(out, " of type ");
    lw_buf_append_str(out, go);
    lw_check_end_fault(w);
}
