/* SPDX-License-Identifier: Apache-2.0 */
/* ws_test.c -- what a client's frames are answered with. */
#include "net/h1/ws.h"

#include "base/str.h"
#include "unit/test.h"

enum {
    FIN = 0x80,
    CONTINUATION = 0,
    TEXT = 1,
    BINARY = 2,
    CLOSE = 8,
    PING = 9,
    PONG = 10,
    BYTES_MAX = 1 << 20,
};

/* Appends a frame as a client sends it. */
static void append_frame(lw_buf *out, unsigned first, lw_str payload)
{
    static const char mask[4] = { 0x12, (char)0x9A, 0x00, (char)0xFF };
    char header[LW_WS_HEADER_MAX];
    size_t len = lw_ws_header(payload.len, true, header);
    header[0] = (char)first;
    header[1] = (char)(header[1] | (char)0x80);
    lw_buf_append(out, header, len);
    lw_buf_append(out, mask, sizeof(mask));
    for (size_t i = 0; i < payload.len; i++)
        lw_buf_append_char(out, (char)(payload.ptr[i] ^ mask[i % 4]));
}

/* The bytes of one frame after the other, and what they are answered with. */
typedef struct talk {
    lw_buf in, out;
    bool is_closed;
} talk;

static void talk_init(talk *t)
{
    *t = (talk){ .is_closed = false };
    lw_buf_init(&t->in, BYTES_MAX);
    lw_buf_init(&t->out, BYTES_MAX);
}

static void talk_done(talk *t)
{
    lw_buf_done(&t->in);
    lw_buf_done(&t->out);
}

/* Feeds the bytes in steps of |step|, the first one of |first|. */
static void talk_run(talk *t, size_t first, size_t step)
{
    lw_ws *ws = NULL;
    assert_int_equal(lw_ws_new(&ws), LW_OK);
    lw_buf_reset(&t->out);
    t->is_closed = false;
    for (size_t at = 0, len; at < t->in.len && !t->is_closed; at += len) {
        len = at == 0 ? first : step;
        if (len > t->in.len - at)
            len = t->in.len - at;
        assert_int_equal(lw_ws_feed(ws, t->in.data + at, len, &t->out, &t->is_closed), LW_OK);
    }
    lw_ws_free(ws);
}

static void assert_answer(const talk *t, const char *bytes, size_t len)
{
    assert_int_equal(t->out.len, len);
    assert_memory_equal(t->out.data, bytes, len);
}

/* The frames in |t| are answered with |answer| and then the connection is |is_closed|, however the
 * bytes are cut. */
static void assert_answered(talk *t, lw_str answer, bool is_closed)
{
    for (size_t cut = 1; cut <= t->in.len; cut++) {
        talk_run(t, cut, t->in.len);
        assert_answer(t, answer.ptr, answer.len);
        assert_int_equal(t->is_closed, is_closed);
    }
    talk_run(t, 1, 1);
    assert_answer(t, answer.ptr, answer.len);
    assert_int_equal(t->is_closed, is_closed);
}

static void assert_closed_with(talk *t, unsigned code)
{
    const char close[] = { (char)(FIN | CLOSE), 2, (char)(code >> 8), (char)code };
    assert_answered(t, lw_str_make(close, sizeof(close)), true);
}

/* One frame is refused with |code|. */
static void assert_frame_closes(unsigned first, lw_str payload, unsigned code)
{
    talk t;
    talk_init(&t);
    append_frame(&t.in, first, payload);
    assert_closed_with(&t, code);
    talk_done(&t);
}

static void writes_headers_of_frames(void **state)
{
    (void)state;
    char header[LW_WS_HEADER_MAX];
    assert_int_equal(lw_ws_header(0, true, header), 2);
    assert_memory_equal(header, "\x81\x00", 2);
    assert_int_equal(lw_ws_header(125, true, header), 2);
    assert_memory_equal(header, "\x81\x7D", 2);
    assert_int_equal(lw_ws_header(126, true, header), 4);
    assert_memory_equal(header, "\x81\x7E\x00\x7E", 4);
    assert_int_equal(lw_ws_header(65535, true, header), 4);
    assert_memory_equal(header, "\x81\x7E\xFF\xFF", 4);
    assert_int_equal(lw_ws_header(65536, true, header), 10);
    assert_memory_equal(header, "\x81\x7F\0\0\0\0\0\x01\0\0", 10);
    assert_int_equal(lw_ws_header(5, false, header), 2);
    assert_memory_equal(header, "\x82\x05", 2);
}

