/* SPDX-License-Identifier: Apache-2.0 */
/* saved_test.c -- objects as files keep them: they answer the same, stay packed, and malformed
 * bytes are refused. */
#include "object/saved/saved.h"

#include <stdio.h>
#include <string.h>

#include "base/crc32c.h"
#include "base/str.h"
#include "object/object_body.h"
#include "schema/message/message.h"
#include "state/state_file.h"
#include "unit/test.h"

enum {
    OBJECTS_MAX = 256,
};

/* Of what this version writes: raise LW_STATE_VERSION when it changes. */
#define FORMAT_SUM      UINT32_C(0x6e64dab6)
#define FAST_FORMAT_SUM UINT32_C(0x9059063a) /* packed by comparing in order */

static const lw_compact_options packing = { .keeps_open = false };

static lw_compact *compact_new(void)
{
    lw_compact *compact = NULL;
    assert_int_equal(lw_compact_new(&compact, &packing), LW_OK);
    return compact;
}

static lw_object *pod(const char *set, int number, const char *tier)
{
    char json[2048];
    lw_object *obj = NULL;
    int len = snprintf(
        json, sizeof(json),
        "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"%s-%05d\",\"namespace\":"
        "\"shop\",\"uid\":\"c34d0bff-9015-4280-a099-%012d\",\"resourceVersion\":\"%d\",\"labels\":{"
        "\"app\":\"%s\",\"tier\":\"\\u0061%s\"},\"annotations\":{\"a/b~c\":\"line\\nline\"}},"
        "\"spec\":{"
        "\"nodeName\":\"node-%03d.example.com\",\"priority\":%d,\"enableServiceLinks\":true,"
        "\"containers\":[{\"name\":\"main\",\"image\":\"registry.example.com/shop/%s:v2.14.3\","
        "\"terminationMessagePath\":\"/dev/termination-log\"}]},"
        "\"status\":{\"phase\":\"Running\",\"podIP\":\"10.244.3.%d\"}}",
        set, number, number, 1000 + number, set, tier, number % 400, number, set, number % 250);
    assert_int_equal(lw_object_from_json(&obj, json, (size_t)len, NULL), LW_OK);
    return obj;
}

/* Objects that were read. */
typedef struct shelf {
    lw_object *objects[OBJECTS_MAX];
    size_t count;
} shelf;

static lw_status take(const lw_object *obj, void *arg, lw_error *err)
{
    shelf *s = arg;
    (void)err;
    assert_true(s->count < OBJECTS_MAX);
    s->objects[s->count++] = lw_object_ref(obj);
    return LW_OK;
}

static void put(shelf *s, lw_object *obj)
{
    (void)take(obj, s, NULL);
    lw_object_unref(obj);
}

static void put_packed(shelf *s, lw_compact *compact, lw_object *obj)
{
    lw_object *packed = lw_compact_pack(compact, obj);
    assert_true(lw_compact_is_packed(packed));
    lw_object_unref(obj);
    put(s, packed);
}

static void shelf_done(shelf *s)
{
    for (size_t i = 0; i < s->count; i++)
        lw_object_unref(s->objects[i]);
    s->count = 0;
}

static lw_buf write_all(const shelf *s)
{
    lw_saved_writer *writer = NULL;
    lw_buf out;
    lw_buf_init(&out, 1 << 24);
    assert_int_equal(lw_saved_writer_new(&writer), LW_OK);
    for (size_t i = 0; i < s->count; i++)
        assert_int_equal(lw_saved_writer_put(writer, s->objects[i], &out), LW_OK);
    lw_saved_writer_free(writer);
    return out;
}

static lw_status read_bytes(lw_str bytes, shelf *out, lw_compact **packer, lw_error *err)
{
    const lw_saved_sink sink = {
        .on_object = take, .find_message = lw_message_find_kind, .compact = packing, .arg = out
    };
    *packer = NULL;
    return lw_saved_read(bytes, &sink, packer, err);
}

/* What is written is read again; frees |s|, so that nothing of it is needed. */
static void write_and_read(shelf *s, shelf *out, lw_compact **packer)
{
    lw_error err = LW_ERROR_INIT;
    lw_buf bytes = write_all(s);
    shelf_done(s);
    if (read_bytes(lw_buf_view(&bytes), out, packer, &err) < 0)
        fail_msg("%s", err.message);
    lw_buf_done(&bytes);
}

