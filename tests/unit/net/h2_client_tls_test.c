/* SPDX-License-Identifier: Apache-2.0 */
/* h2_client_tls_test.c -- whom our side of HTTP/2 believes, and who it says it is. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <openssl/ssl.h>

#include "net/h2/h2_client.h"
#include "net/tls/tls_context.h"
#include "net/tls/tls_make.h"
#include "unit/net/h2_client_world.h"

enum {
    PEM_MAX = 16384,
    NAME_SIZE = 128,
};

/* Keys and certificates in a folder of their own. */
typedef struct folder {
    char path[64];
    lw_buf ca_cert, ca_key;
} folder;

static const char *const names[] = { "ca",           "cert",        "key",     "other-ca",
                                     "expired-cert", "expired-key", "my-cert", "my-key" };

static const char *path_of(const folder *f, const char *name)
{
    static char paths[8][NAME_SIZE];
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(names[i], name) != 0)
            continue;
        (void)snprintf(paths[i], NAME_SIZE, "%s/%s", f->path, name);
        return paths[i];
    }
    fail_msg("no file is called %s", name);
    return NULL;
}

static void write_file(const folder *f, const char *name, lw_str bytes)
{
    FILE *file = fopen(path_of(f, name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes.ptr, 1, bytes.len, file), bytes.len);
    assert_int_equal(fclose(file), 0);
}

/* Makes a certificate; signed by the folder's CA when it has one. */
static void make(const folder *f, const lw_tls_subject *subject, lw_buf *cert, lw_buf *key)
{
    lw_error err = LW_ERROR_INIT;
    lw_buf_init(cert, PEM_MAX);
    lw_buf_init(key, PEM_MAX);
    if (lw_tls_make(subject, lw_buf_view(&f->ca_cert), lw_buf_view(&f->ca_key), cert, key, &err) <
        0)
        fail_msg("%s", err.message);
}

static void make_files(const folder *f, const lw_tls_subject *subject, const char *cert_name,
                       const char *key_name)
{
    lw_buf cert, key;
    make(f, subject, &cert, &key);
    write_file(f, cert_name, lw_buf_view(&cert));
    if (key_name)
        write_file(f, key_name, lw_buf_view(&key));
    lw_buf_done(&cert);
    lw_buf_done(&key);
}

static void folder_open(folder *f)
{
    static const char *const hosts[] = { "localhost", "127.0.0.1", NULL };
    const lw_tls_subject ca = { .common_name = "ca", .is_ca = true, .days = 1 };
    const lw_tls_subject server = { .common_name = "server", .hosts = hosts, .days = 1 };
    const lw_tls_subject expired = { .common_name = "server", .hosts = hosts, .days = -1 };
    const lw_tls_subject client = { .common_name = "me", .is_client = true, .days = 1 };
    memset(f, 0, sizeof(*f));
    (void)snprintf(f->path, sizeof(f->path), "/tmp/listwatch-h2-client-XXXXXX");
    assert_non_null(mkdtemp(f->path));
    make_files(f, &ca, "other-ca", NULL);
    lw_buf ca_cert, ca_key;
    make(f, &ca, &ca_cert, &ca_key);
    f->ca_cert = ca_cert;
    f->ca_key = ca_key;
    write_file(f, "ca", lw_buf_view(&ca_cert));
    make_files(f, &server, "cert", "key");
    make_files(f, &expired, "expired-cert", "expired-key");
    make_files(f, &client, "my-cert", "my-key");
}

static void folder_close(folder *f)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        (void)unlink(path_of(f, names[i]));
    assert_int_equal(rmdir(f->path), 0);
    lw_buf_done(&f->ca_cert);
    lw_buf_done(&f->ca_key);
}

/* What a test tries. */
typedef struct trial {
    const char *ca, *cert, *key; /* the client's */
    const char *server_cert, *server_key;
    const char *authority;
    bool needs_client, has_no_alpn;
} trial;

