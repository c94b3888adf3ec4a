/* SPDX-License-Identifier: Apache-2.0 */
/* patch_test.c -- PATCH: merge patches and JSON patches, alone and a thousand at once. */
#include "unit/api/sent.h"

#define CONFIGMAPS DEFAULT "configmaps"
#define REJECTED                                                                                   \
    FAILURE("the server rejected our request due to an error in our request",                      \
            "\"reason\":\"Invalid\",\"details\":{},\"code\":422")

static int with_config(void **state)
{
    if (seeded_setup(state) < 0)
        return -1;
    fake_http *http = send_off(*state, "POST", CONFIGMAPS, NULL,
                               "{\"metadata\":{\"name\":\"a\"},\"data\":{\"k\":\"v\"}}");
    await(*state, http);
    fake_http_free(http);
    return 0;
}

#define CONFIG_TEST(function) cmocka_unit_test_setup_teardown(function, with_config, world_teardown)

static void merge_patch_changes_what_it_names(void **state)
{
    assert_sent_as(*state, "PATCH", CONFIGMAPS "/a", MERGE_PATCH,
                   "{\"metadata\":{\"labels\":{\"x\":\"1\"}},\"data\":{\"l\":\"w\",\"k\":null}}",
                   200,
                   "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\","
                   "\"namespace\":\"default\",\"uid\":\"U\",\"resourceVersion\":\"6\","
                   "\"creationTimestamp\":\"2026-11-15T01:49:24Z\",\"labels\":{\"x\":\"1\"}},"
                   "\"data\":{\"l\":\"w\"}}\n");
}

static void json_patch_changes_what_it_names(void **state)
{
    assert_sent_has_as(*state, "PATCH", CONFIGMAPS "/a", JSON_PATCH,
                       "[{\"op\":\"test\",\"path\":\"/data/k\",\"value\":\"v\"},"
                       "{\"op\":\"replace\",\"path\":\"/data/k\",\"value\":\"w\"}]",
                       200, "\"data\":{\"k\":\"w\"}}");
}

static void patch_that_changes_nothing_is_not_written(void **state)
{
    assert_sent_has_as(*state, "PATCH", CONFIGMAPS "/a", MERGE_PATCH, "{}", 200,
                       "\"resourceVersion\":\"5\"");
    assert_sent_has_as(*state, "PATCH", CONFIGMAPS "/a", MERGE_PATCH, "{\"data\":{\"k\":\"v\"}}",
                       200, "\"resourceVersion\":\"5\"");
}

/* The data that the client sends is the stored one, and yet changes. */
static void defaults_that_change_what_was_sent_back_are_written(void **state)
{
    assert_sent_has_as(*state, "POST", DEFAULT "secrets", NULL,
                       "{\"metadata\":{\"name\":\"s\"},\"data\":{\"k\":\"dg==\"}}", 201,
                       "\"data\":{\"k\":\"dg==\"}");
    assert_sent_has_as(*state, "PATCH", DEFAULT "secrets/s", MERGE_PATCH,
                       "{\"stringData\":{\"plain\":\"text\"}}", 200,
                       "\"data\":{\"k\":\"dg==\",\"plain\":\"dGV4dA==\"}");
}

static void failed_test_is_told(void **state)
{
    assert_sent_as(*state, "PATCH", CONFIGMAPS "/a", JSON_PATCH,
                   "[{\"op\":\"test\",\"path\":\"/data/k\",\"value\":\"x\"}]", 422, REJECTED);
}

static void missing_path_is_told(void **state)
{
    assert_sent_as(*state, "PATCH", CONFIGMAPS "/a", JSON_PATCH,
                   "[{\"op\":\"remove\",\"path\":\"/data/none\"}]", 422, REJECTED);
}

static void malformed_patches_are_refused(void **state)
{
    assert_sent_has_as(*state, "PATCH", CONFIGMAPS "/a", JSON_PATCH, "{\"op\":\"add\"}", 400,
                       "\"reason\":\"BadRequest\"");
    assert_sent_has_as(*state, "PATCH", CONFIGMAPS "/a", JSON_PATCH, "[{\"op\":\"fly\"}]", 422,
                       "\"reason\":\"Invalid\"");
    assert_sent_has_as(*state, "PATCH", CONFIGMAPS "/a", MERGE_PATCH, "{\"a\"", 400,
                       "\"error decoding patch: ");
    assert_sent_has_as(*state, "PATCH", CONFIGMAPS "/a", MERGE_PATCH, "[]", 400,
                       "\"Invalid JSON Patch\"");
}

