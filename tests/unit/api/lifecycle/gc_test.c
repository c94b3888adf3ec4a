/* SPDX-License-Identifier: Apache-2.0 */
/* gc_test.c -- what becomes of objects whose owners go. */
#include "unit/api/owned.h"
#include "unit/failing_alloc.h"

#define NODES "/api/v1/nodes"
#define PODS  "/api/v1/namespaces/default/pods"

static void dependents_are_deleted_after_their_owner(void **state)
{
    char owner[UID_SIZE], child[UID_SIZE];
    make(*state, CONFIGMAPS, "owner", "", owner);
    make_owned(*state, "child", ref("ConfigMap", "owner", owner, true), NULL, "", child);
    make_owned(*state, "grandchild", ref("ConfigMap", "child", child, true), NULL, "", NULL);
    make(*state, CONFIGMAPS, "stranger", "", NULL);
    await_rest(*state);
    assert_true(is_there(*state, CONFIGMAPS "/child"));
    assert_sent_has(*state, "DELETE", CONFIGMAPS "/owner", "", 200, "\"status\":\"Success\"");
    await_end(*state, CONFIGMAPS "/child");
    await_end(*state, CONFIGMAPS "/grandchild");
    await_rest(*state);
    assert_true(is_there(*state, CONFIGMAPS "/stranger"));
}

static void foreground_deletion_waits_for_blocking_dependents(void **state)
{
    char owner[UID_SIZE];
    make(*state, CONFIGMAPS, "owner", "", owner);
    make_owned(*state, "blocks", ref("ConfigMap", "owner", owner, true), NULL,
               ",\"finalizers\":[\"ex.io/f\"]", NULL);
    make_owned(*state, "free", ref("ConfigMap", "owner", owner, false), NULL,
               ",\"finalizers\":[\"ex.io/f\"]", NULL);
    assert_sent_has(*state, "DELETE", CONFIGMAPS "/owner", "{\"propagationPolicy\":\"Foreground\"}",
                    200, "\"finalizers\":[\"foregroundDeletion\"]");
    await_rest(*state);
    assert_shows(*state, CONFIGMAPS "/owner", "deletionTimestamp", true);
    assert_shows(*state, CONFIGMAPS "/blocks", "deletionTimestamp", true);
    assert_shows(*state, CONFIGMAPS "/free", "deletionTimestamp", false);
    drop_finalizers(*state, CONFIGMAPS "/blocks");
    await_end(*state, CONFIGMAPS "/owner");
    await_rest(*state);
    assert_shows(*state, CONFIGMAPS "/free", "deletionTimestamp", true);
}

static void foreground_deletion_covers_the_whole_tree(void **state)
{
    char owner[UID_SIZE], child[UID_SIZE];
    make(*state, CONFIGMAPS, "owner", "", owner);
    make_owned(*state, "child", ref("ConfigMap", "owner", owner, true), NULL, "", child);
    make_owned(*state, "grandchild", ref("ConfigMap", "child", child, true), NULL,
               ",\"finalizers\":[\"ex.io/f\"]", NULL);
    do_send(*state, "DELETE", CONFIGMAPS "/owner?propagationPolicy=Foreground", "", 200);
    await_rest(*state);
    assert_shows(*state, CONFIGMAPS "/child", "foregroundDeletion", true);
    assert_true(is_there(*state, CONFIGMAPS "/owner"));
    drop_finalizers(*state, CONFIGMAPS "/grandchild");
    await_end(*state, CONFIGMAPS "/owner");
    assert_false(is_there(*state, CONFIGMAPS "/child"));
}

static void foreground_deletion_of_a_cycle_ends(void **state)
{
    char a[UID_SIZE], b[UID_SIZE], patch[BODY_SIZE];
    make(*state, CONFIGMAPS, "a", "", a);
    make_owned(*state, "b", ref("ConfigMap", "a", a, true), NULL, "", b);
    (void)snprintf(patch, sizeof(patch), "{\"metadata\":{\"ownerReferences\":[%s]}}",
                   ref("ConfigMap", "b", b, true));
    do_send_as(*state, "PATCH", CONFIGMAPS "/a", MERGE_PATCH, patch, 200);
    do_send(*state, "DELETE", CONFIGMAPS "/a?propagationPolicy=Foreground", "", 200);
    await_end(*state, CONFIGMAPS "/a");
    await_end(*state, CONFIGMAPS "/b");
}

