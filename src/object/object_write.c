/* SPDX-License-Identifier: Apache-2.0 */
/* object_write.c -- writes the JSON of an object with another resourceVersion.
 *
 * A server knows the resourceVersion of a stored object only after the commit, so its position is
 * found when the object is made, and it is written between two copies of bytes. */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "object/object_message.h"
#include "object/object_spare.h"
#include "json/cursor.h"
#include "json/text.h"

enum {
    DIGITS_MAX = 20, /* digits of UINT64_MAX */
};

/* The text around the digits, by lw_object_splice. */
static const struct splice_form {
    lw_str before, after;
} splice_forms[] = {
    [LW_SPLICE_VALUE] = { LW_STR_INIT("\""), LW_STR_INIT("\"") },
    [LW_SPLICE_MEMBER] = { LW_STR_INIT("\"resourceVersion\":\""), LW_STR_INIT("\",") },
    [LW_SPLICE_ONLY_MEMBER] = { LW_STR_INIT("\"resourceVersion\":\""), LW_STR_INIT("\"") },
    [LW_SPLICE_NULL_METADATA] = { LW_STR_INIT("{\"resourceVersion\":\""), LW_STR_INIT("\"}") },
    [LW_SPLICE_METADATA] = { LW_STR_INIT("\"metadata\":{\"resourceVersion\":\""),
                             LW_STR_INIT("\"},") },
    [LW_SPLICE_ONLY_METADATA] = { LW_STR_INIT("\"metadata\":{\"resourceVersion\":\""),
                                  LW_STR_INIT("\"}") },
};

/* Finds the last member |key| of the object that opens at |at| in |json|, and the text of its
 * value.  |*is_empty|: it has no member at all. */
static bool find_last_member(lw_str json, size_t at, lw_str key, lw_str *value, bool *is_empty)
{
    lw_json_cursor c = lw_json_cursor_on(lw_str_skip(json, at));
    lw_str raw_key;
    bool is_found = false;
    *is_empty = true;
    lw_json_cursor_enter(&c);
    while (lw_json_cursor_next_member(&c, &raw_key)) {
        bool is_match = lw_json_text_equal(raw_key, key);
        lw_str skipped = lw_json_cursor_skip(&c);
        *is_empty = false;
        if (is_match) {
            *value = skipped;
            is_found = true;
        }
    }
    return is_found;
}

static void set_splice(lw_object *obj, lw_object_splice splice, size_t at, size_t cut)
{
    obj->splice = splice & 7U;
    obj->splice_at = (uint32_t)at;
    obj->splice_cut = (uint32_t)cut;
}

void lw_object__find_splice(lw_object *obj, lw_scan_text rv)
{
    lw_str json = lw_object_json(obj), value;
    bool is_empty;
    if (rv.is_present) {
        set_splice(obj, LW_SPLICE_VALUE, rv.at - 1, (size_t)rv.len + 2);
    } else if (obj->metadata_at > 0) {
        /* A null is replaced: of members with the same name the last one counts. */
        if (find_last_member(json, obj->metadata_at - 1, LW_STR("resourceVersion"), &value,
                             &is_empty))
            set_splice(obj, LW_SPLICE_VALUE, (size_t)(value.ptr - json.ptr), value.len);
        else
            set_splice(obj, is_empty ? LW_SPLICE_ONLY_MEMBER : LW_SPLICE_MEMBER, obj->metadata_at,
                       0);
    } else if (find_last_member(json, 0, LW_STR("metadata"), &value, &is_empty)) {
        set_splice(obj, LW_SPLICE_NULL_METADATA, (size_t)(value.ptr - json.ptr), value.len);
    } else {
        set_splice(obj, is_empty ? LW_SPLICE_ONLY_METADATA : LW_SPLICE_METADATA, 1, 0);
    }
}

/* The pieces of the JSON of an object with another resourceVersion, in order. */
typedef struct spliced {
    lw_str pieces[5];
    char digits[DIGITS_MAX];
    size_t len; /* of all pieces */
} spliced;

static lw_str format_digits(char *digits, uint64_t value)
{
    size_t at = DIGITS_MAX;
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    return lw_str_make(digits + at, DIGITS_MAX - at);
}

static void splice_revision(spliced *s, const lw_object *obj, uint64_t rv)
{
    lw_str json = lw_object_json(obj);
    const struct splice_form *form = &splice_forms[obj->splice];
    s->pieces[0] = lw_str_make(json.ptr, obj->splice_at);
    s->pieces[1] = form->before;
    s->pieces[2] = format_digits(s->digits, rv);
    s->pieces[3] = form->after;
    s->pieces[4] = lw_str_skip(json, (size_t)obj->splice_at + obj->splice_cut);
    s->len = 0;
    for (size_t i = 0; i < 5; i++)
        s->len += s->pieces[i].len;
}

