/* SPDX-License-Identifier: Apache-2.0 */
/* account_claims.c -- writes and reads the claims of service account tokens. */
#include "server/authn/account_claims.h"

#include "base/error.h"
#include "base/str.h"
#include "json/fields.h"
#include "json/writer.h"

#define LEGACY_PREFIX "kubernetes.io/serviceaccount/"

enum {
    SUBJECT_MAX = 1024,
};

static void append_subject(const lw_account_claims *claims, lw_buf *out)
{
    lw_buf_printf(out, LW_ACCOUNT_USER_PREFIX "%.*s:%.*s", LW_STR_ARG(claims->ns),
                  LW_STR_ARG(claims->account.name));
}

static void write_subject(const lw_account_claims *claims, lw_json_writer *w)
{
    lw_buf subject;
    lw_buf_init(&subject, SUBJECT_MAX);
    append_subject(claims, &subject);
    lw_json_write_member_string(w, "sub", lw_buf_view(&subject));
    if (subject.st < 0)
        w->out->st = subject.st;
    lw_buf_done(&subject);
}

static void write_object(lw_json_writer *w, const char *key, const lw_token_object *object)
{
    if (object->name.len == 0)
        return;
    lw_json_write_key(w, lw_str_of(key));
    lw_json_write_object_begin(w);
    lw_json_write_member_string(w, "name", object->name);
    if (object->uid.len > 0)
        lw_json_write_member_string(w, "uid", object->uid);
    lw_json_write_object_end(w);
}

static void write_private(const lw_account_claims *claims, lw_json_writer *w)
{
    lw_json_write_key(w, LW_STR("kubernetes.io"));
    lw_json_write_object_begin(w);
    lw_json_write_member_string(w, "namespace", claims->ns);
    write_object(w, "node", &claims->node);
    write_object(w, "pod", &claims->pod);
    write_object(w, "secret", &claims->secret);
    write_object(w, "serviceaccount", &claims->account);
    if (claims->warn_after_s > 0)
        lw_json_write_member_int(w, "warnafter", claims->warn_after_s);
    lw_json_write_object_end(w);
}

void lw_account_claims_write(const lw_account_claims *claims, lw_str issuer, lw_buf *json)
{
    lw_json_writer w;
    lw_json_writer_init(&w, json, LW_JSON_COMPACT);
    lw_json_write_object_begin(&w);
    lw_json_write_key(&w, LW_STR("aud"));
    lw_json_write_array_begin(&w);
    for (size_t i = 0; i < claims->audiences.count; i++)
        lw_json_write_string(&w, claims->audiences.at[i]);
    lw_json_write_array_end(&w);
    lw_json_write_member_int(&w, "exp", claims->expires_s);
    lw_json_write_member_int(&w, "iat", claims->issued_s);
    lw_json_write_member_string(&w, "iss", issuer);
    lw_json_write_member_string(&w, "jti", claims->id);
    write_private(claims, &w);
    lw_json_write_member_int(&w, "nbf", claims->issued_s);
    write_subject(claims, &w);
    lw_json_write_object_end(&w);
}

void lw_account_claims_write_legacy(const lw_account_claims *claims, lw_buf *json)
{
    lw_json_writer w;
    lw_json_writer_init(&w, json, LW_JSON_COMPACT);
    lw_json_write_object_begin(&w);
    lw_json_write_member_string(&w, "iss", LW_STR(LW_LEGACY_ISSUER));
    lw_json_write_member_string(&w, LEGACY_PREFIX "namespace", claims->ns);
    lw_json_write_member_string(&w, LEGACY_PREFIX "secret.name", claims->secret.name);
    lw_json_write_member_string(&w, LEGACY_PREFIX "service-account.name", claims->account.name);
    lw_json_write_member_string(&w, LEGACY_PREFIX "service-account.uid", claims->account.uid);
    write_subject(claims, &w);
    lw_json_write_object_end(&w);
}

/* Checks that "sub" is the account, and that the account has a namespace, a name and a UID. */
static lw_status check_subject(const lw_account_claims *claims, const lw_jwt *jwt, lw_error *err)
{
    if (claims->ns.len == 0 || claims->account.name.len == 0 || claims->account.uid.len == 0)
        return lw_error_set(err, LW_ERR_INVALID,
                            "the claims name no service account with its namespace and UID");
    lw_str subject = lw_fields_text(lw_tree_root(jwt->claims), "sub");
    lw_buf expected;
    lw_buf_init(&expected, SUBJECT_MAX);
    append_subject(claims, &expected);
    bool is_same = expected.st == LW_OK && lw_str_equal(subject, lw_buf_view(&expected));
    lw_status st = expected.st == LW_ERR_NOMEM ? LW_ERR_NOMEM : LW_OK;
    lw_buf_done(&expected);
    if (st == LW_OK && !is_same)
        return lw_error_set(err, LW_ERR_INVALID,
                            "the subject is not the service account of the other claims");
    return st;
}

