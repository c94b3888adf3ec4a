/* SPDX-License-Identifier: Apache-2.0 */
/* proto_similar_test.c -- documents that resemble those before are encoded as the same bytes. */
#include "schema/proto/proto_similar.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
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
    OBJECTS = IS_SANITIZED ? 3 : 12, /* of each kind */
    CHANGES = 24,                    /* of each object */
    LONG = 300,                      /* bytes of the longest text */
    OUT_MAX = 64 * 1024 * 1024,
};

#define POD(name, labels, spec)                                                                    \
    "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"" name                       \
    "\",\"creationTimestamp\":\"2026-11-19T10:00:00Z\",\"generation\":7,\"labels\":{" labels       \
    "}},\"spec\":{" spec "}}"

static lw_proto_similar *similar_new(void)
{
    lw_proto_similar *similar = NULL;
    assert_int_equal(lw_proto_similar_new(&similar), LW_OK);
    return similar;
}

/* Both ways must give the same bytes, or the same error. */
static void assert_same(lw_proto_similar *similar, lw_str json)
{
    lw_buf expected, bytes;
    lw_error err = LW_ERROR_INIT, why = LW_ERROR_INIT;
    lw_buf_init(&expected, OUT_MAX);
    lw_buf_init(&bytes, OUT_MAX);
    lw_status plain = lw_proto_write_document(json, &expected, &why);
    lw_status st = lw_proto_write_similar(similar, json, &bytes, &err);
    if (st != plain || (st < 0 && strcmp(err.message, why.message) != 0) ||
        (st == LW_OK && !lw_str_equal(lw_buf_view(&bytes), lw_buf_view(&expected))))
        fail_msg("%d %s, expected %d %s: %.*s", st, err.message, plain, why.message,
                 LW_STR_ARG(json));
    lw_buf_done(&expected);
    lw_buf_done(&bytes);
}

/* Encodes |json| after |sample|.  Returns true if the encoding of the sample was patched. */
static bool is_patched_after(const char *sample, const char *json)
{
    lw_proto_similar *similar = similar_new();
    assert_same(similar, lw_str_of(sample));
    assert_int_equal(lw_proto_similar_read(similar).sampled, 1);
    assert_same(similar, lw_str_of(json));
    bool is_patched = lw_proto_similar_read(similar).patched == 1;
    lw_proto_similar_free(similar);
    return is_patched;
}

static void strings_times_numbers_and_booleans_are_patched(void **state)
{
    static const char sample[] = POD("a", "\"x\":\"1\"", "\"hostNetwork\":true");
    (void)state;
    assert_true(is_patched_after(sample, sample));
    assert_true(is_patched_after(sample, POD("bcd", "\"x\":\"1\"", "\"hostNetwork\":true")));
    assert_true(is_patched_after(sample, POD("", "\"x\":\"\"", "\"hostNetwork\":false")));
    assert_true(is_patched_after(
        sample, "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\","
                "\"creationTimestamp\":\"1969-11-19T10:00:00+02:00\",\"generation\":123456789,"
                "\"labels\":{\"x\":\"long\"}},\"spec\":{\"hostNetwork\":true}}"));
}

static void each_time_is_patched(void **state)
{
    static const char shape[] = "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{"
                                "\"creationTimestamp\":\"%s\",\"deletionTimestamp\":\"%s\"},"
                                "\"status\":{\"startTime\":\"%s\"}}";
    static const char *const times[] = { "2026-11-19T10:00:00Z", "2026-11-19T10:00:01Z",
                                         "1970-01-01T00:00:00Z", "0001-01-01T00:00:00Z" };
    char text[512];
    lw_proto_similar *similar = similar_new();
    (void)state;
    for (int i = 0; i < 64; i++) {
        (void)snprintf(text, sizeof(text), shape, times[i % 4], times[i / 4 % 4], times[i / 16]);
        assert_same(similar, lw_str_of(text));
    }
    assert_int_equal(lw_proto_similar_read(similar).patched, 63);
    lw_proto_similar_free(similar);
}

