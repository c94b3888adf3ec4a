/* SPDX-License-Identifier: Apache-2.0 */
/* raw_test.c -- raw requests: what is sent, what comes back, retries and warnings. */
#include <listwatch/raw.h>

#include <stdio.h>

#include "base/str.h"
#include "support/script_server.h"
#include "unit/test.h"

static script_server *server;
static lw_client *client;

/* The warnings so far, each followed by "|". */
static char warnings[512];

static void note_warning(const char *text, void *arg)
{
    size_t len = strlen(warnings);
    assert_ptr_equal(arg, &client);
    (void)snprintf(warnings + len, sizeof(warnings) - len, "%s|", text);
}

static void connect_with(lw_client_options *options)
{
    lw_error err = LW_ERROR_INIT;
    lw_config *config = NULL;
    lw_config_options where = LW_CONFIG_OPTIONS_INIT;
    where.server = script_server_url(server);
    lw_client_unref(client);
    client = NULL;
    if (lw_config_load(&config, &where, &err) < 0 ||
        lw_client_new(&client, config, options, &err) < 0)
        fail_msg("%s", err.message);
    lw_config_unref(config);
}

static int set_up(void **state)
{
    (void)state;
    server = script_server_open();
    warnings[0] = '\0';
    connect_with(NULL);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    lw_client_unref(client);
    client = NULL;
    script_server_close(server);
    return 0;
}

static void expect_request(unsigned index, const char *text)
{
    char head[4096];
    assert_true(script_server_request(server, index, head, sizeof(head)));
    if (!strstr(head, text))
        fail_msg("\"%s\" is not in the request:\n%s", text, head);
}

static void sends_method_query_headers_and_body_and_returns_the_response(void **state)
{
    (void)state;
    lw_error err = LW_ERROR_INIT;
    lw_response *response = NULL;
    script_server_say(server, "POST /api/v1/things",
                      "HTTP/1.1 201 Created\r\nContent-Type: text/plain\r\nX-One: 1\r\n"
                      "Content-Length: 5\r\n\r\nhello");
    lw_raw_options options = LW_RAW_OPTIONS_INIT;
    options.query = (const char *const[]){ "a", "b c", "empty", "", "d", "&", NULL };
    options.headers = (const char *const[]){ "X-Test: yes", NULL };
    options.accept = "text/plain";
    options.content_type = "text/css";
    options.body = LW_STR("p{}");
    if (lw_client_raw(client, "POST", "/api/v1/things", &options, &response, &err) < 0)
        fail_msg("%s", err.message);
    assert_int_equal(lw_response_status(response), 201);
    assert_string_equal(lw_response_body(response).ptr, "hello");
    assert_int_equal(lw_response_body(response).len, 5);
    assert_string_equal(lw_response_header(response, "x-one"), "1");
    assert_null(lw_response_header(response, "x-two"));
    lw_response_free(response);
    expect_request(0, "POST /api/v1/things?a=b%20c&d=%26 HTTP/1.1\r\n");
    expect_request(0, "X-Test: yes\r\n");
    expect_request(0, "Accept: text/plain\r\n");
    expect_request(0, "Content-Type: text/css\r\n");
    expect_request(0, "Content-Length: 3\r\n");
}

/* What a streamed response brought. */
typedef struct stream {
    char text[64];
    size_t len;
    lw_status st;
} stream;

static lw_status take_bytes(const char *bytes, size_t len, void *arg)
{
    stream *s = arg;
    size_t room = sizeof(s->text) - 1 - s->len, part = len < room ? len : room;
    memcpy(s->text + s->len, bytes, part);
    s->len += part;
    return s->st;
}

