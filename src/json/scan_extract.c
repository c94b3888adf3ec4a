/* SPDX-License-Identifier: Apache-2.0 */
/* scan_extract.c -- see scan_extract.h.
 *
 * Calls for a member:   key_begin -> key_end -> value_begin -> separator | container_end
 * Calls for an element:                         value_begin -> separator | container_end
 * value_begin may push a frame; container_end pops it, and the position is after the value again.
 */
#include "json/scan_extract.h"

#include <assert.h>

#include "base/error.h"
#include "base/str.h"
#include "json/text.h"

void lw_extract_init(lw_extract *x, const lw_plan *plan, const lw_scan_options *options)
{
    *x = (lw_extract){
        .plan = plan,
        .on_item = options->on_item,
        .on_document = options->on_document,
        .arg = options->arg,
    };
    lw_buf_init(&x->item, options->max_item ? options->max_item : LW_SCAN_ITEM_LIMIT);
    lw_buf_init(&x->envelope, LW_SCAN_ENVELOPE_LIMIT);
    /* A label has at least six bytes in its object ("":"",), so the limit of the object limits
     * them. */
    lw_buf_init(&x->labels, x->item.limit / 6 * sizeof(lw_scan_label) + sizeof(lw_scan_label));
    lw_extract_reset(x);
}

void lw_extract_done(lw_extract *x)
{
    lw_buf_done(&x->item);
    lw_buf_done(&x->envelope);
    lw_buf_done(&x->labels);
}

void lw_extract_reset(lw_extract *x)
{
    lw_buf_reset(&x->item);
    lw_buf_reset(&x->envelope);
    lw_buf_reset(&x->labels);
    memset(x->texts, 0, sizeof(x->texts));
    x->out = &x->envelope;
    x->copy_from = NULL;
    x->metadata_at = 0;
    x->spec_at = 0;
    x->remaining_item_count = -1;
    x->item_count = 0;
    x->has_items = false;
    x->depth = 0;
}

static lw_status extract_failed(const lw_extract *x, lw_error *err)
{
    if (x->out->st == LW_ERR_NOMEM)
        return lw_error_nomem(err);
    if (x->out == &x->item)
        return lw_error_set_at(err, LW_ERR_LIMIT, x->item_offset,
                               "the object is larger than %zu bytes", x->item.limit);
    return lw_error_set_at(err, LW_ERR_LIMIT, x->document_offset,
                           "the list or event without its objects is larger than %zu bytes",
                           x->envelope.limit);
}

lw_status lw_extract_flush(lw_extract *x, const char *end, lw_error *err)
{
    if (!x->copy_from)
        return LW_OK;
    assert(end >= x->copy_from || x->out->st < 0);
    lw_buf_append(x->out, x->copy_from, (size_t)(end - x->copy_from));
    x->copy_from = end;
    return x->out->st < 0 ? extract_failed(x, err) : LW_OK;
}

/* Returns the position in the output of the byte |at| of the chunk, which is being copied. */
static size_t place_of(const lw_extract *x, const char *at)
{
    return x->out->len + (size_t)(at - x->copy_from);
}

/* Returns the output from |from| up to the byte |end| of the chunk, which may not be copied yet. If
 * all of an object is in the chunk and nothing was dropped, it is never copied. */
static lw_status text_between(lw_extract *x, size_t from, const char *end, lw_str *text,
                              lw_error *err)
{
    size_t len = place_of(x, end) - from;
    if (from >= x->out->len) {
        *text = lw_str_make(x->copy_from + (from - x->out->len), len);
        return LW_OK;
    }
    lw_status st = lw_extract_flush(x, end, err); /* it began in an earlier chunk */
    *text = lw_str_make(x->out->data + from, len);
    return st;
}

static lw_extract_frame *top(lw_extract *x)
{
    return x->depth ? &x->frames[x->depth - 1] : NULL;
}

static void member_begin(lw_extract *x, lw_extract_frame *f, const char *at)
{
    f->in_member = true;
    f->is_dropping = false;
    f->child = NULL;
    f->key_at = place_of(x, at) + 1;
}

/* Removes the current member from the output. */
static lw_status member_drop(lw_extract *x, lw_extract_frame *f, lw_error *err)
{
    lw_status st = LW_OK;
    f->is_dropping = true;
    if (f->mark > x->out->len)
        st = lw_extract_flush(x, x->copy_from + (f->mark - x->out->len), err);
    else
        lw_buf_truncate(x->out, f->mark);
    x->copy_from = NULL;
    return st;
}

