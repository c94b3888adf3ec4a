/* SPDX-License-Identifier: Apache-2.0 */
/* certificates_scenarios.c -- certificate signing requests and bootstrap tokens, with every
 * allocation failing in turn.  OpenSSL's own allocations do not fail. */
#include <string.h>

#include "api/lifecycle/lifecycle.h"
#include "base/clock.h"
#include "base/error.h"
#include "crypto/certificate_authority.h"
#include "net/tls/tls_make.h"
#include "oom/api_scene.h"
#include "oom/oom.h"
#include "schema/kinds/kinds.h"
#include "server/authn/bootstrap_token.h"
#include "support/certificate_requests.h"
#include "support/fake_http.h"

#define START_NS INT64_C(1794707364000000000) /* 2026-11-15T01:49:24Z */

enum {
    TURNS = 60, /* a tenth of a second each: far more than a pause and all the work after it */
    PEM_MAX = 1 << 20,
    BODY_SIZE = 4096,
    HOUR_S = 3600,
};

static lw_status wrong(lw_error *err, const char *what)
{
    return lw_error_set(err, LW_ERR_INTERNAL, "wrong: %s", what);
}

static lw_status make_authority(lw_certificate_authority **out, lw_error *err)
{
    static const lw_tls_subject subject = { .common_name = "ca", .is_ca = true, .days = 3650 };
    lw_buf cert, key;
    lw_buf_init(&cert, PEM_MAX);
    lw_buf_init(&key, PEM_MAX);
    lw_status st = lw_tls_make(&subject, LW_STR(""), LW_STR(""), &cert, &key, err);
    if (st == LW_OK)
        st = lw_certificate_authority_read(out, lw_buf_view(&cert), lw_buf_view(&key), err);
    lw_buf_done(&cert);
    lw_buf_done(&key);
    return st;
}

static lw_status requests_are_signed(lw_error *err)
{
    static const lw_str usage = LW_STR_INIT("client auth");
    const lw_certificate_terms terms = {
        .usages = &usage, .usage_count = 1, .now_s = START_NS / LW_NS_PER_S, .ttl_s = HOUR_S
    };
    lw_certificate_authority *authority = NULL;
    lw_certificate_request *request = NULL;
    lw_buf pem;
    lw_buf_init(&pem, PEM_MAX);
    lw_status st = make_authority(&authority, err);
    if (st == LW_OK)
        st = lw_certificate_request_read(&request, LW_STR(REQUEST_SERVING), err);
    if (st == LW_OK)
        st = lw_certificate_authority_sign(authority, request, &terms, &pem, err);
    if (st == LW_OK && pem.len == 0)
        st = wrong(err, "there is no certificate");
    lw_buf_done(&pem);
    lw_certificate_request_free(request);
    lw_certificate_authority_free(authority);
    return st;
}

static const lw_str groups[] = { LW_STR_INIT("system:bootstrappers") };
static const lw_str values[] = { LW_STR_INIT("x") };
static const lw_user_extra extra = { LW_STR_INIT("k"), values, 1 };
static const lw_user node = { .name = LW_STR_INIT("system:bootstrap:abcdef"),
                              .uid = LW_STR_INIT("7"),
                              .groups = groups,
                              .group_count = 1,
                              .extras = &extra,
                              .extra_count = 1 };

/* Posts a request of |signer|; the reply has |status|. */
static lw_status post(api_scene *s, const char *pem, const char *usages, int status, lw_error *err)
{
    char body[BODY_SIZE];
    (void)snprintf(body, sizeof(body),
                   "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"request\":\"%s\",\"signerName\":"
                   "\"kubernetes.io/kube-apiserver-client-kubelet\",\"usages\":[%s]}}",
                   pem, usages);
    const fake_http_request request = {
        .method = "POST",
        .target = "/apis/certificates.k8s.io/v1/certificatesigningrequests",
        .body = lw_str_of(body)
    };
    fake_http *http = fake_http_new(s->loop, &request);
    if (!http)
        return lw_error_nomem(err);
    (void)lw_api_serve(s->api, &http->stream, &node);
    for (int i = 0; i < TURNS && !http->is_ended && !http->is_aborted; i++)
        (void)lw_loop_turn(s->loop, 0, NULL);
    lw_status st = LW_OK;
    if (http->is_aborted || http->status == 0 || http->status == 500 || http->body.st < 0)
        st = lw_error_nomem(err);
    else if (http->status != status)
        st = lw_error_set(err, LW_ERR_INTERNAL, "%d instead of %d: %.*s", http->status, status,
                          LW_STR_ARG(lw_buf_view(&http->body)));
    fake_http_free(http);
    return st;
}

static lw_status begin(api_scene *s, lw_manual_clock **clock, lw_error *err)
{
    s->ops.submit = api_scene_submit;
    lw_status st = lw_manual_clock_new(clock, START_NS);
    if (st < 0)
        return lw_error_nomem(err);
    s->clock = lw_manual_clock_as_clock(*clock);
    return api_scene_begin(s, err);
}

