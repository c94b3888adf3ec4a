/* SPDX-License-Identifier: Apache-2.0 */
/* manifest_test.c -- files as kubectl reads them. */
#include <listwatch/manifest.h>

#include <stdio.h>

#include "base/buf.h"
#include "unit/object/make.h"

static lw_status note_object(const lw_object *obj, void *arg, lw_error *err)
{
    (void)err;
    lw_buf_printf(arg, "%s/%s;", lw_object_kind(obj), lw_object_name(obj));
    return LW_OK;
}

typedef struct result {
    lw_status st;
    lw_error error;
    lw_buf text; /* "Pod/a;Pod/b;" */
    bool has_list;
} result;

/* Reads |text| in chunks of |step| bytes. */
static result read_manifest(const char *text, size_t step)
{
    result r = { .error = LW_ERROR_INIT };
    lw_manifest_reader *reader = NULL;
    lw_buf_init(&r.text, 10000);
    const lw_manifest_reader_options options = { .on_object = note_object, .arg = &r.text };
    assert_int_equal(lw_manifest_reader_new(&reader, &options, NULL), LW_OK);
    size_t len = strlen(text);
    for (size_t at = 0; r.st == LW_OK && at < len; at += step)
        r.st =
            lw_manifest_reader_feed(reader, text + at, len - at < step ? len - at : step, &r.error);
    if (r.st == LW_OK)
        r.st = lw_manifest_reader_finish(reader, &r.error);
    r.has_list = lw_manifest_reader_has_list(reader);
    lw_manifest_reader_free(reader);
    return r;
}

/* Expects |objects| of |text|, however it is cut. */
static void expect_objects(const char *text, const char *objects, bool has_list)
{
    for (size_t step = 1; step <= strlen(text) + 1; step++) {
        result r = read_manifest(text, step);
        if (r.st < 0)
            fail_msg("%s in %s", r.error.message, text);
        assert_str_equal(lw_buf_view(&r.text), objects);
        assert_int_equal(r.has_list, has_list);
        lw_buf_done(&r.text);
    }
}

static void reads_one_object(void **state)
{
    (void)state;
    expect_objects("{\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\"}}", "Pod/a;", false);
    expect_objects("\n \t{\"metadata\":{\"name\":\"a\"}}\n", "/a;", false);
    expect_objects("kind: Pod\nmetadata:\n  name: a\n", "Pod/a;", false);
}

static void opens_lists_up(void **state)
{
    (void)state;
    expect_objects("{\"apiVersion\":\"v1\",\"kind\":\"PodList\",\"items\":[{\"metadata\":{\"name\":"
                   "\"a\"}},{\"kind\":\"X\",\"apiVersion\":\"v1\"}]}",
                   "Pod/a;X/;", true);
    expect_objects(
        "apiVersion: v1\nitems:\n- kind: Pod\n  apiVersion: v1\n- kind: Node\nkind: List\n",
        "Pod/;Node/;", true);
    expect_objects("{\"items\":[]}", "", true);
}

static void reads_documents_that_follow_one_another(void **state)
{
    (void)state;
    expect_objects(
        "{\"kind\":\"A\"}{\"items\":[{\"kind\":\"B\"}]} {\"kind\":\"C\"}\n{\"kind\":\"D\"}",
        "A/;B/;C/;D/;", true);
    expect_objects("kind: A\n---\n# nothing here\n---\nkind: B\n---\nitems: [{kind: C}]\n---\n",
                   "A/;B/;C/;", true);
    expect_objects("---\n{\"kind\": \"A\"}\n---\n{\"kind\": \"B\"}\n", "A/;B/;", false);
}

static void a_list_owes_nothing_to_the_one_before(void **state)
{
    (void)state;
    expect_objects("{\"apiVersion\":\"v1\",\"kind\":\"PodList\",\"items\":[{}]}{\"items\":[{}]}",
                   "Pod/;/;", true);
    expect_objects("{\"apiVersion\":\"v1\",\"kind\":\"PodList\",\"items\":[{}]}"
                   "{\"apiVersion\":\"v1\",\"kind\":\"NodeList\",\"items\":[{}]}",
                   "Pod/;Node/;", true);
}

static lw_status count_object(const lw_object *obj, void *arg, lw_error *err)
{
    (void)obj;
    (void)err;
    ++*(size_t *)arg;
    return LW_OK;
}

