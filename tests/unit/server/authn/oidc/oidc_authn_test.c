/* SPDX-License-Identifier: Apache-2.0 */
/* oidc_authn_test.c -- which tokens of other issuers are accepted, and when keys are fetched.  The
 * fetcher answers without a network, when the test says so. */
#include "server/authn/oidc/oidc_authn.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "base/text/base64.h"
#include "server/authn/jwt.h"
#include "server/authn/oidc/oidc_source.h"
#include "unit/test.h"

#define WORLD_S  INT64_C(1700000000)
#define URL      "https://issuer.example"
#define METADATA "{\"issuer\":\"" URL "\",\"jwks_uri\":\"" URL "/keys\"}"
#define CLAIMS   "{\"iss\":\"" URL "\",\"aud\":\"k\",\"sub\":\"ann\",\"exp\":1700000600}"

typedef struct world {
    lw_manual_clock *clock;
    lw_loop *loop;
    lw_oidc_fetcher fetcher;
    lw_logger logger;
    char logged[512]; /* the last line */
    lw_oidc_authn *authn;
    lw_signing_key *key;
    lw_buf token;
    /* The fetch in progress; NULL |done|: none. */
    lw_oidc_fetched done;
    void *done_arg;
    char url[256];
    unsigned fetches;
} world;

static lw_status get(void *arg, lw_str url, lw_str ca, lw_oidc_fetched done, void *done_arg,
                     void **call, lw_error *err)
{
    world *w = arg;
    (void)ca;
    (void)err;
    assert_null(w->done);
    w->done = done;
    w->done_arg = done_arg;
    w->fetches++;
    (void)snprintf(w->url, sizeof(w->url), "%.*s", LW_STR_ARG(url));
    *call = w;
    return LW_OK;
}

static void cancel(void *arg, void *call)
{
    world *w = arg;
    assert_ptr_equal(call, w);
    w->done = NULL;
}

/* Answers the fetch of |url|; NULL |body|: it fails. */
static void answer(world *w, const char *url, const char *body)
{
    lw_error err = LW_ERROR_INIT;
    lw_oidc_fetched done = w->done;
    assert_non_null(done);
    assert_string_equal(w->url, url);
    w->done = NULL;
    (void)lw_error_set(&err, LW_ERR_UNAVAILABLE, "no route");
    done(w->done_arg, lw_str_of(body), body ? NULL : &err);
}

static void keep_line(lw_log_level level, const char *component, const char *line, void *arg)
{
    world *w = arg;
    (void)level;
    (void)component;
    (void)snprintf(w->logged, sizeof(w->logged), "%s", line);
}

/* The key set of |key|, freed by the caller. */
static char *key_set(const lw_signing_key *key)
{
    lw_buf json;
    lw_buf_init(&json, 16 * 1024);
    lw_buf_append_text(&json, "{\"keys\":[{");
    assert_int_equal(lw_signing_key_write_jwk(key, &json), LW_OK);
    lw_buf_append_text(&json, "}]}");
    char *text = lw_buf_take_text(&json);
    assert_non_null(text);
    lw_buf_done(&json);
    return text;
}

static void begin(world *w, const char *algorithms)
{
    const lw_oidc_flags flags = {
        .issuer_url = URL, .client_id = "k", .username_prefix = "-", .signing_algs = algorithms
    };
    memset(w, 0, sizeof(*w));
    w->fetcher = (lw_oidc_fetcher){ get, cancel, w };
    w->logger = (lw_logger){ LW_LOG_DEBUG, keep_line, w };
    lw_buf_init(&w->token, LW_JWT_MAX);
    assert_int_equal(lw_manual_clock_new(&w->clock, WORLD_S * LW_NS_PER_S), LW_OK);
    const lw_clock *clock = lw_manual_clock_as_clock(w->clock);
    assert_int_equal(lw_loop_new(&w->loop, clock, NULL), LW_OK);
    assert_int_equal(lw_signing_key_generate(&w->key, false, NULL), LW_OK);
    const lw_oidc_authn_options options = { .flags = &flags,
                                            .loop = w->loop,
                                            .fetcher = &w->fetcher,
                                            .clock = clock,
                                            .logger = &w->logger };
    assert_int_equal(lw_oidc_authn_new(&w->authn, &options, NULL), LW_OK);
    lw_oidc_authn_start(w->authn);
}

