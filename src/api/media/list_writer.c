/* SPDX-License-Identifier: Apache-2.0 */
/* list_writer.c -- writes a list as JSON.
 *
 * Items of built-in kinds have neither kind nor apiVersion.  Cached objects begin with these two,
 * so an item is "{" and the bytes after them.  Lists of custom resources look as Go prints a map:
 * members sorted by name, and complete items. */
#include "api/media/list_writer.h"

#include "base/str.h"
#include "object/gvk.h"
#include "object/object.h"
#include "json/cursor.h"
#include "json/text.h"

enum {
    TEXT_MAX = 64 * 1024,        /* bytes of names, versions and tokens */
    ITEM_MAX = 64 * 1024 * 1024, /* bytes of one object */
};

static bool is_custom(const lw_list_writer *writer)
{
    return writer->kind->flags & LW_KIND_CUSTOM;
}

void lw_list_metadata_write(const lw_api_list_metadata *metadata, bool has_token, lw_buf *out)
{
    lw_json_writer w;
    char digits[24];
    lw_buf number = { .data = digits, .cap = sizeof(digits) - 1, .limit = sizeof(digits) - 1 };
    lw_buf_append_uint(&number, metadata->revision);
    lw_json_writer_init(&w, out, LW_JSON_COMPACT);
    lw_json_write_object_begin(&w);
    if (metadata->revision > 0)
        lw_json_write_member_string(&w, "resourceVersion", lw_buf_view(&number));
    if (has_token || metadata->continue_token.len > 0)
        lw_json_write_member_string(&w, "continue", metadata->continue_token);
    if (metadata->remaining >= 0)
        lw_json_write_member_int(&w, "remainingItemCount", metadata->remaining);
    lw_json_write_object_end(&w);
}

/* Writes kind and apiVersion in the order that most objects are stored with. */
static void write_type(const lw_list_writer *writer, lw_buf *out)
{
    lw_buf_append_text(out, "\"kind\":");
    lw_json_append_quoted(out, writer->kind->kind);
    lw_buf_append_text(out, ",\"apiVersion\":");
    lw_json_append_quoted(out, lw_buf_view(&writer->api_version));
}

lw_status lw_list_writer_init(lw_list_writer *writer, const lw_kind *kind, lw_media_as as,
                              const lw_table_form *form, const lw_api_list_metadata *metadata,
                              lw_buf *out, lw_json_form json_form)
{
    *writer = (lw_list_writer){ .kind = kind, .as = as };
    if (form)
        writer->form = *form;
    lw_json_writer_init(&writer->w, out, json_form);
    lw_buf_init(&writer->api_version, TEXT_MAX);
    lw_buf_init(&writer->metadata, TEXT_MAX);
    lw_buf_init(&writer->prefix, TEXT_MAX);
    lw_buf_init(&writer->members, TEXT_MAX);
    lw_buf_init(&writer->scratch, ITEM_MAX);
    lw_api_version_append(&writer->api_version, kind->group, kind->version);
    lw_list_metadata_write(metadata, is_custom(writer) && as == LW_MEDIA_AS_IS, &writer->metadata);
    lw_buf_append_char(&writer->prefix, '{');
    if (is_custom(writer)) {
        write_type(writer, &writer->members);
    } else {
        write_type(writer, &writer->prefix);
        lw_buf_append_char(&writer->prefix, ',');
    }
    if (writer->api_version.st < 0)
        return writer->api_version.st;
    if (writer->prefix.st < 0)
        return writer->prefix.st;
    return writer->metadata.st < 0 ? writer->metadata.st : writer->members.st;
}

void lw_list_writer_done(lw_list_writer *writer)
{
    lw_buf_done(&writer->api_version);
    lw_buf_done(&writer->metadata);
    lw_buf_done(&writer->prefix);
    lw_buf_done(&writer->members);
    lw_buf_done(&writer->scratch);
}

lw_status lw_list_writer_status(const lw_list_writer *writer)
{
    lw_status st = lw_json_writer_status(&writer->w);
    return st < 0 ? st : writer->scratch.st;
}

static void write_metadata_member(lw_list_writer *writer)
{
    lw_json_write_key(&writer->w, LW_STR("metadata"));
    lw_json_write_raw(&writer->w, lw_buf_view(&writer->metadata));
}

bool lw_list_writer_is_null_when_empty(const lw_list_writer *writer)
{
    return writer->as == LW_MEDIA_PARTIAL_LIST ||
           (writer->as == LW_MEDIA_TABLE && lw_table_is_null_when_empty(writer->kind));
}

/* Begins the array, unless it is known only at the end whether there is one. */
static void begin_items(lw_list_writer *writer)
{
    writer->is_open = !lw_list_writer_is_null_when_empty(writer);
    if (writer->is_open)
        lw_json_write_array_begin(&writer->w);
}

void lw_list_writer_begin(lw_list_writer *writer)
{
    lw_json_writer *w = &writer->w;
    bool is_partial = writer->as == LW_MEDIA_PARTIAL_LIST;
    if (writer->as == LW_MEDIA_TABLE) {
        lw_table_head(writer->kind, &writer->form, lw_buf_view(&writer->metadata), w);
        begin_items(writer);
        return;
    }
    lw_json_write_object_begin(w);
    if (is_partial) {
        lw_json_write_member_string(w, "kind", LW_STR("PartialObjectMetadataList"));
        lw_json_write_member_string(w, "apiVersion", writer->form.api_version);
        write_metadata_member(writer);
    } else if (is_custom(writer)) {
        lw_json_write_member_string(w, "apiVersion", lw_buf_view(&writer->api_version));
    } else {
        lw_json_write_member_string(w, "kind", writer->kind->list_kind);
        lw_json_write_member_string(w, "apiVersion", lw_buf_view(&writer->api_version));
        write_metadata_member(writer);
    }
    lw_json_write_key(w, LW_STR("items"));
    begin_items(writer);
}

