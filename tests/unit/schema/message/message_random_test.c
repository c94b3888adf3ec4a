/* SPDX-License-Identifier: Apache-2.0 */
/* message_random_test.c -- random objects of every kind answer the same from JSON, from protobuf,
 * packed from either of them, and read from a file of each form.
 *
 * An argument is the number of objects of each kind, all of which are packed as well. */
#include <stdlib.h>

#include <listwatch/object_iter.h>

#include "base/str.h"
#include "object/compact/compact.h"
#include "object/object.h"
#include "object/saved/saved.h"
#include "schema/message/message.h"
#include "schema/proto/proto.h"
#include "schema/types/type_table.h"
#include "support/object_gen.h"
#include "support/sanitized.h"
#include "unit/test.h"
#include "json/cursor.h"
#include "json/text.h"

enum {
    OBJECTS = IS_SANITIZED ? 2 : 24, /* of each kind ... */
    PACKED = IS_SANITIZED ? 1 : 3,   /* ... and so many of them are packed as well */
    OUT_MAX = 64 * 1024 * 1024,
};

typedef struct pair {
    lw_object *json, *message; /* what is expected, and what is compared with it */
    lw_buf pointer;
    uint64_t values;
} pair;

static void differ(const pair *p, const char *what, lw_str expected, lw_str found)
{
    fail_msg("%s of %.*s\n  JSON:     %.*s\n  protobuf: %.*s\n  object: %.*s", what,
             LW_STR_ARG(lw_buf_view(&p->pointer)), LW_STR_ARG(expected), LW_STR_ARG(found),
             LW_STR_ARG(lw_object_json(p->json)));
}

static const char *pointer_of(pair *p)
{
    lw_buf_append_char(&p->pointer, '\0');
    assert_int_equal(p->pointer.st, LW_OK);
    p->pointer.len--;
    return p->pointer.data;
}

static void see_string(void *arg, lw_str text)
{
    lw_buf *seen = arg;
    lw_buf_append_str(seen, text);
}

static void assert_used(pair *p, const char *pointer, lw_str expected)
{
    lw_buf seen;
    lw_buf_init(&seen, OUT_MAX);
    assert_int_equal(lw_object__use_string(p->message, pointer, see_string, &seen), LW_OK);
    if (!lw_str_equal(expected, lw_buf_view(&seen)))
        differ(p, "use", expected, lw_buf_view(&seen));
    lw_buf_done(&seen);
}

/* Everything that can be asked about one value. */
static void assert_same_value(pair *p)
{
    const char *pointer = pointer_of(p);
    lw_str expected, found;
    assert_int_equal(lw_object_raw(p->json, pointer, &expected), LW_OK);
    lw_status st = lw_object_get_string(p->json, pointer, &expected);
    if (lw_object_get_string(p->message, pointer, &found) != st)
        differ(p, "status", LW_STR(""), LW_STR(""));
    if (st == LW_OK && (!lw_str_equal(expected, found) || found.ptr[found.len] != '\0'))
        differ(p, "string", expected, found);
    if (st == LW_OK)
        assert_used(p, pointer, expected);
    if (lw_object_int(p->json, pointer, -77) != lw_object_int(p->message, pointer, -77))
        differ(p, "number", expected, found);
    if (lw_object_bool(p->json, pointer, true) != lw_object_bool(p->message, pointer, true) ||
        lw_object_bool(p->json, pointer, false) != lw_object_bool(p->message, pointer, false))
        differ(p, "bool", expected, found);
    assert_int_equal(lw_object_raw(p->json, pointer, &expected), LW_OK);
    if (lw_object_raw(p->message, pointer, &found) != LW_OK || !lw_str_equal(expected, found))
        differ(p, "text", expected, found);
    p->values++;
}

static void append_segment(lw_buf *pointer, lw_str raw_key)
{
    lw_buf key;
    lw_buf_init(&key, OUT_MAX);
    lw_json_append_unescaped(&key, raw_key);
    lw_buf_append_char(pointer, '/');
    for (size_t i = 0; i < key.len; i++) {
        if (key.data[i] == '~' || key.data[i] == '/')
            lw_buf_append_text(pointer, key.data[i] == '~' ? "~0" : "~1");
        else
            lw_buf_append_char(pointer, key.data[i]);
    }
    lw_buf_done(&key);
}

static void assert_absent(pair *p, const char *segment)
{
    size_t len = p->pointer.len;
    lw_str value;
    lw_buf_append_text(&p->pointer, segment);
    const char *pointer = pointer_of(p);
    lw_status expected = lw_object_raw(p->json, pointer, &value);
    if (lw_object_raw(p->message, pointer, &value) != expected ||
        lw_object_get_string(p->message, pointer, &value) != expected)
        differ(p, "absence", LW_STR(""), LW_STR(""));
    lw_buf_truncate(&p->pointer, len);
}

