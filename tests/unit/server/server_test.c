/* SPDX-License-Identifier: Apache-2.0 */
/* server_test.c -- a server's life, as a program sees it that has one inside. */
#include <listwatch/server.h>

#include <dirent.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/clock.h"
#include "support/sanitized.h"
#include "unit/server/plain_client.h"
#include "unit/server/scratch_folder.h"

enum {
    TEXT_SIZE = 256 * 1024,
    LARGE_BODY = 900 * 1024,
};

static char text[TEXT_SIZE]; /* the last reply */

static lw_server *started(const lw_server_options *options)
{
    lw_server *server = NULL;
    lw_error err = LW_ERROR_INIT;
    if (lw_server_start(&server, options, &err) < 0)
        fail_msg("%s", err.message);
    return server;
}

static lw_server *started_in_memory(void)
{
    lw_server_options options = LW_SERVER_OPTIONS_INIT;
    options.insecure_listen = "127.0.0.1:0";
    options.threads = 2;
    return started(&options);
}

static void assert_refused(const lw_server_options *options, lw_status st, const char *words)
{
    lw_server *server = NULL;
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(lw_server_start(&server, options, &err), st);
    if (!strstr(err.message, words))
        fail_msg("\"%s\" does not say \"%s\"", err.message, words);
    assert_null(server);
}

static int get(const lw_server *server, const char *target)
{
    return plain_call(lw_server_insecure_url(server), "GET", target, NULL, text, sizeof(text));
}

static int create_config_map(const lw_server *server, const char *name, const char *data)
{
    lw_buf body;
    lw_buf_init(&body, 2 << 20);
    lw_buf_printf(&body,
                  "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"%s\"},"
                  "\"data\":{\"k\":\"%s\"}}",
                  name, data);
    char *json = lw_buf_take_text(&body);
    int status = plain_call(lw_server_insecure_url(server), "POST",
                            "/api/v1/namespaces/default/configmaps", json, text, sizeof(text));
    lw_free(json);
    return status;
}

static unsigned count_fds(void)
{
    unsigned count = 0;
    DIR *folder = opendir("/proc/self/fd");
    assert_non_null(folder);
    while (readdir(folder))
        count++;
    (void)closedir(folder);
    return count;
}

static void answers_when_it_has_started(void **state)
{
    (void)state;
    lw_server *server = started_in_memory();
    assert_null(lw_server_url(server));
    assert_null(lw_server_kubeconfig(server));
    assert_int_equal(get(server, "/readyz"), 200);
    assert_int_equal(get(server, "/api/v1/namespaces/default"), 200);
    assert_non_null(strstr(text, "\"Namespace\""));
    assert_int_equal(create_config_map(server, "a", "b"), 201);
    assert_int_equal(get(server, "/api/v1/namespaces/default/configmaps/a"), 200);
    lw_server_stop(server, 5);
}

static void every_path_has_somebody_who_answers(void **state)
{
    (void)state;
    lw_server *server = started_in_memory();
    const char *url = lw_server_insecure_url(server);
    assert_int_equal(get(server, "/"), 200);
    assert_non_null(strstr(text, "\"/apis/apps/v1\""));
    assert_non_null(strstr(text, "\"/metrics\""));
    assert_int_equal(get(server, "/livez/ping"), 200);
    assert_int_equal(get(server, "/version"), 200);
    assert_int_equal(get(server, "/apis"), 200);
    assert_int_equal(get(server, "/nothing"), 404);
    assert_non_null(strstr(text, "404 page not found"));
    assert_int_equal(plain_call(url, "POST", "/livez", "", text, sizeof(text)), 200);
    assert_int_equal(plain_call(url, "DELETE", "/debug/listwatch", NULL, text, sizeof(text)), 405);
    assert_int_equal(plain_call(url, "HEAD", "/healthz", NULL, text, sizeof(text)), 200);
    assert_null(strstr(text, "\r\n\r\nok"));
    lw_server_stop(server, 5);
}

static void stopping_no_server_leaves_the_others_running(void **state)
{
    (void)state;
    lw_server *server = started_in_memory();
    unsigned before = count_fds();
    lw_server_stop(NULL, 1);
    assert_int_equal(count_fds(), before);
    assert_int_equal(get(server, "/livez"), 200);
    lw_server_stop(server, 5);
}

