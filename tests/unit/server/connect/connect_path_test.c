/* SPDX-License-Identifier: Apache-2.0 */
/* connect_path_test.c -- the paths of requests that are passed on. */
#include "server/connect/connect_path.h"

#include "base/alloc.h"
#include "base/str.h"
#include "unit/test.h"

static lw_buf text;

static int set_up(void **state)
{
    (void)state;
    lw_buf_init(&text, 4096);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    lw_buf_done(&text);
    return 0;
}

static lw_connect_path read_path(const char *path)
{
    lw_connect_path found;
    assert_true(lw_connect_path_read(&found, lw_str_of(path), &text));
    return found;
}

static void assert_is(lw_str found, const char *wanted)
{
    lw_buf copy;
    lw_buf_init(&copy, 4096);
    lw_buf_append_str(&copy, found);
    char *shown = lw_buf_take_text(&copy);
    assert_string_equal(shown, wanted);
    lw_free(shown);
    lw_buf_done(&copy);
}

static void subresources_of_pods_are_found(void **state)
{
    (void)state;
    lw_connect_path found = read_path("/api/v1/namespaces/prod/pods/web-0/exec");
    assert_int_equal(found.resource, LW_CONNECT_PODS);
    assert_int_equal(found.action, LW_CONNECT_EXEC);
    assert_is(found.ns, "prod");
    assert_is(found.name, "web-0");
    assert_int_equal(read_path("/api/v1/namespaces/a/pods/b/log").action, LW_CONNECT_LOG);
    assert_int_equal(read_path("/api/v1/namespaces/a/pods/b/attach/").action, LW_CONNECT_ATTACH);
    assert_int_equal(read_path("/api/v1/namespaces/a/pods/b/portforward").action,
                     LW_CONNECT_PORTFORWARD);
}

static void rest_of_a_proxy_is_passed_on_as_it_was_sent(void **state)
{
    (void)state;
    lw_connect_path found = read_path("/api/v1/nodes/n%3A10250/proxy/a//b%2Fc/");
    assert_int_equal(found.resource, LW_CONNECT_NODES);
    assert_is(found.name, "n:10250");
    assert_is(found.rest, "/a//b%2Fc/");
    assert_is(read_path("/api/v1/namespaces/a/services/s/proxy").rest, "");
    assert_is(read_path("/api/v1/namespaces/a/services/s/proxy/").rest, "/");
}

static void other_paths_are_not_ours(void **state)
{
    static const char *const paths[] = {
        "/api/v1/pods/a/log",
        "/api/v1/namespaces/a/nodes/n/proxy/",
        "/api/v1/namespaces/a/pods/b",
        "/api/v1/namespaces/a/pods/b/status",
        "/api/v1/namespaces/a/pods/b/log/more",
        "/api/v1/namespaces/a/services/b/exec",
        "/api/v1/namespaces/a/pods//log",
        "/api/v1/namespaces/a/pods/b%2Fc/log",
        "/api/v1/namespaces/a/pods/b%zz/log",
        "/api/v1/namespaces/%00/pods/b/log",
        "/apis/apps/v1/namespaces/a/pods/b/log",
        "/api/v1/",
    };
    (void)state;
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        lw_connect_path found;
        lw_buf_reset(&text);
        if (lw_connect_path_read(&found, lw_str_of(paths[i]), &text))
            fail_msg("%s is taken for a path that is passed on", paths[i]);
    }
}

static void ids_have_a_scheme_and_a_port(void **state)
{
    lw_connect_id id;
    (void)state;
    assert_true(lw_connect_id_split(&id, LW_STR("web")));
    assert_is(id.name, "web");
    assert_is(id.port, "");
    assert_true(lw_connect_id_split(&id, LW_STR("web:http")));
    assert_is(id.port, "http");
    assert_true(lw_connect_id_split(&id, LW_STR("https:web:")));
    assert_is(id.scheme, "https");
    assert_is(id.name, "web");
    assert_is(id.port, "");
    assert_false(lw_connect_id_split(&id, LW_STR("ftp:web:21")));
    assert_false(lw_connect_id_split(&id, LW_STR("https:web:1:2")));
    assert_false(lw_connect_id_split(&id, LW_STR("https::1")));
    assert_false(lw_connect_id_split(&id, LW_STR(":80")));
    assert_false(lw_connect_id_split(&id, LW_STR("web:80/x")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(subresources_of_pods_are_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(rest_of_a_proxy_is_passed_on_as_it_was_sent, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(other_paths_are_not_ours, set_up, tear_down),
        cmocka_unit_test_setup_teardown(ids_have_a_scheme_and_a_port, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
