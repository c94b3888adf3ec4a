/* SPDX-License-Identifier: Apache-2.0 */
/* quota_test.c -- quotas: what is charged, what is refused and in which words, and what is counted
 * anew. */
#include "unit/api/lived.h"

#define QUOTA         "/api/v1/namespaces/default/resourcequotas/q"
#define PODS          "/api/v1/namespaces/default/pods"
#define DEVICE_CLAIMS "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims"

#define POD(name, resources)                                                                       \
    "{\"metadata\":{\"name\":\"" name "\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":"   \
    "\"i\",\"resources\":{" resources "}}]}}"
#define REQUESTS(cpu) "\"requests\":{\"cpu\":\"" cpu "\"}"

/* Makes a quota called q and waits until it is counted. */
static void make_quota(api_world *world, const char *spec)
{
    char body[2048];
    int64_t deadline = patience_end();
    (void)snprintf(body, sizeof(body), "{\"metadata\":{\"name\":\"q\"},\"spec\":%s}", spec);
    do_send(world, "POST", DEFAULT "resourcequotas", body, 201);
    for (bool is_counted = false; !is_counted;) {
        fake_http *http = api_world_get(world, QUOTA, NULL);
        is_counted = memmem(http->body.data, http->body.len, "\"used\":", 7) != NULL;
        fake_http_free(http);
        live_on(world, deadline);
    }
}

/* Runs the world until the quota shows |used|. */
static void await_used(api_world *world, const char *used)
{
    int64_t deadline = patience_end();
    for (bool is_there = false; !is_there;) {
        fake_http *http = api_world_get(world, QUOTA, NULL);
        is_there = memmem(http->body.data, http->body.len, used, strlen(used)) != NULL;
        fake_http_free(http);
        lw_manual_clock_advance(world->clock, 10 * LW_NS_PER_MS);
        live_on(world, deadline);
    }
}

static void a_create_is_charged_before_the_reply(void **state)
{
    make_quota(*state, "{\"hard\":{\"configmaps\":\"2\"}}");
    do_send(*state, "POST", DEFAULT "configmaps", "{\"metadata\":{\"name\":\"a\"}}", 201);
    assert_shows(*state, QUOTA, "\"used\":{\"configmaps\":\"1\"}", true);
}

static void exceeding_a_quota_is_refused_as_in_kubernetes(void **state)
{
    make_quota(*state, "{\"hard\":{\"configmaps\":\"1\"}}");
    do_send(*state, "POST", DEFAULT "configmaps", "{\"metadata\":{\"name\":\"a\"}}", 201);
    assert_sent(*state, "POST", DEFAULT "configmaps", "{\"metadata\":{\"name\":\"b\"}}", 403,
                FAILURE("configmaps \\\"b\\\" is forbidden: exceeded quota: q, requested: "
                        "configmaps=1, used: configmaps=1, limited: configmaps=1",
                        "\"reason\":\"Forbidden\",\"details\":{\"name\":\"b\",\"kind\":"
                        "\"configmaps\"},\"code\":403"));
    assert_shows(*state, QUOTA, "\"used\":{\"configmaps\":\"1\"}", true);
}

static void a_deletion_reduces_the_usage(void **state)
{
    make_quota(*state, "{\"hard\":{\"configmaps\":\"1\"}}");
    do_send(*state, "POST", DEFAULT "configmaps", "{\"metadata\":{\"name\":\"a\"}}", 201);
    do_send(*state, "DELETE", DEFAULT "configmaps/a", "", 200);
    await_used(*state, "\"used\":{\"configmaps\":\"0\"}");
    do_send(*state, "POST", DEFAULT "configmaps", "{\"metadata\":{\"name\":\"b\"}}", 201);
}

static void existing_objects_count(void **state)
{
    do_send(*state, "POST", PODS, POD("p", REQUESTS("300m")), 201);
    make_quota(*state, "{\"hard\":{\"requests.cpu\":\"1\",\"pods\":\"2\",\"count/pods\":\"5\"}}");
    assert_shows(*state, QUOTA,
                 "\"used\":{\"count/pods\":\"1\",\"pods\":\"1\",\"requests.cpu\":\"300m\"}", true);
}

/* As Kubernetes counts them: the most that can be allocated; of alternatives the largest of each
 * class. */
