/* SPDX-License-Identifier: Apache-2.0 */
/* flow_keeper_test.c -- the server keeps its built-in objects and the condition of FlowSchemas; on
 * an API without sockets. */
#include "server/flowcontrol/flow_keeper.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "server/flowcontrol/flow_builtin.h"
#include "server/flowcontrol/flow_seed.h"
#include "support/api_world.h"
#include "unit/test.h"
#include "json/fields.h"
#include "json/writer.h"

#define SCHEMAS "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas"
#define LEVELS  "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations"

typedef struct keeper_world {
    api_world api;
    lw_flow *flow;
    uint64_t seeded; /* the revision after the seeds */
} keeper_world;

static void serve(lw_http_stream *stream, void *arg)
{
    (void)stream;
    (void)arg;
}

/* Stores the built-in objects as the server does before the keeper starts. */
static void seed(keeper_world *w)
{
    lw_seed_batch batch;
    assert_int_equal(lw_seed_batch_init(&batch, w->api.api, NULL), LW_OK);
    assert_int_equal(lw_flow_seed(&batch), LW_OK);
    assert_int_equal(lw_seed_batch_commit(&batch, NULL), LW_OK);
    lw_seed_batch_done(&batch);
    lw_store_revisions(w->api.store, &w->seeded, NULL);
}

static void begin_with(keeper_world *w, bool is_seeded)
{
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(api_world_open(&w->api, &err), LW_OK);
    if (is_seeded)
        seed(w);
    const lw_flow_options options = {
        .loops = &w->api.loop,
        .loop_count = 1,
        .clock = lw_manual_clock_as_clock(w->api.clock),
        .total_seats = 600,
        .serve = serve,
    };
    assert_int_equal(lw_flow_new(&w->flow, &options, &err), LW_OK);
    assert_int_equal(lw_flow_keeper_start(w->flow, w->api.loop, &err), LW_OK);
}

static void begin(keeper_world *w)
{
    begin_with(w, false);
}

static void end(keeper_world *w)
{
    api_world_close(&w->api);
    lw_flow_free(w->flow);
}

/* Runs the loop until no write is in progress and no change is left to be seen. */
static void settle(keeper_world *w)
{
    const lw_api_port *port = lw_loop_data(w->api.loop);
    for (int quiet = 0; quiet < 3; quiet++) {
        while (port->under_way > 0) {
            assert_int_equal(lw_loop_turn(w->api.loop, 1000, NULL), LW_OK);
            quiet = 0;
        }
        api_world_turns(&w->api, 1);
    }
}

/* Sends a request, lets everything settle, and returns the status of the reply. */
static int ask(keeper_world *w, const char *method, const char *target, const char *body)
{
    const fake_http_request request = {
        .method = method,
        .target = target,
        .headers = { "content-type", strcmp(method, "PATCH") == 0 ? "application/merge-patch+json"
                                                                  : "application/json" },
        .body = lw_str_of(body)
    };
    fake_http *http = api_world_ask(&w->api, &request);
    assert_non_null(http);
    settle(w);
    int status = http->status;
    fake_http_free(http);
    return status;
}

/* Returns the object as a tree; NULL: there is none. */
static lw_tree *get(keeper_world *w, const char *target)
{
    lw_tree *tree = NULL;
    fake_http *http = api_world_get(&w->api, target, NULL);
    if (http->status == 200)
        assert_int_equal(lw_tree_parse(&tree, lw_buf_view(&http->body), 0, NULL), LW_OK);
    fake_http_free(http);
    return tree;
}

static void assert_text(keeper_world *w, const char *target, const char *pointer,
                        const char *wanted)
{
    lw_tree *tree = get(w, target);
    assert_non_null(tree);
    lw_str text = lw_node_text(lw_fields_find(lw_tree_root(tree), pointer));
    if (!lw_str_equal(text, lw_str_of(wanted)))
        fail_msg("%s of %s is \"%.*s\", not \"%s\"", pointer, target, LW_STR_ARG(text), wanted);
    lw_tree_free(tree);
}

static void assert_condition(keeper_world *w, const char *schema, const char *status,
                             const char *reason)
{
    lw_tree *tree = get(w, schema);
    const lw_node *condition =
        lw_node_at(lw_fields_find(lw_tree_root(tree), "/status/conditions"), 0);
    assert_true(lw_str_equal(lw_fields_text(condition, "type"), LW_STR("Dangling")));
    assert_true(lw_str_equal(lw_fields_text(condition, "status"), lw_str_of(status)));
    assert_true(lw_str_equal(lw_fields_text(condition, "reason"), lw_str_of(reason)));
    lw_tree_free(tree);
}

