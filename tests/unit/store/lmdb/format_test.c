/* SPDX-License-Identifier: Apache-2.0 */
/* format_test.c -- to and from the bytes in the file, and that damage is seen. */
#include "store/lmdb/format.h"

#include "base/str.h"
#include "unit/test.h"

static void numbers_are_big_endian(void **state)
{
    (void)state;
    unsigned char bytes[8];
    lw_lmdb_put_number(bytes, 0x0102030405060708, 8);
    assert_memory_equal(bytes, "\1\2\3\4\5\6\7\10", 8);
    assert_int_equal(lw_lmdb_get_number(bytes, 8), 0x0102030405060708);
    assert_int_equal(lw_lmdb_get_number(bytes, 2), 0x0102);
    lw_lmdb_put_number(bytes, UINT64_MAX, 8);
    assert_true(lw_lmdb_get_number(bytes, 8) == UINT64_MAX);
}

static const lw_lmdb_record sample = {
    .create_revision = 5,
    .previous = 6,
    .weight = 1000,
    .key = LW_STR_INIT("/a"),
    .value = LW_STR_INIT("value"),
};

static void a_record_is_laid_out_as_the_page_says(void **state)
{
    (void)state;
    unsigned char bytes[100];
    assert_int_equal(lw_lmdb_record_size(&sample), 35);
    lw_lmdb_record_encode(&sample, bytes);
    assert_memory_equal(bytes,
                        "\0\0\0\2" /* flags, length of the key */
                        "\0\0\0\0\0\0\0\5\0\0\0\0\0\0\0\6\0\0\0\0\0\0\3\350"
                        "/avalue",
                        35);
}

static void a_record_comes_back_as_it_was(void **state)
{
    (void)state;
    unsigned char bytes[100];
    lw_lmdb_record deleted = { .is_delete = true,
                               .create_revision = UINT64_MAX,
                               .key = LW_STR_INIT("k") };
    const lw_lmdb_record *const records[] = { &sample, &deleted };
    for (size_t i = 0; i < 2; i++) {
        lw_lmdb_record_encode(records[i], bytes);
        lw_lmdb_record back;
        assert_true(lw_lmdb_record_decode(&back, lw_str_make((char *)bytes,
                                                             lw_lmdb_record_size(records[i]))));
        assert_int_equal(back.is_delete, records[i]->is_delete);
        assert_true(back.create_revision == records[i]->create_revision);
        assert_int_equal(back.previous, records[i]->previous);
        assert_int_equal(back.weight, records[i]->weight);
        assert_true(lw_str_equal(back.key, records[i]->key));
        assert_true(lw_str_equal(back.value, records[i]->value));
    }
}

static void a_record_that_cannot_be_is_seen(void **state)
{
    (void)state;
    unsigned char bytes[100];
    lw_lmdb_record back;
    lw_lmdb_record_encode(&sample, bytes);
    for (size_t len = 0; len < LW_LMDB_HEAD_SIZE + 2; len++)
        assert_false(lw_lmdb_record_decode(&back, lw_str_make((char *)bytes, len)));
    assert_true(lw_lmdb_record_decode(&back, lw_str_make((char *)bytes, LW_LMDB_HEAD_SIZE + 2)));
    static const struct {
        size_t at;
        unsigned char byte;
    } damages[] = { { 0, 2 }, { 0, 255 }, { 1, 1 }, { 2, 1 }, { 3, 0 }, { 3, 8 } };
    for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
        lw_lmdb_record_encode(&sample, bytes);
        bytes[damages[i].at] = damages[i].byte;
        assert_false(lw_lmdb_record_decode(&back, lw_str_make((char *)bytes, 35)));
    }
}

static void an_entry_comes_back_as_it_was(void **state)
{
    (void)state;
    unsigned char bytes[LW_LMDB_ENTRY_SIZE];
    const lw_lmdb_entry entry = { 7, 3, 123456 };
    lw_lmdb_entry back;
    lw_lmdb_entry_encode(&entry, bytes);
    lw_str view = lw_str_make((char *)bytes, sizeof(bytes));
    assert_true(lw_lmdb_entry_decode(&back, view));
    assert_int_equal(back.revision, 7);
    assert_int_equal(back.create_revision, 3);
    assert_int_equal(back.bytes, 123456);
    assert_false(lw_lmdb_entry_decode(&back, lw_str_skip(view, 1)));
    lw_lmdb_entry_encode(&(lw_lmdb_entry){ 7, 8, 1 }, bytes);
    assert_false(lw_lmdb_entry_decode(&back, view));
    lw_lmdb_entry_encode(&(lw_lmdb_entry){ 0, 0, 1 }, bytes);
    assert_false(lw_lmdb_entry_decode(&back, view));
}

static void a_state_comes_back_as_it_was(void **state)
{
    (void)state;
    unsigned char bytes[LW_LMDB_STATE_SIZE];
    const lw_store_marks marks = { 9, 5, 4, 900, 500 };
    lw_store_marks back;
    lw_str view = lw_str_make((char *)bytes, sizeof(bytes));
    lw_lmdb_state_encode(&marks, bytes);
    assert_true(lw_lmdb_state_decode(&back, view));
    assert_memory_equal(&back, &marks, sizeof(marks));
    assert_false(lw_lmdb_state_decode(&back, lw_str_skip(view, 1)));
    static const lw_store_marks wrong[] = { { 9, 10, 4, 900, 500 },
                                            { 9, 5, 6, 900, 500 },
                                            { 9, 5, 4, 900, 901 } };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        lw_lmdb_state_encode(&wrong[i], bytes);
        assert_false(lw_lmdb_state_decode(&back, view));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(numbers_are_big_endian),        TEST(a_record_is_laid_out_as_the_page_says),
        TEST(a_record_comes_back_as_it_was), TEST(a_record_that_cannot_be_is_seen),
        TEST(an_entry_comes_back_as_it_was), TEST(a_state_comes_back_as_it_was),
    };
    return cmocka_run_group_tests_name("lmdb/format", tests, NULL, NULL);
}