static void too_many_operations_are_refused(void **state)
{
    lw_buf patch;
    lw_buf_init(&patch, 1 << 20);
    lw_buf_append_char(&patch, '[');
    for (int i = 0; i < 10001; i++)
        lw_buf_append_text(&patch, i ? ",{\"op\":\"test\",\"path\":\"/data/k\",\"value\":\"v\"}"
                                     : "{\"op\":\"test\",\"path\":\"/data/k\",\"value\":\"v\"}");
    lw_buf_append_text(&patch, "]");
    lw_buf_append_char(&patch, '\0');
    assert_sent_as(*state, "PATCH", CONFIGMAPS "/a", JSON_PATCH, patch.data, 413,
                   FAILURE("Request entity too large: The allowed maximum operations in a JSON "
                           "patch is 10000, got 10001",
                           "\"reason\":\"RequestEntityTooLarge\",\"code\":413"));
    lw_buf_done(&patch);
}

static void kinds_of_patches_that_are_not_known_are_refused(void **state)
{
    assert_sent_as(*state, "PATCH", CONFIGMAPS "/a", "application/json", "{}", 415,
                   FAILURE("415: Unsupported Media Type",
                           "\"reason\":\"UnsupportedMediaType\",\"details\":{},\"code\":415"));
}

static void what_is_not_there_cannot_be_patched(void **state)
{
    assert_sent_has_as(*state, "PATCH", CONFIGMAPS "/b", MERGE_PATCH, "{}", 404,
                       "configmaps \\\"b\\\" not found");
}

static void identity_cannot_be_patched(void **state)
{
    assert_sent_has_as(*state, "PATCH", CONFIGMAPS "/a", MERGE_PATCH,
                       "{\"metadata\":{\"name\":\"b\"}}", 400,
                       "the name of the object (b) does not match the name on the URL (a)");
    assert_sent_has_as(*state, "PATCH", CONFIGMAPS "/a", MERGE_PATCH,
                       "{\"metadata\":{\"uid\":\"x\"}}", 422,
                       "metadata.uid: Invalid value: \\\"x\\\": field is immutable");
    assert_sent_has_as(*state, "PATCH", CONFIGMAPS "/a", MERGE_PATCH,
                       "{\"metadata\":{\"namespace\":\"b\"}}", 400,
                       "the namespace of the provided object does not match");
    assert_sent_has_as(*state, "PATCH", CONFIGMAPS "/a", MERGE_PATCH, "{\"kind\":\"Pod\"}", 422,
                       "kind \\\"Pod\\\" of version \\\"v1\\\"");
    assert_sent_has_as(*state, "PATCH", CONFIGMAPS "/a", MERGE_PATCH,
                       "{\"metadata\":{\"deletionTimestamp\":\"2020-01-01T00:00:00Z\"}}", 422,
                       "metadata.deletionTimestamp: Invalid value: \\\"2020-01-01T00:00:00Z\\\": "
                       "field is immutable");
    assert_sent_has_as(*state, "PATCH", CONFIGMAPS "/a", MERGE_PATCH,
                       "{\"metadata\":{\"creationTimestamp\":null}}", 200,
                       "\"resourceVersion\":\"5\"");
}

static void patch_to_a_wrong_type_is_refused(void **state)
{
    assert_sent_has_as(*state, "PATCH", CONFIGMAPS "/a", MERGE_PATCH, "{\"data\":{\"k\":1}}", 422,
                       "patch: Invalid value: \\\"\\\": json: cannot unmarshal number into Go "
                       "struct field ConfigMap.data of type string");
    assert_sent_has_as(*state, "PATCH", CONFIGMAPS "/a", MERGE_PATCH,
                       "{\"binaryData\":{\"k\":\"hunter2\"}}", 422,
                       "illegal base64 data at input byte 4");
    assert_sent_as(*state, "PATCH", CONFIGMAPS "/a", JSON_PATCH,
                   "[{\"op\":\"replace\",\"path\":\"\",\"value\":7}]", 422, REJECTED);
}

