/* SPDX-License-Identifier: Apache-2.0 */
/* grpc_frame_test.c -- messages out of bytes, however these are cut. */
#include "base/str.h"
#include "etcd/grpc_frame.h"
#include "unit/failing_alloc.h"
#include "unit/test.h"

static const char three[] = "\0\0\0\0\3abc\0\0\0\0\0\0\0\0\0\5defgh";
enum {
    THREE_LEN = sizeof(three) - 1,
};

/* Feeds |input| in pieces of |step| bytes and writes the messages down, with a bar after each. */
static int read_all(lw_grpc_frames *frames, lw_str input, size_t step, lw_buf *out, lw_error *err)
{
    lw_str message;
    int got = 0;
    while (input.len > 0 && got >= 0) {
        lw_str piece = lw_str_make(input.ptr, step < input.len ? step : input.len);
        input = lw_str_skip(input, step);
        while ((got = lw_grpc_frames_next(frames, &piece, &message, err)) > 0) {
            lw_buf_append_str(out, message);
            lw_buf_append_char(out, '|');
        }
    }
    return got;
}

static void messages_are_the_same_however_the_bytes_are_cut(void **state)
{
    (void)state;
    for (size_t step = 1; step <= THREE_LEN; step++) {
        lw_grpc_frames frames;
        lw_buf out;
        lw_buf_init(&out, 100);
        lw_grpc_frames_init(&frames, 100);
        assert_int_equal(read_all(&frames, lw_str_make(three, THREE_LEN), step, &out, NULL), 0);
        assert_str_equal(lw_buf_view(&out), "abc||defgh|");
        assert_true(lw_grpc_frames_is_between(&frames));
        lw_grpc_frames_done(&frames);
        lw_buf_done(&out);
    }
}

static void an_end_inside_of_a_message_is_seen(void **state)
{
    (void)state;
    for (size_t len = 0; len <= THREE_LEN; len++) {
        lw_grpc_frames frames;
        lw_buf out;
        lw_buf_init(&out, 100);
        lw_grpc_frames_init(&frames, 100);
        assert_int_equal(read_all(&frames, lw_str_make(three, len), len ? len : 1, &out, NULL), 0);
        bool is_end = len == 0 || len == 8 || len == 13 || len == THREE_LEN;
        assert_int_equal(lw_grpc_frames_is_between(&frames), is_end);
        lw_grpc_frames_done(&frames);
        lw_buf_done(&out);
    }
}

static void what_is_announced_too_large_is_refused_before_it_comes(void **state)
{
    lw_grpc_frames frames;
    lw_error err = LW_ERROR_INIT;
    lw_str input = LW_STR("\0\0\0\0\x65"), message;
    (void)state;
    lw_grpc_frames_init(&frames, 100);
    assert_int_equal(lw_grpc_frames_next(&frames, &input, &message, &err), LW_ERR_LIMIT);
    assert_non_null(strstr(err.message, "101 bytes"));
    lw_grpc_frames_done(&frames);
}

static void flags_are_refused(void **state)
{
    lw_grpc_frames frames;
    lw_error err = LW_ERROR_INIT;
    lw_str input = LW_STR("\x80\0\0\0\1a"), message;
    (void)state;
    lw_grpc_frames_init(&frames, 100);
    assert_int_equal(lw_grpc_frames_next(&frames, &input, &message, &err), LW_ERR_INTERNAL);
    assert_non_null(strstr(err.message, "0x80"));
    lw_grpc_frames_done(&frames);
}

static void an_announcement_alone_takes_no_memory(void **state)
{
    failing_alloc alloc;
    lw_grpc_frames frames;
    lw_str input = LW_STR("\0\x1f\0\0\0only"), message;
    (void)state;
    failing_alloc_begin(&alloc, 1000);
    lw_grpc_frames_init(&frames, 512 << 20);
    assert_int_equal(lw_grpc_frames_next(&frames, &input, &message, NULL), 0);
    assert_true(alloc.largest < 1000);
    lw_grpc_frames_done(&frames);
    assert_int_equal(alloc.live, 0);
    failing_alloc_end();
}

static void a_prefix_that_is_written_is_read(void **state)
{
    char bytes[LW_GRPC_PREFIX];
    (void)state;
    lw_grpc_prefix(bytes, 0x01020384);
    assert_memory_equal(bytes, "\0\1\2\3\x84", LW_GRPC_PREFIX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(messages_are_the_same_however_the_bytes_are_cut),
        TEST(an_end_inside_of_a_message_is_seen),
        TEST(what_is_announced_too_large_is_refused_before_it_comes),
        TEST(flags_are_refused),
        TEST(an_announcement_alone_takes_no_memory),
        TEST(a_prefix_that_is_written_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