static void messages_are_taken_and_not_answered(void **state)
{
    (void)state;
    talk t;
    talk_init(&t);
    append_frame(&t.in, FIN | TEXT, LW_STR("hello \xC3\xA9 \xF0\x9F\x90\x99"));
    append_frame(&t.in, FIN | BINARY, LW_STR("\xFF\x00\xFE"));
    append_frame(&t.in, FIN | TEXT, LW_STR(""));
    append_frame(&t.in, FIN | PONG, LW_STR("unasked"));
    assert_answered(&t, LW_STR(""), false);
    talk_done(&t);
}

static void fragments_may_have_control_frames_and_cut_characters_between_them(void **state)
{
    (void)state;
    talk t;
    talk_init(&t);
    append_frame(&t.in, TEXT, LW_STR("caf\xC3"));
    append_frame(&t.in, FIN | PING, LW_STR("p"));
    append_frame(&t.in, CONTINUATION, LW_STR(""));
    append_frame(&t.in, FIN | CONTINUATION, LW_STR("\xA9"));
    append_frame(&t.in, FIN | TEXT, LW_STR("again"));
    assert_answered(&t, LW_STR("\x8A\x01p"), false);
    talk_done(&t);
}

static void pings_are_answered_with_what_they_say(void **state)
{
    (void)state;
    talk t;
    talk_init(&t);
    append_frame(&t.in, FIN | PING, LW_STR(""));
    append_frame(&t.in, FIN | PING, LW_STR("\x01\xFF two"));
    assert_answered(&t, LW_STR("\x8A\x00\x8A\x06\x01\xFF two"), false);
    talk_done(&t);
}

static void a_close_is_echoed(void **state)
{
    (void)state;
    talk t;
    talk_init(&t);
    append_frame(&t.in, FIN | CLOSE, LW_STR("\x03\xE8"));
    append_frame(&t.in, FIN | PING, LW_STR("after"));
    assert_answered(&t, LW_STR("\x88\x02\x03\xE8"), true);
    lw_buf_reset(&t.in);
    append_frame(&t.in, FIN | CLOSE, LW_STR(""));
    assert_answered(&t, LW_STR("\x88\x00"), true);
    talk_done(&t);
}

static void a_close_with_a_reason_is_echoed_with_its_code(void **state)
{
    (void)state;
    talk t;
    talk_init(&t);
    append_frame(&t.in, FIN | CLOSE, LW_STR("\x0F\xA0gone \xC3\xA9t\xC3\xA9"));
    assert_answered(&t, LW_STR("\x88\x02\x0F\xA0"), true);
    talk_done(&t);
    assert_frame_closes(FIN | CLOSE, LW_STR("\x03\xE8\xFF"), 1007);
    assert_frame_closes(FIN | CLOSE, LW_STR("\x03\xE8\xC3"), 1007);
}

static void a_close_with_a_code_nobody_may_send_closes_with_1002(void **state)
{
    (void)state;
    static const unsigned bad[] = { 0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, 65535 };
    static const unsigned good[] = { 1000, 1001, 1003, 1007, 1011, 1014, 3000, 4999 };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        const char payload[] = { (char)(bad[i] >> 8), (char)bad[i] };
        assert_frame_closes(FIN | CLOSE, lw_str_make(payload, 2), 1002);
    }
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        const char payload[] = { (char)(good[i] >> 8), (char)good[i] };
        assert_frame_closes(FIN | CLOSE, lw_str_make(payload, 2), good[i]);
    }
}

