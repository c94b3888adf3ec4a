/* SPDX-License-Identifier: Apache-2.0 */
/* sink_test.c -- events come to the log in order; a full queue drops, and counts what it drops. */
#include "server/audit/sink.h"

#include "base/clock.h"
#include "base/str.h"
#include "base/sync.h"
#include "unit/server/scratch_folder.h"

/* A gate before which the writer waits until the test opens it. */
typedef struct gate {
    lw_mutex mu;
    lw_cond changed;
    bool is_reached, is_open;
} gate;

static void gate_wait(void *arg)
{
    gate *g = arg;
    lw_mutex_lock(&g->mu);
    g->is_reached = true;
    lw_cond_broadcast(&g->changed);
    while (!g->is_open)
        lw_cond_wait(&g->changed, &g->mu);
    lw_mutex_unlock(&g->mu);
}

static void gate_await_writer(gate *g)
{
    lw_mutex_lock(&g->mu);
    while (!g->is_reached)
        lw_cond_wait(&g->changed, &g->mu);
    lw_mutex_unlock(&g->mu);
}

static void gate_open(gate *g)
{
    lw_mutex_lock(&g->mu);
    g->is_open = true;
    lw_cond_broadcast(&g->changed);
    lw_mutex_unlock(&g->mu);
}

typedef struct site {
    scratch s;
    gate gate;
    lw_audit_sink *sink;
} site;

static void site_begin(site *t, lw_audit_mode mode, bool has_gate, const char *file)
{
    lw_error err = LW_ERROR_INIT;
    *t = (site){ .sink = NULL };
    scratch_begin(&t->s);
    lw_mutex_init(&t->gate.mu);
    lw_cond_init(&t->gate.changed);
    const lw_audit_sink_options options = {
        .log = { .path = file ? file : scratch_path(&t->s, "log"), .clock = lw_clock_system() },
        .mode = mode,
        .before_batch = has_gate ? gate_wait : NULL,
        .arg = &t->gate,
    };
    if (lw_audit_sink_new(&t->sink, &options, &err) < 0)
        fail_msg("%s", err.message);
}

static void site_end(site *t)
{
    lw_cond_done(&t->gate.changed);
    lw_mutex_done(&t->gate.mu);
    scratch_end(&t->s);
}

static lw_status send(site *t, int number, size_t body_bytes)
{
    char id[16];
    (void)snprintf(id, sizeof(id), "id-%d", number);
    lw_audit_facts facts = { .path = LW_STR("/"),
                             .decision = { .level = LW_AUDIT_METADATA },
                             .audit_id = lw_str_of(id) };
    lw_audit_event *event = NULL;
    lw_status st = LW_OK;
    lw_audit_line_begin(&facts);
    bool is_sent = body_bytes == 0 &&
                   lw_audit_sink_send_line(t->sink, &facts, LW_AUDIT_REQUEST_RECEIVED, 0, &st);
    if (!is_sent)
        assert_int_equal(lw_audit_event_new(&event, &facts, LW_AUDIT_REQUEST_RECEIVED, 0), LW_OK);
    lw_audit_line_done(&facts.line);
    if (is_sent)
        return st;
    /* Not a document, so it is not shown. */
    event->response.is_document = body_bytes > 0;
    for (size_t i = 0; i < body_bytes; i++)
        lw_buf_append_char(&event->response.bytes, 'x');
    return lw_audit_sink_send_take(t->sink, event);
}

/* The log has |count| lines with the numbers from 0 on, in order. */
static void assert_lines(site *t, int count)
{
    static char line[4096];
    char id[32];
    FILE *file = fopen(scratch_path(&t->s, "log"), "r");
    assert_non_null(file);
    for (int i = 0; i < count; i++) {
        assert_non_null(fgets(line, sizeof(line), file));
        (void)snprintf(id, sizeof(id), "\"auditID\":\"id-%d\"", i);
        if (!strstr(line, id))
            fail_msg("line %d is %s", i, line);
    }
    assert_null(fgets(line, sizeof(line), file));
    (void)fclose(file);
}

static void blocking_writes_before_it_returns(void **state)
{
    (void)state;
    site t;
    site_begin(&t, LW_AUDIT_BLOCKING, false, NULL);
    assert_int_equal(send(&t, 0, 0), LW_OK);
    assert_lines(&t, 1);
    lw_audit_sink_free(t.sink);
    site_end(&t);
}