static void patch_with_a_revision_is_a_condition(void **state)
{
    do_send_as(*state, "PATCH", CONFIGMAPS "/a", MERGE_PATCH,
               "{\"metadata\":{\"resourceVersion\":\"5\"},\"data\":{\"k\":\"w\"}}", 200);
    assert_sent_has_as(*state, "PATCH", CONFIGMAPS "/a", MERGE_PATCH,
                       "{\"metadata\":{\"resourceVersion\":\"5\"},\"data\":{\"k\":\"x\"}}", 409,
                       "the object has been modified; please apply your changes");
}

static void options_are_checked(void **state)
{
    assert_sent_has_as(*state, "PATCH", CONFIGMAPS "/a?force=true", MERGE_PATCH, "{}", 422,
                       "PatchOptions.meta.k8s.io \\\"\\\" is invalid: force: Forbidden: may not be "
                       "specified for non-apply patch");
    assert_sent_has_as(*state, "PATCH", CONFIGMAPS "/a?dryRun=All", MERGE_PATCH,
                       "{\"data\":{\"k\":\"w\"}}", 200, "\"data\":{\"k\":\"w\"}}");
    fake_http *http = ask(*state, CONFIGMAPS "/a", 200);
    assert_body_has(http, "\"data\":{\"k\":\"v\"}}");
    fake_http_free(http);
}

static void a_thousand_patches_at_once_all_land(void **state)
{
    enum {
        CALLS = 1000
    };
    api_world *world = *state;
    fake_http *calls[CALLS];
    for (int i = 0; i < CALLS; i++) {
        char body[64];
        (void)snprintf(body, sizeof(body), "{\"data\":{\"k%d\":\"%d\"}}", i, i);
        calls[i] = send_off(world, "PATCH", CONFIGMAPS "/a", MERGE_PATCH, body);
    }
    for (int i = 0; i < CALLS; i++) {
        await(world, calls[i]);
        assert_int_equal(calls[i]->status, 200);
        fake_http_free(calls[i]);
    }
    fake_http *http = ask(world, CONFIGMAPS "/a", 200);
    for (int i = 0; i < CALLS; i++) {
        char part[64];
        (void)snprintf(part, sizeof(part), "\"k%d\":\"%d\"", i, i);
        assert_body_has(http, part);
    }
    assert_body_has(http, "\"resourceVersion\":\"1005\"");
    fake_http_free(http);
}

static void status_is_patched_by_itself(void **state)
{
    do_send(
        *state, "POST", DEFAULT "pods",
        "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}"
        "]}}",
        201);
    fake_http *http =
        send_as(*state, "PATCH", DEFAULT "pods/p/status", MERGE_PATCH,
                "{\"spec\":{\"nodeName\":\"n\"},\"status\":{\"phase\":\"Running\"}}", 200);
    assert_body_has(http, "\"status\":{\"phase\":\"Running\",\"qosClass\":\"BestEffort\"}}");
    assert_null(memmem(http->body.data, http->body.len, "nodeName", 8));
    fake_http_free(http);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CONFIG_TEST(merge_patch_changes_what_it_names),
        CONFIG_TEST(json_patch_changes_what_it_names),
        CONFIG_TEST(patch_that_changes_nothing_is_not_written),
        CONFIG_TEST(defaults_that_change_what_was_sent_back_are_written),
        CONFIG_TEST(failed_test_is_told),
        CONFIG_TEST(missing_path_is_told),
        CONFIG_TEST(malformed_patches_are_refused),
        CONFIG_TEST(too_many_operations_are_refused),
        CONFIG_TEST(kinds_of_patches_that_are_not_known_are_refused),
        CONFIG_TEST(what_is_not_there_cannot_be_patched),
        CONFIG_TEST(identity_cannot_be_patched),
        CONFIG_TEST(patch_to_a_wrong_type_is_refused),
        CONFIG_TEST(patch_with_a_revision_is_a_condition),
        CONFIG_TEST(options_are_checked),
        CONFIG_TEST(a_thousand_patches_at_once_all_land),
        CONFIG_TEST(status_is_patched_by_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