bool lw_list_writer_tail(const lw_list_writer *writer, const lw_object *obj, lw_str *tail)
{
    lw_str json = lw_object_json(obj), prefix = lw_buf_view(&writer->prefix);
    if (!lw_str_starts_with(json, prefix) || !lw_kind_shows_as_stored(writer->kind, obj))
        return false;
    *tail = lw_str_skip(json, prefix.len);
    return true;
}

/* True if |members|, what follows "{" in an object of a custom kind, begin with the apiVersion that
 * is shown, with or without the kind before it. */
static bool begins_with_version(const lw_list_writer *writer, lw_str members)
{
    lw_str type = lw_buf_view(&writer->members), kind, version;
    (void)lw_str_cut(type, ',', &kind, &version);
    return lw_str_starts_with(members, type) || lw_str_starts_with(members, version);
}

lw_status lw_list_writer_unpack(const lw_list_writer *writer, lw_compact_reader *reader,
                                const lw_object *obj, lw_buf *out, bool *is_done)
{
    const lw_str version = lw_object__field(obj, LW_OBJECT_API_VERSION);
    const size_t before = out->len;
    *is_done = false;
    if (!lw_str_equal(version, lw_buf_view(&writer->api_version)) ||
        !lw_kind_shows_json_as_stored(writer->kind, obj))
        return LW_OK;
    lw_buf_append_char(out, '{');
    lw_status st = lw_compact_append(reader, obj, lw_buf_view(&writer->prefix), writer->prefix.len,
                                     out, is_done);
    if (*is_done && is_custom(writer))
        *is_done = begins_with_version(writer, lw_str_skip(lw_buf_view(out), before + 1));
    if (!*is_done)
        lw_buf_truncate(out, before);
    return st;
}

static bool is_dropped(const lw_list_writer *writer, lw_str raw_key)
{
    return !is_custom(writer) && (lw_json_text_equal(raw_key, LW_STR("kind")) ||
                                  lw_json_text_equal(raw_key, LW_STR("apiVersion")));
}

/* Appends the object |json| without its kind and apiVersion. */
static void copy_members(const lw_list_writer *writer, lw_str json, lw_buf *out)
{
    lw_str raw_key;
    lw_json_cursor c = lw_json_cursor_on(json);
    bool is_first = true;
    lw_buf_append_char(out, '{');
    lw_json_cursor_enter(&c);
    while (lw_json_cursor_next_member(&c, &raw_key)) {
        lw_str value = lw_json_cursor_skip(&c);
        if (is_dropped(writer, raw_key))
            continue;
        lw_buf_append_text(out, is_first ? "\"" : ",\"");
        lw_buf_append_str(out, raw_key);
        lw_buf_append_text(out, "\":");
        lw_buf_append_str(out, value);
        is_first = false;
    }
    lw_buf_append_char(out, '}');
}

static void copy_converted(const lw_list_writer *writer, const lw_object *obj, lw_buf *out)
{
    lw_buf json;
    lw_buf_init(&json, ITEM_MAX);
    lw_kind_append_object(writer->kind, obj, &json);
    if (json.st == LW_OK)
        copy_members(writer, lw_buf_view(&json), out);
    else if (out->st == LW_OK)
        out->st = json.st;
    lw_buf_done(&json);
}

void lw_list_writer_copy(const lw_list_writer *writer, const lw_object *obj, lw_buf *out)
{
    lw_str tail;
    if (writer->kind->custom) {
        lw_kind_append_object(writer->kind, obj, out);
    } else if (writer->kind->conversion) {
        copy_converted(writer, obj, out);
    } else if (lw_list_writer_tail(writer, obj, &tail)) {
        lw_buf_append_char(out, '{');
        lw_buf_append_str(out, tail);
    } else {
        copy_members(writer, lw_object_json(obj), out);
    }
}

void lw_list_writer_item(lw_list_writer *writer, const lw_object *obj)
{
    if (!writer->is_open)
        lw_json_write_array_begin(&writer->w);
    writer->is_open = true;
    if (writer->as == LW_MEDIA_TABLE) {
        lw_table_row(writer->kind, &writer->form, obj, &writer->w);
    } else if (writer->as == LW_MEDIA_PARTIAL_LIST) {
        lw_partial_write(obj, writer->form.api_version, &writer->w);
    } else {
        lw_buf_reset(&writer->scratch);
        lw_list_writer_copy(writer, obj, &writer->scratch);
        if (writer->scratch.st == LW_OK)
            lw_json_write_raw(&writer->w, lw_buf_view(&writer->scratch));
        else
            writer->w.st = writer->scratch.st;
    }
}

void lw_list_writer_end(lw_list_writer *writer)
{
    lw_json_writer *w = &writer->w;
    if (writer->is_open)
        lw_json_write_array_end(w);
    else
        lw_json_write_null(w);
    if (is_custom(writer) && writer->as == LW_MEDIA_AS_IS) {
        lw_json_write_member_string(w, "kind", writer->kind->list_kind);
        write_metadata_member(writer);
    }
    lw_json_write_object_end(w);
}