static void orphans_lose_their_owner_and_are_kept(void **state)
{
    char owner[UID_SIZE], other[UID_SIZE];
    make(*state, CONFIGMAPS, "owner", "", owner);
    make(*state, CONFIGMAPS, "other", "", other);
    make_owned(*state, "one", ref("ConfigMap", "owner", owner, true), NULL, "", NULL);
    make_owned(*state, "two", ref("ConfigMap", "owner", owner, true),
               ref("ConfigMap", "other", other, true), "", NULL);
    assert_sent_has(*state, "DELETE", CONFIGMAPS "/owner", "{\"propagationPolicy\":\"Orphan\"}",
                    200, "\"finalizers\":[\"orphan\"]");
    await_end(*state, CONFIGMAPS "/owner");
    await_rest(*state);
    assert_shows(*state, CONFIGMAPS "/one", "ownerReferences", false); /* nor in managedFields */
    assert_shows(*state, CONFIGMAPS "/one", "deletionTimestamp", false);
    assert_shows(*state, CONFIGMAPS "/two", "\"name\":\"other\"", true);
    assert_shows(*state, CONFIGMAPS "/two", "\"name\":\"owner\"", false);
}

static void owner_without_dependents_is_deleted_with_any_policy(void **state)
{
    make(*state, CONFIGMAPS, "a", "", NULL);
    make(*state, CONFIGMAPS, "b", "", NULL);
    do_send(*state, "DELETE", CONFIGMAPS "/a?propagationPolicy=Orphan", "", 200);
    do_send(*state, "DELETE", CONFIGMAPS "/b?propagationPolicy=Foreground", "", 200);
    await_end(*state, CONFIGMAPS "/a");
    await_end(*state, CONFIGMAPS "/b");
}

static void object_with_a_missing_owner_is_deleted(void **state)
{
    make(*state, CONFIGMAPS, "owner", "", NULL);
    make_owned(*state, "absent", ref("ConfigMap", "nobody", "u-1", false), NULL, "", NULL);
    make_owned(*state, "another", ref("ConfigMap", "owner", "u-2", false), NULL, "", NULL);
    await_end(*state, CONFIGMAPS "/absent");
    await_end(*state, CONFIGMAPS "/another");
    assert_true(is_there(*state, CONFIGMAPS "/owner"));
}

/* First it is written as deleted, then it goes. */
static void a_pod_is_marked_and_then_removed(void **state)
{
    do_send(
        *state, "POST", PODS,
        "{\"metadata\":{\"name\":\"p\",\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":"
        "\"ConfigMap\",\"name\":\"nobody\",\"uid\":\"u-1\"}]},\"spec\":{\"containers\":[{\"name\":"
        "\"a\",\"image\":\"i\"}]}}",
        201);
    await_end(*state, PODS "/p");
}

static void object_is_kept_while_it_has_an_owner(void **state)
{
    char a[UID_SIZE], b[UID_SIZE];
    make(*state, CONFIGMAPS, "a", "", a);
    make(*state, CONFIGMAPS, "b", "", b);
    make_owned(*state, "child", ref("ConfigMap", "a", a, false), ref("ConfigMap", "b", b, false),
               "", NULL);
    do_send(*state, "DELETE", CONFIGMAPS "/a", "", 200);
    await_rest(*state);
    assert_shows(*state, CONFIGMAPS "/child", "\"name\":\"b\"", true);
    assert_shows(*state, CONFIGMAPS "/child", "\"name\":\"a\"", false);
    do_send(*state, "DELETE", CONFIGMAPS "/b", "", 200);
    await_end(*state, CONFIGMAPS "/child");
}

static void cluster_scoped_owner_owns_in_any_namespace(void **state)
{
    char node[UID_SIZE];
    make(*state, NODES, "n", "", node);
    make_owned(*state, "child", ref("Node", "n", node, false), NULL, "", NULL);
    await_rest(*state);
    assert_true(is_there(*state, CONFIGMAPS "/child"));
    do_send(*state, "DELETE", NODES "/n", "", 200);
    await_end(*state, CONFIGMAPS "/child");
}

static void owner_in_another_namespace_does_not_count(void **state)
{
    char owner[UID_SIZE];
    make(*state, "/api/v1/namespaces/kube-system/configmaps", "owner", "", owner);
    make_owned(*state, "child", ref("ConfigMap", "owner", owner, false), NULL, "", NULL);
    await_end(*state, CONFIGMAPS "/child");
}

