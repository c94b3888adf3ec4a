/* SPDX-License-Identifier: Apache-2.0 */
/* compact_test.c -- packed objects: what they cost, share and keep.  message_random_test.c compares
 * their answers. */
#include "object/compact/compact.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <listwatch/match.h>

#include "base/random.h"
#include "base/str.h"
#include "object/compact/compact_reader.h"
#include "object/object.h"
#include "unit/test.h"

static lw_compact *compact_new(bool keeps_open)
{
    lw_compact *compact = NULL;
    const lw_compact_options options = { .keeps_open = keeps_open };
    assert_int_equal(lw_compact_new(&compact, &options), LW_OK);
    return compact;
}

/* A pod of the set "web-7d4b", or another one. */
static lw_object *pod(const char *set, int number, const char *tier)
{
    char json[2048];
    lw_object *obj = NULL;
    int len = snprintf(
        json, sizeof(json),
        "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"%s-%05d\",\"namespace\":"
        "\"shop\",\"uid\":\"c34d0bff-9015-4280-a099-%012d\",\"resourceVersion\":\"%d\",\"labels\":{"
        "\"app\":\"%s\",\"tier\":\"%s\"},\"annotations\":{\"a/b~c\":\"line\\nline\"}},\"spec\":{"
        "\"nodeName\":\"node-%03d.example.com\",\"priority\":%d,\"enableServiceLinks\":true,"
        "\"containers\":[{\"name\":\"main\",\"image\":\"registry.example.com/shop/%s:v2.14.3\","
        "\"terminationMessagePath\":\"/dev/"
        "termination-log\",\"terminationMessagePolicy\":\"File\"}]"
        "},\"status\":{\"phase\":\"Running\",\"podIP\":\"10.244.3.%d\"}}",
        set, number, number, 1000 + number, set, tier, number % 400, number, set, number % 250);
    assert_int_equal(lw_object_from_json(&obj, json, (size_t)len, NULL), LW_OK);
    return obj;
}

static lw_object *packed_pod(lw_compact *compact, const char *set, int number, const char *tier)
{
    lw_object *whole = pod(set, number, tier);
    lw_object *packed = lw_compact_pack(compact, whole);
    assert_true(lw_compact_is_packed(packed));
    assert_int_equal(lw_object__body_len(packed), lw_object__body_len(whole));
    lw_object_unref(whole);
    return packed;
}

static void a_sibling_costs_a_fraction(void **state)
{
    lw_compact *compact = compact_new(false);
    (void)state;
    lw_object *whole = pod("web-7d4b", 1, "frontend");
    lw_object *first = packed_pod(compact, "web-7d4b", 1, "frontend");
    lw_object *second = packed_pod(compact, "web-7d4b", 2, "frontend");
    assert_true(lw_object_memory(second) < lw_object_memory(whole) / 3);
    assert_string_equal(lw_object_name(second), "web-7d4b-00002");
    assert_string_equal(lw_object_string(second, "/spec/nodeName", ""), "node-002.example.com");
    lw_object_unref(whole);
    lw_object_unref(first);
    lw_object_unref(second);
    lw_compact_close(compact);
}

static void equal_labels_are_shared_and_outlive_the_sibling(void **state)
{
    lw_compact *compact = compact_new(false);
    (void)state;
    lw_object *first = packed_pod(compact, "web-7d4b", 1, "frontend");
    lw_object *second = packed_pod(compact, "web-7d4b", 2, "frontend");
    lw_object *other = packed_pod(compact, "web-7d4b", 3, "canary");
    lw_object_unref(first);
    lw_compact_close(compact);
    assert_true(second->shares_labels);
    assert_false(other->shares_labels);
    assert_string_equal(lw_object_label(second, "tier"), "frontend");
    assert_string_equal(lw_object_label(other, "tier"), "canary");
    assert_int_equal(lw_object_label_count(second), 2);
    assert_int_equal(lw_object_int(second, "/spec/priority", -1), 2);
    lw_object_unref(second);
    lw_object_unref(other);
}

static void only_what_was_asked_for_is_kept(void **state)
{
    lw_compact *compact = compact_new(false);
    (void)state;
    lw_object *obj = packed_pod(compact, "web-7d4b", 1, "frontend");
    size_t before = lw_object_memory(obj);
    for (int i = 0; i < 10; i++) {
        assert_string_equal(lw_object_string(obj, "/status/phase", ""), "Running");
        assert_string_equal(lw_object_annotation(obj, "a/b~c"), "line\nline");
        assert_true(lw_object_bool(obj, "/spec/enableServiceLinks", false));
    }
    assert_true(lw_object_memory(obj) < before + 100);
    lw_object_unref(obj);
    lw_compact_close(compact);
}

