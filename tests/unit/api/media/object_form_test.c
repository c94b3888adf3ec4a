/* SPDX-License-Identifier: Apache-2.0 */
/* object_form_test.c -- objects in protobuf are made once, and sent by all who want them. */
#include "api/media/object_form.h"

#include "api/context/port.h"
#include "api/media/forms_ahead.h"
#include "base/str.h"
#include "schema/proto/proto.h"
#include "schema/proto/proto_wire.h"
#include "unit/api/sent.h"

#define PROTOBUF "application/vnd.kubernetes.protobuf"
#define PARTIALS PROTOBUF ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
#define CONFIGS  "/api/v1/namespaces/default/configmaps"
#define INITIAL                                                                                    \
    CONFIGS "?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&"                   \
            "allowWatchBookmarks=true"

enum {
    COUNT = 200,
    SIZE = 10000, /* so that a list is streamed */
};

static void put(api_world *world, int i, char byte)
{
    char name[16], data[SIZE + 1];
    memset(data, byte, SIZE);
    data[SIZE] = '\0';
    (void)snprintf(name, sizeof(name), "c%03d", i);
    assert_true(api_world_put_config(world, "default", name, "y", data) > 0);
}

static void fill(api_world *world)
{
    for (int i = 0; i < COUNT; i++)
        put(world, i, 'x');
}

static lw_form_stats forms_of(const api_world *world)
{
    lw_api_stats stats;
    lw_api_read_stats(world->api, &stats);
    return stats.forms;
}

static void set_budget(api_world *world, uint64_t limit)
{
    lw_form_budget_unref(world->api->forms);
    assert_int_equal(lw_form_budget_new(&world->api->forms, limit), LW_OK);
}

static void add_helpers(api_world *world)
{
    lw_forms_ahead_free(world->api->ahead);
    assert_int_equal(lw_forms_ahead_new(&world->api->ahead, 2), LW_OK);
}

static fake_http *ask_all(api_world *world, const char *target, const char *accept)
{
    fake_http *http = ask_as(world, target, accept, 200);
    for (int i = 0; i < 1000 && !http->is_ended; i++)
        api_world_turns(world, 1);
    assert_true(http->is_ended);
    return http;
}

/* The list must be the bytes that the whole document is made of. */
static void assert_list_is_right(api_world *world, const fake_http *proto)
{
    fake_http *plain = ask_all(world, CONFIGS, NULL);
    lw_buf expected;
    lw_buf_init(&expected, 64 << 20);
    assert_int_equal(lw_proto_write_document(lw_buf_view(&plain->body), &expected, NULL), LW_OK);
    assert_int_equal(proto->body.len, expected.len);
    assert_memory_equal(proto->body.data, expected.data, expected.len);
    lw_buf_done(&expected);
    fake_http_free(plain);
}

static void an_object_is_encoded_once_for_lists_gets_and_watches(void **state)
{
    api_world *world = *state;
    fill(world);
    fake_http_free(ask_all(world, CONFIGS, NULL));
    assert_int_equal(forms_of(world).forms, 0);
    for (int i = 0; i < 2; i++) {
        fake_http *list = ask_all(world, CONFIGS, PROTOBUF);
        assert_true(list->is_streamed);
        assert_list_is_right(world, list);
        fake_http_free(list);
        assert_int_equal(forms_of(world).kept, COUNT);
    }
    fake_http_free(ask_all(world, CONFIGS "?limit=2", PROTOBUF));
    fake_http_free(ask_all(world, CONFIGS "/c001", PROTOBUF));
    fake_http *watch = ask_as(world, INITIAL, PROTOBUF, 200);
    api_world_turns(world, COUNT);
    assert_body_has(watch, "c199");
    assert_int_equal(forms_of(world).kept, COUNT);
    assert_true(forms_of(world).bytes > COUNT * SIZE);
    put(world, 0, 'z'); /* the old one goes with its form, once no watch can begin before it */
    api_world_turns(world, 2);
    assert_int_equal(forms_of(world).kept, COUNT + 1);
    fake_http_free(watch);
}

/* Enough objects for other threads to encode some of them. */
static void a_long_list_is_encoded_by_several_threads(void **state)
{
    api_world *world = *state;
    enum {
        MANY = 1200,
    };
    add_helpers(world);
    for (int i = 0; i < MANY; i++)
        put(world, i, 'x');
    for (int i = 0; i < 2; i++) {
        fake_http *list = ask_all(world, CONFIGS, PROTOBUF);
        assert_list_is_right(world, list);
        fake_http_free(list);
        assert_int_equal(forms_of(world).forms, MANY);
    }
}

static void a_client_that_goes_away_ends_the_encoding(void **state)
{
    api_world *world = *state;
    add_helpers(world);
    for (int i = 0; i < 1200; i++)
        put(world, i, 'x');
    fake_http *http = ask_as(world, CONFIGS, PROTOBUF, 200);
    api_world_turns(world, 1);
    assert_false(http->is_ended);
    fake_http_free(http);
}

static void initial_events_cache_encodings_for_later_lists(void **state)
{
    api_world *world = *state;
    fill(world);
    fake_http *watch = ask_as(world, INITIAL, PROTOBUF, 200);
    api_world_turns(world, COUNT);
    assert_int_equal(forms_of(world).kept, COUNT);
    fake_http_free(watch);
    fake_http *list = ask_all(world, CONFIGS, PROTOBUF);
    assert_list_is_right(world, list);
    assert_int_equal(forms_of(world).kept, COUNT);
    fake_http_free(list);
}

