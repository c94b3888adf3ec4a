/* SPDX-License-Identifier: Apache-2.0 */
/* lies_test.c -- servers that say what etcd never would: an error, in time, and no crash. */
#include "base/clock.h"
#include "etcd/watch.h"
#include "support/grpc_script.h"
#include "unit/etcd/watch_world.h"

enum {
    PATIENCE_S = 30,
};

/* A server with a script, and a client of it. */
typedef struct stage {
    lw_loop *loop;
    grpc_script script;
    lw_etcd *etcd;
    unsigned answers;
    bool is_unknown, is_done;
    size_t count;
    uint64_t revision;
    lw_error err;
} stage;

static void stage_open(stage *s, const grpc_answer *answers, size_t count,
                       const lw_etcd_options *options)
{
    lw_etcd_options own = options ? *options : (lw_etcd_options){ .request_timeout_ms = 2000 };
    lw_error err = LW_ERROR_INIT;
    memset(s, 0, sizeof(*s));
    assert_int_equal(lw_loop_new(&s->loop, NULL, &err), LW_OK);
    assert_true(grpc_script_open(&s->script, s->loop, answers, count));
    own.endpoints = s->script.endpoint;
    if (lw_etcd_new(&s->etcd, s->loop, &own, &err) < 0)
        fail_msg("%s", err.message);
}

static void stage_close(stage *s)
{
    lw_etcd_free(s->etcd);
    grpc_script_close(&s->script);
    lw_loop_free(s->loop);
}

static void stage_await(stage *s, const unsigned *count, unsigned value)
{
    int64_t deadline = lw_clock_now(lw_clock_system()) + PATIENCE_S * LW_NS_PER_S;
    while (*count < value) {
        assert_true(lw_clock_now(lw_clock_system()) < deadline);
        assert_int_equal(lw_loop_turn(s->loop, 100, NULL), LW_OK);
    }
}

static void note_base(stage *s, const lw_etcd_answer *answer)
{
    s->answers++;
    s->is_unknown = answer->is_unknown;
    s->revision = answer->revision;
    s->err = answer->err ? *answer->err : (lw_error)LW_ERROR_INIT;
}

static void on_range(const lw_etcd_range_answer *answer, void *arg)
{
    stage *s = arg;
    note_base(s, &answer->base);
    s->count = answer->count;
}

static void on_txn(const lw_etcd_txn_answer *answer, void *arg)
{
    stage *s = arg;
    note_base(s, &answer->base);
    s->is_done = answer->is_done;
}

static void read_a(stage *s)
{
    const lw_etcd_range_request request = { .key = LW_STR("a") };
    assert_int_equal(lw_etcd_range(s->etcd, &request, on_range, s, NULL), LW_OK);
    stage_await(s, &s->answers, s->answers + 1);
}

static void write_a(stage *s)
{
    const lw_etcd_txn_request request = { .op = LW_ETCD_PUT, .key = LW_STR("a") };
    assert_int_equal(lw_etcd_txn(s->etcd, &request, on_txn, s, NULL), LW_OK);
    stage_await(s, &s->answers, s->answers + 1);
}

/* Header with revision 7, one key "k" of revision 5, count 1. */
#define RANGE_REPLY "\x0a\x02\x18\x07\x12\x07\x0a\x01k\x18\x05\x20\x01\x20\x01"
#define FRAME(len)  "\x00\x00\x00\x00" len

typedef struct lie {
    const char *name;
    grpc_answer answer;
    lw_status expected;
    const char *word; /* in the message */
} lie;

#define BODY(text) LW_STR_INIT(text)