static void what_is_queued_is_written_at_the_end(void **state)
{
    (void)state;
    site t;
    site_begin(&t, LW_AUDIT_BATCH, false, NULL);
    for (int i = 0; i < 3000; i++)
        assert_int_equal(send(&t, i, 0), LW_OK);
    lw_audit_sink_free(t.sink);
    assert_lines(&t, 3000);
    site_end(&t);
}

static void a_full_queue_drops_and_counts(void **state)
{
    (void)state;
    site t;
    lw_audit_sink_stats stats;
    site_begin(&t, LW_AUDIT_BATCH, true, NULL);
    assert_int_equal(send(&t, 0, 0), LW_OK);
    gate_await_writer(&t.gate);
    for (int i = 1; i < LW_AUDIT_QUEUE_EVENTS; i++)
        assert_int_equal(send(&t, i, 0), LW_OK);
    for (int i = 0; i < 5; i++)
        assert_int_equal(send(&t, 99999, 0), LW_ERR_LIMIT);
    lw_audit_sink_read_stats(t.sink, &stats);
    assert_int_equal(stats.dropped, 5);
    assert_int_equal(stats.failed, 0);
    gate_open(&t.gate);
    lw_audit_sink_free(t.sink);
    assert_lines(&t, LW_AUDIT_QUEUE_EVENTS);
    site_end(&t);
}

static void the_queue_is_bounded_in_bytes(void **state)
{
    (void)state;
    site t;
    int accepted = 0;
    site_begin(&t, LW_AUDIT_BATCH, true, NULL);
    while (accepted < 1000 && send(&t, accepted, LW_AUDIT_BODY_MAX) == LW_OK)
        accepted++;
    assert_in_range(accepted, LW_AUDIT_QUEUE_BYTES / LW_AUDIT_BODY_MAX / 2,
                    LW_AUDIT_QUEUE_BYTES / LW_AUDIT_BODY_MAX);
    gate_open(&t.gate);
    lw_audit_sink_free(t.sink);
    assert_lines(&t, accepted);
    site_end(&t);
}

static void events_with_and_without_bodies_keep_their_order(void **state)
{
    (void)state;
    site t;
    site_begin(&t, LW_AUDIT_BATCH, true, NULL);
    for (int i = 0; i < 900; i++)
        assert_int_equal(send(&t, i, i % 3 == 2 ? 8 : 0), LW_OK);
    gate_open(&t.gate);
    for (int i = 900; i < 1800; i++)
        assert_int_equal(send(&t, i, i % 3 == 2 ? 8 : 0), LW_OK);
    lw_audit_sink_free(t.sink);
    assert_lines(&t, 1800);
    site_end(&t);
}

static void a_batch_that_cannot_be_written_is_counted(void **state)
{
    (void)state;
    site t;
    lw_audit_sink_stats stats = { 0 };
    if (access("/dev/full", W_OK) < 0)
        skip();
    site_begin(&t, LW_AUDIT_BATCH, false, "/dev/full");
    for (int i = 0; i < 700; i++) /* more than a chunk */
        assert_int_equal(send(&t, i, i == 5 ? 8 : 0), LW_OK);
    while (stats.failed < 700)
        lw_audit_sink_read_stats(t.sink, &stats);
    assert_int_equal(stats.failed, 700);
    lw_audit_sink_free(t.sink);
    site_end(&t);
}

static void a_log_that_cannot_be_written_is_counted(void **state)
{
    (void)state;
    site t;
    lw_audit_sink_stats stats;
    if (access("/dev/full", W_OK) < 0)
        skip();
    site_begin(&t, LW_AUDIT_BLOCKING_STRICT, false, "/dev/full");
    assert_int_equal(send(&t, 0, 0), LW_ERR_IO);
    assert_int_equal(send(&t, 1, 0), LW_ERR_IO);
    lw_audit_sink_read_stats(t.sink, &stats);
    assert_int_equal(stats.failed, 2);
    lw_audit_sink_free(t.sink);
    site_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(blocking_writes_before_it_returns),
        TEST(what_is_queued_is_written_at_the_end),
        TEST(a_full_queue_drops_and_counts),
        TEST(the_queue_is_bounded_in_bytes),
        TEST(a_log_that_cannot_be_written_is_counted),
        TEST(events_with_and_without_bodies_keep_their_order),
        TEST(a_batch_that_cannot_be_written_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
