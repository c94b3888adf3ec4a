/* SPDX-License-Identifier: Apache-2.0 */
/* metrics_test.c -- /metrics is Prometheus' text format, and tells what happened. */
#include "server/endpoints/metrics.h"

#include <listwatch/server.h>

#include "base/str.h"
#include "unit/server/plain_client.h"

enum {
    TEXT_SIZE = 512 * 1024,
};

static char text[TEXT_SIZE]; /* the last reply */

static lw_server *started(void)
{
    lw_server_options options = LW_SERVER_OPTIONS_INIT;
    lw_server *server = NULL;
    options.insecure_listen = "127.0.0.1:0";
    assert_int_equal(lw_server_start(&server, &options, NULL), LW_OK);
    return server;
}

/* The body of /metrics. */
static lw_str metrics(const lw_server *server)
{
    assert_int_equal(plain_call(lw_server_insecure_url(server), "GET", "/metrics", NULL, text,
                                sizeof(text)),
                     200);
    assert_non_null(strstr(text, "text/plain; version=0.0.4"));
    const char *body = strstr(text, "\r\n\r\n") + 4;
    return lw_str_of(body);
}

static bool is_name(lw_str name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!is_letter && !(i > 0 && lw_char_is_digit(c)))
            return false;
    }
    return name.len > 0;
}

/* {name="value",...}: |*rest| is what comes after. */
static bool read_labels(lw_str *rest)
{
    while (rest->len > 0) {
        lw_str name, value;
        if (!lw_str_cut(*rest, '=', &name, rest) || !is_name(name) || rest->len == 0 ||
            rest->ptr[0] != '"' || !lw_str_cut(lw_str_skip(*rest, 1), '"', &value, rest) ||
            rest->len == 0)
            return false;
        char next = rest->ptr[0];
        *rest = lw_str_skip(*rest, 1);
        if (next == '}')
            return true;
        if (next != ',')
            return false;
    }
    return false;
}

static bool is_number(lw_str value)
{
    lw_str whole, fraction;
    uint64_t number;
    bool has_point = lw_str_cut(value, '.', &whole, &fraction);
    return lw_str_to_uint64(whole, &number) && (!has_point || lw_str_to_uint64(fraction, &number));
}

/* Skips the suffix of a sample of a histogram. */
static bool skip_suffix(lw_str *line)
{
    static const lw_str suffixes[] = { LW_STR_INIT("_bucket"), LW_STR_INIT("_sum"),
                                       LW_STR_INIT("_count") };
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        if (lw_str_starts_with(*line, suffixes[i])) {
            *line = lw_str_skip(*line, suffixes[i].len);
            return true;
        }
    }
    return false;
}

/* A sample of |metric|: its name, labels, a blank, a number. */
static bool is_sample(lw_str line, lw_str metric, bool is_histogram)
{
    if (!lw_str_starts_with(line, metric))
        return false;
    line = lw_str_skip(line, metric.len);
    if (is_histogram && !skip_suffix(&line))
        return false;
    if (line.len > 0 && line.ptr[0] == '{') {
        line = lw_str_skip(line, 1);
        if (!read_labels(&line))
            return false;
    }
    return line.len > 1 && line.ptr[0] == ' ' && is_number(lw_str_skip(line, 1));
}

/* Each metric once: HELP, TYPE, samples; counters end in _total, except one that has the name it
 * has in kube-apiserver. */
static void is_prometheus_text(void **state)
{
    (void)state;
    static const lw_str help = LW_STR_INIT("# HELP "), type = LW_STR_INIT("# TYPE ");
    lw_server *server = started();
    lw_str rest = metrics(server), metric = { NULL, 0 };
    size_t count = 0;
    bool is_histogram = false;
    assert_int_equal(rest.ptr[rest.len - 1], '\n');
    while (rest.len > 0) {
        lw_str line, name, kind;
        (void)lw_str_cut(rest, '\n', &line, &rest);
        if (lw_str_starts_with(line, help)) {
            assert_true(lw_str_cut(lw_str_skip(line, help.len), ' ', &metric, &line));
            assert_true(is_name(metric) && line.len > 0);
            (void)lw_str_cut(rest, '\n', &line, &rest);
            assert_true(lw_str_starts_with(line, type));
            assert_true(lw_str_cut(lw_str_skip(line, type.len), ' ', &name, &kind));
            assert_true(lw_str_equal(name, metric));
            bool is_counter = lw_str_equal(kind, LW_STR("counter"));
            is_histogram = lw_str_equal(kind, LW_STR("histogram"));
            assert_true(is_counter || is_histogram || lw_str_equal(kind, LW_STR("gauge")));
            assert_int_equal(is_counter, lw_str_ends_with(name, LW_STR("_total")) ||
                                             lw_str_equal(name, LW_STR("authentication_attempts")));
            count++;
        } else if (!is_sample(line, metric, is_histogram)) {
            fail_msg("\"%.*s\" is no sample of %.*s", LW_STR_ARG(line), LW_STR_ARG(metric));
        }
    }
    assert_in_range(count, 25, 1000);
    lw_server_stop(server, 5);
}