static const lie lies[] = {
    { "a page",
      { .content_type = "text/html", .body = BODY("<html>"), .grpc_status = "0" },
      LW_ERR_INTERNAL,
      "client port" },
    { "no content type", { .content_type = "", .grpc_status = "0" }, LW_ERR_INTERNAL, "gRPC" },
    { "404", { .status = 404, .content_type = "text/plain" }, LW_ERR_INTERNAL, "404" },
    { "403", { .status = 403 }, LW_ERR_FORBIDDEN, "403" },
    { "no trailers",
      { .body = BODY(FRAME("\x0f") RANGE_REPLY) },
      LW_ERR_INTERNAL,
      "without a gRPC status" },
    { "no message", { .grpc_status = "0" }, LW_ERR_INTERNAL, "without a reply" },
    { "a status that is no number",
      { .body = BODY(FRAME("\x0f") RANGE_REPLY), .grpc_status = "fine" },
      LW_ERR_INTERNAL,
      "unknown" },
    { "a status that nobody knows", { .grpc_status = "99" }, LW_ERR_INTERNAL, "unknown" },
    { "an absurd length",
      { .body = BODY("\x00\xff\xff\xff\xff"
                     "abc"),
        .grpc_status = "0" },
      LW_ERR_LIMIT,
      "4294967295" },
    { "compression",
      { .body = BODY("\x01\x00\x00\x00\x01"
                     "a"),
        .grpc_status = "0" },
      LW_ERR_INTERNAL,
      "0x01" },
    { "half a prefix",
      { .body = BODY("\x00\x00"), .grpc_status = "0" },
      LW_ERR_INTERNAL,
      "in the middle of a message" },
    { "half a message",
      { .body = BODY("\x00\x00\x00\x00\x09"
                     "abc"),
        .grpc_status = "0" },
      LW_ERR_INTERNAL,
      "in the middle of a message" },
    { "a message that is none",
      { .body = BODY("\x00\x00\x00\x00\x04"
                     "\xff\xff\xff\xff"),
        .grpc_status = "0" },
      LW_ERR_INTERNAL,
      "cannot decode" },
    { "two messages",
      { .body = BODY(FRAME("\x0f") RANGE_REPLY FRAME("\x0f") RANGE_REPLY), .grpc_status = "0" },
      LW_ERR_INTERNAL,
      "more than one" },
    { "a failure in the head",
      { .is_trailers_only = true,
        .grpc_status = "3",
        .grpc_message = "etcdserver: request is too large" },
      LW_ERR_LIMIT,
      "max-request-bytes" },
    { "a message with escapes",
      { .is_trailers_only = true, .grpc_status = "3", .grpc_message = "100%25 %zz gr%c3%bcn%0a" },
      LW_ERR_INVALID,
      "100% %zz gr\xc3\xbcn" },
    { "a method that is not there",
      { .is_trailers_only = true, .grpc_status = "12" },
      LW_ERR_INTERNAL,
      "unimplemented" },
};

static void each_lie_is_told_as_an_error_that_names_the_server(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
        stage s;
        stage_open(&s, &lies[i].answer, 1, NULL);
        read_a(&s);
        if (s.err.code != lies[i].expected || !strstr(s.err.message, lies[i].word))
            fail_msg("%s: %d: %s", lies[i].name, (int)s.err.code, s.err.message);
        assert_non_null(strstr(s.err.message, s.script.endpoint));
        assert_int_equal(s.script.requests, 1);
        stage_close(&s);
    }
}

static void the_truth_is_told_by_the_same_server(void **state)
{
    const grpc_answer truth = { .body = BODY(FRAME("\x0f") RANGE_REPLY), .grpc_status = "0" };
    stage s;
    (void)state;
    stage_open(&s, &truth, 1, NULL);
    read_a(&s);
    assert_int_equal(s.err.code, LW_OK);
    assert_int_equal(s.count, 1);
    assert_int_equal(s.revision, 7);
    assert_string_equal(s.script.path, "/etcdserverpb.KV/Range");
    assert_non_null(strstr(s.script.headers, "content-type: application/grpc\n"));
    assert_non_null(strstr(s.script.headers, "te: trailers\n"));
    assert_non_null(strstr(s.script.headers, "grpc-timeout: "));
    stage_close(&s);
}

static void a_read_is_asked_again_after_what_passes(void **state)
{
    static const grpc_answer answers[] = {
        { .hangs_up = true },
        { .is_refused = true },
        { .is_reset = true },
        { .is_trailers_only = true,
          .grpc_status = "14",
          .grpc_message = "etcdserver: leader changed" },
        { .is_trailers_only = true, .grpc_status = "14", .grpc_message = "etcdserver: no leader" },
        { .status = 503 },
        { .body = BODY(FRAME("\x0f") RANGE_REPLY), .grpc_status = "0" },
    };
    const lw_etcd_options patient = { .request_timeout_ms = 20000 };
    stage s;
    (void)state;
    stage_open(&s, answers, 7, &patient);
    read_a(&s);
    assert_string_equal(s.err.message, "");
    assert_int_equal(s.script.requests, 7);
    stage_close(&s);
}

