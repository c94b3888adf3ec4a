/* SPDX-License-Identifier: Apache-2.0 */
/* hook_server.c -- the HTTPS server of a controller's webhooks.
 *
 *   new ──start──▶ a thread turns the loop        ──free──▶ drained
 *    └──dispatch──▶ the program turns the loop    ──free──▶
 *
 *   request ──▶ handler in the loop's thread ──▶ reply
 *          └──▶ worker ──▶ task on the loop ──▶ reply
 *
 * Threads: connections, replies and the certificate belong to the thread that turns the loop.
 * Workers only run handlers. */
#include <listwatch/server_webhook.h>

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/options.h"
#include "base/str.h"
#include "base/sync.h"
#include "base/text/base64.h"
#include "base/thread/workers.h"
#include "net/endpoint.h"
#include "net/http_server.h"
#include "server/core/pki.h"
#include "server/core/reply.h"
#include "server/core/serving_tls.h"
#include "server/hook_server/review.h"

enum {
    PATHS_MAX = 32,
    HOSTS_MAX = 64,
    CONNECTIONS_MAX = 1000,
    QUEUE_MAX = 1024, /* requests that wait for a worker */
    URL_SIZE = 256,
    DRAIN_S = 5,
};

static const char component[] = "webhook";

typedef struct path {
    char *text;
    lw_review_handler handler;
} path;

struct lw_webhook_server {
    const lw_logger *logger;
    lw_loop *loop;
    lw_http_server *http;
    lw_serving_tls tls;
    lw_workers *workers; /* NULL: handlers run in the loop */
    unsigned worker_count;
    lw_pki pki;
    uint16_t port;
    char url[URL_SIZE];
    char *bundle; /* the CA in base64 */
    path paths[PATHS_MAX];
    size_t path_count;
    lw_thread thread;
    bool has_thread;
};

/* A request on its way through a worker. */
typedef struct job {
    lw_work work;
    lw_task task;
    lw_http_stream *stream;
    const lw_review_handler *handler;
    lw_buf answer;
    int status;
} job;

static const path *find_path(const lw_webhook_server *server, lw_str text)
{
    for (size_t i = 0; i < server->path_count; i++) {
        if (lw_str_equal(lw_str_of(server->paths[i].text), text))
            return &server->paths[i];
    }
    return NULL;
}

static void reply(lw_http_stream *stream, int status, lw_buf *body)
{
    lw_reply_buf(stream, status, status == 200 ? "application/json" : "text/plain; charset=utf-8",
                 body);
}

/* On the loop. */
static void finish_job(lw_task *task)
{
    job *j = LW_DLIST_ITEM(&task->link, job, task.link);
    reply(j->stream, j->status, &j->answer);
    lw_http_stream_unref(j->stream);
    lw_free(j);
}

/* In a worker. */
static void run_job(lw_work *work)
{
    job *j = LW_DLIST_ITEM(&work->link, job, work.link);
    j->status = lw_review_answer(j->handler, j->stream->request.body, &j->answer);
    lw_loop_post(j->stream->loop, &j->task);
}

static void queue_job(lw_webhook_server *server, lw_http_stream *stream, const path *p)
{
    job *j = lw_alloc_zero(1, sizeof(*j));
    if (!j) {
        lw_reply_text(stream, 500, "out of memory\n");
        return;
    }
    j->work.run = run_job;
    j->task.run = finish_job;
    j->handler = &p->handler;
    j->stream = lw_http_stream_ref(stream);
    lw_buf_init(&j->answer, LW_REVIEW_ANSWER_MAX);
    if (lw_workers_take(server->workers, &j->work) == LW_OK)
        return;
    lw_http_stream_unref(j->stream);
    lw_free(j);
    lw_reply_text(stream, 503, "too many requests wait for the webhook\n");
}

static void on_request(lw_http_stream *stream, void *arg)
{
    lw_webhook_server *server = arg;
    const path *p = find_path(server, stream->request.path);
    lw_buf answer;
    if (!p) {
        lw_reply_text(stream, 404, "404 page not found\n");
    } else if (stream->request.method != LW_HTTP_POST) {
        lw_reply_text(stream, 405, "Method Not Allowed\n");
    } else if (server->workers) {
        queue_job(server, stream, p);
    } else {
        lw_buf_init(&answer, LW_REVIEW_ANSWER_MAX);
        int status = lw_review_answer(&p->handler, stream->request.body, &answer);
        reply(stream, status, &answer);
    }
}