static void an_object_that_is_read_often_stays_open(void **state)
{
    lw_compact *compact = compact_new(true);
    lw_object *objects[64];
    (void)state;
    for (int i = 0; i < 64; i++)
        objects[i] = packed_pod(compact, i % 2 == 0 ? "web-7d4b" : "api-55c9", i, "frontend");
    size_t packed = lw_object_memory(objects[7]);
    for (int round = 0; round < LW_COMPACT_OPENED_MAX; round++) {
        for (int i = 0; i < 64; i++)
            assert_int_equal(lw_object_int(objects[i], "/spec/priority", -1), i);
    }
    assert_true(lw_object_memory(objects[7]) > packed + lw_object__body_len(objects[7]));
    lw_compact_forget_reads(objects[7]);
    assert_int_equal(lw_object_memory(objects[7]), packed);
    assert_int_equal(lw_object_int(objects[7], "/spec/priority", -1), 7);
    for (int i = 0; i < 64; i++)
        lw_object_unref(objects[i]);
    lw_compact_close(compact);
}

static void an_object_at_the_address_of_a_freed_one_is_read_anew(void **state)
{
    lw_compact *compact = compact_new(false);
    lw_object *first = packed_pod(compact, "web-7d4b", 1, "frontend");
    uintptr_t before = 0;
    int reused = 0;
    (void)state;
    for (int i = 10; i < 100; i++) {
        lw_object *whole = pod("web-7d4b", i, "frontend");
        lw_object *obj = lw_compact_pack(compact, whole);
        reused += (uintptr_t)obj == before;
        before = (uintptr_t)obj;
        assert_int_equal(lw_object_int(obj, "/spec/priority", -1), i);
        lw_object_unref(obj);
        lw_object_unref(whole);
    }
    print_message("# %d addresses were used again\n", reused);
    lw_object_unref(first);
    lw_compact_close(compact);
}

static void field_selectors_and_copies_see_the_same(void **state)
{
    lw_compact *compact = compact_new(false);
    lw_field_selector *selector = NULL;
    lw_object *copy = NULL;
    (void)state;
    lw_object *obj = packed_pod(compact, "web-7d4b", 5, "frontend");
    assert_int_equal(
        lw_field_selector_parse(&selector,
                                LW_STR("spec.nodeName=node-005.example.com,spec.priority=5"), NULL),
        LW_OK);
    assert_true(lw_field_selector_matches_object(selector, obj));
    assert_int_equal(lw_object_with_revision(&copy, obj, 77), LW_OK);
    assert_string_equal(lw_object_resource_version(copy), "77");
    assert_string_equal(lw_object_string(copy, "/metadata/resourceVersion", ""), "77");
    lw_field_selector_free(selector);
    lw_object_unref(copy);
    lw_object_unref(obj);
    lw_compact_close(compact);
}

/* Lines of settings; another |step| has values of other lengths in each line. */
static lw_object *settings(int number, int step)
{
    enum {
        LINES = 40,
        WIDTH = 9,
    };
    char json[LINES * 48];
    lw_object *obj = NULL;
    int len =
        snprintf(json, sizeof(json), "{\"metadata\":{\"name\":\"s-%02d\"},\"data\":{", number);
    for (int i = 0; i < LINES; i++)
        len += snprintf(json + len, sizeof(json) - (size_t)len, "%s\"component-%d\":\"%.*s\"",
                        i > 0 ? "," : "", i, i * step % WIDTH, "aaaaaaaaa");
    len += snprintf(json + len, sizeof(json) - (size_t)len, "}}");
    assert_int_equal(lw_object_from_json(&obj, json, (size_t)len, NULL), LW_OK);
    return obj;
}

/* Packs the settings; returns whether they were compared with their sibling in order. */
static bool is_compared_in_order(lw_compact *compact, int number, int step)
{
    lw_object *whole = settings(number, step), *packed = lw_compact_pack(compact, whole);
    assert_true(lw_compact_is_packed(packed));
    bool is_in_order = ((const char *)packed)[packed->json_at] == 0; /* pack_format.h */
    lw_object *opened = lw_compact_open_ref(packed);
    assert_true(lw_str_equal(lw_object_json(opened), lw_object_json(whole)));
    lw_object *all[] = { whole, packed, opened };
    for (size_t i = 0; i < 3; i++)
        lw_object_unref(all[i]);
    return is_in_order;
}

