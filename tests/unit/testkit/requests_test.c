/* SPDX-License-Identifier: Apache-2.0 */
/* requests_test.c -- the metrics and the log of the requests of a client. */
#include <string.h>

#include "base/sync.h"
#include "unit/testkit/kit.h"

enum {
    TEXT_SIZE = 65536,
};

static char text[TEXT_SIZE];

/* The metrics have a line that begins with |name| and ends with |rest|, whatever the port. */
static bool has_line(const char *name, const char *rest)
{
    for (const char *at = text; (at = strstr(at, name)) != NULL; at++) {
        const char *end = strchr(at, '\n');
        size_t len = strlen(rest);
        if (end && (size_t)(end - at) >= len && strncmp(end - len, rest, len) == 0)
            return true;
    }
    return false;
}

static void requests_are_counted_by_method_and_status(void **state)
{
    /* All of them: libcurl sends a request again that a connection in use has not answered. */
    const lw_server_fault fault = {
        .size = sizeof(fault), .verb = "get", .times = -1, .is_cut = true
    };
    (void)state;
    KIT_OK(kit_create("a", "1", kit_err));
    KIT_OK(kit_get("a", kit_err));
    KIT_OK(kit_get("a", kit_err));
    assert_int_equal(kit_get("b", NULL), LW_ERR_NOT_FOUND);
    KIT_OK(lw_server_add_fault(lw_test_server(kit), &fault, kit_err));
    assert_true(kit_get("a", NULL) < 0);
    assert_true(lw_client_metrics(lw_test_client(kit), text, sizeof(text)) < sizeof(text));
    assert_true(has_line("rest_client_requests_total{code=\"201\",host=\"127.0.0.1:",
                         "\",method=\"POST\"} 1"));
    assert_true(has_line("rest_client_requests_total{code=\"200\",", ",method=\"GET\"} 2"));
    assert_true(has_line("rest_client_requests_total{code=\"404\",", ",method=\"GET\"} 1"));
    assert_true(has_line("rest_client_requests_total{code=\"<error>\",", ",method=\"GET\"} 1"));
    assert_true(has_line("rest_client_request_duration_seconds_count{host=\"127.0.0.1:",
                         "\",verb=\"POST\"} 1"));
    assert_true(has_line("rest_client_request_duration_seconds_bucket{host=\"127.0.0.1:",
                         "\",verb=\"GET\",le=\"+Inf\"} 4"));
}

typedef struct lines {
    lw_mutex mu; /* guards the rest */
    char all[TEXT_SIZE];
    size_t len;
} lines;

static void note(lw_log_level level, const char *component, const char *line, void *arg)
{
    lines *l = arg;
    lw_mutex_lock(&l->mu);
    int len = snprintf(l->all + l->len, sizeof(l->all) - l->len, "%s %s %s\n",
                       lw_log_level_name(level), component, line);
    l->len += (size_t)len < sizeof(l->all) - l->len ? (size_t)len : 0;
    lw_mutex_unlock(&l->mu);
}

static void every_request_is_a_line_of_the_log(void **state)
{
    static lines l;
    const lw_logger logger = { LW_LOG_DEBUG, note, &l };
    const lw_client_options client = { .size = sizeof(client), .logger = &logger };
    const lw_test_options options = { .size = sizeof(options), .client = &client };
    (void)state;
    lw_mutex_init(&l.mu);
    KIT_OK(lw_test_start(&kit, &options, kit_err));
    KIT_OK(kit_create("a", "1", kit_err));
    assert_int_equal(kit_get("b", NULL), LW_ERR_NOT_FOUND);
    assert_non_null(
        strstr(l.all, "debug client POST /api/v1/namespaces/default/configmaps: 201 in "));
    assert_non_null(
        strstr(l.all, "debug client GET /api/v1/namespaces/default/configmaps/b: 404 in "));
    (void)kit_tear_down(state);
    lw_mutex_done(&l.mu);
}

static void a_manager_serves_the_metrics_of_requests(void **state)
{
    const lw_manager_options options = { .size = sizeof(options),
                                         .name = "m",
                                         .client = lw_test_client(kit) };
    lw_manager *manager = NULL;
    (void)state;
    KIT_OK(kit_create("a", "1", kit_err));
    KIT_OK(lw_manager_new(&manager, &options, kit_err));
    assert_true(lw_manager_metrics(manager, text, sizeof(text)) < sizeof(text));
    lw_manager_free(manager);
    assert_true(has_line("rest_client_requests_total{code=\"201\",", ",method=\"POST\"} 1"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(requests_are_counted_by_method_and_status, kit_set_up,
                                        kit_tear_down),
        cmocka_unit_test(every_request_is_a_line_of_the_log),
        cmocka_unit_test_setup_teardown(a_manager_serves_the_metrics_of_requests, kit_set_up,
                                        kit_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