static void many_lives_leave_nothing_behind(void **state)
{
    (void)state;
    lw_server_options options = LW_SERVER_OPTIONS_INIT;
    options.listen = "127.0.0.1:0";
    options.insecure_listen = "127.0.0.1:0";
    lw_server_stop(started(&options), 5); /* what libraries keep for themselves is there now */
    unsigned before = count_fds();
    for (int i = 0; i < (IS_SANITIZED ? 4 : 20); i++) {
        lw_server *server = started(&options);
        assert_int_equal(get(server, "/livez"), 200);
        lw_server_stop(server, 5);
    }
    assert_int_equal(count_fds(), before);
}

/* Its loops may not have come to what they were told last. */
static void stopping_at_once_is_safe(void **state)
{
    (void)state;
    lw_server_options options = LW_SERVER_OPTIONS_INIT;
    options.insecure_listen = "127.0.0.1:0";
    lw_server_stop(started(&options), 5); /* what libraries keep for themselves is there now */
    unsigned before = count_fds();
    for (int i = 0; i < 200; i++)
        lw_server_stop(started(&options), 0);
    assert_int_equal(count_fds(), before);
}

static void two_servers_live_side_by_side(void **state)
{
    (void)state;
    lw_server *one = started_in_memory(), *two = started_in_memory();
    assert_string_not_equal(lw_server_insecure_url(one), lw_server_insecure_url(two));
    assert_int_equal(create_config_map(one, "a", "b"), 201);
    assert_int_equal(get(one, "/api/v1/namespaces/default/configmaps/a"), 200);
    assert_int_equal(get(two, "/api/v1/namespaces/default/configmaps/a"), 404);
    lw_server_stop(one, 5);
    assert_int_equal(get(two, "/livez"), 200);
    lw_server_stop(two, 5);
}

static void stopping_ends_watches_cleanly(void **state)
{
    (void)state;
    lw_server *server = started_in_memory();
    int watch = plain_open(lw_server_insecure_url(server), "GET",
                           "/api/v1/namespaces/default/configmaps?watch=1", NULL);
    static char events[TEXT_SIZE];
    events[0] = '\0';
    assert_int_equal(create_config_map(server, "a", "b"), 201);
    assert_true(plain_read_until(watch, events, sizeof(events), "\"ADDED\""));
    lw_server_stop(server, 30);
    assert_int_equal(plain_finish(watch, events, sizeof(events)), 200);
    assert_string_equal(events + strlen(events) - 5, "0\r\n\r\n"); /* the last chunk */
}

static void stopping_does_not_wait_for_who_does_not_read(void **state)
{
    (void)state;
    lw_server *server = started_in_memory();
    int watch = plain_open(lw_server_insecure_url(server), "GET",
                           "/api/v1/namespaces/default/configmaps?watch=1", NULL);
    char *data = lw_alloc(LARGE_BODY + 1), name[16];
    memset(data, 'x', LARGE_BODY);
    data[LARGE_BODY] = '\0';
    for (int i = 0; i < 20; i++) { /* more than the buffers between us take */
        (void)snprintf(name, sizeof(name), "large-%d", i);
        assert_int_equal(create_config_map(server, name, data), 201);
    }
    int64_t before = lw_clock_now(lw_clock_system());
    lw_server_stop(server, 1);
    int64_t took = lw_clock_now(lw_clock_system()) - before;
    assert_in_range(took, 0, 20 * LW_NS_PER_S); /* a second, and a slow machine */
    (void)close(watch);
    lw_free(data);
}

static void what_it_was_told_is_there_after_a_restart(void **state)
{
    (void)state;
    scratch s;
    char kubeconfig[256];
    lw_server_options options = LW_SERVER_OPTIONS_INIT;
    scratch_begin(&s);
    options.listen = "127.0.0.1:0";
    options.insecure_listen = "127.0.0.1:0";
    options.data_dir = s.folder;
    lw_server *server = started(&options);
    (void)snprintf(kubeconfig, sizeof(kubeconfig), "%s/admin.kubeconfig", s.folder);
    assert_string_equal(lw_server_kubeconfig(server), kubeconfig);
    assert_int_equal(scratch_mode(&s, "admin.kubeconfig"), 0600);
    assert_memory_equal(lw_server_url(server), "https://127.0.0.1:", 18);
    assert_int_equal(create_config_map(server, "a", "kept"), 201);
    lw_server_stop(server, 5);
    server = started(&options);
    assert_int_equal(get(server, "/api/v1/namespaces/default/configmaps/a"), 200);
    assert_non_null(strstr(text, "kept"));
    lw_server_stop(server, 5);
    scratch_end(&s);
}