static void object_with_unresolvable_owners_is_kept(void **state)
{
    char owner[UID_SIZE], metadata[BODY_SIZE];
    make_owned(*state, "unknown", ref("Gadget", "g", "u-1", false), NULL, "", NULL);
    make(*state, CONFIGMAPS, "owner", "", owner);
    (void)snprintf(metadata, sizeof(metadata), ",\"ownerReferences\":[%s]",
                   ref("ConfigMap", "owner", owner, false));
    make(*state, NODES, "n", metadata, NULL);
    do_send(*state, "DELETE", CONFIGMAPS "/owner", "", 200);
    await_rest(*state);
    assert_true(is_there(*state, CONFIGMAPS "/unknown"));
    assert_true(is_there(*state, NODES "/n"));
}

static void dry_run_collects_nothing(void **state)
{
    char owner[UID_SIZE];
    make(*state, CONFIGMAPS, "owner", "", owner);
    make_owned(*state, "child", ref("ConfigMap", "owner", owner, true), NULL, "", NULL);
    do_send(*state, "DELETE", CONFIGMAPS "/owner?dryRun=All&propagationPolicy=Foreground", "", 200);
    await_rest(*state);
    assert_shows(*state, CONFIGMAPS "/owner", "deletionTimestamp", false);
    assert_true(is_there(*state, CONFIGMAPS "/child"));
}

static void orphans_from_before_the_start_are_collected(void **state)
{
    make_owned(*state, "child", ref("ConfigMap", "nobody", "u-1", false), NULL, "", NULL);
    make(*state, CONFIGMAPS, "held", ",\"finalizers\":[\"orphan\"]", NULL);
    do_send(*state, "DELETE", CONFIGMAPS "/held", "", 200);
    assert_true(is_there(*state, CONFIGMAPS "/child"));
    assert_true(is_there(*state, CONFIGMAPS "/held"));
    assert_int_equal(api_world_live(*state, 0), LW_OK);
    await_end(*state, CONFIGMAPS "/child");
    await_end(*state, CONFIGMAPS "/held");
}

static void many_dependents_are_deleted(void **state)
{
    char owner[UID_SIZE], name[16];
    make(*state, CONFIGMAPS, "owner", "", owner);
    for (int i = 0; i < 1000; i++) {
        (void)snprintf(name, sizeof(name), "c%03d", i);
        make_owned(*state, name, ref("ConfigMap", "owner", owner, true), NULL, "", NULL);
    }
    do_send(*state, "DELETE", CONFIGMAPS "/owner?propagationPolicy=Foreground", "", 200);
    await_end(*state, CONFIGMAPS "/owner");
    assert_shows(*state, CONFIGMAPS, "\"items\":[]", true);
}

static void stopping_during_collection_leaks_nothing(void **state)
{
    failing_alloc counted;
    api_world *world = NULL;
    char owner[UID_SIZE], name[16];
    (void)state;
    failing_alloc_begin(&counted, SIZE_MAX);
    assert_int_equal(lived_setup((void **)&world), 0);
    make(world, CONFIGMAPS, "owner", "", owner);
    for (int i = 0; i < 300; i++) {
        (void)snprintf(name, sizeof(name), "c%03d", i);
        make_owned(world, name, ref("ConfigMap", "owner", owner, true), NULL, "", NULL);
    }
    do_send(world, "DELETE", CONFIGMAPS "/owner?propagationPolicy=Foreground", "", 200);
    await_work(world); /* and is closed while they are being collected */
    assert_int_equal(world_teardown((void **)&world), 0);
    failing_alloc_end();
    assert_int_equal(counted.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LIVED_TEST(dependents_are_deleted_after_their_owner),
        LIVED_TEST(foreground_deletion_waits_for_blocking_dependents),
        LIVED_TEST(foreground_deletion_covers_the_whole_tree),
        LIVED_TEST(foreground_deletion_of_a_cycle_ends),
        LIVED_TEST(orphans_lose_their_owner_and_are_kept),
        LIVED_TEST(owner_without_dependents_is_deleted_with_any_policy),
        LIVED_TEST(object_with_a_missing_owner_is_deleted),
        LIVED_TEST(a_pod_is_marked_and_then_removed),
        LIVED_TEST(object_is_kept_while_it_has_an_owner),
        LIVED_TEST(cluster_scoped_owner_owns_in_any_namespace),
        LIVED_TEST(owner_in_another_namespace_does_not_count),
        LIVED_TEST(object_with_unresolvable_owners_is_kept),
        LIVED_TEST(dry_run_collects_nothing),
        SEEDED_TEST(orphans_from_before_the_start_are_collected),
        LIVED_TEST(many_dependents_are_deleted),
        TEST(stopping_during_collection_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
