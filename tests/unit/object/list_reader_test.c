/* SPDX-License-Identifier: Apache-2.0 */
/* list_reader_test.c -- objects out of a list while its bytes arrive. */
#include <listwatch/list_reader.h>

#include "base/error.h"
#include "object/object_list.h"
#include "unit/object/make.h"

static const char pods[] =
    "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"99\","
    "\"continue\":\"t\\u006fken\",\"remainingItemCount\":3},\"items\":[{\"metadata\":{\"name\":"
    "\"a\",\"managedFields\":[]}},{\"kind\":\"Odd\",\"apiVersion\":\"x/v1\",\"metadata\":{\"name\":"
    "\"b\"}}]}";

/* Feeds |json| in chunks of |step| bytes and collects into |list|. */
static lw_status read_list(const char *json, size_t step, lw_list_reader *reader, lw_error *err)
{
    size_t len = strlen(json);
    for (size_t at = 0; at < len; at += step) {
        lw_status st =
            lw_list_reader_feed(reader, json + at, len - at < step ? len - at : step, err);
        if (st < 0)
            return st;
    }
    return lw_list_reader_finish(reader, err);
}

static lw_list_reader *reader_into(lw_object_list *list)
{
    lw_list_reader *reader = NULL;
    const lw_list_reader_options options = { .on_object = lw_object_list__collect, .arg = list };
    assert_int_equal(lw_list_reader_new(&reader, &options, NULL), LW_OK);
    return reader;
}

static void hands_over_each_object_however_it_is_cut(void **state)
{
    (void)state;
    for (size_t step = 1; step < sizeof(pods); step++) {
        lw_object_list *list = NULL;
        assert_int_equal(lw_object_list_new(&list, 0), LW_OK);
        lw_list_reader *reader = reader_into(list);
        assert_int_equal(read_list(pods, step, reader, NULL), LW_OK);
        assert_int_equal(lw_object_list_count(list), 2);
        assert_string_equal(lw_object_name(lw_object_list_at(list, 0)), "a");
        assert_str_equal(lw_object_json(lw_object_list_at(list, 0)),
                         "{\"metadata\":{\"name\":\"a\"}}");
        assert_string_equal(lw_object_name(lw_object_list_at(list, 1)), "b");
        lw_list_reader_free(reader);
        lw_object_list_free(list);
    }
}

static void items_without_a_type_have_that_of_their_list(void **state)
{
    (void)state;
    lw_object_list *list = NULL;
    assert_int_equal(lw_object_list_new(&list, 0), LW_OK);
    lw_list_reader *reader = reader_into(list);
    assert_int_equal(read_list(pods, 7, reader, NULL), LW_OK);
    assert_string_equal(lw_object_kind(lw_object_list_at(list, 0)), "Pod");
    assert_string_equal(lw_object_api_version(lw_object_list_at(list, 0)), "v1");
    assert_string_equal(lw_object_kind(lw_object_list_at(list, 1)), "Odd");
    assert_string_equal(lw_object_api_version(lw_object_list_at(list, 1)), "x/v1");
    lw_list_reader_free(reader);
    lw_object_list_free(list);
}

static void a_list_of_no_kind_gives_no_type(void **state)
{
    (void)state;
    lw_object_list *list = NULL;
    assert_int_equal(lw_object_list_new(&list, 0), LW_OK);
    lw_list_reader *reader = reader_into(list);
    assert_int_equal(read_list("{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":[{}]}", 100,
                               reader, NULL),
                     LW_OK);
    lw_list_reader_reset(reader);
    assert_int_equal(read_list("{\"kind\":\"Podium\",\"apiVersion\":\"v1\",\"items\":[{}]}", 100,
                               reader, NULL),
                     LW_OK);
    for (size_t i = 0; i < 2; i++) {
        assert_string_equal(lw_object_kind(lw_object_list_at(list, i)), "");
        assert_string_equal(lw_object_api_version(lw_object_list_at(list, i)), "");
    }
    lw_list_reader_free(reader);
    lw_object_list_free(list);
}

static void a_type_after_the_items_comes_too_late(void **state)
{
    (void)state;
    lw_object_list *list = NULL;
    assert_int_equal(lw_object_list_new(&list, 0), LW_OK);
    lw_list_reader *reader = reader_into(list);
    assert_int_equal(read_list("{\"items\":[{}],\"kind\":\"PodList\"}", 100, reader, NULL), LW_OK);
    assert_string_equal(lw_object_kind(lw_object_list_at(list, 0)), "");
    assert_string_equal(lw_list_reader_metadata(reader)->kind, "PodList");
    lw_list_reader_free(reader);
    lw_object_list_free(list);
}

static void tells_the_metadata_of_the_list(void **state)
{
    (void)state;
    lw_list_reader *reader = NULL;
    const lw_list_reader_options options = { .on_object = NULL };
    assert_int_equal(lw_list_reader_new(&reader, &options, NULL), LW_OK);
    assert_int_equal(read_list(pods, 5, reader, NULL), LW_OK);
    const lw_list_metadata *metadata = lw_list_reader_metadata(reader);
    assert_string_equal(metadata->kind, "PodList");
    assert_string_equal(metadata->api_version, "v1");
    assert_string_equal(metadata->resource_version, "99");
    assert_string_equal(metadata->continue_token, "token");
    assert_int_equal(metadata->remaining_item_count, 3);
    lw_list_reader_free(reader);
}