static void strings_with_escapes_are_patched(void **state)
{
    static const char sample[] = POD("a", "\"x\":\"1\"", "\"nodeName\":\"n\\tm\"");
    (void)state;
    assert_true(is_patched_after(sample, POD("a", "\"x\":\"1\"", "\"nodeName\":\"n\"")));
    assert_true(
        is_patched_after(sample, POD("\\u00e9\\\\", "\"x\":\"\\n\"", "\"nodeName\":\"\\\"\"")));
    assert_true(
        is_patched_after(sample, POD("\\ud83d\\ude80", "\"x\":\"1\"", "\"nodeName\":\"\\u0000\"")));
}

/* Their text is a part of the encoding as it is. */
static void sets_of_fields_are_patched(void **state)
{
    static const char shape[] =
        "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"managedFields\":[{\"manager\":"
        "\"m\",\"fieldsV1\":%s}]}}";
    static const char *const sets[] = { "{\"f:spec\":{}}", "{ \"f:a\" : {\"}\":{}} }", "{}", "5",
                                        "\"{\"" };
    char sample[512], text[512];
    (void)state;
    (void)snprintf(sample, sizeof(sample), shape, "{\"f:metadata\":{\"f:labels\":{\".\":{}}}}");
    for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
        (void)snprintf(text, sizeof(text), shape, sets[i]);
        assert_true(is_patched_after(sample, text));
    }
    (void)snprintf(text, sizeof(text), shape, "null");
    assert_false(is_patched_after(sample, text));
}

/* A message whose length takes one byte more, or less, moves what follows in all it is in. */
static void lengths_of_messages_grow_and_shrink(void **state)
{
    char text[3 * 16384 + 256], long_text[16384];
    static const size_t lens[] = { 0, 1, 60, 100, 126, 127, 128, 129, 200, 16200, 16383 };
    static const char shape[] = POD("%.*s", "\"x\":\"%.*s\"", "\"nodeName\":\"%.*s\"");
    lw_proto_similar *similar = similar_new();
    (void)state;
    memset(long_text, 'y', sizeof(long_text));
    for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
        for (size_t j = 0; j < sizeof(lens) / sizeof(lens[0]); j++) {
            size_t k = (3 * i + 7 * j) % (sizeof(lens) / sizeof(lens[0]));
            (void)snprintf(text, sizeof(text), shape, (int)lens[i], long_text, (int)lens[j],
                           long_text, (int)lens[k], long_text);
            assert_same(similar, lw_str_of(text));
        }
    }
    assert_true(lw_proto_similar_read(similar).patched > 100);
    lw_proto_similar_free(similar);
}

static void what_is_more_than_a_leaf_is_encoded_as_always(void **state)
{
    static const char sample[] = POD("a", "\"x\":\"1\"", "\"nodeName\":\"n\"");
    static const char *const others[] = {
        POD("a", "\"y\":\"1\"", "\"nodeName\":\"n\""),
        POD("a", "\"x\":\"1\",\"y\":\"2\"", "\"nodeName\":\"n\""),
        POD("a", "\"x\":null", "\"nodeName\":\"n\""),
        POD("a", "\"x\":\"1\"", "\"nodeName\":null"),
        POD("a", "\"x\":\"1\"", "\"nodeName\":5"),
        POD("a", "\"x\":\"1\"", "\"hostname\":\"n\""),
        POD("a", "\"x\":\"1\"", "\"nodeName\":\"n\",\"nodeName\":\"m\""),
        POD("a", "\"x\":\"1\"", ""),
        "{\"kind\":\"Pod\",\"apiVersion\":\"v1\"}",
        "{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\"}}",
        "{}",
    };
    (void)state;
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (is_patched_after(sample, others[i]))
            fail_msg("patched: %s", others[i]);
}