/* Dials and asks; what came of it is in |w| and |a|. */
static void try_it(world *w, answer *a, const trial *t)
{
    folder f;
    lw_error err = LW_ERROR_INIT;
    lw_tls_context *context = NULL;
    folder_open(&f);
    const lw_tls_options server = { path_of(&f, t->server_cert ? t->server_cert : "cert"),
                                    path_of(&f, t->server_key ? t->server_key : "key"),
                                    t->needs_client ? path_of(&f, "ca") : NULL, NULL };
    const lw_tls_client_options client = { path_of(&f, t->ca ? t->ca : "ca"),
                                           t->cert ? path_of(&f, t->cert) : NULL,
                                           t->key ? path_of(&f, t->key) : NULL };
    world_open(w);
    if (lw_tls_context_new(&w->peer.tls, &server, &err) < 0 ||
        lw_tls_client_context_new(&context, &client, &err) < 0)
        fail_msg("%s", err.message);
    if (t->needs_client)
        SSL_CTX_set_verify(w->peer.tls->ssl, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT,
                           NULL);
    if (t->has_no_alpn)
        SSL_CTX_set_alpn_select_cb(w->peer.tls->ssl, NULL, NULL);
    world_dial_with(w, (lw_h2_client_options){
                           .tls = context, .authority = t->authority, WORLD_TIMEOUTS });
    lw_tls_context_free(context);
    answer_ask(a, w, "/echo", "secret");
    world_until(w, &a->closes, 1);
    folder_close(&f);
}

static void finish(world *w, answer *a)
{
    lw_tls_context *tls = w->peer.tls;
    answer_done(a);
    world_close(w);
    lw_tls_context_free(tls);
}

static void expect_success(const trial *t)
{
    world w;
    answer a = { .call = NULL };
    try_it(&w, &a, t);
    if (a.err.code != LW_OK)
        fail_msg("%s", a.err.message);
    assert_str_equal(lw_buf_view(&a.body), "secret");
    finish(&w, &a);
}

/* The server never saw the request, and the message says |why|. */
static void expect_failure(const trial *t, lw_status st, const char *why)
{
    world w;
    answer a = { .call = NULL };
    try_it(&w, &a, t);
    assert_int_equal(a.err.code, st);
    assert_true(a.is_unseen);
    assert_int_equal(w.ups, 0);
    assert_int_equal(w.peer.requests, 0);
    if (!strstr(a.err.message, why))
        fail_msg("\"%s\" does not say \"%s\"", a.err.message, why);
    finish(&w, &a);
}

static void a_server_is_believed_by_address_and_by_name(void **state)
{
    (void)state;
    expect_success(&(trial){ .ca = NULL });
    expect_success(&(trial){ .authority = "localhost" });
    expect_success(&(trial){ .authority = "localhost:2379" });
}

/* As Go does it; tests of operators use their webhook's certificate as its CA. */
static void a_server_whose_own_certificate_is_trusted_is_believed(void **state)
{
    (void)state;
    expect_success(&(trial){ .ca = "cert" });
}

static void a_certificate_for_another_name_is_not_believed(void **state)
{
    (void)state;
    expect_failure(&(trial){ .authority = "example.org" }, LW_ERR_INVALID, "hostname mismatch");
    expect_failure(&(trial){ .authority = "127.0.0.2:1" }, LW_ERR_INVALID, "IP address mismatch");
}

static void an_unknown_authority_is_not_believed(void **state)
{
    (void)state;
    expect_failure(&(trial){ .ca = "other-ca" }, LW_ERR_INVALID, "certificate");
}

static void an_expired_certificate_is_not_believed(void **state)
{
    (void)state;
    expect_failure(&(trial){ .server_cert = "expired-cert", .server_key = "expired-key" },
                   LW_ERR_INVALID, "expired");
}

static void a_client_shows_its_certificate(void **state)
{
    (void)state;
    expect_success(&(trial){ .needs_client = true, .cert = "my-cert", .key = "my-key" });
}

static void a_client_without_the_certificate_asked_for_is_told(void **state)
{
    (void)state;
    expect_failure(&(trial){ .needs_client = true }, LW_ERR_INVALID, "certificate required");
}

static void a_server_must_speak_http2(void **state)
{
    (void)state;
    expect_failure(&(trial){ .has_no_alpn = true }, LW_ERR_INVALID, "ALPN");
}