static lw_status member_choose(lw_extract *x, lw_extract_frame *f, const lw_plan_node *child,
                               lw_error *err)
{
    f->child = child;
    if (child ? child->is_dropped : !f->keeps_others)
        return member_drop(x, f, err);
    return LW_OK;
}

void lw_extract_key_begin(lw_extract *x, const char *at)
{
    member_begin(x, top(x), at);
}

lw_status lw_extract_key_end(lw_extract *x, const char *at, lw_error *err)
{
    lw_extract_frame *f = top(x);
    lw_str key;
    /* A key that is too long is an error even if its member is dropped: if it came in several
     * chunks, its bytes are copied already. */
    if (place_of(x, at + 1) > x->out->limit)
        return lw_extract_flush(x, at + 1, err);
    lw_status st = text_between(x, f->key_at, at, &key, err);
    if (st < 0)
        return st;
    f->key_len = key.len;
    return member_choose(x, f, lw_plan_find(f->node, key), err);
}

static lw_status wrong_type(lw_role role, uint64_t offset, const char *wanted, lw_error *err)
{
    return lw_error_set_at(err, LW_ERR_INVALID, offset, "%s must be %s", lw_role_name(role),
                           wanted);
}

/* Of members with the same name, the last one is used: discards the value of an earlier one. */
static void role_forget(lw_extract *x, lw_role role)
{
    if (role == LW_ROLE_METADATA) {
        memset(&x->texts[LW_ROLE_NAMESPACE], 0,
               (LW_ROLE_RESOURCE_VERSION - LW_ROLE_NAMESPACE + 1) * sizeof(lw_scan_text));
        x->metadata_at = 0;
        lw_buf_reset(&x->labels);
    } else if (role == LW_ROLE_LABELS) {
        lw_buf_reset(&x->labels);
    } else if (role == LW_ROLE_ENVELOPE_METADATA) {
        x->texts[LW_ROLE_ENVELOPE_RESOURCE_VERSION] = (lw_scan_text){ 0 };
        x->texts[LW_ROLE_ENVELOPE_CONTINUE] = (lw_scan_text){ 0 };
        x->remaining_item_count = -1;
    }
}

/* Checks the type of a value for its role; null means absent, except for an object. */
static lw_status role_check(const lw_extract *x, lw_role role, char first, uint64_t offset,
                            lw_error *err)
{
    switch (role) {
    case LW_ROLE_ITEM:
        if (x->has_items && !x->frames[x->depth - 1].is_array)
            return lw_error_set_at(err, LW_ERR_INVALID, offset, "the event has \"object\" twice");
        return first == '{' ? LW_OK : wrong_type(role, offset, "an object", err);
    case LW_ROLE_ITEMS:
        if (x->has_items)
            return lw_error_set_at(err, LW_ERR_INVALID, offset, "the list has \"items\" twice");
        return first == '[' || first == 'n' ? LW_OK : wrong_type(role, offset, "an array", err);
    case LW_ROLE_METADATA:
    case LW_ROLE_LABELS:
    case LW_ROLE_ENVELOPE_METADATA:
        return first == '{' || first == 'n' ? LW_OK : wrong_type(role, offset, "an object", err);
    default: return LW_OK;
    }
}

static lw_status item_begin(lw_extract *x, const char *at, uint64_t offset, lw_error *err)
{
    lw_status st = lw_extract_flush(x, at, err);
    x->has_items = true;
    x->item_offset = offset;
    x->out = &x->item;
    x->copy_from = at;
    lw_buf_reset(&x->item);
    lw_buf_reset(&x->labels);
    memset(x->texts, 0, LW_ROLE_ENVELOPE_TYPE * sizeof(lw_scan_text));
    x->metadata_at = 0;
    x->spec_at = 0;
    return st;
}

/* Enters the container that begins at |at|, as a tracked container. */
static void container_begin(lw_extract *x, const char *at, const lw_plan_node *node,
                            bool keeps_others)
{
    assert(x->depth < LW_PLAN_DEPTH);
    lw_extract_frame *f = &x->frames[x->depth++];
    f->node = node;
    f->child = NULL;
    f->mark = place_of(x, at + 1);
    f->is_array = *at == '[';
    f->keeps_others = keeps_others;
    f->has_members = false;
    f->in_member = false;
    f->is_dropping = false;
    if (node->role == LW_ROLE_METADATA)
        x->metadata_at = f->mark;
}