static void assert_said(lw_str body, const char *line)
{
    if (!memmem(body.ptr, body.len, line, strlen(line)))
        fail_msg("no line \"%s\" in\n%.*s", line, LW_STR_ARG(body));
}

#define REQUESTS(verb, scope, code)                                                                \
    "\napiserver_request_total{verb=\"" verb "\",group=\"\",version=\"v1\","                       \
    "resource=\"configmaps\",subresource=\"\",scope=\"" scope "\",component=\"apiserver\","        \
    "dry_run=\"\",code=\"" code "\"}"

static void tells_what_happened(void **state)
{
    (void)state;
    static const char map[] = "{\"metadata\":{\"name\":\"a\"}}";
    static const char target[] = "/api/v1/namespaces/default/configmaps";
    lw_server *server = started();
    const char *url = lw_server_insecure_url(server);
    assert_int_equal(plain_call(url, "POST", target, map, text, sizeof(text)), 201);
    assert_int_equal(plain_call(url, "POST", target, map, text, sizeof(text)), 409);
    assert_int_equal(plain_call(url, "GET", target, NULL, text, sizeof(text)), 200);
    lw_str body = metrics(server);
    assert_said(body, REQUESTS("POST", "resource", "201") " 1\n");
    assert_said(body, REQUESTS("POST", "resource", "409") " 1\n");
    assert_said(body, REQUESTS("LIST", "namespace", "200") " 1\n");
    assert_said(body, "\napiserver_request_duration_seconds_bucket{verb=\"POST\",group=\"\","
                      "version=\"v1\",resource=\"configmaps\",subresource=\"\",scope=\"resource\","
                      "component=\"apiserver\",dry_run=\"\",le=\"+Inf\"} 2\n");
    assert_said(body, "\napiserver_response_sizes_bucket{verb=\"LIST\",group=\"\",version=\"v1\","
                      "resource=\"configmaps\",subresource=\"\",scope=\"namespace\","
                      "component=\"apiserver\",le=\"1000\"} 1\n");
    assert_said(body, "\napiserver_current_inflight_requests{request_kind=\"mutating\"} 0\n");
    assert_said(body, "\netcd_requests_total{operation=\"create\",group=\"\",version=\"v1\","
                      "resource=\"configmaps\"} 1\n");
    assert_said(body, "\nlistwatch_http_requests_total 4\n");
    assert_said(body, "\napiserver_resource_objects{group=\"\",resource=\"namespaces\"} 4\n");
    assert_said(body, "\napiserver_resource_objects{group=\"\",resource=\"namespaces\"} 4\n");
    assert_said(body, "\napiserver_storage_objects{resource=\"deployments.apps\"} 0\n");
    assert_said(body, "\napiserver_storage_size_bytes{storage_cluster_id=\"store-0\"} ");
    assert_said(body, "\nauthentication_attempts{result=\"success\"} 4\n");
    assert_said(body, "\nauthorization_attempts_total{result=\"allowed\"} 4\n");
    assert_said(body, "\nprocess_resident_memory_bytes ");
    lw_server_stop(server, 5);
}

static void counts_watches_and_what_they_were_sent(void **state)
{
    (void)state;
    static const char target[] = "/api/v1/namespaces/default/configmaps";
    static char events[TEXT_SIZE];
    lw_server *server = started();
    const char *url = lw_server_insecure_url(server);
    int watch = plain_open(url, "GET", "/api/v1/namespaces/default/configmaps?watch=1", NULL);
    events[0] = '\0';
    assert_true(plain_read_until(watch, events, sizeof(events), "200 OK")); /* it is open */
    assert_int_equal(plain_call(url, "POST", target, "{\"metadata\":{\"name\":\"a\"}}", text,
                                sizeof(text)),
                     201);
    assert_true(plain_read_until(watch, events, sizeof(events), "ADDED"));
    lw_str body = metrics(server);
    assert_said(body, "\napiserver_longrunning_requests{verb=\"WATCH\",group=\"\",version=\"v1\","
                      "resource=\"configmaps\",subresource=\"\",scope=\"namespace\","
                      "component=\"apiserver\"} 1\n");
    assert_said(body, "\nlistwatch_watches_total 1\n");
    assert_said(body, "\napiserver_watch_events_total{group=\"\",version=\"v1\","
                      "resource=\"configmaps\"} 1\n");
    assert_said(body, "\napiserver_init_events_total{group=\"\",resource=\"configmaps\"} 0\n");
    assert_said(body, "\napiserver_watch_events_sizes_bucket{group=\"\",version=\"v1\","
                      "resource=\"configmaps\",le=\"1024\"} 1\n");
    (void)close(watch);
    lw_server_stop(server, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(is_prometheus_text),
        TEST(tells_what_happened),
        TEST(counts_watches_and_what_they_were_sent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
