/* SPDX-License-Identifier: Apache-2.0 */
/* account_check.c -- the times of a token, and the objects that it names. */
#include "server/authn/account_check.h"

#include "base/error.h"
#include "base/str.h"
#include "base/text/base64.h"
#include "base/text/time_text.h"
#include "server/authn/token_table.h"

lw_status lw_account_check_times(const lw_account_claims *claims, int64_t now_s, lw_error *err)
{
    if (claims->expires_s > 0 && now_s - LW_ACCOUNT_LEEWAY_S > claims->expires_s)
        return lw_error_set(err, LW_ERR_EXPIRED, "it has expired");
    if (now_s + LW_ACCOUNT_LEEWAY_S < claims->issued_s)
        return lw_error_set(err, LW_ERR_INVALID, "it is not valid yet");
    return LW_OK;
}

/* True if |obj| has a deletionTimestamp; |*is_over|: it is longer ago than the leeway. */
static bool is_deleted(const lw_object *obj, int64_t now_s, bool *is_over)
{
    lw_str text;
    lw_time at;
    *is_over = false;
    if (lw_object_get_string(obj, "/metadata/deletionTimestamp", &text) < 0)
        return false;
    *is_over = !lw_time_parse(text, &at) || at.s < now_s - LW_ACCOUNT_LEEWAY_S;
    return true;
}

/* Compares the data of a Secret with its token. */
static bool has_token(const lw_object *secret, lw_str token)
{
    lw_buf bytes;
    lw_str text;
    lw_buf_init(&bytes, LW_ACCOUNT_TOKEN_MAX);
    bool is_equal = lw_object_get_string(secret, "/data/token", &text) == LW_OK &&
                    lw_base64_decode(&bytes, text) && bytes.st == LW_OK &&
                    lw_token_equal(lw_buf_view(&bytes), token);
    lw_buf_done(&bytes);
    return is_equal;
}

static const char *const kinds[] = { "ServiceAccount", "Pod", "Node", "Secret" };

/* Checks |obj| as it is now.  |*is_lasting|: the result holds for this revision of it. */
static lw_status check_version(const lw_object *obj, lw_token_object_kind kind,
                               const lw_token_object *named, int64_t now_s, bool *is_lasting,
                               lw_error *err)
{
    bool is_over = false;
    if (named->uid.len > 0 && !lw_str_equal(lw_str_of(lw_object_uid(obj)), named->uid))
        return lw_error_set(err, LW_ERR_EXPIRED, "its %s has been deleted and created again",
                            kinds[kind]);
    *is_lasting = !is_deleted(obj, now_s, &is_over);
    return is_over ? lw_error_set(err, LW_ERR_INVALID, "its %s is being deleted", kinds[kind])
                   : LW_OK;
}

/* Checks one object; a revision that was found valid before is not checked again. */
static lw_status check_object(const lw_token_objects *objects, lw_token_object_kind kind, lw_str ns,
                              const lw_token_object *named, atomic_uint_least64_t *revision,
                              lw_str secret_token, int64_t now_s, lw_error *err)
{
    lw_object *obj = NULL;
    bool is_lasting = false;
    lw_status st = objects->find(objects->arg, kind, ns, named->name, &obj);
    if (st < 0)
        return st;
    if (!obj)
        return lw_error_set(err, LW_ERR_INVALID, "its %s does not exist", kinds[kind]);
    uint64_t now = lw_object_revision(obj);
    if (now != atomic_load_explicit(revision, memory_order_relaxed)) {
        st = check_version(obj, kind, named, now_s, &is_lasting, err);
        if (st == LW_OK && secret_token.len > 0 && !has_token(obj, secret_token))
            st = lw_error_set(err, LW_ERR_INVALID, "its Secret has another token");
        if (st == LW_OK && is_lasting)
            atomic_store_explicit(revision, now, memory_order_relaxed);
    }
    lw_object_unref(obj);
    return st;
}

lw_status lw_account_check_objects(const lw_token_objects *objects, lw_verified_token *entry,
                                   lw_str token, int64_t now_s, lw_error *err)
{
    const lw_account_claims *claims = &entry->claims;
    const lw_str none = { NULL, 0 };
    atomic_uint_least64_t *bound = &entry->bound_revision;
    lw_status st = check_object(objects, LW_TOKEN_ACCOUNT, claims->ns, &claims->account,
                                &entry->account_revision, none, now_s, err);
    if (st < 0)
        return st;
    if (claims->secret.name.len > 0)
        return check_object(objects, LW_TOKEN_SECRET, claims->ns, &claims->secret, bound,
                            entry->is_legacy ? token : none, now_s, err);
    if (claims->pod.name.len > 0) /* the node of a pod is only told */
        return check_object(objects, LW_TOKEN_POD, claims->ns, &claims->pod, bound, none, now_s,
                            err);
    if (claims->node.name.len > 0)
        return check_object(objects, LW_TOKEN_NODE, none, &claims->node, bound, none, now_s, err);
    return LW_OK;
}
