/* SPDX-License-Identifier: Apache-2.0 */
/* value_parser_test.c -- objects of reused memory equal those that were made one by one. */
#include "cache/value_parser.h"

#include <string.h>

#include "base/str.h"
#include "object/object.h"
#include "support/json_gen.h"
#include "unit/test.h"

static lw_object *made_alone(lw_str value, uint64_t revision)
{
    lw_object *obj = NULL, *out = NULL;
    const lw_read_options options = { .keeps_managed_fields = true };
    if (lw_object_from_json_with(&obj, value.ptr, value.len, &options, NULL) < 0)
        return NULL;
    assert_int_equal(lw_object_with_revision(&out, obj, revision), LW_OK);
    lw_object_unref(obj);
    return out;
}

/* All that readers use: the texts, the labels, the JSON, and where its parts are. */
static void assert_same(const lw_object *a, const lw_object *b)
{
    assert_int_equal(a->json_at, b->json_at);
    assert_int_equal(a->json_len, b->json_len);
    assert_int_equal(a->revision, b->revision);
    assert_memory_equal(a->text_at, b->text_at, sizeof(a->text_at));
    assert_int_equal(a->metadata_at, b->metadata_at);
    assert_int_equal(a->spec_at, b->spec_at);
    assert_int_equal(a->splice_at, b->splice_at);
    assert_int_equal(a->splice_cut, b->splice_cut);
    assert_int_equal(a->splice, b->splice);
    assert_int_equal(a->is_stale, b->is_stale);
    assert_int_equal(a->is_message, b->is_message);
    assert_int_equal(a->is_packed, b->is_packed);
    assert_int_equal(a->shares_labels, b->shares_labels);
    assert_int_equal(a->is_typed, b->is_typed);
    assert_int_equal(a->label_count, b->label_count);
    assert_memory_equal((const char *)a + a->text_at[0], (const char *)b + b->text_at[0],
                        a->text_at[LW_OBJECT_FIELD_COUNT] - a->text_at[0]);
    for (size_t i = 0; i < a->label_count; i++) {
        const lw_label x = lw_object_label_at(a, i), y = lw_object_label_at(b, i);
        assert_true(lw_str_equal(x.key, y.key) && lw_str_equal(x.value, y.value));
    }
    assert_memory_equal((const char *)a + a->json_at, (const char *)b + b->json_at,
                        (size_t)a->json_len + 1);
}

static void objects_in_reused_memory_are_the_same(void **state)
{
    (void)state;
    enum {
        ROUNDS = 3000,
        KEPT = 7,
    };
    lw_value_parser parser;
    json_gen gen;
    lw_object *kept[KEPT] = { NULL };
    lw_object *wanted[KEPT] = { NULL };
    assert_int_equal(lw_value_parser_init(&parser, NULL), LW_OK);
    json_gen_init(&gen, 5);
    for (unsigned round = 0; round < ROUNDS; round++) {
        lw_object *obj = NULL;
        lw_buf_reset(&gen.out);
        gen.blanks = round % 3 * 5;
        gen.escapes = round % 4;
        json_gen_object(&gen);
        if (round % 5 == 0)
            json_gen_damage(&gen);
        lw_store_record record = { .key = LW_STR("/registry/things/a"),
                                   .value = lw_buf_view(&gen.out),
                                   .mod_revision = round * 1009 + 1,
                                   .is_stale = false };
        lw_object *alone = made_alone(record.value, record.mod_revision);
        lw_status st = lw_value_parse(&parser, &record, &obj, NULL);
        assert_int_equal(st, alone ? LW_OK : LW_ERR_INVALID);
        if (!alone)
            continue;
        assert_same(obj, alone);
        if (round % 11 == 0) { /* somebody keeps it: its memory is not used again */
            unsigned i = round / 11 % KEPT;
            lw_object_unref(kept[i]);
            lw_object_unref(wanted[i]);
            kept[i] = lw_object_ref(obj);
            wanted[i] = lw_object_ref(alone);
        }
        for (unsigned i = 0; i < KEPT; i++) {
            if (kept[i])
                assert_same(kept[i], wanted[i]);
        }
        lw_value_parser_unref(&parser, obj);
        lw_object_unref(alone);
    }
    for (unsigned i = 0; i < KEPT; i++) {
        lw_object_unref(kept[i]);
        lw_object_unref(wanted[i]);
    }
    json_gen_done(&gen);
    lw_value_parser_done(&parser);
}

static void a_stale_record_makes_a_stale_object(void **state)
{
    (void)state;
    lw_value_parser parser;
    assert_int_equal(lw_value_parser_init(&parser, NULL), LW_OK);
    for (int i = 0; i < 4; i++) {
        const lw_store_record record = { .key = LW_STR("/registry/things/a"),
                                         .value = LW_STR("{\"metadata\":{\"name\":\"a\"}}"),
                                         .mod_revision = 7,
                                         .is_stale = i % 2 == 0 };
        lw_object *obj = NULL;
        assert_int_equal(lw_value_parse(&parser, &record, &obj, NULL), LW_OK);
        assert_int_equal(lw_object__is_stale(obj), record.is_stale);
        lw_value_parser_unref(&parser, obj);
    }
    lw_value_parser_done(&parser);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(objects_in_reused_memory_are_the_same),
        TEST(a_stale_record_makes_a_stale_object),
    };
    return cmocka_run_group_tests_name("value_parser", tests, NULL, NULL);
}
