/* SPDX-License-Identifier: Apache-2.0 */
/* apply_test.c -- server-side apply and managedFields, as clients see them. */
#include "unit/api/sent.h"

#define APPLY      "application/apply-patch+yaml"
#define CONFIGMAPS DEFAULT "configmaps"
#define A          CONFIGMAPS "/a?fieldManager="

/* A ConfigMap with |data|, as JSON; YAML reads it too. */
#define CONFIG(data)                                                                               \
    "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\"},\"data\":{" data  \
    "}}"

/* The object as it stands now has, or has not, this in it. */
static void assert_stored_at(api_world *world, const char *target, const char *part, bool has,
                             const char *file, int line)
{
    fake_http *http = ask(world, target, 200);
    lw_buf_append_char(&http->body, '\0');
    if (!strstr(http->body.data, part) == has) {
        print_error("%s%s in %s\n", has ? "no " : "", part, http->body.data);
        _fail(file, line);
    }
    fake_http_free(http);
}
#define assert_stored(world, target, part)                                                         \
    assert_stored_at((world), (target), (part), true, __FILE__, __LINE__)
#define assert_not_stored(world, target, part)                                                     \
    assert_stored_at((world), (target), (part), false, __FILE__, __LINE__)

static void create_says_who_set_what(void **state)
{
    fake_http *http =
        send(*state, "POST", CONFIGMAPS "?fieldManager=probe", CONFIG("\"k\":\"v\""), 201);
    assert_body_has(http, "\"creationTimestamp\":\"2026-11-15T01:49:24Z\",\"managedFields\":["
                          "{\"manager\":\"probe\",\"operation\":\"Update\",\"apiVersion\":\"v1\","
                          "\"time\":\"2026-11-15T01:49:24Z\",\"fieldsType\":\"FieldsV1\","
                          "\"fieldsV1\":{\"f:data\":{\".\":{},\"f:k\":{}}}}]},\"data\"");
    fake_http_free(http);
}

static void manager_is_the_user_agent_up_to_the_slash(void **state)
{
    fake_http_request request = { .method = "POST",
                                  .target = CONFIGMAPS,
                                  .headers = { "user-agent", "kubectl-x/v1.20 (linux)" },
                                  .body = lw_str_of(CONFIG("\"k\":\"v\"")) };
    fake_http *http = api_world_ask(*state, &request);
    await(*state, http);
    assert_body_has(http, "\"manager\":\"kubectl-x\",");
    fake_http_free(http);
}

static void apply_makes_changes_and_removes(void **state)
{
    api_world *world = *state;
    do_send_as(world, "PATCH", A "k", APPLY,
               "kind: ConfigMap\napiVersion: v1\nmetadata:\n  name: a\ndata:\n  x: '1'\n  z: '2'\n",
               201);
    assert_stored(world, CONFIGMAPS "/a",
                  "\"managedFields\":[{\"manager\":\"k\",\"operation\":\"Apply\",\"apiVersion\":"
                  "\"v1\",\"time\":\"2026-11-15T01:49:24Z\",\"fieldsType\":\"FieldsV1\","
                  "\"fieldsV1\":{\"f:data\":{\"f:x\":{},\"f:z\":{}}}}]},"
                  "\"data\":{\"x\":\"1\",\"z\":\"2\"}}");
    do_send_as(world, "PATCH", A "k", APPLY, CONFIG("\"x\":\"3\""), 200);
    assert_stored(world, CONFIGMAPS "/a", "\"data\":{\"x\":\"3\"}}");
}

