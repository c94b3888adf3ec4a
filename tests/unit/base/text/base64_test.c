/* SPDX-License-Identifier: Apache-2.0 */
/* base64_test.c -- bytes as text and back. */
#include "base/text/base64.h"

#include "base/random.h"
#include "base/str.h"
#include "unit/failing_alloc.h"
#include "unit/test.h"

typedef struct sample {
    const char *bytes;
    const char *text;
} sample;

/* RFC 4648, section 10. */
static const sample vectors[] = {
    { "", "" },
    { "f", "Zg==" },
    { "fo", "Zm8=" },
    { "foo", "Zm9v" },
    { "foob", "Zm9vYg==" },
    { "fooba", "Zm9vYmE=" },
    { "foobar", "Zm9vYmFy" },
};

static void writes_and_reads_the_vectors_of_the_standard(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
        lw_buf out;
        lw_buf_init(&out, 100);
        lw_base64_encode(&out, lw_str_of(vectors[i].bytes));
        assert_str_equal(lw_buf_view(&out), vectors[i].text);
        lw_buf_reset(&out);
        assert_true(lw_base64_decode(&out, lw_str_of(vectors[i].text)));
        assert_str_equal(lw_buf_view(&out), vectors[i].bytes);
        lw_buf_done(&out);
    }
}

static void the_variant_for_urls_has_its_own_symbols_and_no_padding(void **state)
{
    (void)state;
    lw_buf out;
    lw_buf_init(&out, 100);
    lw_base64_encode(&out, LW_STR("\xFB\xFF\xBF\x01"));
    lw_buf_append_char(&out, ' ');
    lw_base64url_encode(&out, LW_STR("\xFB\xFF\xBF\x01"));
    assert_str_equal(lw_buf_view(&out), "+/+/AQ== -_-_AQ");
    lw_buf_reset(&out);
    assert_true(lw_base64url_decode(&out, LW_STR("-_-_AQ")));
    assert_true(lw_str_equal(lw_buf_view(&out), LW_STR("\xFB\xFF\xBF\x01")));
    lw_buf_done(&out);
}

static void refuses_what_is_not_base64_and_leaves_the_buffer_as_it_was(void **state)
{
    (void)state;
    static const char *const bad[] = { "A",    "AA",   "AAA",   "AAAAA",    "=",    "==",
                                       "===",  "====", "A===",  "AB==",     "AAB=", "AA=A",
                                       "AA =", "AA\n", "AAAA ", "AA==AAAA", "-_-_", "AA.=" };
    static const char *const bad_for_urls[] = { "A",   "AAAAA", "AA==", "AAA=", "AB",
                                                "AAB", "+/+/",  "AA ",  "A\nA", "AAAAAB" };
    lw_buf out;
    lw_buf_init(&out, 100);
    lw_buf_append_text(&out, "kept");
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_false(lw_base64_decode(&out, lw_str_of(bad[i])));
    for (size_t i = 0; i < sizeof(bad_for_urls) / sizeof(bad_for_urls[0]); i++)
        assert_false(lw_base64url_decode(&out, lw_str_of(bad_for_urls[i])));
    assert_str_equal(lw_buf_view(&out), "kept");
    assert_int_equal(out.st, LW_OK);
    lw_buf_done(&out);
}

static void reads_leniently_what_go_reads(void **state)
{
    (void)state;
    static const struct {
        const char *text, *bytes;
    } good[] = {
        { "", "" },          { "Zm9v", "foo" }, { "Zm9vYg==", "foob" }, { "Z\nm\r9v", "foo" },
        { "YQ=\n=\n", "a" }, { "YR==", "a" }
    };
    static const char *const bad[] = { "Zm9", "Zm9*", "YQ=", "YQ==YQ==", "=", "====", "YQ=a" };
    lw_buf out;
    lw_buf_init(&out, 100);
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        lw_buf_reset(&out);
        assert_true(lw_base64_decode_lenient(&out, lw_str_of(good[i].text)));
        assert_str_equal(lw_buf_view(&out), good[i].bytes);
    }
    lw_buf_reset(&out);
    lw_buf_append_text(&out, "kept");
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_false(lw_base64_decode_lenient(&out, lw_str_of(bad[i])));
    assert_str_equal(lw_buf_view(&out), "kept");
    lw_buf_done(&out);
}