static void all_built_in_objects_exist_after_the_start(void **state)
{
    (void)state;
    keeper_world w;
    size_t count;
    const lw_flow_builtin *builtins = lw_flow_builtins(&count);
    begin(&w);
    assert_int_equal(count, 19);
    for (size_t i = 0; i < count; i++) {
        char target[256];
        (void)snprintf(target, sizeof(target), "%s/%.*s",
                       builtins[i].kind == &lw_kind_flowschemas ? SCHEMAS : LEVELS,
                       LW_STR_ARG(builtins[i].name));
        lw_tree *tree = get(&w, target);
        assert_non_null(tree);
        assert_true(lw_flow_is_maintained(lw_tree_root(tree)));
        lw_tree_free(tree);
        if (builtins[i].kind == &lw_kind_flowschemas)
            assert_condition(&w, target, "False", "Found");
    }
    end(&w);
}

/* A list without what differs from store to store. */
static lw_tree *comparable_list(keeper_world *w, const char *target)
{
    lw_tree *tree = get(w, target);
    const lw_node *items = lw_fields_find(lw_tree_root(tree), "/items");
    assert_true(lw_node_count(items) >= 8);
    for (size_t i = 0; i < lw_node_count(items); i++) {
        lw_node *metadata = lw_node_get(lw_node_at(items, i), LW_STR("metadata"));
        lw_fields_set_text(tree, metadata, "uid", LW_STR(""));
        lw_fields_set_text(tree, metadata, "resourceVersion", LW_STR(""));
    }
    lw_fields_set_text(tree, lw_node_get(lw_tree_root(tree), LW_STR("metadata")), "resourceVersion",
                       LW_STR(""));
    return tree;
}

static void assert_same_bytes(lw_str got, lw_str wanted)
{
    if (!lw_str_equal(got, wanted))
        fail_msg("\"%.*s\" is not \"%.*s\"", LW_STR_ARG(got), LW_STR_ARG(wanted));
}

static void assert_same_lists(keeper_world *a, keeper_world *b, const char *target)
{
    lw_tree *first = comparable_list(a, target), *second = comparable_list(b, target);
    lw_buf texts[2];
    for (int i = 0; i < 2; i++) {
        lw_json_writer writer;
        lw_buf_init(&texts[i], 1 << 20);
        lw_json_writer_init(&writer, &texts[i], LW_JSON_COMPACT);
        lw_node_write(lw_tree_root(i == 0 ? first : second), &writer);
    }
    assert_same_bytes(lw_buf_view(&texts[0]), lw_buf_view(&texts[1]));
    lw_buf_done(&texts[0]);
    lw_buf_done(&texts[1]);
    lw_tree_free(first);
    lw_tree_free(second);
}

static void a_seeded_store_is_like_one_that_the_keeper_has_filled(void **state)
{
    (void)state;
    keeper_world seeded, filled;
    begin_with(&seeded, true);
    begin(&filled);
    assert_same_lists(&seeded, &filled, SCHEMAS);
    assert_same_lists(&seeded, &filled, LEVELS);
    end(&seeded);
    end(&filled);
}

static void the_keeper_writes_nothing_to_a_seeded_store(void **state)
{
    (void)state;
    keeper_world w;
    uint64_t current, after;
    begin_with(&w, true);
    lw_store_revisions(w.api.store, &current, NULL);
    settle(&w);
    lw_store_revisions(w.api.store, &after, NULL);
    assert_int_equal(current, w.seeded);
    assert_int_equal(after, w.seeded);
    end(&w);
}

static void a_second_look_writes_nothing(void **state)
{
    (void)state;
    keeper_world w;
    begin(&w);
    uint64_t before, after, compacted;
    lw_store_revisions(w.api.store, &before, &compacted);
    api_world_pass(&w.api, 61 * LW_NS_PER_S);
    settle(&w);
    lw_store_revisions(w.api.store, &after, &compacted);
    assert_int_equal(after, before);
    end(&w);
}

static void a_deleted_built_in_object_comes_back_at_once(void **state)
{
    (void)state;
    keeper_world w;
    begin(&w);
    assert_int_equal(ask(&w, "DELETE", SCHEMAS "/catch-all", ""), 200);
    assert_int_equal(ask(&w, "DELETE", LEVELS "/workload-low", ""), 200);
    settle(&w);
    assert_text(&w, SCHEMAS "/catch-all", "/spec/matchingPrecedence", "10000");
    assert_text(&w, LEVELS "/workload-low", "/spec/limited/nominalConcurrencyShares", "100");
    assert_condition(&w, SCHEMAS "/service-accounts", "False", "Found");
    end(&w);
}

static void a_mandatory_object_is_changed_back_within_a_minute(void **state)
{
    (void)state;
    keeper_world w;
    begin(&w);
    assert_int_equal(ask(&w, "PATCH", LEVELS "/catch-all",
                         "{\"metadata\":{\"annotations\":{\"apf.kubernetes.io/autoupdate-spec\":"
                         "\"false\"}},\"spec\":{\"limited\":{\"nominalConcurrencyShares\":9}}}"),
                     200);
    assert_text(&w, LEVELS "/catch-all", "/spec/limited/nominalConcurrencyShares", "9");
    api_world_pass(&w.api, 61 * LW_NS_PER_S);
    settle(&w);
    assert_text(&w, LEVELS "/catch-all", "/spec/limited/nominalConcurrencyShares", "5");
    end(&w);
}