static void breaches_of_the_framing_close_with_1002(void **state)
{
    (void)state;
    assert_frame_closes(FIN | 0x40 | TEXT, LW_STR("x"), 1002);
    assert_frame_closes(FIN | 0x20 | TEXT, LW_STR("x"), 1002);
    assert_frame_closes(FIN | 0x10 | TEXT, LW_STR("x"), 1002);
    for (unsigned opcode = 3; opcode < 8; opcode++)
        assert_frame_closes(FIN | opcode, LW_STR("x"), 1002);
    for (unsigned opcode = 11; opcode < 16; opcode++)
        assert_frame_closes(FIN | opcode, LW_STR("x"), 1002);
    assert_frame_closes(FIN | CONTINUATION, LW_STR("of nothing"), 1002);
    assert_frame_closes(PING, LW_STR("in pieces"), 1002);
    assert_frame_closes(FIN | CLOSE, LW_STR("1"), 1002);
    char long_ping[126] = { 0 };
    assert_frame_closes(FIN | PING, lw_str_make(long_ping, sizeof(long_ping)), 1002);
}

static void a_new_message_within_another_closes_with_1002(void **state)
{
    (void)state;
    talk t;
    talk_init(&t);
    append_frame(&t.in, TEXT, LW_STR("begun"));
    append_frame(&t.in, FIN | TEXT, LW_STR("x"));
    assert_closed_with(&t, 1002);
    talk_done(&t);
}

static void a_frame_without_a_mask_closes_with_1002(void **state)
{
    (void)state;
    talk t;
    talk_init(&t);
    lw_buf_append(&t.in, "\x81\x01x", 3);
    assert_closed_with(&t, 1002);
    talk_done(&t);
}

static void a_length_that_could_be_shorter_closes_with_1002(void **state)
{
    (void)state;
    talk t;
    talk_init(&t);
    lw_buf_append(&t.in, "\x81\xFE\x00\x01\0\0\0\0x", 9);
    assert_closed_with(&t, 1002);
    lw_buf_reset(&t.in);
    lw_buf_append(&t.in, "\x81\xFF\x80\0\0\0\0\0\0\0\0\0\0\0", 14);
    assert_closed_with(&t, 1002);
    talk_done(&t);
}

static void text_that_is_not_utf8_closes_with_1007(void **state)
{
    (void)state;
    assert_frame_closes(FIN | TEXT, LW_STR("\xFF"), 1007);
    assert_frame_closes(FIN | TEXT, LW_STR("cut \xC3"), 1007);
    assert_frame_closes(FIN | TEXT, LW_STR("\xED\xA0\x80"), 1007);
    assert_frame_closes(FIN | TEXT, LW_STR("\xC0\x80"), 1007);
    talk t;
    talk_init(&t);
    append_frame(&t.in, TEXT, LW_STR("caf\xC3"));
    append_frame(&t.in, FIN | CONTINUATION, LW_STR("x"));
    assert_closed_with(&t, 1007);
    talk_done(&t);
}

static void a_message_beyond_the_limit_closes_with_1009(void **state)
{
    (void)state;
    static char big[LW_WS_MESSAGE_MAX + 1];
    const char close[] = { (char)(FIN | CLOSE), 2, 1009 >> 8, (char)(1009 & 0xFF) };
    talk t;
    talk_init(&t);
    append_frame(&t.in, FIN | BINARY, lw_str_make(big, LW_WS_MESSAGE_MAX));
    talk_run(&t, 1, 1000);
    assert_false(t.is_closed);
    assert_int_equal(t.out.len, 0);
    lw_buf_reset(&t.in);
    append_frame(&t.in, FIN | BINARY, lw_str_make(big, sizeof(big)));
    talk_run(&t, 1, 1000);
    assert_true(t.is_closed);
    assert_answer(&t, close, sizeof(close));
    talk_done(&t);
}

static void the_limit_counts_fragments_together(void **state)
{
    (void)state;
    static char half[LW_WS_MESSAGE_MAX / 2];
    talk t;
    talk_init(&t);
    append_frame(&t.in, BINARY, lw_str_make(half, sizeof(half)));
    append_frame(&t.in, FIN | CONTINUATION, lw_str_make(half, sizeof(half)));
    append_frame(&t.in, BINARY, lw_str_make(half, sizeof(half)));
    append_frame(&t.in, CONTINUATION, lw_str_make(half, sizeof(half)));
    talk_run(&t, 1, 1000);
    assert_false(t.is_closed);
    append_frame(&t.in, FIN | CONTINUATION, LW_STR("1"));
    talk_run(&t, 1, 1000);
    assert_true(t.is_closed);
    const char close[] = { (char)(FIN | CLOSE), 2, 1009 >> 8, (char)(1009 & 0xFF) };
    assert_answer(&t, close, sizeof(close));
    talk_done(&t);
}