/* As the checks of the encoder say which times and numbers are valid. */
static void invalid_times_and_long_numbers_are_encoded_as_always(void **state)
{
    static const char sample[] = "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{"
                                 "\"creationTimestamp\":\"2026-11-19T10:00:00Z\",\"generation\":5},"
                                 "\"spec\":{\"priority\":5}}";
    static const char *const values[][3] = {
        { "never", "5", "5" },
        { "2026-11-19T10:00:00\\u005a", "5", "5" },
        { "2026-11-19T10:00:00Z", "-5", "5" },
        { "2026-11-19T10:00:00Z", "5.0", "5" },
        { "2026-11-19T10:00:00Z", "5e1", "5" },
        { "2026-11-19T10:00:00Z", "9223372036854775807", "5" },
        { "2026-11-19T10:00:00Z", "5", "2147483648" },
        { "2026-11-19T10:00:00Z", "5", "true" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        char text[512];
        (void)snprintf(text, sizeof(text),
                       "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{"
                       "\"creationTimestamp\":\"%s\",\"generation\":%s},\"spec\":{\"priority\":%s}"
                       "}",
                       values[i][0], values[i][1], values[i][2]);
        if (is_patched_after(sample, text))
            fail_msg("patched: %s", text);
    }
}

/* Of a member that comes twice only the last one counts. */
static void documents_with_a_member_twice_are_no_samples(void **state)
{
    static const char *const samples[] = {
        POD("a\",\"name\":\"a", "\"x\":\"1\"", ""),
        POD("a", "\"x\":\"1\"},\"labels\":{\"y\":\"1\",\"x\":\"1\"", ""),
        POD("a", "\"x\":\"1\"", "\"nodeName\":\"n\",\"nodeName\":\"n\""),
        POD("a", "\"x\":\"1\"", "\"nodeName\":\"n\",\"node\\u004eame\":\"n\""),
    };
    (void)state;
    for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
        lw_proto_similar *similar = similar_new();
        assert_same(similar, lw_str_of(samples[i]));
        assert_int_equal(lw_proto_similar_read(similar).sampled, 0);
        lw_proto_similar_free(similar);
    }
}

/* Inline structs and members in another order: the encoding has an order of its own. */
static void members_in_any_order_are_patched(void **state)
{
    static const char shape[] =
        "{\"kind\":\"Pod\",\"spec\":{\"volumes\":[{\"secret\":{\"secretName\":\"%s\"},"
        "\"name\":\"%s\"},{\"name\":\"v\",\"emptyDir\":{\"medium\":\"%s\"}}],\"nodeName\":\"%s\","
        "\"containers\":[{\"image\":\"%s\",\"name\":\"c\",\"livenessProbe\":{\"periodSeconds\":5,"
        "\"httpGet\":{\"path\":\"%s\",\"port\":80}}}]},\"apiVersion\":\"v1\","
        "\"metadata\":{\"name\":\"p\",\"labels\":{\"b\":\"1\",\"a\":\"2\"}}}";
    char text[2 * LONG * 6], word[LONG + 1];
    lw_proto_similar *similar = similar_new();
    (void)state;
    for (int i = 0; i < LONG; i++) {
        memset(word, 'x', (size_t)i);
        word[i] = '\0';
        const char *is[6] = { "a", "b", "c", "d", "e", "f" };
        is[i % 6] = word;
        (void)snprintf(text, sizeof(text), shape, is[0], is[1], is[2], is[3], is[4], is[5]);
        assert_same(similar, lw_str_of(text));
    }
    assert_int_equal(lw_proto_similar_read(similar).patched, LONG - 1);
    lw_proto_similar_free(similar);
}

