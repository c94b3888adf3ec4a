/* SPDX-License-Identifier: Apache-2.0 */
/* frame_test.c -- frames of a WebSocket server, in one piece and byte by byte. */
#include "websocket/frame.h"

#include "base/str.h"
#include "unit/test.h"

enum {
    TRANSCRIPT_MAX = 1024 * 1024,
};

/* Writes what |input| has, read in pieces of |step| bytes: "<" before and ">" after a message. */
static void transcript(lw_buf *out, lw_str input, size_t step)
{
    lw_websocket_reader reader = { .head_len = 0 };
    lw_websocket_piece piece;
    lw_websocket_found found = LW_WEBSOCKET_FOUND_NOTHING;
    while (input.len > 0 && found != LW_WEBSOCKET_FOUND_INVALID) {
        size_t len = input.len < step ? input.len : step;
        size_t used = lw_websocket_read(&reader, input.ptr, len, &found, &piece);
        assert_in_range(used, 0, len);
        input = lw_str_skip(input, used);
        switch (found) {
        case LW_WEBSOCKET_FOUND_NOTHING: assert_int_equal(used, len); break;
        case LW_WEBSOCKET_FOUND_DATA:
            lw_buf_printf(out, "%s%.*s%s", piece.is_first ? "<" : "", LW_STR_ARG(piece.bytes),
                          piece.is_last ? ">" : "");
            break;
        case LW_WEBSOCKET_FOUND_PING:
            lw_buf_printf(out, "[ping %.*s]", LW_STR_ARG(piece.bytes));
            break;
        case LW_WEBSOCKET_FOUND_PONG: lw_buf_printf(out, "[pong]"); break;
        case LW_WEBSOCKET_FOUND_CLOSE:
            lw_buf_printf(out, "[close %u %.*s]", piece.status, LW_STR_ARG(piece.bytes));
            break;
        case LW_WEBSOCKET_FOUND_INVALID:
            assert_non_null(piece.fault);
            lw_buf_printf(out, "[invalid]");
            break;
        }
    }
}

static void assert_reads_as(lw_str input, const char *wanted)
{
    static const size_t steps[] = { SIZE_MAX, 1, 2, 3, 7 };
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        lw_buf out;
        lw_buf_init(&out, TRANSCRIPT_MAX);
        transcript(&out, input, steps[i]);
        assert_str_equal(lw_buf_view(&out), wanted);
        lw_buf_done(&out);
    }
}

/* RFC 6455, 5.7. */
static void messages_are_handed_out(void **state)
{
    (void)state;
    assert_reads_as(LW_STR("\x81\x05Hello"), "<Hello>");
    assert_reads_as(LW_STR("\x01\x03Hel\x80\x02lo"), "<Hello>");
    assert_reads_as(LW_STR("\x82\x02\x01"
                           "a\x82\x01"
                           "b"),
                    "<\x01"
                    "a><b>");
}

static void empty_messages_and_frames_are_messages(void **state)
{
    (void)state;
    assert_reads_as(LW_STR("\x82\x00\x82\x01x"), "<><x>");
    assert_reads_as(LW_STR("\x02\x00\x00\x01x\x80\x00"), "<x>");
}

static void control_frames_may_be_inside_a_message(void **state)
{
    (void)state;
    assert_reads_as(LW_STR("\x01\x03Hel\x89\x02hi\x8A\x00\x80\x02lo"), "<Hel[ping hi][pong]lo>");
    assert_reads_as(LW_STR("\x88\x06\x03\xE8"
                           "done"),
                    "[close 1000 done]");
    assert_reads_as(LW_STR("\x88\x00"), "[close 0 ]");
}

static void long_messages_have_long_lengths(void **state)
{
    (void)state;
    lw_buf input, wanted;
    lw_buf_init(&input, TRANSCRIPT_MAX);
    lw_buf_init(&wanted, TRANSCRIPT_MAX);
    lw_buf_append_str(&input, LW_STR("\x82\x7E\x00\x80"));
    lw_buf_append_char(&wanted, '<');
    for (size_t i = 0; i < 128; i++) {
        lw_buf_append_char(&input, 'x');
        lw_buf_append_char(&wanted, 'x');
    }
    lw_buf_append_str(&input, LW_STR("\x82\x7F\x00\x00\x00\x00\x00\x01\x00\x00"));
    lw_buf_append_text(&wanted, "><");
    for (size_t i = 0; i < 65536; i++) {
        lw_buf_append_char(&input, 'y');
        lw_buf_append_char(&wanted, 'y');
    }
    lw_buf_append_str(&wanted, lw_str_make(">", 2)); /* with a NUL */
    assert_reads_as(lw_buf_view(&input), wanted.data);
    lw_buf_done(&input);
    lw_buf_done(&wanted);
}

