/* SPDX-License-Identifier: Apache-2.0 */
/* bootstrap_token.c -- authenticates bootstrap tokens by their Secrets. */
#include "server/authn/bootstrap_token.h"

#include <string.h>

#include "api/certificates/bootstrap_secret.h"
#include "base/str.h"
#include "server/authn/token_table.h"

#define GROUP "system:bootstrappers"

enum {
    VALUE_MAX = 8 * 1024, /* bytes of a value of the Secret */
    GROUP_MAX = 256,      /* characters of a group after "system:bootstrappers:" */
    NAME_SIZE = 64,
};

static bool is_word(lw_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (!(c >= 'a' && c <= 'z') && !lw_char_is_digit(c))
            return false;
    }
    return text.len > 0;
}

bool lw_bootstrap_token_split(lw_str token, lw_str *id, lw_str *secret)
{
    return lw_str_cut(token, '.', id, secret) && id->len == LW_BOOTSTRAP_ID_LEN &&
           secret->len == LW_BOOTSTRAP_SECRET_LEN && is_word(*id) && is_word(*secret);
}

/* "system:bootstrappers:" and letters, digits, ':' and '-', with a letter or digit at the end. */
static bool is_group(lw_str group)
{
    lw_str rest = lw_str_skip(group, sizeof(GROUP ":") - 1);
    if (!lw_str_starts_with(group, LW_STR(GROUP ":")) || rest.len == 0 || rest.len > GROUP_MAX)
        return false;
    for (size_t i = 0; i < rest.len; i++) {
        lw_str c = lw_str_make(rest.ptr + i, 1);
        bool is_last = i + 1 == rest.len;
        if (!is_word(c) && (is_last || (c.ptr[0] != ':' && c.ptr[0] != '-')))
            return false;
    }
    return true;
}

/* Appends the groups of |list|, separated by commas, to those of |user|, whose list is |groups|;
 * each once.  False: one is malformed, or there are too many. */
static bool add_groups(lw_user *user, lw_str groups[LW_USER_GROUPS_MAX], lw_str list)
{
    bool goes_on = list.len > 0;
    while (goes_on) {
        lw_str group;
        goes_on = lw_str_cut(list, ',', &group, &list);
        bool is_known = false;
        for (size_t i = 0; i < user->group_count; i++)
            is_known |= lw_str_equal(groups[i], group);
        if (is_known)
            continue;
        if (!is_group(group) || user->group_count == LW_USER_GROUPS_MAX)
            return false;
        groups[user->group_count++] = group;
    }
    return true;
}

static bool value_is(const lw_object *stored, const char *key, lw_str wanted, lw_buf *scratch)
{
    lw_buf_reset(scratch);
    return lw_bootstrap_secret_value(stored, key, scratch) &&
           lw_token_equal(lw_buf_view(scratch), wanted);
}

static lw_status keep_user(const lw_object *stored, lw_str id, lw_buf *scratch,
                           lw_authn_users *users, const lw_user **user)
{
    char name[NAME_SIZE] = "system:bootstrap:";
    lw_str groups[LW_USER_GROUPS_MAX] = { LW_STR_INIT(GROUP) };
    memcpy(name + strlen(name), id.ptr, id.len); /* the rest is zero */
    lw_user found = { .name = lw_str_of(name), .groups = groups, .group_count = 1 };
    lw_buf_reset(scratch);
    if (lw_bootstrap_secret_value(stored, "auth-extra-groups", scratch) &&
        !add_groups(&found, groups, lw_buf_view(scratch)))
        return LW_ERR_UNAUTHORIZED;
    if (scratch->st < 0)
        return scratch->st == LW_ERR_NOMEM ? LW_ERR_NOMEM : LW_ERR_UNAUTHORIZED;
    return lw_authn_users_keep(users, &found, user);
}

lw_status lw_bootstrap_token_check(const lw_object *stored, lw_str id, lw_str secret,
                                   int64_t wall_ns, lw_authn_users *users, const lw_user **user)
{
    lw_buf scratch;
    lw_str text;
    lw_status st = LW_ERR_UNAUTHORIZED;
    lw_buf_init(&scratch, VALUE_MAX);
    if (lw_bootstrap_secret_is(stored) &&
        lw_object_raw(stored, "/metadata/deletionTimestamp", &text) < 0 &&
        value_is(stored, "token-secret", secret, &scratch) &&
        value_is(stored, "token-id", id, &scratch) &&
        lw_bootstrap_secret_expiry_ns(stored) > wall_ns &&
        value_is(stored, "usage-bootstrap-authentication", LW_STR("true"), &scratch))
        st = keep_user(stored, id, &scratch, users, user);
    else if (scratch.st == LW_ERR_NOMEM)
        st = scratch.st;
    lw_buf_done(&scratch);
    return st;
}
