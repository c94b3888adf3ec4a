/* SPDX-License-Identifier: Apache-2.0 */
/* account_authn_test.c -- which tokens of service accounts are accepted, and for whom. */
#include "unit/server/authn/account_world.h"

#include "base/text/base64.h"

#define CLAIMS_OF(issuer, subject)                                                                 \
    "{\"aud\":[\"" AUDIENCE "\"],\"exp\":1700003600,\"iat\":1700000000,\"iss\":\"" issuer          \
    "\",\"kubernetes.io\":{\"namespace\":\"ns\",\"serviceaccount\":{\"name\":\"robot\",\"uid\":"   \
    "\"u1\"}},\"sub\":\"" subject "\"}"
#define ROBOT "system:serviceaccount:ns:robot"

static void assert_extra(const lw_user *user, size_t at, const char *key, const char *value)
{
    assert_true(at < user->extra_count);
    assert_str_equal(user->extras[at].key, key);
    assert_int_equal(user->extras[at].count, 1);
    assert_str_equal(user->extras[at].values[0], value);
}

static void a_token_is_its_service_account(void **state)
{
    account_world world;
    const lw_user *user = NULL, *again = NULL;
    (void)state;
    world_begin(&world);
    const lw_account_claims claims = robot_claims();
    lw_str token = world_issue(&world, &claims);
    assert_int_equal(lw_account_authn_find(world.accounts, token, NULL, &user, NULL), LW_OK);
    assert_str_equal(user->name, ROBOT);
    assert_str_equal(user->uid, "u1");
    assert_int_equal(user->group_count, 3);
    assert_str_equal(user->groups[0], "system:serviceaccounts");
    assert_str_equal(user->groups[1], "system:serviceaccounts:ns");
    assert_str_equal(user->groups[2], "system:authenticated");
    assert_int_equal(user->extra_count, 1);
    assert_extra(user, 0, "authentication.kubernetes.io/credential-id", "JTI=id-1");
    assert_int_equal(lw_account_authn_find(world.accounts, token, NULL, &again, NULL), LW_OK);
    assert_ptr_equal(again, user); /* it was not verified again */
    lw_user_unref(user);
    lw_user_unref(again);
    world_end(&world);
}

static void the_claims_are_those_of_kube_apiserver(void **state)
{
    account_world world;
    lw_str head, rest, claims_part, signature;
    lw_buf json;
    (void)state;
    world_begin(&world);
    lw_account_claims claims = robot_claims();
    claims.pod = (lw_token_object){ LW_STR("p"), LW_STR("u2") };
    claims.node = (lw_token_object){ .name = LW_STR("n") };
    claims.warn_after_s = WORLD_S + 3607;
    assert_true(lw_str_cut(world_issue(&world, &claims), '.', &head, &rest));
    assert_true(lw_str_cut(rest, '.', &claims_part, &signature));
    lw_buf_init(&json, LW_JWT_MAX);
    assert_true(lw_base64url_decode(&json, claims_part));
    assert_str_equal(lw_buf_view(&json),
                     "{\"aud\":[\"" AUDIENCE "\"],\"exp\":1700003600,\"iat\":1700000000,"
                     "\"iss\":\"" ISSUER "\",\"jti\":\"id-1\",\"kubernetes.io\":{"
                     "\"namespace\":\"ns\",\"node\":{\"name\":\"n\"},"
                     "\"pod\":{\"name\":\"p\",\"uid\":\"u2\"},"
                     "\"serviceaccount\":{\"name\":\"robot\",\"uid\":\"u1\"},"
                     "\"warnafter\":1700003607},\"nbf\":1700000000,\"sub\":\"" ROBOT "\"}");
    lw_buf_done(&json);
    world_end(&world);
}

static void the_pod_and_its_node_are_known_of_the_user(void **state)
{
    account_world world;
    const lw_user *user = NULL;
    (void)state;
    world_begin(&world);
    lw_account_claims claims = robot_claims();
    claims.pod = (lw_token_object){ LW_STR("p"), LW_STR("u2") };
    claims.node = (lw_token_object){ LW_STR("n"), LW_STR("u3") };
    world_put(&world, LW_TOKEN_POD, "p", "u2", "", "");
    lw_str token = world_issue(&world, &claims);
    assert_int_equal(lw_account_authn_find(world.accounts, token, NULL, &user, NULL), LW_OK);
    assert_int_equal(user->extra_count, 5);
    assert_extra(user, 1, "authentication.kubernetes.io/node-name", "n");
    assert_extra(user, 2, "authentication.kubernetes.io/node-uid", "u3");
    assert_extra(user, 3, "authentication.kubernetes.io/pod-name", "p");
    assert_extra(user, 4, "authentication.kubernetes.io/pod-uid", "u2");
    lw_user_unref(user);
    world_end(&world);
}