/* Copies the decoded texts of |obj| to |copy| with another resourceVersion; the texts after it move
 * by the difference in length. */
static void copy_texts(lw_object *copy, const lw_object *obj, lw_str digits)
{
    uint32_t rv_at = obj->text_at[LW_OBJECT_RESOURCE_VERSION];
    uint32_t labels_at = obj->text_at[LW_OBJECT_FIELD_COUNT];
    uint32_t shift =
        rv_at + (uint32_t)digits.len + 1 - labels_at; /* modulo 2^32, may be "negative" */

    memcpy((char *)copy + LW_OBJECT_HEAD, (const char *)obj + LW_OBJECT_HEAD,
           rv_at - LW_OBJECT_HEAD);
    memcpy((char *)copy + rv_at, digits.ptr, digits.len);
    ((char *)copy)[rv_at + digits.len] = '\0';
    memcpy((char *)copy + (uint32_t)(labels_at + shift), (const char *)obj + labels_at,
           obj->json_at - labels_at);

    memcpy(copy->text_at, obj->text_at, sizeof(copy->text_at));
    copy->text_at[LW_OBJECT_FIELD_COUNT] += shift;
    copy->json_at = obj->json_at + shift;
    copy->is_stale = false;
    copy->is_message = false;
    copy->is_packed = false;
    copy->shares_labels = false;
    copy->is_typed = false;
    copy->checked = obj->checked;
    copy->label_count = obj->label_count;
    for (uint32_t i = 0; i < copy->label_count; i++) {
        copy->labels[i].key_at += shift;
        copy->labels[i].value_at += shift;
    }
}

/* Copies the JSON; afterwards it has a resourceVersion that can be replaced. */
static void copy_json(lw_object *copy, const lw_object *obj, const spliced *s)
{
    char *json = (char *)copy + copy->json_at;
    for (size_t i = 0; i < 5; i++) {
        memcpy(json, s->pieces[i].ptr, s->pieces[i].len);
        json += s->pieces[i].len;
    }
    *json = '\0';
    copy->json_len = (uint32_t)s->len;
    size_t value_at = s->pieces[0].len + s->pieces[1].len - 1;
    set_splice(copy, LW_SPLICE_VALUE, value_at, s->pieces[2].len + 2);
    copy->spec_at = obj->spec_at;
    if (obj->spec_at > obj->splice_at)
        copy->spec_at += copy->json_len - obj->json_len; /* modulo 2^32, may be "negative" */
    copy->metadata_at = obj->metadata_at;
    if (obj->metadata_at == 0)
        copy->metadata_at = (uint32_t)(value_at - strlen("\"resourceVersion\":"));
}

lw_status lw_object__with_revision(lw_object **out, const lw_object *obj, uint64_t rv,
                                   lw_object_spare *spare)
{
    spliced s;
    if (obj->is_message)
        return lw_object__message_with_revision(out, obj, rv);
    splice_revision(&s, obj, rv);
    uint64_t size = (uint64_t)obj->json_at + s.pieces[2].len + s.len + 1;
    if (size > UINT32_MAX)
        return LW_ERR_LIMIT;
    size -= lw_object__field(obj, LW_OBJECT_RESOURCE_VERSION).len;
    lw_object *copy = lw_object__spare_alloc(spare, (size_t)size);
    if (!copy)
        return LW_ERR_NOMEM;
    lw_ref_init(&copy->refs);
    atomic_init(&copy->strings, NULL);
    copy->revision = rv;
    copy_texts(copy, obj, s.pieces[2]);
    copy_json(copy, obj, &s);
    *out = copy;
    return LW_OK;
}

lw_status lw_object_with_revision(lw_object **out, const lw_object *obj, uint64_t rv)
{
    return lw_object__with_revision(out, obj, rv, NULL);
}

void lw_object__append_with_revision(const lw_object *obj, lw_str revision, lw_buf *out)
{
    static const lw_str member = LW_STR_INIT("\"resourceVersion\":");
    lw_str json = lw_object_json(obj), before = lw_str_make(json.ptr, obj->splice_at);
    lw_str after = lw_str_skip(json, (size_t)obj->splice_at + obj->splice_cut);
    assert(obj->splice == LW_SPLICE_VALUE && lw_str_ends_with(before, member));
    if (revision.len == 0) {
        before.len -= member.len;
        if (lw_str_ends_with(before, LW_STR(",")))
            before.len--;
        else if (lw_str_starts_with(after, LW_STR(",")))
            after = lw_str_skip(after, 1);
    }
    (void)lw_buf_reserve(out, json.len + revision.len);
    lw_buf_append_str(out, before);
    if (revision.len > 0)
        lw_json_append_quoted(out, revision);
    lw_buf_append_str(out, after);
}