static void a_page_after_a_reset_owes_nothing_to_the_one_before(void **state)
{
    (void)state;
    lw_object_list *list = NULL;
    assert_int_equal(lw_object_list_new(&list, 0), LW_OK);
    lw_list_reader *reader = reader_into(list);
    assert_int_equal(lw_list_reader_feed(reader, pods, sizeof(pods) - 20, NULL), LW_OK);
    lw_list_reader_reset(reader);
    assert_int_equal(read_list("{\"items\":[{}]}", 3, reader, NULL), LW_OK);
    size_t count = lw_object_list_count(list);
    assert_string_equal(lw_object_kind(lw_object_list_at(list, count - 1)), "");
    assert_string_equal(lw_list_reader_metadata(reader)->continue_token, "");
    assert_int_equal(lw_list_reader_metadata(reader)->remaining_item_count, -1);
    lw_list_reader_free(reader);
    lw_object_list_free(list);
}

static void a_status_is_no_empty_list(void **state)
{
    (void)state;
    lw_object_list *list = NULL;
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(lw_object_list_new(&list, 0), LW_OK);
    lw_list_reader *reader = reader_into(list);
    assert_int_equal(read_list("{\"kind\":\"Status\",\"code\":410}", 9, reader, &err),
                     LW_ERR_INVALID);
    assert_string_equal(err.message,
                        "expected a list, but the document of kind \"Status\" has no items");
    lw_list_reader_free(reader);
    lw_object_list_free(list);
}

static void a_list_cut_short_is_an_error(void **state)
{
    (void)state;
    lw_object_list *list = NULL;
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(lw_object_list_new(&list, 0), LW_OK);
    lw_list_reader *reader = reader_into(list);
    assert_int_equal(read_list("{\"items\":[{}", 100, reader, &err), LW_ERR_SYNTAX);
    assert_int_equal(err.offset, 12);
    assert_int_equal(lw_list_reader_feed(reader, "]}", 2, &err), LW_ERR_SYNTAX);
    lw_list_reader_free(reader);
    lw_object_list_free(list);
}

static void an_object_above_the_limit_is_refused(void **state)
{
    (void)state;
    lw_list_reader *reader = NULL;
    lw_error err = LW_ERROR_INIT;
    const lw_list_reader_options options = { .read = { .max_object_size = 10 } };
    assert_int_equal(lw_list_reader_new(&reader, &options, NULL), LW_OK);
    assert_int_equal(read_list("{\"items\":[{\"a\":12345}]}", 1, reader, &err), LW_ERR_LIMIT);
    lw_list_reader_reset(reader);
    assert_int_equal(read_list("{\"items\":[{\"a\":1234},{\"a\":1234}]}", 1, reader, &err), LW_OK);
    lw_list_reader_free(reader);
}

static lw_status stop_at_b(const lw_object *obj, void *arg, lw_error *err)
{
    ++*(int *)arg;
    if (strcmp(lw_object_name(obj), "b") == 0)
        return lw_error_set(err, LW_ERR_STOPPED, "seen enough");
    return LW_OK;
}

static void a_callback_can_stop_the_reading(void **state)
{
    (void)state;
    int calls = 0;
    lw_list_reader *reader = NULL;
    lw_error err = LW_ERROR_INIT;
    const lw_list_reader_options options = { .on_object = stop_at_b, .arg = &calls };
    assert_int_equal(lw_list_reader_new(&reader, &options, NULL), LW_OK);
    assert_int_equal(read_list(pods, 3, reader, &err), LW_ERR_STOPPED);
    assert_string_equal(err.message, "seen enough");
    assert_int_equal(calls, 2);
    lw_list_reader_free(reader);
}

static void trusted_input_may_have_empty_members_to_drop(void **state)
{
    (void)state;
    static const char list[] = "{\"items\":[{\"metadata\":{\"managedFields\":[],\"name\":\"a\"}},"
                               "{\"metadata\":{\"managedFields\":{},\"name\":\"b\"}}]}";
    lw_object_list *into = NULL;
    lw_list_reader *reader = NULL;
    assert_int_equal(lw_object_list_new(&into, 0), LW_OK);
    const lw_list_reader_options options = {
        .read = { .trusts_input = true },
        .on_object = lw_object_list__collect,
        .arg = into,
    };
    assert_int_equal(lw_list_reader_new(&reader, &options, NULL), LW_OK);
    assert_int_equal(read_list(list, sizeof(list), reader, NULL), LW_OK);
    assert_int_equal(lw_object_list_count(into), 2);
    assert_str_equal(lw_object_json(lw_object_list_at(into, 1)), "{\"metadata\":{\"name\":\"b\"}}");
    lw_list_reader_free(reader);
    lw_object_list_free(into);
}

static void refuses_paths_that_would_drop_the_name(void **state)
{
    (void)state;
    static const char *const paths[] = { "/metadata/name", NULL };
    lw_list_reader *reader = NULL;
    lw_error err = LW_ERROR_INIT;
    const lw_list_reader_options options = { .read = { .drop = paths } };
    assert_int_equal(lw_list_reader_new(&reader, &options, &err), LW_ERR_INVALID);
    assert_null(reader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(hands_over_each_object_however_it_is_cut),
        TEST(items_without_a_type_have_that_of_their_list),
        TEST(a_list_of_no_kind_gives_no_type),
        TEST(a_type_after_the_items_comes_too_late),
        TEST(tells_the_metadata_of_the_list),
        TEST(a_page_after_a_reset_owes_nothing_to_the_one_before),
        TEST(a_status_is_no_empty_list),
        TEST(a_list_cut_short_is_an_error),
        TEST(an_object_above_the_limit_is_refused),
        TEST(a_callback_can_stop_the_reading),
        TEST(trusted_input_may_have_empty_members_to_drop),
        TEST(refuses_paths_that_would_drop_the_name),
    };
    return cmocka_run_group_tests_name("list_reader", tests, NULL, NULL);
}