static void a_token_expires_with_a_minute_of_leeway(void **state)
{
    account_world world;
    (void)state;
    world_begin(&world);
    const lw_account_claims claims = robot_claims();
    lw_str token = world_issue(&world, &claims);
    lw_manual_clock_set_wall(world.clock, (WORLD_S - 61) * LW_NS_PER_S);
    assert_int_equal(world_try(&world, token), LW_ERR_UNAUTHORIZED);
    lw_manual_clock_set_wall(world.clock, (WORLD_S - 60) * LW_NS_PER_S);
    assert_int_equal(world_try(&world, token), LW_OK);
    lw_manual_clock_set_wall(world.clock, (WORLD_S + 3660) * LW_NS_PER_S);
    assert_int_equal(world_try(&world, token), LW_OK);
    lw_manual_clock_set_wall(world.clock, (WORLD_S + 3661) * LW_NS_PER_S);
    assert_int_equal(world_try(&world, token), LW_ERR_UNAUTHORIZED);
    lw_manual_clock_set_wall(world.clock, WORLD_S * LW_NS_PER_S);
    assert_int_equal(world_try(&world, token), LW_OK); /* the clock was wrong */
    world_end(&world);
}

static void a_token_is_for_its_audiences_only(void **state)
{
    account_world world;
    const lw_user *user = NULL;
    lw_audiences matched, wanted = { { LW_STR("x"), LW_STR("other") }, 2 };
    (void)state;
    world_begin(&world);
    lw_account_claims claims = robot_claims();
    claims.audiences = (lw_audiences){ { LW_STR("other"), LW_STR("third") }, 2 };
    lw_str token = world_issue(&world, &claims);
    assert_int_equal(world_try(&world, token), LW_ERR_UNAUTHORIZED);
    assert_int_equal(lw_account_authn_find(world.accounts, token, &wanted, &user, &matched), LW_OK);
    assert_int_equal(matched.count, 1);
    assert_str_equal(matched.at[0], "other");
    lw_user_unref(user);
    assert_int_equal(world_try(&world, token), LW_ERR_UNAUTHORIZED); /* also from the cache */
    world_end(&world);
}

static void a_token_needs_an_issuer_of_this_server(void **state)
{
    account_world world;
    (void)state;
    world_begin(&world);
    lw_signing_key *key = world.keys.signer;
    assert_int_equal(world_try(&world, world_sign(&world, CLAIMS_OF(OLD, ROBOT), key)), LW_OK);
    assert_int_equal(world_try(&world,
                               world_sign(&world, CLAIMS_OF("https://else.example", ROBOT), key)),
                     LW_ERR_UNAUTHORIZED);
    world_end(&world);
}

static void the_subject_must_be_the_account(void **state)
{
    account_world world;
    (void)state;
    world_begin(&world);
    lw_signing_key *key = world.keys.signer;
    assert_int_equal(world_try(&world, world_sign(&world, CLAIMS_OF(ISSUER, ROBOT), key)), LW_OK);
    assert_int_equal(world_try(&world, world_sign(&world, CLAIMS_OF(ISSUER, "system:admin"), key)),
                     LW_ERR_UNAUTHORIZED);
    world_end(&world);
}

static void a_token_without_expiration_is_refused(void **state)
{
    account_world world;
    (void)state;
    world_begin(&world);
    lw_str token =
        world_sign(&world,
                   "{\"aud\":[\"" AUDIENCE "\"],\"iss\":\"" ISSUER "\",\"kubernetes.io\":{"
                   "\"namespace\":\"ns\",\"serviceaccount\":{\"name\":\"robot\",\"uid\":\"u1\"}},"
                   "\"sub\":\"" ROBOT "\"}",
                   world.keys.signer);
    assert_int_equal(world_try(&world, token), LW_ERR_UNAUTHORIZED);
    world_end(&world);
}

static void a_token_signed_by_a_foreign_key_is_refused(void **state)
{
    account_world world;
    lw_signing_key *other = NULL, *rsa = NULL;
    (void)state;
    world_begin(&world);
    assert_int_equal(lw_signing_key_generate(&other, false, NULL), LW_OK);
    assert_int_equal(lw_signing_key_generate(&rsa, true, NULL), LW_OK);
    assert_int_equal(world_try(&world, world_sign(&world, CLAIMS_OF(ISSUER, ROBOT), other)),
                     LW_ERR_UNAUTHORIZED);
    assert_int_equal(world_try(&world, world_sign(&world, CLAIMS_OF(ISSUER, ROBOT), rsa)),
                     LW_ERR_UNAUTHORIZED);
    lw_signing_key_unref(other);
    lw_signing_key_unref(rsa);
    world_end(&world);
}