static void a_server_closes_once_and_waits_for_the_echo(void **state)
{
    (void)state;
    talk t;
    talk_init(&t);
    lw_ws *ws = NULL;
    assert_int_equal(lw_ws_new(&ws), LW_OK);
    lw_ws_close(ws, 1001, &t.out);
    lw_ws_close(ws, 1000, &t.out);
    assert_answer(&t, "\x88\x02\x03\xE9", 4);
    lw_buf_reset(&t.out);
    append_frame(&t.in, FIN | TEXT, LW_STR("on its way"));
    append_frame(&t.in, FIN | PING, LW_STR("too late"));
    bool is_closed = true;
    assert_int_equal(lw_ws_feed(ws, t.in.data, t.in.len, &t.out, &is_closed), LW_OK);
    assert_false(is_closed);
    assert_int_equal(t.out.len, 0);
    lw_buf_reset(&t.in);
    append_frame(&t.in, FIN | CLOSE, LW_STR("\x03\xE9"));
    assert_int_equal(lw_ws_feed(ws, t.in.data, t.in.len, &t.out, &is_closed), LW_OK);
    assert_true(is_closed);
    assert_int_equal(t.out.len, 0);
    lw_ws_free(ws);
    talk_done(&t);
}

static void nothing_is_sent_after_an_answer_to_a_close(void **state)
{
    (void)state;
    talk t;
    talk_init(&t);
    lw_ws *ws = NULL;
    bool is_closed = false;
    assert_int_equal(lw_ws_new(&ws), LW_OK);
    append_frame(&t.in, FIN | CLOSE, LW_STR("\x03\xE8"));
    assert_int_equal(lw_ws_feed(ws, t.in.data, t.in.len, &t.out, &is_closed), LW_OK);
    assert_true(is_closed);
    lw_buf_reset(&t.out);
    lw_ws_close(ws, 1000, &t.out);
    assert_int_equal(t.out.len, 0);
    assert_int_equal(t.out.st, LW_OK);
    lw_ws_free(ws);
    talk_done(&t);
}

static void an_answer_without_room_is_an_error(void **state)
{
    (void)state;
    talk t;
    talk_init(&t);
    lw_buf small;
    lw_buf_init(&small, 1);
    lw_ws *ws = NULL;
    bool is_closed = false;
    assert_int_equal(lw_ws_new(&ws), LW_OK);
    append_frame(&t.in, FIN | PING, LW_STR("say more"));
    assert_int_equal(lw_ws_feed(ws, t.in.data, t.in.len, &small, &is_closed), LW_ERR_LIMIT);
    lw_ws_free(ws);
    lw_buf_done(&small);
    talk_done(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(writes_headers_of_frames),
        TEST(messages_are_taken_and_not_answered),
        TEST(fragments_may_have_control_frames_and_cut_characters_between_them),
        TEST(pings_are_answered_with_what_they_say),
        TEST(a_close_is_echoed),
        TEST(a_close_with_a_reason_is_echoed_with_its_code),
        TEST(a_close_with_a_code_nobody_may_send_closes_with_1002),
        TEST(breaches_of_the_framing_close_with_1002),
        TEST(a_new_message_within_another_closes_with_1002),
        TEST(a_frame_without_a_mask_closes_with_1002),
        TEST(a_length_that_could_be_shorter_closes_with_1002),
        TEST(text_that_is_not_utf8_closes_with_1007),
        TEST(a_message_beyond_the_limit_closes_with_1009),
        TEST(the_limit_counts_fragments_together),
        TEST(a_server_closes_once_and_waits_for_the_echo),
        TEST(nothing_is_sent_after_an_answer_to_a_close),
        TEST(an_answer_without_room_is_an_error),
    };
    return cmocka_run_group_tests_name("ws", tests, NULL, NULL);
}
