/* SPDX-License-Identifier: Apache-2.0 */
/* name_table_test.c -- records found by their name. */
#include "control/runtime/name_table.h"

#include <stdio.h>

#include "unit/test.h"

enum {
    RECORDS = 1000,
};

typedef struct record {
    lw_named named;
    char name[16];
    bool is_seen;
} record;

static void records_are_found_until_they_are_removed(void **state)
{
    static record records[RECORDS];
    lw_names names = { NULL, 0, 0 };
    (void)state;
    assert_null(lw_names_get(&names, lw_str_of("r1")));
    for (size_t i = 0; i < RECORDS; i++) {
        (void)snprintf(records[i].name, sizeof(records[i].name), "r%zu", i);
        records[i].named.name = lw_str_of(records[i].name);
        assert_int_equal(lw_names_add(&names, &records[i].named), LW_OK);
    }
    for (size_t i = 0; i < RECORDS; i += 2)
        lw_names_remove(&names, &records[i].named);
    for (size_t i = 0; i < RECORDS; i++) {
        const void *found = lw_names_get(&names, lw_str_of(records[i].name));
        assert_ptr_equal(found, i % 2 ? &records[i] : NULL);
    }
    assert_int_equal(names.count, RECORDS / 2);
    lw_names_done(&names);
}

static void a_walk_meets_each_record_once(void **state)
{
    static record records[RECORDS];
    lw_names names = { NULL, 0, 0 };
    size_t count = 0;
    (void)state;
    assert_null(lw_names_next(&names, NULL));
    for (size_t i = 0; i < RECORDS; i++) {
        (void)snprintf(records[i].name, sizeof(records[i].name), "w%zu", i);
        records[i].named.name = lw_str_of(records[i].name);
        assert_int_equal(lw_names_add(&names, &records[i].named), LW_OK);
    }
    for (record *r = lw_names_next(&names, NULL); r; r = lw_names_next(&names, &r->named)) {
        assert_false(r->is_seen);
        r->is_seen = true;
        count++;
    }
    assert_int_equal(count, RECORDS);
    lw_names_done(&names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(records_are_found_until_they_are_removed),
        TEST(a_walk_meets_each_record_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