/* Walks the value under the cursor, and past it. */
static void assert_same_below(pair *p, lw_json_cursor *at)
{
    lw_str raw_key;
    size_t len = p->pointer.len, index = 0;
    lw_json_type type = lw_json_cursor_type(at);
    assert_same_value(p);
    assert_absent(p, "/nothing");
    if (type == LW_JSON_OBJECT) {
        lw_json_cursor_enter(at);
        while (lw_json_cursor_next_member(at, &raw_key)) {
            append_segment(&p->pointer, raw_key);
            assert_same_below(p, at);
            lw_buf_truncate(&p->pointer, len);
        }
    } else if (type == LW_JSON_ARRAY) {
        lw_json_cursor_enter(at);
        while (lw_json_cursor_next_element(at)) {
            lw_buf_printf(&p->pointer, "/%zu", index++);
            assert_same_below(p, at);
            lw_buf_truncate(&p->pointer, len);
        }
        lw_buf_printf(&p->pointer, "/%zu", index);
        pointer_of(p);
        assert_int_equal(lw_object_raw(p->message, p->pointer.data, &raw_key), LW_ERR_NOT_FOUND);
        lw_buf_truncate(&p->pointer, len);
    } else {
        (void)lw_json_cursor_skip(at);
    }
}

static void assert_same_head(const pair *p)
{
    assert_string_equal(lw_object_api_version(p->message), lw_object_api_version(p->json));
    assert_string_equal(lw_object_kind(p->message), lw_object_kind(p->json));
    assert_string_equal(lw_object_namespace(p->message), lw_object_namespace(p->json));
    assert_string_equal(lw_object_name(p->message), lw_object_name(p->json));
    assert_string_equal(lw_object_uid(p->message), lw_object_uid(p->json));
    assert_string_equal(lw_object_resource_version(p->message),
                        lw_object_resource_version(p->json));
    assert_int_equal(lw_object_revision(p->message), lw_object_revision(p->json));
    assert_int_equal(lw_object_label_count(p->message), lw_object_label_count(p->json));
    for (size_t i = 0; i < lw_object_label_count(p->json); i++) {
        lw_label a = lw_object_label_at(p->json, i), b = lw_object_label_at(p->message, i);
        assert_true(lw_str_equal(a.key, b.key) && lw_str_equal(a.value, b.value));
    }
}

static void assert_same_controller(const pair *p)
{
    lw_owner_reference a, b;
    bool has_one = lw_object_controller(p->json, &a);
    assert_int_equal(lw_object_controller(p->message, &b), has_one);
    assert_true(!has_one ||
                (lw_str_equal(a.kind, b.kind) && lw_str_equal(a.name, b.name) &&
                 lw_str_equal(a.uid, b.uid) && lw_str_equal(a.api_version, b.api_version)));
}

/* The members of the object, in their order. */
static void assert_same_walk(const pair *p)
{
    lw_iter a = lw_object_iter(p->json, ""), b = lw_object_iter(p->message, "");
    while (lw_iter_next(&a)) {
        assert_true(lw_iter_next(&b));
        assert_true(lw_str_equal(a.key, b.key) && lw_str_equal(a.json, b.json));
    }
    assert_false(lw_iter_next(&b));
    lw_iter x = lw_object_iter(p->json, "/metadata/annotations");
    while (lw_iter_next(&x)) {
        lw_iter y = lw_object_iter(p->message, "/metadata/annotations");
        do
            assert_true(lw_iter_next(&y));
        while (!lw_str_equal(x.key, y.key));
        assert_string_equal(lw_iter_string(&x, "", "?"), lw_iter_string(&y, "", "!"));
    }
}

/* |p->message| and |p->json| give the same answers. */
static void assert_same_answers(pair *p)
{
    lw_buf again;
    lw_buf_init(&again, OUT_MAX);
    assert_same_head(p);
    assert_same_controller(p);
    /* Before anything is kept with the object. */
    assert_int_equal(lw_object__append_json(p->message, &again), LW_OK);
    if (!lw_str_equal(lw_buf_view(&again), lw_object_json(p->json)))
        differ(p, "JSON", lw_object_json(p->json), lw_buf_view(&again));
    lw_json_cursor at = lw_json_cursor_on(lw_object_json(p->json));
    assert_same_below(p, &at);
    assert_true(lw_str_equal(lw_object_json(p->json), lw_object_json(p->message)));
    assert_same_walk(p);
    lw_buf_done(&again);
}

static lw_status take_saved(const lw_object *obj, void *arg, lw_error *err)
{
    (void)err;
    *(lw_object **)arg = lw_object_ref(obj);
    return LW_OK;
}

