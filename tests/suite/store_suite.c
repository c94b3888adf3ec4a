/* SPDX-License-Identifier: Apache-2.0 */
/* store_suite.c -- the tests that every store must pass. */
#include "suite/store_suite.h"

#include <string.h>

#include "suite/store_suite_parts.h"

void store_tests_add(store_tests *table, const struct CMUnitTest *own, size_t count)
{
    assert_true(table->count + count <= STORE_TESTS_MAX);
    for (size_t i = 0; i < count; i++)
        table->tests[table->count++] = own[i];
}

static bool is_exception(const store_backend *backend, const char *name)
{
    for (const char *const *at = backend->exceptions; at && *at; at++) {
        if (strcmp(*at, name) == 0)
            return true;
    }
    return false;
}

/* Removes the tests that |backend| cannot pass. */
static void store_tests_sift(store_tests *table, const store_backend *backend)
{
    size_t kept = 0;
    for (size_t i = 0; i < table->count; i++) {
        if (!is_exception(backend, table->tests[i].name))
            table->tests[kept++] = table->tests[i];
    }
    table->count = kept;
}

int store_suite_run(const store_backend *backend)
{
    store_backend own = *backend; /* cmocka passes it as a non-const pointer */
    static store_tests table;
    store_suite_write(&table);
    store_suite_read(&table);
    store_suite_watch(&table);
    store_suite_compact(&table);
    if (backend->is_durable)
        store_suite_reopen(&table);
    store_tests_sift(&table, backend);
    for (size_t i = 0; i < table.count; i++)
        table.tests[i].initial_state = &own;
    return _cmocka_run_group_tests(backend->name, table.tests, table.count, NULL, NULL);
}
