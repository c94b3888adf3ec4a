/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_apply.c -- two documents: the second is applied to the first by force.  Applying it again
 * changes nothing, and applying an empty configuration removes all of its fields.
 *
 * The first byte chooses the kind (some have no known type); a NUL byte separates the documents. */
#include "fuzz/fuzz.h"

#include <stdlib.h>

#include "base/str.h"
#include "schema/managedfields/applied_fields.h"
#include "schema/managedfields/apply.h"
#include "schema/managedfields/field_check.h"
#include "schema/managedfields/field_set.h"
#include "schema/managedfields/managed_fields_create.h"
#include "schema/managedfields/unmanaged_fields.h"

static const struct {
    const char *group, *version, *kind;
} kinds[] = {
    { "", "v1", "ConfigMap" },   { "", "v1", "Pod" },
    { "", "v1", "Service" },     { "apps", "v1", "Deployment" },
    { "ex.io", "v1", "Widget" }, { "apiextensions.k8s.io", "v1", "CustomResourceDefinition" },
};

static void must(bool holds)
{
    if (!holds)
        abort();
}

typedef struct trial {
    lw_tree *tree;
    const lw_type *type;
    lw_managers managers;
} trial;

static lw_field_write write_by(const trial *t, const char *name, bool is_apply)
{
    return (lw_field_write){ .type = t->type,
                             .manager = { .name = lw_str_of(name),
                                          .api_version = LW_STR("v1"),
                                          .time = LW_STR("2026-01-01T00:00:00Z"),
                                          .is_apply = is_apply } };
}

/* NULL: the result exceeds the limits of a tree. */
static lw_node *apply_to(trial *t, const lw_node *live, const lw_node *config)
{
    lw_field_write write = write_by(t, "applier", true);
    lw_apply apply = { .live = live, .config = config, .is_forced = true };
    if (lw_managers_apply(&t->managers, &write, &apply) < 0)
        return NULL;
    return apply.merged;
}

/* lw_managed_fields_create must give the same as a comparison with no object. */
static void check_fresh(trial *t, const lw_field_write *write, const lw_node *made)
{
    lw_node *list = NULL;
    lw_buf quick, slow;
    lw_json_writer w;
    lw_managers managers;
    lw_managers_init(&managers, t->tree);
    lw_buf_init(&quick, 1 << 26);
    lw_buf_init(&slow, 1 << 26);
    lw_status st = lw_managed_fields_create(t->type, &write->manager, made, NULL, &quick);
    if (st == LW_OK)
        st = lw_managers_update(&managers, write, NULL, made);
    if (st == LW_OK)
        st = lw_managers_write(&managers, &list);
    if (st == LW_OK && list) {
        lw_json_writer_init(&w, &slow, LW_JSON_COMPACT);
        lw_node_write(list, &w);
        st = lw_json_writer_status(&w);
    }
    must(st < 0 || lw_str_equal(lw_buf_view(&quick), lw_buf_view(&slow)));
    lw_buf_done(&quick);
    lw_buf_done(&slow);
    lw_managers_done(&managers);
}

/* The fields of a configuration that are written at once must be those that are listed, sorted and
 * written. */
static void check_applied(trial *t, const lw_node *config)
{
    lw_node *text = NULL, *set = NULL;
    lw_str quick;
    lw_buf slow;
    lw_json_writer w;
    lw_buf_init(&slow, 1 << 26);
    lw_status st = lw_applied_fields(t->tree, t->type, config, NULL, &text);
    if (st == LW_OK)
        st = lw_field_walk(t->tree, t->type, config, &set);
    if (st == LW_OK) {
        lw_field_set_drop_unmanaged(set);
        st = lw_field_set_sort(set);
    }
    if (st == LW_OK) {
        lw_json_writer_init(&w, &slow, LW_JSON_COMPACT);
        lw_node_write(set ? set : lw_tree_object(t->tree), &w);
        st = lw_json_writer_status(&w);
    }
    must(st < 0 || (lw_node_is_closed(text, &quick) && lw_str_equal(quick, lw_buf_view(&slow))));
    lw_buf_done(&slow);
}

static void check(trial *t, const lw_node *live, const lw_node *config)
{
    lw_field_write write = write_by(t, "maker", false);
    lw_node *before = NULL, *after = NULL;
    check_fresh(t, &write, live);
    check_applied(t, config);
    if (lw_managers_update(&t->managers, &write, NULL, live) < 0)
        return;
    lw_node *once = apply_to(t, live, config);
    if (!once || lw_managers_write(&t->managers, &before) < 0)
        return;
    lw_node *twice = apply_to(t, once, config);
    if (!twice || lw_managers_write(&t->managers, &after) < 0)
        return;
    must(lw_node_equal(once, twice));
    must(lw_managers_equal_untimed(before, after));
    lw_node *nothing = lw_tree_object(t->tree);
    if (!apply_to(t, twice, nothing))
        return;
    lw_manager like = { .name = LW_STR("applier"), .is_apply = true };
    must(!lw_managers_find(&t->managers, &like));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    size_t kind = data[0] % (sizeof(kinds) / sizeof(kinds[0]));
    const char *text = (const char *)data + 1;
    const char *nul = memchr(text, 0, size - 1);
    if (!nul)
        return 0;
    size_t len = (size_t)(nul - text);
    trial t = { .type = lw_type_of_kind(
                    lw_gvk_make(kinds[kind].group, kinds[kind].version, kinds[kind].kind)) };
    lw_node *live = NULL, *config = NULL;
    lw_buf why;
    if (lw_tree_new(&t.tree, 0) < 0)
        return 0;
    lw_managers_init(&t.managers, t.tree);
    lw_buf_init(&why, 1 << 20);
    if (lw_tree_parse_node(t.tree, lw_str_make(text, len), &live, NULL) == LW_OK &&
        lw_tree_parse_node(t.tree, lw_str_make(nul + 1, size - len - 2), &config, NULL) == LW_OK &&
        lw_node_is(live, LW_JSON_OBJECT) && lw_node_is(config, LW_JSON_OBJECT) &&
        lw_field_check(t.tree, t.type, config, &why))
        check(&t, live, config);
    lw_buf_done(&why);
    lw_managers_done(&t.managers);
    lw_tree_free(t.tree);
    return 0;
}
