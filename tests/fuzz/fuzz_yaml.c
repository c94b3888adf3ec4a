/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_yaml.c -- any bytes as YAML; the result must survive writing and reading again. */
#include <stdlib.h>

#include "base/str.h"
#include "fuzz/fuzz.h"
#include "json/text.h"
#include "json/yaml/yaml.h"

enum {
    TREE_LIMIT = 1 << 20,
    TEXT_LIMIT = 64 << 20,
};

/* Reads the one document of |yaml|.  NULL: it was too large. */
static lw_tree *read_one(lw_str yaml)
{
    lw_yaml_reader *reader;
    if (lw_yaml_reader_new(&reader, yaml) < 0)
        abort();
    lw_tree *tree = NULL;
    lw_tree *more = NULL;
    lw_error err = LW_ERROR_INIT;
    lw_status st = lw_yaml_reader_next(reader, TREE_LIMIT, &tree, &err);
    if (st < 0 && st != LW_ERR_LIMIT)
        abort();
    if (st == LW_OK && (!tree || lw_yaml_reader_next(reader, 0, &more, &err) < 0 || more))
        abort();
    lw_yaml_reader_free(reader);
    return tree;
}

/* Writes |node| and reads it back.  NULL: it was too large. */
static lw_tree *pass_through(const lw_node *node)
{
    lw_buf yaml;
    lw_buf_init(&yaml, TEXT_LIMIT);
    lw_status st = lw_yaml_write(&yaml, node);
    if (st < 0 && st != LW_ERR_LIMIT)
        abort();
    lw_tree *tree = st == LW_OK ? read_one(lw_buf_view(&yaml)) : NULL;
    lw_buf_done(&yaml);
    return tree;
}

/* YAML has doubles, so a number with more digits is rounded, and one that is too large becomes a
 * string; JSON in the input may contain both.  After one round trip the result must be stable. */
static void check(const lw_node *node)
{
    lw_tree *once = pass_through(node);
    lw_tree *twice = once ? pass_through(lw_tree_root(once)) : NULL;
    if (twice && !lw_node_equal(lw_tree_root(once), lw_tree_root(twice)))
        abort();
    lw_tree_free(once);
    lw_tree_free(twice);
}

/* True if YAML represents |node| exactly. */
static bool is_exact(const lw_node *node)
{
    if (lw_node_is(node, LW_JSON_NUMBER)) {
        int64_t whole;
        return lw_node_int64(node, &whole);
    }
    for (size_t i = 0; i < lw_node_count(node); i++) {
        if (!is_exact(lw_node_at(node, i)))
            return false;
    }
    return true;
}

static void check_exact(const lw_node *node)
{
    if (!is_exact(node))
        return;
    lw_tree *once = pass_through(node);
    if (once && !lw_node_equal(node, lw_tree_root(once)))
        abort();
    lw_tree_free(once);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lw_yaml_reader *reader;
    if (lw_yaml_reader_new(&reader, lw_str_make((const char *)data, size)) < 0)
        abort();
    lw_tree *tree;
    lw_error err = LW_ERROR_INIT;
    do {
        tree = NULL;
        lw_status st = lw_yaml_reader_next(reader, TREE_LIMIT, &tree, &err);
        if (st < 0 && (err.code != st || (err.offset != LW_NO_OFFSET && err.offset > size) ||
                       !lw_utf8_is_valid(lw_str_of(err.message))))
            abort();
        if (tree) {
            check_exact(lw_tree_root(tree));
            check(lw_tree_root(tree));
        }
        lw_tree_free(tree);
    } while (tree);
    lw_yaml_reader_free(reader);
    return 0;
}
