/* SPDX-License-Identifier: Apache-2.0 */
/* document.h -- parse and print whole trees in a line, for the tests of trees and patches. */
#ifndef LW_TESTS_UNIT_JSON_DOCUMENT_H
#define LW_TESTS_UNIT_JSON_DOCUMENT_H

#include "base/buf.h"
#include "unit/test.h"
#include "json/tree.h"

/* The tree of |json|, which must be well-formed; lw_tree_free it. */
static inline lw_tree *parse_document(const char *json)
{
    lw_tree *tree = NULL;
    lw_error err = LW_ERROR_INIT;
    if (lw_tree_parse(&tree, lw_str_of(json), 0, &err) < 0)
        fail_msg("%s: %s", json, err.message);
    return tree;
}

/* |node| is written as |json|; prints both when not. */
static inline void assert_written_at(const lw_node *node, const char *json, const char *file,
                                     int line)
{
    lw_buf buf;
    lw_json_writer w;
    lw_buf_init(&buf, 1 << 20);
    lw_json_writer_init(&w, &buf, LW_JSON_COMPACT);
    lw_node_write(node, &w);
    assert_int_equal(lw_json_writer_status(&w), LW_OK);
    assert_str_equal_at(lw_buf_view(&buf), json, file, line);
    lw_buf_done(&buf);
}
#define assert_written(node, json) assert_written_at((node), (json), __FILE__, __LINE__)

#endif
