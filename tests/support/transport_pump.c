/* SPDX-License-Identifier: Apache-2.0 */
/* transport_pump.c -- drives a transport in a test. */
#include "support/transport_pump.h"

#include <poll.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "unit/test.h"

/* Longer than any operation takes; a test that waits this long has failed. */
#define PATIENCE_NS (20 * LW_NS_PER_S)

enum {
    BODY_MAX = 64 * 1024 * 1024,
    TURN_MS = 1000,
};

lw_transport *pump_open(const char *server, const lw_transport_options *options)
{
    lw_transport *transport = NULL;
    lw_error err = LW_ERROR_INIT;
    const lw_transport_endpoint endpoint = { .server = server };
    assert_int_equal(lw_transport_new(&transport, options, &err), LW_OK);
    if (lw_transport_set_endpoint(transport, &endpoint, &err) < 0)
        fail_msg("%s", err.message);
    return transport;
}

void pump_turn(lw_transport *transport, int timeout_ms)
{
    int wanted = lw_transport_timeout_ms(transport);
    struct pollfd ready = { .fd = lw_transport_fd(transport), .events = POLLIN };
    if (wanted >= 0 && (timeout_ms < 0 || wanted < timeout_ms))
        timeout_ms = wanted;
    (void)poll(&ready, 1, timeout_ms);
    lw_transport_dispatch(transport);
}

void pump_until(lw_transport *transport, const unsigned *count, unsigned value)
{
    int64_t deadline = lw_clock_now(lw_clock_system()) + PATIENCE_NS;
    while (*count < value && lw_clock_now(lw_clock_system()) < deadline)
        pump_turn(transport, TURN_MS);
    assert_true(*count >= value);
}

void pump_until_body(talk *t, size_t len)
{
    int64_t deadline = lw_clock_now(lw_clock_system()) + PATIENCE_NS;
    while (t->body.len < len && t->dones == 0 && lw_clock_now(lw_clock_system()) < deadline)
        pump_turn(t->transport, TURN_MS);
    assert_true(t->body.len >= len);
}

static void on_head(lw_transfer *transfer, int status, lw_str content_type, lw_str retry_after,
                    void *arg)
{
    talk *t = arg;
    assert_ptr_equal(transfer, t->transfer);
    t->heads++;
    t->status = status;
    lw_error_copy_text(t->content_type, sizeof(t->content_type), content_type.ptr,
                       content_type.len);
    lw_error_copy_text(t->retry_after, sizeof(t->retry_after), retry_after.ptr, retry_after.len);
}

static void on_body(lw_transfer *transfer, const char *bytes, size_t len, void *arg)
{
    talk *t = arg;
    assert_ptr_equal(transfer, t->transfer);
    assert_int_equal(t->dones, 0);
    lw_buf_append(&t->body, bytes, len);
    if (t->pauses) {
        t->pauses = false;
        lw_transfer_set_paused(transfer, true);
    }
}

static void on_done(lw_transfer *transfer, const lw_transfer_result *result, void *arg)
{
    talk *t = arg;
    assert_ptr_equal(transfer, t->transfer);
    t->transfer = NULL;
    t->result = *result;
    t->dones++;
}

void talk_start(talk *t, lw_transport *transport, lw_transfer_options *options)
{
    lw_error err = LW_ERROR_INIT;
    *t = (talk){ .transport = transport };
    lw_buf_init(&t->body, BODY_MAX);
    options->on_head = on_head;
    options->on_body = on_body;
    options->on_done = on_done;
    options->arg = t;
    if (lw_transport_start(transport, options, &t->transfer, &err) < 0)
        fail_msg("%s", err.message);
}

void talk_get(talk *t, lw_transport *transport, const char *target)
{
    lw_transfer_options options = { .method = "GET", .target = target };
    talk_start(t, transport, &options);
}

void talk_done(talk *t)
{
    lw_transfer_cancel(t->transfer);
    t->transfer = NULL;
    lw_buf_done(&t->body);
}

void talk_expect(talk *t, int status, const char *body)
{
    pump_until(t->transport, &t->dones, 1);
    if (t->result.st < 0)
        fail_msg("%s", t->result.err.message);
    assert_int_equal(t->result.status, status);
    assert_int_equal(t->status, status);
    assert_int_equal(t->heads, 1);
    assert_str_equal(lw_buf_view(&t->body), body);
}

void talk_expect_failure(talk *t, lw_status st, const char *words)
{
    pump_until(t->transport, &t->dones, 1);
    if (t->result.st != st || !strstr(t->result.err.message, words))
        fail_msg("%d: %s (expected %d: %s)", t->result.st, t->result.err.message, st, words);
}
