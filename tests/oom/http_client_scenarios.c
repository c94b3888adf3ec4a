/* SPDX-License-Identifier: Apache-2.0 */
/* http_client_scenarios.c -- the HTTP client on HTTP/1.1 with each allocation failing in turn.  A
 * call gets a complete and correct reply, or LW_ERR_NOMEM; bodies are released once. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "net/client/http_client.h"
#include "oom/oom.h"

enum {
    TURNS_MAX = 1000,
    TURN_MS = 2,
};

/* A server that answers each request on each connection with the same reply. */
typedef struct scene {
    lw_loop *loop;
    lw_http_client *client;
    int listener, fd;
    uint16_t port;
    unsigned given, released, ends;
    lw_status st;
    bool is_right;
} scene;

static const char reply[] = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
                            "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n";

static void released(void *owner)
{
    ((scene *)owner)->released++;
}

static void on_done(int status, lw_str content_type, lw_str body, const lw_error *err, void *arg)
{
    scene *s = arg;
    s->ends++;
    s->st = err ? err->code : LW_OK;
    s->is_right = status == 200 && lw_str_equal(content_type, LW_STR("text/plain")) &&
                  lw_str_equal(body, LW_STR("hello"));
}

static bool scene_open(scene *s)
{
    struct sockaddr_in address = { .sin_family = AF_INET };
    socklen_t len = sizeof(address);
    memset(s, 0, sizeof(*s));
    s->fd = -1;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    s->listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (s->listener < 0 || bind(s->listener, (struct sockaddr *)&address, len) < 0 ||
        listen(s->listener, 8) < 0 ||
        getsockname(s->listener, (struct sockaddr *)&address, &len) < 0)
        return false;
    s->port = ntohs(address.sin_port);
    return true;
}

static void scene_close(scene *s)
{
    lw_http_client_free(s->client);
    lw_loop_free(s->loop);
    close(s->listener);
    if (s->fd >= 0)
        close(s->fd);
}

/* Accepts, and answers when the body ("body") has arrived. */
static void serve(scene *s, bool *has_answered)
{
    char bytes[4096];
    int fd = accept4(s->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
        if (s->fd >= 0)
            close(s->fd);
        s->fd = fd;
    }
    ssize_t len = s->fd >= 0 ? recv(s->fd, bytes, sizeof(bytes), 0) : -1;
    if (len >= 4 && memcmp(bytes + len - 4, "body", 4) == 0) {
        (void)send(s->fd, reply, sizeof(reply) - 1, MSG_NOSIGNAL);
        *has_answered = true;
    }
}

static lw_status ask(scene *s, lw_error *err)
{
    static const lw_http_header header = { LW_STR_INIT("Content-Type"), LW_STR_INIT("text/plain") };
    lw_http_call_options options = { .target = { .host = "127.0.0.1", .port = s->port },
                                     .method = LW_STR("POST"),
                                     .path = LW_STR("/a"),
                                     .headers = &header,
                                     .header_count = 1,
                                     .body = { "body", 4, released, s } };
    bool has_answered = false;
    unsigned ends = s->ends;
    s->given++;
    lw_status st = lw_http_client_ask(NULL, s->client, &options, on_done, s, err);
    for (int i = 0; st == LW_OK && s->ends == ends; i++) {
        if (i == TURNS_MAX)
            return lw_error_set(err, LW_ERR_INTERNAL, "the call does not end");
        st = lw_loop_turn(s->loop, TURN_MS, err);
        if (!has_answered)
            serve(s, &has_answered);
    }
    if (st < 0)
        return st;
    if (s->st < 0)
        return lw_error_set(err, s->st, "the call failed");
    return s->is_right ? LW_OK : lw_error_set(err, LW_ERR_INTERNAL, "the reply is wrong");
}

static lw_status asks_twice_on_one_connection(lw_error *err)
{
    scene s;
    if (!scene_open(&s))
        return lw_error_set(err, LW_ERR_INTERNAL, "no listener");
    lw_status st = lw_loop_new(&s.loop, NULL, err);
    if (st == LW_OK)
        st = lw_http_client_new(&s.client, s.loop, err);
    for (int i = 0; i < 2 && st == LW_OK; i++)
        st = ask(&s, err);
    scene_close(&s);
    if (s.given != s.released)
        st = lw_error_set(err, LW_ERR_INTERNAL, "a body is not released");
    return st;
}

const oom_scenario http_client_scenarios[] = {
    { "asks twice on one connection", asks_twice_on_one_connection },
};
const size_t http_client_scenario_count =
    sizeof(http_client_scenarios) / sizeof(http_client_scenarios[0]);