static void objects_unlike_their_sibling_are_seldom_compared_in_order(void **state)
{
    const lw_compact_options options = { .fast_part = 5 };
    lw_compact *compact = NULL;
    int count = 0;
    (void)state;
    assert_int_equal(lw_compact_new(&compact, &options), LW_OK);
    assert_false(is_compared_in_order(compact, 0, 1)); /* the sibling of the others */
    assert_true(is_compared_in_order(compact, 1, 1));
    assert_false(is_compared_in_order(compact, 2, 4));
    while (!is_compared_in_order(compact, 3, 1))
        count++;
    assert_int_equal(count, 31);
    assert_true(is_compared_in_order(compact, 4, 1));
    lw_compact_close(compact);
}

/* An object whose data only those of the same |seed| have. */
static lw_object *noise(const char *name, uint64_t seed)
{
    enum {
        LEN = 3000,
    };
    char json[LEN + 128];
    lw_object *obj = NULL;
    lw_random random;
    lw_random_init(&random, seed);
    int at = snprintf(json, sizeof(json), "{\"metadata\":{\"name\":\"%s\"},\"data\":\"", name);
    for (int i = 0; i < LEN; i++)
        json[at++] = (char)('a' + lw_random_below(&random, 26));
    memcpy(json + at, "\"}", 2);
    assert_int_equal(lw_object_from_json(&obj, json, (size_t)at + 2, NULL), LW_OK);
    return obj;
}

/* Packs such an object; returns whether most of its data was known. */
static bool is_known(lw_compact *compact, const char *name, uint64_t seed)
{
    lw_object *obj = noise(name, seed), *packed = lw_compact_pack(compact, obj);
    bool is_small = packed->json_len < lw_object__body_len(obj) / 20;
    lw_object_unref(packed);
    lw_object_unref(obj);
    return is_small;
}

static void what_is_new_in_a_later_object_of_a_group_is_remembered(void **state)
{
    lw_compact *compact = compact_new(false);
    (void)state;
    (void)is_known(compact, "a-0", 0);
    (void)is_known(compact, "a-1", 1);
    assert_true(is_known(compact, "a-2", 1));
    assert_true(is_known(compact, "a-3", 0));
    lw_compact_close(compact);
}

static void a_group_of_unlike_objects_leaves_space_in_the_dictionary(void **state)
{
    lw_compact *compact = compact_new(false);
    char name[16];
    (void)state;
    for (unsigned i = 0; i < 100; i++) {
        snprintf(name, sizeof(name), "a-%u", i);
        (void)is_known(compact, name, i);
    }
    (void)is_known(compact, "b-0", 1000);
    assert_true(is_known(compact, "c-0", 1000));
    lw_compact_close(compact);
}

static void objects_that_do_not_shrink_stay_as_they_are(void **state)
{
    lw_compact *compact = compact_new(false);
    lw_object *small = NULL, *large = NULL;
    static const char json[] = "{\"metadata\":{\"name\":\"a\"}}";
    size_t len = 40000;
    char *text = malloc(len + 64);
    (void)state;
    assert_non_null(text);
    int at = snprintf(text, 64, "{\"metadata\":{\"name\":\"b\"},\"data\":\"");
    memset(text + at, 'x', len);
    memcpy(text + (size_t)at + len, "\"}", 2);
    assert_int_equal(lw_object_from_json(&small, json, strlen(json), NULL), LW_OK);
    assert_int_equal(lw_object_from_json(&large, text, (size_t)at + len + 2, NULL), LW_OK);
    lw_object *same_small = lw_compact_pack(compact, small);
    lw_object *same_large = lw_compact_pack(compact, large);
    assert_ptr_equal(same_small, small);
    assert_ptr_equal(same_large, large);
    lw_object *all[] = { small, large, same_small, same_large };
    for (size_t i = 0; i < 4; i++)
        lw_object_unref(all[i]);
    free(text);
    lw_compact_close(compact);
}

static void assert_reads(lw_compact_reader *reader, const lw_object *obj, const lw_object *whole)
{
    lw_str json;
    assert_int_equal(lw_compact_read(reader, obj, &json), LW_OK);
    assert_int_equal(json.len, lw_object_json(whole).len);
    assert_memory_equal(json.ptr, lw_object_json(whole).ptr, json.len);
}

static void a_reader_gets_the_json_of_any_object(void **state)
{
    static const char *const sets[] = { "web-7d4b", "db-99xz", "web-7d4b", "cache-0001" };
    lw_compact *compact = compact_new(true);
    lw_compact_reader *reader = lw_compact_reader_new();
    (void)state;
    assert_non_null(reader);
    for (int i = 0; i < 40; i++) {
        lw_object *whole = pod(sets[i % 4], i, "frontend");
        lw_object *packed = packed_pod(compact, sets[i % 4], i, "frontend");
        size_t before = lw_object_memory(packed);
        for (int n = 0; n < 2 * LW_COMPACT_OPENED_MAX; n++)
            assert_reads(reader, packed, whole);
        assert_int_equal(lw_object_memory(packed), before);
        assert_reads(reader, whole, whole);
        lw_object_unref(whole);
        lw_object_unref(packed);
    }
    lw_compact_close(compact);
    lw_compact_reader_free(reader);
}

