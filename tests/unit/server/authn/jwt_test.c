/* SPDX-License-Identifier: Apache-2.0 */
/* jwt_test.c -- tokens that are read, and those that are refused. */
#include "server/authn/jwt.h"

#include "base/error.h"
#include "base/str.h"
#include "base/text/base64.h"
#include "unit/test.h"

static void write_token(lw_buf *token, const char *claims, lw_signing_key **key)
{
    lw_buf_init(token, LW_JWT_MAX);
    assert_int_equal(lw_signing_key_generate(key, false, NULL), LW_OK);
    assert_int_equal(lw_jwt_write(token, lw_str_of(claims), *key), LW_OK);
}

static void a_token_is_read_and_verified(void **state)
{
    lw_signing_key *key = NULL, *other = NULL;
    lw_buf token;
    lw_jwt jwt;
    int64_t at = 0;
    (void)state;
    write_token(&token, "{\"exp\":1700000000.5,\"nbf\":\"soon\",\"aud\":[\"a\",\"b\"]}", &key);
    assert_true(lw_jwt_looks_like(lw_buf_view(&token)));
    assert_int_equal(lw_jwt_read(&jwt, lw_buf_view(&token), NULL), LW_OK);
    assert_true(lw_str_equal(lw_jwt_algorithm(&jwt), LW_STR("ES256")));
    assert_true(lw_str_equal(lw_jwt_key_id(&jwt), lw_str_of(lw_signing_key_id(key))));
    assert_true(lw_jwt_is_signed_by(&jwt, key));
    assert_int_equal(lw_signing_key_generate(&other, false, NULL), LW_OK);
    assert_false(lw_jwt_is_signed_by(&jwt, other));
    assert_int_equal(lw_jwt_time(&jwt, "exp", &at), LW_OK);
    assert_int_equal(at, 1700000000);
    assert_int_equal(lw_jwt_time(&jwt, "nbf", &at), LW_ERR_INVALID);
    assert_int_equal(lw_jwt_time(&jwt, "iat", &at), LW_ERR_NOT_FOUND);
    assert_true(lw_jwt_has_audience(&jwt, LW_STR("b")));
    assert_false(lw_jwt_has_audience(&jwt, LW_STR("c")));
    lw_jwt_done(&jwt);
    lw_buf_done(&token);
    lw_signing_key_unref(key);
    lw_signing_key_unref(other);
}

static void a_changed_token_is_not_accepted(void **state)
{
    lw_signing_key *key = NULL;
    lw_buf token, changed;
    lw_jwt jwt;
    lw_str head, rest, claims, signature;
    (void)state;
    write_token(&token, "{\"sub\":\"ann\"}", &key);
    assert_true(lw_str_cut(lw_buf_view(&token), '.', &head, &rest));
    assert_true(lw_str_cut(rest, '.', &claims, &signature));
    lw_buf_init(&changed, LW_JWT_MAX);
    lw_buf_append_str(&changed, head);
    lw_buf_append_char(&changed, '.');
    lw_base64url_encode(&changed, LW_STR("{\"sub\":\"admin\"}"));
    lw_buf_append_char(&changed, '.');
    lw_buf_append_str(&changed, signature);
    assert_int_equal(lw_jwt_read(&jwt, lw_buf_view(&changed), NULL), LW_OK);
    assert_false(lw_jwt_is_signed_by(&jwt, key));
    lw_jwt_done(&jwt);
    lw_buf_done(&token);
    lw_buf_done(&changed);
    lw_signing_key_unref(key);
}

/* Reads a token made of |header| and |claims|, unsigned. */
static lw_status read_unsigned(const char *header, const char *claims, bool *is_accepted)
{
    lw_signing_key *key = NULL;
    lw_buf token;
    lw_jwt jwt;
    lw_buf_init(&token, LW_JWT_MAX);
    lw_base64url_encode(&token, lw_str_of(header));
    lw_buf_append_char(&token, '.');
    lw_base64url_encode(&token, lw_str_of(claims));
    lw_buf_append_char(&token, '.');
    assert_int_equal(lw_signing_key_generate(&key, false, NULL), LW_OK);
    lw_status st = lw_jwt_read(&jwt, lw_buf_view(&token), NULL);
    *is_accepted = st == LW_OK && lw_jwt_is_signed_by(&jwt, key);
    lw_jwt_done(&jwt);
    lw_buf_done(&token);
    lw_signing_key_unref(key);
    return st;
}

static void unsigned_and_odd_tokens_are_refused(void **state)
{
    bool is_accepted = true;
    lw_jwt jwt;
    (void)state;
    assert_int_equal(read_unsigned("{\"alg\":\"none\"}", "{}", &is_accepted), LW_OK);
    assert_false(is_accepted);
    assert_int_equal(read_unsigned("{}", "{}", &is_accepted), LW_ERR_INVALID);
    assert_int_equal(read_unsigned("{\"alg\":\"ES256\",\"crit\":[\"x\"]}", "{}", &is_accepted),
                     LW_ERR_INVALID);
    assert_int_equal(read_unsigned("{\"alg\":\"ES256\"}", "[]", &is_accepted), LW_ERR_INVALID);
    assert_int_equal(read_unsigned("{\"alg\":\"ES256\"}", "{\"sub\":\"a\",\"sub\":\"b\"}",
                                   &is_accepted),
                     LW_ERR_INVALID);
    assert_int_equal(lw_jwt_read(&jwt, LW_STR("a.b"), NULL), LW_ERR_INVALID);
    lw_jwt_done(&jwt);
    assert_int_equal(lw_jwt_read(&jwt, LW_STR("a.b.c.d"), NULL), LW_ERR_INVALID);
    lw_jwt_done(&jwt);
    assert_int_equal(lw_jwt_read(&jwt, LW_STR("%.%.%"), NULL), LW_ERR_INVALID);
    lw_jwt_done(&jwt);
    assert_false(lw_jwt_looks_like(LW_STR("opaque")));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_token_is_read_and_verified),
        cmocka_unit_test(a_changed_token_is_not_accepted),
        cmocka_unit_test(unsigned_and_odd_tokens_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