/* With the keys of the issuer. */
static void begin_ready(world *w, const char *algorithms)
{
    begin(w, algorithms);
    char *keys = key_set(w->key);
    answer(w, URL "/.well-known/openid-configuration", METADATA);
    answer(w, URL "/keys", keys);
    lw_free(keys);
}

static void end(world *w)
{
    lw_oidc_authn_stop(w->authn);
    lw_loop_free(w->loop);
    lw_oidc_authn_free(w->authn);
    lw_signing_key_unref(w->key);
    lw_buf_done(&w->token);
    lw_manual_clock_free(w->clock);
}

static lw_str sign(world *w, const char *claims, const lw_signing_key *key)
{
    lw_buf_reset(&w->token);
    assert_int_equal(lw_jwt_write(&w->token, lw_str_of(claims), key), LW_OK);
    return lw_buf_view(&w->token);
}

/* Expects that |token| is refused because of |why|. */
static void assert_refused(world *w, lw_str token, const char *why)
{
    const lw_user *user = NULL;
    char line[600];
    assert_int_equal(lw_oidc_authn_recall(w->authn, token, &user), LW_ERR_UNAUTHORIZED);
    assert_int_equal(lw_oidc_authn_find(w->authn, token, &user), LW_ERR_UNAUTHORIZED);
    (void)snprintf(line, sizeof(line), "a token was refused: %s", why);
    assert_string_equal(w->logged, line);
    assert_null(user);
}

static void assert_accepted(world *w, lw_str token)
{
    const lw_user *user = NULL;
    if (lw_oidc_authn_find(w->authn, token, &user) != LW_OK)
        fail_msg("%s", w->logged);
    assert_str_equal(user->name, "ann");
    lw_user_unref(user);
}

/* Passes time and runs what is due. */
static void pass(world *w, int64_t seconds)
{
    lw_manual_clock_advance(w->clock, seconds * LW_NS_PER_S);
    assert_int_equal(lw_loop_turn(w->loop, 0, NULL), LW_OK);
}

/* A token with |header| and |claims| as they are written, and any signature. */
static lw_str forge(world *w, const char *header, const char *claims, lw_str signature)
{
    lw_buf_reset(&w->token);
    lw_base64url_encode(&w->token, lw_str_of(header));
    lw_buf_append_char(&w->token, '.');
    lw_base64url_encode(&w->token, lw_str_of(claims));
    lw_buf_append_char(&w->token, '.');
    lw_base64url_encode(&w->token, signature);
    return lw_buf_view(&w->token);
}

static void a_verified_token_is_not_verified_again(void **state)
{
    world w;
    const lw_user *user = NULL, *again = NULL;
    (void)state;
    begin_ready(&w, "ES256");
    lw_str token = sign(&w, CLAIMS, w.key);
    assert_int_equal(lw_oidc_authn_recall(w.authn, token, &user), LW_ERR_UNAUTHORIZED);
    assert_int_equal(lw_oidc_authn_find(w.authn, token, &user), LW_OK);
    assert_int_equal(lw_oidc_authn_recall(w.authn, token, &again), LW_OK);
    assert_ptr_equal(user, again);
    lw_user_unref(user);
    lw_user_unref(again);
    lw_manual_clock_set_wall(w.clock, (WORLD_S + 600) * LW_NS_PER_S);
    assert_int_equal(lw_oidc_authn_recall(w.authn, token, &user), LW_OK);
    lw_user_unref(user);
    user = NULL;
    lw_manual_clock_set_wall(w.clock, (WORLD_S + 600) * LW_NS_PER_S + 1);
    assert_refused(&w, token, "it has expired");
    end(&w);
}

