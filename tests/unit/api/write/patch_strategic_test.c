/* SPDX-License-Identifier: Apache-2.0 */
/* patch_strategic_test.c -- PATCH with strategic merge patches: what they change, and what is
 * answered to bad ones. */
#include "unit/api/sent.h"

#define STRATEGIC   "application/strategic-merge-patch+json"
#define DEPLOYMENTS "/apis/apps/v1/namespaces/default/deployments"
#define WEB         DEPLOYMENTS "/web"
#define NO_REASON   "\"code\":500"

static int with_deployment(void **state)
{
    if (seeded_setup(state) < 0)
        return -1;
    fake_http *http = send_off(
        *state, "POST", DEPLOYMENTS, NULL,
        "{\"metadata\":{\"name\":\"web\"},\"spec\":{\"replicas\":1,\"selector\":{\"matchLabels\":{"
        "\"a\":\"b\"}},\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":{"
        "\"containers\":[{\"name\":\"c\",\"image\":\"i\"},{\"name\":\"side\",\"image\":\"s\"}]}}}"
        "}");
    await(*state, http);
    int status = http->status;
    fake_http_free(http);
    return status == 201 ? 0 : -1;
}

#define WEB_TEST(function)                                                                         \
    cmocka_unit_test_setup_teardown(function, with_deployment, world_teardown)

#define CONTAINERS(list) "{\"spec\":{\"template\":{\"spec\":{\"containers\":" list "}}}}"

static void containers_are_merged_by_name(void **state)
{
    fake_http *http = send_as(*state, "PATCH", WEB, STRATEGIC,
                              CONTAINERS("[{\"name\":\"c\",\"image\":\"j\"}]"), 200);
    assert_body_has(http, "\"containers\":[{\"name\":\"c\",\"image\":\"j\"");
    assert_body_has(http, "{\"name\":\"side\",\"image\":\"s\"");
    assert_body_has(http, "\"generation\":2");
    fake_http_free(http);
}

static void elements_are_deleted_by_their_key(void **state)
{
    fake_http *http = send_as(*state, "PATCH", WEB, STRATEGIC,
                              CONTAINERS("[{\"name\":\"side\",\"$patch\":\"delete\"}]"), 200);
    assert_null(memmem(http->body.data, http->body.len, "side", 4));
    assert_null(memmem(http->body.data, http->body.len, "$patch", 6));
    fake_http_free(http);
}

static void patch_that_changes_nothing_is_not_written(void **state)
{
    fake_http *http = send_as(*state, "PATCH", WEB, STRATEGIC, "{}", 200);
    assert_body_has(http, "\"resourceVersion\":\"5\"");
    fake_http_free(http);
    assert_sent_has_as(*state, "PATCH", WEB, STRATEGIC,
                       CONTAINERS("[{\"name\":\"side\",\"image\":\"s\"}]"), 200,
                       "\"resourceVersion\":\"5\"");
}

static void revision_is_a_condition(void **state)
{
    do_send_as(*state, "PATCH", WEB, STRATEGIC,
               "{\"metadata\":{\"resourceVersion\":\"5\",\"labels\":{\"x\":\"1\"}}}", 200);
    assert_sent_has_as(*state, "PATCH", WEB, STRATEGIC,
                       "{\"metadata\":{\"resourceVersion\":\"5\",\"labels\":{\"x\":\"2\"}}}", 409,
                       "the object has been modified; please apply your changes");
}

static void status_is_patched_by_itself(void **state)
{
    static const char body[] =
        "{\"spec\":{\"replicas\":7},\"status\":{\"replicas\":3,\"conditions\":[{\"type\":\"%s\","
        "\"status\":\"True\"}]}}";
    char first[256], second[256];
    (void)snprintf(first, sizeof(first), body, "Available");
    (void)snprintf(second, sizeof(second), body, "Progressing");
    do_send_as(*state, "PATCH", WEB "/status", STRATEGIC, first, 200);
    fake_http *http = send_as(*state, "PATCH", WEB "/status", STRATEGIC, second, 200);
    assert_body_has(http, "\"type\":\"Available\"");
    assert_body_has(http, "\"type\":\"Progressing\"");
    assert_body_has(http, "\"spec\":{\"replicas\":1,");
    fake_http_free(http);
}

static void scale_is_patched(void **state)
{
    assert_sent_has_as(*state, "PATCH", WEB "/scale", STRATEGIC, "{\"spec\":{\"replicas\":4}}", 200,
                       "\"kind\":\"Scale\"");
    fake_http *http = ask(*state, WEB, 200);
    assert_body_has(http, "\"spec\":{\"replicas\":4,");
    fake_http_free(http);
}

static void dry_run_changes_nothing(void **state)
{
    assert_sent_has_as(*state, "PATCH", WEB "?dryRun=All", STRATEGIC,
                       CONTAINERS("[{\"name\":\"c\",\"image\":\"j\"}]"), 200, "\"image\":\"j\"");
    fake_http *http = ask(*state, WEB, 200);
    assert_null(memmem(http->body.data, http->body.len, "\"j\"", 3));
    fake_http_free(http);
}

static void elements_without_their_key_are_the_servers_fault(void **state)
{
    assert_sent_as(*state, "PATCH", WEB, STRATEGIC, CONTAINERS("[{\"image\":\"j\"}]"), 500,
                   FAILURE("map: map[image:j] does not contain declared merge key: name",
                           NO_REASON));
}

static void malformed_directives_are_the_clients_fault(void **state)
{
    assert_sent_as(*state, "PATCH", WEB, STRATEGIC, "{\"spec\":{\"$retainKeys\":1}}", 400,
                   FAILURE("invalid patch format of retainKeys",
                           "\"reason\":\"BadRequest\",\"code\":400"));
}

static void lists_of_this_and_that_cannot_be_merged(void **state)
{
    assert_sent_has_as(*state, "PATCH", WEB, STRATEGIC, CONTAINERS("[[1]]"), 500,
                       "list element types are not identical: ");
}

static void bodies_that_are_no_map_are_refused(void **state)
{
    assert_sent_as(*state, "PATCH", WEB, STRATEGIC, "[]", 400,
                   FAILURE("json: cannot unmarshal array into Go value of type "
                           "map[string]interface {}",
                           "\"reason\":\"BadRequest\",\"code\":400"));
    assert_sent_has_as(*state, "PATCH", WEB, STRATEGIC, "null", 200, "\"resourceVersion\":\"5\"");
    assert_sent_has_as(*state, "PATCH", WEB, STRATEGIC, "{", 400, "\"error decoding patch: ");
}

static void patches_that_make_much_work_are_refused(void **state)
{
    lw_buf patch;
    lw_buf_init(&patch, 4 << 20);
    lw_buf_append_text(&patch, "{\"spec\":{\"template\":{\"spec\":{\"containers\":[");
    for (int i = 0; i < 4000; i++)
        lw_buf_printf(&patch, "%s{\"name\":\"n\",\"env\":[{\"name\":\"v%d\",\"value\":\"\"}]}",
                      i ? "," : "", i);
    lw_buf_append_text(&patch, "]}}}}");
    lw_buf_append_char(&patch, '\0');
    assert_sent_as(*state, "PATCH", WEB, STRATEGIC, patch.data, 413,
                   FAILURE("Request entity too large: the patch visits more than 1000000 list "
                           "elements: split it into smaller patches",
                           "\"reason\":\"RequestEntityTooLarge\",\"code\":413"));
    lw_buf_done(&patch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WEB_TEST(containers_are_merged_by_name),
        WEB_TEST(elements_are_deleted_by_their_key),
        WEB_TEST(patch_that_changes_nothing_is_not_written),
        WEB_TEST(revision_is_a_condition),
        WEB_TEST(status_is_patched_by_itself),
        WEB_TEST(scale_is_patched),
        WEB_TEST(dry_run_changes_nothing),
        WEB_TEST(elements_without_their_key_are_the_servers_fault),
        WEB_TEST(malformed_directives_are_the_clients_fault),
        WEB_TEST(lists_of_this_and_that_cannot_be_merged),
        WEB_TEST(bodies_that_are_no_map_are_refused),
        WEB_TEST(patches_that_make_much_work_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
