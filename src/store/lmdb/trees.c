/* SPDX-License-Identifier: Apache-2.0 */
/* trees.c -- finds the databases of one commit: the main tree has a description of each. */
#include "store/lmdb/trees.h"

#include "base/str.h"
#include "store/lmdb/env.h"

static void on_damage(uint64_t page, const char *what, void *arg)
{
    lw_lmdb_trees *trees = arg;
    if (trees->damage)
        return;
    trees->damage = what;
    trees->damage_page = page;
}

static void on_tree(const lw_lmdb_node *node, void *arg)
{
    lw_lmdb_trees *trees = arg;
    const struct {
        lw_str name;
        lw_lmdb_db *db;
    } known[] = { { LW_STR(LW_LMDB_META), &trees->meta },
                  { LW_STR(LW_LMDB_LOG), &trees->log },
                  { LW_STR(LW_LMDB_KEYS), &trees->keys } };
    if (!node->is_tree) {
        on_damage(node->page, "the table of databases is damaged", arg);
        return;
    }
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (!lw_str_equal(node->key, known[i].name))
            continue;
        trees->found++;
        *known[i].db = lw_lmdb_db_decode(node->value.ptr);
        if (known[i].db->flags != 0 || known[i].db->page_size != 0)
            on_damage(node->page, "the description of a database is damaged", arg);
        return;
    }
}

static void on_meta(const lw_lmdb_node *node, void *arg)
{
    lw_lmdb_trees *trees = arg;
    if (lw_str_equal(node->key, LW_STR(LW_LMDB_FORMAT_KEY))) {
        if (node->value.len == LW_LMDB_REVISION_SIZE)
            trees->format = (unsigned)lw_lmdb_get_number((const unsigned char *)node->value.ptr,
                                                         LW_LMDB_REVISION_SIZE);
        else
            on_damage(node->page, "the format record is damaged", arg);
    } else if (lw_str_equal(node->key, LW_STR(LW_LMDB_STATE_KEY))) {
        /* "format" sorts before "state" */
        trees->has_state = lw_lmdb_state_decode(&trees->state, trees->format, node->value);
        if (!trees->has_state)
            on_damage(node->page, "the state record is damaged", arg);
    }
}

void lw_lmdb_trees_find(lw_lmdb_trees *trees, lw_lmdb_pages *pages, const lw_lmdb_meta *meta)
{
    static const lw_lmdb_db none = { .root = LW_LMDB_NO_ROOT };
    *trees = (lw_lmdb_trees){ .meta = none, .log = none, .keys = none };
    pages->last_page = meta->last_page;
    lw_lmdb_visitor visitor = {
        .value_max = LW_LMDB_RECORD_MAX, .on_node = on_tree, .on_damage = on_damage, .arg = trees
    };
    lw_lmdb_pages_walk(pages, &meta->main, &visitor);
    trees->is_readable = !trees->damage;
    visitor.on_node = on_meta;
    lw_lmdb_pages_walk(pages, &trees->meta, &visitor);
    if (!trees->has_state)
        on_damage(trees->meta.root == LW_LMDB_NO_ROOT ? 0 : trees->meta.root,
                  "the state record is missing", trees);
}
