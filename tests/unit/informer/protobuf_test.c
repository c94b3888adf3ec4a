/* SPDX-License-Identifier: Apache-2.0 */
/* protobuf_test.c -- informers that get protobuf have the same objects as those that get JSON. */
#include <string.h>

#include <listwatch/factory.h>

#include "base/str.h"
#include "object/compact/compact.h"
#include "object/object.h"
#include "support/client_world.h"
#include "unit/test.h"
#include "json/tree.h"
#include "json/writer.h"

typedef struct sample {
    const char *resource, *group, *name, *json;
} sample;

static const sample samples[] = {
    { "pods", "", "web",
      "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"web\",\"namespace\":"
      "\"default\",\"labels\":{\"app\":\"web\"}},\"spec\":{\"containers\":[{\"name\":\"c\","
      "\"image\":\"nginx\",\"resources\":{\"requests\":{\"cpu\":\"100m\"}},\"livenessProbe\":{"
      "\"httpGet\":{\"path\":\"/\",\"port\":\"http\"}}}]}}" },
    { "secrets", "", "key",
      "{\"kind\":\"Secret\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"key\",\"namespace\":"
      "\"default\"},\"data\":{\"b\":\"AAEC/w==\",\"a\":\"\"}}" },
    { "deployments", "apps", "web",
      "{\"kind\":\"Deployment\",\"apiVersion\":\"apps/v1\",\"metadata\":{\"name\":\"web\","
      "\"namespace\":\"default\"},\"spec\":{\"replicas\":0,\"selector\":{\"matchLabels\":{\"a\":"
      "\"b\"}},\"strategy\":{\"rollingUpdate\":{\"maxSurge\":\"25%\",\"maxUnavailable\":1}},"
      "\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":{\"containers\":[{\"name\":"
      "\"c\",\"image\":\"i\"}]}}}}" },
};

enum {
    SAMPLES = sizeof(samples) / sizeof(samples[0]),
};

static void create_all(client_world *world)
{
    for (size_t i = 0; i < SAMPLES; i++) {
        lw_error err = LW_ERROR_INIT;
        lw_object *obj = NULL, *made = NULL;
        const lw_gvr gvr = { lw_str_of(samples[i].group), LW_STR("v1"),
                             lw_str_of(samples[i].resource) };
        assert_int_equal(lw_object_from_json(&obj, samples[i].json, strlen(samples[i].json), &err),
                         LW_OK);
        if (lw_client_create(world->client, gvr, obj, NULL, &made, &err) < 0)
            fail_msg("%s: %s", samples[i].resource, err.message);
        lw_object_unref(obj);
        lw_object_unref(made);
    }
}

/* Runs a factory until it is synced. */
static lw_factory *sync_factory(client_world *world, bool is_json_only, bool lists_only,
                                lw_informer *informers[SAMPLES])
{
    lw_error err = LW_ERROR_INIT;
    lw_factory *factory = NULL;
    lw_factory_options options = LW_FACTORY_OPTIONS_INIT;
    options.client = world->client;
    options.encoding = is_json_only ? "json" : NULL;
    options.compact = is_json_only ? "off" : "on";
    options.lists_only = lists_only;
    assert_int_equal(lw_factory_new(&factory, &options, &err), LW_OK);
    for (size_t i = 0; i < SAMPLES; i++)
        assert_int_equal(lw_factory_informer(factory, samples[i].resource, &informers[i], &err),
                         LW_OK);
    if (lw_factory_wait_for_sync(factory, 30, &err) < 0)
        fail_msg("%s", err.message);
    return factory;
}

/* The JSON of |obj| with sorted members: this server writes them in the order in which it got them,
 * protobuf has the order of Go. */
static void append_sorted(lw_buf *out, const lw_object *obj)
{
    lw_tree *tree = NULL;
    lw_json_writer w;
    assert_int_equal(lw_tree_parse(&tree, lw_object_json(obj), 0, NULL), LW_OK);
    lw_node_sort_keys(lw_tree_root(tree));
    lw_json_writer_init(&w, out, LW_JSON_COMPACT);
    lw_node_write(lw_tree_root(tree), &w);
    lw_tree_free(tree);
    lw_buf_append_char(out, '\0');
    assert_int_equal(out->st, LW_OK);
}

static void assert_same_json(const lw_object *a, const lw_object *b)
{
    lw_buf x, y;
    lw_buf_init(&x, 1 << 20);
    lw_buf_init(&y, 1 << 20);
    append_sorted(&x, a);
    append_sorted(&y, b);
    size_t at = 0;
    while (x.data[at] && x.data[at] == y.data[at])
        at++;
    if (x.data[at] != y.data[at])
        fail_msg("differ at %zu: %.60s / %.60s", at, x.data + at, y.data + at);
    lw_buf_done(&x);
    lw_buf_done(&y);
}

static void assert_same(lw_informer *json, lw_informer *protobuf, const char *name)
{
    lw_object *a = lw_lister_get(lw_informer_lister(json), "default", name);
    lw_object *b = lw_lister_get(lw_informer_lister(protobuf), "default", name);
    assert_non_null(a);
    assert_non_null(b);
    assert_false(a->is_message);
    assert_true(b->is_message);
    assert_string_equal(lw_object_kind(a), lw_object_kind(b));
    assert_same_json(a, b);
    lw_object_unref(a);
    lw_object_unref(b);
}

/* The objects of a list are packed at once; what is too small stays as it is. */
static void assert_packed(lw_informer *informer, const char *name)
{
    lw_object *obj = lw_lister_get(lw_informer_lister(informer), "default", name);
    assert_non_null(obj);
    assert_int_equal(obj->is_packed, lw_object__body_len(obj) >= LW_COMPACT_BODY_MIN);
    lw_object_unref(obj);
}

static void compare(bool lists_only)
{
    client_world world;
    lw_informer *json[SAMPLES], *protobuf[SAMPLES];
    client_world_open(&world, NULL);
    create_all(&world);
    lw_factory *first = sync_factory(&world, true, lists_only, json);
    lw_factory *second = sync_factory(&world, false, lists_only, protobuf);
    for (size_t i = 0; i < SAMPLES; i++) {
        assert_packed(protobuf[i], samples[i].name);
        assert_same(json[i], protobuf[i], samples[i].name);
    }
    lw_factory_free(first);
    lw_factory_free(second);
    client_world_close(&world);
}

static void lists_have_the_same_objects(void **state)
{
    (void)state;
    compare(true);
}

static void streamed_lists_have_the_same_objects(void **state)
{
    (void)state;
    compare(false);
}

static void an_event_brings_the_same_object(void **state)
{
    client_world world;
    lw_informer *json[SAMPLES], *protobuf[SAMPLES];
    lw_error err = LW_ERROR_INIT;
    (void)state;
    client_world_open(&world, NULL);
    lw_factory *first = sync_factory(&world, true, true, json);
    lw_factory *second = sync_factory(&world, false, true, protobuf);
    create_all(&world);
    for (size_t i = 0; i < SAMPLES; i++) {
        lw_object *found = NULL;
        while (!found) { /* waits for a revision in between */
            assert_int_equal(lw_factory_dispatch(first, &err), LW_OK);
            found = lw_lister_get(lw_informer_lister(json[i]), "default", samples[i].name);
        }
        uint64_t revision = lw_object_revision(found);
        lw_object_unref(found);
        assert_int_equal(lw_informer_wait_for_revision(protobuf[i], revision, 30, &err), LW_OK);
        assert_same(json[i], protobuf[i], samples[i].name);
    }
    lw_factory_free(first);
    lw_factory_free(second);
    client_world_close(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(lists_have_the_same_objects),
        TEST(streamed_lists_have_the_same_objects),
        TEST(an_event_brings_the_same_object),
    };
    return cmocka_run_group_tests_name("protobuf", tests, NULL, NULL);
}