static void devices_are_counted_by_their_class(void **state)
{
    make_quota(*state, "{\"hard\":{\"count/resourceclaims.resource.k8s.io\":\"2\","
                       "\"gold.deviceclass.resource.k8s.io/devices\":\"6\","
                       "\"iron.deviceclass.resource.k8s.io/devices\":\"40\"}}");
    assert_shows(*state, QUOTA, "\"gold.deviceclass.resource.k8s.io/devices\":\"0\"", true);
    do_send(*state, "POST", DEVICE_CLAIMS,
            "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"devices\":{\"requests\":["
            "{\"name\":\"r\",\"exactly\":{\"deviceClassName\":\"gold\"}},"
            "{\"name\":\"s\",\"exactly\":{\"deviceClassName\":\"iron\","
            "\"allocationMode\":\"All\"}},"
            "{\"name\":\"t\",\"firstAvailable\":["
            "{\"name\":\"x\",\"deviceClassName\":\"gold\",\"count\":2},"
            "{\"name\":\"y\",\"deviceClassName\":\"gold\",\"count\":3},"
            "{\"name\":\"z\",\"deviceClassName\":\"iron\"}]}]}}}",
            201);
    assert_shows(*state, QUOTA,
                 "\"used\":{\"count/resourceclaims.resource.k8s.io\":\"1\","
                 "\"gold.deviceclass.resource.k8s.io/devices\":\"4\","
                 "\"iron.deviceclass.resource.k8s.io/devices\":\"33\"}",
                 true);
    assert_sent_has(*state, "POST", DEVICE_CLAIMS,
                    "{\"metadata\":{\"name\":\"b\"},\"spec\":{\"devices\":{\"requests\":["
                    "{\"name\":\"r\",\"exactly\":{\"deviceClassName\":\"gold\",\"count\":3}}]}}}",
                    403, "used: gold.deviceclass.resource.k8s.io/devices=4, limited: ");
    do_send(*state, "DELETE", DEVICE_CLAIMS "/a", "", 200);
    await_used(*state, "\"gold.deviceclass.resource.k8s.io/devices\":\"0\"");
}

static void a_cpu_quota_requires_requests_of_containers(void **state)
{
    make_quota(*state, "{\"hard\":{\"requests.cpu\":\"1\",\"limits.memory\":\"1Gi\"}}");
    assert_sent_has(*state, "POST", PODS, POD("p", ""), 403,
                    "pods \\\"p\\\" is forbidden: failed quota: q: must specify limits.memory for: "
                    "c; requests.cpu for: c\"");
}

static void quantities_are_added_exactly(void **state)
{
    make_quota(*state, "{\"hard\":{\"requests.cpu\":\"1\",\"requests.x.io/gpu\":\"3\"}}");
    do_send(*state, "POST", PODS,
            POD("a", "\"requests\":{\"cpu\":\"0.7\",\"x.io/gpu\":\"2\"},\"limits\":{\"x.io/gpu\":"
                     "\"2\"}"),
            201);
    assert_shows(*state, QUOTA, "\"used\":{\"requests.cpu\":\"700m\",\"requests.x.io/gpu\":\"2\"}",
                 true);
    assert_sent_has(*state, "POST", PODS, POD("b", REQUESTS("301m")), 403,
                    "exceeded quota: q, requested: requests.cpu=301m, used: requests.cpu=700m, "
                    "limited: requests.cpu=1\"");
    do_send(*state, "POST", PODS, POD("b", REQUESTS("300m")), 201);
}

static void a_pod_that_has_ended_does_not_count(void **state)
{
    make_quota(*state, "{\"hard\":{\"pods\":\"1\",\"count/pods\":\"9\"}}");
    do_send(*state, "POST", PODS, POD("a", ""), 201);
    do_send(*state, "POST", PODS, POD("b", ""), 403);
    do_send_as(*state, "PATCH", PODS "/a/status", MERGE_PATCH,
               "{\"status\":{\"phase\":\"Succeeded\"}}", 200);
    await_used(*state, "\"used\":{\"count/pods\":\"1\",\"pods\":\"0\"}");
    do_send(*state, "POST", PODS, POD("b", ""), 201);
}

static void a_dry_run_is_checked_but_not_charged(void **state)
{
    make_quota(*state, "{\"hard\":{\"configmaps\":\"1\"}}");
    do_send(*state, "POST", DEFAULT "configmaps?dryRun=All", "{\"metadata\":{\"name\":\"a\"}}",
            201);
    assert_shows(*state, QUOTA, "\"used\":{\"configmaps\":\"0\"}", true);
    do_send(*state, "POST", DEFAULT "configmaps", "{\"metadata\":{\"name\":\"a\"}}", 201);
    do_send(*state, "POST", DEFAULT "configmaps?dryRun=All", "{\"metadata\":{\"name\":\"b\"}}",
            403);
}

