/* SPDX-License-Identifier: Apache-2.0 */
/* node_health_test.c -- when nodes were beat of, and what is written about it. */
#include "control/node/node_health.h"

#include "unit/control/objects.h"

enum {
    GRACE = 40,
};

static lw_node_health health;

static int tear_down(void **state)
{
    (void)state;
    lw_node_health_done(&health);
    return 0;
}

static lw_object *node_with(const char *ready, const char *beat, const char *taints)
{
    return object_of("{'kind':'Node','metadata':{'name':'n'},'spec':{'taints':[%s]},'status':{"
                     "'conditions':[{'type':'Ready','status':'%s','lastHeartbeatTime':'%s'}]}}",
                     taints, ready, beat);
}

static void see_lease(lw_node_heartbeat *beat, const char *renewed, int64_t now)
{
    lw_object *lease = object_of("{'kind':'Lease','spec':{'renewTime':'%s'}}", renewed);
    lw_node_health_lease(beat, lease, now);
    lw_object_unref(lease);
}

static void only_a_lease_that_changes_is_a_sign_of_life(void **state)
{
    (void)state;
    lw_object *node = node_with("True", "t1", "");
    lw_node_heartbeat *beat = lw_node_health_of(&health, lw_str_of("n"), 0);
    lw_node_health_node(beat, node, 0);
    see_lease(beat, "t1", 10);
    assert_int_equal(lw_node_health_state(beat, node, GRACE, 50), LW_NODE_WELL);
    see_lease(beat, "t1", 45);
    assert_int_equal(lw_node_health_state(beat, node, GRACE, 51), LW_NODE_UNREACHABLE);
    see_lease(beat, "t2", 52);
    assert_int_equal(lw_node_health_state(beat, node, GRACE, 92), LW_NODE_WELL);
    lw_object_unref(node);
}

static void a_beat_in_the_status_is_one_too(void **state)
{
    (void)state;
    lw_object *node = node_with("True", "t1", "");
    lw_object *later = node_with("False", "t2", "");
    lw_node_heartbeat *beat = lw_node_health_of(&health, lw_str_of("n"), 0);
    lw_node_health_node(beat, node, 10);
    lw_node_health_node(beat, node, 40);
    assert_int_equal(beat->renewed_ns, 10);
    lw_node_health_node(beat, later, 50);
    assert_int_equal(beat->renewed_ns, 50);
    assert_int_equal(lw_node_health_state(beat, later, GRACE, 60), LW_NODE_NOT_READY);
    lw_object_unref(later);
    lw_object_unref(node);
}

static void what_we_wrote_ourselves_is_not_taken_for_its_word(void **state)
{
    (void)state;
    lw_object *node = node_with("Unknown", "t1", "");
    lw_node_heartbeat *beat = lw_node_health_of(&health, lw_str_of("n"), 0);
    assert_int_equal(lw_node_health_state(beat, node, GRACE, 10), LW_NODE_UNREACHABLE);
    lw_object_unref(node);
}

static void silence_of_all_is_known(void **state)
{
    (void)state;
    lw_node_heartbeat *a = lw_node_health_of(&health, lw_str_of("a"), 0);
    lw_node_heartbeat *b = lw_node_health_of(&health, lw_str_of("b"), 0);
    lw_node_heartbeat *gone = lw_node_health_of(&health, lw_str_of("gone"), 90);
    a->is_there = b->is_there = true;
    (void)gone;
    assert_true(lw_node_health_is_silent(&health, 40));
    see_lease(b, "t", 80);
    assert_false(lw_node_health_is_silent(&health, 40));
    assert_true(lw_node_health_is_silent(&health, 80));
    lw_node_health_excuse(&health, 200);
    assert_false(lw_node_health_is_silent(&health, 199));
}

/* The taints that |node| gets in |state|; "" where they stay. */
static void assert_taints(const char *there, lw_node_state state, const char *wanted)
{
    lw_document *doc = NULL;
    lw_str json;
    lw_object *node = node_with("True", "t", there);
    assert_int_equal(lw_document_new(&doc, NULL), LW_OK);
    bool is_changed = lw_node_health_write_taints(doc, node, state, 0);
    assert_int_equal(lw_document_json(doc, lw_document_find(doc, NULL, "/spec/taints"), &json,
                                      NULL),
                     LW_OK);
    assert_str_equal(is_changed ? json : lw_str_of(""), wanted);
    lw_document_free(doc);
    lw_object_unref(node);
}

static void taints_say_what_is_the_matter_and_others_stay(void **state)
{
    (void)state;
    assert_taints("", LW_NODE_WELL, "");
    assert_taints("{'key':'a','effect':'NoSchedule'}", LW_NODE_WELL, "");
    assert_taints("{'key':'a','effect':'NoSchedule'}", LW_NODE_UNREACHABLE,
                  "[{\"key\":\"a\",\"effect\":\"NoSchedule\"},"
                  "{\"key\":\"node.kubernetes.io/unreachable\",\"effect\":\"NoSchedule\","
                  "\"timeAdded\":\"1970-01-01T00:00:00Z\"},"
                  "{\"key\":\"node.kubernetes.io/unreachable\",\"effect\":\"NoExecute\","
                  "\"timeAdded\":\"1970-01-01T00:00:00Z\"}]");
    assert_taints("{'key':'node.kubernetes.io/not-ready','effect':'NoSchedule'},"
                  "{'key':'node.kubernetes.io/not-ready','effect':'NoExecute'}",
                  LW_NODE_NOT_READY, "");
    assert_taints("{'key':'node.kubernetes.io/not-ready','effect':'NoSchedule'}", LW_NODE_WELL,
                  "[]");
}

#define CASE(function) cmocka_unit_test_teardown(function, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(only_a_lease_that_changes_is_a_sign_of_life),
        CASE(a_beat_in_the_status_is_one_too),
        CASE(what_we_wrote_ourselves_is_not_taken_for_its_word),
        CASE(silence_of_all_is_known),
        TEST(taints_say_what_is_the_matter_and_others_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
