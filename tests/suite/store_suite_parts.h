/* SPDX-License-Identifier: Apache-2.0 */
/* store_suite_parts.h -- the parts of the store suite: each adds its tests to one table. */
#ifndef LW_TESTS_SUITE_STORE_SUITE_PARTS_H
#define LW_TESTS_SUITE_STORE_SUITE_PARTS_H

#include "suite/store_fixture.h"

enum {
    STORE_TESTS_MAX = 100,
};

typedef struct store_tests {
    struct CMUnitTest tests[STORE_TESTS_MAX];
    size_t count;
} store_tests;

/* A test of a part; its state is a store_fixture. */
#define STORE_TEST(function)                                                                       \
    cmocka_unit_test_setup_teardown(function, store_fixture_setup, store_fixture_teardown)

#define STORE_TESTS_ADD(table, own) store_tests_add((table), (own), sizeof(own) / sizeof((own)[0]))

void store_tests_add(store_tests *table, const struct CMUnitTest *own, size_t count);

void store_suite_write(store_tests *table);
void store_suite_read(store_tests *table);
void store_suite_watch(store_tests *table);
void store_suite_compact(store_tests *table);
void store_suite_reopen(store_tests *table); /* durable stores only */

#endif