static void read_object(const lw_node *claims, const char *key, lw_token_object *out)
{
    const lw_node *object = lw_node_get(claims, lw_str_of(key));
    out->name = lw_fields_text(object, "name");
    out->uid = lw_fields_text(object, "uid");
}

static lw_status read_audiences(lw_audiences *out, const lw_jwt *jwt, lw_error *err)
{
    const lw_node *node = lw_node_get(lw_tree_root(jwt->claims), LW_STR("aud"));
    if (lw_node_is(node, LW_JSON_STRING)) {
        out->at[out->count++] = lw_node_text(node);
        return LW_OK;
    }
    if (node && !lw_node_is(node, LW_JSON_ARRAY))
        return lw_error_set(err, LW_ERR_INVALID, "the claim aud is not a list of audiences");
    if (lw_node_count(node) > LW_AUDIENCES_MAX)
        return lw_error_set(err, LW_ERR_INVALID, "the token has %zu audiences; the limit is %d",
                            lw_node_count(node), LW_AUDIENCES_MAX);
    for (size_t i = 0; lw_node_is(node, LW_JSON_ARRAY) && i < lw_node_count(node); i++)
        out->at[out->count++] = lw_node_text(lw_node_at(node, i));
    return LW_OK;
}

/* Reads a time that may be absent: then it is 0. */
static lw_status read_time(const lw_jwt *jwt, const char *claim, int64_t *out, lw_error *err)
{
    lw_status st = lw_jwt_time(jwt, claim, out);
    if (st == LW_ERR_NOT_FOUND)
        return LW_OK;
    return st < 0 ? lw_error_set(err, LW_ERR_INVALID, "the claim %s is not a time", claim) : LW_OK;
}

/* Returns true if the object that the token is bound to has a UID.  The node of a pod need not. */
static bool has_uids(const lw_account_claims *claims)
{
    const lw_token_object *bound = claims->secret.name.len > 0 ? &claims->secret
                                   : claims->pod.name.len > 0  ? &claims->pod
                                                               : &claims->node;
    return bound->name.len == 0 || bound->uid.len > 0;
}

lw_status lw_account_claims_read(lw_account_claims *claims, const lw_jwt *jwt, lw_error *err)
{
    int64_t not_before = 0;
    const lw_node *root = lw_tree_root(jwt->claims);
    const lw_node *private = lw_node_get(root, LW_STR("kubernetes.io"));
    *claims = (lw_account_claims){ .ns = lw_fields_text(private, "namespace"),
                                   .id = lw_fields_text(root, "jti") };
    read_object(private, "serviceaccount", &claims->account);
    read_object(private, "pod", &claims->pod);
    read_object(private, "node", &claims->node);
    read_object(private, "secret", &claims->secret);
    lw_status st = read_audiences(&claims->audiences, jwt, err);
    if (st == LW_OK)
        st = read_time(jwt, "exp", &claims->expires_s, err);
    if (st == LW_OK)
        st = read_time(jwt, "iat", &claims->issued_s, err);
    if (st == LW_OK)
        st = read_time(jwt, "nbf", &not_before, err);
    if (not_before > claims->issued_s)
        claims->issued_s = not_before;
    if (st == LW_OK && claims->expires_s <= 0)
        st = lw_error_set(err, LW_ERR_INVALID, "the token has no expiration time");
    if (st == LW_OK && !has_uids(claims))
        st = lw_error_set(err, LW_ERR_INVALID, "the token is bound to an object without a UID");
    return st < 0 ? st : check_subject(claims, jwt, err);
}

lw_status lw_account_claims_read_legacy(lw_account_claims *claims, const lw_jwt *jwt, lw_error *err)
{
    const lw_node *root = lw_tree_root(jwt->claims);
    *claims = (lw_account_claims){
        .ns = lw_fields_text(root, LEGACY_PREFIX "namespace"),
        .account = { lw_fields_text(root, LEGACY_PREFIX "service-account.name"),
                     lw_fields_text(root, LEGACY_PREFIX "service-account.uid") },
        .secret = { .name = lw_fields_text(root, LEGACY_PREFIX "secret.name") },
    };
    if (claims->secret.name.len == 0)
        return lw_error_set(err, LW_ERR_INVALID, "the token names no Secret");
    return check_subject(claims, jwt, err);
}
