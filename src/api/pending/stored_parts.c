/* SPDX-License-Identifier: Apache-2.0 */
/* stored_parts.c -- the parts of an object that a write may leave alone. */
#include "api/pending/stored_parts.h"

#include "base/str.h"
#include "object/object.h"
#include "schema/validation/typed.h"
#include "json/cursor.h"

static const lw_str names[LW_STORED_PARTS] = { LW_STR_INIT("spec"), LW_STR_INIT("status") };

bool lw_stored_parts_has(lw_str name)
{
    return lw_str_equal(name, names[0]) || lw_str_equal(name, names[1]);
}

/* Returns the struct that the part |name| is in |type|; NULL: it is none. */
static const lw_type *type_of_part(const lw_type *type, lw_str name)
{
    const lw_field *field = lw_type_field(type, name);
    return field && field->type->form == LW_TYPE_STRUCT ? field->type : NULL;
}

size_t lw_stored_parts_list(const lw_kind *kind, const lw_object *current,
                            lw_tree_part parts[LW_STORED_PARTS])
{
    size_t count = 0;
    if (lw_object__checked(current) == LW_OBJECT_UNCHECKED ||
        !lw_kind_shows_as_stored(kind, current))
        return 0;
    const lw_type *type = lw_type_of_kind(lw_kind_gvk(kind));
    for (size_t i = 0; type && i < LW_STORED_PARTS; i++) {
        if (type_of_part(type, names[i]))
            parts[count++] = (lw_tree_part){ .name = names[i] };
    }
    return count;
}

/* Notes |text| as that of the part |name|, unless it is empty. */
static void note_text(lw_tree_part *parts, size_t count, lw_str name, lw_str text)
{
    for (size_t i = 0; i < count; i++) {
        if (lw_str_equal(parts[i].name, name) && lw_str_starts_with(text, LW_STR("{\"")))
            parts[i].text = text;
    }
}

/* Before the spec there is the metadata only, so that the search begins there if its place is
 * known. */
static void find_texts(const lw_object *current, lw_tree_part *parts, size_t count)
{
    lw_str json = lw_object_json(current), key;
    lw_json_cursor c = lw_json_cursor_on(json);
    if (!current->is_message && current->spec_at > 0) {
        c = lw_json_cursor_on(lw_str_skip(json, current->spec_at));
        note_text(parts, count, LW_STR("spec"), lw_json_cursor_skip(&c));
    } else {
        lw_json_cursor_enter(&c);
    }
    while (lw_json_cursor_next_member(&c, &key)) {
        lw_str value = lw_json_cursor_skip(&c);
        note_text(parts, count, key, value);
    }
}

size_t lw_stored_parts_find(const lw_kind *kind, const lw_object *current,
                            lw_tree_part parts[LW_STORED_PARTS])
{
    size_t count = lw_stored_parts_list(kind, current, parts), found = 0;
    if (count > 0)
        find_texts(current, parts, count);
    for (size_t i = 0; i < count; i++) {
        if (parts[i].text.len > 0)
            parts[found++] = parts[i];
    }
    return found;
}

lw_status lw_stored_parts_parse(const lw_object *current, const lw_tree_part *parts, size_t count,
                                lw_budget *budget, lw_tree **out)
{
    return lw_tree_parse_parts(out, lw_object_json(current), LW_STR("fieldsV1"), parts, count,
                               budget, NULL);
}

lw_status lw_stored_parts_match(lw_node *sent, lw_node *stored, lw_budget *budget, bool *is_same)
{
    *is_same = sent == stored || lw_node_has_same_text(sent, stored);
    if (*is_same)
        return LW_OK;
    lw_status st = lw_node_open(sent);
    if (st == LW_OK)
        st = lw_node_open(stored);
    *is_same = st == LW_OK && lw_node_is_same(sent, stored, budget);
    return st;
}

static void read_part(lw_tree *tree, const void *type, lw_node *part)
{
    lw_typed_read(tree, type, part);
}

void lw_stored_parts_defer(const lw_type *type, const lw_node *root)
{
    for (size_t i = 0; i < LW_STORED_PARTS; i++) {
        lw_node *part = lw_node_get(root, names[i]);
        const lw_type *of_part = part ? type_of_part(type, names[i]) : NULL;
        if (of_part)
            lw_node_set_reader(part, read_part, of_part);
    }
}

void lw_stored_parts_settle(const lw_node *root)
{
    for (size_t i = 0; i < LW_STORED_PARTS; i++)
        lw_node_set_reader(lw_node_get(root, names[i]), NULL, NULL);
}

lw_status lw_stored_parts_open(const lw_node *root)
{
    lw_status st = LW_OK;
    for (size_t i = 0; i < LW_STORED_PARTS && st == LW_OK; i++)
        st = lw_node_open(lw_node_get(root, names[i]));
    return st;
}
