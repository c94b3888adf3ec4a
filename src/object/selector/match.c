/* SPDX-License-Identifier: Apache-2.0 */
/* match.c -- matches objects against selectors without copying. */
#include <listwatch/match.h>

#include "base/str.h"
#include "object/object_message.h"
#include "object/selector/label_selector.h"
#include "json/cursor.h"
#include "json/text.h"

static bool get_label(const void *obj, lw_str key, lw_str *value)
{
    return lw_object__find_label(obj, key, value);
}

bool lw_label_selector_matches(const lw_label_selector *selector, const lw_object *obj)
{
    return lw_label_selector__matches(selector, get_label, obj);
}

/* Finds the value of the dotted |field|; false when there is none. */
static bool find_field(const lw_object *obj, lw_str field, lw_json_cursor *value)
{
    *value = lw_json_cursor_on(lw_object_json(obj));
    bool more = true;
    while (more) {
        lw_str segment;
        more = lw_str_cut(field, '.', &segment, &field);
        if (!lw_json_cursor_find_member(value, segment))
            return false;
    }
    return true;
}

static bool field_equals(const lw_object *obj, lw_str field, lw_str expected)
{
    if (lw_str_equal(field, LW_STR("metadata.name")))
        return lw_str_equal(lw_object__field(obj, LW_OBJECT_NAME), expected);
    if (lw_str_equal(field, LW_STR("metadata.namespace")))
        return lw_str_equal(lw_object__field(obj, LW_OBJECT_NAMESPACE), expected);

    if (obj->is_message) {
        lw_status st = lw_object__message_field_equals(obj, field, expected);
        if (st != LW_ERR_UNSUPPORTED)
            return st == LW_OK;
    }
    lw_json_cursor value;
    if (!find_field(obj, field, &value))
        return expected.len == 0;
    switch (lw_json_cursor_type(&value)) {
    case LW_JSON_STRING: return lw_json_text_equal(lw_json_cursor_string(&value), expected);
    case LW_JSON_NUMBER:
    case LW_JSON_BOOL: return lw_str_equal(lw_json_cursor_skip(&value), expected);
    case LW_JSON_NULL:
    case LW_JSON_ARRAY:
    case LW_JSON_OBJECT: break;
    }
    return expected.len == 0;
}

bool lw_field_selector_matches_object(const lw_field_selector *selector, const lw_object *obj)
{
    size_t count;
    const lw_field_requirement *requirements = lw_field_selector_requirements(selector, &count);
    for (size_t i = 0; i < count; i++) {
        if (field_equals(obj, requirements[i].field, requirements[i].value) ==
            requirements[i].is_negated)
            return false;
    }
    return true;
}