static lw_status value_of_role(lw_extract *x, const lw_plan_node *node, bool keeps_others,
                               const char *at, uint64_t offset, bool *tracks, lw_error *err)
{
    lw_status st = role_check(x, node->role, *at, offset, err);
    if (st < 0)
        return st;
    role_forget(x, node->role);
    if (node->role == LW_ROLE_ITEMS)
        x->has_items = true;
    if (node->role == LW_ROLE_ITEM) {
        st = item_begin(x, at, offset, err);
        keeps_others = lw_plan_keeps_others(x->plan);
    }
    bool is_container = *at == '{' || *at == '[';
    if (node->role == LW_ROLE_SPEC)
        x->spec_at = is_container ? place_of(x, at) : 0;
    *tracks = is_container && (node->children || node->any);
    if (*tracks)
        container_begin(x, at, node, keeps_others || node->is_kept);
    /* A scalar where the paths to keep go deeper, so that none of them ends here.  An element is
     * dropped; a member is kept, because otherwise an earlier one of the same name would be used.
     */
    else if (!is_container && !node->is_kept && !keeps_others && top(x)->is_array)
        st = member_drop(x, top(x), err);
    return st;
}

/* The value of the document itself begins. */
static lw_status root_begin(lw_extract *x, const char *at, uint64_t offset, bool *tracks,
                            lw_error *err)
{
    if (*at != '{')
        return lw_error_set_at(err, LW_ERR_INVALID, offset, "the document must be an object");
    x->copy_from = at;
    x->document_offset = offset;
    return value_of_role(x, lw_plan_root(x->plan), false, at, offset, tracks, err);
}

lw_status lw_extract_value_begin(lw_extract *x, const char *at, uint64_t offset, bool *tracks,
                                 lw_error *err)
{
    *tracks = false;
    lw_extract_frame *f = top(x);
    if (!f)
        return root_begin(x, at, offset, tracks, err);
    if (f->is_array) {
        member_begin(x, f, at);
        lw_status st = member_choose(x, f, f->node->any, err);
        if (st < 0)
            return st;
    }
    if (f->is_dropping || !f->child)
        return LW_OK;
    f->value_at = place_of(x, at);
    f->value_offset = offset;
    if (f->child->role < LW_ROLE_TEXTS || f->child->role == LW_ROLE_LABEL)
        return LW_OK; /* its text is read when it is complete */
    return value_of_role(x, f->child, f->keeps_others, at, offset, tracks, err);
}

/* Records the text between the quotes of |value|, which is at f->value_at. */
static lw_status value_text(const lw_extract_frame *f, lw_str value, lw_scan_text *text,
                            lw_error *err)
{
    *text = (lw_scan_text){ 0 };
    if (value.len > 0 && value.ptr[0] == 'n')
        return LW_OK;
    if (value.len < 2 || value.ptr[0] != '"')
        return wrong_type(f->child->role, f->value_offset, "a string", err);
    text->at = (uint32_t)(f->value_at + 1);
    text->len = (uint32_t)(value.len - 2);
    text->is_present = true;
    text->is_escaped = memchr(value.ptr, '\\', value.len) != NULL;
    return LW_OK;
}

static lw_status remaining_end(lw_extract *x, const lw_extract_frame *f, lw_str value,
                               lw_error *err)
{
    x->remaining_item_count = -1;
    if (value.len > 0 && value.ptr[0] == 'n')
        return LW_OK;
    if (!lw_str_to_int64(value, &x->remaining_item_count) || x->remaining_item_count < 0)
        return wrong_type(f->child->role, f->value_offset, "a non-negative integer", err);
    return LW_OK;
}

static lw_status label_end(lw_extract *x, const lw_extract_frame *f, lw_str value, lw_error *err)
{
    lw_scan_label label;
    lw_status st = value_text(f, value, &label.value, err);
    if (st < 0)
        return st;
    const char *key = value.ptr - (f->value_at - f->key_at);
    label.key = (lw_scan_text){
        .at = (uint32_t)f->key_at,
        .len = (uint32_t)f->key_len,
        .is_present = true,
        .is_escaped = f->key_len > 0 && memchr(key, '\\', f->key_len),
    };
    lw_buf_append(&x->labels, &label, sizeof(label));
    return x->labels.st < 0 ? lw_error_nomem(err) : LW_OK;
}

