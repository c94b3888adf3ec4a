/* SPDX-License-Identifier: Apache-2.0 */
/* dispatch_test.c -- writes wait for their webhooks, and for nothing else. */
#include "api/webhooks/hooks.h"

#include "api/context/port.h"
#include "support/fake_hooks.h"
#include "unit/api/sent.h"

static fake_hooks fake;
static lw_hooks *hooks;
static api_world world;
static const lw_user user = { .name = LW_STR_INIT("ann") };

static const char *answer(const char *url, lw_str body)
{
    (void)body;
    if (strcmp(url, "https://patch") == 0) /* adds data.x */
        return "\"allowed\":true,\"patchType\":\"JSONPatch\",\"patch\":"
               "\"W3sib3AiOiJhZGQiLCJwYXRoIjoiL2RhdGEveCIsInZhbHVlIjoieSJ9XQ==\"";
    if (strcmp(url, "https://deny") == 0)
        return "\"allowed\":false,\"status\":{\"message\":\"no\"}";
    return strcmp(url, "https://hang") == 0 ? NULL : "\"allowed\":true";
}

static int setup(void **state)
{
    fake_hooks_init(&fake, answer);
    assert_int_equal(lw_hooks_new(&hooks, &fake.caller, true, true), LW_OK);
    assert_int_equal(api_world_open_hooked(&world, hooks, NULL), LW_OK);
    api_world_put(&world, "namespaces/default",
                  "{\"kind\":\"Namespace\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":"
                  "\"default\"},\"status\":{\"phase\":\"Active\"}}");
    *state = &world;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    api_world_close(&world);
    lw_hooks_free(hooks);
    return 0;
}

/* Puts a webhook for ConfigMaps into force. */
static void configure(const char *kind, const char *url)
{
    char key[128], json[1024];
    (void)snprintf(key, sizeof(key), "%swebhookconfigurations/c",
                   strcmp(kind, "Mutating") == 0 ? "mutating" : "validating");
    (void)snprintf(json, sizeof(json),
                   "{\"kind\":\"%sWebhookConfiguration\",\"apiVersion\":"
                   "\"admissionregistration.k8s.io/v1\",\"metadata\":{\"name\":\"c\"},\"webhooks\":"
                   "[{\"name\":\"h.example.com\",\"clientConfig\":{\"url\":\"%s\"},\"rules\":[{"
                   "\"apiGroups\":[\"\"],\"apiVersions\":[\"v1\"],\"resources\":[\"configmaps\"],"
                   "\"operations\":[\"*\"]}],\"sideEffects\":\"None\",\"admissionReviewVersions\":["
                   "\"v1\"],\"timeoutSeconds\":5}]}",
                   kind, url);
    assert_true(api_world_put(&world, key, json) > 0);
}

static fake_http *create_as(const lw_user *who, const char *path, const char *name)
{
    char body[256];
    (void)snprintf(body, sizeof(body), "{\"metadata\":{\"name\":\"%s\"},\"data\":{\"k\":\"dg==\"}}",
                   name);
    const fake_http_request request = { .method = "POST", .target = path, .body = lw_str_of(body) };
    fake_http *http = fake_http_new(world.loop, &request);
    assert_true(lw_api_serve(world.api, &http->stream, who));
    return http;
}

static fake_http *create(const char *path, const char *name)
{
    return create_as(&user, path, name);
}

static bool says(const fake_http *http, const char *text)
{
    return memmem(http->body.data, http->body.len, text, strlen(text)) != NULL;
}

static void patches_are_stored(void **state)
{
    (void)state;
    configure("Mutating", "https://patch");
    configure("Validating", "https://allow");
    fake_http *http = create(DEFAULT "configmaps", "a");
    await(&world, http);
    assert_int_equal(http->status, 201);
    assert_true(says(http, "\"data\":{\"k\":\"dg==\",\"x\":\"y\"}"));
    assert_int_equal(fake.started, 2);
    fake_http_free(http);
}

static void refusals_store_nothing(void **state)
{
    (void)state;
    configure("Validating", "https://deny");
    fake_http *http = create(DEFAULT "configmaps", "a");
    await(&world, http);
    assert_int_equal(http->status, 400);
    assert_true(says(http, "admission webhook \\\"h.example.com\\\" denied the request: no"));
    fake_http_free(http);
    http = api_world_get(&world, DEFAULT "configmaps/a", NULL);
    assert_int_equal(http->status, 404);
    fake_http_free(http);
}

static void a_webhook_that_hangs_delays_nobody_else(void **state)
{
    (void)state;
    configure("Validating", "https://hang");
    fake_http *waiting = create(DEFAULT "configmaps", "a");
    fake_http *other = create(DEFAULT "secrets", "s");
    await(&world, other);
    assert_int_equal(other->status, 201);
    assert_false(waiting->is_ended);
    lw_http_stream_closed(&waiting->stream);
    assert_int_equal(fake.cancelled, 1);
    fake_http_free(waiting);
    fake_http_free(other);
}

static void a_server_that_stops_waits_for_no_webhook(void **state)
{
    (void)state;
    configure("Validating", "https://hang");
    fake_http *waiting = create(DEFAULT "configmaps", "a");
    lw_api_unbind(world.api, world.loop);
    world.is_bound = false;
    assert_int_equal(waiting->status, 504);
    assert_int_equal(fake.cancelled, 1);
    fake_http_free(waiting);
}

static void the_server_itself_asks_nobody(void **state)
{
    (void)state;
    configure("Validating", "https://deny");
    fake_http *http = create_as(NULL, DEFAULT "configmaps", "a");
    await(&world, http);
    assert_int_equal(http->status, 201);
    assert_int_equal(fake.started, 0);
    fake_http_free(http);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(patches_are_stored, setup, teardown),
        cmocka_unit_test_setup_teardown(refusals_store_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(a_webhook_that_hangs_delays_nobody_else, setup, teardown),
        cmocka_unit_test_setup_teardown(a_server_that_stops_waits_for_no_webhook, setup, teardown),
        cmocka_unit_test_setup_teardown(the_server_itself_asks_nobody, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
