/* SPDX-License-Identifier: Apache-2.0 */
/* listwatch_etcd_object_test.c -- keys of etcd as objects. */
#include "informer/etcd/listwatch_etcd_object.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/str.h"
#include "unit/failing_alloc.h"
#include "unit/test.h"

static const lw_etcd_object_form plain = { .directory = LW_STR_INIT("/app/") };

static lw_status try_make(lw_object **out, const lw_etcd_object_form *form, lw_str key,
                          lw_str value, lw_error *err)
{
    const lw_etcd_kv kv = {
        .key = key, .value = value, .create_revision = 5, .mod_revision = 9, .version = 3
    };
    lw_buf scratch;
    lw_buf_init(&scratch, 1 << 30);
    lw_status st = lw_etcd_object_make(out, form, &kv, 9, &scratch, err);
    lw_buf_done(&scratch);
    return st;
}

static lw_object *make_with(const lw_etcd_object_form *form, lw_str key, lw_str value)
{
    lw_object *obj = NULL;
    lw_error err = LW_ERROR_INIT;
    lw_status st = try_make(&obj, form, key, value, &err);
    if (st < 0)
        print_error("%s\n", err.message);
    assert_int_equal(st, LW_OK);
    return obj;
}

static lw_object *make(const char *value)
{
    return make_with(&plain, LW_STR("/app/web"), lw_str_of(value));
}

/* The key below /app/ has that namespace and name. */
static void assert_named(lw_str rest, const char *ns, const char *name)
{
    char key[256];
    memcpy(key, "/app/", 5);
    memcpy(key + 5, rest.ptr, rest.len);
    lw_object *obj = make_with(&plain, lw_str_make(key, rest.len + 5), LW_STR("x"));
    assert_string_equal(lw_object_namespace(obj), ns);
    assert_string_equal(lw_object_name(obj), name);
    lw_object_unref(obj);
}

static void name_is_what_follows_the_last_slash(void **state)
{
    (void)state;
    assert_named(LW_STR("web"), "", "web");
    assert_named(LW_STR("a/web"), "a", "web");
    assert_named(LW_STR("a/b/c"), "a/b", "c");
    assert_named(LW_STR("\xc3\xa4/\xc3\xb6"), "\xc3\xa4", "\xc3\xb6");
}

static void odd_keys_have_names_of_their_own(void **state)
{
    (void)state;
    assert_named(LW_STR(""), "", "/");
    assert_named(LW_STR("/"), "", "//");
    assert_named(LW_STR("a/"), "", "a/");
    assert_named(LW_STR("a/b//"), "a", "b//");
    assert_named(LW_STR("/web"), "/", "web");
    assert_named(LW_STR("//web"), "//", "web");
    assert_named(LW_STR("/a/web"), "/a/", "web");
    assert_named(LW_STR("a//web"), "a/", "web");
    assert_named(LW_STR("a/\xff"), "", "binary/YS__");
    assert_named(LW_STR("a\0b"), "", "binary/YQBi");
}

static bool are_named_alike(lw_str a, lw_str b)
{
    lw_object *one = make_with(&plain, a, LW_STR("")), *two = make_with(&plain, b, LW_STR(""));
    bool answer = lw_key_equal(lw_object_key(one), lw_object_key(two));
    lw_object_unref(one);
    lw_object_unref(two);
    return answer;
}

/* All short keys of a few awkward bytes. */
static void no_two_keys_share_a_name(void **state)
{
    enum {
        LENGTH = 4,
        LETTERS = 4,
        KEYS = 1 + 4 + 16 + 64 + 256
    };
    static const char letters[LETTERS] = { '/', 'a', '\0', (char)0xff };
    static char texts[KEYS][5 + LENGTH];
    static lw_str keys[KEYS];
    size_t count = 0;
    (void)state;
    for (size_t len = 0; len <= LENGTH; len++) {
        for (size_t n = 0; n < (size_t)1 << (2 * len); n++) {
            memcpy(texts[count], "/app/", 5);
            for (size_t i = 0; i < len; i++)
                texts[count][5 + i] = letters[(n >> (2 * i)) & 3];
            keys[count] = lw_str_make(texts[count], 5 + len);
            count++;
        }
    }
    for (size_t i = 0; i < count; i += 3) {
        for (size_t k = i + 1; k < count; k += 2)
            assert_false(are_named_alike(keys[i], keys[k]));
    }
}

