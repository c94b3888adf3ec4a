/* SPDX-License-Identifier: Apache-2.0 */
/* http_client_scene.h -- an HTTP client and the project's own server with TLS, on one loop. */
#ifndef LW_TESTS_UNIT_NET_CLIENT_HTTP_CLIENT_SCENE_H
#define LW_TESTS_UNIT_NET_CLIENT_HTTP_CLIENT_SCENE_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <openssl/ssl.h>

#include "base/clock.h"
#include "base/str.h"
#include "net/client/http_client.h"
#include "net/tls/tls_context.h"
#include "net/tls/tls_make.h"
#include "support/http_site.h"
#include "unit/test.h"

enum {
    SCENE_PEM_MAX = 16384,
};

/* A server with a certificate of its own CA, and the certificate of a client. */
typedef struct scene {
    http_site site;
    lw_tls_context *server;
    lw_http_client *client;
    lw_buf ca, ca_key, cert, key, client_cert, client_key;
} scene;

typedef struct told {
    unsigned count;
    int status;
    char body[64];
    lw_error err;
} told;

static inline void scene_make(const lw_tls_subject *subject, lw_str ca, lw_str ca_key, lw_buf *cert,
                              lw_buf *key)
{
    lw_error err = LW_ERROR_INIT;
    lw_buf_init(cert, SCENE_PEM_MAX);
    lw_buf_init(key, SCENE_PEM_MAX);
    if (lw_tls_make(subject, ca, ca_key, cert, key, &err) < 0)
        fail_msg("%s", err.message);
}

static inline void scene_write_file(const char *path, lw_str bytes)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes.ptr, 1, bytes.len, file), bytes.len);
    assert_int_equal(fclose(file), 0);
}

/* A server context wants files. */
static inline lw_tls_context *scene_make_server(const scene *s)
{
    char folder[] = "/tmp/listwatch-http-client-XXXXXX", paths[3][64];
    static const char *const names[] = { "cert", "key", "ca" };
    const lw_buf *const texts[] = { &s->cert, &s->key, &s->ca };
    lw_tls_context *context = NULL;
    lw_error err = LW_ERROR_INIT;
    assert_non_null(mkdtemp(folder));
    for (int i = 0; i < 3; i++) {
        (void)snprintf(paths[i], sizeof(paths[i]), "%s/%s", folder, names[i]);
        scene_write_file(paths[i], lw_buf_view(texts[i]));
    }
    const lw_tls_options options = { paths[0], paths[1], paths[2], NULL };
    if (lw_tls_context_new(&context, &options, &err) < 0)
        fail_msg("%s", err.message);
    for (int i = 0; i < 3; i++)
        assert_int_equal(unlink(paths[i]), 0);
    assert_int_equal(rmdir(folder), 0);
    return context;
}

static inline void scene_open(scene *s, bool has_alpn)
{
    static const char *const hosts[] = { "localhost", "127.0.0.1", NULL };
    const lw_tls_subject ca = { .common_name = "ca", .is_ca = true, .days = 1 };
    const lw_tls_subject server = { .common_name = "server", .hosts = hosts, .days = 1 };
    const lw_tls_subject client = { .common_name = "me", .is_client = true, .days = 1 };
    memset(s, 0, sizeof(*s));
    scene_make(&ca, LW_STR(""), LW_STR(""), &s->ca, &s->ca_key);
    scene_make(&server, lw_buf_view(&s->ca), lw_buf_view(&s->ca_key), &s->cert, &s->key);
    scene_make(&client, lw_buf_view(&s->ca), lw_buf_view(&s->ca_key), &s->client_cert,
               &s->client_key);
    s->server = scene_make_server(s);
    if (!has_alpn)
        SSL_CTX_set_alpn_select_cb(s->server->ssl, NULL, NULL);
    site_open(&s->site, NULL, s->server);
    assert_int_equal(lw_http_client_new(&s->client, s->site.loop, NULL), LW_OK);
}

static inline void scene_close(scene *s)
{
    lw_buf *const texts[] = {
        &s->ca, &s->ca_key, &s->cert, &s->key, &s->client_cert, &s->client_key
    };
    lw_http_client_free(s->client);
    site_close(&s->site);
    lw_tls_context_free(s->server);
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        lw_buf_done(texts[i]);
}

static inline void scene_on_done(int status, lw_str content_type, lw_str body, const lw_error *err,
                                 void *arg)
{
    told *t = arg;
    (void)content_type;
    t->count++;
    t->status = status;
    (void)snprintf(t->body, sizeof(t->body), "%.*s", LW_STR_ARG(body));
    if (err)
        t->err = *err;
}

static inline lw_tls_context *scene_make_client(const lw_tls_pem_options *pem)
{
    lw_tls_context *context = NULL;
    lw_error err = LW_ERROR_INIT;
    if (lw_tls_client_context_new_pem(&context, pem, &err) < 0)
        fail_msg("%s", err.message);
    return context;
}

static inline void scene_ask(scene *s, told *t, lw_tls_context *tls, const char *server_name)
{
    lw_http_call_options options = {
        .target = { .host = "127.0.0.1",
                    .port = s->site.port,
                    .tls = tls,
                    .server_name = server_name },
        .method = LW_STR("POST"),
        .path = LW_STR("/echo"),
        .body = lw_bytes_static(LW_STR("secret")),
        /* By the loop's clock, which does not move. */
        .deadline_ns = lw_clock_now(lw_loop_clock(s->site.loop)) + LW_NS_PER_S,
    };
    memset(t, 0, sizeof(*t));
    assert_int_equal(lw_http_client_ask(NULL, s->client, &options, scene_on_done, t, &t->err),
                     LW_OK);
    site_wait(&s->site, &t->count, 1);
}

#endif
