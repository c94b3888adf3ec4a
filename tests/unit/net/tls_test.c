/* SPDX-License-Identifier: Apache-2.0 */
/* tls_test.c -- certificates that are made and used, and clients that do not speak TLS.  What
 * happens with those that do is tested with curl (tests/e2e/net_test.sh). */
#include "net/tls/tls.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/str.h"
#include "net/tls/tls_make.h"
#include "net/tls/tls_stream.h"
#include "support/http_site.h"
#include "unit/test.h"

enum {
    PEM_MAX = 16384,
};

/* Files in a folder of their own. */
typedef struct folder {
    char path[64];
    char cert[96], key[96], ca[96], junk[96];
} folder;

static void write_file(const char *path, const char *bytes, size_t len)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, len, file), len);
    assert_int_equal(fclose(file), 0);
}

static void make(const lw_tls_subject *subject, lw_str ca_cert, lw_str ca_key, lw_buf *cert,
                 lw_buf *key)
{
    lw_error err = LW_ERROR_INIT;
    lw_buf_init(cert, PEM_MAX);
    lw_buf_init(key, PEM_MAX);
    if (lw_tls_make(subject, ca_cert, ca_key, cert, key, &err) < 0)
        fail_msg("%s", err.message);
}

static const lw_str none = { NULL, 0 };
static const lw_tls_subject ca_subject = { .common_name = "ca", .is_ca = true, .days = 1 };

static void folder_open(folder *f)
{
    static const char *const hosts[] = { "localhost", "127.0.0.1", NULL };
    const lw_tls_subject subject = { .common_name = "server", .hosts = hosts, .days = 1 };
    lw_buf ca_cert, ca_key, cert, key;
    (void)snprintf(f->path, sizeof(f->path), "/tmp/listwatch-tls-XXXXXX");
    assert_non_null(mkdtemp(f->path));
    (void)snprintf(f->cert, sizeof(f->cert), "%s/cert", f->path);
    (void)snprintf(f->key, sizeof(f->key), "%s/key", f->path);
    (void)snprintf(f->ca, sizeof(f->ca), "%s/ca", f->path);
    (void)snprintf(f->junk, sizeof(f->junk), "%s/junk", f->path);
    make(&ca_subject, none, none, &ca_cert, &ca_key);
    make(&subject, lw_buf_view(&ca_cert), lw_buf_view(&ca_key), &cert, &key);
    write_file(f->cert, cert.data, cert.len);
    write_file(f->key, key.data, key.len);
    write_file(f->ca, ca_cert.data, ca_cert.len);
    write_file(f->junk, "junk\n", 5);
    lw_buf_done(&ca_cert);
    lw_buf_done(&ca_key);
    lw_buf_done(&cert);
    lw_buf_done(&key);
}

static void folder_close(folder *f)
{
    (void)unlink(f->cert);
    (void)unlink(f->key);
    (void)unlink(f->ca);
    (void)unlink(f->junk);
    assert_int_equal(rmdir(f->path), 0);
}

static void errors_name_the_file(void **state)
{
    (void)state;
    folder f;
    folder_open(&f);
    const struct {
        lw_tls_options options;
        const char *culprit;
    } rows[] = {
        { { "/nowhere", f.key, NULL, NULL }, "/nowhere" },
        { { f.junk, f.key, NULL, NULL }, f.junk },
        { { f.cert, "/nowhere", NULL, NULL }, "/nowhere" },
        { { f.cert, f.junk, NULL, NULL }, f.junk },
        { { f.ca, f.key, NULL, NULL }, f.key },
        { { f.cert, f.key, "/nowhere", NULL }, "/nowhere" },
        { { f.cert, f.key, f.junk, NULL }, f.junk },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        lw_tls_context *context = NULL;
        lw_error err = LW_ERROR_INIT;
        assert_int_equal(lw_tls_context_new(&context, &rows[i].options, &err), LW_ERR_INVALID);
        assert_null(context);
        if (!strstr(err.message, rows[i].culprit))
            fail_msg("\"%s\" does not name %s", err.message, rows[i].culprit);
    }
    folder_close(&f);
}

static void a_certificate_needs_a_proper_ca(void **state)
{
    (void)state;
    lw_buf cert, key, other_cert, other_key, out;
    lw_error err = LW_ERROR_INIT;
    make(&ca_subject, none, none, &cert, &key);
    make(&ca_subject, none, none, &other_cert, &other_key);
    lw_buf_init(&out, PEM_MAX);
    assert_int_equal(lw_tls_make(&ca_subject, LW_STR("junk"), LW_STR("junk"), &out, &out, &err),
                     LW_ERR_INVALID);
    assert_int_equal(lw_tls_make(&ca_subject, lw_buf_view(&cert), none, &out, &out, &err),
                     LW_ERR_INVALID);
    assert_int_equal(lw_tls_make(&ca_subject, lw_buf_view(&cert), lw_buf_view(&other_key), &out,
                                 &out, &err),
                     LW_ERR_INVALID);
    assert_int_equal(out.len, 0);
    lw_buf_done(&cert);
    lw_buf_done(&key);
    lw_buf_done(&other_cert);
    lw_buf_done(&other_key);
}

