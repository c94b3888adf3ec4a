/* SPDX-License-Identifier: Apache-2.0 */
/* token_table_test.c -- bearer tokens and whose they are. */
#include "server/authn/token_table.h"

#include <stdio.h>

#include "base/buf.h"
#include "base/str.h"
#include "unit/failing_alloc.h"
#include "unit/test.h"

static lw_token_table *parsed(const char *text)
{
    lw_token_table *table = NULL;
    lw_error err = LW_ERROR_INIT;
    if (lw_token_table_parse(&table, lw_str_of(text), &err) < 0)
        fail_msg("%s", err.message);
    return table;
}

static void assert_refused(const char *text, const char *words)
{
    lw_token_table *table = NULL;
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(lw_token_table_parse(&table, lw_str_of(text), &err), LW_ERR_INVALID);
    if (!strstr(err.message, words))
        fail_msg("\"%s\" does not say \"%s\"", err.message, words);
    assert_null(table);
}

static void a_line_says_token_user_uid_and_groups(void **state)
{
    (void)state;
    lw_token_table *table = parsed("abc,jane,1\n"
                                   "\n"
                                   "def,joe,2,\"dev,ops\"\r\n"
                                   "ghi,\"the \"\"one\"\"\",3,dev");
    assert_int_equal(lw_token_table_count(table), 3);
    const lw_authn_token *token = lw_token_table_find(table, LW_STR("abc"));
    assert_str_equal(token->user, "jane");
    assert_str_equal(token->uid, "1");
    assert_int_equal(token->groups.len, 0);
    token = lw_token_table_find(table, LW_STR("def"));
    assert_str_equal(token->user, "joe");
    assert_str_equal(token->groups, "dev,ops");
    token = lw_token_table_find(table, LW_STR("ghi"));
    assert_str_equal(token->user, "the \"one\"");
    assert_str_equal(token->groups, "dev");
    lw_token_table_free(table);
}

static void only_whole_tokens_are_found(void **state)
{
    (void)state;
    lw_token_table *table = parsed("abc,jane,1");
    assert_null(lw_token_table_find(table, LW_STR("ab")));
    assert_null(lw_token_table_find(table, LW_STR("abcd")));
    assert_null(lw_token_table_find(table, LW_STR("ABC")));
    assert_null(lw_token_table_find(table, LW_STR("")));
    lw_token_table_free(table);
}

static void an_empty_file_lets_nobody_in(void **state)
{
    (void)state;
    lw_token_table *table = parsed("");
    assert_int_equal(lw_token_table_count(table), 0);
    assert_null(lw_token_table_find(table, LW_STR("")));
    lw_token_table_free(table);
    lw_token_table_free(parsed("\n \n\t\r\n"));
}

static void what_is_wrong_is_said_with_its_line(void **state)
{
    (void)state;
    assert_refused("a,b,c\nabc,jane\n", "line 2: token, user and uid are required");
    assert_refused("abc", "line 1");
    assert_refused(",jane,1", "line 1: the token is empty");
    assert_refused("a,b,1\n\n\"\",jane,1", "line 3: the token is empty");
    assert_refused("abc,,1", "line 1: the user is empty");
    assert_refused("abc,jane,1,dev,ops", "put several groups into one quoted field");
    assert_refused("abc,jane,1,\"dev,ops", "line 1: missing closing quote");
    assert_refused("abc,jane,1,\"dev\"ops", "line 1: text follows a closing quote");
    assert_refused("abc,ja\"ne,1", "line 1: quote inside an unquoted field");
    assert_refused("abc,jane,1\nabc,joe,2", "jane and joe have the same token");
}

static void many_tokens_are_found_each(void **state)
{
    (void)state;
    lw_buf text;
    lw_buf_init(&text, LW_TOKEN_FILE_MAX);
    for (int i = 0; i < 5000; i++)
        lw_buf_printf(&text, "token-%d,user-%d,%d\n", i, i, i);
    lw_token_table *table = NULL;
    assert_int_equal(lw_token_table_parse(&table, lw_buf_view(&text), NULL), LW_OK);
    for (int i = 0; i < 5000; i += 7) {
        char token[32], user[32];
        (void)snprintf(token, sizeof(token), "token-%d", i);
        (void)snprintf(user, sizeof(user), "user-%d", i);
        const lw_authn_token *found = lw_token_table_find(table, lw_str_of(token));
        assert_non_null(found);
        assert_str_equal(found->user, user);
    }
    lw_token_table_free(table);
    lw_buf_done(&text);
}

static void comparing_looks_at_every_byte(void **state)
{
    (void)state;
    assert_true(lw_token_equal(LW_STR(""), LW_STR("")));
    assert_true(lw_token_equal(LW_STR("abc"), LW_STR("abc")));
    assert_false(lw_token_equal(LW_STR("abc"), LW_STR("abd")));
    assert_false(lw_token_equal(LW_STR("abc"), LW_STR("xbc")));
    assert_false(lw_token_equal(LW_STR("abc"), LW_STR("abcd")));
}

static void without_memory_it_says_so(void **state)
{
    (void)state;
    for (size_t allowed = 0; allowed < 8; allowed++) {
        failing_alloc f;
        lw_token_table *table = NULL;
        failing_alloc_begin(&f, allowed);
        lw_status st = lw_token_table_parse(&table, LW_STR("abc,jane,1\ndef,joe,2"), NULL);
        failing_alloc_end();
        assert_true(st == LW_OK || st == LW_ERR_NOMEM);
        assert_int_equal(table != NULL, st == LW_OK);
        lw_token_table_free(table);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_line_says_token_user_uid_and_groups),
        TEST(only_whole_tokens_are_found),
        TEST(an_empty_file_lets_nobody_in),
        TEST(what_is_wrong_is_said_with_its_line),
        TEST(many_tokens_are_found_each),
        TEST(comparing_looks_at_every_byte),
        TEST(without_memory_it_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