/* Records the value that ends before |at|, if the plan contains it. */
static lw_status value_end(lw_extract *x, const lw_extract_frame *f, const char *at, lw_error *err)
{
    lw_role role = f->child->role;
    if (role >= LW_ROLE_TEXTS && role != LW_ROLE_LABEL && role != LW_ROLE_ENVELOPE_REMAINING)
        return LW_OK;
    /* The key of a label is recorded together with its value. */
    size_t from = role == LW_ROLE_LABEL ? f->key_at : f->value_at;
    lw_str value;
    lw_status st = text_between(x, from, at, &value, err);
    if (st < 0)
        return st;
    value = lw_str_trim(lw_str_skip(value, f->value_at - from));
    if (role == LW_ROLE_LABEL)
        return label_end(x, f, value, err);
    if (role == LW_ROLE_ENVELOPE_REMAINING)
        return remaining_end(x, f, value, err);
    return value_text(f, value, &x->texts[role], err);
}

static lw_status member_end(lw_extract *x, lw_extract_frame *f, const char *at, lw_error *err)
{
    if (!f->in_member)
        return LW_OK;
    f->in_member = false;
    if (f->is_dropping)
        return LW_OK;
    f->has_members = true;
    return f->child ? value_end(x, f, at, err) : LW_OK;
}

lw_status lw_extract_separator(lw_extract *x, const char *at, lw_error *err)
{
    lw_extract_frame *f = top(x);
    lw_status st = member_end(x, f, at, err);
    if (!x->copy_from) /* copying continues with this comma, if one is needed */
        x->copy_from = f->has_members ? at : at + 1;
    f->mark = place_of(x, x->copy_from > at ? x->copy_from : at);
    return st;
}

/* Returns the envelope, as far as it was read. */
static lw_scan_envelope envelope_of(const lw_extract *x)
{
    return (lw_scan_envelope){
        .json = lw_buf_view(&x->envelope),
        .type = x->texts[LW_ROLE_ENVELOPE_TYPE],
        .api_version = x->texts[LW_ROLE_ENVELOPE_API_VERSION],
        .kind = x->texts[LW_ROLE_ENVELOPE_KIND],
        .resource_version = x->texts[LW_ROLE_ENVELOPE_RESOURCE_VERSION],
        .continue_token = x->texts[LW_ROLE_ENVELOPE_CONTINUE],
        .remaining_item_count = x->remaining_item_count,
        .item_count = x->item_count,
        .has_items = x->has_items,
    };
}

/* Reports the object |json|. */
static lw_status item_end(lw_extract *x, lw_str json, lw_error *err)
{
    x->item_count++;
    x->copy_from = NULL;
    x->out = &x->envelope;
    if (x->depth > 0) {
        lw_status st = member_drop(x, top(x), err); /* the envelope does not contain objects */
        if (st < 0)
            return st;
    }
    const lw_scan_envelope envelope = envelope_of(x);
    const lw_scan_item item = {
        .json = json,
        .offset = x->item_offset,
        .envelope = &envelope,
        .api_version = x->texts[LW_ROLE_API_VERSION],
        .kind = x->texts[LW_ROLE_KIND],
        .ns = x->texts[LW_ROLE_NAMESPACE],
        .name = x->texts[LW_ROLE_NAME],
        .uid = x->texts[LW_ROLE_UID],
        .resource_version = x->texts[LW_ROLE_RESOURCE_VERSION],
        .metadata_at = (uint32_t)x->metadata_at,
        .spec_at = (uint32_t)x->spec_at,
        .labels = (const lw_scan_label *)(const void *)x->labels.data,
        .label_count = x->labels.len / sizeof(lw_scan_label),
    };
    return x->on_item ? x->on_item(&item, x->arg, err) : LW_OK;
}

lw_status lw_extract_container_end(lw_extract *x, const char *at, lw_error *err)
{
    lw_extract_frame *f = top(x);
    lw_status st = member_end(x, f, at, err);
    if (!x->copy_from)
        x->copy_from = at;
    bool is_item = f->node->role == LW_ROLE_ITEM;
    lw_str json = LW_STR("");
    if (st >= 0 && is_item && place_of(x, at + 1) <= x->out->limit)
        st = text_between(x, 0, at + 1, &json, err);
    else if (st >= 0 && (is_item || x->depth == 1))
        st = lw_extract_flush(x, at + 1, err);
    if (is_item || x->depth == 1)
        x->copy_from = NULL;
    x->depth--;
    return st >= 0 && is_item ? item_end(x, json, err) : st;
}

lw_status lw_extract_document_end(lw_extract *x, uint64_t end, lw_error *err)
{
    lw_scan_envelope envelope = envelope_of(x);
    envelope.end = end;
    return x->on_document ? x->on_document(&envelope, x->arg, err) : LW_OK;
}
