/* SPDX-License-Identifier: Apache-2.0 */
/* jwt.c -- reads, verifies and writes JSON Web Tokens. */
#include "server/authn/jwt.h"

#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "base/text/base64.h"
#include "json/fields.h"

enum {
    SIGNATURE_MAX = 1024, /* bytes; of RSA with 8192 bits */
    PARTS = 3,
};

static bool split(lw_str token, lw_str parts[PARTS])
{
    lw_str rest;
    return lw_str_cut(token, '.', &parts[0], &rest) &&
           lw_str_cut(rest, '.', &parts[1], &parts[2]) && !memchr(parts[2].ptr, '.', parts[2].len);
}

bool lw_jwt_looks_like(lw_str token)
{
    lw_str parts[PARTS];
    return split(token, parts) && parts[0].len > 0 && parts[1].len > 0;
}

/* Reads one part, which must be an object without repeated members. */
static lw_status read_part(lw_tree **out, lw_str part, const char *name, lw_error *err)
{
    lw_buf json;
    lw_buf_init(&json, LW_JWT_MAX);
    bool is_text = lw_base64url_decode(&json, part);
    lw_status st = json.st;
    if (st == LW_OK && !is_text)
        st = lw_error_set(err, LW_ERR_INVALID, "the %s of the token is not base64url", name);
    else if (st == LW_OK)
        st = lw_tree_parse(out, lw_buf_view(&json), 0, err);
    lw_buf_done(&json);
    if (st == LW_OK &&
        (!lw_node_is(lw_tree_root(*out), LW_JSON_OBJECT) || lw_tree_had_repeats(*out)))
        st = lw_error_set(err, LW_ERR_INVALID,
                          "the %s of the token is not a JSON object with unique members", name);
    return st;
}

lw_status lw_jwt_read(lw_jwt *jwt, lw_str token, lw_error *err)
{
    lw_str parts[PARTS];
    *jwt = (lw_jwt){ .header = NULL };
    lw_buf_init(&jwt->signature, SIGNATURE_MAX);
    if (token.len > LW_JWT_MAX)
        return lw_error_set(err, LW_ERR_LIMIT, "the token is %zu bytes long; the limit is %d",
                            token.len, LW_JWT_MAX);
    if (!split(token, parts))
        return lw_error_set(err, LW_ERR_INVALID, "the token does not have three parts");
    lw_status st = read_part(&jwt->header, parts[0], "header", err);
    if (st == LW_OK)
        st = read_part(&jwt->claims, parts[1], "payload", err);
    if (st < 0)
        return st;
    if (!lw_base64url_decode(&jwt->signature, parts[2]) && jwt->signature.st == LW_OK)
        return lw_error_set(err, LW_ERR_INVALID, "the signature of the token is not base64url");
    if (jwt->signature.st < 0)
        return lw_error_set(err, jwt->signature.st, "the signature of the token is too long");
    if (lw_jwt_algorithm(jwt).len == 0)
        return lw_error_set(err, LW_ERR_INVALID, "the token does not name its algorithm");
    if (lw_node_get(lw_tree_root(jwt->header), LW_STR("crit")))
        return lw_error_set(err, LW_ERR_INVALID, "the token has critical headers");
    jwt->signed_text = lw_str_make(token.ptr, parts[0].len + 1 + parts[1].len);
    return LW_OK;
}

void lw_jwt_done(lw_jwt *jwt)
{
    lw_tree_free(jwt->header);
    lw_tree_free(jwt->claims);
    lw_buf_done(&jwt->signature);
    jwt->header = jwt->claims = NULL;
}

lw_str lw_jwt_algorithm(const lw_jwt *jwt)
{
    return lw_fields_text(lw_tree_root(jwt->header), "alg");
}

lw_str lw_jwt_key_id(const lw_jwt *jwt)
{
    return lw_fields_text(lw_tree_root(jwt->header), "kid");
}

bool lw_jwt_is_signed_by(const lw_jwt *jwt, const lw_signing_key *key)
{
    return lw_signing_key_verify(key, lw_jwt_algorithm(jwt), jwt->signed_text,
                                 lw_buf_view(&jwt->signature));
}

lw_status lw_jwt_write(lw_buf *token, lw_str claims, const lw_signing_key *key)
{
    size_t start = token->len;
    lw_buf part;
    lw_buf_init(&part, LW_JWT_MAX);
    lw_buf_printf(&part, "{\"alg\":\"%s\",\"kid\":\"%s\"}", lw_signing_key_algorithm(key),
                  lw_signing_key_id(key));
    lw_base64url_encode(token, lw_buf_view(&part));
    lw_buf_append_char(token, '.');
    lw_base64url_encode(token, claims);
    lw_status st = part.st < 0 ? part.st : token->st;
    lw_buf_reset(&part);
    if (st == LW_OK)
        st = lw_signing_key_sign(key, lw_str_skip(lw_buf_view(token), start), &part);
    if (st == LW_OK) {
        lw_buf_append_char(token, '.');
        lw_base64url_encode(token, lw_buf_view(&part));
        st = token->st;
    }
    lw_buf_done(&part);
    return st;
}

lw_status lw_jwt_time(const lw_jwt *jwt, const char *claim, int64_t *out)
{
    const lw_node *node = lw_node_get(lw_tree_root(jwt->claims), lw_str_of(claim));
    lw_str text = lw_node_text(node), whole, fraction;
    if (!node)
        return LW_ERR_NOT_FOUND;
    if (!lw_node_is(node, LW_JSON_NUMBER))
        return LW_ERR_INVALID;
    (void)lw_str_cut(text, '.', &whole, &fraction);
    if (memchr(fraction.ptr ? fraction.ptr : "", 'e', fraction.len) ||
        memchr(fraction.ptr ? fraction.ptr : "", 'E', fraction.len))
        return LW_ERR_INVALID;
    return lw_str_to_int64(whole, out) ? LW_OK : LW_ERR_INVALID;
}

bool lw_jwt_has_audience(const lw_jwt *jwt, lw_str audience)
{
    const lw_node *node = lw_node_get(lw_tree_root(jwt->claims), LW_STR("aud"));
    if (lw_node_is(node, LW_JSON_STRING))
        return lw_str_equal(lw_node_text(node), audience);
    return lw_node_is(node, LW_JSON_ARRAY) && lw_fields_list_has(node, audience);
}
