/* SPDX-License-Identifier: Apache-2.0 */
/* authn_tokens_test.c -- the token file as it is now. */
#include "server/authn/authn_tokens.h"

#include "base/clock.h"
#include "base/str.h"
#include "unit/server/scratch_folder.h"

/* A token file in its folder, read through a clock that is moved by hand. */
typedef struct world {
    scratch s;
    lw_manual_clock *clock;
    lw_authn_users users;
    lw_authn_tokens *tokens;
    char line[LW_LOG_LINE_SIZE]; /* the last of the log */
    lw_logger logger;
} world;

static void keep_line(lw_log_level level, const char *component, const char *line, void *arg)
{
    world *w = arg;
    (void)level;
    (void)component;
    (void)snprintf(w->line, sizeof(w->line), "%s", line);
}

static void world_begin(world *w, const char *text)
{
    lw_error err = LW_ERROR_INIT;
    memset(w, 0, sizeof(*w));
    w->logger = (lw_logger){ LW_LOG_INFO, keep_line, w };
    scratch_begin(&w->s);
    scratch_write(&w->s, "tokens", text);
    lw_authn_users_init(&w->users);
    assert_int_equal(lw_manual_clock_new(&w->clock, 0), LW_OK);
    if (lw_authn_tokens_open(&w->tokens, scratch_path(&w->s, "tokens"),
                             lw_manual_clock_as_clock(w->clock), &w->logger, &err) < 0)
        fail_msg("%s", err.message);
}

static void world_end(world *w)
{
    lw_authn_tokens_close(w->tokens);
    lw_manual_clock_free(w->clock);
    lw_authn_users_done(&w->users);
    scratch_end(&w->s);
}

/* Replaces the file and lets its time of change be another, as the next second would. */
static void change_file(world *w, const char *text, long second)
{
    const struct timespec times[2] = { { second, 0 }, { second, 0 } };
    scratch_write(&w->s, "tokens", text);
    assert_int_equal(utimensat(AT_FDCWD, scratch_path(&w->s, "tokens"), times, 0), 0);
}

static lw_status find_user(world *w, const char *token, const lw_user **user)
{
    return lw_authn_tokens_find(w->tokens, lw_str_of(token), &w->users, user);
}

static lw_status find(world *w, const char *token, lw_str *name)
{
    const lw_user *user;
    lw_status st = find_user(w, token, &user);
    if (st == LW_OK)
        *name = user->name; /* the table holds it */
    if (st == LW_OK)
        lw_user_unref(user);
    return st;
}

static void says_whose_a_token_is(void **state)
{
    (void)state;
    world w;
    lw_str user = { NULL, 0 };
    world_begin(&w, "abc,jane,1\n");
    assert_int_equal(find(&w, "abc", &user), LW_OK);
    assert_str_equal(user, "jane");
    assert_int_equal(find(&w, "abd", &user), LW_ERR_UNAUTHORIZED);
    world_end(&w);
}

static void a_user_has_an_identity_and_groups(void **state)
{
    (void)state;
    world w;
    const lw_user *user;
    world_begin(&w, "abc,jane,17,\"dev, ops,\"\n");
    assert_int_equal(find_user(&w, "abc", &user), LW_OK);
    assert_str_equal(user->uid, "17");
    assert_int_equal(user->group_count, 3);
    assert_str_equal(user->groups[0], "dev");
    assert_str_equal(user->groups[1], "ops");
    assert_str_equal(user->groups[2], "system:authenticated");
    lw_user_unref(user);
    world_end(&w);
}