static void a_folder_has_one_server_at_a_time(void **state)
{
    (void)state;
    scratch s;
    lw_server_options options = LW_SERVER_OPTIONS_INIT;
    scratch_begin(&s);
    options.insecure_listen = "127.0.0.1:0";
    options.data_dir = s.folder;
    lw_server *server = started(&options);
    assert_refused(&options, LW_ERR_IO, s.folder);
    assert_int_equal(get(server, "/livez"), 200);
    lw_server_stop(server, 5);
    server = started(&options);
    lw_server_stop(server, 5);
    scratch_end(&s);
}

static void without_tls_the_kubeconfig_is_for_plain_http(void **state)
{
    (void)state;
    scratch s;
    char config[4096];
    lw_server_options options = LW_SERVER_OPTIONS_INIT;
    scratch_begin(&s);
    char path[256];
    (void)snprintf(path, sizeof(path), "%s", scratch_path(&s, "kc"));
    options.insecure_listen = "127.0.0.1:0";
    options.kubeconfig_file = path;
    lw_server *server = started(&options);
    assert_string_equal(lw_server_kubeconfig(server), path);
    assert_true(scratch_read(&s, "kc", config, sizeof(config)) > 0);
    assert_non_null(strstr(config, lw_server_insecure_url(server)));
    assert_null(strstr(config, "certificate-authority-data"));
    lw_server_stop(server, 5);
    scratch_end(&s);
}

static void options_that_cannot_be_are_refused_with_advice(void **state)
{
    (void)state;
    lw_server_options options = LW_SERVER_OPTIONS_INIT;
    assert_refused(&options, LW_ERR_INVALID, "no address to listen on");
    options.insecure_listen = "0.0.0.0:0";
    assert_refused(&options, LW_ERR_INVALID, "use 127.0.0.1 or [::1]");
    options.insecure_listen = "nonsense";
    assert_refused(&options, LW_ERR_INVALID, "127.0.0.1:6443");
    options.insecure_listen = "127.0.0.1:0";
    options.tls_cert_file = "/some/cert.pem";
    assert_refused(&options, LW_ERR_INVALID, "set both files or neither");
    options.tls_cert_file = NULL;
    options.threads = 1000;
    assert_refused(&options, LW_ERR_INVALID, "the limit is 64");
    options.threads = 0;
    options.history_age_s = -1;
    assert_refused(&options, LW_ERR_INVALID, "history");
    options.history_age_s = 0;
    options.token_file = "/no/such/file";
    assert_refused(&options, LW_ERR_NOT_FOUND, "/no/such/file");
    options.token_file = NULL;
    options.data_dir = "/proc/none";
    assert_refused(&options, LW_ERR_IO, "/proc/none");
    options.data_dir = NULL;
    options.listen = "127.0.0.1:0";
    options.tls_cert_file = options.tls_key_file = "/no/such/file";
    assert_refused(&options, LW_ERR_NOT_FOUND, "/no/such/file");
}

static void an_address_in_use_is_said_with_advice(void **state)
{
    (void)state;
    lw_server *server = started_in_memory();
    lw_server_options options = LW_SERVER_OPTIONS_INIT;
    options.insecure_listen = lw_server_insecure_url(server) + strlen("http://");
    assert_refused(&options, LW_ERR_IO, options.insecure_listen);
    assert_refused(&options, LW_ERR_IO, "127.0.0.1:0 for a free port");
    lw_server_stop(server, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(answers_when_it_has_started),
        TEST(every_path_has_somebody_who_answers),
        TEST(stopping_no_server_leaves_the_others_running),
        TEST(many_lives_leave_nothing_behind),
        TEST(stopping_at_once_is_safe),
        TEST(two_servers_live_side_by_side),
        TEST(stopping_ends_watches_cleanly),
        TEST(stopping_does_not_wait_for_who_does_not_read),
        TEST(what_it_was_told_is_there_after_a_restart),
        TEST(a_folder_has_one_server_at_a_time),
        TEST(without_tls_the_kubeconfig_is_for_plain_http),
        TEST(options_that_cannot_be_are_refused_with_advice),
        TEST(an_address_in_use_is_said_with_advice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