static void a_suggested_object_is_changed_back_unless_its_annotation_says_false(void **state)
{
    (void)state;
    keeper_world w;
    begin(&w);
    assert_int_equal(ask(&w, "PATCH", LEVELS "/system",
                         "{\"spec\":{\"limited\":{\"nominalConcurrencyShares\":31}}}"),
                     200);
    assert_int_equal(ask(&w, "PATCH", LEVELS "/node-high",
                         "{\"metadata\":{\"annotations\":{\"apf.kubernetes.io/autoupdate-spec\":"
                         "\"false\"}},\"spec\":{\"limited\":{\"nominalConcurrencyShares\":41}}}"),
                     200);
    /* Without an annotation, a changed object is the administrator's, and is marked so. */
    assert_int_equal(ask(&w, "PATCH", LEVELS "/global-default",
                         "{\"metadata\":{\"annotations\":null},"
                         "\"spec\":{\"limited\":{\"nominalConcurrencyShares\":21}}}"),
                     200);
    api_world_pass(&w.api, 61 * LW_NS_PER_S);
    settle(&w);
    assert_text(&w, LEVELS "/system", "/spec/limited/nominalConcurrencyShares", "30");
    assert_text(&w, LEVELS "/node-high", "/spec/limited/nominalConcurrencyShares", "41");
    assert_text(&w, LEVELS "/global-default", "/spec/limited/nominalConcurrencyShares", "21");
    lw_tree *tree = get(&w, LEVELS "/global-default");
    assert_false(lw_flow_is_maintained(lw_tree_root(tree)));
    assert_non_null(lw_fields_find(lw_tree_root(tree), "/metadata/annotations"));
    lw_tree_free(tree);
    end(&w);
}

static void the_shares_of_the_exempt_level_are_the_administrators(void **state)
{
    (void)state;
    keeper_world w;
    begin(&w);
    assert_int_equal(ask(&w, "PATCH", LEVELS "/exempt",
                         "{\"spec\":{\"exempt\":{\"nominalConcurrencyShares\":10}}}"),
                     200);
    api_world_pass(&w.api, 61 * LW_NS_PER_S);
    settle(&w);
    assert_text(&w, LEVELS "/exempt", "/spec/exempt/nominalConcurrencyShares", "10");
    end(&w);
}

static void an_object_that_servers_maintained_and_no_longer_know_is_removed(void **state)
{
    (void)state;
    static const char body[] =
        "{\"metadata\":{\"name\":\"%s\",\"annotations\":{\"apf.kubernetes.io/autoupdate-spec\":"
        "\"%s\"}},\"spec\":{\"priorityLevelConfiguration\":{\"name\":\"system\"}}}";
    keeper_world w;
    char text[512];
    begin(&w);
    (void)snprintf(text, sizeof(text), body, "endpoint-controller", "true");
    assert_int_equal(ask(&w, "POST", SCHEMAS, text), 201);
    (void)snprintf(text, sizeof(text), body, "mine", "false");
    assert_int_equal(ask(&w, "POST", SCHEMAS, text), 201);
    api_world_pass(&w.api, 61 * LW_NS_PER_S);
    settle(&w);
    assert_null(get(&w, SCHEMAS "/endpoint-controller"));
    lw_tree *mine = get(&w, SCHEMAS "/mine");
    assert_non_null(mine);
    lw_tree_free(mine);
    end(&w);
}

static void the_condition_follows_the_level(void **state)
{
    (void)state;
    keeper_world w;
    begin(&w);
    assert_int_equal(ask(&w, "POST", SCHEMAS,
                         "{\"metadata\":{\"name\":\"s\"},\"spec\":{\"priorityLevelConfiguration\":"
                         "{\"name\":\"l\"}}}"),
                     201);
    assert_condition(&w, SCHEMAS "/s", "True", "NotFound");
    assert_int_equal(ask(&w, "POST", LEVELS,
                         "{\"metadata\":{\"name\":\"l\"},\"spec\":{\"type\":\"Limited\",\"limited\""
                         ":{\"limitResponse\":{\"type\":\"Reject\"}}}}"),
                     201);
    settle(&w);
    assert_condition(&w, SCHEMAS "/s", "False", "Found");
    assert_int_equal(ask(&w, "DELETE", LEVELS "/l", ""), 200);
    settle(&w);
    assert_condition(&w, SCHEMAS "/s", "True", "NotFound");
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(all_built_in_objects_exist_after_the_start),
        TEST(a_seeded_store_is_like_one_that_the_keeper_has_filled),
        TEST(the_keeper_writes_nothing_to_a_seeded_store),
        TEST(a_second_look_writes_nothing),
        TEST(a_deleted_built_in_object_comes_back_at_once),
        TEST(a_mandatory_object_is_changed_back_within_a_minute),
        TEST(a_suggested_object_is_changed_back_unless_its_annotation_says_false),
        TEST(the_shares_of_the_exempt_level_are_the_administrators),
        TEST(an_object_that_servers_maintained_and_no_longer_know_is_removed),
        TEST(the_condition_follows_the_level),
    };
    return cmocka_run_group_tests_name("flow_keeper", tests, NULL, NULL);
}
