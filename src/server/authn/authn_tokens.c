/* SPDX-License-Identifier: Apache-2.0 */
/* authn_tokens.c -- reads the token file and reloads it after a change. */
#include "server/authn/authn_tokens.h"

#include <stdatomic.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file/file_mark.h"
#include "base/file/files.h"
#include "base/log.h"
#include "base/str.h"
#include "base/sync.h"

struct lw_authn_tokens {
    char *path;
    const lw_clock *clock;
    const lw_logger *logger;
    atomic_int_least64_t next_look_ns;

    lw_mutex mark_mu; /* guards mark */
    lw_file_mark mark;

    lw_rwlock lock; /* guards table */
    lw_token_table *table;
};

static lw_status read_table(const char *path, lw_token_table **out, lw_error *err)
{
    lw_buf text;
    lw_error why = LW_ERROR_INIT;
    lw_buf_init(&text, LW_TOKEN_FILE_MAX);
    lw_status st = lw_file_read(path, &text, err);
    if (st == LW_OK) {
        st = lw_token_table_parse(out, lw_buf_view(&text), &why);
        if (st < 0)
            (void)lw_error_set(err, st, "%s: %s", path, why.message);
    }
    lw_buf_done(&text);
    return st;
}

lw_status lw_authn_tokens_open(lw_authn_tokens **out, const char *path, const lw_clock *clock,
                               const lw_logger *logger, lw_error *err)
{
    lw_authn_tokens *tokens = lw_alloc_zero(1, sizeof(*tokens));
    if (!tokens)
        return lw_error_nomem(err);
    tokens->clock = clock;
    tokens->logger = logger;
    lw_mutex_init(&tokens->mark_mu);
    lw_rwlock_init(&tokens->lock);
    atomic_init(&tokens->next_look_ns, lw_clock_now(clock) + LW_NS_PER_S);
    tokens->path = lw_str_dup(lw_str_of(path));
    lw_status st = tokens->path ? LW_OK : lw_error_nomem(err);
    if (st == LW_OK) {
        /* Before reading: a change in between is then noticed by the next check. */
        (void)lw_file_mark_read(path, &tokens->mark);
        st = read_table(path, &tokens->table, err);
    }
    if (st < 0) {
        lw_authn_tokens_close(tokens);
        return st;
    }
    *out = tokens;
    return LW_OK;
}

void lw_authn_tokens_close(lw_authn_tokens *tokens)
{
    if (!tokens)
        return;
    lw_token_table_free(tokens->table);
    lw_rwlock_done(&tokens->lock);
    lw_mutex_done(&tokens->mark_mu);
    lw_free(tokens->path);
    lw_free(tokens);
}

static void put_in_force(lw_authn_tokens *tokens, lw_token_table *table)
{
    lw_rwlock_write(&tokens->lock);
    lw_token_table *old = tokens->table;
    tokens->table = table;
    lw_rwlock_unlock(&tokens->lock);
    lw_token_table_free(old);
}

static void read_again(lw_authn_tokens *tokens)
{
    lw_token_table *table = NULL;
    lw_error err = LW_ERROR_INIT;
    if (read_table(tokens->path, &table, &err) == LW_OK) {
        size_t count = lw_token_table_count(table);
        put_in_force(tokens, table);
        lw_log(tokens->logger, LW_LOG_INFO, "authn", "reloaded %s: %zu tokens", tokens->path,
               count);
    } else {
        lw_log(tokens->logger, LW_LOG_WARN, "authn", "%s; the previous tokens stay valid",
               err.message);
    }
}

/* Reloads the file if it has changed.  One thread does this; the others use the current tokens. */
static void refresh(lw_authn_tokens *tokens)
{
    int64_t now = lw_clock_now(tokens->clock);
    int64_t due = atomic_load_explicit(&tokens->next_look_ns, memory_order_relaxed);
    if (now < due ||
        !atomic_compare_exchange_strong_explicit(&tokens->next_look_ns, &due, now + LW_NS_PER_S,
                                                 memory_order_relaxed, memory_order_relaxed))
        return;
    lw_file_mark mark;
    (void)lw_file_mark_read(tokens->path, &mark); /* a removed file has changed, too */
    lw_mutex_lock(&tokens->mark_mu);
    bool is_changed = !lw_file_mark_equal(&mark, &tokens->mark);
    tokens->mark = mark;
    lw_mutex_unlock(&tokens->mark_mu);
    if (is_changed)
        read_again(tokens);
}

/* Creates the user of an entry, whose groups are separated by commas. */
static lw_status keep_user(const lw_authn_token *token, lw_authn_users *users, const lw_user **user)
{
    lw_str groups[LW_USER_GROUPS_MAX], rest = token->groups;
    lw_user found = { .name = token->user, .uid = token->uid, .groups = groups };
    while (rest.len > 0 && found.group_count < LW_USER_GROUPS_MAX) {
        lw_str group;
        (void)lw_str_cut(rest, ',', &group, &rest);
        group = lw_str_trim(group);
        if (group.len > 0)
            groups[found.group_count++] = group;
    }
    return lw_authn_users_keep(users, &found, user);
}

lw_status lw_authn_tokens_find(lw_authn_tokens *tokens, lw_str token, lw_authn_users *users,
                               const lw_user **user)
{
    refresh(tokens);
    lw_rwlock_read(&tokens->lock);
    const lw_authn_token *found = lw_token_table_find(tokens->table, token);
    lw_status st = found ? keep_user(found, users, user) : LW_ERR_UNAUTHORIZED;
    lw_rwlock_unlock(&tokens->lock);
    return st;
}

bool lw_authn_tokens_has_user(lw_authn_tokens *tokens, lw_str name)
{
    refresh(tokens);
    lw_rwlock_read(&tokens->lock);
    bool is_there = lw_token_table_has_user(tokens->table, name);
    lw_rwlock_unlock(&tokens->lock);
    return is_there;
}
