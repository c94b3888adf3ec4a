/* SPDX-License-Identifier: Apache-2.0 */
/* write_scenarios.c -- writes through the API, with every allocation failing in turn.  The reply is
 * correct, or it is 500; the stored object is complete in either case. */
#include <string.h>

#include "api/context/port.h"
#include "api/crd/crds.h"
#include "base/error.h"
#include "base/str.h"
#include "oom/api_scene.h"
#include "oom/oom.h"
#include "support/fake_hooks.h"
#include "support/fake_http.h"

#define BUDGETS "/apis/policy/v1/namespaces/default/poddisruptionbudgets"

static void put_namespace(fake_store *store)
{
    (void)fake_commit(store, "/registry/namespaces/default",
                      "{\"kind\":\"Namespace\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":"
                      "\"default\"},\"status\":{\"phase\":\"Active\"}}",
                      NULL);
}

static lw_status begin(api_scene *s, lw_error *err)
{
    api_scene_init(s);
    s->ops.submit = api_scene_submit;
    put_namespace(&s->store);
    return api_scene_begin(s, err);
}

/* Who writes where webhooks are asked. */
static const lw_user writer = { .name = LW_STR_INIT("ann") };

/* A request, and what its reply must contain. */
typedef struct write_case {
    const char *method, *target, *type, *body;
    int status;
    const char *text;
} write_case;

static lw_status check_reply(const fake_http *http, const write_case *c, lw_error *err)
{
    if (http->is_aborted || http->status == 0 || http->status == 500 || http->headers.st < 0 ||
        http->body.st < 0)
        return lw_error_nomem(err);
    if (http->status != c->status)
        return lw_error_set(err, LW_ERR_INTERNAL, "%s %s: %d: %.*s", c->method, c->target,
                            http->status, LW_STR_ARG(lw_buf_view(&http->body)));
    if (!memmem(http->body.data, http->body.len, c->text, strlen(c->text)))
        return lw_error_set(err, LW_ERR_INTERNAL, "%s %s: %.*s", c->method, c->target,
                            LW_STR_ARG(lw_buf_view(&http->body)));
    return LW_OK;
}

static lw_status send_one(api_scene *s, const write_case *c, lw_error *err)
{
    enum {
        TURNS = 20 /* more than a write takes */
    };
    fake_http_request request = { .method = c->method,
                                  .target = c->target,
                                  .headers = { "content-type", c->type ? c->type : "" },
                                  .body = lw_str_of(c->body) };
    if (!c->type)
        request.headers[0] = NULL;
    fake_http *http = fake_http_new(s->loop, &request);
    if (!http)
        return lw_error_nomem(err);
    (void)lw_api_serve(s->api, &http->stream, s->hooks ? &writer : NULL);
    for (int i = 0; i < TURNS && !http->is_ended && !http->is_aborted; i++)
        (void)lw_loop_turn(s->loop, 0, NULL);
    lw_status st = check_reply(http, c, err);
    fake_http_free(http);
    return st;
}

static lw_status send_all(const write_case *cases, size_t count, lw_error *err)
{
    api_scene s;
    lw_status st = begin(&s, err);
    for (size_t i = 0; i < count && st == LW_OK; i++)
        st = send_one(&s, &cases[i], err);
    api_scene_end(&s);
    return st;
}
#define SEND_ALL(cases, err) send_all((cases), sizeof(cases) / sizeof((cases)[0]), (err))

#define DEFAULT              "/api/v1/namespaces/default/"
#define APPS                 "/apis/apps/v1/namespaces/default/"
#define MERGE                "application/merge-patch+json"
#define STRATEGIC            "application/strategic-merge-patch+json"

static lw_status objects_are_created(lw_error *err)
{
    static const write_case cases[] = {
        { "POST", DEFAULT "pods", NULL,
          "{\"metadata\":{\"generateName\":\"p-\"},\"spec\":{\"containers\":[{\"name\":\"c\","
          "\"image\":\"i\",\"resources\":{\"limits\":{\"cpu\":\"1\"}}}]}}",
          201, "\"qosClass\":\"Burstable\"" },
        { "POST", DEFAULT "secrets", NULL,
          "{\"metadata\":{\"name\":\"s\"},\"data\":{\"b\":\"Yg\\n==\"},\"stringData\":{\"a\":\"x\"}"
          "}",
          201, "\"data\":{\"a\":\"eA==\",\"b\":\"Yg==\"}" },
        { "POST", DEFAULT "services?dryRun=All", NULL,
          "{\"metadata\":{\"name\":\"s\"},\"spec\":{\"ports\":[{\"port\":1}]}}", 201,
          "\"clusterIP\":\"10.96." },
    };
    return SEND_ALL(cases, err);
}