static void on_too_large(lw_http_stream *stream, void *arg)
{
    (void)arg;
    lw_reply_text(stream, 413, "the request is larger than 3 MiB\n");
}

/* Certificates. */

static lw_status make_certificate(lw_webhook_server *server, const char *const *names,
                                  lw_error *err)
{
    const char *hosts[HOSTS_MAX + 4] = { "localhost", "127.0.0.1", "::1" };
    size_t count = 3;
    for (; names && *names; names++) {
        if (count == HOSTS_MAX + 3)
            return lw_error_set(err, LW_ERR_INVALID, "a webhook server has at most %d hosts",
                                HOSTS_MAX);
        hosts[count++] = *names;
    }
    const lw_pki_options options = { .hosts = hosts,
                                     .wall_ns = lw_clock_wall(lw_clock_system()),
                                     .logger = server->logger };
    lw_status st = lw_pki_open(&server->pki, &options, err);
    if (st < 0)
        return st;
    const lw_tls_options tls = { .cert_file = server->pki.cert_file,
                                 .key_file = server->pki.key_file };
    return lw_serving_tls_open(&server->tls, &tls, NULL, server->logger, err);
}

static lw_status open_tls(lw_webhook_server *server, const lw_webhook_server_options *o,
                          lw_error *err)
{
    if (!o->cert_file != !o->key_file)
        return lw_error_set(err, LW_ERR_INVALID,
                            "the certificate of a webhook server requires its key and vice versa");
    if (!o->cert_file)
        return make_certificate(server, o->hosts, err);
    const lw_tls_options tls = { .cert_file = o->cert_file, .key_file = o->key_file };
    return lw_serving_tls_open(&server->tls, &tls, server->loop, server->logger, err);
}

static lw_status encode_bundle(lw_webhook_server *server, lw_error *err)
{
    lw_buf text;
    lw_buf_init(&text, 2 * LW_PKI_PEM_MAX);
    lw_base64_encode(&text, lw_str_of(lw_webhook_server_ca(server)));
    server->bundle = lw_buf_take_text(&text);
    lw_buf_done(&text);
    return server->bundle ? LW_OK : lw_error_nomem(err);
}

static lw_status listen_on(lw_webhook_server *server, const char *address, lw_error *err)
{
    const lw_http_server_options options = {
        .loops = &server->loop,
        .loop_count = 1,
        .handler = { .on_too_large = on_too_large, .on_request = on_request, .arg = server },
        .limits = { .connections = CONNECTIONS_MAX },
        .logger = server->logger,
    };
    lw_status st = lw_http_server_new(&server->http, &options, err);
    if (st == LW_OK)
        st = lw_http_server_listen(server->http, lw_str_of(address), server->tls.context,
                                   &server->port, err);
    const char *colon = strrchr(address, ':');
    (void)snprintf(server->url, sizeof(server->url), "https://%.*s:%u",
                   colon ? (int)(colon - address) : 0, address, server->port);
    return st;
}

lw_status lw_webhook_server_new(lw_webhook_server **out, const lw_webhook_server_options *given,
                                lw_error *err)
{
    lw_webhook_server_options o = LW_WEBHOOK_SERVER_OPTIONS_INIT;
    lw_status st = lw_options_read(&o, sizeof(o), given, "lw_webhook_server_options", err);
    if (st < 0)
        return st;
    if (o.workers > LW_WORKERS_MAX)
        return lw_error_set(err, LW_ERR_INVALID, "a webhook server has at most %d workers",
                            LW_WORKERS_MAX);
    lw_webhook_server *server = lw_alloc_zero(1, sizeof(*server));
    if (!server)
        return lw_error_nomem(err);
    server->logger = o.logger;
    server->worker_count = o.workers;
    st = lw_loop_new(&server->loop, NULL, err);
    if (st == LW_OK)
        st = open_tls(server, &o, err);
    if (st == LW_OK)
        st = encode_bundle(server, err);
    if (st == LW_OK)
        st = listen_on(server, o.listen ? o.listen : "127.0.0.1:0", err);
    if (st == LW_OK && o.workers > 0)
        st = lw_workers_new(&server->workers, "lw-webhook", o.workers, 0, QUEUE_MAX, err);
    if (st < 0) {
        lw_webhook_server_free(server);
        return st;
    }
    *out = server;
    return LW_OK;
}