static void streams_the_body_of_a_success_only(void **state)
{
    (void)state;
    stream s = { .len = 0 };
    lw_error err = LW_ERROR_INIT;
    lw_response *response = NULL;
    lw_raw_options options = LW_RAW_OPTIONS_INIT;
    options.on_bytes = take_bytes;
    options.arg = &s;
    script_server_say(server, "GET /livez", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    script_server_say(server, "GET /nothing", SCRIPT_404);
    assert_int_equal(lw_client_raw(client, "GET", "/livez", &options, &response, &err), LW_OK);
    assert_string_equal(s.text, "ok");
    assert_int_equal(lw_response_body(response).len, 0);
    lw_response_free(response);
    s = (stream){ .len = 0 };
    assert_int_equal(lw_client_raw(client, "GET", "/nothing", &options, NULL, &err),
                     LW_ERR_NOT_FOUND);
    assert_int_equal(s.len, 0); /* the text of a refusal is not part of it */
}

static void the_status_of_the_reader_ends_the_request(void **state)
{
    (void)state;
    stream s = { .st = LW_ERR_NO_SPACE };
    lw_error err = LW_ERROR_INIT;
    lw_raw_options options = LW_RAW_OPTIONS_INIT;
    options.on_bytes = take_bytes;
    options.arg = &s;
    script_server_play(server, "GET /log",
                       (const script_step[]){
                           { SCRIPT_SEND, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\none", 0 },
                           { SCRIPT_WAIT, NULL, 0 },
                           { SCRIPT_END, NULL, 0 } });
    assert_int_equal(lw_client_raw(client, "GET", "/log", &options, NULL, &err), LW_ERR_NO_SPACE);
    assert_string_equal(s.text, "one");
}

static void a_large_body_is_an_error(void **state)
{
    (void)state;
    lw_error err = LW_ERROR_INIT;
    lw_response *response = NULL;
    lw_raw_options options = LW_RAW_OPTIONS_INIT;
    options.max_body = 2;
    script_server_say_always(server, "GET /x", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc");
    assert_int_equal(lw_client_raw(client, "GET", "/x", &options, &response, &err), LW_ERR_LIMIT);
    options.max_body = 3;
    assert_int_equal(lw_client_raw(client, "GET", "/x", &options, &response, &err), LW_OK);
    lw_response_free(response);
}

static void invalid_arguments_are_named(void **state)
{
    (void)state;
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(lw_client_raw(client, "GET", "livez", NULL, NULL, &err), LW_ERR_INVALID);
    assert_string_equal(err.message, "the path \"livez\" does not begin with /");
    lw_raw_options options = LW_RAW_OPTIONS_INIT;
    options.query = (const char *const[]){ "a", NULL };
    assert_int_equal(lw_client_raw(client, "GET", "/livez", &options, NULL, &err), LW_ERR_INVALID);
    assert_string_equal(err.message, "the query parameter \"a\" has no value");
    options = (lw_raw_options){ .size = 0 };
    assert_int_equal(lw_client_raw(client, "GET", "/livez", &options, NULL, &err), LW_ERR_INVALID);
    assert_non_null(strstr(err.message, "lw_raw_options"));
    options = (lw_raw_options)LW_RAW_OPTIONS_INIT;
    options.headers = (const char *const[]){ "A: b\r\nEvil: 1", NULL };
    assert_int_equal(lw_client_raw(client, "GET", "/livez", &options, NULL, &err), LW_ERR_INVALID);
    assert_int_equal(script_server_counts(server).requests, 0);
}

/* Retries. */

#define BUSY "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n"
#define GOOD "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

static lw_status get(const char *path, lw_error *err)
{
    return lw_client_raw(client, "GET", path, NULL, NULL, err);
}

static void a_request_is_sent_again_when_the_server_asks_for_it(void **state)
{
    (void)state;
    lw_error err = LW_ERROR_INIT;
    script_server_say(server, "GET /x", BUSY);
    script_server_say(server, "GET /x",
                      "HTTP/1.1 503 Unavailable\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n");
    script_server_say(server, "GET /x", GOOD);
    assert_int_equal(get("/x", &err), LW_OK);
    assert_int_equal(script_server_counts(server).requests, 3);
}

static void retries_are_bounded(void **state)
{
    (void)state;
    lw_error err = LW_ERROR_INIT;
    lw_client_options options = LW_CLIENT_OPTIONS_INIT;
    script_server_say_always(server, "GET /x", BUSY);
    script_server_say_always(
        server, "GET /later",
        "HTTP/1.1 429 Too Many\r\nRetry-After: 61\r\nContent-Length: 0\r\n\r\n");
    script_server_say_always(server, "GET /never",
                             "HTTP/1.1 429 Too Many\r\nContent-Length: 0\r\n\r\n");
    options.max_retries = 2;
    connect_with(&options);
    assert_int_equal(get("/x", &err), LW_ERR_TOO_MANY);
    assert_int_equal(script_server_counts(server).requests, 3);
    options.max_retries = -1;
    connect_with(&options);
    assert_int_equal(get("/x", &err), LW_ERR_TOO_MANY);
    assert_int_equal(script_server_counts(server).requests, 4);
    connect_with(NULL);
    assert_int_equal(get("/later", &err), LW_ERR_TOO_MANY);
    assert_int_equal(err.retry_after_s, 61);
    assert_int_equal(get("/never", &err), LW_ERR_TOO_MANY);
    assert_int_equal(script_server_counts(server).requests, 6);
}

static void a_call_ends_at_its_deadline(void **state)
{
    (void)state;
    lw_error err = LW_ERROR_INIT;
    lw_raw_options options = LW_RAW_OPTIONS_INIT;
    options.timeout_ms = 30;
    script_server_play(server, "GET /hang",
                       (const script_step[]){ { SCRIPT_WAIT, NULL, 0 }, { SCRIPT_END, NULL, 0 } });
    assert_int_equal(lw_client_raw(client, "GET", "/hang", &options, NULL, &err), LW_ERR_TIMEOUT);
    assert_non_null(strstr(err.message, "within 30 ms"));
}

/* Warnings. */

static void warnings_are_reported(void **state)
{
    (void)state;
    lw_error err = LW_ERROR_INIT;
    lw_client_options options = LW_CLIENT_OPTIONS_INIT;
    options.on_warning = note_warning;
    options.warning_arg = &client;
    connect_with(&options);
    script_server_say(server, "GET /x",
                      "HTTP/1.1 200 OK\r\nWarning: 299 - \"v1 is \\\"old\\\"\"\r\n"
                      "Warning: 299 - \"two, a\", 299 agent \"three\"\r\nWarning: 199 - \"no\"\r\n"
                      "Warning: 299\r\nWarning: 299 - \"open\r\nContent-Length: 0\r\n\r\n");
    assert_int_equal(get("/x", &err), LW_OK);
    assert_string_equal(warnings, "v1 is \"old\"|two, a|three|open|");
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest cases[] = {
        CASE(sends_method_query_headers_and_body_and_returns_the_response),
        CASE(streams_the_body_of_a_success_only),
        CASE(the_status_of_the_reader_ends_the_request),
        CASE(a_large_body_is_an_error),
        CASE(invalid_arguments_are_named),
        CASE(a_request_is_sent_again_when_the_server_asks_for_it),
        CASE(retries_are_bounded),
        CASE(a_call_ends_at_its_deadline),
        CASE(warnings_are_reported),
    };
    return cmocka_run_group_tests(cases, NULL, NULL);
}