/* Compares what is read after |obj| was written. */
static void assert_same_saved(const lw_object *obj, pair *p)
{
    lw_object *before = p->message, *read = NULL;
    lw_saved_writer *writer = NULL;
    lw_compact *packer = NULL;
    lw_buf bytes;
    const lw_saved_sink sink = { .on_object = take_saved,
                                 .find_message = lw_message_find_kind,
                                 .arg = &read };
    lw_buf_init(&bytes, OUT_MAX);
    assert_int_equal(lw_saved_writer_new(&writer), LW_OK);
    assert_int_equal(lw_saved_writer_put(writer, obj, &bytes), LW_OK);
    assert_int_equal(lw_saved_read(lw_buf_view(&bytes), &sink, &packer, NULL), LW_OK);
    assert_int_equal(lw_compact_is_packed(read), lw_compact_is_packed(obj));
    assert_int_equal(read->is_message, obj->is_message);
    p->message = read;
    assert_same_answers(p);
    p->message = before;
    lw_object_unref(read);
    lw_compact_close(packer);
    lw_saved_writer_free(writer);
    lw_buf_done(&bytes);
}

/* Packs |whole|, compares, and packs it once more: then it is its own sibling. */
static uint64_t assert_same_packed(lw_compact *compact, const lw_object *whole, pair *p)
{
    uint64_t packed = 0;
    for (int i = 0; i < 2; i++) {
        p->message = lw_compact_pack(compact, whole);
        if (lw_compact_is_packed(p->message)) {
            packed++;
            assert_same_answers(p);
            if (i > 0)
                assert_same_saved(p->message, p);
        }
        lw_object_unref(p->message);
    }
    return packed;
}

static uint64_t objects_of_a_kind = OBJECTS, packed_of_a_kind = PACKED;

typedef struct totals {
    uint64_t kinds, objects, values, packed;
} totals;

static void assert_same_object(uint64_t seed, const lw_type_kind *kind, lw_compact *compact[2],
                               totals *sum)
{
    pair p = { .values = 0 };
    lw_buf json, bytes;
    lw_object *message = NULL;
    lw_error err = LW_ERROR_INIT;
    const lw_read_options read = LW_READ_OPTIONS_INIT;
    lw_buf_init(&json, OUT_MAX);
    lw_buf_init(&bytes, OUT_MAX);
    lw_buf_init(&p.pointer, OUT_MAX);
    object_gen_write(seed, kind->type, kind->gvk, &json);
    assert_int_equal(lw_proto_write_document(lw_buf_view(&json), &bytes, NULL), LW_OK);
    assert_int_equal(lw_object_from_json(&p.json, json.data, json.len, NULL), LW_OK);
    if (lw_message_object(&message, lw_buf_view(&bytes), &read, &err) < 0)
        fail_msg("%.*s, seed %llu: %s", LW_STR_ARG(kind->gvk.kind), (unsigned long long)seed,
                 err.message);
    p.message = message;
    assert_same_answers(&p);
    if (sum->objects++ % objects_of_a_kind < packed_of_a_kind) {
        assert_same_saved(message, &p);
        assert_same_saved(p.json, &p);
        sum->packed += assert_same_packed(compact[0], message, &p);
        sum->packed += assert_same_packed(compact[1], p.json, &p);
    }
    sum->values += p.values;
    lw_buf *all[] = { &json, &bytes, &p.pointer };
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        lw_buf_done(all[i]);
    lw_object_unref(p.json);
    lw_object_unref(message);
}

static bool is_object_kind(const lw_type_kind *kind)
{
    lw_buf version;
    lw_buf_init(&version, 1024);
    if (kind->gvk.group.len > 0) {
        lw_buf_append_str(&version, kind->gvk.group);
        lw_buf_append_char(&version, '/');
    }
    lw_buf_append_str(&version, kind->gvk.version);
    bool is_object = lw_message_has_kind(lw_buf_view(&version), kind->gvk.kind);
    lw_buf_done(&version);
    return is_object;
}

static void objects_of_every_kind_answer_the_same_in_every_form(void **state)
{
    const lw_compact_options options[] = { { .keeps_open = true }, { .fast_part = 2 } };
    totals sum = { 0 };
    (void)state;
    for (size_t i = 0; i < lw_type_kind_count; i++) {
        lw_compact *compact[2];
        if (!is_object_kind(&lw_type_kinds[i]))
            continue;
        sum.kinds++;
        for (size_t k = 0; k < 2; k++)
            assert_int_equal(lw_compact_new(&compact[k], &options[k]), LW_OK);
        for (uint64_t seed = 1; seed <= objects_of_a_kind; seed++)
            assert_same_object(seed * lw_type_kind_count + i, &lw_type_kinds[i], compact, &sum);
        for (size_t k = 0; k < 2; k++)
            lw_compact_close(compact[k]);
    }
    print_message("# %llu kinds, %llu objects, packed %llu times, %llu values\n",
                  (unsigned long long)sum.kinds, (unsigned long long)sum.objects,
                  (unsigned long long)sum.packed, (unsigned long long)sum.values);
    assert_true(sum.kinds > 60);
    assert_true(sum.packed > packed_of_a_kind * sum.kinds);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(objects_of_every_kind_answer_the_same_in_every_form),
    };
    if (argc > 1)
        objects_of_a_kind = packed_of_a_kind = strtoull(argv[1], NULL, 10);
    return cmocka_run_group_tests_name("message_random", tests, NULL, NULL);
}
