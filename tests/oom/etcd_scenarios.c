/* SPDX-License-Identifier: Apache-2.0 */
/* etcd_scenarios.c -- the etcd client with failing allocations, against a server that has its own
 * memory. */
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "etcd/etcd.h"
#include "oom/oom.h"
#include "support/grpc_script.h"

enum {
    PATIENCE_S = 60,
};

#define BODY(text) LW_STR_INIT(text)

/* A header with revision 7 and one key "k" of revision 5; a successful txn; a token; a watch that
 * is created, an event of revision 8 in two fragments, and one of revision 9. */
static const grpc_answer range_answer = {
    .body = BODY("\x00\x00\x00\x00\x0f\x0a\x02\x18\x07\x12\x07\x0a\x01k\x18\x05\x20\x01\x20\x01"),
    .grpc_status = "0"
};
static const grpc_answer txn_answer = { .body =
                                            BODY("\x00\x00\x00\x00\x06\x0a\x02\x18\x07\x10\x01"),
                                        .grpc_status = "0" };
static const grpc_answer token_answers[] = {
    { .body = BODY("\x00\x00\x00\x00\x07\x12\x05token"), .grpc_status = "0" },
    { .body = BODY("\x00\x00\x00\x00\x06\x0a\x02\x18\x07\x10\x01"), .grpc_status = "0" },
};
static const grpc_answer watch_answers[] = {
    { .body = BODY("\x00\x00\x00\x00\x06\x0a\x02\x18\x07\x18\x01"), .is_reset = true },
    { .body = BODY("\x00\x00\x00\x00\x06\x0a\x02\x18\x07\x18\x01"
                   "\x00\x00\x00\x00\x0b\x5a\x07\x12\x05\x0a\x01k\x18\x08\x38\x01"
                   "\x00\x00\x00\x00\x09\x5a\x07\x12\x05\x0a\x01k\x18\x08"
                   "\x00\x00\x00\x00\x09\x5a\x07\x12\x05\x0a\x01k\x18\x09"),
      .stays_open = true },
};

/* The calls of a scenario and their results. */
typedef struct stage {
    lw_loop *loop;
    grpc_script script;
    lw_etcd *etcd;
    lw_etcd_watch *watch;
    bool is_over;
    bool is_right;
    size_t events;
    lw_error err;
} stage;

static lw_status wrong(lw_error *err, const char *what)
{
    return lw_error_set(err, LW_ERR_INTERNAL, "%s is wrong", what);
}

static void on_range(const lw_etcd_range_answer *answer, void *arg)
{
    stage *s = arg;
    s->is_over = true;
    if (answer->base.err)
        s->err = *answer->base.err;
    else
        s->is_right =
            answer->count == 1 && answer->base.revision == 7 && answer->kvs[0].mod_revision == 5;
}

static void on_txn(const lw_etcd_txn_answer *answer, void *arg)
{
    stage *s = arg;
    s->is_over = true;
    if (answer->base.err)
        s->err = *answer->base.err;
    else
        s->is_right = answer->is_done && answer->base.revision == 7;
}

static void on_events(const lw_etcd_event *events, size_t count, void *arg)
{
    stage *s = arg;
    s->events += count;
    s->is_over = s->events >= 3;
    s->is_right = events[count - 1].kv.mod_revision == 9;
}

static void on_end(const lw_error *err, uint64_t compacted, void *arg)
{
    stage *s = arg;
    (void)compacted;
    s->watch = NULL;
    s->is_over = true;
    s->err = *err;
}

static lw_status ask_range(stage *s)
{
    const lw_etcd_range_request request = { .key = LW_STR("k") };
    return lw_etcd_range(s->etcd, &request, on_range, s, NULL);
}

static lw_status ask_txn(stage *s)
{
    const lw_etcd_txn_request request = { .op = LW_ETCD_PUT,
                                          .key = LW_STR("k"),
                                          .value = LW_STR("v") };
    return lw_etcd_txn(s->etcd, &request, on_txn, s, NULL);
}

static lw_status ask_watch(stage *s)
{
    const lw_etcd_watch_request request = { .key = LW_STR("k"), .end = LW_STR("l") };
    const lw_etcd_watch_sink sink = { .on_events = on_events, .on_end = on_end, .arg = s };
    lw_status st = lw_etcd_watch_open(&s->watch, s->etcd, &request, &sink);
    if (st == LW_OK)
        lw_etcd_watch_ask_progress(s->watch);
    return st;
}

static lw_status turn_until_over(stage *s, lw_error *err)
{
    int64_t deadline = lw_clock_now(lw_clock_system()) + PATIENCE_S * LW_NS_PER_S;
    lw_status st = LW_OK;
    while (st == LW_OK && !s->is_over) {
        if (lw_clock_now(lw_clock_system()) > deadline)
            return wrong(err, "there is no answer");
        st = lw_loop_turn(s->loop, 100, err);
    }
    if (st == LW_OK && s->err.code < 0) {
        *err = s->err;
        st = s->err.code;
    }
    return st;
}

static lw_status play(const grpc_answer *answers, size_t count, const char *user,
                      lw_status (*ask)(stage *s), lw_error *err)
{
    stage s = { .err = LW_ERROR_INIT };
    lw_etcd_options options = { .user = user, .password = user, .request_timeout_ms = 30000 };
    lw_status st = lw_loop_new(&s.loop, NULL, err);
    bool is_open = st == LW_OK && grpc_script_open(&s.script, s.loop, answers, count);
    if (st == LW_OK && !is_open)
        st = wrong(err, "the server");
    options.endpoints = s.script.endpoint;
    if (st == LW_OK)
        st = lw_etcd_new(&s.etcd, s.loop, &options, err);
    if (st == LW_OK) {
        st = ask(&s);
        if (st < 0)
            (void)lw_error_set(err, st, "not asked");
    }
    if (st == LW_OK)
        st = turn_until_over(&s, err);
    if (st == LW_OK && !s.is_right)
        st = wrong(err, "the answer");
    lw_etcd_free(s.etcd);
    if (is_open)
        grpc_script_close(&s.script);
    lw_loop_free(s.loop);
    return st;
}

static lw_status a_read_is_answered(lw_error *err)
{
    return play(&range_answer, 1, NULL, ask_range, err);
}

static lw_status a_write_is_answered(lw_error *err)
{
    return play(&txn_answer, 1, NULL, ask_txn, err);
}

static lw_status a_token_is_requested_first(lw_error *err)
{
    return play(token_answers, 2, "root", ask_txn, err);
}

static lw_status an_interrupted_watch_resumes(lw_error *err)
{
    return play(watch_answers, 2, NULL, ask_watch, err);
}

const oom_scenario etcd_scenarios[] = {
    { "a read is answered", a_read_is_answered },
    { "a write is answered", a_write_is_answered },
    { "a token is requested first", a_token_is_requested_first },
    { "an interrupted watch resumes", an_interrupted_watch_resumes },
};
const size_t etcd_scenario_count = sizeof(etcd_scenarios) / sizeof(etcd_scenarios[0]);