static void violations_are_found(void **state)
{
    (void)state;
    assert_reads_as(LW_STR("\x82\x81"
                           "aaaab"),
                    "[invalid]");                      /* masked */
    assert_reads_as(LW_STR("\xC2\x01x"), "[invalid]"); /* a reserved bit */
    assert_reads_as(LW_STR("\x83\x01x"), "[invalid]"); /* an unknown opcode */
    assert_reads_as(LW_STR("\x80\x01x"), "[invalid]"); /* continues nothing */
    assert_reads_as(LW_STR("\x02\x01x\x82\x01y"), "<x[invalid]");
    assert_reads_as(LW_STR("\x09\x00"), "[invalid]");         /* a fragment of a ping */
    assert_reads_as(LW_STR("\x88\x01x"), "[invalid]");        /* half of a status */
    assert_reads_as(LW_STR("\x89\x7E\x00\x7E"), "[invalid]"); /* a long ping */
    assert_reads_as(LW_STR("\x82\x7E\x00\x7D"), "[invalid]"); /* a length that needs no 16 bits */
    assert_reads_as(LW_STR("\x82\x7F\x00\x00\x00\x00\x00\x00\xFF\xFF"), "[invalid]");
    assert_reads_as(LW_STR("\x82\x7F\x80\x00\x00\x00\x00\x00\x00\x00"), "[invalid]");
}

static void frames_are_masked(void **state)
{
    (void)state;
    static const unsigned char mask[] = { 0x37, 0xFA, 0x21, 0x3D };
    lw_buf out;
    lw_buf_init(&out, TRANSCRIPT_MAX);
    lw_websocket_append(&out, LW_WEBSOCKET_TEXT, mask, LW_STR("H"), LW_STR("ello"));
    assert_int_equal(out.len, 11);
    assert_memory_equal(out.data, "\x81\x85\x37\xFA\x21\x3D\x7F\x9F\x4D\x51\x58", 11);
    lw_buf_done(&out);
}

/* Unmasked, a frame reads as what was written. */
static void frames_of_all_sizes_are_read_back(void **state)
{
    (void)state;
    static const size_t sizes[] = { 0, 1, 125, 126, 127, 65535, 65536, 70000 };
    static const unsigned char mask[LW_WEBSOCKET_MASK_SIZE] = { 0 };
    static char bytes[70000];
    memset(bytes, 'z', sizeof(bytes));
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        lw_buf out;
        lw_websocket_reader reader = { .head_len = 0 };
        lw_websocket_found found;
        lw_websocket_piece piece;
        lw_buf_init(&out, TRANSCRIPT_MAX);
        lw_websocket_append(&out, LW_WEBSOCKET_BINARY, mask, LW_STR(""),
                            lw_str_make(bytes, sizes[i]));
        size_t head = out.len - sizes[i] - LW_WEBSOCKET_MASK_SIZE;
        out.data[1] &= 0x7F;
        memmove(out.data + head, out.data + head + LW_WEBSOCKET_MASK_SIZE, sizes[i]);
        size_t used = lw_websocket_read(&reader, out.data, head + sizes[i], &found, &piece);
        assert_int_equal(found, LW_WEBSOCKET_FOUND_DATA);
        assert_int_equal(used, head + sizes[i]);
        assert_int_equal(piece.bytes.len, sizes[i]);
        assert_true(piece.is_first && piece.is_last);
        lw_buf_done(&out);
    }
}

static void a_frame_without_room_is_not_begun(void **state)
{
    (void)state;
    static const unsigned char mask[LW_WEBSOCKET_MASK_SIZE] = { 0 };
    lw_buf out;
    lw_buf_init(&out, 20);
    lw_websocket_append(&out, LW_WEBSOCKET_BINARY, mask, LW_STR("123456"), LW_STR("789"));
    assert_int_equal(out.len, 0);
    assert_int_equal(out.st, LW_ERR_LIMIT);
    lw_buf_done(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(messages_are_handed_out),
        TEST(empty_messages_and_frames_are_messages),
        TEST(control_frames_may_be_inside_a_message),
        TEST(long_messages_have_long_lengths),
        TEST(violations_are_found),
        TEST(frames_are_masked),
        TEST(frames_of_all_sizes_are_read_back),
        TEST(a_frame_without_room_is_not_begun),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