static void documents_of_several_kinds_may_alternate(void **state)
{
    static const char *const others[] = { "Node", "Service", "Secret", "Pod" };
    lw_proto_similar *similar = similar_new();
    (void)state;
    for (int i = 0; i < 100; i++) {
        char text[256];
        (void)snprintf(text, sizeof(text),
                       "{\"kind\":\"%s\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"x-%d\"}}",
                       others[i % 4], i);
        assert_same(similar, lw_str_of(text));
    }
    assert_int_equal(lw_proto_similar_read(similar).sampled, 4);
    assert_int_equal(lw_proto_similar_read(similar).patched, 96);
    lw_proto_similar_free(similar);
}

/* Samples cost time and memory: few are made if they are of no use. */
static void documents_that_are_all_different_seldom_become_samples(void **state)
{
    lw_proto_similar *similar = similar_new();
    (void)state;
    for (int i = 0; i < 1000; i++) {
        char text[256];
        (void)snprintf(text, sizeof(text),
                       "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"data\":{\"k%d\":\"x\"}}",
                       i);
        assert_same(similar, lw_str_of(text));
    }
    assert_int_equal(lw_proto_similar_read(similar).patched, 0);
    assert_true(lw_proto_similar_read(similar).sampled < 40);
    lw_proto_similar_free(similar);
}

/* Each pod but the first one is like one of those before, until they are dropped. */
static void samples_are_dropped_when_they_are_too_many(void **state)
{
    lw_proto_similar *similar = similar_new();
    (void)state;
    for (int i = 0; i < 4000; i++) {
        char text[512];
        (void)
            snprintf(text, sizeof(text),
                     "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"%d\"},"
                     "\"data\":{\"k%d\":\"x\"}}",
                     i, i / 20);
        assert_same(similar, lw_str_of(text));
    }
    assert_int_equal(lw_proto_similar_read(similar).sampled, 4000 / 20);
    assert_int_equal(lw_proto_similar_read(similar).patched, 4000 - 4000 / 20);
    lw_proto_similar_free(similar);
}

static void large_documents_are_no_samples(void **state)
{
    static char text[64 * 1024], value[33 * 1024];
    lw_proto_similar *similar = similar_new();
    (void)state;
    memset(value, 'v', sizeof(value) - 1);
    (void)snprintf(text, sizeof(text), POD("a", "\"x\":\"%s\"", ""), value);
    assert_same(similar, lw_str_of(text));
    assert_int_equal(lw_proto_similar_read(similar).sampled, 0);
    assert_same(similar, LW_STR(POD("a", "\"x\":\"1\"", "")));
    assert_int_equal(lw_proto_similar_read(similar).sampled, 1);
    assert_same(similar, lw_str_of(text)); /* but may be like one */
    assert_int_equal(lw_proto_similar_read(similar).patched, 1);
    lw_proto_similar_free(similar);
}

/* Random documents. */

static const char *const literals[] = {
    "null",         "true",  "false",     "0",  "-1", "12345678", "1.5",
    "\"\"",         "\"5\"", "\"a\\nb\"", "{}", "[]", "[null]",   "\"2026-01-01T00:00:00Z\"",
    "1234567890123"
};

/* The end of the string or other token at |at|. */
static size_t token_end(lw_str json, size_t at)
{
    bool is_string = json.ptr[at] == '"';
    size_t end = at + 1;
    for (; end < json.len; end++) {
        if (is_string && json.ptr[end] == '\\')
            end++;
        else if (is_string ? json.ptr[end] == '"' : strchr(",:]}", json.ptr[end]) != NULL)
            break;
    }
    return end < json.len ? end + is_string : json.len;
}

static void append_text(lw_random *random, lw_buf *out)
{
    lw_buf_append_char(out, '"');
    for (uint64_t left = lw_random_below(random, LONG) >> lw_random_below(random, 9); left > 0;
         left--)
        lw_buf_append_char(out, (char)('a' + lw_random_below(random, 26)));
    lw_buf_append_char(out, '"');
}