#define RESOURCE "/apis/resource.k8s.io/v1/"

static lw_status devices_are_claimed_and_pods_resized(lw_error *err)
{
    static const write_case cases[] = {
        { "POST", RESOURCE "namespaces/default/resourceclaims", NULL,
          "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"devices\":{\"requests\":[{\"name\":\"gpu\","
          "\"exactly\":{\"deviceClassName\":\"x\"}}]}}}",
          201, "\"allocationMode\":\"ExactCount\",\"count\":1" },
        { "POST", RESOURCE "resourceslices", NULL,
          "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"driver\":\"d.io\",\"pool\":{\"name\":\"p\","
          "\"resourceSliceCount\":1},\"nodeName\":\"n\",\"allNodes\":true,\"devices\":[{\"name\":"
          "\"x\",\"attributes\":{\"k\":{}}},{\"name\":\"x\"}]}}",
          422, "spec.devices[1]: Duplicate value" },
        { "POST", DEFAULT "pods", NULL,
          "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":"
          "\"i\",\"resources\":{\"requests\":{\"cpu\":\"1\"}}}]}}",
          201, "\"qosClass\":\"Burstable\"" },
        { "PATCH", DEFAULT "pods/p/resize", STRATEGIC,
          "{\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":\"2\"}"
          "}}]}}",
          200, "\"requests\":{\"cpu\":\"2\"}" },
        { "PATCH", DEFAULT "pods/p/ephemeralcontainers", STRATEGIC,
          "{\"spec\":{\"ephemeralContainers\":[{\"name\":\"d\",\"image\":\"i\"}]}}", 200,
          "\"ephemeralContainers\":[{" },
    };
    return SEND_ALL(cases, err);
}

