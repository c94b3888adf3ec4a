/* SPDX-License-Identifier: Apache-2.0 */
/* format_test.c -- to and from the bytes in the file, and that damage is seen. */
#include "store/lmdb/format.h"

#include "base/buf.h"
#include "base/crc32c.h"
#include "base/str.h"
#include "store/lmdb/verify.h"
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

static bool decode(lw_lmdb_record *record, uint64_t revision, lw_str bytes)
{
    return lw_lmdb_record_decode(record, revision, LW_LMDB_FORMAT, bytes);
}

static void a_record_is_laid_out_as_the_page_says(void **state)
{
    (void)state;
    unsigned char bytes[100];
    assert_int_equal(lw_lmdb_record_size(&sample), 39);
    lw_lmdb_record_encode(&sample, 7, bytes);
    assert_memory_equal(bytes,
                        "\0\0\0\2" /* flags, length of the key */
                        "\0\0\0\0\0\0\0\5\0\0\0\0\0\0\0\6\0\0\0\0\0\0\3\350",
                        28);
    uint32_t crc = lw_crc32c(0, "\0\0\0\0\0\0\0\7", 8); /* the revision, then all but itself */
    crc = lw_crc32c(lw_crc32c(crc, bytes, 28), "/avalue", 7);
    assert_int_equal(lw_lmdb_get_number(bytes + 28, 4), crc);
    assert_memory_equal(bytes + 32, "/avalue", 7);
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
        lw_lmdb_record_encode(records[i], 7, bytes);
        lw_lmdb_record back;
        assert_true(decode(&back, 7, lw_str_make((char *)bytes, lw_lmdb_record_size(records[i]))));
        assert_int_equal(back.is_delete, records[i]->is_delete);
        assert_true(back.create_revision == records[i]->create_revision);
        assert_int_equal(back.previous, records[i]->previous);
        assert_int_equal(back.weight, records[i]->weight);
        assert_true(lw_str_equal(back.key, records[i]->key));
        assert_true(lw_str_equal(back.value, records[i]->value));
    }
}

