/* SPDX-License-Identifier: Apache-2.0 */
/* last_applied.c -- the annotation of kubectl's client-side apply. */
#include "api/pending/last_applied.h"

#include "base/str.h"
#include "schema/managedfields/field_set.h"
#include "schema/managedfields/field_walk.h"
#include "json/fields.h"

enum {
    TEXT_MAX = 256 * 1024, /* bytes of all annotations together */
};

static const char annotation[] = "kubectl.kubernetes.io/last-applied-configuration";

static lw_str text_of(const lw_node *object)
{
    return lw_fields_text(lw_fields_find(object, "/metadata/annotations"), annotation);
}

bool lw_last_applied_is_followed(const lw_field_manager *manager, const lw_node *live)
{
    return lw_str_equal(manager->name, LW_STR("kubectl")) && text_of(live).len > 0;
}

lw_status lw_last_applied_fields(lw_tree *tree, const lw_type *type, const lw_node *live,
                                 const lw_node **out)
{
    lw_node *last = NULL, *set = NULL;
    lw_field_changes changes;
    lw_status st = lw_tree_parse_node(tree, text_of(live), &last, NULL);
    if (st == LW_ERR_SYNTAX || (st == LW_OK && !lw_str_equal(lw_fields_text(last, "apiVersion"),
                                                             lw_fields_text(live, "apiVersion"))))
        return LW_OK;
    if (st == LW_OK)
        st = lw_field_walk(tree, type, last, &set);
    if (st == LW_OK)
        st = lw_field_compare(tree, type, live, last, LW_FIELD_APPLIED, &changes);
    if (st == LW_OK)
        *out = lw_field_set_difference(tree, set, changes.changed);
    return st < 0 ? st : lw_tree_status(tree);
}

lw_status lw_last_applied_set(lw_tree *tree, lw_node *object, const lw_node *config)
{
    lw_node *metadata = lw_fields_object(tree, object, "metadata");
    lw_node *annotations = lw_fields_object(tree, metadata, "annotations");
    lw_node *said = lw_tree_copy(tree, config);
    lw_node *own = lw_fields_find(said, "/metadata/annotations");
    lw_json_writer w;
    lw_buf text;
    if (own)
        lw_fields_remove(own, annotation);
    lw_node_sort_keys(said);
    lw_buf_init(&text, TEXT_MAX);
    lw_json_writer_init(&w, &text, LW_JSON_COMPACT);
    lw_node_write(said, &w);
    lw_buf_append_char(&text, '\n');
    lw_status st = text.st;
    if (st == LW_OK && annotations)
        lw_fields_set_text(tree, annotations, annotation, lw_buf_view(&text));
    lw_buf_done(&text);
    return st == LW_ERR_LIMIT ? LW_OK : st; /* too long for an annotation: it is not changed */
}
