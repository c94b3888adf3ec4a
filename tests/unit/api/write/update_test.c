/* SPDX-License-Identifier: Apache-2.0 */
/* update_test.c -- PUT: of an object, its status, its finalizers. */
#include "unit/api/sent.h"

#define CONFIGMAPS  DEFAULT "configmaps"
#define DEPLOYMENTS "/apis/apps/v1/namespaces/default/deployments"
#define LEASES      "/apis/coordination.k8s.io/v1/namespaces/default/leases"

static const char deployment[] =
    "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"selector\":{\"matchLabels\":{\"a\":\"b\"}},"
    "\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":{\"containers\":[{\"name\":"
    "\"c\",\"image\":\"i:1\"}]}}}}";

/* ConfigMap "a" at resourceVersion 5. */
static void make_config(api_world *world)
{
    do_send(world, "POST", CONFIGMAPS, "{\"metadata\":{\"name\":\"a\"},\"data\":{\"k\":\"v\"}}",
            201);
}

static void object_is_replaced(void **state)
{
    make_config(*state);
    assert_sent(*state, "PUT", CONFIGMAPS "/a",
                "{\"metadata\":{\"name\":\"a\",\"labels\":{\"x\":\"1\"}},\"data\":{\"l\":\"w\"}}",
                200,
                "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\","
                "\"namespace\":\"default\",\"uid\":\"U\",\"resourceVersion\":\"6\","
                "\"creationTimestamp\":\"2026-11-15T01:49:24Z\",\"labels\":{\"x\":\"1\"}},"
                "\"data\":{\"l\":\"w\"}}\n");
}

static void same_object_again_is_not_written(void **state)
{
    make_config(*state);
    assert_sent_has(*state, "PUT", CONFIGMAPS "/a",
                    "{\"data\":{\"k\":\"v\"},\"metadata\":{\"labels\":{},\"name\":\"a\"}}", 200,
                    "\"resourceVersion\":\"5\"");
    assert_sent_has(*state, "PUT", CONFIGMAPS "/a",
                    "{\"data\":{\"k\":\"w\"},\"metadata\":{\"name\":\"a\"}}", 200,
                    "\"resourceVersion\":\"6\"");
}

static void old_revision_is_a_conflict(void **state)
{
    make_config(*state);
    do_send(*state, "PUT", CONFIGMAPS "/a",
            "{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"5\"},\"data\":{\"k\":\"w\"}}",
            200);
    assert_sent(
        *state, "PUT", CONFIGMAPS "/a",
        "{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"5\"},\"data\":{\"k\":\"x\"}}", 409,
        FAILURE("Operation cannot be fulfilled on configmaps \\\"a\\\": the object has been "
                "modified; please apply your changes to the latest version and try again",
                "\"reason\":\"Conflict\",\"details\":{\"name\":\"a\","
                "\"kind\":\"configmaps\"},\"code\":409"));
    assert_sent_has(*state, "PUT", CONFIGMAPS "/a",
                    "{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"x\"}}", 500,
                    "strconv.ParseUint: parsing \\\"x\\\": invalid syntax");
}

static void one_of_many_with_the_same_revision_wins(void **state)
{
    enum {
        CALLS = 20
    };
    api_world *world = *state;
    fake_http *calls[CALLS];
    int won = 0;
    make_config(world);
    for (int i = 0; i < CALLS; i++) {
        char body[128];
        (void)snprintf(body, sizeof(body),
                       "{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"5\"},"
                       "\"data\":{\"k\":\"%d\"}}",
                       i);
        calls[i] = send_off(world, "PUT", CONFIGMAPS "/a", NULL, body);
    }
    for (int i = 0; i < CALLS; i++) {
        await(world, calls[i]);
        assert_true(calls[i]->status == 200 || calls[i]->status == 409);
        won += calls[i]->status == 200;
        fake_http_free(calls[i]);
    }
    assert_int_equal(won, 1);
}

static void unconditional_updates_all_land(void **state)
{
    enum {
        CALLS = 50
    };
    api_world *world = *state;
    fake_http *calls[CALLS];
    make_config(world);
    for (int i = 0; i < CALLS; i++) {
        char body[128];
        (void)snprintf(body, sizeof(body),
                       "{\"metadata\":{\"name\":\"a\"},\"data\":{\"k\":\"%d\"}}", i);
        calls[i] = send_off(world, "PUT", CONFIGMAPS "/a", NULL, body);
    }
    for (int i = 0; i < CALLS; i++) {
        await(world, calls[i]);
        assert_int_equal(calls[i]->status, 200);
        fake_http_free(calls[i]);
    }
}

static void uid_is_a_precondition(void **state)
{
    make_config(*state);
    assert_sent_has(*state, "PUT", CONFIGMAPS "/a",
                    "{\"metadata\":{\"name\":\"a\",\"uid\":\"x\"},\"data\":{\"k\":\"w\"}}", 409,
                    "Operation cannot be fulfilled on configmaps \\\"a\\\": StorageError: invalid "
                    "object, Code: 4, Key: /registry/configmaps/default/a, ResourceVersion: 0, "
                    "AdditionalErrorMsg: Precondition failed: UID in precondition: x, UID in "
                    "object meta: ");
}

static void name_must_be_that_of_the_url(void **state)
{
    make_config(*state);
    assert_sent_has(*state, "PUT", CONFIGMAPS "/a", "{\"metadata\":{\"name\":\"b\"}}", 400,
                    "\"the name of the object (b) does not match the name on the URL (a)\"");
    assert_sent_has(*state, "PUT", CONFIGMAPS "/a", "{\"metadata\":{}}", 400,
                    "\"the name of the object (a based on URL) was undeterminable: name must be "
                    "provided\"");
}

static void what_is_not_there_cannot_be_replaced(void **state)
{
    assert_sent(*state, "PUT", CONFIGMAPS "/a", "{\"metadata\":{\"name\":\"a\"}}", 404,
                FAILURE("configmaps \\\"a\\\" not found",
                        "\"reason\":\"NotFound\",\"details\":{\"name\":\"a\","
                        "\"kind\":\"configmaps\"},\"code\":404"));
}

static void some_kinds_are_made_by_put(void **state)
{
    assert_sent_has(*state, "PUT", LEASES "/l",
                    "{\"metadata\":{\"name\":\"l\"},\"spec\":{\"holderIdentity\":\"me\"}}", 201,
                    "\"spec\":{\"holderIdentity\":\"me\"}");
    assert_sent_has(*state, "PUT", "/apis/coordination.k8s.io/v1/namespaces/no/leases/l",
                    "{\"metadata\":{\"name\":\"l\"}}", 404, "namespaces \\\"no\\\" not found");
}

static void some_kinds_want_a_revision(void **state)
{
    do_send(*state, "POST", LEASES, "{\"metadata\":{\"name\":\"l\"}}", 201);
    assert_sent(
        *state, "PUT", LEASES "/l", "{\"metadata\":{\"name\":\"l\"}}", 422,
        FAILURE("leases.coordination.k8s.io \\\"l\\\" is invalid: metadata.resourceVersion: "
                "Invalid value: 0: must be specified for an update",
                "\"reason\":\"Invalid\",\"details\":{\"name\":\"l\","
                "\"group\":\"coordination.k8s.io\",\"kind\":\"leases\",\"causes\":["
                "{\"reason\":\"FieldValueInvalid\",\"message\":\"Invalid value: 0: must be "
                "specified for an update\",\"field\":\"metadata.resourceVersion\"}]},"
                "\"code\":422"));
}

static void dry_run_changes_nothing(void **state)
{
    make_config(*state);
    assert_sent_has(*state, "PUT", CONFIGMAPS "/a?dryRun=All",
                    "{\"metadata\":{\"name\":\"a\"},\"data\":{\"k\":\"w\"}}", 200,
                    "\"resourceVersion\":\"5\",\"creationTimestamp\":\"2026-11-15T01:49:24Z\"},"
                    "\"data\":{\"k\":\"w\"}}");
    fake_http *http = ask(*state, CONFIGMAPS "/a", 200);
    assert_body_has(http, "\"data\":{\"k\":\"v\"}");
    fake_http_free(http);
}

static void generation_counts_changes_of_the_spec(void **state)
{
    do_send(*state, "POST", DEPLOYMENTS, deployment, 201);
    assert_sent_has(*state, "PUT", DEPLOYMENTS "/d", deployment, 200, "\"resourceVersion\":\"5\"");
    assert_sent_has_as(*state, "PATCH", DEPLOYMENTS "/d", MERGE_PATCH,
                       "{\"metadata\":{\"generation\":9,\"labels\":{\"l\":\"1\"}},"
                       "\"status\":{\"replicas\":7}}",
                       200, "\"generation\":1,");
    assert_sent_has_as(*state, "PATCH", DEPLOYMENTS "/d", MERGE_PATCH,
                       "{\"spec\":{\"replicas\":2}}", 200, "\"generation\":2,");
    assert_sent_has_as(*state, "PATCH", DEPLOYMENTS "/d", MERGE_PATCH,
                       "{\"metadata\":{\"annotations\":{\"a\":\"1\"}}}", 200, "\"generation\":3,");
}

static void status_is_written_by_itself(void **state)
{
    do_send(*state, "POST", DEPLOYMENTS, deployment, 201);
    fake_http *http =
        send(*state, "PUT", DEPLOYMENTS "/d/status",
             "{\"metadata\":{\"name\":\"d\",\"labels\":{\"no\":\"1\"},\"annotations\":{\"yes\":"
             "\"1\"}},\"spec\":{\"replicas\":9},\"status\":{\"replicas\":3}}",
             200);
    drop_managed_fields(http);
    assert_body_has(http, "\"replicas\":1,\"strategy\"");
    assert_body_has(http, "\"status\":{\"replicas\":3}}");
    assert_body_has(http, "\"generation\":1,");
    assert_body_has(http, "\"annotations\":{\"yes\":\"1\"}}");
    fake_http_free(http);
    assert_sent_has(*state, "PUT", DEPLOYMENTS "/d", deployment, 200,
                    "\"status\":{\"replicas\":3}}");
    assert_sent_has(*state, "PUT", DEPLOYMENTS "/x/status", "{\"metadata\":{\"name\":\"x\"}}", 404,
                    "deployments.apps \\\"x\\\" not found");
}

static void selector_of_a_workload_stays(void **state)
{
    do_send(*state, "POST", DEPLOYMENTS, deployment, 201);
    assert_sent_has_as(*state, "PATCH", DEPLOYMENTS "/d", MERGE_PATCH,
                       "{\"spec\":{\"selector\":{\"matchLabels\":{\"a\":null,\"b\":\"c\"}},"
                       "\"template\":{\"metadata\":{\"labels\":{\"b\":\"c\"}}}}}",
                       422,
                       "spec.selector: Invalid value: {\\\"matchLabels\\\":{\\\"b\\\":\\\"c\\\"}}: "
                       "field is immutable");
}

static void no_new_finalizers_on_what_is_being_deleted(void **state)
{
    do_send(*state, "POST", CONFIGMAPS,
            "{\"metadata\":{\"name\":\"f\",\"finalizers\":[\"ex.io/f\"]}}", 201);
    do_send(*state, "DELETE", CONFIGMAPS "/f", "", 200);
    assert_sent_has(*state, "PUT", CONFIGMAPS "/f",
                    "{\"metadata\":{\"name\":\"f\",\"finalizers\":[\"ex.io/f\",\"ex.io/g\"]}}", 422,
                    "metadata.finalizers: Forbidden: no new finalizers can be added if the object "
                    "is being deleted, found new finalizers []string{\\\"ex.io/g\\\"}");
}

static void last_finalizer_lets_the_object_go(void **state)
{
    api_world *world = *state;
    do_send(world, "POST", CONFIGMAPS,
            "{\"metadata\":{\"name\":\"f\",\"finalizers\":[\"ex.io/f\"]}}", 201);
    do_send(world, "DELETE", CONFIGMAPS "/f", "", 200);
    fake_http *watch = ask(world, CONFIGMAPS "?watch=1&resourceVersion=6", 200);
    assert_sent(world, "PUT", CONFIGMAPS "/f", "{\"metadata\":{\"name\":\"f\"}}", 200,
                "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"f\","
                "\"namespace\":\"default\",\"uid\":\"U\",\"resourceVersion\":\"6\","
                "\"creationTimestamp\":\"2026-11-15T01:49:24Z\","
                "\"deletionTimestamp\":\"2026-11-15T01:49:24Z\",\"deletionGracePeriodSeconds\":0}}"
                "\n");
    api_world_turns(world, 2);
    mask(watch);
    assert_came(watch,
                "{\"type\":\"DELETED\",\"object\":{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\","
                "\"metadata\":{\"name\":\"f\",\"namespace\":\"default\",\"uid\":\"U\","
                "\"resourceVersion\":\"7\",\"creationTimestamp\":\"2026-11-15T01:49:24Z\","
                "\"deletionTimestamp\":\"2026-11-15T01:49:24Z\",\"deletionGracePeriodSeconds\":0,"
                "\"finalizers\":[\"ex.io/f\"]}}}\n");
    fake_http_free(watch);
    fake_http_free(ask(world, CONFIGMAPS "/f", 404));
}

static void finalize_ends_a_terminating_namespace(void **state)
{
    do_send(*state, "POST", "/api/v1/namespaces", "{\"metadata\":{\"name\":\"t\"}}", 201);
    do_send(*state, "POST", "/api/v1/namespaces/t/configmaps",
            "{\"metadata\":{\"name\":\"held\",\"finalizers\":[\"ex.io/f\"]}}", 201);
    assert_sent_has(*state, "PUT", "/api/v1/namespaces/t",
                    "{\"metadata\":{\"name\":\"t\"},\"spec\":{\"finalizers\":[]}}", 200,
                    "\"spec\":{\"finalizers\":[\"kubernetes\"]}");
    do_send(*state, "DELETE", "/api/v1/namespaces/t", "", 200);
    do_send(*state, "PUT", "/api/v1/namespaces/t/finalize",
            "{\"metadata\":{\"name\":\"t\"},\"spec\":{\"finalizers\":[]}}", 200);
    fake_http_free(ask(*state, "/api/v1/namespaces/t", 404));
}

static void what_is_sent_with_a_uid_is_not_made_anew(void **state)
{
    assert_sent_has(*state, "PUT", LEASES "/gone",
                    "{\"metadata\":{\"name\":\"gone\",\"uid\":\"u\"}}", 409,
                    "UID in precondition: u, UID in object meta: \"");
}

static void names_are_compared_before_anything_is_looked_for(void **state)
{
    assert_sent_has(*state, "PUT", DEFAULT "configmaps/none", "{\"metadata\":{}}", 400,
                    "the name of the object (none based on URL) was undeterminable");
}

static void who_deletes_says_so_by_delete(void **state)
{
    do_send(*state, "POST", DEFAULT "configmaps", "{\"metadata\":{\"name\":\"late\"}}", 201);
    assert_sent_has_as(*state, "PATCH", DEFAULT "configmaps/late", MERGE_PATCH,
                       "{\"metadata\":{\"deletionTimestamp\":\"2020-01-01T00:00:00Z\"}}", 422,
                       "metadata.deletionTimestamp: Invalid value: \\\"2020-01-01T00:00:00Z\\\": "
                       "field is immutable");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SEEDED_TEST(object_is_replaced),
        SEEDED_TEST(same_object_again_is_not_written),
        SEEDED_TEST(old_revision_is_a_conflict),
        SEEDED_TEST(one_of_many_with_the_same_revision_wins),
        SEEDED_TEST(unconditional_updates_all_land),
        SEEDED_TEST(uid_is_a_precondition),
        SEEDED_TEST(name_must_be_that_of_the_url),
        SEEDED_TEST(what_is_not_there_cannot_be_replaced),
        SEEDED_TEST(some_kinds_are_made_by_put),
        SEEDED_TEST(some_kinds_want_a_revision),
        SEEDED_TEST(dry_run_changes_nothing),
        SEEDED_TEST(generation_counts_changes_of_the_spec),
        SEEDED_TEST(status_is_written_by_itself),
        SEEDED_TEST(selector_of_a_workload_stays),
        SEEDED_TEST(no_new_finalizers_on_what_is_being_deleted),
        SEEDED_TEST(last_finalizer_lets_the_object_go),
        SEEDED_TEST(finalize_ends_a_terminating_namespace),
        SEEDED_TEST(what_is_sent_with_a_uid_is_not_made_anew),
        SEEDED_TEST(names_are_compared_before_anything_is_looked_for),
        SEEDED_TEST(who_deletes_says_so_by_delete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
