/* SPDX-License-Identifier: Apache-2.0 */
/* proto_random_test.c -- random objects of every kind through protobuf and back. */
#include <stdio.h>

#include "base/str.h"
#include "schema/proto/proto.h"
#include "schema/types/type_table.h"
#include "support/object_gen.h"
#include "support/sanitized.h"
#include "unit/test.h"
#include "json/scan.h"
#include "json/tree.h"
#include "json/writer.h"

enum {
    OBJECTS = IS_SANITIZED ? 10 : 40, /* of each kind */
    OUT_MAX = 64 * 1024 * 1024,
};

static void assert_comes_back(uint64_t seed, const lw_type_kind *kind)
{
    lw_buf json, bytes, back;
    lw_error err = LW_ERROR_INIT;
    lw_proto_document document;
    lw_buf_init(&json, OUT_MAX);
    lw_buf_init(&bytes, OUT_MAX);
    lw_buf_init(&back, OUT_MAX);
    object_gen_write(seed, kind->type, kind->gvk, &json);
    assert_int_equal(lw_json_validate(lw_buf_view(&json), 0, NULL), LW_OK);
    if (lw_proto_write_document(lw_buf_view(&json), &bytes, &err) < 0 ||
        lw_proto_open(lw_buf_view(&bytes), &document, &err) < 0 ||
        lw_proto_read(lw_proto_type(document.api_version, document.kind), &document,
                      document.message, &back, &err) < 0)
        fail_msg("%.*s, seed %llu: %s", LW_STR_ARG(kind->gvk.kind), (unsigned long long)seed,
                 err.message);
    if (!lw_str_equal(lw_buf_view(&back), lw_buf_view(&json)))
        fail_msg("seed %llu\n  sent: %.*s\n  back: %.*s", (unsigned long long)seed,
                 LW_STR_ARG(lw_buf_view(&json)), LW_STR_ARG(lw_buf_view(&back)));
    lw_buf_done(&json);
    lw_buf_done(&bytes);
    lw_buf_done(&back);
}

static void objects_of_every_kind_come_back_as_they_were(void **state)
{
    (void)state;
    for (size_t i = 0; i < lw_type_kind_count; i++) {
        for (uint64_t seed = 1; seed <= OBJECTS; seed++)
            assert_comes_back(seed * lw_type_kind_count + i, &lw_type_kinds[i]);
    }
}

/* |json| with the members of all objects in the order of their names. */
static void sort_members(const lw_buf *json, lw_buf *out)
{
    lw_tree *tree = NULL;
    lw_json_writer w;
    assert_int_equal(lw_tree_parse(&tree, lw_buf_view(json), OUT_MAX, NULL), LW_OK);
    lw_node_sort_keys(lw_tree_root(tree));
    lw_json_writer_init(&w, out, LW_JSON_COMPACT);
    lw_node_write(lw_tree_root(tree), &w);
    assert_int_equal(lw_json_writer_status(&w), LW_OK);
    lw_tree_free(tree);
}

/* What is read back has the order of Go, and must be written as the same bytes. */
static void assert_order_does_not_matter(uint64_t seed, const lw_type_kind *kind)
{
    lw_buf json, sorted, bytes, back, again;
    lw_buf *all[] = { &json, &sorted, &bytes, &back, &again };
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        lw_buf_init(all[i], OUT_MAX);
    object_gen_write(seed, kind->type, kind->gvk, &json);
    sort_members(&json, &sorted);
    assert_int_equal(lw_proto_write(kind->type, lw_buf_view(&sorted), &bytes, NULL), LW_OK);
    assert_int_equal(lw_proto_read(kind->type, NULL, lw_buf_view(&bytes), &back, NULL), LW_OK);
    assert_int_equal(lw_proto_write(kind->type, lw_buf_view(&back), &again, NULL), LW_OK);
    if (!lw_str_equal(lw_buf_view(&bytes), lw_buf_view(&again)))
        fail_msg("seed %llu\n  sorted: %.*s\n  back: %.*s", (unsigned long long)seed,
                 LW_STR_ARG(lw_buf_view(&sorted)), LW_STR_ARG(lw_buf_view(&back)));
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        lw_buf_done(all[i]);
}

static void members_may_come_in_any_order(void **state)
{
    (void)state;
    for (size_t i = 0; i < lw_type_kind_count; i++) {
        for (uint64_t seed = 1; seed <= OBJECTS; seed++)
            assert_order_does_not_matter(seed * lw_type_kind_count + i, &lw_type_kinds[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(objects_of_every_kind_come_back_as_they_were),
        TEST(members_may_come_in_any_order),
    };
    return cmocka_run_group_tests_name("proto_random", tests, NULL, NULL);
}
