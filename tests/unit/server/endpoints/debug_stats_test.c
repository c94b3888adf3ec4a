/* SPDX-License-Identifier: Apache-2.0 */
/* debug_stats_test.c -- /debug/listwatch tells of the store, the resources, the watches of every
 * loop, how fast they were served, and the informers that report. */
#include <listwatch/server.h>

#include "base/str.h"
#include "unit/server/plain_client.h"
#include "json/tree.h"

enum {
    TEXT_SIZE = 512 * 1024,
    WATCHES = 6,
};

static const char maps[] = "/api/v1/namespaces/default/configmaps";
static char text[TEXT_SIZE]; /* the last reply */

static lw_server *started(void)
{
    lw_server_options options = LW_SERVER_OPTIONS_INIT;
    lw_server *server = NULL;
    options.insecure_listen = "127.0.0.1:0";
    options.threads = 3;
    /* Nobody else writes: no roles are aggregated, namespaces get no service accounts. */
    options.authorization_mode = "AlwaysAllow";
    options.own_controllers = "-serviceaccount,-root-ca-cert-publisher";
    assert_int_equal(lw_server_start(&server, &options, NULL), LW_OK);
    return server;
}

static int call(const lw_server *server, const char *method, const char *target, const char *body)
{
    return plain_call(lw_server_insecure_url(server), method, target, body, text, sizeof(text));
}

/* The figures, to free. */
static lw_tree *figures(const lw_server *server)
{
    lw_tree *tree = NULL;
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(call(server, "GET", "/debug/listwatch", NULL), 200);
    if (lw_tree_parse(&tree, lw_str_of(strstr(text, "\r\n\r\n") + 4), 0, &err) < 0)
        fail_msg("%s", err.message);
    return tree;
}

static const lw_node *member(const lw_tree *tree, const char *object, const char *name)
{
    return lw_node_get(lw_node_get(lw_tree_root(tree), lw_str_of(object)), lw_str_of(name));
}

static int64_t number(const lw_node *node)
{
    int64_t value = -1;
    (void)lw_node_int64(node, &value);
    return value;
}

/* What |name| of the configmaps is. */
static int64_t of_maps(const lw_tree *tree, const char *name)
{
    const lw_node *all = lw_node_get(lw_tree_root(tree), LW_STR("resources"));
    for (size_t i = 0; i < lw_node_count(all); i++) {
        const lw_node *one = lw_node_at(all, i);
        if (lw_str_equal(lw_node_text(lw_node_get(one, LW_STR("resource"))), LW_STR("configmaps")))
            return number(lw_node_get(one, lw_str_of(name)));
    }
    fail_msg("no configmaps");
    return -1;
}

static void tells_of_writes_and_what_is_remembered(void **state)
{
    (void)state;
    lw_server *server = started();
    lw_tree *before = figures(server);
    assert_int_equal(call(server, "POST", maps, "{\"metadata\":{\"name\":\"a\"}}"), 201);
    assert_int_equal(call(server, "PUT", "/api/v1/namespaces/default/configmaps/a",
                          "{\"metadata\":{\"name\":\"a\"},\"data\":{\"x\":\"1\"}}"),
                     200);
    lw_tree *after = figures(server);
    assert_int_equal(number(member(after, "store", "revision")),
                     number(member(before, "store", "revision")) + 2);
    assert_int_equal(of_maps(after, "objects"), 1);
    assert_int_equal(of_maps(after, "ring_events"), of_maps(before, "ring_events") + 2);
    assert_true(number(member(after, "cache", "ring_capacity")) > 0);
    lw_tree_free(before);
    lw_tree_free(after);
    lw_server_stop(server, 10);
}

static void tells_of_the_watches_of_all_loops_and_what_they_were_told(void **state)
{
    (void)state;
    static char told[WATCHES][TEXT_SIZE / 16];
    int fds[WATCHES];
    lw_server *server = started();
    const char *url = lw_server_insecure_url(server);
    for (int i = 0; i < WATCHES; i++) {
        told[i][0] = '\0';
        fds[i] = plain_open(url, "GET", "/api/v1/namespaces/default/configmaps?watch=1", NULL);
        assert_true(plain_read_until(fds[i], told[i], sizeof(told[i]), "\r\n\r\n"));
    }
    assert_int_equal(call(server, "POST", maps, "{\"metadata\":{\"name\":\"a\"}}"), 201);
    for (int i = 0; i < WATCHES; i++)
        assert_true(plain_read_until(fds[i], told[i], sizeof(told[i]), "\"ADDED\""));
    lw_tree *tree = figures(server);
    const lw_node *all = lw_node_get(lw_tree_root(tree), LW_STR("watchers"));
    assert_int_equal(lw_node_count(all), WATCHES);
    for (size_t i = 0; i < WATCHES; i++) {
        const lw_node *one = lw_node_at(all, i);
        assert_str_equal(lw_node_text(lw_node_get(one, LW_STR("resource"))), "configmaps");
        assert_str_equal(lw_node_text(lw_node_get(one, LW_STR("namespace"))), "default");
        assert_str_equal(lw_node_text(lw_node_get(one, LW_STR("protocol"))), "HTTP/1.1");
        assert_int_equal(number(lw_node_get(one, LW_STR("lag"))), 0);
    }
    assert_int_equal(number(member(tree, "delivery", "count")), WATCHES);
    assert_int_equal(number(lw_node_get(lw_tree_root(tree), LW_STR("watchers_total"))), WATCHES);
    lw_tree_free(tree);
    for (int i = 0; i < WATCHES; i++)
        (void)close(fds[i]);
    lw_server_stop(server, 10);
}

static void takes_the_reports_of_informers(void **state)
{
    (void)state;
    static const char path[] = "/debug/listwatch/informers";
    lw_server *server = started();
    assert_int_equal(call(server, "POST", path,
                          "{\"reporter\":\"r\",\"informers\":[{\"resource\":\"pods\"}]}"),
                     200);
    assert_int_equal(call(server, "GET", "/debug/listwatch", NULL), 200);
    assert_non_null(strstr(text, "\"reporter\":\"r\",\"resource\":\"pods\""));
    assert_int_equal(lw_server_show_informers(
                         server, "{\"reporter\":\"s\",\"informers\":[{\"resource\":\"jobs\"}]}",
                         NULL),
                     LW_OK);
    assert_int_equal(call(server, "GET", "/debug/listwatch", NULL), 200);
    assert_non_null(strstr(text, "\"reporter\":\"s\",\"resource\":\"jobs\""));
    assert_int_equal(call(server, "POST", path, "{\"reporter\":1}"), 400);
    assert_non_null(strstr(text, "reporter must be a string"));
    assert_int_equal(call(server, "GET", path, NULL), 405);
    lw_server_stop(server, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(tells_of_writes_and_what_is_remembered),
        TEST(tells_of_the_watches_of_all_loops_and_what_they_were_told),
        TEST(takes_the_reports_of_informers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