static void certificates_and_keys_are_pem_and_never_the_same(void **state)
{
    (void)state;
    lw_buf cert, key, again_cert, again_key;
    make(&ca_subject, none, none, &cert, &key);
    make(&ca_subject, none, none, &again_cert, &again_key);
    assert_true(lw_str_starts_with(lw_buf_view(&cert), LW_STR("-----BEGIN CERTIFICATE-----\n")));
    assert_true(lw_str_ends_with(lw_buf_view(&cert), LW_STR("-----END CERTIFICATE-----\n")));
    assert_true(lw_str_starts_with(lw_buf_view(&key), LW_STR("-----BEGIN PRIVATE KEY-----\n")));
    assert_false(lw_str_equal(lw_buf_view(&key), lw_buf_view(&again_key)));
    assert_false(lw_str_equal(lw_buf_view(&cert), lw_buf_view(&again_cert)));
    lw_buf_done(&cert);
    lw_buf_done(&key);
    lw_buf_done(&again_cert);
    lw_buf_done(&again_key);
}

/* A server with TLS. */
typedef struct tls_site {
    folder folder;
    lw_tls_context *context;
    http_site site;
} tls_site;

static int set_up(void **state)
{
    static tls_site t;
    folder_open(&t.folder);
    const lw_tls_options options = { t.folder.cert, t.folder.key, t.folder.ca, NULL };
    assert_int_equal(lw_tls_context_new(&t.context, &options, NULL), LW_OK);
    site_open(&t.site, NULL, t.context);
    *state = &t;
    return 0;
}

static int tear_down(void **state)
{
    tls_site *t = *state;
    lw_tls_context_free(t->context); /* connections that are left hold it */
    site_close(&t->site);
    folder_close(&t->folder);
    return 0;
}

static void a_handshake_that_never_comes_is_closed(void **state)
{
    tls_site *t = *state;
    int silent = site_connect(&t->site), slow = site_connect(&t->site);
    site_send(&t->site, slow, LW_STR("\x16\x03\x01"));
    site_wait_connections(&t->site, 2);
    site_expect_silence(&t->site, silent);
    site_pass(&t->site, LW_HTTP_HEAD_TIMEOUT_S);
    site_expect_end(&t->site, silent);
    site_expect_end(&t->site, slow);
    assert_int_equal(site_stats(&t->site).timeouts, 2);
    close(silent);
    close(slow);
}

static void garbage_is_closed_and_counted(void **state)
{
    tls_site *t = *state;
    int fd = site_connect(&t->site);
    site_send(&t->site, fd, LW_STR("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80"));
    lw_buf said;
    lw_buf_init(&said, 4096);
    site_receive_all(&t->site, fd, &said); /* an alert, if anything */
    assert_in_range(said.len, 0, 64);
    assert_int_equal(site_stats(&t->site).protocol_errors, 1);
    lw_buf_done(&said);
    close(fd);
}

static void who_speaks_plain_http_is_told(void **state)
{
    tls_site *t = *state;
    int fd = site_connect(&t->site);
    site_send(&t->site, fd, LW_STR("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
    site_expect(&t->site, fd,
                "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\n"
                "Content-Length: 49\r\nConnection: close\r\n\r\n"
                "client sent an HTTP request to an HTTPS server.\r\n");
    site_expect_end(&t->site, fd);
    close(fd);
}

static void a_client_that_leaves_in_the_handshake_is_forgotten(void **state)
{
    tls_site *t = *state;
    int fd = site_connect(&t->site);
    site_send(&t->site, fd, LW_STR("\x16\x03\x01"));
    site_wait_connections(&t->site, 1);
    close(fd);
    site_wait_connections(&t->site, 0);
}

static void a_handshake_that_takes_too_long_is_closed(void **state)
{
    tls_site *t = *state;
    int fd = site_connect(&t->site);
    site_send(&t->site, fd, LW_STR("\x16\x03\x01"));
    site_wait_connections(&t->site, 1);
    site_pass(&t->site, LW_HTTP_HANDSHAKE_TIMEOUT_S - 1);
    site_expect_silence(&t->site, fd);
    site_pass(&t->site, 1);
    site_expect_end(&t->site, fd);
    assert_int_equal(site_stats(&t->site).timeouts, 1);
    assert_int_equal(site_stats(&t->site).connections_open, 0);
    close(fd);
}

static void draining_does_not_wait_for_handshakes(void **state)
{
    tls_site *t = *state;
    int fd = site_connect(&t->site);
    site_wait_connections(&t->site, 1);
    site_drain(&t->site);
    site_expect_end(&t->site, fd);
    site_wait_connections(&t->site, 0);
    close(fd);
}

/* A connected pair of streams, the client's first. */
typedef struct tls_pair {
    lw_tls_context *trusting;
    lw_tls_stream *client, *server;
    int fds[2];
} tls_pair;

static void pair_open(tls_pair *p, tls_site *t)
{
    const lw_tls_client_options options = { .ca_file = t->folder.ca };
    bool is_done = false;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, p->fds), 0);
    assert_int_equal(lw_tls_client_context_new(&p->trusting, &options, NULL), LW_OK);
    assert_int_equal(lw_tls_stream_new_client(&p->client, p->trusting, p->fds[0], "localhost"),
                     LW_OK);
    assert_int_equal(lw_tls_stream_new(&p->server, t->context, p->fds[1]), LW_OK);
    for (int i = 0; !is_done && i < 10; i++) {
        lw_tls_result client = lw_tls_stream_handshake(p->client);
        lw_tls_result server = lw_tls_stream_handshake(p->server);
        is_done = client == LW_TLS_OK && server == LW_TLS_OK;
    }
    assert_true(is_done);
}

