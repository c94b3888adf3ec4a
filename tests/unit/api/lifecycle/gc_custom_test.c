/* SPDX-License-Identifier: Apache-2.0 */
/* gc_custom_test.c -- custom resources as owners and as dependents; kinds that come and go while
 * they are followed. */
#include "unit/api/owned.h"

#define CRDS    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
#define WIDGETS "/apis/ex.io/v1/namespaces/default/widgets"
#define CRD     CRDS "/widgets.ex.io"

/* Two versions of one resource, of which |stored| is stored. */
static void define(api_world *world, const char *stored)
{
    static const char schema[] = "\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\","
                                 "\"x-kubernetes-preserve-unknown-fields\":true}}";
    char body[BODY_SIZE];
    (void)
        snprintf(body, sizeof(body),
                 "{\"metadata\":{\"name\":\"widgets.ex.io\"},\"spec\":{\"group\":\"ex.io\","
                 "\"scope\":\"Namespaced\",\"names\":{\"plural\":\"widgets\",\"kind\":\"Widget\"},"
                 "\"versions\":[{\"name\":\"v1\",\"served\":true,\"storage\":%s,%s},"
                 "{\"name\":\"v2\",\"served\":true,\"storage\":%s,%s}]}}",
                 strcmp(stored, "v1") == 0 ? "true" : "false", schema,
                 strcmp(stored, "v2") == 0 ? "true" : "false", schema);
    do_send(world, "POST", CRDS, body, 201);
    await_rest(world);
}

static void make_owned_widget(api_world *world, const char *name, const char *owner,
                              const char *more)
{
    char metadata[BODY_SIZE];
    (void)snprintf(metadata, sizeof(metadata), ",\"ownerReferences\":[%s]%s", owner, more);
    make(world, WIDGETS, name, metadata, NULL);
}

static void custom_resource_is_deleted_after_its_owner(void **state)
{
    char owner[UID_SIZE];
    define(*state, "v1");
    make(*state, CONFIGMAPS, "owner", "", owner);
    make_owned_widget(*state, "child", ref("ConfigMap", "owner", owner, true), "");
    make(*state, WIDGETS, "stranger", "", NULL);
    await_rest(*state);
    do_send(*state, "DELETE", CONFIGMAPS "/owner", "", 200);
    await_end(*state, WIDGETS "/child");
    await_rest(*state);
    assert_true(is_there(*state, WIDGETS "/stranger"));
}

static void custom_owner_is_found_by_any_version(void **state)
{
    char owner[UID_SIZE];
    define(*state, "v2");
    make(*state, WIDGETS, "owner", "", owner);
    make_owned(*state, "one", ref_in("ex.io/v1", "Widget", "owner", owner, true), NULL, "", NULL);
    make_owned(*state, "two", ref_in("ex.io/v2", "Widget", "owner", owner, true), NULL, "", NULL);
    make_owned(*state, "old", ref_in("ex.io/v0", "Widget", "owner", owner, true), NULL, "", NULL);
    await_rest(*state);
    assert_true(is_there(*state, CONFIGMAPS "/old"));
    do_send(*state, "DELETE", WIDGETS "/owner", "", 200);
    await_end(*state, CONFIGMAPS "/one");
    await_end(*state, CONFIGMAPS "/two");
    await_end(*state, CONFIGMAPS "/old");
}

static void custom_owner_deleted_in_foreground_keeps_its_version(void **state)
{
    char owner[UID_SIZE];
    define(*state, "v2");
    make(*state, WIDGETS, "owner", "", owner);
    make_owned_widget(*state, "child", ref_in("ex.io/v2", "Widget", "owner", owner, true),
                      ",\"finalizers\":[\"ex.io/f\"]");
    do_send(*state, "DELETE", WIDGETS "/owner?propagationPolicy=Foreground", "", 200);
    await_rest(*state);
    assert_shows(*state, WIDGETS "/owner", "foregroundDeletion", true);
    assert_shows(*state, WIDGETS "/child", "deletionTimestamp", true);
    drop_finalizers(*state, WIDGETS "/child");
    await_end(*state, WIDGETS "/owner");
}

static void custom_orphans_are_kept(void **state)
{
    char owner[UID_SIZE];
    define(*state, "v2");
    make(*state, WIDGETS, "owner", "", owner);
    make_owned_widget(*state, "child", ref_in("ex.io/v1", "Widget", "owner", owner, true), "");
    do_send(*state, "DELETE", WIDGETS "/owner?propagationPolicy=Orphan", "", 200);
    await_end(*state, WIDGETS "/owner");
    await_rest(*state);
    assert_shows(*state, WIDGETS "/child", "\"ownerReferences\":[", false);
    assert_shows(*state, WIDGETS "/child", "\"apiVersion\":\"ex.io/v1\"", true);
}