static void an_update_is_charged_the_difference(void **state)
{
    make_quota(*state, "{\"hard\":{\"services\":\"1\",\"services.nodeports\":\"1\"}}");
    do_send(*state, "POST", DEFAULT "services",
            "{\"metadata\":{\"name\":\"s\"},\"spec\":{\"ports\":[{\"port\":80,\"name\":\"a\"}]}}",
            201);
    assert_shows(*state, QUOTA, "\"used\":{\"services\":\"1\",\"services.nodeports\":\"0\"}", true);
    do_send_as(*state, "PATCH", DEFAULT "services/s", MERGE_PATCH,
               "{\"spec\":{\"type\":\"NodePort\"}}", 200);
    assert_shows(*state, QUOTA, "\"used\":{\"services\":\"1\",\"services.nodeports\":\"1\"}", true);
    assert_sent_has_as(*state, "PATCH", DEFAULT "services/s", MERGE_PATCH,
                       "{\"spec\":{\"ports\":[{\"port\":80,\"name\":\"a\"},{\"port\":81,\"name\":"
                       "\"b\"}]}}",
                       403, "requested: services.nodeports=1, used: services.nodeports=1");
}

static void storage_counts_for_its_class_too(void **state)
{
    make_quota(*state, "{\"hard\":{\"requests.storage\":\"5Gi\","
                       "\"gold.storageclass.storage.k8s.io/requests.storage\":\"3Gi\","
                       "\"gold.storageclass.storage.k8s.io/persistentvolumeclaims\":\"2\"}}");
    do_send(*state, "POST", DEFAULT "persistentvolumeclaims",
            "{\"metadata\":{\"name\":\"c\"},\"spec\":{\"storageClassName\":\"gold\",\"accessModes\""
            ":[\"ReadWriteOnce\"],\"resources\":{\"requests\":{\"storage\":\"2Gi\"}}}}",
            201);
    assert_shows(*state, QUOTA,
                 "\"used\":{\"gold.storageclass.storage.k8s.io/persistentvolumeclaims\":\"1\","
                 "\"gold.storageclass.storage.k8s.io/requests.storage\":\"2Gi\","
                 "\"requests.storage\":\"2Gi\"}",
                 true);
    assert_sent_has(
        *state, "POST", DEFAULT "persistentvolumeclaims",
        "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"storageClassName\":\"gold\",\"accessModes\""
        ":[\"ReadWriteOnce\"],\"resources\":{\"requests\":{\"storage\":\"2Gi\"}}}}",
        403, "used: gold.storageclass.storage.k8s.io/requests.storage=2Gi, limited: ");
}

static void scopes_select_pods(void **state)
{
    make_quota(*state, "{\"hard\":{\"pods\":\"1\"},\"scopes\":[\"NotBestEffort\"],"
                       "\"scopeSelector\":{\"matchExpressions\":[{\"scopeName\":\"PriorityClass\","
                       "\"operator\":\"NotIn\",\"values\":[\"high\"]}]}}");
    do_send(*state, "POST", PODS, POD("idle", ""), 201);
    assert_shows(*state, QUOTA, "\"used\":{\"pods\":\"0\"}", true);
    do_send(*state, "POST", PODS, POD("busy", REQUESTS("1")), 201);
    assert_shows(*state, QUOTA, "\"used\":{\"pods\":\"1\"}", true);
    do_send(*state, "POST", PODS, POD("more", REQUESTS("1")), 403);
    do_send(*state, "POST", PODS, POD("idle2", ""), 201);
}

static void a_pod_that_leaves_the_scope_no_longer_counts(void **state)
{
    make_quota(*state, "{\"hard\":{\"pods\":\"1\"},\"scopes\":[\"NotTerminating\"]}");
    do_send(*state, "POST", PODS, POD("a", ""), 201);
    assert_shows(*state, QUOTA, "\"used\":{\"pods\":\"1\"}", true);
    do_send_as(*state, "PATCH", PODS "/a", MERGE_PATCH,
               "{\"spec\":{\"activeDeadlineSeconds\":3600}}", 200);
    await_used(*state, "\"used\":{\"pods\":\"0\"}");
}

static void an_update_can_reduce_the_usage(void **state)
{
    make_quota(*state, "{\"hard\":{\"services.nodeports\":\"1\"}}");
    do_send(
        *state, "POST", DEFAULT "services",
        "{\"metadata\":{\"name\":\"s\"},\"spec\":{\"type\":\"NodePort\",\"ports\":[{\"port\":80}]"
        "}}",
        201);
    do_send_as(*state, "PATCH", DEFAULT "services/s", MERGE_PATCH,
               "{\"spec\":{\"type\":\"ClusterIP\",\"externalTrafficPolicy\":null}}", 200);
    await_used(*state, "\"used\":{\"services.nodeports\":\"0\"}");
}