static lw_status workloads_are_created_and_scaled(lw_error *err)
{
    static const write_case cases[] = {
        { "POST", APPS "deployments", NULL,
          "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"selector\":{\"matchLabels\":{\"a\":\"b\"}},"
          "\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":{\"containers\":[{"
          "\"name\":\"c\",\"image\":\"i\"}]}}}}",
          201, "\"replicas\":1" },
        { "PATCH", APPS "deployments/d/scale", MERGE, "{\"spec\":{\"replicas\":2}}", 200,
          "\"selector\":\"a=b\"" },
        { "PATCH", APPS "deployments/d/scale?fieldManager=k&force=1",
          "application/apply-patch+yaml",
          "{kind: Scale, apiVersion: autoscaling/v1, metadata: {name: d}, spec: {replicas: 3}}",
          200, "\"replicas\":3" },
        { "PUT", APPS "deployments/d/status", NULL,
          "{\"metadata\":{\"name\":\"d\"},\"status\":{\"replicas\":2}}", 200,
          "\"status\":{\"replicas\":2}" },
    };
    return SEND_ALL(cases, err);
}

static lw_status objects_are_changed_and_deleted(lw_error *err)
{
    static const write_case cases[] = {
        { "POST", DEFAULT "configmaps", NULL,
          "{\"metadata\":{\"name\":\"a\",\"finalizers\":[\"ex.io/f\"]}}", 201, "\"ex.io/f\"" },
        { "PUT", DEFAULT "configmaps/a", NULL,
          "{\"metadata\":{\"name\":\"a\",\"finalizers\":[\"ex.io/f\"]},\"data\":{\"k\":\"v\"}}",
          200, "\"data\":{\"k\":\"v\"}" },
        { "PATCH", DEFAULT "configmaps/a", "application/json-patch+json",
          "[{\"op\":\"add\",\"path\":\"/data/l\",\"value\":\"w\"}]", 200, "\"l\":\"w\"" },
        { "DELETE", DEFAULT "configmaps/a", NULL, "{\"propagationPolicy\":\"Background\"}", 200,
          "\"deletionTimestamp\"" },
        { "PATCH", DEFAULT "configmaps/a", MERGE, "{\"metadata\":{\"finalizers\":null}}", 200,
          "\"deletionTimestamp\"" },
        { "DELETE", DEFAULT "configmaps/a", NULL, "", 404, "not found" },
    };
    return SEND_ALL(cases, err);
}

static lw_status objects_are_patched_strategically(lw_error *err)
{
    static const write_case cases[] = {
        { "POST", DEFAULT "services", NULL,
          "{\"metadata\":{\"name\":\"s\"},\"spec\":{\"ports\":[{\"port\":1,\"name\":\"a\"}]}}", 201,
          "\"clusterIP\":\"10.96." },
        { "PATCH", DEFAULT "services/s", STRATEGIC,
          "{\"spec\":{\"ports\":[{\"port\":1,\"$patch\":\"delete\"},{\"port\":2,\"name\":\"b\"}]}}",
          200, "\"name\":\"b\"" },
        { "PATCH", DEFAULT "services/s", STRATEGIC, "{\"spec\":{\"type\":\"NodePort\"}}", 200,
          "\"nodePort\":3" },
        { "PATCH", DEFAULT "services/s", STRATEGIC, "{\"spec\":{\"$retainKeys\":7}}", 400,
          "invalid patch format of retainKeys" },
        { "PATCH", DEFAULT "services/s", STRATEGIC, "[]", 400, "cannot unmarshal array" },
    };
    return SEND_ALL(cases, err);
}

static lw_status objects_are_applied(lw_error *err)
{
#define APPLY "application/apply-patch+yaml"
#define LAST  "kubectl.kubernetes.io/last-applied-configuration"
    static const write_case cases[] = {
        { "PATCH", DEFAULT "pods/p?fieldManager=k", APPLY,
          "kind: Pod\napiVersion: v1\nmetadata: {name: p, finalizers: [ex.io/f]}\nspec:\n  "
          "containers:\n  - {name: c, image: i, ports: [{containerPort: 80}, {containerPort: 9}]}"
          "\n",
          201, "\"f:ports\":{\"k:{\\\"containerPort\\\":9,\\\"protocol\\\":\\\"TCP\\\"}\"" },
        { "PATCH", DEFAULT "pods/p?fieldManager=k", APPLY,
          "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"p\"},\"spec\":{"
          "\"containers\":[{\"name\":\"c\",\"image\":\"j\",\"ports\":[{\"containerPort\":80},"
          "{\"containerPort\":9}]}]}}",
          200, "\"image\":\"j\"" },
        { "PATCH", DEFAULT "pods/p?fieldManager=o", APPLY,
          "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"p\"},\"spec\":{"
          "\"containers\":[{\"name\":\"c\",\"image\":\"x\"}]}}",
          409, "conflict with \\\"k\\\": .spec.containers[name=\\\"c\\\"].image" },
        { "POST", DEFAULT "configmaps?fieldManager=u", NULL,
          "{\"metadata\":{\"name\":\"a\",\"annotations\":{\"" LAST "\":\"{\\\"apiVersion\\\":"
          "\\\"v1\\\",\\\"data\\\":{\\\"x\\\":\\\"1\\\"}}\"}},\"data\":{\"x\":\"1\"}}",
          201, "\"manager\":\"u\"" },
        { "PATCH", DEFAULT "configmaps/a?fieldManager=kubectl", APPLY,
          "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\"},"
          "\"data\":{\"x\":\"2\"}}",
          200, "\"manager\":\"kubectl\"" },
    };
    return SEND_ALL(cases, err);
}

/* Without a budget: the store of the scene is too small for the status of one. */
static lw_status pods_are_evicted(lw_error *err)
{
    static const write_case cases[] = {
        { "POST", DEFAULT "pods", NULL,
          "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":"
          "\"i\"}]}}",
          201, "\"name\":\"p\"" },
        { "POST", DEFAULT "pods/p/eviction", NULL, "{\"metadata\":{\"name\":\"p\"}}", 201,
          "Success" },
        { "GET", DEFAULT "pods/p", NULL, "", 404, "not found" },
    };
    return send_all(cases, sizeof(cases) / sizeof(cases[0]), err);
}

static lw_status invalid_statuses_are_rejected(lw_error *err)
{
    static const write_case cases[] = {
        { "POST", DEFAULT "pods", NULL,
          "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":"
          "\"i\"}]}}",
          201, "\"name\":\"p\"" },
        { "PUT", DEFAULT "pods/p/status", NULL,
          "{\"metadata\":{\"name\":\"p\"},\"status\":{\"podIPs\":[{\"ip\":\"x\"}],\"podIP\":"
          "\"x\"}}",
          422, "status.podIPs" },
        { "POST", BUDGETS, NULL, "{\"metadata\":{\"name\":\"b\"},\"spec\":{\"minAvailable\":1}}",
          201, "\"minAvailable\":1" },
        { "PATCH", BUDGETS "/b/status", "application/merge-patch+json",
          "{\"metadata\":{\"name\":\"b\"},\"status\":{\"disruptionsAllowed\":-1,"
          "\"currentHealthy\":-1,\"desiredHealthy\":1,\"expectedPods\":1}}",
          422, "status.disruptionsAllowed" },
    };
    return send_all(cases, sizeof(cases) / sizeof(cases[0]), err);
}

static lw_status collections_are_deleted(lw_error *err)
{
    static const write_case cases[] = {
        { "POST", DEFAULT "configmaps", NULL, "{\"metadata\":{\"name\":\"a\"}}", 201, "\"a\"" },
        { "POST", DEFAULT "configmaps", NULL, "{\"metadata\":{\"name\":\"b\"}}", 201, "\"b\"" },
        { "DELETE", DEFAULT "configmaps?labelSelector=!x", NULL, "", 200, "\"name\":\"b\"" },
    };
    return SEND_ALL(cases, err);
}

static lw_status reviews_are_answered(lw_error *err)
{
    static const write_case cases[] = {
        { "POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", NULL,
          "{\"spec\":{\"user\":\"jane\",\"resourceAttributes\":{\"verb\":\"get\"}}}", 201,
          "\"allowed\":false" },
        { "POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", NULL,
          "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"resourceAttributes\":{\"labelSelector\":{"
          "\"requirements\":[{\"key\":\"-\",\"operator\":\"In\"}]}},\"nonResourceAttributes\":{}"
          "}}",
          422, "must be empty" },
        { "POST", "/apis/authentication.k8s.io/v1/tokenreviews", NULL,
          "{\"spec\":{\"token\":\"x\"}}", 201, "invalid bearer token" },
        { "POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", NULL, "{}", 201,
          "\"username\":\"system:anonymous\"" },
    };
    return SEND_ALL(cases, err);
}

static lw_status tokens_are_issued_and_mounted(lw_error *err)
{
    static const write_case cases[] = {
        { "POST", DEFAULT "pods?dryRun=All", NULL,
          "{\"metadata\":{\"name\":\"q\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":"
          "\"i\"}]}"
          "}",
          201, "\"mountPath\":\"/var/run/secrets/kubernetes.io/serviceaccount\"" },
        { "POST", DEFAULT "serviceaccounts/default/token", NULL,
          "{\"spec\":{\"audiences\":[\"a\"],\"boundObjectRef\":{\"kind\":\"Pod\",\"name\":\"p\"}}}",
          201, "\"token\":\"token of default\"" },
        { "POST", DEFAULT "serviceaccounts/default/token", NULL,
          "{\"spec\":{\"expirationSeconds\":1}}", 422, "10 minutes" },
    };
    api_scene s;
    api_scene_init(&s);
    s.ops.submit = api_scene_submit;
    put_namespace(&s.store);
    (void)fake_commit(&s.store, "/registry/serviceaccounts/default/default",
                      "{\"kind\":\"ServiceAccount\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":"
                      "\"default\",\"namespace\":\"default\",\"uid\":\"u\"},"
                      "\"imagePullSecrets\":[{\"name\":\"s\"}]}",
                      NULL);
    (void)fake_commit(&s.store, "/registry/pods/default/p",
                      "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"p\","
                      "\"namespace\":\"default\",\"uid\":\"v\"},\"spec\":{\"nodeName\":\"n\"}}",
                      NULL);
    lw_status st = api_scene_begin(&s, err);
    if (st == LW_OK)
        s.api->admits_accounts = true;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]) && st == LW_OK; i++)
        st = send_one(&s, &cases[i], err);
    api_scene_end(&s);
    return st;
}

