/* SPDX-License-Identifier: Apache-2.0 */
/* resident_test.c -- what was read of the file does not stay in the process. */
#include "store/lmdb/resident.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "store/lmdb/lmdb.h"
#include "suite/store_place.h"

enum {
    VALUES = 320,
    VALUE_SIZE = 128 * 1024, /* 40 MiB in all */
    READING_MAX_KIB = 20 * 1024,
};

/* Pages of files in this process; 0: the system does not tell. */
static long file_kib(void)
{
    char line[256];
    long kib = 0;
    FILE *status = fopen("/proc/self/status", "re");
    while (status && kib == 0 && fgets(line, sizeof(line), status))
        (void)sscanf(line, "RssFile: %ld", &kib);
    if (status)
        fclose(status);
    return kib;
}

static void fill(lw_store *store)
{
    static char value[VALUE_SIZE];
    memset(value, 'x', sizeof(value));
    for (int i = 0; i < VALUES; i++) {
        char key[32];
        int len = snprintf(key, sizeof(key), "/registry/big/%d", i);
        lw_store_txn txn = { .op = LW_STORE_PUT,
                             .key = { key, (size_t)len },
                             .value = { value, sizeof(value) } };
        assert_int_equal(lw_store_commit(store, &txn), LW_OK);
    }
}

static lw_status add_up(const lw_store_record *record, void *arg, lw_error *err)
{
    uint64_t *sum = arg;
    (void)err;
    for (size_t i = 0; i < record->value.len; i += 512)
        *sum += (unsigned char)record->value.ptr[i];
    return LW_OK;
}

static void reading_everything_leaves_little_of_the_file_in_memory(void **state)
{
    (void)state;
    store_place place;
    lw_store *store = NULL;
    lw_error err = LW_ERROR_INIT;
    store_place_make(&place);
    lw_lmdb_store_options options = { .folder = place.folder };
    assert_int_equal(lw_lmdb_store_open(&store, &options, &err), LW_OK);
    fill(store);
    long before = file_kib();
    uint64_t sum = 0;
    lw_store_range_result result;
    lw_store_range all = { .start = { "/", 1 } };
    assert_int_equal(lw_store_read(store, &all, add_up, &sum, &result, &err), LW_OK);
    assert_int_equal(sum, (uint64_t)VALUES * (VALUE_SIZE / 512) * 'x');
    long after = file_kib();
    lw_store_free(store);
    store_place_remove(&place);
    if (before == 0)
        skip(); /* this system does not tell */
    if (after - before > READING_MAX_KIB)
        fail_msg("reading 40 MiB left %ld KiB in memory", after - before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reading_everything_leaves_little_of_the_file_in_memory),
    };
    return cmocka_run_group_tests_name("lmdb/resident", tests, NULL, NULL);
}
