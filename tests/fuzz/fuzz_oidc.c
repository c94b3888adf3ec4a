/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_oidc.c -- what comes from others when tokens of other issuers are verified.  The input is,
 * by its first byte, an authentication configuration, a key set, a URL, or the claims of a token;
 * what is refused has a reason, and a user that is made has a name. */
#include "fuzz/fuzz.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/str.h"
#include "server/authn/oidc/oidc_keys.h"
#include "server/authn/oidc/oidc_url.h"
#include "server/authn/oidc/oidc_user.h"

#define MAPPINGS                                                                                   \
    "{\"apiVersion\":\"apiserver.config.k8s.io/v1\",\"kind\":\"AuthenticationConfiguration\","     \
    "\"jwt\":[{\"issuer\":{\"url\":\"https://a\",\"audiences\":[\"x\"]},\"claimValidationRules\":" \
    "[{\"expression\":\"!has(claims.no)\"}],\"claimMappings\":{\"username\":{\"claim\":\"sub\","   \
    "\"prefix\":\"p:\"},\"groups\":{\"expression\":\"claims.?g.orValue([])\"},\"extra\":[{"        \
    "\"key\":\"a.b/c\",\"valueExpression\":\"claims.?e.orValue(null)\"}]},"                        \
    "\"userValidationRules\":[{\"expression\":\"user.username != 'p:root'\"}]}]}"

static lw_oidc_config *config;

static void check(lw_status st, const lw_error *err)
{
    if (st < 0 && err->message[0] == '\0')
        abort();
}

static void validate(lw_oidc_config *c)
{
    lw_buf why;
    lw_buf_init(&why, 1 << 20);
    lw_status st = lw_oidc_config_validate(c, NULL, 0, &why);
    if ((st == LW_ERR_INVALID) != (why.len > 0))
        abort();
    lw_buf_done(&why);
}

static void read_config(lw_str text)
{
    lw_oidc_config *c = NULL;
    lw_error err = LW_ERROR_INIT;
    lw_status st = lw_oidc_config_read(&c, text, &err);
    check(st, &err);
    if (st == LW_OK)
        validate(c);
    lw_oidc_config_unref(c);
}

static void read_keys(lw_str text)
{
    lw_oidc_keys *keys = NULL;
    lw_error err = LW_ERROR_INIT;
    lw_status st = lw_oidc_keys_read(&keys, text, &err);
    check(st, &err);
    if (st == LW_OK && (keys->count == 0 || !lw_oidc_keys_equal(keys, keys)))
        abort();
    lw_oidc_keys_unref(keys);
}

static void make_user(lw_str text)
{
    lw_tree *tree = NULL;
    const lw_user *user = NULL;
    lw_error err = LW_ERROR_INIT;
    if (lw_tree_parse(&tree, text, 0, NULL) < 0)
        return;
    lw_status st = lw_oidc_user_make(&user, lw_oidc_issuer_at(config, 0), lw_tree_root(tree), &err);
    check(st, &err);
    if (st == LW_OK && (!lw_str_starts_with(user->name, LW_STR("p:")) || user->group_count == 0))
        abort();
    lw_user_unref(user);
    lw_tree_free(tree);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lw_oidc_url url;
    if (!config && lw_oidc_config_read(&config, LW_STR(MAPPINGS), NULL) == LW_OK)
        validate(config);
    if (size == 0)
        return 0;
    lw_str text = lw_str_make((const char *)data + 1, size - 1);
    switch (data[0]) {
    case 'c': read_config(text); break;
    case 'k': read_keys(text); break;
    case 'u': (void)lw_oidc_url_parse(&url, text); break;
    default: make_user(text); break;
    }
    return 0;
}
