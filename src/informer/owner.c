/* SPDX-License-Identifier: Apache-2.0 */
/* owner.c -- reads metadata.ownerReferences. */
#include "informer/owner.h"

#include <listwatch/gvk.h>

#include "base/str.h"
#include "json/cursor.h"
#include "json/text.h"

enum {
    API_VERSION_SIZE = 512, /* enough for every apiVersion that Kubernetes accepts */
};

/* One reference; views of the JSON, strings still escaped. */
typedef struct owner_reference {
    lw_str api_version, kind, name;
    bool is_controller;
} owner_reference;

/* Returns the string at |at| and advances; empty for other types. */
static lw_str string_or_nothing(lw_json_cursor *at)
{
    if (lw_json_cursor_type(at) == LW_JSON_STRING)
        return lw_json_cursor_string(at);
    (void)lw_json_cursor_skip(at);
    return lw_str_make(NULL, 0);
}

static owner_reference read_reference(lw_json_cursor *at)
{
    owner_reference reference = { 0 };
    if (lw_json_cursor_type(at) != LW_JSON_OBJECT) {
        (void)lw_json_cursor_skip(at);
        return reference;
    }
    lw_str key;
    lw_json_cursor_enter(at);
    while (lw_json_cursor_next_member(at, &key)) {
        if (lw_json_text_equal(key, LW_STR("apiVersion")))
            reference.api_version = string_or_nothing(at);
        else if (lw_json_text_equal(key, LW_STR("kind")))
            reference.kind = string_or_nothing(at);
        else if (lw_json_text_equal(key, LW_STR("name")))
            reference.name = string_or_nothing(at);
        else if (lw_json_text_equal(key, LW_STR("controller")))
            reference.is_controller = lw_str_equal(lw_json_cursor_skip(at), LW_STR("true"));
        else
            (void)lw_json_cursor_skip(at);
    }
    return reference;
}

/* Returns true if |api_version|, still escaped, is "group/...", or has no slash if the group is
 * "". */
static bool is_of_group(lw_str api_version, lw_str group)
{
    char text[API_VERSION_SIZE];
    lw_str found, version;
    if (api_version.len > sizeof(text))
        return false;
    lw_str plain = lw_str_make(text, lw_json_unescape(text, api_version));
    return lw_api_version_parse(plain, &found, &version, NULL) == LW_OK &&
           lw_str_equal(found, group);
}

static bool is_controller_of(const owner_reference *owner, const lw_source_type *type)
{
    return owner->is_controller && owner->name.len > 0 &&
           lw_json_text_equal(owner->kind, type->kind) &&
           is_of_group(owner->api_version, type->group);
}

bool lw_owner_name(const lw_object *obj, const lw_source_type *type, lw_buf *name)
{
    lw_str json;
    if (lw_object_raw(obj, "/metadata/ownerReferences", &json) < 0)
        return false;
    lw_json_cursor at = lw_json_cursor_on(json);
    if (lw_json_cursor_type(&at) != LW_JSON_ARRAY)
        return false;
    lw_json_cursor_enter(&at);
    while (lw_json_cursor_next_element(&at)) {
        owner_reference owner = read_reference(&at);
        if (is_controller_of(&owner, type)) {
            lw_json_append_unescaped(name, owner.name);
            return true;
        }
    }
    return false;
}
