/* SPDX-License-Identifier: Apache-2.0 */
/* token_review.c -- authentication.k8s.io: the identity of the caller, and of the owner of a
 * token. */
#include "api/pending/metadata.h"
#include "api/review/review.h"
#include "base/clock.h"
#include "base/str.h"
#include "schema/kinds/kinds.h"
#include "json/fields.h"

static lw_node *strings(lw_tree *tree, const lw_str *texts, size_t count)
{
    lw_node *list = lw_tree_array(tree);
    for (size_t i = 0; i < count; i++)
        lw_node_append(tree, list, lw_tree_string(tree, texts[i]));
    return list;
}

/* Writes a UserInfo. */
static void put_user(lw_tree *tree, lw_node *status, const char *key, const lw_user *user)
{
    lw_node *info = lw_tree_object(tree);
    lw_fields_set_text(tree, info, "username", user->name);
    if (user->uid.len > 0)
        lw_fields_set_text(tree, info, "uid", user->uid);
    if (user->group_count > 0)
        lw_node_put(tree, info, LW_STR("groups"), strings(tree, user->groups, user->group_count));
    if (user->extra_count > 0) {
        lw_node *extras = lw_tree_object(tree);
        for (size_t i = 0; i < user->extra_count; i++)
            lw_node_put(tree, extras, user->extras[i].key,
                        strings(tree, user->extras[i].values, user->extras[i].count));
        lw_node_put(tree, info, LW_STR("extra"), extras);
    }
    lw_node_put(tree, status, lw_str_of(key), info);
}

static void answer_self(lw_pending_object *pending, const lw_node *asked, const lw_api_call *call)
{
    (void)asked;
    static const lw_user nobody = { .name = LW_STR_INIT(LW_USER_ANONYMOUS) };
    lw_node *status = lw_tree_object(pending->tree);
    lw_metadata_set_time(pending, pending->metadata, "creationTimestamp",
                         lw_clock_wall(call->api->clock));
    put_user(pending->tree, status, "userInfo", call->user ? call->user : &nobody);
    lw_node_put(pending->tree, pending->root, LW_STR("status"), status);
}

static bool validate_token(lw_pending_object *pending, lw_api_status *status)
{
    if (lw_fields_text_at(pending->root, "/spec/token").len > 0)
        return true;
    lw_api_status_bad_request(status,
                              LW_STR("token is required for TokenReview in authentication"));
    return false;
}

/* Reads spec.audiences.  False: there are too many. */
static bool read_audiences(const lw_node *list, lw_audiences *out)
{
    out->count = 0;
    for (size_t i = 0; i < lw_node_count(list); i++) {
        if (out->count == LW_AUDIENCES_MAX)
            return false;
        out->at[out->count++] = lw_node_text(lw_node_at(list, i));
    }
    return true;
}

/* Finds the user of the token in |review|. */
static lw_status find_token(const lw_api_call *call, const lw_node *review, const lw_user **user,
                            lw_audiences *matched)
{
    lw_audiences wanted;
    const lw_authenticator *by = &call->api->authenticator;
    if (!by->find_token || !read_audiences(lw_fields_find(review, "/spec/audiences"), &wanted))
        return LW_ERR_UNAUTHORIZED;
    return by->find_token(by->arg, lw_fields_text_at(review, "/spec/token"),
                          wanted.count > 0 ? &wanted : NULL, call->stream, user, matched);
}

static void answer_token(lw_pending_object *pending, const lw_node *asked, const lw_api_call *call)
{
    (void)asked;
    lw_tree *tree = pending->tree;
    lw_node *status = lw_tree_object(tree);
    const lw_user *user = NULL;
    lw_audiences matched = { .count = 0 };
    lw_status st = find_token(call, pending->root, &user, &matched);
    if (st == LW_OK) {
        lw_node_put(tree, status, LW_STR("authenticated"), lw_tree_bool(tree, true));
        put_user(tree, status, "user", user);
        lw_user_unref(user);
        if (matched.count > 0)
            lw_node_put(tree, status, LW_STR("audiences"),
                        strings(tree, matched.at, matched.count));
    } else if (st == LW_ERR_UNAUTHORIZED) {
        lw_node_put(tree, status, LW_STR("user"), lw_tree_object(tree));
        lw_fields_set_text(tree, status, "error", LW_STR("invalid bearer token"));
    } else {
        lw_pending_object_note(pending, st);
    }
    lw_node_put(tree, pending->root, LW_STR("status"), status);
}

const lw_review lw_reviews_of_identity[] = {
    { &lw_kind_selfsubjectreviews, true, NULL, answer_self },
    { &lw_kind_tokenreviews, false, validate_token, answer_token },
    { .kind = NULL },
};