/* Makes a token with |header| and the claims and signature of one that is valid. */
static void with_header(account_world *world, const char *header, bool is_signed, lw_buf *out)
{
    lw_str head, rest, claims, signature;
    assert_true(lw_str_cut(lw_buf_view(&world->token), '.', &head, &rest));
    assert_true(lw_str_cut(rest, '.', &claims, &signature));
    lw_buf_reset(out);
    lw_base64url_encode(out, lw_str_of(header));
    lw_buf_append_char(out, '.');
    lw_buf_append_str(out, claims);
    lw_buf_append_char(out, '.');
    if (is_signed)
        lw_buf_append_str(out, signature);
}

static void a_token_cannot_choose_how_it_is_verified(void **state)
{
    static const char *const headers[] = { "{\"alg\":\"none\"}",  "{\"alg\":\"None\"}",
                                           "{\"alg\":\"HS256\"}", "{\"alg\":\"ES384\"}",
                                           "{\"alg\":\"RS256\"}", "{\"alg\":\"\"}" };
    account_world world;
    lw_buf forged;
    (void)state;
    world_begin(&world);
    lw_buf_init(&forged, LW_JWT_MAX);
    const lw_account_claims claims = robot_claims();
    assert_int_equal(world_try(&world, world_issue(&world, &claims)), LW_OK);
    for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
        with_header(&world, headers[i], true, &forged);
        assert_int_equal(world_try(&world, lw_buf_view(&forged)), LW_ERR_UNAUTHORIZED);
        with_header(&world, headers[i], false, &forged);
        assert_int_equal(world_try(&world, lw_buf_view(&forged)), LW_ERR_UNAUTHORIZED);
    }
    lw_buf_done(&forged);
    world_end(&world);
}

static void tokens_of_a_deleted_account_are_refused_at_once(void **state)
{
    account_world world;
    (void)state;
    world_begin(&world);
    const lw_account_claims claims = robot_claims();
    lw_str token = world_issue(&world, &claims);
    assert_int_equal(world_try(&world, token), LW_OK);
    world_put(&world, LW_TOKEN_ACCOUNT, NULL, NULL, NULL, NULL);
    assert_int_equal(world_try(&world, token), LW_ERR_UNAUTHORIZED);
    world_put(&world, LW_TOKEN_ACCOUNT, "robot", "u9", "", ""); /* another of the same name */
    assert_int_equal(world_try(&world, token), LW_ERR_UNAUTHORIZED);
    world_put(&world, LW_TOKEN_ACCOUNT, "robot", "u1", "", "");
    assert_int_equal(world_try(&world, token), LW_OK);
    world_end(&world);
}

/* Tries a token that is bound to an object of |kind|, which goes and comes back. */
static void try_bound(lw_token_object_kind kind, lw_account_claims *claims, lw_token_object *bound)
{
    account_world world;
    *bound = (lw_token_object){ LW_STR("b"), LW_STR("u2") };
    world_begin(&world);
    lw_str token = world_issue(&world, claims);
    assert_int_equal(world_try(&world, token), LW_ERR_UNAUTHORIZED);
    world_put(&world, kind, "b", "u2", "", "");
    assert_int_equal(world_try(&world, token), LW_OK);
    world_put(&world, kind, "b", "u2", ",\"labels\":{\"a\":\"b\"}", "");
    assert_int_equal(world_try(&world, token), LW_OK);
    world_put(&world, kind, "b", "u2", ",\"deletionTimestamp\":\"2023-11-14T22:12:20Z\"", "");
    assert_int_equal(world_try(&world, token), LW_OK); /* a minute ago */
    lw_manual_clock_advance(world.clock, LW_NS_PER_S);
    assert_int_equal(world_try(&world, token), LW_ERR_UNAUTHORIZED);
    world_put(&world, kind, "b", "u2", "", "");
    assert_int_equal(world_try(&world, token), LW_OK);
    world_put(&world, kind, "b", "u3", "", "");
    assert_int_equal(world_try(&world, token), LW_ERR_UNAUTHORIZED);
    world_put(&world, kind, NULL, NULL, NULL, NULL);
    assert_int_equal(world_try(&world, token), LW_ERR_UNAUTHORIZED);
    world_end(&world);
}

