/* SPDX-License-Identifier: Apache-2.0 */
/* request_test.c -- what requests look like on the wire. */
#include "client/request.h"

#include "base/str.h"
#include "unit/test.h"

static lw_gvr pods(void)
{
    return lw_gvr_make("", "v1", "pods");
}

static void assert_list(const lw_list_options *options, const char *target)
{
    lw_buf buf;
    lw_buf_init(&buf, LW_REQUEST_TARGET_MAX);
    assert_int_equal(lw_request_append_list(&buf, pods(), options, NULL), LW_OK);
    assert_str_equal(lw_buf_view(&buf), target);
    lw_buf_done(&buf);
}

static void assert_watch(const lw_list_options *options, const char *target)
{
    lw_buf buf;
    lw_buf_init(&buf, LW_REQUEST_TARGET_MAX);
    assert_int_equal(lw_request_append_watch(&buf, pods(), options, NULL), LW_OK);
    assert_str_equal(lw_buf_view(&buf), target);
    lw_buf_done(&buf);
}

static void what_is_not_said_is_not_asked_for(void **state)
{
    (void)state;
    const lw_list_options nothing = { .size = sizeof(lw_list_options) };
    const lw_list_options empty = { .size = sizeof(lw_list_options),
                                    .ns = "",
                                    .label_selector = "",
                                    .field_selector = "",
                                    .resource_version = "",
                                    .resource_version_match = "",
                                    .continue_token = "",
                                    .limit = -1,
                                    .timeout_s = -1 };
    assert_list(&nothing, "/api/v1/pods");
    assert_list(&empty, "/api/v1/pods");
    assert_watch(&nothing, "/api/v1/pods?watch=true");
    assert_watch(&empty, "/api/v1/pods?watch=true");
}

static void queries_are_in_the_order_of_the_alphabet(void **state)
{
    (void)state;
    const lw_list_options all = { .size = sizeof(lw_list_options),
                                  .ns = "kube-system",
                                  .label_selector = "app=web",
                                  .field_selector = "spec.nodeName=n1",
                                  .resource_version = "5",
                                  .resource_version_match = "NotOlderThan",
                                  .limit = 500,
                                  .continue_token = "abc",
                                  .timeout_s = 300,
                                  .allows_bookmarks = true,
                                  .sends_initial_events = true };
    assert_list(&all, "/api/v1/namespaces/kube-system/pods?continue=abc"
                      "&fieldSelector=spec.nodeName%3Dn1&labelSelector=app%3Dweb&limit=500"
                      "&resourceVersion=5&resourceVersionMatch=NotOlderThan");
    assert_watch(&all, "/api/v1/namespaces/kube-system/pods?allowWatchBookmarks=true"
                       "&fieldSelector=spec.nodeName%3Dn1&labelSelector=app%3Dweb"
                       "&resourceVersion=5&resourceVersionMatch=NotOlderThan"
                       "&sendInitialEvents=true&timeoutSeconds=300&watch=true");
}

static void values_cannot_leave_their_place(void **state)
{
    (void)state;
    const lw_list_options odd = { .size = sizeof(lw_list_options),
                                  .label_selector = "a in (b, c),!d&limit=1#x%20\xC3\xA4+" };
    assert_list(&odd, "/api/v1/pods?labelSelector=a%20in%20%28b%2C%20c%29%2C%21d%26limit%3D1%23x"
                      "%2520%C3%A4%2B");
}

static void impossible_paths_and_endless_queries_are_refused(void **state)
{
    (void)state;
    static char endless[LW_REQUEST_TARGET_MAX + 1];
    lw_error err = LW_ERROR_INIT;
    lw_list_options options = { .size = sizeof(lw_list_options), .ns = ".." };
    lw_buf buf;
    lw_buf_init(&buf, LW_REQUEST_TARGET_MAX);
    assert_int_equal(lw_request_append_list(&buf, pods(), &options, &err), LW_ERR_INVALID);
    assert_non_null(strstr(err.message, "\"..\""));
    memset(endless, 'a', sizeof(endless) - 1);
    options = (lw_list_options){ .size = sizeof(lw_list_options), .label_selector = endless };
    assert_int_equal(lw_request_append_watch(&buf, pods(), &options, &err), LW_ERR_LIMIT);
    lw_buf_done(&buf);
}