static void a_changed_file_counts_within_a_second(void **state)
{
    (void)state;
    world w;
    lw_str user = { NULL, 0 };
    world_begin(&w, "abc,jane,1\n");
    change_file(&w, "def,joe,2\n", 1000);
    assert_int_equal(find(&w, "def", &user), LW_ERR_UNAUTHORIZED); /* not looked at again yet */
    assert_true(lw_authn_tokens_has_user(w.tokens, LW_STR("jane")));
    lw_manual_clock_advance(w.clock, LW_NS_PER_S);
    assert_false(lw_authn_tokens_has_user(w.tokens, LW_STR("jane")));
    assert_true(lw_authn_tokens_has_user(w.tokens, LW_STR("joe")));
    assert_int_equal(find(&w, "def", &user), LW_OK);
    assert_str_equal(user, "joe");
    assert_int_equal(find(&w, "abc", &user), LW_ERR_UNAUTHORIZED);
    assert_non_null(strstr(w.line, "1 tokens"));
    world_end(&w);
}

static void names_outlive_the_file_they_came_from(void **state)
{
    (void)state;
    world w;
    lw_str user = { NULL, 0 }, other;
    world_begin(&w, "abc,jane,1\n");
    assert_int_equal(find(&w, "abc", &user), LW_OK);
    change_file(&w, "def,joe,2\n", 1000);
    lw_manual_clock_advance(w.clock, LW_NS_PER_S);
    assert_int_equal(find(&w, "def", &other), LW_OK);
    assert_str_equal(user, "jane");
    world_end(&w);
}

static void a_broken_change_leaves_the_old_tokens_in_force(void **state)
{
    (void)state;
    world w;
    lw_str user = { NULL, 0 };
    world_begin(&w, "abc,jane,1\n");
    change_file(&w, "abc,jane,1\nnonsense\n", 1000);
    lw_manual_clock_advance(w.clock, LW_NS_PER_S);
    assert_int_equal(find(&w, "abc", &user), LW_OK);
    assert_non_null(strstr(w.line, "line 2"));
    assert_non_null(strstr(w.line, "tokens: ")); /* the file's name */
    w.line[0] = '\0';
    lw_manual_clock_advance(w.clock, LW_NS_PER_S);
    assert_int_equal(find(&w, "abc", &user), LW_OK);
    assert_string_equal(w.line, ""); /* said once */
    change_file(&w, "def,joe,2\n", 2000);
    lw_manual_clock_advance(w.clock, LW_NS_PER_S);
    assert_int_equal(find(&w, "def", &user), LW_OK);
    world_end(&w);
}

static void a_file_that_is_gone_leaves_the_old_tokens_in_force(void **state)
{
    (void)state;
    world w;
    lw_str user = { NULL, 0 };
    world_begin(&w, "abc,jane,1\n");
    assert_int_equal(unlink(scratch_path(&w.s, "tokens")), 0);
    lw_manual_clock_advance(w.clock, LW_NS_PER_S);
    assert_int_equal(find(&w, "abc", &user), LW_OK);
    assert_non_null(strstr(w.line, "file not found"));
    world_end(&w);
}

static void a_file_that_cannot_be_read_at_the_start_is_an_error(void **state)
{
    (void)state;
    scratch s;
    lw_authn_tokens *tokens = NULL;
    lw_error err = LW_ERROR_INIT;
    scratch_begin(&s);
    assert_int_equal(lw_authn_tokens_open(&tokens, scratch_path(&s, "tokens"), lw_clock_system(),
                                          NULL, &err),
                     LW_ERR_NOT_FOUND);
    scratch_write(&s, "tokens", "a,b\n");
    assert_int_equal(lw_authn_tokens_open(&tokens, scratch_path(&s, "tokens"), lw_clock_system(),
                                          NULL, &err),
                     LW_ERR_INVALID);
    assert_non_null(strstr(err.message, "tokens: line 1"));
    assert_null(tokens);
    scratch_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(says_whose_a_token_is),
        TEST(a_user_has_an_identity_and_groups),
        TEST(a_changed_file_counts_within_a_second),
        TEST(names_outlive_the_file_they_came_from),
        TEST(a_broken_change_leaves_the_old_tokens_in_force),
        TEST(a_file_that_is_gone_leaves_the_old_tokens_in_force),
        TEST(a_file_that_cannot_be_read_at_the_start_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