static void a_server_without_tls_is_noticed(void **state)
{
    (void)state;
    folder f;
    world w;
    answer a = { .call = NULL };
    lw_tls_context *context = NULL;
    folder_open(&f);
    world_open(&w);
    const lw_tls_client_options client = { path_of(&f, "ca"), NULL, NULL };
    assert_int_equal(lw_tls_client_context_new(&context, &client, NULL), LW_OK);
    world_dial_with(&w, (lw_h2_client_options){ .tls = context, WORLD_TIMEOUTS });
    lw_tls_context_free(context);
    answer_ask(&a, &w, "/echo", "x");
    world_until(&w, &w.downs, 1);
    assert_true(a.is_unseen);
    assert_int_equal(w.ups, 0);
    answer_done(&a);
    world_close(&w);
    folder_close(&f);
}

static void a_handshake_that_does_not_begin_is_given_up(void **state)
{
    (void)state;
    folder f;
    world w;
    lw_tls_context *context = NULL;
    folder_open(&f);
    world_open(&w);
    w.peer.is_mute = true;
    const lw_tls_client_options client = { path_of(&f, "ca"), NULL, NULL };
    assert_int_equal(lw_tls_client_context_new(&context, &client, NULL), LW_OK);
    world_dial_with(&w, (lw_h2_client_options){ .tls = context, .connect_timeout_ms = 100 });
    lw_tls_context_free(context);
    world_until(&w, &w.peer.accepted, 1);
    world_pass(&w, 100);
    assert_int_equal(w.downs, 1);
    assert_int_equal(w.down.code, LW_ERR_TIMEOUT);
    assert_non_null(strstr(w.down.message, "TLS"));
    world_close(&w);
    folder_close(&f);
}

static void big_bodies_go_through_tls(void **state)
{
    (void)state;
    enum {
        BIG = 3 * 1000 * 1000
    };
    world w;
    answer a = { .call = NULL }, b = { .call = NULL };
    char *big = malloc(BIG);
    assert_non_null(big);
    for (size_t i = 0; i < BIG; i++)
        big[i] = (char)(i * 7 + i / 4099);
    try_it(&w, &a, &(trial){ .ca = NULL });
    assert_int_equal(answer_open(&b, &w, "/echo"), LW_OK);
    answer_send(&b, lw_str_make(big, BIG), true);
    world_until(&w, &b.closes, 1);
    assert_int_equal(b.body.len, BIG);
    assert_memory_equal(b.body.data, big, BIG);
    answer_done(&b);
    finish(&w, &a);
    free(big);
}

static void files_that_cannot_be_used_are_named(void **state)
{
    (void)state;
    folder f;
    lw_error err = LW_ERROR_INIT;
    lw_tls_context *context = NULL;
    folder_open(&f);
    const lw_tls_client_options bad[] = {
        { "/nowhere/ca", NULL, NULL },
        { path_of(&f, "ca"), "/nowhere/cert", path_of(&f, "my-key") },
        { path_of(&f, "ca"), path_of(&f, "my-cert"), "/nowhere/key" },
        { path_of(&f, "ca"), path_of(&f, "my-cert"), NULL },
    };
    static const char *const whys[] = { "/nowhere/ca", "/nowhere/cert", "/nowhere/key",
                                        "requires its private key" };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(lw_tls_client_context_new(&context, &bad[i], &err), LW_ERR_INVALID);
        assert_non_null(strstr(err.message, whys[i]));
    }
    assert_null(context);
    folder_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_server_is_believed_by_address_and_by_name),
        TEST(a_server_whose_own_certificate_is_trusted_is_believed),
        TEST(a_certificate_for_another_name_is_not_believed),
        TEST(an_unknown_authority_is_not_believed),
        TEST(an_expired_certificate_is_not_believed),
        TEST(a_client_shows_its_certificate),
        TEST(a_client_without_the_certificate_asked_for_is_told),
        TEST(a_server_must_speak_http2),
        TEST(a_server_without_tls_is_noticed),
        TEST(a_handshake_that_does_not_begin_is_given_up),
        TEST(big_bodies_go_through_tls),
        TEST(files_that_cannot_be_used_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
