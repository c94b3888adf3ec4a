/* SPDX-License-Identifier: Apache-2.0 */
/* proto_random_test.c -- random objects of every kind through protobuf and back. */
#include <stdio.h>

#include "base/str.h"
#include "schema/proto.h"
#include "schema/type_table.h"
#include "support/object_gen.h"
#include "unit/test.h"
#include "json/scan.h"

enum {
    OBJECTS = 40, /* of each kind */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(objects_of_every_kind_come_back_as_they_were),
    };
    return cmocka_run_group_tests_name("proto_random", tests, NULL, NULL);
}