void lw_webhook_server_free(lw_webhook_server *server)
{
    if (!server)
        return;
    if (server->has_thread) {
        lw_loop_stop(server->loop);
        lw_thread_join(&server->thread);
    }
    lw_workers_free(server->workers); /* handlers have returned; their replies are posted */
    if (server->loop)
        (void)lw_loop_turn(server->loop, 0, NULL); /* sends them, as far as sockets take them */
    lw_http_server_free(server->http);
    lw_serving_tls_done(&server->tls);
    lw_loop_free(server->loop);
    lw_pki_done(&server->pki);
    for (size_t i = 0; i < server->path_count; i++)
        lw_free(server->paths[i].text);
    lw_free(server->bundle);
    lw_free(server);
}

static lw_status add(lw_webhook_server *server, const char *text, lw_review_handler handler,
                     lw_error *err)
{
    if (!text || text[0] != '/')
        return lw_error_set(err, LW_ERR_INVALID, "the path of a webhook must begin with \"/\"");
    if (server->has_thread)
        return lw_error_set(err, LW_ERR_INVALID, "the webhook server was started already");
    if (find_path(server, lw_str_of(text)))
        return lw_error_set(err, LW_ERR_EXISTS, "the path %s has a handler already", text);
    if (server->path_count == PATHS_MAX)
        return lw_error_set(err, LW_ERR_LIMIT, "a webhook server has at most %d paths", PATHS_MAX);
    char *copy = lw_str_dup(lw_str_of(text));
    if (!copy)
        return lw_error_nomem(err);
    server->paths[server->path_count++] = (path){ copy, handler };
    return LW_OK;
}

lw_status lw_webhook_server_add_admission(lw_webhook_server *server, const char *text,
                                          lw_webhook_admission_fn fn, void *arg, lw_error *err)
{
    return add(server, text, (lw_review_handler){ .admit = fn, .arg = arg }, err);
}

lw_status lw_webhook_server_add_conversion(lw_webhook_server *server, const char *text,
                                           lw_webhook_conversion_fn fn, void *arg, lw_error *err)
{
    return add(server, text, (lw_review_handler){ .convert = fn, .arg = arg }, err);
}

static void run(void *arg)
{
    lw_webhook_server *server = arg;
    lw_error err = LW_ERROR_INIT;
    if (lw_loop_run(server->loop, &err) < 0)
        lw_log(server->logger, LW_LOG_ERROR, component, "the event loop failed: %s", err.message);
}

lw_status lw_webhook_server_start(lw_webhook_server *server, lw_error *err)
{
    if (server->has_thread)
        return lw_error_set(err, LW_ERR_EXISTS, "the webhook server is already running");
    lw_status st = lw_thread_start(&server->thread, "lw-webhook", run, server, err);
    server->has_thread = st == LW_OK;
    return st;
}

int lw_webhook_server_fd(const lw_webhook_server *server)
{
    return lw_loop_fd(server->loop);
}

int lw_webhook_server_timeout_ms(const lw_webhook_server *server)
{
    return lw_loop_timeout_ms(server->loop);
}

void lw_webhook_server_dispatch(lw_webhook_server *server)
{
    lw_error err = LW_ERROR_INIT;
    if (lw_loop_turn(server->loop, 0, &err) < 0)
        lw_log(server->logger, LW_LOG_ERROR, component, "the event loop failed: %s", err.message);
}

const char *lw_webhook_server_url(const lw_webhook_server *server)
{
    return server->url;
}

unsigned lw_webhook_server_port(const lw_webhook_server *server)
{
    return server->port;
}

const char *lw_webhook_server_ca(const lw_webhook_server *server)
{
    return server->pki.ca_cert ? server->pki.ca_cert : "";
}

const char *lw_webhook_server_ca_bundle(const lw_webhook_server *server)
{
    return server->bundle;
}