static void assert_same(const lw_object *a, const lw_object *b)
{
    lw_str json_a = lw_object_json(a), json_b = lw_object_json(b);
    assert_string_equal(lw_object_kind(a), lw_object_kind(b));
    assert_string_equal(lw_object_api_version(a), lw_object_api_version(b));
    assert_string_equal(lw_object_namespace(a), lw_object_namespace(b));
    assert_string_equal(lw_object_name(a), lw_object_name(b));
    assert_string_equal(lw_object_uid(a), lw_object_uid(b));
    assert_string_equal(lw_object_resource_version(a), lw_object_resource_version(b));
    assert_int_equal(lw_object_revision(a), lw_object_revision(b));
    assert_int_equal(lw_object_label_count(a), lw_object_label_count(b));
    assert_string_equal(lw_object_label(a, "app"), lw_object_label(b, "app"));
    assert_string_equal(lw_object_label(a, "tier"), lw_object_label(b, "tier"));
    assert_int_equal(json_a.len, json_b.len);
    assert_memory_equal(json_a.ptr, json_b.ptr, json_a.len);
    assert_string_equal(lw_object_string(a, "/spec/nodeName", ""),
                        lw_object_string(b, "/spec/nodeName", ""));
    assert_string_equal(lw_object_annotation(a, "a/b~c"), lw_object_annotation(b, "a/b~c"));
}

/* |obj| can be written with another revision, which needs its marks. */
static void assert_can_be_spliced(const lw_object *obj)
{
    lw_object *opened = lw_compact_open_ref(obj), *later = NULL;
    assert_int_equal(lw_object_with_revision(&later, opened, 77), LW_OK);
    assert_int_equal(lw_object_revision(later), 77);
    assert_non_null(strstr(lw_object_json(later).ptr, "\"resourceVersion\":\"77\""));
    lw_object_unref(later);
    lw_object_unref(opened);
}

static void objects_that_are_not_packed_answer_the_same(void **state)
{
    shelf s = { .count = 0 }, read = { .count = 0 };
    lw_compact *packer;
    (void)state;
    put(&s, pod("web", 1, "frontend"));
    put(&s, pod("db", 2, "backend"));
    write_and_read(&s, &read, &packer);
    assert_null(packer);
    assert_int_equal(read.count, 2);
    lw_object *expected = pod("db", 2, "backend");
    assert_false(lw_compact_is_packed(read.objects[1]));
    assert_same(read.objects[1], expected);
    assert_can_be_spliced(read.objects[1]);
    lw_object_unref(expected);
    shelf_done(&read);
}

static void packed_objects_stay_packed_and_answer_the_same(void **state)
{
    shelf s = { .count = 0 }, read = { .count = 0 };
    lw_compact *compact = compact_new(), *packer;
    size_t memory = 0;
    (void)state;
    for (int i = 0; i < 100; i++) {
        put_packed(&s, compact, pod(i % 2 > 0 ? "web-7d4b" : "db", i, i == 50 ? "canary" : "main"));
        memory += lw_object_memory(s.objects[i]);
    }
    lw_compact_close(compact);
    write_and_read(&s, &read, &packer);
    assert_int_equal(read.count, 100);
    for (int i = 0; i < 100; i++)
        memory -= lw_object_memory(read.objects[i]);
    assert_true((ptrdiff_t)memory >= -800); /* the holes of texts that were escaped may differ */
    for (int i = 0; i < 100; i++) {
        lw_object *expected = pod(i % 2 > 0 ? "web-7d4b" : "db", i, i == 50 ? "canary" : "main");
        assert_true(lw_compact_is_packed(read.objects[i]));
        assert_same(read.objects[i], expected);
        assert_can_be_spliced(read.objects[i]);
        lw_object_unref(expected);
    }
    lw_compact_close(packer);
    shelf_done(&read);
}