static void names_the_byte_that_go_names_when_a_text_is_not_base64(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t bad; /* SIZE_MAX: good */
    } rows[] = {
        { "hunter2", 4 },
        { "*", 0 },
        { "ab=c", 2 },
        { "ab=", 3 },
        { "abc=", SIZE_MAX },
        { "abc=d", 4 },
        { "a", 0 },
        { "=", 0 },
        { "abcde===", 5 },
        { "ab==\n", SIZE_MAX },
        { "ab\n==", SIZE_MAX },
        { "ab=\nc", 3 },
        { "", SIZE_MAX },
        { "\r\n", SIZE_MAX },
        { "ab\nc", 1 },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        size_t bad = SIZE_MAX;
        bool is_good = lw_base64_is_lenient(lw_str_of(rows[i].text), &bad);
        assert_int_equal(is_good, rows[i].bad == SIZE_MAX);
        if (!is_good)
            assert_int_equal(bad, rows[i].bad);
    }
}

static void checks_what_it_decodes_for_any_text(void **state)
{
    (void)state;
    static const char symbols[] = "AQz/+9==\n\r-";
    lw_random random;
    lw_buf out;
    lw_random_init(&random, 12);
    lw_buf_init(&out, 100);
    for (size_t n = 0; n < 20000; n++) {
        char text[10];
        size_t bad, len = lw_random_next(&random) % sizeof(text);
        for (size_t i = 0; i < len; i++)
            text[i] = symbols[lw_random_next(&random) % (sizeof(symbols) - 1)];
        lw_buf_reset(&out);
        assert_int_equal(lw_base64_is_lenient(lw_str_make(text, len), &bad),
                         lw_base64_decode_lenient(&out, lw_str_make(text, len)));
    }
    lw_buf_done(&out);
}

static void reads_back_what_it_wrote_for_any_bytes(void **state)
{
    (void)state;
    lw_random random;
    lw_random_init(&random, 11);
    for (size_t len = 0; len < 200; len++) {
        char bytes[200];
        for (size_t i = 0; i < len; i++)
            bytes[i] = (char)lw_random_next(&random);
        lw_buf text;
        lw_buf back;
        lw_buf_init(&text, 1000);
        lw_buf_init(&back, 1000);
        bool is_url = len % 2 != 0;
        (is_url ? lw_base64url_encode : lw_base64_encode)(&text, lw_str_make(bytes, len));
        assert_true((is_url ? lw_base64url_decode : lw_base64_decode)(&back, lw_buf_view(&text)));
        assert_true(lw_str_equal(lw_buf_view(&back), lw_str_make(bytes, len)));
        lw_buf_done(&text);
        lw_buf_done(&back);
    }
}

static void no_room_and_no_memory_are_the_buffers_failure(void **state)
{
    (void)state;
    lw_buf out;
    lw_buf_init(&out, 7);
    lw_base64_encode(&out, LW_STR("foobar"));
    assert_int_equal(out.st, LW_ERR_LIMIT);
    lw_buf_done(&out);
    failing_alloc f;
    failing_alloc_begin(&f, 0);
    lw_buf_init(&out, 100);
    assert_true(lw_base64_decode(&out, LW_STR("Zm9vYmFy")));
    assert_int_equal(out.st, LW_ERR_NOMEM);
    lw_buf_done(&out);
    failing_alloc_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(writes_and_reads_the_vectors_of_the_standard),
        TEST(the_variant_for_urls_has_its_own_symbols_and_no_padding),
        TEST(refuses_what_is_not_base64_and_leaves_the_buffer_as_it_was),
        TEST(reads_leniently_what_go_reads),
        TEST(names_the_byte_that_go_names_when_a_text_is_not_base64),
        TEST(checks_what_it_decodes_for_any_text),
        TEST(reads_back_what_it_wrote_for_any_bytes),
        TEST(no_room_and_no_memory_are_the_buffers_failure),
    };
    return cmocka_run_group_tests_name("base64", tests, NULL, NULL);
}
