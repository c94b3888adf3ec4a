/* SPDX-License-Identifier: Apache-2.0 */
/* gzip_test.c -- what is compressed comes back as it was. */
#include "api/media/gzip.h"

#include "base/str.h"
#include "unit/api/unzip.h"
#include "unit/test.h"

/* Feeds |input| in pieces of |step| bytes. */
static void compress_in_steps(lw_str input, size_t step, lw_buf *out)
{
    lw_gzip *gzip = NULL;
    assert_int_equal(lw_gzip_new(&gzip), LW_OK);
    while (input.len > step) {
        assert_int_equal(lw_gzip_feed(gzip, lw_str_make(input.ptr, step), false, out), LW_OK);
        input = lw_str_skip(input, step);
    }
    assert_int_equal(lw_gzip_feed(gzip, input, true, out), LW_OK);
    lw_gzip_free(gzip);
}

static void assert_unpacks_to(lw_str packed, lw_str expected)
{
    lw_buf got;
    lw_buf_init(&got, 1 << 22);
    unzip(packed, &got);
    assert_int_equal(got.len, expected.len);
    if (got.len > 0)
        assert_memory_equal(got.data, expected.ptr, got.len);
    lw_buf_done(&got);
}

static void any_split_of_the_input_decompresses_to_it(void **state)
{
    (void)state;
    lw_buf input;
    lw_buf_init(&input, 1 << 22);
    for (unsigned i = 0; i < 40000; i++)
        lw_buf_printf(&input, "{\"name\":\"pod-%u\"},", i * 2654435761u);
    static const size_t steps[] = { 1000, 65536, 1 << 22 };
    for (size_t i = 0; i < 3; i++) {
        lw_buf out;
        lw_buf_init(&out, 1 << 22);
        compress_in_steps(lw_buf_view(&input), steps[i], &out);
        assert_true(out.len < input.len / 2);
        assert_unpacks_to(lw_buf_view(&out), lw_buf_view(&input));
        lw_buf_done(&out);
    }
    lw_buf_done(&input);
}

static void expanding_gives_back_what_was_compressed_within_the_limit(void **state)
{
    (void)state;
    lw_buf input, packed, out;
    lw_buf_init(&input, 1 << 20);
    lw_buf_init(&packed, 1 << 20);
    for (unsigned i = 0; i < 40000; i++)
        lw_buf_append_char(&input, (char)('a' + i % 7));
    compress_in_steps(lw_buf_view(&input), 1 << 20, &packed);
    lw_buf_init(&out, 40000);
    assert_int_equal(lw_gzip_expand(lw_buf_view(&packed), &out), LW_OK);
    assert_true(lw_str_equal(lw_buf_view(&out), lw_buf_view(&input)));
    lw_buf_done(&out);
    lw_buf_init(&out, 39999);
    assert_int_equal(lw_gzip_expand(lw_buf_view(&packed), &out), LW_ERR_LIMIT);
    lw_buf_done(&out);
    lw_buf_init(&out, 1 << 20);
    assert_int_equal(lw_gzip_expand(lw_str_make(packed.data, packed.len / 2), &out), LW_ERR_SYNTAX);
    assert_int_equal(lw_gzip_expand(LW_STR("not gzip"), &out), LW_ERR_SYNTAX);
    assert_int_equal(lw_gzip_expand(LW_STR(""), &out), LW_ERR_SYNTAX);
    lw_buf_done(&out);
    lw_buf_done(&packed);
    lw_buf_done(&input);
}

static void empty_input_is_a_valid_stream(void **state)
{
    (void)state;
    lw_buf out;
    lw_buf_init(&out, 1 << 16);
    compress_in_steps(lw_str_make(NULL, 0), 10, &out);
    assert_unpacks_to(lw_buf_view(&out), LW_STR(""));
    lw_buf_done(&out);
}

static void a_full_buffer_is_an_error(void **state)
{
    (void)state;
    lw_gzip *gzip = NULL;
    lw_buf out;
    lw_buf_init(&out, 10);
    assert_int_equal(lw_gzip_new(&gzip), LW_OK);
    assert_int_equal(lw_gzip_feed(gzip, LW_STR("abc"), true, &out), LW_ERR_LIMIT);
    lw_gzip_free(gzip);
    lw_buf_done(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(any_split_of_the_input_decompresses_to_it),
        TEST(expanding_gives_back_what_was_compressed_within_the_limit),
        TEST(empty_input_is_a_valid_stream),
        TEST(a_full_buffer_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