static void prefix_counts_up_to_its_last_slash(void **state)
{
    const lw_etcd_object_form form = { .directory = lw_etcd_object_directory(LW_STR("/my/conf")) };
    (void)state;
    assert_str_equal(form.directory, "/my/");
    assert_str_equal(lw_etcd_object_directory(LW_STR("config.")), "");
    lw_object *obj = make_with(&form, LW_STR("/my/config/a"), LW_STR("x"));
    assert_string_equal(lw_object_namespace(obj), "config");
    assert_string_equal(lw_object_name(obj), "a");
    lw_object_unref(obj);
}

static void object_with_metadata_is_itself(void **state)
{
    (void)state;
    lw_object *obj = make_with(
        &plain, LW_STR("/app/a/web"),
        LW_STR("{\"kind\":\"Pod\",\"metadata\":{\"name\":\"x\",\"uid\":\"u\",\"namespace\":\"y\","
               "\"resourceVersion\":\"1\",\"labels\":{\"app\":\"b\"}},\"spec\":{\"n\":1}}"));
    assert_str_equal(lw_object_json(obj),
                     "{\"metadata\":{\"name\":\"web\",\"namespace\":\"a\",\"resourceVersion\":"
                     "\"9\",\"uid\":\"u\",\"labels\":{\"app\":\"b\"}},\"kind\":\"Pod\","
                     "\"spec\":{\"n\":1}}");
    assert_string_equal(lw_object_label(obj, "app"), "b");
    assert_int_equal(lw_object_revision(obj), 9);
    lw_object_unref(obj);
}

static void namespace_of_the_value_does_not_count(void **state)
{
    (void)state;
    lw_object *obj = make("{\"metadata\":{\"namespace\":\"y\"}}");
    assert_string_equal(lw_object_namespace(obj), "");
    assert_string_equal(lw_object_name(obj), "web");
    lw_object_unref(obj);
}

static void last_of_several_metadata_counts(void **state)
{
    (void)state;
    lw_object *obj = make("{\"metadata\":{\"uid\":\"1\"},\"m\\u0065tadata\":{\"uid\":\"2\"}}");
    assert_string_equal(lw_object_uid(obj), "2");
    lw_object_unref(obj);
}

static void assert_made(const char *value, const char *members)
{
    char json[512];
    snprintf(json, sizeof(json),
             "{\"apiVersion\":\"etcd.listwatch.dev/v1\",\"kind\":\"Entry\",\"metadata\":{"
             "\"name\":\"web\",\"resourceVersion\":\"9\",\"uid\":\"5\",\"generation\":3},%s}",
             members);
    lw_object *obj = make(value);
    assert_str_equal(lw_object_json(obj), json);
    lw_object_unref(obj);
}

static void other_json_is_a_value(void **state)
{
    (void)state;
    assert_made("{\"a\":[1, 2]}", "\"value\":{\"a\":[1, 2]}");
    assert_made("[]", "\"value\":[]");
    assert_made(" 12 ", "\"value\": 12 ");
    assert_made("\"x\"", "\"value\":\"x\"");
    assert_made("{\"metadata\":null}", "\"value\":{\"metadata\":null}");
    assert_made("{\"metadata\":[]}", "\"value\":{\"metadata\":[]}");
}

static void metadata_of_the_wrong_type_make_it_a_value(void **state)
{
    (void)state;
    assert_made("{\"metadata\":{\"labels\":{\"a\":1}}}",
                "\"value\":{\"metadata\":{\"labels\":{\"a\":1}}}");
}

static void text_is_data(void **state)
{
    (void)state;
    assert_made("", "\"data\":\"\"");
    assert_made("hello \"world\"\n", "\"data\":\"hello \\\"world\\\"\\n\"");
    assert_made("{broken", "\"data\":\"{broken\"");
}

static void bytes_are_binary_data(void **state)
{
    (void)state;
    assert_made("\xff\xfe", "\"binaryData\":\"//4=\"");
    lw_object *obj = make_with(&plain, LW_STR("/app/web"), LW_STR("k8s\0\n\x02v1"));
    assert_string_equal(lw_object_string(obj, "/binaryData", ""), "azhzAAoCdjE=");
    lw_object_unref(obj);
}

static void deep_json_is_text_and_never_fails(void **state)
{
    char value[1200];
    (void)state;
    for (size_t depth = 505; depth <= 515; depth++) {
        memset(value, '[', depth);
        memset(value + depth, ']', depth);
        value[2 * depth] = '\0';
        lw_object *obj = make(value);
        lw_str raw;
        bool is_value = lw_object_raw(obj, "/value", &raw) == LW_OK;
        assert_true(is_value == (depth <= 511));
        assert_true(is_value || lw_object_string(obj, "/data", NULL));
        lw_object_unref(obj);
    }
}