static void a_bound_token_ends_with_its_object(void **state)
{
    lw_account_claims pod = robot_claims(), node = robot_claims(), secret = robot_claims();
    (void)state;
    try_bound(LW_TOKEN_POD, &pod, &pod.pod);
    try_bound(LW_TOKEN_NODE, &node, &node.node);
    try_bound(LW_TOKEN_SECRET, &secret, &secret.secret);
}

static void a_bound_object_needs_a_uid(void **state)
{
    account_world world;
    (void)state;
    world_begin(&world);
    lw_account_claims claims = robot_claims();
    claims.pod.name = LW_STR("b");
    world_put(&world, LW_TOKEN_POD, "b", "u2", "", "");
    assert_int_equal(world_try(&world, world_issue(&world, &claims)), LW_ERR_UNAUTHORIZED);
    world_end(&world);
}

/* Puts the Secret "s" with |token| as its data. */
static void put_secret(account_world *world, lw_str token)
{
    char more[1600];
    lw_buf text;
    lw_buf_init(&text, LW_JWT_MAX);
    lw_base64_encode(&text, token);
    (void)snprintf(more, sizeof(more), ",\"data\":{\"token\":\"%.*s\"}",
                   LW_STR_ARG(lw_buf_view(&text)));
    world_put(world, LW_TOKEN_SECRET, "s", "u5", "", more);
    lw_buf_done(&text);
}

static void the_token_of_a_secret_is_valid_while_the_secret_has_it(void **state)
{
    account_world world;
    (void)state;
    world_begin(&world);
    lw_account_claims claims = robot_claims();
    claims.secret.name = LW_STR("s");
    assert_int_equal(lw_account_authn_issue_for_secret(world.accounts, &claims, &world.token),
                     LW_OK);
    lw_str token = lw_buf_view(&world.token);
    assert_int_equal(world_try(&world, token), LW_ERR_UNAUTHORIZED);
    put_secret(&world, token);
    assert_int_equal(world_try(&world, token), LW_OK);
    lw_manual_clock_advance(world.clock, INT64_C(1000000) * LW_NS_PER_S);
    assert_int_equal(world_try(&world, token), LW_OK); /* it does not expire */
    put_secret(&world, LW_STR("another"));
    assert_int_equal(world_try(&world, token), LW_ERR_UNAUTHORIZED);
    world_end(&world);
}

static void refusals_are_logged_at_most_once_per_second_as_warnings(void **state)
{
    account_world world;
    (void)state;
    world_begin(&world);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(world_try(&world, LW_STR("a.b.c")), LW_ERR_UNAUTHORIZED);
    assert_int_equal(world.warnings, 1);
    assert_int_equal(world.debugs, 2);
    lw_manual_clock_advance(world.clock, LW_NS_PER_S);
    assert_int_equal(world_try(&world, LW_STR("a.b.c")), LW_ERR_UNAUTHORIZED);
    assert_int_equal(world.warnings, 2);
    assert_int_equal(world_try(&world, LW_STR("not a JWT")), LW_ERR_UNAUTHORIZED);
    assert_int_equal(world.warnings + world.debugs, 4); /* it is of another kind */
    world_end(&world);
}

static void without_the_cache_nobody_is_refused_for_good(void **state)
{
    account_world world;
    (void)state;
    world_begin(&world);
    const lw_account_claims claims = robot_claims();
    lw_str token = world_issue(&world, &claims);
    world.find_st = LW_ERR_UNAVAILABLE;
    assert_int_equal(world_try(&world, token), LW_ERR_UNAVAILABLE);
    world.find_st = LW_OK;
    assert_int_equal(world_try(&world, token), LW_OK);
    world_end(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_token_is_its_service_account),
        TEST(the_claims_are_those_of_kube_apiserver),
        TEST(the_pod_and_its_node_are_known_of_the_user),
        TEST(a_token_expires_with_a_minute_of_leeway),
        TEST(a_token_is_for_its_audiences_only),
        TEST(a_token_needs_an_issuer_of_this_server),
        TEST(the_subject_must_be_the_account),
        TEST(a_token_without_expiration_is_refused),
        TEST(a_token_signed_by_a_foreign_key_is_refused),
        TEST(a_token_cannot_choose_how_it_is_verified),
        TEST(tokens_of_a_deleted_account_are_refused_at_once),
        TEST(a_bound_token_ends_with_its_object),
        TEST(a_bound_object_needs_a_uid),
        TEST(the_token_of_a_secret_is_valid_while_the_secret_has_it),
        TEST(refusals_are_logged_at_most_once_per_second_as_warnings),
        TEST(without_the_cache_nobody_is_refused_for_good),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