/* There are so many that the kind is gone before they are. */
static void dependents_are_deleted_with_the_owners_definition(void **state)
{
    char owner[UID_SIZE], name[16];
    define(*state, "v1");
    make(*state, WIDGETS, "owner", "", owner);
    for (int i = 0; i < 300; i++) {
        (void)snprintf(name, sizeof(name), "c%03d", i);
        make_owned(*state, name, ref_in("ex.io/v1", "Widget", "owner", owner, true), NULL, "",
                   NULL);
    }
    await_rest(*state);
    do_send(*state, "DELETE", CRD, "", 200);
    await_end(*state, CRD);
    assert_shows(*state, CONFIGMAPS, "\"items\":[]", false);
    await_rest(*state);
    assert_shows(*state, CONFIGMAPS, "\"items\":[]", true);
}

static void owner_of_an_unknown_kind_counts_as_existing(void **state)
{
    static const char uid[] = "6f1a3a0c-0000-4000-8000-000000000001";
    make_owned(*state, "child", ref_in("ex.io/v1", "Widget", "owner", uid, true), NULL, "", NULL);
    await_rest(*state);
    assert_true(is_there(*state, CONFIGMAPS "/child"));
}

static void collecting_the_last_object_removes_its_definition(void **state)
{
    char owner[UID_SIZE];
    define(*state, "v1");
    make(*state, WIDGETS, "owner", "", owner);
    make_owned(*state, "child", ref_in("ex.io/v1", "Widget", "owner", owner, true), NULL,
               ",\"finalizers\":[\"ex.io/f\"]", NULL);
    do_send(*state, "DELETE", WIDGETS "/owner?propagationPolicy=Foreground", "", 200);
    await_rest(*state);
    do_send(*state, "DELETE", CRD, "", 200);
    await_rest(*state);
    assert_true(is_there(*state, CRD));
    drop_finalizers(*state, CONFIGMAPS "/child");
    await_end(*state, CRD);
}

static void recreated_definition_is_followed(void **state)
{
    char owner[UID_SIZE];
    for (int i = 0; i < 3; i++) {
        define(*state, i == 1 ? "v2" : "v1");
        make(*state, WIDGETS, "owner", "", owner);
        make_owned_widget(*state, "child", ref_in("ex.io/v1", "Widget", "owner", owner, true), "");
        await_rest(*state);
        do_send(*state, "DELETE", WIDGETS "/owner", "", 200);
        await_end(*state, WIDGETS "/child");
        do_send(*state, "DELETE", CRD, "", 200);
        await_end(*state, CRD);
    }
}

static void changed_definition_is_followed(void **state)
{
    char owner[UID_SIZE];
    define(*state, "v1");
    make(*state, CONFIGMAPS, "owner", "", owner);
    make_owned_widget(*state, "early", ref("ConfigMap", "owner", owner, true), "");
    do_send_as(*state, "PATCH", CRD, JSON_PATCH,
               "[{\"op\":\"replace\",\"path\":\"/spec/versions/0/storage\",\"value\":false},"
               "{\"op\":\"replace\",\"path\":\"/spec/versions/1/storage\",\"value\":true}]",
               200);
    await_rest(*state);
    make_owned_widget(*state, "late", ref("ConfigMap", "owner", owner, true), "");
    await_rest(*state);
    do_send(*state, "DELETE", CONFIGMAPS "/owner", "", 200);
    await_end(*state, WIDGETS "/early");
    await_end(*state, WIDGETS "/late");
}

static void namespace_counts_custom_resources_once(void **state)
{
    define(*state, "v1");
    do_send(*state, "POST", "/api/v1/namespaces", "{\"metadata\":{\"name\":\"ends\"}}", 201);
    make(*state, "/apis/ex.io/v1/namespaces/ends/widgets", "held", ",\"finalizers\":[\"ex.io/f\"]",
         NULL);
    do_send(*state, "DELETE", "/api/v1/namespaces/ends", "", 200);
    await_rest(*state);
    assert_shows(*state, "/api/v1/namespaces/ends",
                 "Some resources are remaining: widgets.ex.io has 1 resource instances\"", true);
    drop_finalizers(*state, "/apis/ex.io/v1/namespaces/ends/widgets/held");
    await_end(*state, "/api/v1/namespaces/ends");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LIVED_TEST(custom_resource_is_deleted_after_its_owner),
        LIVED_TEST(custom_owner_is_found_by_any_version),
        LIVED_TEST(custom_owner_deleted_in_foreground_keeps_its_version),
        LIVED_TEST(custom_orphans_are_kept),
        LIVED_TEST(dependents_are_deleted_with_the_owners_definition),
        LIVED_TEST(owner_of_an_unknown_kind_counts_as_existing),
        LIVED_TEST(collecting_the_last_object_removes_its_definition),
        LIVED_TEST(recreated_definition_is_followed),
        LIVED_TEST(changed_definition_is_followed),
        LIVED_TEST(namespace_counts_custom_resources_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
