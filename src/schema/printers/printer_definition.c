/* SPDX-License-Identifier: Apache-2.0 */
/* printer_definition.c -- the columns of custom resource definitions. */
#include "base/str.h"
#include "schema/printers/printers.h"
#include "schema/printers/table_cell.h"
#include "json/fields.h"

enum {
    VERSIONS_MAX = 64, /* of one definition that are shown */
};

/* Sorts the versions that are served by their names. */
static size_t sort_versions(const lw_node *versions, const lw_node *sorted[VERSIONS_MAX])
{
    size_t count = 0;
    for (size_t i = 0; i < lw_node_count(versions) && count < VERSIONS_MAX; i++) {
        const lw_node *version = lw_node_at(versions, i);
        size_t place = count;
        if (!lw_node_bool(lw_node_get(version, LW_STR("served"))))
            continue;
        for (; place > 0 && lw_str_compare(lw_fields_text(sorted[place - 1], "name"),
                                           lw_fields_text(version, "name")) > 0;
             place--)
            sorted[place] = sorted[place - 1];
        sorted[place] = version;
        count++;
    }
    return count;
}

/* "v1(storage),v1beta1" */
static void cell_versions(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    const lw_node *sorted[VERSIONS_MAX];
    lw_tree *tree = NULL;
    lw_buf text;
    (void)column;
    lw_table_cell_begin(&text);
    lw_status st = lw_tree_parse(&tree, row->json, 0, NULL);
    if (st < 0)
        text.st = st;
    size_t count =
        st < 0 ? 0 : sort_versions(lw_fields_find(lw_tree_root(tree), "/spec/versions"), sorted);
    for (size_t i = 0; i < count; i++) {
        lw_table_cell_separate(&text, 0, ",");
        lw_buf_append_str(&text, lw_fields_text(sorted[i], "name"));
        if (lw_node_bool(lw_node_get(sorted[i], LW_STR("storage"))))
            lw_buf_append_text(&text, "(storage)");
    }
    lw_tree_free(tree);
    lw_table_cell_end(&text, "", w);
}

static void cell_short_names(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_tree *tree = NULL;
    lw_buf text;
    (void)column;
    lw_table_cell_begin(&text);
    lw_status st = lw_tree_parse(&tree, row->json, 0, NULL);
    if (st < 0)
        text.st = st;
    const lw_node *names =
        st < 0 ? NULL : lw_fields_find(lw_tree_root(tree), "/spec/names/shortNames");
    for (size_t i = 0; i < lw_node_count(names); i++) {
        lw_table_cell_separate(&text, 0, ",");
        lw_buf_append_str(&text, lw_node_text(lw_node_at(names, i)));
    }
    lw_tree_free(tree);
    lw_table_cell_end(&text, "", w);
}

static void cell_established(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_tree *tree = NULL;
    bool is_established = false;
    (void)column;
    lw_status st = lw_tree_parse(&tree, row->json, 0, NULL);
    const lw_node *list = st < 0 ? NULL : lw_fields_find(lw_tree_root(tree), "/status/conditions");
    for (size_t i = 0; i < lw_node_count(list); i++) {
        const lw_node *condition = lw_node_at(list, i);
        is_established |= lw_str_equal(lw_fields_text(condition, "type"), LW_STR("Established")) &&
                          lw_str_equal(lw_fields_text(condition, "status"), LW_STR("True"));
    }
    lw_tree_free(tree);
    if (st < 0)
        w->out->st = st;
    else
        lw_json_write_bool(w, is_established);
}

const lw_table_column lw_table_columns_customresourcedefinition[] = {
    LW_TABLE_COLUMN_NAME,
    LW_COLUMN("Scope", "string", 0, "/spec/scope", lw_table_cell_string,
              "Whether objects live in namespaces: Cluster or Namespaced."),
    LW_COLUMN("Versions", "string", 0, NULL, cell_versions, "Versions that are served."),
    LW_TABLE_COLUMN_CREATED,
    LW_COLUMN("Group", "string", 1, "/spec/group", lw_table_cell_string, "API group."),
    LW_COLUMN("Kind", "string", 1, "/spec/names/kind", lw_table_cell_string,
              "Kind of the objects."),
    LW_COLUMN("ShortNames", "string", 1, NULL, cell_short_names,
              "Abbreviations for use on the command line."),
    LW_COLUMN("Established", "boolean", 1, NULL, cell_established,
              "Whether the resource is served."),
    LW_TABLE_COLUMN_END,
};