static void what_another_has_is_a_conflict(void **state)
{
    api_world *world = *state;
    do_send(world, "POST", CONFIGMAPS "?fieldManager=kubectl", CONFIG("\"x\":\"1\",\"y\":\"1\""),
            201);
    assert_sent_as(world, "PATCH", A "me", APPLY, CONFIG("\"x\":\"2\""), 409,
                   FAILURE("Apply failed with 1 conflict: conflict with \\\"kubectl\\\" using v1: "
                           ".data.x",
                           "\"reason\":\"Conflict\",\"details\":{\"causes\":[{\"reason\":"
                           "\"FieldManagerConflict\",\"message\":\"conflict with \\\"kubectl\\\" "
                           "using v1\",\"field\":\".data.x\"}]},\"code\":409"));
    assert_sent_has_as(world, "PATCH", A "me", APPLY, CONFIG("\"x\":\"2\",\"y\":\"2\""), 409,
                       "\"message\":\"Apply failed with 2 conflicts: conflicts with "
                       "\\\"kubectl\\\" using v1:\\n- .data.x\\n- .data.y\"");
    do_send_as(world, "PATCH", A "me&force=true", APPLY, CONFIG("\"x\":\"2\""), 200);
    assert_stored(world, CONFIGMAPS "/a", "\"data\":{\"x\":\"2\",\"y\":\"1\"}}");
    assert_stored(world, CONFIGMAPS "/a", "{\"f:data\":{\".\":{},\"f:y\":{}}}");
}

static void nothing_new_is_no_event(void **state)
{
    api_world *world = *state;
    do_send_as(world, "PATCH", A "k", APPLY, CONFIG("\"x\":\"1\""), 201);
    api_world_pass(world, 5 * LW_NS_PER_S);
    fake_http *watch = ask(world, CONFIGMAPS "?watch=1&resourceVersion=5", 200);
    assert_sent_has_as(world, "PATCH", A "k", APPLY, CONFIG("\"x\":\"1\""), 200,
                       "\"resourceVersion\":\"5\"");
    do_send_as(world, "PATCH", CONFIGMAPS "/a", MERGE_PATCH, "{\"data\":{\"x\":\"1\"}}", 200);
    api_world_turns(world, 2);
    assert_int_equal(watch->body.len, 0);
    fake_http_free(watch);
}

static void dry_run_stores_nothing(void **state)
{
    assert_sent_has_as(*state, "PATCH", A "k&dryRun=All", APPLY, CONFIG("\"x\":\"1\""), 201,
                       "\"data\":{\"x\":\"1\"}");
    fake_http_free(ask(*state, CONFIGMAPS "/a", 404));
}

static void what_cannot_be_applied_is_refused(void **state)
{
    api_world *world = *state;
    assert_sent_as(world, "PATCH", CONFIGMAPS "/a", APPLY, CONFIG(""), 422,
                   FAILURE("PatchOptions.meta.k8s.io \\\"\\\" is invalid: fieldManager: Required "
                           "value: is required for apply patch",
                           "\"reason\":\"Invalid\",\"details\":{\"group\":\"meta.k8s.io\",\"kind\":"
                           "\"PatchOptions\",\"causes\":[{\"reason\":\"FieldValueRequired\","
                           "\"message\":\"Required value: is required for apply patch\",\"field\":"
                           "\"fieldManager\"}]},\"code\":422"));
    assert_sent_has_as(world, "PATCH", A "k", APPLY,
                       "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"dtaa\":{}}", 500,
                       "\"message\":\"failed to create typed patch object (/a; /v1, "
                       "Kind=ConfigMap): .dtaa: field not declared in schema\"");
    do_send_as(world, "PATCH", A "k", APPLY, "{\"data\":{}}", 400);
    do_send_as(world, "PATCH", A "k", APPLY, "a: [", 400);
    do_send_as(world, "PATCH", A "k", APPLY, "{\"kind\":\"Pod\",\"apiVersion\":\"v1\"}", 400);
    assert_sent_has_as(world, "PATCH", A "k", APPLY,
                       "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\","
                       "\"managedFields\":[]}}",
                       400, "metadata.managedFields must be nil");
    assert_sent_has_as(
        world, "PATCH", A "k", APPLY,
        "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"b\"}}", 400,
        "does not match the name on the URL");
    do_send_as(world, "PATCH", DEFAULT "pods/p/status?fieldManager=k", APPLY,
               "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"p\"}}", 404);
    do_send_as(world, "PATCH", A "k", APPLY, CONFIG("\"x\":\"1\""), 201);
    assert_sent_has_as(world, "PATCH", A "k", APPLY,
                       "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\","
                       "\"resourceVersion\":\"1\"},\"data\":{\"x\":\"2\"}}",
                       409, "the object has been modified");
}