static void beyond_the_budget_encodings_are_not_cached(void **state)
{
    api_world *world = *state;
    uint64_t limit = 20 * SIZE;
    set_budget(world, limit);
    fill(world);
    fake_http *watch = ask_as(world, INITIAL, PROTOBUF, 200);
    api_world_turns(world, COUNT);
    assert_body_has(watch, "c199");
    for (int i = 0; i < 2; i++) {
        fake_http *list = ask_all(world, CONFIGS, PROTOBUF);
        assert_list_is_right(world, list);
        fake_http_free(list);
    }
    lw_form_stats stats = forms_of(world);
    assert_true(stats.bytes <= limit && stats.bytes > limit / 2);
    assert_true(stats.forms >= 10 && stats.forms < 20);
    assert_true(stats.refused > 0);
    put(world, 100, 'y'); /* a change is kept in any case: all watches need it at once */
    api_world_turns(world, 2);
    assert_int_equal(forms_of(world).kept, stats.kept + 1);
    fake_http_free(watch);
}

static void partial_metadata_is_not_cached(void **state)
{
    api_world *world = *state;
    fill(world);
    fake_http_free(ask_all(world, CONFIGS, PARTIALS));
    assert_int_equal(forms_of(world).kept, 0);
}

static void a_list_is_consistent_while_objects_are_replaced(void **state)
{
    api_world *world = *state;
    fill(world);
    fake_http *before = ask_all(world, CONFIGS, PROTOBUF);
    fake_http_request request = { .method = "GET",
                                  .target = CONFIGS,
                                  .headers = { "accept", PROTOBUF } };
    fake_http *slow = fake_http_new(world->loop, &request);
    assert_non_null(slow);
    slow->is_slow = true;
    assert_true(lw_api_serve(world->api, &slow->stream, NULL));
    assert_false(slow->is_ended);
    assert_int_equal(lw_store_compact(world->store, COUNT, NULL), LW_OK);
    for (int i = 0; i < COUNT; i++)
        put(world, i, 'z');
    for (int i = 0; i < 1000 && !slow->is_ended; i++) {
        api_world_turns(world, 1);
        fake_http_drain(slow);
    }
    assert_int_equal(slow->body.len, before->body.len);
    assert_memory_equal(slow->body.data, before->body.data, before->body.len);
    fake_http_free(slow);
    fake_http_free(before);
}

static void a_list_with_an_object_without_protobuf_form_is_refused(void **state)
{
    api_world *world = *state;
    for (int i = 0; i < 20; i++)
        put(world, i, 'x');
    assert_true(api_world_put(world, "configmaps/default/odd",
                              "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{"
                              "\"name\":\"odd\",\"namespace\":\"default\"},\"data\":1}") > 0);
    fake_http *http = ask_as(world, CONFIGS, PROTOBUF, 500);
    assert_body_has(http, "cannot be encoded as protobuf");
    fake_http_free(http);
}

/* The parts of a kept form are what each of those who use it would have made. */
static void the_parts_of_an_encoding_share_its_bytes(void **state)
{
    (void)state;
    static const char json[] = "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{"
                               "\"name\":\"a\"},\"data\":{\"k\":\"v\"}}";
    lw_form_budget *budget = NULL;
    lw_object *obj = NULL;
    lw_object_form form, again;
    lw_buf document, message, item;
    lw_buf_init(&document, 4096);
    lw_buf_init(&message, 4096);
    lw_buf_init(&item, 4096);
    assert_int_equal(lw_form_budget_new(&budget, 1 << 20), LW_OK);
    assert_int_equal(lw_object_from_json(&obj, json, sizeof(json) - 1, NULL), LW_OK);
    assert_false(lw_object_form_find(obj, &form));
    assert_int_equal(lw_object_form_make(obj, LW_WATCH_DELETED, budget, NULL, &form), LW_OK);
    assert_int_equal(lw_object_form_offer(obj, LW_WATCH_ADDED, budget, NULL, &again), LW_OK);
    assert_ptr_equal(again.frame.ptr, form.frame.ptr);
    assert_int_equal(again.type, LW_WATCH_DELETED);
    lw_str text = lw_object_json(obj);
    assert_int_equal(lw_proto_write_document(text, &document, NULL), LW_OK);
    assert_true(lw_str_equal(form.document, lw_buf_view(&document)));
    const lw_type *type = lw_proto_type(LW_STR("v1"), LW_STR("ConfigMap"));
    assert_int_equal(lw_proto_write(type, text, &message, NULL), LW_OK);
    lw_proto_put_bytes(&item, 2, lw_buf_view(&message));
    assert_true(lw_str_equal(form.item, lw_buf_view(&item)));
    assert_ptr_equal(form.frame.ptr + form.frame.len, form.document.ptr + form.document.len);
    lw_buf_done(&document);
    lw_buf_done(&message);
    lw_buf_done(&item);
    lw_object_unref(obj);
    lw_form_budget_unref(budget);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(an_object_is_encoded_once_for_lists_gets_and_watches),
        WORLD_TEST(a_long_list_is_encoded_by_several_threads),
        WORLD_TEST(a_client_that_goes_away_ends_the_encoding),
        WORLD_TEST(initial_events_cache_encodings_for_later_lists),
        WORLD_TEST(beyond_the_budget_encodings_are_not_cached),
        WORLD_TEST(partial_metadata_is_not_cached),
        WORLD_TEST(a_list_is_consistent_while_objects_are_replaced),
        WORLD_TEST(a_list_with_an_object_without_protobuf_form_is_refused),
        TEST(the_parts_of_an_encoding_share_its_bytes),
    };
    return cmocka_run_group_tests_name("object form", tests, NULL, NULL);
}
