/* SPDX-License-Identifier: Apache-2.0 */
/* skip_test.c -- all variants find the same end of a container, and the same member. */
#include "base/alloc.h"
#include "base/buf.h"
#include "base/str.h"
#include "unit/test.h"
#include "json/simd.h"

static const char *const names[] = { "scalar", "sse2", "avx2", "avx512", "neon" };
enum {
    NAMES = sizeof(names) / sizeof(names[0]),
};

/* The functions of skip.h, one byte at a time. */
static size_t end_by_bytes(lw_str text)
{
    size_t depth = 0;
    bool in_string = false;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (in_string && c == '\\')
            i++;
        else if (c == '"')
            in_string = !in_string;
        else if (!in_string && (c == '{' || c == '['))
            depth++;
        else if (!in_string && (c == '}' || c == ']') && --depth == 0)
            return i + 1;
    }
    return text.len;
}

/* Runs each variant from the first byte of |text|, which is in its own allocation, so that ASan and
 * valgrind detect reads after its end. */
static void expect_same_end(lw_str text)
{
    char *copy = lw_alloc(text.len);
    assert_non_null(copy);
    memcpy(copy, text.ptr, text.len);
    size_t expected = end_by_bytes(text);
    for (size_t i = 0; i < NAMES; i++) {
        const lw_simd *simd = lw_simd_find(names[i]);
        if (!simd)
            continue;
        size_t end = (size_t)(simd->skip_container(copy, copy + text.len) - copy);
        if (end != expected)
            fail_msg("%s: ends at %zu, not at %zu: %.*s", names[i], end, expected,
                     LW_STR_ARG(text));
    }
    lw_free(copy);
}

static const char *const containers[] = {
    "{}",
    "[]",
    "[[],{},[{}]]",
    "{\"a\":\"}\",\"b\":[\"]\",\"\\\"}\"]}",
    "[\"\\\\\",\"\\\\\\\"]\",\"\\\\\\\\\"]",
    "{\"k:{\\\"name\\\":\\\"worker\\\"}\":{\".\":{},\"f:image\":{}},\"path\":\"C:\\\\\"}",
    "[ { \"deep\" : [ [ [ [ \"{[\\u005d\" ] ] ] ] } , 1.5e-3 , true ]",
};
enum {
    CONTAINERS = sizeof(containers) / sizeof(containers[0]),
};

/* Wherever the borders of blocks fall, and whatever follows. */
static void finds_the_end_at_every_place_of_a_block(void **state)
{
    (void)state;
    lw_buf text;
    lw_buf_init(&text, 4096);
    for (size_t i = 0; i < CONTAINERS; i++) {
        for (int before = 0; before < 140; before++) {
            lw_buf_reset(&text);
            lw_buf_printf(&text, "[\"%*s\",%s],\"]}{[\"]", before, "", containers[i]);
            expect_same_end(lw_buf_view(&text));
        }
    }
    lw_buf_done(&text);
}

static void finds_the_end_of_what_is_longer_than_many_blocks(void **state)
{
    (void)state;
    lw_buf text;
    lw_buf_init(&text, 1 << 20);
    lw_buf_append_char(&text, '{');
    for (int i = 0; i < 500; i++)
        lw_buf_printf(&text, "\"key-%d\":[%s,%s],", i, containers[i % CONTAINERS],
                      containers[i * 3 % CONTAINERS]);
    lw_buf_append_text(&text, "\"last\":[[[]]]}}}");
    expect_same_end(lw_buf_view(&text));
    assert_int_equal(end_by_bytes(lw_buf_view(&text)), text.len - 2);
    lw_buf_done(&text);
}

static void ends_with_the_text_where_nothing_closes(void **state)
{
    (void)state;
    lw_buf text;
    lw_buf_init(&text, 4096);
    for (int len = 0; len < 140; len++) {
        lw_buf_reset(&text);
        lw_buf_printf(&text, "{\"%*s", len, "}]\\");
        expect_same_end(lw_buf_view(&text));
        lw_buf_reset(&text);
        lw_buf_printf(&text, "[%*s", len, "[]");
        expect_same_end(lw_buf_view(&text));
    }
    lw_buf_done(&text);
}

