/* SPDX-License-Identifier: Apache-2.0 */
/* cells.h -- the row of an object, as a table shows it, for tests.  It is 2026-11-15T12:00:00Z. */
#ifndef LW_TESTS_UNIT_SCHEMA_CELLS_H
#define LW_TESTS_UNIT_SCHEMA_CELLS_H

#include <stdio.h>

#include "schema/kinds/kinds.h"
#include "schema/kinds/table.h"
#include "unit/object/make.h"
#include "unit/test.h"
#include "json/path.h"
#include "json/writer.h"

#define CELLS_NOW_NS (INT64_C(1794744000) * 1000000000)

/* Copies |from|, where ' stands for ", and < and > for themselves as Kubernetes escapes them. */
static inline void spell_json(char *to, size_t size, const char *from, bool is_escaped)
{
    size_t len = 0;
    for (; *from; from++) {
        bool is_angle = is_escaped && (*from == '<' || *from == '>');
        int n = is_angle ? snprintf(to + len, size - len, "\\u003%c", *from == '<' ? 'c' : 'e')
                         : snprintf(to + len, size - len, "%c", *from == '\'' ? '"' : *from);
        len += (size_t)n;
        assert_true(len < size);
    }
    to[len] = '\0';
}

/* Fails unless the cells of |json| as a |kind| are |expected|. */
static inline void assert_cells_at(const lw_kind *kind, const char *json, const char *expected,
                                   const char *file, int line)
{
    static char text[16384], wanted[16384];
    const lw_table_form form = { .include = LW_TABLE_NONE, .now_ns = CELLS_NOW_NS };
    lw_buf out;
    lw_json_writer w;
    lw_str cells;
    spell_json(text, sizeof(text), json, false);
    spell_json(wanted, sizeof(wanted), expected, true);
    lw_object *obj = object_of(text);
    lw_buf_init(&out, 1 << 20);
    lw_json_writer_init(&w, &out, LW_JSON_COMPACT);
    lw_table_row(kind, &form, obj, &w);
    assert_int_equal(lw_json_writer_status(&w), LW_OK);
    assert_int_equal(lw_json_path_find(lw_buf_view(&out), lw_str_of("/cells"), &cells), LW_OK);
    assert_str_equal_at(cells, wanted, file, line);
    lw_buf_done(&out);
    lw_object_unref(obj);
}
#define assert_cells(kind, json, expected)                                                         \
    assert_cells_at(&(kind), (json), (expected), __FILE__, __LINE__)

#endif