static void pair_close(tls_pair *p)
{
    lw_tls_stream_free(p->client);
    lw_tls_stream_free(p->server);
    lw_tls_context_free(p->trusting);
    close(p->fds[0]);
    close(p->fds[1]);
}

static void pair_send(const tls_pair *p, const char *text)
{
    size_t sent = 0;
    assert_int_equal(lw_tls_stream_write(p->server, text, strlen(text), &sent), LW_TLS_OK);
    assert_int_equal(sent, strlen(text));
}

static void pair_expect(const tls_pair *p, const char *text)
{
    char got[16];
    size_t len = 0;
    assert_int_equal(lw_tls_stream_read(p->client, got, sizeof(got), &len), LW_TLS_OK);
    assert_int_equal(len, strlen(text));
    assert_memory_equal(got, text, len);
}

static bool pair_is_empty(const tls_pair *p)
{
    char byte;
    return recv(p->fds[0], &byte, 1, MSG_PEEK) < 0 && errno == EAGAIN;
}

static void a_client_reads_ahead_and_says_so(void **state)
{
    tls_pair p;
    char byte;
    size_t len = 0;
    pair_open(&p, *state);
    lw_tls_stream_set_read_ahead(p.client, true);
    for (int i = 0; i < 2; i++) {
        pair_send(&p, "one");
        pair_send(&p, "two");
        pair_expect(&p, "one");
        assert_true(pair_is_empty(&p));
        assert_true(lw_tls_stream_has_more(p.client));
        pair_expect(&p, "two");
        assert_false(lw_tls_stream_has_more(p.client));
        assert_int_equal(lw_tls_stream_read(p.client, &byte, 1, &len), LW_TLS_WANTS_READ);
    }
    pair_close(&p);
}

static void a_client_that_does_not_read_ahead_uses_up_what_it_has(void **state)
{
    tls_pair p;
    pair_open(&p, *state);
    lw_tls_stream_set_read_ahead(p.client, true);
    pair_send(&p, "one");
    pair_send(&p, "two");
    pair_expect(&p, "one");
    lw_tls_stream_set_read_ahead(p.client, false);
    pair_send(&p, "three");
    pair_send(&p, "four");
    pair_expect(&p, "two");
    assert_false(lw_tls_stream_has_more(p.client));
    assert_false(pair_is_empty(&p));
    /* The first read may not look at the socket: the loop reports it again. */
    char got[16];
    size_t len = 0;
    if (lw_tls_stream_read(p.client, got, sizeof(got), &len) == LW_TLS_WANTS_READ)
        pair_expect(&p, "three");
    pair_expect(&p, "four");
    pair_close(&p);
}

#define TLS_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(errors_name_the_file),
        TEST(a_certificate_needs_a_proper_ca),
        TEST(certificates_and_keys_are_pem_and_never_the_same),
        TLS_TEST(a_handshake_that_never_comes_is_closed),
        TLS_TEST(garbage_is_closed_and_counted),
        TLS_TEST(who_speaks_plain_http_is_told),
        TLS_TEST(a_client_that_leaves_in_the_handshake_is_forgotten),
        TLS_TEST(a_handshake_that_takes_too_long_is_closed),
        TLS_TEST(draining_does_not_wait_for_handshakes),
        TLS_TEST(a_client_reads_ahead_and_says_so),
        TLS_TEST(a_client_that_does_not_read_ahead_uses_up_what_it_has),
    };
    return cmocka_run_group_tests_name("tls", tests, NULL, NULL);
}