static void every_changed_bit_of_a_record_is_seen(void **state)
{
    (void)state;
    unsigned char bytes[100];
    lw_lmdb_record back;
    lw_lmdb_record_encode(&sample, 7, bytes);
    lw_str whole = lw_str_make((char *)bytes, lw_lmdb_record_size(&sample));
    assert_true(decode(&back, 7, whole));
    for (size_t bit = 0; bit < 8 * whole.len; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        assert_false(decode(&back, 7, whole));
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    for (size_t len = 0; len < whole.len; len++)
        assert_false(decode(&back, 7, lw_str_make(whole.ptr, len)));
    assert_false(decode(&back, 8, whole)); /* the record of another revision */
    assert_true(decode(&back, 7, whole));
}

static void a_damaged_record_still_names_its_key(void **state)
{
    (void)state;
    unsigned char bytes[100];
    lw_lmdb_record back;
    lw_lmdb_record_encode(&sample, 7, bytes);
    bytes[36] ^= 1;
    assert_false(decode(&back, 7, lw_str_make((char *)bytes, 39)));
    assert_true(lw_str_equal(back.key, sample.key));
}

static void a_damaged_key_is_printed_as_ascii(void **state)
{
    (void)state;
    lw_buf text;
    lw_buf_init(&text, 100);
    lw_lmdb_damage_print(
        &(lw_lmdb_damage){ .key = LW_STR("/a\\\xff\n"), .revision = 7, .what = "why" }, &text);
    assert_true(
        lw_str_equal(lw_buf_view(&text), LW_STR("key /a\\x5c\\xff\\x0a at revision 7: why")));
    lw_buf_done(&text);
}

/* A record and an entry as version 1 wrote them. */
static void the_old_format_is_read(void **state)
{
    (void)state;
    const lw_str record = LW_STR("\1\0\0\2"
                                 "\0\0\0\0\0\0\0\5\0\0\0\0\0\0\0\6\0\0\0\0\0\0\3\350"
                                 "/a");
    lw_lmdb_record back;
    assert_true(lw_lmdb_record_decode(&back, 7, LW_LMDB_FORMAT_OLD, record));
    assert_true(back.is_delete);
    assert_int_equal(back.create_revision, 5);
    assert_int_equal(back.weight, 1000);
    assert_true(lw_str_equal(back.key, LW_STR("/a")));
    assert_false(decode(&back, 7, record));
    const lw_str entry = LW_STR("\0\0\0\0\0\0\0\7\0\0\0\0\0\0\0\3\0\0\1\0");
    lw_lmdb_entry found;
    assert_true(lw_lmdb_entry_decode(&found, LW_STR("/a"), LW_LMDB_FORMAT_OLD, entry));
    assert_int_equal(found.bytes, 256);
    assert_false(lw_lmdb_entry_decode(&found, LW_STR("/a"), LW_LMDB_FORMAT, entry));
}

static bool decode_entry(lw_lmdb_entry *entry, lw_str bytes)
{
    return lw_lmdb_entry_decode(entry, LW_STR("/a"), LW_LMDB_FORMAT, bytes);
}

static void an_entry_comes_back_as_it_was(void **state)
{
    (void)state;
    unsigned char bytes[LW_LMDB_ENTRY_SIZE];
    const lw_lmdb_entry entry = { 7, 3, 123456 };
    lw_lmdb_entry back;
    lw_lmdb_entry_encode(&entry, LW_STR("/a"), bytes);
    lw_str view = lw_str_make((char *)bytes, sizeof(bytes));
    assert_true(decode_entry(&back, view));
    assert_int_equal(back.revision, 7);
    assert_int_equal(back.create_revision, 3);
    assert_int_equal(back.bytes, 123456);
    assert_false(decode_entry(&back, lw_str_skip(view, 1)));
    assert_false(lw_lmdb_entry_decode(&back, LW_STR("/b"), LW_LMDB_FORMAT, view));
    for (size_t bit = 0; bit < 8 * sizeof(bytes); bit++) {
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        assert_false(decode_entry(&back, view));
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    lw_lmdb_entry_encode(&(lw_lmdb_entry){ 7, 8, 1 }, LW_STR("/a"), bytes);
    assert_false(decode_entry(&back, view));
    lw_lmdb_entry_encode(&(lw_lmdb_entry){ 0, 0, 1 }, LW_STR("/a"), bytes);
    assert_false(decode_entry(&back, view));
}

static void a_state_comes_back_as_it_was(void **state)
{
    (void)state;
    unsigned char bytes[LW_LMDB_STATE_SIZE];
    const lw_lmdb_state sample_state = { { 9, 5, 4, 900, 500, 3 }, 77 };
    lw_lmdb_state back;
    lw_lmdb_state_encode(&sample_state, bytes);
    lw_str view = lw_str_make((char *)bytes, sizeof(bytes));
    assert_true(lw_lmdb_state_decode(&back, LW_LMDB_FORMAT, view));
    assert_memory_equal(&back, &sample_state, sizeof(back));
    assert_false(lw_lmdb_state_decode(&back, LW_LMDB_FORMAT, lw_str_skip(view, 1)));
    for (size_t bit = 0; bit < 8 * sizeof(bytes); bit++) {
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        assert_false(lw_lmdb_state_decode(&back, LW_LMDB_FORMAT, view));
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    assert_true(lw_lmdb_state_decode(&back, LW_LMDB_FORMAT_OLD, lw_str_make(view.ptr, 40)));
    assert_int_equal(back.marks.keys, 0);
    static const lw_store_marks wrong[] = { { 9, 10, 4, 900, 500, 0 },
                                            { 9, 5, 6, 900, 500, 0 },
                                            { 9, 5, 4, 900, 901, 0 } };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        lw_lmdb_state_encode(&(lw_lmdb_state){ wrong[i], 1 }, bytes);
        assert_false(lw_lmdb_state_decode(&back, LW_LMDB_FORMAT, view));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(numbers_are_big_endian),
        TEST(a_record_is_laid_out_as_the_page_says),
        TEST(a_record_comes_back_as_it_was),
        TEST(every_changed_bit_of_a_record_is_seen),
        TEST(a_damaged_record_still_names_its_key),
        TEST(a_damaged_key_is_printed_as_ascii),
        TEST(the_old_format_is_read),
        TEST(an_entry_comes_back_as_it_was),
        TEST(a_state_comes_back_as_it_was),
    };
    return cmocka_run_group_tests_name("lmdb/format", tests, NULL, NULL);
}
