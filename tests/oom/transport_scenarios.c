/* SPDX-License-Identifier: Apache-2.0 */
/* transport_scenarios.c -- src/transport, with each allocation failing in turn. curl and the test
 * server use malloc, so only the library's allocations fail. */
#include <poll.h>
#include <string.h>

#include "oom/oom.h"

#include "base/error.h"
#include "base/str.h"
#include "support/script_server.h"
#include "transport/transport.h"
#include "transport/upstream.h"

#define CERT "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
#define KEY  "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"

enum {
    WAIT_MS = 10000,
    AT_ONCE = 20,
};

typedef struct tally {
    unsigned dones;
    size_t bytes;
    lw_status st;
} tally;

static void count_body(lw_transfer *transfer, const char *bytes, size_t len, void *arg)
{
    (void)transfer;
    (void)bytes;
    ((tally *)arg)->bytes += len;
}

static void count_done(lw_transfer *transfer, const lw_transfer_result *result, void *arg)
{
    tally *t = arg;
    (void)transfer;
    t->dones++;
    if (result->st < 0)
        t->st = result->st;
}

static lw_status drive(lw_transport *transport, const tally *t, unsigned count)
{
    while (t->dones < count) {
        int timeout = lw_transport_timeout_ms(transport);
        struct pollfd ready = { .fd = lw_transport_fd(transport), .events = POLLIN };
        if (poll(&ready, 1, timeout < 0 ? WAIT_MS : timeout) == 0 && timeout < 0)
            return LW_ERR_INTERNAL;
        lw_transport_dispatch(transport);
    }
    return t->st;
}

static lw_status send_many(lw_transport *transport, bool are_short, lw_error *err)
{
    const char *const headers[] = { "Content-Type: application/json", NULL };
    tally t = { .st = LW_OK };
    lw_transfer_options options = { .method = "POST",
                                    .target = "/",
                                    .headers = headers,
                                    .body = LW_STR("{}"),
                                    .timeout_ms = 60000,
                                    .idle_timeout_s = 60,
                                    .is_short = are_short,
                                    .on_body = count_body,
                                    .on_done = count_done,
                                    .arg = &t };
    for (unsigned i = 0; i < AT_ONCE; i++) {
        lw_transfer *transfer = NULL;
        lw_status st = lw_transport_start(transport, &options, &transfer, err);
        if (st < 0)
            return st;
    }
    lw_status st = drive(transport, &t, AT_ONCE);
    return st == LW_OK && t.bytes != 2 * AT_ONCE ? LW_ERR_INTERNAL : st;
}

static lw_status send_twice(bool are_short, lw_error *err)
{
    script_server *server = script_server_open();
    script_server_say_always(server, "POST", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi");
    lw_transport *transport = NULL;
    const lw_transport_endpoint endpoint = { .server = script_server_url(server) };
    lw_status st = lw_transport_new(&transport, NULL, err);
    if (st == LW_OK)
        st = lw_transport_set_endpoint(transport, &endpoint, err);
    if (st == LW_OK)
        st = send_many(transport, are_short, err);
    if (st == LW_OK && are_short) /* on the connections that were kept */
        st = send_many(transport, are_short, err);
    lw_transport_free(transport);
    script_server_close(server);
    return st;
}

static lw_status sends_requests(lw_error *err)
{
    return send_twice(false, err);
}

static lw_status sends_short_requests(lw_error *err)
{
    return send_twice(true, err);
}

static lw_status changes_endpoints(lw_error *err)
{
    lw_transport *transport = NULL;
    lw_status st = lw_transport_new(&transport, NULL, err);
    lw_transport_endpoint endpoint = { .tls_server_name = "name",
                                       .proxy_url = "socks5://proxy:1080",
                                       .ca_pem = LW_STR(CERT),
                                       .cert_pem = LW_STR(CERT),
                                       .key_pem = LW_STR(KEY) };
    const char *const servers[] = { "https://a:6443", "https://b:6443/path",
                                    "https://b:6443/path" };
    for (size_t i = 0; st == LW_OK && i < sizeof(servers) / sizeof(servers[0]); i++) {
        endpoint.server = servers[i];
        st = lw_transport_set_endpoint(transport, &endpoint, err);
    }
    lw_transport_free(transport);
    return st;
}

static lw_status copies_an_upstream(lw_error *err)
{
    lw_upstream upstream = { 0 }, copy = { 0 };
    const lw_transport_endpoint endpoint = { .server = "https://a:6443",
                                             .tls_server_name = "name",
                                             .proxy_url = "http://proxy:1080",
                                             .ca_pem = LW_STR(CERT),
                                             .cert_pem = LW_STR(CERT),
                                             .key_pem = LW_STR(KEY) };
    lw_status st = lw_upstream_init(&upstream, &endpoint, err);
    if (st == LW_OK)
        st = lw_upstream_copy(&copy, &upstream);
    if (st == LW_OK && !lw_upstream_is_same(&upstream, &copy))
        st = LW_ERR_INTERNAL;
    lw_upstream_done(&copy);
    lw_upstream_done(&upstream);
    return st;
}

const oom_scenario transport_scenarios[] = {
    { "sends requests", sends_requests },
    { "sends short requests", sends_short_requests },
    { "changes endpoints", changes_endpoints },
    { "copies an upstream", copies_an_upstream },
};
const size_t transport_scenario_count =
    sizeof(transport_scenarios) / sizeof(transport_scenarios[0]);