/* The dictionary is known to the packer again. */
static void a_packer_goes_on(void **state)
{
    shelf s = { .count = 0 }, read = { .count = 0 };
    lw_compact *compact = compact_new(), *packer;
    (void)state;
    put_packed(&s, compact, pod("web-7d4b", 1, "main"));
    size_t before = lw_object_memory(s.objects[0]);
    lw_compact_close(compact);
    write_and_read(&s, &read, &packer);
    assert_non_null(packer);
    put_packed(&read, packer, pod("web-7d4b", 1, "main"));
    assert_true(lw_object_memory(read.objects[1]) <= before);
    lw_compact_close(packer);
    shelf_done(&read);
}

/* The first of a group has changed since, so that it is not in the cache any more; or it comes
 * after those that were packed with it. */
static void a_sibling_that_is_gone_or_late_is_written_once(void **state)
{
    shelf all = { .count = 0 }, s = { .count = 0 }, read = { .count = 0 };
    lw_compact *compact = compact_new(), *packer;
    (void)state;
    for (int i = 0; i < 4; i++)
        put_packed(&all, compact, pod(i < 2 ? "web" : "db", i, "main"));
    lw_compact_close(compact);
    (void)take(all.objects[1], &s, NULL); /* without web-0 */
    (void)take(all.objects[3], &s, NULL);
    (void)take(all.objects[2], &s, NULL); /* after db-3 */
    shelf_done(&all);
    write_and_read(&s, &read, &packer);
    lw_compact_close(packer);
    static const int numbers[] = { 1, 3, 2 };
    assert_int_equal(read.count, 3);
    for (int i = 0; i < 3; i++) {
        lw_object *expected = pod(numbers[i] < 2 ? "web" : "db", numbers[i], "main");
        assert_same(read.objects[i], expected);
        lw_object_unref(expected);
    }
    assert_string_equal(lw_object_label(read.objects[0], "app"), "web");
    assert_ptr_equal(read.objects[1]->origin->sibling, read.objects[2]);
    shelf_done(&read);
}

static void objects_of_too_many_packers_are_unpacked(void **state)
{
    shelf s = { .count = 0 }, read = { .count = 0 };
    lw_compact *packer;
    (void)state;
    for (int i = 0; i < LW_SAVED_PACKERS_MAX + 2; i++) {
        lw_compact *compact = compact_new();
        put_packed(&s, compact, pod("web", i, "main"));
        lw_compact_close(compact);
    }
    write_and_read(&s, &read, &packer);
    lw_compact_close(packer);
    assert_int_equal(read.count, LW_SAVED_PACKERS_MAX + 2);
    for (int i = 0; i < LW_SAVED_PACKERS_MAX + 2; i++) {
        lw_object *expected = pod("web", i, "main");
        assert_int_equal(lw_compact_is_packed(read.objects[i]), i < LW_SAVED_PACKERS_MAX);
        assert_same(read.objects[i], expected);
        lw_object_unref(expected);
    }
    shelf_done(&read);
}

/* The checksum of three objects that are packed and of one that is not packed. */
static uint32_t sum_of(const lw_compact_options *options)
{
    shelf s = { .count = 0 };
    lw_compact *compact = NULL;
    assert_int_equal(lw_compact_new(&compact, options), LW_OK);
    for (int i = 0; i < 3; i++)
        put_packed(&s, compact, pod("web", i, "main"));
    put(&s, pod("db", 9, "main"));
    lw_compact_close(compact);
    lw_buf bytes = write_all(&s);
    uint32_t sum = lw_crc32c(0, bytes.data, bytes.len);
    lw_buf_done(&bytes);
    shelf_done(&s);
    return sum;
}

/* Files of the version before must not be read in another way. */
static void the_format_changes_only_with_its_version(void **state)
{
    const lw_compact_options fast = { .fast_part = 2 };
    (void)state;
    assert_int_equal(LW_STATE_VERSION, 3);
    assert_int_equal(sum_of(&packing), FORMAT_SUM);
    assert_int_equal(sum_of(&fast), FAST_FORMAT_SUM);
}

/* Any byte may be wrong: it is refused, or it is in a text; never does the reader leave the bytes
 * (ASan). */