static void the_algorithm_must_be_allowed_and_fit_the_key(void **state)
{
    world w;
    (void)state;
    begin_ready(&w, NULL); /* RS256 */
    assert_refused(&w, sign(&w, CLAIMS, w.key), "its algorithm ES256 is not allowed");
    end(&w);
    begin_ready(&w, "ES256,ES384,RS256");
    char *keys = key_set(w.key);
    assert_refused(&w, forge(&w, "{\"alg\":\"none\"}", CLAIMS, LW_STR("")),
                   "its algorithm none is not allowed");
    assert_refused(&w, forge(&w, "{\"alg\":\"HS256\"}", CLAIMS, lw_str_of(keys)),
                   "its algorithm HS256 is not allowed");
    static const char *const others[] = { "{\"alg\":\"RS256\"}", "{\"alg\":\"ES384\"}",
                                          "{\"alg\":\"ES256\"}" };
    for (size_t i = 0; i < 3; i++)
        assert_refused(&w,
                       forge(&w, others[i], CLAIMS,
                             LW_STR("0123456789012345678901234567890123"
                                    "456789012345678901234567890123")),
                       "it is not signed by a key of its issuer " URL
                       " (key \"\"); the keys are fetched again");
    lw_free(keys);
    end(&w);
}

static void claims_that_do_not_fit_are_refused(void **state)
{
    static const struct {
        const char *claims, *why;
    } cases[] = {
        { "{\"iss\":\"https://x\",\"aud\":\"k\",\"sub\":\"a\",\"exp\":1700000600}",
          "its issuer is not one of the configured issuers" },
        { "{\"aud\":\"k\",\"sub\":\"a\",\"exp\":1700000600}",
          "its issuer is not one of the configured issuers" },
        { "{\"iss\":\"" URL "\",\"aud\":\"x\",\"sub\":\"a\",\"exp\":1700000600}",
          "it is for another audience" },
        { "{\"iss\":\"" URL "\",\"aud\":[\"k\",5],\"sub\":\"a\",\"exp\":1700000600}",
          "one of its audiences is not a string" },
        { "{\"iss\":\"" URL "\",\"sub\":\"a\",\"exp\":1700000600}", "it is for another audience" },
        { "{\"iss\":\"" URL "\",\"aud\":\"k\",\"sub\":\"a\"}", "it has no expiration time" },
        { "{\"iss\":\"" URL "\",\"aud\":\"k\",\"sub\":\"a\",\"exp\":\"1700000600\"}",
          "one of its claims exp, nbf, iat is not a time" },
        { "{\"iss\":\"" URL "\",\"aud\":\"k\",\"sub\":\"a\",\"exp\":1699999999}",
          "it has expired" },
        { "{\"iss\":\"" URL "\",\"aud\":\"k\",\"sub\":\"a\",\"exp\":1700000600,\"nbf\":1700000061}",
          "it is not valid yet" },
        { "{\"iss\":\"" URL "\",\"aud\":\"k\",\"sub\":\"a\",\"sub\":\"b\",\"exp\":1700000600}",
          "the payload of the token is not a JSON object with unique members" },
    };
    world w;
    (void)state;
    begin_ready(&w, "ES256");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_refused(&w, sign(&w, cases[i].claims, w.key), cases[i].why);
    assert_accepted(&w, sign(&w,
                             "{\"iss\":\"" URL "\",\"aud\":[\"j\",\"k\"],\"sub\":\"ann\","
                             "\"exp\":1700000600,\"nbf\":1700000060}",
                             w.key));
    end(&w);
}

static void keys_that_cannot_be_fetched_are_fetched_again_later(void **state)
{
    world w;
    (void)state;
    begin(&w, "ES256");
    assert_refused(&w, sign(&w, CLAIMS, w.key),
                   "the keys of its issuer " URL " have not been fetched yet");
    answer(&w, URL "/.well-known/openid-configuration", NULL);
    assert_non_null(strstr(w.logged, "cannot be fetched: no route"));
    pass(&w, 0); /* what the token wanted waits, too */
    assert_null(w.done);
    pass(&w, 2 * LW_OIDC_RETRY_FIRST_S);
    answer(&w, URL "/.well-known/openid-configuration",
           "{\"issuer\":\"https://x\",\"jwks_uri\":\"https://x\"}");
    assert_non_null(strstr(w.logged, "issuer did not match"));
    pass(&w, 4 * LW_OIDC_RETRY_FIRST_S);
    answer(&w, URL "/.well-known/openid-configuration",
           "{\"issuer\":\"" URL "\",\"jwks_uri\":\"http://x\"}");
    assert_non_null(strstr(w.logged, "jwks_uri"));
    pass(&w, 8 * LW_OIDC_RETRY_FIRST_S);
    answer(&w, URL "/.well-known/openid-configuration", METADATA);
    answer(&w, URL "/keys", "{\"keys\":[]}");
    pass(&w, 16 * LW_OIDC_RETRY_FIRST_S);
    char *keys = key_set(w.key);
    answer(&w, URL "/.well-known/openid-configuration", METADATA);
    answer(&w, URL "/keys", keys);
    lw_free(keys);
    assert_accepted(&w, sign(&w, CLAIMS, w.key));
    end(&w);
}