/* 12 MB of objects; of a document that is not a list, at most 8 MiB and 100 bytes may be held. */
static void a_list_may_be_larger_than_what_is_held(void **state)
{
    (void)state;
    enum {
        CHUNKS = 192,
        PER_CHUNK = 1000
    };
    static char chunk[PER_CHUNK * 64 + 1];
    size_t count = 0, len = 0;
    for (int i = 0; i < PER_CHUNK; i++)
        len += (size_t)snprintf(chunk + len, sizeof(chunk) - len, "{\"a\":\"%054d\"},", i);
    lw_manifest_reader *reader = NULL;
    lw_error err = LW_ERROR_INIT;
    const lw_manifest_reader_options options = {
        .read = { .max_object_size = 100 },
        .on_object = count_object,
        .arg = &count,
    };
    assert_int_equal(lw_manifest_reader_new(&reader, &options, NULL), LW_OK);
    assert_int_equal(lw_manifest_reader_feed(reader, "{\"items\":[", 10, &err), LW_OK);
    for (int i = 0; i < CHUNKS; i++)
        assert_int_equal(lw_manifest_reader_feed(reader, chunk, len, &err), LW_OK);
    assert_int_equal(lw_manifest_reader_feed(reader, "{}]}", 4, &err), LW_OK);
    assert_int_equal(lw_manifest_reader_finish(reader, &err), LW_OK);
    assert_int_equal(count, CHUNKS * PER_CHUNK + 1);
    lw_manifest_reader_free(reader);
}

static void an_empty_file_has_no_objects(void **state)
{
    (void)state;
    expect_objects("", "", false);
    expect_objects(" \n\n", "", false);
    expect_objects("# only a comment\n", "", false);
}

static void errors_say_where(void **state)
{
    (void)state;
    static const char bad_name[] = "{\"kind\":\"A\"} {\"metadata\":{\"name\":5}}";
    for (size_t step = 1; step <= sizeof(bad_name); step++) {
        result r = read_manifest(bad_name, step);
        assert_int_equal(r.st, LW_ERR_INVALID);
        assert_int_equal(r.error.offset, strchr(bad_name, '5') - bad_name);
        assert_str_equal(lw_buf_view(&r.text), "A/;");
        lw_buf_done(&r.text);

        r = read_manifest("{\"kind\":\"A\"} {\"kind\" 5}", step);
        assert_int_equal(r.st, LW_ERR_SYNTAX);
        assert_int_equal(r.error.offset, 21);
        lw_buf_done(&r.text);

        r = read_manifest("kind: A\n---\nmetadata: {name: 5}\n", step);
        assert_int_equal(r.st, LW_ERR_INVALID);
        assert_string_equal(r.error.message, "document 2: metadata.name must be a string");
        assert_true(r.error.offset == LW_NO_OFFSET);
        lw_buf_done(&r.text);

        r = read_manifest("kind: [A\n", step);
        assert_int_equal(r.st, LW_ERR_SYNTAX);
        assert_true(strstr(r.error.message, "line") != NULL);
        lw_buf_done(&r.text);
    }
}

static void a_scalar_is_no_manifest(void **state)
{
    (void)state;
    result r = read_manifest("just words\n", 100);
    assert_int_equal(r.st, LW_ERR_INVALID);
    lw_buf_done(&r.text);
    r = read_manifest("[1]", 100);
    assert_int_equal(r.st, LW_ERR_INVALID);
    lw_buf_done(&r.text);
}

static void a_file_cut_short_is_an_error(void **state)
{
    (void)state;
    result r = read_manifest("{\"kind\":\"A\"}{\"kind\":", 3);
    assert_int_equal(r.st, LW_ERR_SYNTAX);
    assert_str_equal(lw_buf_view(&r.text), "A/;");
    lw_buf_done(&r.text);
}

static void reads_a_whole_manifest_into_a_list(void **state)
{
    (void)state;
    static const char text[] = "kind: A\n---\nitems: [{kind: B}, {kind: C}]\n";
    lw_object_list *list = NULL;
    assert_int_equal(lw_object_list_from_manifest(&list, text, strlen(text), NULL, NULL), LW_OK);
    assert_int_equal(lw_object_list_count(list), 3);
    assert_string_equal(lw_object_kind(lw_object_list_at(list, 2)), "C");
    lw_object_list_free(list);
    lw_error err = LW_ERROR_INIT;
    list = NULL;
    assert_int_equal(lw_object_list_from_manifest(&list, "{", 1, NULL, &err), LW_ERR_SYNTAX);
    assert_null(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(reads_one_object),
        TEST(opens_lists_up),
        TEST(reads_documents_that_follow_one_another),
        TEST(a_list_owes_nothing_to_the_one_before),
        TEST(a_list_may_be_larger_than_what_is_held),
        TEST(an_empty_file_has_no_objects),
        TEST(errors_say_where),
        TEST(a_scalar_is_no_manifest),
        TEST(a_file_cut_short_is_an_error),
        TEST(reads_a_whole_manifest_into_a_list),
    };
    return cmocka_run_group_tests_name("manifest", tests, NULL, NULL);
}