static void wrong_bytes_are_refused_or_harmless(void **state)
{
    shelf s = { .count = 0 };
    lw_compact *compact = compact_new();
    (void)state;
    for (int i = 0; i < 3; i++)
        put_packed(&s, compact, pod("web", i, "main"));
    put(&s, pod("db", 9, "main"));
    lw_compact_close(compact);
    lw_buf bytes = write_all(&s);
    shelf_done(&s);
    size_t refused = 0;
    for (size_t at = 0; at < bytes.len; at++) {
        shelf read = { .count = 0 };
        lw_compact *packer;
        lw_error err = LW_ERROR_INIT;
        bytes.data[at] = (char)(bytes.data[at] ^ 0xff);
        lw_status st = read_bytes(lw_buf_view(&bytes), &read, &packer, &err);
        bytes.data[at] = (char)(bytes.data[at] ^ 0xff);
        assert_true(st == LW_OK || (st == LW_ERR_INVALID && err.message[0] != '\0'));
        refused += st < 0;
        for (size_t i = 0; i < read.count; i++) {
            lw_object *opened = lw_compact_open_ref(read.objects[i]);
            (void)lw_object_label(read.objects[i], "tier");
            lw_object_unref(opened);
        }
        lw_compact_close(packer);
        shelf_done(&read);
    }
    assert_true(refused > 300);
    for (size_t len = 0; len < bytes.len; len++) {
        shelf read = { .count = 0 };
        lw_compact *packer;
        (void)read_bytes(lw_str_make(bytes.data, len), &read, &packer, NULL);
        lw_compact_close(packer);
        assert_true(read.count < 4);
        shelf_done(&read);
    }
    lw_buf_done(&bytes);
}

/* The notes that were read, each for the object after it. */
typedef struct noted {
    uint32_t pending, notes[8];
    bool is_noted;
    size_t objects;
} noted;

static void take_note(uint32_t note, void *arg)
{
    noted *n = arg;
    assert_false(n->is_noted);
    n->pending = note;
    n->is_noted = true;
}

static lw_status take_noted(const lw_object *obj, void *arg, lw_error *err)
{
    noted *n = arg;
    (void)obj;
    (void)err;
    n->notes[n->objects++] = n->is_noted ? n->pending : 0;
    n->is_noted = false;
    return LW_OK;
}

/* Also if a sibling comes between, or if the object is written as the sibling of others first. */
static void a_note_belongs_to_the_object_that_is_put_next(void **state)
{
    shelf s = { .count = 0 };
    lw_compact *compact = compact_new(), *packer = NULL;
    lw_saved_writer *writer = NULL;
    lw_buf out;
    noted read = { .objects = 0 };
    (void)state;
    for (int i = 0; i < 3; i++)
        put_packed(&s, compact, pod("web", i, "main"));
    lw_compact_close(compact);
    lw_buf_init(&out, 1 << 20);
    assert_int_equal(lw_saved_writer_new(&writer), LW_OK);
    static const size_t order[] = { 1, 0, 2 }; /* 0 is the sibling of the others */
    for (size_t i = 0; i < 3; i++) {
        if (i < 2)
            assert_int_equal(lw_saved_writer_note(0xfffffff0U + (uint32_t)i, &out), LW_OK);
        assert_int_equal(lw_saved_writer_put(writer, s.objects[order[i]], &out), LW_OK);
    }
    lw_saved_writer_free(writer);
    shelf_done(&s);
    const lw_saved_sink sink = { .on_object = take_noted,
                                 .on_note = take_note,
                                 .find_message = lw_message_find_kind,
                                 .compact = packing,
                                 .arg = &read };
    assert_int_equal(lw_saved_read(lw_buf_view(&out), &sink, &packer, NULL), LW_OK);
    lw_compact_close(packer);
    lw_buf_done(&out);
    assert_int_equal(read.objects, 3);
    assert_int_equal(read.notes[0], 0xfffffff0U);
    assert_int_equal(read.notes[1], 0xfffffff1U);
    assert_int_equal(read.notes[2], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(objects_that_are_not_packed_answer_the_same),
        TEST(packed_objects_stay_packed_and_answer_the_same),
        TEST(a_packer_goes_on),
        TEST(a_sibling_that_is_gone_or_late_is_written_once),
        TEST(objects_of_too_many_packers_are_unpacked),
        TEST(the_format_changes_only_with_its_version),
        TEST(wrong_bytes_are_refused_or_harmless),
        TEST(a_note_belongs_to_the_object_that_is_put_next),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
