/* SPDX-License-Identifier: Apache-2.0 */
/* listwatch_etcd_filter_test.c -- which keys of etcd a source is about. */
#include "unit/informer/etcd/etcd_fixture.h"

static void labels_are_selected_by_with_their_transitions(void **state)
{
    fixture t;
    (void)state;
    fake_etcd_put_text("/a/1", "{\"metadata\":{\"labels\":{\"app\":\"web\"}}}");
    fake_etcd_put_text("/a/2", "{\"metadata\":{\"labels\":{\"app\":\"db\"}}}");
    fake_etcd_put_text("/a/3", "no labels");
    fixture_open(&t, &(lw_source_spec){ .resource = "/a/", .label_selector = "app=web" });
    list(&t, &(lw_source_request){ .resource_version = "" });
    assert_said(&t, "item:1@2 end");
    watch_from(&t, "4");
    fake_etcd_put_text("/a/2", "{\"metadata\":{\"labels\":{\"app\":\"web\"}}}"); /* comes in */
    fake_etcd_put_text("/a/2", "{\"metadata\":{\"labels\":{\"app\":\"web\"}},\"x\":1}");
    fake_etcd_put_text("/a/1", "{\"metadata\":{\"labels\":{\"app\":\"db\"}}}"); /* leaves */
    fake_etcd_put_text("/a/3", "still none");
    fake_etcd_delete("/a/1"); /* was not there for us */
    fake_etcd_delete("/a/2");
    fake_etcd_put_text("/a/2", "new, and none of ours");
    turn(&t);
    assert_said(&t, "open ADDED:2@5 MODIFIED:2@6 DELETED:1@7 DELETED:2@10");
    pass(&t, 300); /* the progress is delivered at the end */
    assert_said(&t, "BOOKMARK:@11 closed");
    fixture_close(&t);
}

static void fields_are_selected_by_though_they_are_dropped(void **state)
{
    static const char *const drop[] = { "/value", NULL };
    fixture t;
    (void)state;
    fake_etcd_put_text("/a/1", "{\"on\":true}");
    fake_etcd_put_text("/a/2", "{\"on\":false}");
    fixture_open(&t, &(lw_source_spec){ .resource = "/a/",
                                        .field_selector = "value.on=true",
                                        .read = { .drop = drop } });
    list(&t, &(lw_source_request){ .resource_version = "" });
    assert_said(&t, "item:1@2 end");
    fixture_close(&t);
}

static void namespace_is_a_directory(void **state)
{
    fixture t;
    (void)state;
    fake_etcd_put_text("/a/1", "x");
    fake_etcd_put_text("/a/ns/1", "x");
    fake_etcd_put_text("/a/ns/deeper/1", "x");
    fake_etcd_put_text("/a/ns2/1", "x");
    fixture_open(&t, &(lw_source_spec){ .resource = "/a/", .ns = "ns" });
    list(&t, &(lw_source_request){ .resource_version = "" });
    assert_said(&t, "item:ns/1@3 end");
    watch_from(&t, "5");
    fake_etcd_put_text("/a/ns/deeper/1", "y");
    fake_etcd_put_text("/a/ns/2", "x");
    fake_etcd_delete("/a/ns/deeper/1");
    turn(&t);
    assert_said(&t, "open ADDED:ns/2@7");
    fixture_close(&t);
}

static void prefix_of_the_highest_bytes_has_no_end(void **state)
{
    fixture t;
    (void)state;
    fake_etcd_put(lw_str_make("\xff\xff/1", 4), lw_str_of("x"));
    fixture_open_on(&t, "\xff\xff");
    list(&t, &(lw_source_request){ .resource_version = "" });
    assert_int_equal(t.objects, 1);
    fixture_close(&t);
}

static void provider_needs_endpoints_and_a_prefix(void **state)
{
    lw_provider *provider = NULL;
    lw_source *source = NULL;
    lw_error err = LW_ERROR_INIT;
    (void)state;
    assert_int_equal(lw_etcd_provider_new(&provider,
                                          &(lw_etcd_provider_options){ .endpoints = NULL }, &err),
                     LW_ERR_INVALID);
    const lw_etcd_provider_options options = { .endpoints = "http://fake" };
    assert_int_equal(lw_etcd_provider_new(&provider, &options, &err), LW_OK);
    assert_int_equal(provider->ops->open(provider, &(lw_source_spec){ .resource = "" }, &source,
                                         &err),
                     LW_ERR_INVALID);
    provider->ops->free(provider);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(labels_are_selected_by_with_their_transitions),
        TEST(fields_are_selected_by_though_they_are_dropped),
        TEST(namespace_is_a_directory),
        TEST(prefix_of_the_highest_bytes_has_no_end),
        TEST(provider_needs_endpoints_and_a_prefix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