static void large_values_of_any_bytes_are_read(void **state)
{
    size_t len = 10 << 20;
    char *value = malloc(len);
    (void)state;
    assert_non_null(value);
    const char fills[] = { '\x01', 'x', (char)0xff };
    for (size_t i = 0; i < sizeof(fills); i++) {
        memset(value, fills[i], len);
        lw_object *obj = make_with(&plain, LW_STR("/app/web"), lw_str_make(value, len));
        assert_true(lw_object_json(obj).len > len);
        lw_object_unref(obj);
    }
    free(value);
}

static void size_that_is_asked_for_is_kept(void **state)
{
    const lw_etcd_object_form form = { .directory = LW_STR_INIT("/app/"),
                                       .read = { .max_object_size = 150 } };
    lw_object *obj = NULL;
    lw_error err = LW_ERROR_INIT;
    char value[200];
    (void)state;
    memset(value, 'x', sizeof(value));
    assert_int_equal(try_make(&obj, &form, LW_STR("/app/web"), lw_str_make(value, sizeof(value)),
                              &err),
                     LW_ERR_LIMIT);
    assert_non_null(strstr(err.message, "/app/web"));
}

static void read_options_are_honoured(void **state)
{
    static const char *const drop[] = { "/spec", "/value/a", NULL };
    const lw_etcd_object_form form = { .directory = LW_STR_INIT("/app/"),
                                       .read = { .drop = drop } };
    (void)state;
    lw_object *obj =
        make_with(&form, LW_STR("/app/web"), LW_STR("{\"metadata\":{},\"spec\":1,\"b\":2}"));
    assert_int_equal(lw_object_int(obj, "/b", 0), 2);
    assert_int_equal(lw_object_int(obj, "/spec", 0), 0);
    lw_object_unref(obj);
    obj = make_with(&form, LW_STR("/app/web"), LW_STR("{\"a\":1,\"b\":2}"));
    assert_int_equal(lw_object_int(obj, "/value/a", 0), 0);
    assert_int_equal(lw_object_int(obj, "/value/b", 0), 2);
    lw_object_unref(obj);
}

static void metadata_can_be_all_there_is(void **state)
{
    const lw_etcd_object_form form = { .directory = LW_STR_INIT("/app/"),
                                       .is_metadata_only = true };
    (void)state;
    lw_object *obj = make_with(&form, LW_STR("/app/web"),
                               LW_STR("{\"kind\":\"Pod\",\"metadata\":{},\"spec\":1}"));
    assert_str_equal(lw_object_json(obj), "{\"metadata\":{\"name\":\"web\",\"resourceVersion\":"
                                          "\"9\"},\"kind\":\"Pod\"}");
    lw_object_unref(obj);
    obj = make_with(&form, LW_STR("/app/web"), LW_STR("hello"));
    assert_null(lw_object_string(obj, "/data", NULL));
    lw_object_unref(obj);
}

static void every_failed_allocation_is_told(void **state)
{
    static const char *const values[] = { "{\"metadata\":{\"labels\":{\"a\":1}}}", "text", "\xff",
                                          "{\"metadata\":{\"uid\":\"u\"}}" };
    failing_alloc f;
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        lw_status st = LW_ERR_NOMEM;
        for (size_t allowed = 0; st != LW_OK; allowed++) {
            lw_object *obj = NULL;
            lw_error err = LW_ERROR_INIT;
            failing_alloc_begin(&f, allowed);
            st = try_make(&obj, &plain, LW_STR("/app/a/\xff"), lw_str_of(values[i]), &err);
            lw_object_unref(obj);
            assert_true(st == LW_OK || st == LW_ERR_NOMEM);
            assert_int_equal(f.live, 0);
            failing_alloc_end();
            assert_true(allowed < 1000);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(name_is_what_follows_the_last_slash),
        TEST(odd_keys_have_names_of_their_own),
        TEST(no_two_keys_share_a_name),
        TEST(prefix_counts_up_to_its_last_slash),
        TEST(object_with_metadata_is_itself),
        TEST(namespace_of_the_value_does_not_count),
        TEST(last_of_several_metadata_counts),
        TEST(other_json_is_a_value),
        TEST(metadata_of_the_wrong_type_make_it_a_value),
        TEST(text_is_data),
        TEST(bytes_are_binary_data),
        TEST(deep_json_is_text_and_never_fails),
        TEST(large_values_of_any_bytes_are_read),
        TEST(size_that_is_asked_for_is_kept),
        TEST(read_options_are_honoured),
        TEST(metadata_can_be_all_there_is),
        TEST(every_failed_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