static lw_status invalid_objects_are_rejected(lw_error *err)
{
    static const write_case cases[] = {
        { "POST", DEFAULT "configmaps", NULL, "{", 400, "the object provided is unrecognized" },
        { "POST", DEFAULT "configmaps", NULL, "{\"kind\":\"Pod\"}", 400, "unknown conversion" },
        { "POST", DEFAULT "configmaps", NULL, "{\"metadata\":{\"labels\":7}}", 400,
          "cannot unmarshal" },
        { "POST", DEFAULT "configmaps?dryRun=x", NULL, "{}", 422, "Unsupported value" },
        { "POST", DEFAULT "pods", NULL, "{\"metadata\":{\"name\":\"_\",\"labels\":{\"$\":\"$\"}}}",
          422, "spec.containers: Required value" },
        { "POST", APPS "deployments", NULL,
          "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"selector\":{\"matchLabels\":{\"a\":\"b\"}}}}",
          422, "does not match template" },
        { "POST", "/api/v1/namespaces/no/configmaps", NULL, "{}", 404, "namespaces" },
        { "DELETE", "/api/v1/namespaces/default", NULL, "", 403, "may not be deleted" },
        { "DELETE", DEFAULT "configmaps/a", NULL, "{\"gracePeriodSeconds\":{}}", 400, "int64" },
    };
    return SEND_ALL(cases, err);
}

