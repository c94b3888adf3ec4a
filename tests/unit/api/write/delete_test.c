/* SPDX-License-Identifier: Apache-2.0 */
/* delete_test.c -- DELETE of one object: grace, finalizers, preconditions. */
#include "base/clock.h"
#include "unit/api/sent.h"

#define CONFIGMAPS DEFAULT "configmaps"
#define PODS       DEFAULT "pods"

static void make_config(api_world *world, const char *metadata)
{
    char body[512];
    (void)snprintf(body, sizeof(body), "{\"metadata\":{\"name\":\"a\"%s}}", metadata);
    do_send(world, "POST", CONFIGMAPS, body, 201);
}

static void make_pod(api_world *world, const char *spec)
{
    char body[512];
    (void)snprintf(body, sizeof(body),
                   "{\"metadata\":{\"name\":\"p\"},\"spec\":{%s\"containers\":[{\"name\":\"c\","
                   "\"image\":\"i\"}]}}",
                   spec);
    do_send(world, "POST", PODS, body, 201);
}

static void object_goes_and_success_is_told(void **state)
{
    make_config(*state, "");
    assert_sent(*state, "DELETE", CONFIGMAPS "/a",
                "{\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\",\"propagationPolicy\":"
                "\"Background\"}",
                200,
                "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Success\","
                "\"details\":{\"name\":\"a\",\"kind\":\"configmaps\",\"uid\":\"U\"}}\n");
    assert_sent(*state, "DELETE", CONFIGMAPS "/a", "", 404,
                FAILURE("configmaps \\\"a\\\" not found",
                        "\"reason\":\"NotFound\",\"details\":{\"name\":\"a\","
                        "\"kind\":\"configmaps\"},\"code\":404"));
}

static void some_kinds_show_what_is_gone(void **state)
{
    do_send(*state, "POST", DEFAULT "serviceaccounts", "{\"metadata\":{\"name\":\"s\"}}", 201);
    assert_sent(*state, "DELETE", DEFAULT "serviceaccounts/s", "", 200,
                "{\"kind\":\"ServiceAccount\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"s\","
                "\"namespace\":\"default\",\"uid\":\"U\",\"resourceVersion\":\"6\","
                "\"creationTimestamp\":\"2026-11-15T01:49:24Z\"}}\n");
}

static void finalizers_hold_it(void **state)
{
    make_config(*state, ",\"finalizers\":[\"ex.io/f\"]");
    const char *held =
        "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\","
        "\"namespace\":\"default\",\"uid\":\"U\",\"resourceVersion\":\"6\","
        "\"creationTimestamp\":\"2026-11-15T01:49:24Z\","
        "\"deletionTimestamp\":\"2026-11-15T01:49:24Z\",\"deletionGracePeriodSeconds\":0,"
        "\"finalizers\":[\"ex.io/f\"]}}\n";
    assert_sent(*state, "DELETE", CONFIGMAPS "/a", "", 200, held);
    api_world_pass(*state, 5 * LW_NS_PER_S);
    assert_sent(*state, "DELETE", CONFIGMAPS "/a", "", 200, held);
}

static void deletion_counts_as_a_generation(void **state)
{
    do_send(
        *state, "POST", "/apis/networking.k8s.io/v1/namespaces/default/ingresses",
        "{\"metadata\":{\"name\":\"i\",\"finalizers\":[\"ex.io/f\"]},\"spec\":{\"rules\":[{}]}}",
        201);
    assert_sent_has(*state, "DELETE", "/apis/networking.k8s.io/v1/namespaces/default/ingresses/i",
                    "", 200, "\"generation\":2,");
}

static void accepted_is_said_to_who_asks_for_it(void **state)
{
    make_config(*state, ",\"finalizers\":[\"ex.io/f\"]");
    do_send(*state, "DELETE", CONFIGMAPS "/a", "{\"orphanDependents\":false}", 202);
}