/* Lets the background work be done. */
static void live(const api_scene *s, lw_manual_clock *clock)
{
    for (int i = 0; i < TURNS; i++) {
        lw_manual_clock_advance(clock, LW_NS_PER_S / 10);
        (void)lw_loop_turn(s->loop, 0, NULL);
    }
}

static bool is_issued(const api_scene *s)
{
    lw_str text;
    lw_object *obj = lw_cache_get_ref(lw_api_resource(s->api, &lw_kind_certificatesigningrequests),
                                      LW_STR(""), LW_STR("a"));
    bool is_so = obj && lw_object_raw(obj, "/status/certificate", &text) == LW_OK;
    lw_object_unref(obj);
    return is_so;
}

static lw_status requests_are_approved_and_issued(lw_error *err)
{
    api_scene s;
    lw_manual_clock *clock = NULL;
    lw_certificate_authority *authority = NULL;
    api_scene_init(&s);
    lw_status st = make_authority(&authority, err);
    if (st == LW_OK)
        st = begin(&s, &clock, err);
    if (st == LW_OK) {
        s.api->certificate_authority = authority;
        s.api->certificate_ttl_s = HOUR_S;
        st = lw_lifecycle_start(s.api, s.loop, err);
    }
    if (st == LW_OK)
        st = post(&s, REQUEST_NODE, "\"digital signature\",\"client auth\"", 201, err);
    if (st == LW_OK)
        live(&s, clock);
    if (st == LW_OK && !is_issued(&s))
        st = lw_error_nomem(err); /* memory that never becomes available: it would retry forever */
    api_scene_end(&s);
    lw_manual_clock_free(clock);
    lw_certificate_authority_free(authority);
    return st;
}

static lw_status wrong_requests_are_refused(lw_error *err)
{
    api_scene s;
    lw_manual_clock *clock = NULL;
    api_scene_init(&s);
    lw_status st = begin(&s, &clock, err);
    if (st == LW_OK)
        st = post(&s, REQUEST_FORGED, "\"x\",\"x\"", 422, err);
    api_scene_end(&s);
    lw_manual_clock_free(clock);
    return st;
}

#define TOKEN(more)                                                                                \
    "{\"metadata\":{\"name\":\"t\",\"namespace\":\"kube-system\"},\"type\":"                       \
    "\"bootstrap.kubernetes.io/token\",\"data\":{" more "}}"

static lw_status expired_tokens_are_deleted(lw_error *err)
{
    api_scene s;
    lw_manual_clock *clock = NULL;
    api_scene_init(&s);
    (void)fake_commit(&s.store, "/registry/secrets/kube-system/t",
                      TOKEN("\"expiration\":\"MjAyMC0wMS0wMVQwMDowMDowMFo=\""), NULL);
    lw_status st = begin(&s, &clock, err);
    if (st == LW_OK) {
        s.api->cleans_bootstrap_tokens = true;
        st = lw_lifecycle_start(s.api, s.loop, err);
    }
    if (st == LW_OK)
        live(&s, clock);
    if (st == LW_OK) {
        lw_object *obj = lw_cache_get_ref(lw_api_resource(s.api, &lw_kind_secrets),
                                          LW_STR("kube-system"), LW_STR("t"));
        if (obj)
            st = lw_error_nomem(err);
        lw_object_unref(obj);
    }
    api_scene_end(&s);
    lw_manual_clock_free(clock);
    return st;
}

static lw_status bootstrap_tokens_authenticate(lw_error *err)
{
    static const char json[] =
        TOKEN("\"token-id\":\"YWJjZGVm\",\"token-secret\":\"MDEyMzQ1Njc4OWFiY2RlZg==\","
              "\"usage-bootstrap-authentication\":\"dHJ1ZQ==\"");
    lw_authn_users users;
    const lw_user *user = NULL;
    lw_object *stored = NULL;
    lw_authn_users_init(&users);
    lw_status st = lw_object_from_json(&stored, json, sizeof(json) - 1, err);
    if (st == LW_OK) {
        st = lw_bootstrap_token_check(stored, LW_STR("abcdef"), LW_STR("0123456789abcdef"),
                                      START_NS, &users, &user);
        if (st < 0) /* values that cannot be decoded are not equal */
            st = lw_error_nomem(err);
    }
    if (st == LW_OK && !lw_str_equal(user->name, LW_STR("system:bootstrap:abcdef")))
        st = wrong(err, "the name of the user");
    lw_user_unref(user);
    lw_object_unref(stored);
    lw_authn_users_done(&users);
    return st;
}

const oom_scenario certificates_scenarios[] = {
    { "requests are signed", requests_are_signed },
    { "requests are approved and issued", requests_are_approved_and_issued },
    { "wrong requests are refused", wrong_requests_are_refused },
    { "expired tokens are deleted", expired_tokens_are_deleted },
    { "bootstrap tokens authenticate", bootstrap_tokens_authenticate },
};
const size_t certificates_scenario_count =
    sizeof(certificates_scenarios) / sizeof(certificates_scenarios[0]);