/* Each variant that searches "wanted" in |text|, which is in its own allocation, must find the
 * colon at |colon| (SIZE_MAX: none), or return that it cannot. */
static void expect_member(lw_str text, bool can_say, size_t colon)
{
    char *copy = lw_alloc(text.len);
    assert_non_null(copy);
    memcpy(copy, text.ptr, text.len);
    for (size_t i = 0; i < NAMES; i++) {
        const lw_simd *simd = lw_simd_find(names[i]);
        const char *found = NULL;
        if (!simd)
            continue;
        bool said = simd->find_member(copy, copy + text.len, LW_STR("wanted"), &found);
        size_t at = found ? (size_t)(found - copy) : SIZE_MAX;
        if (said != can_say || (said && at != colon))
            fail_msg("%s: says %d, %zu, not %d, %zu: %.*s", names[i], said, at, can_say, colon,
                     LW_STR_ARG(text));
    }
    lw_free(copy);
}

static void finds_the_last_member_at_every_place_of_a_block(void **state)
{
    (void)state;
    lw_buf text;
    lw_buf_init(&text, 4096);
    for (size_t i = 0; i < CONTAINERS; i++) {
        for (int before = 0; before < 140; before++) {
            lw_buf_reset(&text);
            lw_buf_printf(&text, "{\"wanted\":1,\"%*s\":{\"wanted\":%s},\"wanted\" \n", before, "",
                          containers[i]);
            size_t colon = text.len;
            lw_buf_printf(&text,
                          ":[{\"wanted\":%s}],\"unwanted\":\"wanted\",\"Wanted\":[\"wanted\"],"
                          "\"wante\":{},\":\":\":wanted:\"},\"wanted\":2}",
                          containers[i]);
            expect_member(lw_buf_view(&text), true, colon);
        }
    }
    lw_buf_done(&text);
}

static void finds_no_member_where_there_is_none(void **state)
{
    (void)state;
    static const char *const without[] = {
        "{}", "{",    "{}\"wanted\":1", "[\"wanted\",{\"wanted\":1}]", "{\"a\":{\"wanted\":1}}",
        "{:", "{\":", "{wanted\":",
    };
    for (size_t i = 0; i < sizeof(without) / sizeof(without[0]); i++)
        expect_member(lw_str_of(without[i]), true, SIZE_MAX);
}

static void leaves_escapes_of_the_object_itself_to_the_walk(void **state)
{
    (void)state;
    lw_buf text;
    lw_buf_init(&text, 4096);
    for (int before = 0; before < 140; before++) {
        lw_buf_reset(&text);
        lw_buf_printf(&text, "{\"%*s\":[\"\\\\\"],\"w\\u0061nted\":1}", before, "");
        expect_member(lw_buf_view(&text), false, SIZE_MAX);
        lw_buf_reset(&text);
        lw_buf_printf(&text, "{\"%*s\":[\"\\\\\"],\"a\\\"wanted\":1}", before, "");
        expect_member(lw_buf_view(&text), false, SIZE_MAX);
    }
    lw_buf_done(&text);
}

static void knows_no_machine_of_another_name(void **state)
{
    (void)state;
    assert_null(lw_simd_find("abacus"));
    assert_non_null(lw_simd_find("scalar"));
    assert_ptr_equal(lw_simd_find(lw_simd_best()->name), lw_simd_best());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(finds_the_end_at_every_place_of_a_block),
        TEST(finds_the_end_of_what_is_longer_than_many_blocks),
        TEST(ends_with_the_text_where_nothing_closes),
        TEST(finds_the_last_member_at_every_place_of_a_block),
        TEST(finds_no_member_where_there_is_none),
        TEST(leaves_escapes_of_the_object_itself_to_the_walk),
        TEST(knows_no_machine_of_another_name),
    };
    return cmocka_run_group_tests_name("skip", tests, NULL, NULL);
}