static void policy_becomes_a_finalizer_for_the_collector(void **state)
{
    make_config(*state, ",\"finalizers\":[\"orphan\"]");
    assert_sent_has(*state, "DELETE", CONFIGMAPS "/a", "{\"propagationPolicy\":\"Foreground\"}",
                    200, "\"finalizers\":[\"foregroundDeletion\"]}");
    assert_sent_has(*state, "DELETE", CONFIGMAPS "/a?propagationPolicy=Orphan", "", 200,
                    "\"finalizers\":[\"orphan\"]}");
    assert_sent_has(*state, "DELETE", CONFIGMAPS "/a", "", 200, "\"finalizers\":[\"orphan\"]}");
    assert_sent_has(*state, "DELETE", CONFIGMAPS "/a", "{\"orphanDependents\":false}", 200,
                    "\"status\":\"Success\"");
    make_config(*state, "");
    assert_sent_has(*state, "DELETE", CONFIGMAPS "/a", "{\"orphanDependents\":true}", 200,
                    "\"finalizers\":[\"orphan\"]}");
}

static void some_kinds_leave_their_dependents_when_nobody_says(void **state)
{
    static const char controller[] =
        "{\"metadata\":{\"name\":\"r\"},\"spec\":{\"selector\":{\"a\":\"b\"},\"template\":{"
        "\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":{\"containers\":[{\"name\":\"c\","
        "\"image\":\"i\"}]}}}}";
    do_send(*state, "POST", DEFAULT "replicationcontrollers", controller, 201);
    assert_sent_has(*state, "DELETE", DEFAULT "replicationcontrollers/r", "", 200,
                    "\"finalizers\":[\"orphan\"]}");
    assert_sent_has(*state, "DELETE",
                    DEFAULT "replicationcontrollers/r?propagationPolicy=Background", "", 200,
                    "\"status\":\"Success\"");
}

static void nothing_depends_on_an_event(void **state)
{
    do_send(*state, "POST", DEFAULT "events",
            "{\"metadata\":{\"name\":\"e\"},\"involvedObject\":{\"namespace\":\"default\"}}", 201);
    assert_sent_has(*state, "DELETE", DEFAULT "events/e?propagationPolicy=Foreground", "", 200,
                    "\"status\":\"Success\"");
}

static void preconditions_must_hold(void **state)
{
    make_config(*state, "");
    fake_http *http =
        send(*state, "DELETE", CONFIGMAPS "/a", "{\"preconditions\":{\"uid\":\"x\"}}", 409);
    assert_body_has(http, "Operation cannot be fulfilled on ConfigMap \\\"a\\\": the UID in the "
                          "precondition (x) does not match the UID in record (");
    assert_body_has(http, "). The object might have been deleted and then recreated\",\"reason\":"
                          "\"Conflict\",\"details\":{\"name\":\"a\",\"kind\":\"ConfigMap\"},"
                          "\"code\":409}");
    fake_http_free(http);
    assert_sent_has(*state, "DELETE", CONFIGMAPS "/a?resourceVersion=4", "", 409,
                    "the ResourceVersion in the precondition (4) does not match the "
                    "ResourceVersion in record (5). The object might have been modified");
    do_send(*state, "DELETE", CONFIGMAPS "/a", "{\"preconditions\":{\"resourceVersion\":\"5\"}}",
            200);
}

static void options_are_checked(void **state)
{
    make_config(*state, "");
    assert_sent(*state, "DELETE", CONFIGMAPS "/a",
                "{\"propagationPolicy\":\"Orphan\",\"orphanDependents\":true}", 422,
                FAILURE("DeleteOptions.meta.k8s.io \\\"\\\" is invalid: propagationPolicy: Invalid "
                        "value: \\\"Orphan\\\": orphanDependents and deletionPropagation cannot be "
                        "both set",
                        "\"reason\":\"Invalid\",\"details\":{\"group\":\"meta.k8s.io\",\"kind\":"
                        "\"DeleteOptions\",\"causes\":[{\"reason\":\"FieldValueInvalid\","
                        "\"message\":\"Invalid value: \\\"Orphan\\\": orphanDependents and "
                        "deletionPropagation cannot be both set\",\"field\":\"propagationPolicy\"}"
                        "]},\"code\":422"));
    assert_sent_has(*state, "DELETE", CONFIGMAPS "/a?propagationPolicy=Quick", "", 422,
                    "Unsupported value: \\\"Quick\\\": supported values: \\\"Foreground\\\", "
                    "\\\"Background\\\", \\\"Orphan\\\", \\\"nil\\\"");
    assert_sent_has(*state, "DELETE", CONFIGMAPS "/a?gracePeriodSeconds=x", "", 400,
                    "strconv.ParseInt: parsing \\\"x\\\": invalid syntax");
    assert_sent_has(*state, "DELETE", CONFIGMAPS "/a", "{\"gracePeriodSeconds\":\"x\"}", 400,
                    "DeleteOptions.gracePeriodSeconds of type int64");
    assert_sent_has(*state, "DELETE", CONFIGMAPS "/a", "{\"kind\":\"Pod\"}", 400,
                    "Pod in version \\\"v1\\\" cannot be handled as a DeleteOptions");
    do_send(*state, "DELETE", CONFIGMAPS "/a", "{\"dryRun\":[\"Some\"]}", 422);
    fake_http_free(ask(*state, CONFIGMAPS "/a", 200));
}

static void dry_run_deletes_nothing(void **state)
{
    make_config(*state, "");
    assert_sent_has(*state, "DELETE", CONFIGMAPS "/a", "{\"dryRun\":[\"All\"]}", 200,
                    "\"status\":\"Success\"");
    do_send(*state, "DELETE", CONFIGMAPS "/a?dryRun=All", "", 200);
    fake_http_free(ask(*state, CONFIGMAPS "/a", 200));
}

static void pod_without_a_node_goes_at_once(void **state)
{
    make_pod(*state, "");
    fake_http *watch = ask(*state, PODS "?watch=1&resourceVersion=5", 200);
    assert_sent_has(*state, "DELETE", PODS "/p?resourceVersion=5", "", 200,
                    "\"resourceVersion\":\"7\",\"generation\":2,\"creationTimestamp\":"
                    "\"2026-11-15T01:49:24Z\",\"deletionTimestamp\":\"2026-11-15T01:49:24Z\","
                    "\"deletionGracePeriodSeconds\":0}");
    fake_http_free(ask(*state, PODS "/p", 404));
    /* Watchers see that it is deleted before they see it gone. */
    api_world_turns(*state, 3);
    assert_body_has(watch, "{\"type\":\"MODIFIED\"");
    assert_body_has(watch, "{\"type\":\"DELETED\"");
    assert_body_has(watch, "\"resourceVersion\":\"6\",\"generation\":2");
    fake_http_free(watch);
}

static void jobs_warn_of_the_pods_they_leave(void **state)
{
    static const char *const job = "/apis/batch/v1/namespaces/default/jobs/j";
    fake_http *http = send(*state, "DELETE", job, "", 404);
    assert_header(http, "warning",
                  "299 - \"child pods are preserved by default when jobs are deleted; set "
                  "propagationPolicy=Background to remove them or set propagationPolicy=Orphan to "
                  "suppress this warning\"");
    fake_http_free(http);
}

static void pod_on_a_node_gets_its_grace(void **state)
{
    make_pod(*state, "\"nodeName\":\"n\",");
    assert_sent_has(*state, "DELETE", PODS "/p", "", 200,
                    "\"deletionTimestamp\":\"2026-11-15T01:49:54Z\","
                    "\"deletionGracePeriodSeconds\":30}");
    /* Once more changes nothing, and longer is not to be had. */
    assert_sent_has(*state, "DELETE", PODS "/p", "", 200, "\"resourceVersion\":\"6\"");
    assert_sent_has(*state, "DELETE", PODS "/p?gracePeriodSeconds=40", "", 200,
                    "\"resourceVersion\":\"6\"");
    assert_sent_has(*state, "DELETE", PODS "/p?gracePeriodSeconds=10", "", 200,
                    "\"generation\":2,\"creationTimestamp\":\"2026-11-15T01:49:24Z\","
                    "\"deletionTimestamp\":\"2026-11-15T01:49:34Z\","
                    "\"deletionGracePeriodSeconds\":10}");
    do_send(*state, "DELETE", PODS "/p?gracePeriodSeconds=0", "", 200);
    fake_http_free(ask(*state, PODS "/p", 404));
}

static void grace_is_as_asked_for(void **state)
{
    make_pod(*state, "\"nodeName\":\"n\",");
    assert_sent_has(*state, "DELETE", PODS "/p", "{\"gracePeriodSeconds\":-5}", 200,
                    "\"deletionGracePeriodSeconds\":1}");
}

static void endless_grace_has_an_end(void **state)
{
    make_pod(*state, "\"nodeName\":\"n\",\"terminationGracePeriodSeconds\":9223372036854775807,");
    assert_sent_has(*state, "DELETE", PODS "/p", "", 200,
                    "\"deletionTimestamp\":\"2094-12-03T05:03:31Z\"");
    assert_sent_has(*state, "DELETE", PODS "/p", "{\"gracePeriodSeconds\":1}", 200,
                    "\"deletionTimestamp\":\"2026-11-15T01:49:25Z\"");
}

static void finished_pod_goes_at_once(void **state)
{
    make_pod(*state, "\"nodeName\":\"n\",");
    do_send_as(*state, "PATCH", PODS "/p/status", MERGE_PATCH,
               "{\"status\":{\"phase\":\"Succeeded\"}}", 200);
    do_send(*state, "DELETE", PODS "/p", "", 200);
    fake_http_free(ask(*state, PODS "/p", 404));
}

static void protected_namespaces_stay(void **state)
{
    static const char *const names[] = { "default", "kube-system", "kube-public" };
    for (size_t i = 0; i < 3; i++) {
        char target[64];
        (void)snprintf(target, sizeof(target), "/api/v1/namespaces/%s", names[i]);
        assert_sent_has(
            *state, "DELETE", target, "", 403,
            "is forbidden: this namespace may not be deleted\",\"reason\":\"Forbidden\"");
        fake_http_free(ask(*state, target, 200));
    }
}

static void deletes_in_missing_namespaces_are_allowed(void **state)
{
    api_world_put_config(*state, "gone", "a", NULL, NULL);
    do_send(*state, "DELETE", "/api/v1/namespaces/gone/configmaps/a", "", 200);
}

static void watches_see_the_last_content(void **state)
{
    api_world *world = *state;
    make_config(world, "");
    fake_http *watch = ask(world, CONFIGMAPS "?watch=1&resourceVersion=5", 200);
    do_send(world, "DELETE", CONFIGMAPS "/a", "", 200);
    api_world_turns(world, 2);
    mask(watch);
    assert_came(watch,
                "{\"type\":\"DELETED\",\"object\":{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\","
                "\"metadata\":{\"name\":\"a\",\"namespace\":\"default\",\"uid\":\"U\","
                "\"resourceVersion\":\"6\",\"creationTimestamp\":\"2026-11-15T01:49:24Z\"}}}\n");
    fake_http_free(watch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SEEDED_TEST(object_goes_and_success_is_told),
        SEEDED_TEST(some_kinds_show_what_is_gone),
        SEEDED_TEST(finalizers_hold_it),
        SEEDED_TEST(deletion_counts_as_a_generation),
        SEEDED_TEST(accepted_is_said_to_who_asks_for_it),
        SEEDED_TEST(policy_becomes_a_finalizer_for_the_collector),
        SEEDED_TEST(some_kinds_leave_their_dependents_when_nobody_says),
        SEEDED_TEST(nothing_depends_on_an_event),
        SEEDED_TEST(preconditions_must_hold),
        SEEDED_TEST(options_are_checked),
        SEEDED_TEST(dry_run_deletes_nothing),
        SEEDED_TEST(pod_without_a_node_goes_at_once),
        SEEDED_TEST(jobs_warn_of_the_pods_they_leave),
        SEEDED_TEST(pod_on_a_node_gets_its_grace),
        SEEDED_TEST(grace_is_as_asked_for),
        SEEDED_TEST(endless_grace_has_an_end),
        SEEDED_TEST(finished_pod_goes_at_once),
        SEEDED_TEST(protected_namespaces_stay),
        SEEDED_TEST(deletes_in_missing_namespaces_are_allowed),
        SEEDED_TEST(watches_see_the_last_content),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