/* If memory runs out for a definition, its objects are unknown. */
static lw_status custom_resources_are_created(lw_error *err)
{
    static const write_case define = {
        "POST",
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
        NULL,
        "{\"metadata\":{\"name\":\"a.b.c\"},\"spec\":{\"group\":\"b.c\",\"scope\":\"Cluster\","
        "\"names\":{\"plural\":\"a\",\"kind\":\"A\"},\"versions\":[{\"name\":\"v1\",\"served\":"
        "true,\"storage\":true,\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\",\"properties\":"
        "{\"n\":{\"type\":\"integer\",\"default\":3},\"l\":{\"type\":\"array\","
        "\"x-kubernetes-list-type\":\"map\",\"x-kubernetes-list-map-keys\":[\"k\"],\"items\":{"
        "\"type\":\"object\",\"properties\":{\"k\":{\"type\":\"integer\"}}}}}}}}]}}",
        201,
        "\"storedVersions\":[\"v1\"]"
    };
    static const write_case make = { "POST", "/apis/b.c/v1/a",
                                     NULL,   "{\"metadata\":{\"name\":\"x\"},\"odd\":1}",
                                     201,    "\"n\":3}" };
    static const write_case apply = {
        "PATCH",
        "/apis/b.c/v1/a/x?fieldManager=k&force=1",
        "application/apply-patch+yaml",
        "{kind: A, apiVersion: b.c/v1, metadata: {name: x}, l: [{k: 1}]}",
        200,
        "\"l\":[{\"k\":1}]"
    };
    static const write_case drop = {
        "DELETE", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/a.b.c",
        NULL,     "",
        200,      "\"Terminating\""
    };
    api_scene s;
    lw_status st = begin(&s, err);
    if (st == LW_OK)
        st = send_one(&s, &define, err);
    if (st == LW_OK) {
        st = send_one(&s, &make, err);
        if (st == LW_ERR_INTERNAL && atomic_load(&s.api->crds->is_stale))
            st = lw_error_nomem(err);
    }
    if (st == LW_OK)
        st = send_one(&s, &apply, err);
    if (st == LW_OK)
        st = send_one(&s, &drop, err);
    api_scene_end(&s);
    return st;
}

static lw_status quotas_and_limit_ranges_are_enforced(lw_error *err)
{
    static const write_case cases[] = {
        { "POST", DEFAULT "limitranges", NULL,
          "{\"metadata\":{\"name\":\"l\"},\"spec\":{\"limits\":[{\"type\":\"Container\",\"max\":{"
          "\"cpu\":\"1\"}}]}}",
          201, "\"defaultRequest\":{\"cpu\":\"1\"}" },
        { "POST", DEFAULT "resourcequotas", NULL,
          "{\"metadata\":{\"name\":\"q\"},\"spec\":{\"hard\":{\"requests.cpu\":\"1\"}}}", 201, "" },
        { "PUT", DEFAULT "resourcequotas/q/status", NULL,
          "{\"metadata\":{\"name\":\"q\"},\"status\":{\"hard\":{\"requests.cpu\":\"1\"},\"used\":{"
          "\"requests.cpu\":\"0\"}}}",
          200, "" },
        { "POST", DEFAULT "pods", NULL,
          "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":"
          "\"i\"}]"
          "}}",
          201, "cpu request for container c" },
        { "POST", DEFAULT "pods", NULL,
          "{\"metadata\":{\"name\":\"o\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":"
          "\"i\"}]"
          "}}",
          403, "exceeded quota: q, requested: requests.cpu=1, used: requests.cpu=1" },
        { "POST", DEFAULT "pods", NULL,
          "{\"metadata\":{\"name\":\"o\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":"
          "\"i\","
          "\"resources\":{\"limits\":{\"cpu\":\"2\"}}}]}}",
          403, "maximum cpu usage per Container is 1, but limit is 2" },
    };
    return SEND_ALL(cases, err);
}