static void values_of_the_wrong_type_are_refused_when_an_apply_creates(void **state)
{
    assert_sent_has_as(*state, "PATCH", DEFAULT "secrets/s?fieldManager=k", APPLY,
                       "{\"kind\":\"Secret\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"s\"},"
                       "\"data\":{\"k\":\"hunter2\"}}",
                       400, "illegal base64 data at input byte 4");
}

static void subresources_have_entries_of_their_own(void **state)
{
    api_world *world = *state;
#define DEPLOYMENTS "/apis/apps/v1/namespaces/default/deployments"
    do_send(world, "POST", DEPLOYMENTS "?fieldManager=k",
            "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"selector\":{\"matchLabels\":{\"a\":\"b\"}},"
            "\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":{\"containers\":[{"
            "\"name\":\"c\",\"image\":\"i\"}]}}}}",
            201);
    do_send_as(world, "PATCH", DEPLOYMENTS "/d/status?fieldManager=controller", MERGE_PATCH,
               "{\"status\":{\"replicas\":1}}", 200);
    assert_stored(world, DEPLOYMENTS "/d",
                  "{\"manager\":\"controller\",\"operation\":\"Update\",\"apiVersion\":\"apps/v1\","
                  "\"time\":\"2026-11-15T01:49:24Z\",\"fieldsType\":\"FieldsV1\",\"fieldsV1\":{"
                  "\"f:status\":{\"f:replicas\":{}}},\"subresource\":\"status\"}");
    do_send_as(world, "PATCH", DEPLOYMENTS "/d/scale?fieldManager=hpa", MERGE_PATCH,
               "{\"spec\":{\"replicas\":4}}", 200);
    assert_stored(world, DEPLOYMENTS "/d",
                  "\"fieldsV1\":{\"f:spec\":{\"f:replicas\":{}}},\"subresource\":\"scale\"}");
}

static void a_field_changed_again_has_a_new_time(void **state)
{
    api_world *world = *state;
#define ENTRY(who, second, fields)                                                                 \
    "{\"manager\":\"" who "\",\"operation\":\"Update\",\"apiVersion\":\"v1\",\"time\":"            \
    "\"2026-11-15T01:49:" second                                                                   \
    "Z\",\"fieldsType\":\"FieldsV1\",\"fieldsV1\":{\"f:data\":{" fields "}}}"
    do_send(world, "POST", CONFIGMAPS "?fieldManager=b", CONFIG("\"x\":\"1\""), 201);
    do_send_as(world, "PATCH", A "a", MERGE_PATCH, "{\"data\":{\"y\":\"1\"}}", 200);
    api_world_pass(world, LW_NS_PER_S);
    do_send_as(world, "PATCH", A "a", MERGE_PATCH, "{\"data\":{\"y\":\"2\"}}", 200);
    assert_stored(world, CONFIGMAPS "/a",
                  "\"managedFields\":[" ENTRY("b", "24",
                                              "\".\":{},\"f:x\":{}") "," ENTRY("a", "25",
                                                                               "\"f:y\":{}") "]");
    /* What is sent back as it was read is no different. */
    api_world_pass(world, LW_NS_PER_S);
    do_send_as(world, "PATCH", A "b", MERGE_PATCH, "{\"data\":{\"x\":\"2\"}}", 200);
    assert_stored(world, CONFIGMAPS "/a",
                  "\"managedFields\":[" ENTRY("a", "25", "\"f:y\":{}") "," ENTRY(
                      "b", "26", "\".\":{},\"f:x\":{}") "]},\"data\":{\"x\":\"2\"");
    /* What another has changed is taken from it. */
    do_send_as(world, "PATCH", A "a", MERGE_PATCH, "{\"data\":{\"x\":\"3\"}}", 200);
    assert_stored(world, CONFIGMAPS "/a",
                  ENTRY("a", "26", "\"f:x\":{},\"f:y\":{}") "," ENTRY("b", "26", ""));
    /* What is gone is nobody's. */
    do_send_as(world, "PATCH", A "b", MERGE_PATCH, "{\"data\":{\"x\":null}}", 200);
    assert_stored(world, CONFIGMAPS "/a", ENTRY("a", "26", "\"f:y\":{}") "," ENTRY("b", "26", ""));
}

static void sent_managed_fields_count_only_when_they_say_something(void **state)
{
    api_world *world = *state;
    do_send(world, "POST", CONFIGMAPS "?fieldManager=k", CONFIG("\"x\":\"1\""), 201);
    do_send(world, "PUT", CONFIGMAPS "/a?fieldManager=k", CONFIG("\"x\":\"2\""), 200);
    assert_stored(world, CONFIGMAPS "/a", "{\"f:data\":{\".\":{},\"f:x\":{}}}");
    do_send_as(world, "PATCH", CONFIGMAPS "/a?fieldManager=k", MERGE_PATCH,
               "{\"metadata\":{\"managedFields\":[{}]}}", 200);
    assert_not_stored(world, CONFIGMAPS "/a", "managedFields");
    /* What nobody notes any more is noted again by the first apply. */
    do_send(world, "PUT", CONFIGMAPS "/a?fieldManager=k", CONFIG("\"x\":\"3\""), 200);
    assert_not_stored(world, CONFIGMAPS "/a", "managedFields");
    do_send_as(world, "PATCH", A "s", APPLY, CONFIG("\"y\":\"1\""), 200);
    assert_stored(world, CONFIGMAPS "/a", "\"manager\":\"before-first-apply\"");
}

static void kubectl_takes_over_what_it_applied_from_the_client(void **state)
{
    api_world *world = *state;
#define LAST "kubectl.kubernetes.io/last-applied-configuration"
    do_send(world, "POST", CONFIGMAPS "?fieldManager=kubectl-client-side-apply",
            "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\","
            "\"annotations\":{\"" LAST "\":\"{\\\"apiVersion\\\":\\\"v1\\\",\\\"data\\\":{"
            "\\\"x\\\":\\\"1\\\"},\\\"kind\\\":\\\"ConfigMap\\\"}\"}},\"data\":{\"x\":\"1\","
            "\"y\":\"1\"}}",
            201);
    do_send_as(world, "PATCH", A "kubectl", APPLY, CONFIG("\"y\":\"2\""), 409);
    do_send_as(world, "PATCH", A "kubectl", APPLY, CONFIG("\"x\":\"2\""), 200);
    assert_stored(world, CONFIGMAPS "/a", "\\\"data\\\":{\\\"x\\\":\\\"2\\\"}");
}

static void keys_that_are_there_twice_are_refused_where_that_is_wanted(void **state)
{
    static const char yaml[] =
        "kind: ConfigMap\napiVersion: v1\nmetadata:\n  name: a\ndata:\n  x: '1'\n  x: '2'\n";
    api_world *world = *state;
    assert_sent_has_as(world, "PATCH", A "k&fieldValidation=Strict", APPLY, yaml, 400,
                       "error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal "
                       "errors:\\n  line 7: key \\\"x\\\" already set in map\"");
    do_send_as(world, "PATCH", A "k&fieldValidation=Warn", APPLY, yaml, 201);
    assert_stored(world, CONFIGMAPS "/a", "\"x\":\"2\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SEEDED_TEST(create_says_who_set_what),
        SEEDED_TEST(manager_is_the_user_agent_up_to_the_slash),
        SEEDED_TEST(apply_makes_changes_and_removes),
        SEEDED_TEST(what_another_has_is_a_conflict),
        SEEDED_TEST(nothing_new_is_no_event),
        SEEDED_TEST(dry_run_stores_nothing),
        SEEDED_TEST(what_cannot_be_applied_is_refused),
        SEEDED_TEST(values_of_the_wrong_type_are_refused_when_an_apply_creates),
        SEEDED_TEST(keys_that_are_there_twice_are_refused_where_that_is_wanted),
        SEEDED_TEST(subresources_have_entries_of_their_own),
        SEEDED_TEST(a_field_changed_again_has_a_new_time),
        SEEDED_TEST(sent_managed_fields_count_only_when_they_say_something),
        SEEDED_TEST(kubectl_takes_over_what_it_applied_from_the_client),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