static void a_write_is_asked_again_only_where_nobody_began_it(void **state)
{
    static const grpc_answer begun[] = { { .hangs_up = true },
                                         { .is_reset = true },
                                         { .is_trailers_only = true,
                                           .grpc_status = "14",
                                           .grpc_message = "etcdserver: request timed out" },
                                         { .grpc_status = "0" },
                                         { .body = BODY("\xff"), .grpc_status = "0" },
                                         { .is_trailers_only = true, .grpc_status = "13" } };
    static const grpc_answer not_begun[] = {
        { .is_refused = true },
        { .is_trailers_only = true, .grpc_status = "14", .grpc_message = "etcdserver: no leader" },
        { .body = BODY("\x00\x00\x00\x00\x06\x0a\x02\x18\x07\x10\x01"), .grpc_status = "0" },
    };
    static const grpc_answer refused[] = { { .is_trailers_only = true,
                                             .grpc_status = "8",
                                             .grpc_message =
                                                 "etcdserver: mvcc: database space exceeded" } };
    stage s;
    (void)state;
    for (size_t i = 0; i < sizeof(begun) / sizeof(begun[0]); i++) {
        stage_open(&s, &begun[i], 1, NULL);
        write_a(&s);
        assert_true(s.err.code < 0);
        assert_true(s.is_unknown);
        assert_int_equal(s.script.requests, 1);
        stage_close(&s);
    }
    stage_open(&s, not_begun, 3, NULL);
    write_a(&s);
    assert_string_equal(s.err.message, "");
    assert_true(s.is_done);
    assert_int_equal(s.revision, 7);
    assert_int_equal(s.script.requests, 3);
    stage_close(&s);

    stage_open(&s, refused, 1, NULL);
    write_a(&s);
    assert_int_equal(s.err.code, LW_ERR_LIMIT);
    assert_false(s.is_unknown);
    stage_close(&s);
}

static void silence_ends_at_the_deadline(void **state)
{
    const grpc_answer silent = { .is_silent = true };
    const lw_etcd_options hurried = { .request_timeout_ms = 200 };
    stage s;
    (void)state;
    stage_open(&s, &silent, 1, &hurried);
    read_a(&s);
    assert_int_equal(s.err.code, LW_ERR_TIMEOUT);
    assert_false(s.is_unknown);
    write_a(&s);
    assert_int_equal(s.err.code, LW_ERR_TIMEOUT);
    assert_true(s.is_unknown);
    stage_close(&s);
}

static void after_a_goodbye_the_next_call_dials_anew(void **state)
{
    const grpc_answer last = { .body = BODY(FRAME("\x0f") RANGE_REPLY),
                               .grpc_status = "0",
                               .says_goodbye = true };
    stage s;
    (void)state;
    stage_open(&s, &last, 1, NULL);
    for (unsigned i = 1; i <= 3; i++) {
        read_a(&s);
        assert_string_equal(s.err.message, "");
        assert_int_equal(s.script.accepted, i);
    }
    stage_close(&s);
}

/* Messages of a watch: created (revision 7), an event of revision 8 with |more| fragments. */
#define CREATED   "\x00\x00\x00\x00\x06\x0a\x02\x18\x07\x18\x01"
#define EVENT(rv) "\x5a\x07\x12\x05\x0a\x01k\x18" rv

static void a_watch_survives_what_passes_and_goes_on_where_it_was(void **state)
{
    static const grpc_answer answers[] = {
        { .body = BODY(CREATED "\x00\x00\x00\x00\x09" EVENT("\x08")), .is_reset = true },
        { .is_refused = true },
        { .body = BODY(CREATED), .grpc_status = "14", .grpc_message = "etcdserver: no leader" },
        { .body = BODY(CREATED
                       "\x00\x00\x00\x00\x09" EVENT("\x08") "\x00\x00\x00\x00\x09" EVENT("\x09")),
          .stays_open = true },
    };
    const lw_etcd_watch_request request = { .key = LW_STR("k") };
    watch_note note = { .wants_text = true };
    stage s;
    (void)state;
    stage_open(&s, answers, 4, NULL);
    watch_note_open(&note, s.etcd, &request);
    stage_await(&s, &note.events, 2);
    /* Events that were already delivered arrived again, and are not delivered again. */
    assert_int_equal(note.last_revision, 9);
    assert_false(note.is_disordered);
    assert_int_equal(note.opens, 3);
    assert_int_equal(note.cuts, 2);
    assert_int_equal(note.ends, 0);
    unsigned resets = s.script.resets;
    watch_note_close(&note);
    stage_await(&s, &s.script.resets, resets + 1);
    stage_close(&s);
}

