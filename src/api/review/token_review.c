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

/* Finds the user of |token|, if this server is among |audiences|; empty: it is. */
static lw_status find_token(const lw_api *api, lw_str token, const lw_node *audiences,
                            const lw_user **user)
{
    bool is_for_us =
        lw_node_count(audiences) == 0 || lw_fields_list_has(audiences, LW_STR(LW_API_AUDIENCE));
    const lw_authenticator *by = &api->authenticator;
    return by->find_token && is_for_us ? by->find_token(by->arg, token, user) : LW_ERR_UNAUTHORIZED;
}

static void answer_token(lw_pending_object *pending, const lw_node *asked, const lw_api_call *call)
{
    (void)asked;
    static const lw_str audience = LW_STR_INIT(LW_API_AUDIENCE);
    lw_tree *tree = pending->tree;
    lw_node *status = lw_tree_object(tree);
    const lw_user *user = NULL;
    lw_status st = find_token(call->api, lw_fields_text_at(pending->root, "/spec/token"),
                              lw_fields_find(pending->root, "/spec/audiences"), &user);
    if (st == LW_OK) {
        lw_node_put(tree, status, LW_STR("authenticated"), lw_tree_bool(tree, true));
        put_user(tree, status, "user", user);
        lw_user_unref(user);
        lw_node_put(tree, status, LW_STR("audiences"), strings(tree, &audience, 1));
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
