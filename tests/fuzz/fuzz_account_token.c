/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_account_token.c -- untrusted tokens of service accounts.
 *
 * The input is a token, which cannot be valid, because nobody else has the key; and it is the
 * claims of a token with a good signature: whoever it is then, is a service account that the claims
 * name completely. */
#include "fuzz/fuzz.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/str.h"
#include "server/authn/account_authn.h"
#include "server/authn/account_claims.h"

static lw_account_keys keys;
static lw_account_authn *accounts;

/* Every object exists. */
static lw_status find(void *arg, lw_token_object_kind kind, lw_str ns, lw_str name, lw_object **out)
{
    static const char json[] =
        "{\"apiVersion\":\"v1\",\"kind\":\"X\",\"metadata\":{\"uid\":\"u\"}}";
    (void)arg;
    (void)kind;
    (void)ns;
    (void)name;
    return lw_object_from_json(out, json, sizeof(json) - 1, NULL);
}

static void begin(void)
{
    static const lw_str issuers[] = { LW_STR_INIT("i") };
    static const lw_audiences audiences = { { LW_STR_INIT("a") }, 1 };
    static const lw_token_objects objects = { find, NULL };
    const lw_account_keys_options wanted = { .folder = NULL };
    const lw_account_authn_options options = { .keys = &keys,
                                               .issuers = issuers,
                                               .issuer_count = 1,
                                               .audiences = &audiences,
                                               .clock = lw_clock_system() };
    if (lw_account_keys_open(&keys, &wanted, NULL) < 0 ||
        lw_account_authn_new(&accounts, &options, NULL) < 0)
        abort();
    lw_account_authn_connect(accounts, &objects);
}

static void check_claims(lw_str token)
{
    lw_jwt jwt;
    lw_account_claims claims;
    const lw_user *user = NULL;
    if (lw_jwt_read(&jwt, token, NULL) == LW_OK) {
        bool is_read = lw_account_claims_read(&claims, &jwt, NULL) == LW_OK ||
                       lw_account_claims_read_legacy(&claims, &jwt, NULL) == LW_OK;
        if (is_read &&
            (claims.ns.len == 0 || claims.account.name.len == 0 || claims.account.uid.len == 0))
            abort();
    }
    lw_jwt_done(&jwt);
    if (lw_account_authn_find(accounts, token, NULL, &user, NULL) == LW_OK) {
        if (!lw_str_starts_with(user->name, LW_STR(LW_ACCOUNT_USER_PREFIX)) || user->uid.len == 0)
            abort();
        lw_user_unref(user);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const lw_str input = { (const char *)data, size };
    const lw_user *user = NULL;
    lw_buf token;
    if (!accounts)
        begin();
    if (lw_account_authn_find(accounts, input, NULL, &user, NULL) != LW_ERR_UNAUTHORIZED)
        abort();
    lw_buf_init(&token, 2 * LW_JWT_MAX);
    if (lw_jwt_write(&token, input, keys.signer) == LW_OK)
        check_claims(lw_buf_view(&token));
    lw_buf_done(&token);
    return 0;
}