static void a_revision_in_fragments_is_told_once_it_is_whole(void **state)
{
    static const grpc_answer answers[] = {
        { .body = BODY(CREATED "\x00\x00\x00\x00\x0b" EVENT("\x08") "\x38\x01"), .is_reset = true },
        { .body = BODY(CREATED "\x00\x00\x00\x00\x0b" EVENT(
              "\x08") "\x38\x01"
                      "\x00\x00\x00\x00\x0b" EVENT("\x08") "\x38\x01"
                                                           "\x00\x00\x00\x00\x09" EVENT("\x08")),
          .stays_open = true },
    };
    const lw_etcd_watch_request request = { .key = LW_STR("k") };
    watch_note note = { .wants_text = true };
    stage s;
    (void)state;
    stage_open(&s, answers, 2, NULL);
    watch_note_open(&note, s.etcd, &request);
    stage_await(&s, &note.batches, 1);
    assert_int_equal(note.events, 3);
    assert_int_equal(note.opens, 2);
    watch_note_close(&note);
    stage_close(&s);
}

/* Both events lie in one piece of bytes. */
static void a_watch_paused_in_its_callback_hears_nothing_until_it_goes_on(void **state)
{
    static const grpc_answer answer = {
        .body =
            BODY(CREATED "\x00\x00\x00\x00\x09" EVENT("\x08") "\x00\x00\x00\x00\x09" EVENT("\x09")),
        .stays_open = true,
    };
    const lw_etcd_watch_request request = { .key = LW_STR("k") };
    watch_note note = { .pauses_at = 1 };
    stage s;
    (void)state;
    stage_open(&s, &answer, 1, NULL);
    watch_note_open(&note, s.etcd, &request);
    stage_await(&s, &note.batches, 1);
    for (int i = 0; i < 10; i++)
        assert_int_equal(lw_loop_turn(s.loop, 0, NULL), LW_OK);
    assert_int_equal(note.batches, 1);
    lw_etcd_watch_set_paused(note.watch, false);
    assert_int_equal(note.batches, 1);
    stage_await(&s, &note.batches, 2);
    assert_int_equal(note.last_revision, 9);
    watch_note_close(&note);
    stage_close(&s);
}

typedef struct watch_lie {
    const char *name;
    grpc_answer answer;
    lw_status expected;
} watch_lie;

static const watch_lie watch_lies[] = {
    { "a page", { .status = 404 }, LW_ERR_INTERNAL },
    { "noise", { .body = BODY("\x00\x00\x00\x00\x01\xff"), .stays_open = true }, LW_ERR_INTERNAL },
    { "an absurd length",
      { .body = BODY("\x00\xf0\x00\x00\x00"), .stays_open = true },
      LW_ERR_LIMIT },
    { "backwards",
      { .body = BODY(CREATED "\x00\x00\x00\x00\x12" EVENT("\x09") EVENT("\x08")),
        .stays_open = true },
      LW_ERR_INTERNAL },
    { "an event about nothing",
      { .body = BODY(CREATED "\x00\x00\x00\x00\x02\x5a\x00"), .stays_open = true },
      LW_ERR_INTERNAL },
    { "cancelled without a reason",
      { .body = BODY("\x00\x00\x00\x00\x02\x20\x01"), .stays_open = true },
      LW_ERR_INTERNAL },
    { "cancelled, compacted",
      { .body = BODY("\x00\x00\x00\x00\x04\x20\x01\x28\x05"), .stays_open = true },
      LW_ERR_EXPIRED },
    { "not allowed", { .is_trailers_only = true, .grpc_status = "7" }, LW_ERR_FORBIDDEN },
};

static void a_watch_that_is_lied_to_ends(void **state)
{
    const lw_etcd_watch_request request = { .key = LW_STR("k") };
    (void)state;
    for (size_t i = 0; i < sizeof(watch_lies) / sizeof(watch_lies[0]); i++) {
        watch_note note = { .wants_text = true };
        stage s;
        stage_open(&s, &watch_lies[i].answer, 1, NULL);
        watch_note_open(&note, s.etcd, &request);
        stage_await(&s, &note.ends, 1);
        if (note.err.code != watch_lies[i].expected)
            fail_msg("%s: %d: %s", watch_lies[i].name, (int)note.err.code, note.err.message);
        assert_int_equal(note.events, 0);
        watch_note_close(&note);
        stage_close(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_truth_is_told_by_the_same_server),
        TEST(each_lie_is_told_as_an_error_that_names_the_server),
        TEST(a_read_is_asked_again_after_what_passes),
        TEST(a_write_is_asked_again_only_where_nobody_began_it),
        TEST(silence_ends_at_the_deadline),
        TEST(after_a_goodbye_the_next_call_dials_anew),
        TEST(a_watch_survives_what_passes_and_goes_on_where_it_was),
        TEST(a_revision_in_fragments_is_told_once_it_is_whole),
        TEST(a_watch_paused_in_its_callback_hears_nothing_until_it_goes_on),
        TEST(a_watch_that_is_lied_to_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