static void an_unknown_key_is_fetched_at_most_every_ten_seconds(void **state)
{
    world w;
    lw_signing_key *next = NULL;
    const lw_user *user = NULL;
    (void)state;
    begin_ready(&w, "ES256");
    assert_int_equal(lw_signing_key_generate(&next, false, NULL), LW_OK);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(lw_oidc_authn_find(w.authn, sign(&w, CLAIMS, next), &user),
                         LW_ERR_UNAUTHORIZED);
        pass(&w, 1);
    }
    assert_int_equal(w.fetches, 2);
    pass(&w, LW_OIDC_REFETCH_MIN_S);
    char *keys = key_set(next);
    answer(&w, URL "/keys", keys);
    lw_free(keys);
    assert_accepted(&w, sign(&w, CLAIMS, next));
    /* The first key has been removed. */
    assert_int_equal(lw_oidc_authn_find(w.authn, sign(&w, CLAIMS, w.key), &user),
                     LW_ERR_UNAUTHORIZED);
    lw_signing_key_unref(next);
    end(&w);
}

static void a_removed_key_is_noticed_without_a_token(void **state)
{
    world w;
    lw_signing_key *next = NULL;
    const lw_user *user = NULL;
    (void)state;
    begin_ready(&w, "ES256");
    lw_str token = sign(&w,
                        "{\"iss\":\"" URL "\",\"aud\":\"k\",\"sub\":\"ann\","
                        "\"exp\":1800000000}",
                        w.key);
    assert_accepted(&w, token);
    assert_int_equal(lw_signing_key_generate(&next, false, NULL), LW_OK);
    pass(&w, LW_OIDC_REFRESH_S);
    char *keys = key_set(next);
    answer(&w, URL "/keys", keys);
    lw_free(keys);
    assert_int_equal(lw_oidc_authn_recall(w.authn, token, &user), LW_ERR_UNAUTHORIZED);
    assert_int_equal(lw_oidc_authn_find(w.authn, token, &user), LW_ERR_UNAUTHORIZED);
    lw_signing_key_unref(next);
    end(&w);
}

static void options_are_checked(void **state)
{
    static const struct {
        lw_oidc_flags flags;
        const char *why;
    } cases[] = {
        { { .client_id = "k" },
          "oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are "
          "set" },
        { { .issuer_url = "http://x", .client_id = "k" },
          "invalid authentication configuration: jwt[0].issuer.url: Invalid value: \"http://x\": "
          "URL scheme must be https" },
        { { .issuer_url = URL, .client_id = "k", .signing_algs = "RS256,HS256" },
          "oidc: unsupported signing alg: \"HS256\": use RS256, RS384, RS512, ES256, ES384, ES512, "
          "PS256, PS384 or PS512" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        lw_error err = LW_ERROR_INIT;
        lw_oidc_authn *authn = NULL;
        const lw_oidc_authn_options options = { .flags = &cases[i].flags,
                                                .clock = lw_clock_system() };
        assert_int_equal(lw_oidc_authn_new(&authn, &options, &err), LW_ERR_INVALID);
        assert_string_equal(err.message, cases[i].why);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_verified_token_is_not_verified_again),
        cmocka_unit_test(the_algorithm_must_be_allowed_and_fit_the_key),
        cmocka_unit_test(claims_that_do_not_fit_are_refused),
        cmocka_unit_test(keys_that_cannot_be_fetched_are_fetched_again_later),
        cmocka_unit_test(an_unknown_key_is_fetched_at_most_every_ten_seconds),
        cmocka_unit_test(a_removed_key_is_noticed_without_a_token),
        cmocka_unit_test(options_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
