/* SPDX-License-Identifier: Apache-2.0 */
/* scale_managers.c -- the managers of one number. */
#include "api/write/scale_managers.h"

#include <stdio.h>

#include "base/str.h"
#include "schema/managedfields/field_set.h"

#define IN_SCALE "/spec/replicas"

enum {
    ELEMENT_SIZE = 256, /* "f:" and a part of the way to the number */
};

/* The set of the one field at |pointer|: {"f:spec":{"f:replicas":{}}} of "/spec/replicas". */
static lw_status set_of(lw_tree *tree, const char *pointer, lw_node **out)
{
    lw_str whole = lw_str_of(pointer);
    lw_node *below = lw_field_set_with_self(tree, NULL);
    lw_status st = LW_OK;
    while (whole.len > 0 && st == LW_OK) {
        size_t at = whole.len;
        while (at > 0 && whole.ptr[at - 1] != '/')
            at--;
        lw_buf element;
        lw_node *set = NULL;
        lw_buf_init(&element, whole.len + 2);
        lw_buf_append_text(&element, "f:");
        lw_buf_append_str(&element, lw_str_skip(whole, at));
        lw_field_set_put(tree, &set, lw_buf_view(&element), below);
        st = element.st;
        lw_buf_done(&element);
        below = set;
        whole.len = at > 0 ? at - 1 : 0;
    }
    *out = below;
    return st < 0 ? st : lw_tree_status(tree);
}

/* Whether |fields|, as FieldsV1 are written, have the field at |pointer|. */
static bool has_field(const lw_node *fields, lw_str pointer)
{
    char element[ELEMENT_SIZE];
    lw_str name, rest = lw_str_skip(pointer, 1);
    bool is_more = true;
    while (fields && is_more) {
        is_more = lw_str_cut(rest, '/', &name, &rest);
        (void)snprintf(element, sizeof(element), "f:%.*s", LW_STR_ARG(name));
        fields = lw_node_get(fields, lw_str_of(element));
    }
    return fields;
}

bool lw_scale_is_managed(const lw_node *managed, const lw_kind *kind)
{
    for (size_t i = 0; i < lw_node_count(managed); i++) {
        const lw_node *fields = lw_node_get(lw_node_at(managed, i), LW_STR("fieldsV1"));
        if (has_field(fields, lw_str_of(kind->scale->replicas)))
            return true;
    }
    return false;
}

static lw_status lacking(const lw_managers *managers)
{
    return managers->count == LW_MANAGERS_MAX ? LW_ERR_LIMIT : LW_ERR_NOMEM;
}

/* |manager| as it is told elsewhere. */
static lw_manager retold(const lw_manager *manager, lw_str version)
{
    lw_manager like = *manager;
    like.api_version = version;
    like.fields = NULL;
    return like;
}

lw_status lw_scale_managers_of(lw_managers *scale, const lw_managers *object, const lw_kind *kind)
{
    lw_tree *tree = scale->tree;
    lw_node *number = NULL, *in_scale = NULL;
    lw_status st = set_of(tree, kind->scale->replicas, &number);
    if (st == LW_OK)
        st = set_of(tree, IN_SCALE, &in_scale);
    if (st < 0)
        return st;
    for (size_t i = 0; i < object->count; i++) {
        const lw_manager *manager = &object->entries[i];
        if (!lw_field_set_has_all(manager->fields, number))
            continue;
        lw_manager like = retold(manager, LW_STR(LW_SCALE_VERSION));
        lw_manager *entry = lw_managers_get(scale, &like);
        if (!entry)
            return lacking(scale);
        entry->fields = lw_tree_copy(tree, in_scale);
    }
    return lw_tree_status(tree);
}

lw_status lw_scale_managers_return(lw_managers *object, const lw_managers *scale,
                                   const lw_kind *kind, lw_str version)
{
    lw_tree *tree = object->tree;
    lw_node *number = NULL, *in_scale = NULL;
    lw_status st = set_of(tree, kind->scale->replicas, &number);
    if (st == LW_OK)
        st = set_of(tree, IN_SCALE, &in_scale);
    if (st < 0)
        return st;
    for (size_t i = 0; i < object->count; i++) {
        lw_manager *manager = &object->entries[i];
        lw_manager like = retold(manager, LW_STR(LW_SCALE_VERSION));
        if (!lw_managers_find(scale, &like))
            manager->fields = lw_field_set_difference(tree, manager->fields, number);
    }
    lw_managers_drop_empty(object);
    for (size_t i = 0; i < scale->count; i++) {
        lw_manager like = retold(&scale->entries[i], version);
        like.time = LW_STR("");
        if (lw_managers_find(object, &like) ||
            lw_field_set_is_disjoint(scale->entries[i].fields, in_scale))
            continue;
        lw_manager *entry = lw_managers_get(object, &like);
        if (!entry)
            return lacking(object);
        entry->fields = lw_tree_copy(tree, number);
    }
    return lw_tree_status(tree);
}