#define ADMISSION "/apis/admissionregistration.k8s.io/v1/"
#define HOOK(kind, url)                                                                            \
    "{\"kind\":\"" kind                                                                            \
    "WebhookConfiguration\",\"apiVersion\":\"admissionregistration.k8s.io/v1\","                   \
    "\"metadata\":{\"name\":\"c\"},\"webhooks\":[{\"name\":\"h.example.com\",\"clientConfig\":{"   \
    "\"url\":\"" url                                                                               \
    "\"},\"rules\":[{\"apiGroups\":[\"\"],\"apiVersions\":[\"v1\"],\"resources\":["                \
    "\"configmaps\",\"pods/"                                                                       \
    "binding\"],\"operations\":[\"*\"]}],\"sideEffects\":\"None\",\"matchConditions\":[{"          \
    "\"name\":\"c\",\"expression\":\"request.operation != 'CONNECT'\"}],"                          \
    "\"admissionReviewVersions\":[\"v1\"],\"timeoutSeconds\":5}]}"

static const char *answer_hook(const char *url, lw_str body)
{
    (void)body;
    return strcmp(url, "https://patch") != 0
               ? "\"allowed\":true"
               : "\"allowed\":true,\"patchType\":\"JSONPatch\",\"patch\":"
                 "\"W3sib3AiOiJhZGQiLCJwYXRoIjoiL21ldGFkYXRhL2xhYmVscyIsInZhbHVlIjp7IngiOiJ5In19XQ="
                 "=\"";
}

static lw_status webhooks_are_called(lw_error *err)
{
    static const write_case cases[] = {
        { "POST", ADMISSION "mutatingwebhookconfigurations", NULL,
          HOOK("Mutating", "https://patch"), 201, "h.example.com" },
        { "POST", ADMISSION "validatingwebhookconfigurations", NULL,
          HOOK("Validating", "https://allow"), 201, "h.example.com" },
        { "POST", DEFAULT "configmaps", NULL, "{\"metadata\":{\"name\":\"a\"}}", 201,
          "\"labels\":{\"x\":\"y\"}" },
        { "PATCH", DEFAULT "configmaps/a", MERGE, "{\"data\":{\"k\":\"v\"}}", 200,
          "\"data\":{\"k\":\"v\"}" },
        { "POST", DEFAULT "pods", NULL,
          "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":"
          "\"i\"}]}}",
          201, "" },
        { "POST", DEFAULT "bindings", NULL,
          "{\"metadata\":{\"name\":\"p\"},\"target\":{\"name\":\"n\"}}", 201, "" },
    };
    fake_hooks fake;
    lw_hooks *hooks = NULL;
    api_scene s;
    fake_hooks_init(&fake, answer_hook);
    if (lw_hooks_new(&hooks, &fake.caller, true, true) < 0)
        return lw_error_nomem(err);
    api_scene_init(&s);
    s.hooks = hooks;
    s.ops.submit = api_scene_submit;
    put_namespace(&s.store);
    lw_status st = api_scene_begin(&s, err);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]) && st == LW_OK; i++)
        st = send_one(&s, &cases[i], err);
    api_scene_end(&s);
    lw_hooks_free(hooks);
    return st;
}

const oom_scenario write_scenarios[] = {
    { "webhooks are called", webhooks_are_called },
    { "objects are created", objects_are_created },
    { "devices are claimed and pods resized", devices_are_claimed_and_pods_resized },
    { "workloads are created and scaled", workloads_are_created_and_scaled },
    { "objects are changed and deleted", objects_are_changed_and_deleted },
    { "objects are patched strategically", objects_are_patched_strategically },
    { "objects are applied", objects_are_applied },
    { "collections are deleted", collections_are_deleted },
    { "reviews are answered", reviews_are_answered },
    { "tokens are issued and mounted", tokens_are_issued_and_mounted },
    { "invalid objects are rejected", invalid_objects_are_rejected },
    { "custom resources are created", custom_resources_are_created },
    { "quotas and limit ranges are enforced", quotas_and_limit_ranges_are_enforced },
    { "pods are evicted", pods_are_evicted },
    { "invalid statuses are rejected", invalid_statuses_are_rejected },
};
const size_t write_scenario_count = sizeof(write_scenarios) / sizeof(write_scenarios[0]);