/* Replaces a few tokens: strings mostly by strings. */
static void change(lw_random *random, lw_str json, lw_buf *out)
{
    size_t from = 0;
    for (uint64_t left = 1 + lw_random_below(random, 3); left > 0 && from < json.len; left--) {
        size_t at = from + (size_t)lw_random_below(random, json.len - from);
        while (at < json.len && !strchr("\":,[", json.ptr[at]))
            at++;
        at += at < json.len && json.ptr[at] != '"';
        if (at >= json.len)
            break;
        size_t end = token_end(json, at);
        lw_buf_append(out, json.ptr + from, at - from);
        if (lw_random_below(random, 8) == 0)
            lw_buf_append_text(
                out, literals[lw_random_below(random, sizeof(literals) / sizeof(literals[0]))]);
        else if (json.ptr[at] == '"')
            append_text(random, out);
        else
            lw_buf_append_uint(out, lw_random_next(random) >> lw_random_below(random, 64));
        from = end;
    }
    lw_buf_append_str(out, lw_str_skip(json, from));
}

static void sort_members(lw_str json, lw_buf *out)
{
    lw_tree *tree = NULL;
    lw_json_writer w;
    assert_int_equal(lw_tree_parse(&tree, json, OUT_MAX, NULL), LW_OK);
    lw_node_sort_keys(lw_tree_root(tree));
    lw_json_writer_init(&w, out, LW_JSON_COMPACT);
    lw_node_write(lw_tree_root(tree), &w);
    lw_tree_free(tree);
}

/* Returns how many were patched. */
static uint64_t check_changes(uint64_t seed, lw_str json)
{
    lw_random random;
    lw_buf changed;
    lw_proto_similar *similar = similar_new();
    lw_random_init(&random, seed);
    lw_buf_init(&changed, OUT_MAX);
    assert_same(similar, json);
    for (int i = 0; i < CHANGES; i++) {
        lw_buf_reset(&changed);
        change(&random, json, &changed);
        if (lw_json_validate(lw_buf_view(&changed), 0, NULL) == LW_OK)
            assert_same(similar, lw_buf_view(&changed));
    }
    uint64_t patched = lw_proto_similar_read(similar).patched;
    lw_buf_done(&changed);
    lw_proto_similar_free(similar);
    return patched;
}

static void random_changes_of_objects_of_every_kind_give_the_same_bytes(void **state)
{
    uint64_t patched = 0, objects = 0;
    (void)state;
    for (size_t i = 0; i < lw_type_kind_count; i++) {
        for (uint64_t n = 1; n <= OBJECTS; n++, objects++) {
            lw_buf json, sorted;
            uint64_t seed = n * lw_type_kind_count + i;
            lw_buf_init(&json, OUT_MAX);
            lw_buf_init(&sorted, OUT_MAX);
            object_gen_write(seed, lw_type_kinds[i].type, lw_type_kinds[i].gvk, &json);
            sort_members(lw_buf_view(&json), &sorted);
            patched += check_changes(seed, lw_buf_view(&json));
            patched += check_changes(seed, lw_buf_view(&sorted));
            lw_buf_done(&json);
            lw_buf_done(&sorted);
        }
    }
    assert_true(patched > objects);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(strings_times_numbers_and_booleans_are_patched),
        TEST(each_time_is_patched),
        TEST(strings_with_escapes_are_patched),
        TEST(sets_of_fields_are_patched),
        TEST(lengths_of_messages_grow_and_shrink),
        TEST(what_is_more_than_a_leaf_is_encoded_as_always),
        TEST(invalid_times_and_long_numbers_are_encoded_as_always),
        TEST(documents_with_a_member_twice_are_no_samples),
        TEST(members_in_any_order_are_patched),
        TEST(documents_of_several_kinds_may_alternate),
        TEST(documents_that_are_all_different_seldom_become_samples),
        TEST(samples_are_dropped_when_they_are_too_many),
        TEST(large_documents_are_no_samples),
        TEST(random_changes_of_objects_of_every_kind_give_the_same_bytes),
    };
    return cmocka_run_group_tests_name("proto_similar", tests, NULL, NULL);
}