static void assert_delete_options(const lw_delete_options *options, const char *json)
{
    lw_buf buf;
    lw_buf_init(&buf, 4096);
    lw_request_append_delete_options(&buf, options);
    assert_str_equal(lw_buf_view(&buf), json);
    lw_buf_done(&buf);
}

static void a_plain_delete_has_no_body(void **state)
{
    (void)state;
    const lw_delete_options plain = LW_DELETE_OPTIONS_INIT;
    assert_delete_options(&plain, "");
}

static void delete_options_say_how_and_which(void **state)
{
    (void)state;
    assert_delete_options(&(lw_delete_options){ .grace_period_s = 0 },
                          "{\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\","
                          "\"gracePeriodSeconds\":0}");
    assert_delete_options(&(lw_delete_options){ .grace_period_s = -1,
                                                .propagation = "Foreground",
                                                .uid = "u-1",
                                                .resource_version = "7" },
                          "{\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\","
                          "\"preconditions\":{\"resourceVersion\":\"7\",\"uid\":\"u-1\"},"
                          "\"propagationPolicy\":\"Foreground\"}");
}

static lw_status keep_first(const lw_object *obj, void *arg, lw_error *err)
{
    (void)err;
    *(lw_object **)arg = lw_object_ref(obj);
    return LW_OK;
}

static void an_item_of_a_list_is_sent_with_its_kind(void **state)
{
    (void)state;
    static const char list[] = "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{},"
                               "\"items\":[{\"metadata\":{\"name\":\"a\"}}]}";
    lw_object *pod = NULL;
    lw_list_reader *reader = NULL;
    const lw_list_reader_options options = { .on_object = keep_first, .arg = &pod };
    assert_int_equal(lw_list_reader_new(&reader, &options, NULL), LW_OK);
    assert_int_equal(lw_list_reader_feed(reader, list, sizeof(list) - 1, NULL), LW_OK);
    assert_non_null(pod);
    lw_buf buf;
    lw_buf_init(&buf, 4096);
    lw_request_append_object(&buf, pod);
    assert_str_equal(lw_buf_view(&buf),
                     "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\"}}");
    lw_buf_done(&buf);
    lw_object_unref(pod);
    lw_list_reader_free(reader);
}

static void assert_sent_as_it_is(const char *json)
{
    lw_object *obj = NULL;
    lw_buf buf;
    lw_buf_init(&buf, 4096);
    assert_int_equal(lw_object_from_json(&obj, json, strlen(json), NULL), LW_OK);
    lw_request_append_object(&buf, obj);
    assert_str_equal(lw_buf_view(&buf), json);
    lw_buf_done(&buf);
    lw_object_unref(obj);
}

static void an_object_with_its_kind_is_sent_as_it_is(void **state)
{
    (void)state;
    assert_sent_as_it_is("{}");
    assert_sent_as_it_is("{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\"}}");
    assert_sent_as_it_is("{\"metadata\":{\"name\":\"a\"},\"spec\":{\"kind\":\"x\"}}");
}

static void each_type_of_patch_has_its_media_type(void **state)
{
    (void)state;
    assert_string_equal(lw_patch_content_type(LW_PATCH_MERGE), "application/merge-patch+json");
    assert_string_equal(lw_patch_content_type(LW_PATCH_JSON), "application/json-patch+json");
    assert_string_equal(lw_patch_content_type(LW_PATCH_STRATEGIC),
                        "application/strategic-merge-patch+json");
    assert_null(lw_patch_content_type((lw_patch_type)99));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_not_said_is_not_asked_for),
        TEST(queries_are_in_the_order_of_the_alphabet),
        TEST(values_cannot_leave_their_place),
        TEST(impossible_paths_and_endless_queries_are_refused),
        TEST(a_plain_delete_has_no_body),
        TEST(delete_options_say_how_and_which),
        TEST(an_item_of_a_list_is_sent_with_its_kind),
        TEST(an_object_with_its_kind_is_sent_as_it_is),
        TEST(each_type_of_patch_has_its_media_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