static void a_changed_limit_causes_a_recount(void **state)
{
    do_send(*state, "POST", DEFAULT "secrets", "{\"metadata\":{\"name\":\"s\"}}", 201);
    make_quota(*state, "{\"hard\":{\"configmaps\":\"1\"}}");
    do_send_as(*state, "PATCH", QUOTA, MERGE_PATCH,
               "{\"spec\":{\"hard\":{\"configmaps\":null,\"secrets\":\"4\"}}}", 200);
    await_used(*state, "\"status\":{\"hard\":{\"secrets\":\"4\"},\"used\":{\"secrets\":\"1\"}}");
}

static void a_charge_without_an_object_is_corrected(void **state)
{
    make_quota(*state, "{\"hard\":{\"configmaps\":\"5\"}}");
    fake_http *one =
        send_off(*state, "POST", DEFAULT "configmaps", NULL, "{\"metadata\":{\"name\":\"a\"}}");
    fake_http *other =
        send_off(*state, "POST", DEFAULT "configmaps", NULL, "{\"metadata\":{\"name\":\"a\"}}");
    await(*state, one);
    await(*state, other);
    assert_int_equal(one->status + other->status, 201 + 409);
    fake_http_free(one);
    fake_http_free(other);
    await_used(*state, "\"used\":{\"configmaps\":\"1\"}");
}

static void concurrent_creates_never_exceed_a_quota(void **state)
{
    enum {
        CLIENTS = 40,
        ROOM = 13
    };
    fake_http *asked[CLIENTS];
    char body[128];
    int made = 0;
    make_quota(*state, "{\"hard\":{\"configmaps\":\"13\"}}");
    for (int i = 0; i < CLIENTS; i++) {
        (void)snprintf(body, sizeof(body), "{\"metadata\":{\"name\":\"c%d\"}}", i);
        asked[i] = send_off(*state, "POST", DEFAULT "configmaps", NULL, body);
    }
    for (int i = 0; i < CLIENTS; i++) {
        await(*state, asked[i]);
        made += asked[i]->status == 201;
        assert_true(asked[i]->status == 201 || asked[i]->status == 403);
        fake_http_free(asked[i]);
    }
    assert_int_equal(made, ROOM);
    assert_shows(*state, QUOTA, "\"used\":{\"configmaps\":\"13\"}", true);
}

static void quotas_of_unknown_resources_are_refused(void **state)
{
    assert_sent_has(*state, "POST", DEFAULT "resourcequotas",
                    "{\"metadata\":{\"name\":\"q\"},\"spec\":{\"hard\":{\"apples\":\"1\"}}}", 422,
                    "spec.hard[apples]: Invalid value: \\\"apples\\\": must be a standard resource "
                    "for quota");
    assert_sent_has(*state, "POST", DEFAULT "resourcequotas",
                    "{\"metadata\":{\"name\":\"q\"},\"spec\":{\"hard\":{\"pods\":\"1.5\"}}}", 422,
                    "must be an integer");
    assert_sent_has(*state, "POST", DEFAULT "resourcequotas",
                    "{\"metadata\":{\"name\":\"q\"},\"spec\":{\"hard\":{\"services\":\"1\"},"
                    "\"scopes\":[\"BestEffort\"]}}",
                    422, "unsupported scope applied to resource");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LIVED_TEST(a_create_is_charged_before_the_reply),
        LIVED_TEST(exceeding_a_quota_is_refused_as_in_kubernetes),
        LIVED_TEST(a_deletion_reduces_the_usage),
        LIVED_TEST(existing_objects_count),
        LIVED_TEST(devices_are_counted_by_their_class),
        LIVED_TEST(a_cpu_quota_requires_requests_of_containers),
        LIVED_TEST(quantities_are_added_exactly),
        LIVED_TEST(a_pod_that_has_ended_does_not_count),
        LIVED_TEST(a_dry_run_is_checked_but_not_charged),
        LIVED_TEST(an_update_is_charged_the_difference),
        LIVED_TEST(storage_counts_for_its_class_too),
        LIVED_TEST(scopes_select_pods),
        LIVED_TEST(a_pod_that_leaves_the_scope_no_longer_counts),
        LIVED_TEST(an_update_can_reduce_the_usage),
        LIVED_TEST(a_changed_limit_causes_a_recount),
        LIVED_TEST(a_charge_without_an_object_is_corrected),
        LIVED_TEST(concurrent_creates_never_exceed_a_quota),
        LIVED_TEST(quotas_of_unknown_resources_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
