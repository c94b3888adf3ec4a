/* SPDX-License-Identifier: Apache-2.0 */
/* oidc_keys.c -- reads JSON Web Key Sets. */
#include "server/authn/oidc/oidc_keys.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "json/fields.h"

enum {
    TREE_MAX = 8 * 1024 * 1024,
};

lw_oidc_keys *lw_oidc_keys_ref(lw_oidc_keys *keys)
{
    lw_ref_inc(&keys->refs);
    return keys;
}

void lw_oidc_keys_unref(lw_oidc_keys *keys)
{
    if (!keys || !lw_ref_dec(&keys->refs))
        return;
    for (size_t i = 0; i < keys->count; i++) {
        lw_free(keys->keys[i].id);
        lw_signing_key_unref(keys->keys[i].key);
    }
    lw_free(keys);
}

/* Adds the key of |node|, if it can be used. */
static lw_status add_key(lw_oidc_keys *keys, const lw_node *node, lw_error *err)
{
    lw_signing_key *key = NULL;
    const lw_jwk jwk = { .type = lw_fields_text(node, "kty"),
                         .modulus = lw_fields_text(node, "n"),
                         .public = lw_fields_text(node, "e"),
                         .curve = lw_fields_text(node, "crv"),
                         .x = lw_fields_text(node, "x"),
                         .y = lw_fields_text(node, "y") };
    lw_str use = lw_fields_text(node, "use");
    if (use.len > 0 && !lw_str_equal(use, LW_STR("sig")))
        return LW_OK;
    lw_status st = lw_signing_key_of_jwk(&key, &jwk, err);
    if (st == LW_ERR_NOMEM)
        return st;
    if (st < 0)
        return LW_OK;
    if (keys->count == LW_SIGNING_KEYS_MAX) {
        lw_signing_key_unref(key);
        return lw_error_set(err, LW_ERR_LIMIT, "the key set has more than %d keys",
                            LW_SIGNING_KEYS_MAX);
    }
    char *id = lw_str_dup(lw_fields_text(node, "kid"));
    if (!id) {
        lw_signing_key_unref(key);
        return lw_error_nomem(err);
    }
    keys->keys[keys->count++] = (lw_oidc_key){ id, key };
    return LW_OK;
}

static lw_status add_keys(lw_oidc_keys *keys, const lw_node *root, lw_error *err)
{
    const lw_node *list = lw_node_get(root, LW_STR("keys"));
    lw_status st = LW_OK;
    if (!lw_node_is(list, LW_JSON_ARRAY))
        return lw_error_set(err, LW_ERR_INVALID, "it is not a JSON Web Key Set");
    for (size_t i = 0; i < lw_node_count(list) && st == LW_OK; i++)
        st = add_key(keys, lw_node_at(list, i), err);
    if (st == LW_OK && keys->count == 0)
        st = lw_error_set(err, LW_ERR_INVALID,
                          "none of its %zu keys is an RSA key of 2048 to 8192 bits or an ECDSA key "
                          "on P-256, P-384 or P-521",
                          lw_node_count(list));
    return st;
}

lw_status lw_oidc_keys_read(lw_oidc_keys **out, lw_str json, lw_error *err)
{
    lw_tree *tree = NULL;
    lw_oidc_keys *keys = NULL;
    lw_status st = lw_tree_parse(&tree, json, TREE_MAX, err);
    if (st < 0)
        return st;
    keys = lw_alloc_zero(1, sizeof(*keys));
    if (keys)
        lw_ref_init(&keys->refs);
    st = keys ? add_keys(keys, lw_tree_root(tree), err) : lw_error_nomem(err);
    lw_tree_free(tree);
    if (st < 0) {
        lw_oidc_keys_unref(keys);
        return st;
    }
    *out = keys;
    return LW_OK;
}

bool lw_oidc_keys_verify(const lw_oidc_keys *keys, const lw_jwt *jwt)
{
    lw_str id = lw_jwt_key_id(jwt);
    for (size_t i = 0; i < keys->count; i++) {
        if ((id.len == 0 || lw_str_equal(id, lw_str_of(keys->keys[i].id))) &&
            lw_jwt_is_signed_by(jwt, keys->keys[i].key))
            return true;
    }
    return false;
}

bool lw_oidc_keys_equal(const lw_oidc_keys *a, const lw_oidc_keys *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++) {
        if (strcmp(a->keys[i].id, b->keys[i].id) != 0 ||
            strcmp(lw_signing_key_id(a->keys[i].key), lw_signing_key_id(b->keys[i].key)) != 0)
            return false;
    }
    return true;
}