/* Appends all |objects|, each without |skipped| bytes, and compares with their JSON. */
static void assert_appends(lw_compact_reader *reader, lw_object *const *objects,
                           lw_object *const *wholes, size_t count, size_t skipped)
{
    lw_buf out, expected;
    bool is_appended;
    lw_buf_init(&out, 1 << 20);
    lw_buf_init(&expected, 1 << 20);
    for (size_t i = 0; i < count; i++) {
        const lw_str json = lw_object_json(wholes[i]), begin = lw_str_make(json.ptr, skipped + 5);
        lw_buf_append_char(&out, ',');
        lw_buf_append_char(&expected, ',');
        assert_int_equal(lw_compact_append(reader, objects[i], begin, skipped, &out, &is_appended),
                         LW_OK);
        assert_true(is_appended);
        lw_buf_append_str(&expected, lw_str_skip(json, skipped));
        const size_t len = out.len;
        assert_int_equal(lw_compact_append(reader, objects[i], LW_STR("[1234567890"), skipped % 10,
                                           &out, &is_appended),
                         LW_OK);
        assert_false(is_appended);
        assert_int_equal(out.len, len);
    }
    assert_int_equal(out.len, expected.len);
    assert_memory_equal(out.data, expected.data, out.len);
    lw_buf_done(&out);
    lw_buf_done(&expected);
}

/* Nothing else changes in the buffer, whatever is skipped. */
static void a_reader_appends_json_without_its_beginning(void **state)
{
    enum {
        OBJECTS = 20,
    };
    static const size_t skips[] = { 0, 1, 32, 300 };
    static const char *const sets[] = { "web-7d4b", "db-99xz" };
    lw_compact *compact = compact_new(false);
    lw_compact_reader *reader = lw_compact_reader_new();
    lw_object *wholes[OBJECTS], *objects[OBJECTS];
    (void)state;
    assert_non_null(reader);
    for (int i = 0; i < OBJECTS; i++) {
        wholes[i] = pod(sets[i / 5 % 2], i, "frontend");
        objects[i] = i % 7 == 6 ? lw_object_ref(wholes[i])
                                : packed_pod(compact, sets[i / 5 % 2], i, "frontend");
    }
    for (size_t i = 0; i < sizeof(skips) / sizeof(skips[0]); i++)
        assert_appends(reader, objects, wholes, OBJECTS, skips[i]);
    for (int i = 0; i < OBJECTS; i++) {
        lw_object_unref(wholes[i]);
        lw_object_unref(objects[i]);
    }
    lw_compact_reader_free(reader);
    lw_compact_close(compact);
}

/* The reader has the sibling of objects that are freed, also if others come at their addresses. */
static void a_reader_outlives_what_it_has_read(void **state)
{
    lw_compact_reader *reader = lw_compact_reader_new();
    (void)state;
    assert_non_null(reader);
    for (int i = 0; i < 20; i++) {
        lw_compact *compact = compact_new(false);
        lw_object *objects[3];
        for (int n = 0; n < 3; n++)
            objects[n] = packed_pod(compact, "web-7d4b", 10 * i + n, "frontend");
        lw_compact_close(compact);
        for (int n = 0; n < 3; n++) {
            lw_object *whole = pod("web-7d4b", 10 * i + n, "frontend");
            assert_reads(reader, objects[n], whole);
            lw_object_unref(objects[n]);
            lw_object_unref(whole);
        }
    }
    lw_compact_reader_free(reader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_sibling_costs_a_fraction),
        TEST(equal_labels_are_shared_and_outlive_the_sibling),
        TEST(only_what_was_asked_for_is_kept),
        TEST(an_object_that_is_read_often_stays_open),
        TEST(an_object_at_the_address_of_a_freed_one_is_read_anew),
        TEST(field_selectors_and_copies_see_the_same),
        TEST(objects_unlike_their_sibling_are_seldom_compared_in_order),
        TEST(what_is_new_in_a_later_object_of_a_group_is_remembered),
        TEST(a_group_of_unlike_objects_leaves_space_in_the_dictionary),
        TEST(objects_that_do_not_shrink_stay_as_they_are),
        TEST(a_reader_gets_the_json_of_any_object),
        TEST(a_reader_appends_json_without_its_beginning),
        TEST(a_reader_outlives_what_it_has_read),
    };
    return cmocka_run_group_tests_name("compact", tests, NULL, NULL);
}
