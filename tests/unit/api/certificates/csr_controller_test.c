/* SPDX-License-Identifier: Apache-2.0 */
/* csr_controller_test.c -- certificate signing requests are approved, signed and deleted. */
#include "api/authz/authz.h"
#include "crypto/certificate_authority.h"
#include "net/tls/tls_make.h"
#include "support/certificate_requests.h"
#include "unit/api/lived.h"

#define REQUESTS "/apis/certificates.k8s.io/v1/certificatesigningrequests"
#define CLIENT   "kubernetes.io/kube-apiserver-client"
#define KUBELET  "kubernetes.io/kube-apiserver-client-kubelet"

enum {
    BODY_SIZE = 8192,
    PEM_MAX = 1 << 20,
    HOUR_S = 3600,
    YEAR_S = 365 * 24 * HOUR_S,
};

/* What a test has besides its world, which is first. */
typedef struct signing_world {
    api_world world;
    lw_certificate_authority *authority;
    lw_authz *authz;
} signing_world;

static int world_with_setup(void **state, bool has_authority, bool denies)
{
    static const lw_tls_subject subject = { .common_name = "ca", .is_ca = true, .days = 3650 };
    static const lw_authz_mode deny = LW_AUTHZ_MODE_ALWAYS_DENY;
    signing_world *s = calloc(1, sizeof(*s));
    lw_buf cert, key;
    assert_non_null(s);
    *state = s;
    lw_buf_init(&cert, PEM_MAX);
    lw_buf_init(&key, PEM_MAX);
    assert_int_equal(lw_tls_make(&subject, LW_STR(""), LW_STR(""), &cert, &key, NULL), LW_OK);
    assert_int_equal(lw_certificate_authority_read(&s->authority, lw_buf_view(&cert),
                                                   lw_buf_view(&key), NULL),
                     LW_OK);
    lw_buf_done(&cert);
    lw_buf_done(&key);
    assert_int_equal(api_world_open(&s->world, NULL), LW_OK);
    assert_int_equal(lw_api_seed(s->world.api, NULL), LW_OK);
    if (has_authority)
        s->world.api->certificate_authority = s->authority;
    s->world.api->certificate_ttl_s = YEAR_S;
    s->world.api->cleans_bootstrap_tokens = true;
    if (denies) {
        assert_int_equal(lw_authz_new(&s->authz, &deny, 1, NULL), LW_OK);
        s->world.api->authz = s->authz;
    }
    return api_world_live(&s->world, 0) == LW_OK ? 0 : -1;
}

static int signing_setup(void **state)
{
    return world_with_setup(state, true, false);
}

static int unsigning_setup(void **state)
{
    return world_with_setup(state, false, false);
}

static int denying_setup(void **state)
{
    return world_with_setup(state, true, true);
}

static int signing_teardown(void **state)
{
    signing_world *s = *state;
    api_world_close(&s->world);
    lw_certificate_authority_free(s->authority);
    lw_authz_free(s->authz);
    free(s);
    return 0;
}

static void create(api_world *world, const char *request, const char *signer, const char *usages)
{
    char body[BODY_SIZE];
    (void)snprintf(body, sizeof(body),
                   "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"request\":\"%s\",\"signerName\":"
                   "\"%s\",\"usages\":[%s],\"expirationSeconds\":7200}}",
                   request, signer, usages);
    do_send(world, "POST", REQUESTS, body, 201);
    await_rest(world);
}

static void set_condition(api_world *world, const char *type)
{
    char body[BODY_SIZE];
    (void)snprintf(body, sizeof(body),
                   "{\"status\":{\"conditions\":[{\"type\":\"%s\",\"status\":\"True\"}]}}", type);
    do_send_as(world, "PATCH", REQUESTS "/a/approval", MERGE_PATCH, body, 200);
    await_rest(world);
}

static void pass_s(api_world *world, int64_t seconds)
{
    api_world_pass(world, seconds * LW_NS_PER_S);
    await_rest(world);
}

/* A request is deleted |hours| after what happened last, and not before. */
static void assert_lives(api_world *world, int64_t hours)
{
    pass_s(world, hours * HOUR_S - 2);
    assert_true(is_there(world, REQUESTS "/a"));
    pass_s(world, 3);
    await_end(world, REQUESTS "/a");
}

static void a_request_is_signed_when_it_is_approved(void **state)
{
    create(*state, REQUEST_USER, CLIENT, "\"client auth\"");
    assert_shows(*state, REQUESTS "/a", "\"status\":{}", true);
    set_condition(*state, "Approved");
    assert_shows(*state, REQUESTS "/a", "\"certificate\":\"LS0tLS1CRUdJTiBDRVJUSUZJQ0FUR", true);
    assert_lives(*state, 1);
}

static void a_client_certificate_of_a_kubelet_is_approved_by_permission(void **state)
{
    create(*state, REQUEST_NODE, KUBELET, "\"digital signature\",\"client auth\"");
    assert_shows(*state, REQUESTS "/a",
                 "\"conditions\":[{\"type\":\"Approved\",\"status\":\"True\",\"reason\":"
                 "\"AutoApproved\",\"message\":\"Auto approving kubelet client certificate after "
                 "SubjectAccessReview.\",\"lastUpdateTime\":\"2026-11-15T01:49:2",
                 true);
    assert_shows(*state, REQUESTS "/a", "\"certificate\":\"", true);
}

static void without_permission_it_waits_and_is_looked_at_again(void **state)
{
    signing_world *s = *state;
    create(&s->world, REQUEST_NODE, KUBELET, "\"digital signature\",\"client auth\"");
    pass_s(&s->world, 2);
    assert_shows(&s->world, REQUESTS "/a", "\"status\":{}", true);
    s->world.api->authz = NULL; /* allows everything */
    pass_s(&s->world, 10);
    assert_shows(&s->world, REQUESTS "/a", "\"certificate\":\"", true);
}

static void what_is_not_of_a_kubelet_is_not_approved(void **state)
{
    create(*state, REQUEST_USER, KUBELET, "\"digital signature\",\"client auth\"");
    assert_shows(*state, REQUESTS "/a", "\"status\":{}", true);
    assert_lives(*state, 24);
}

static void a_request_that_the_signer_refuses_fails(void **state)
{
    create(*state, REQUEST_USER, KUBELET, "\"digital signature\",\"client auth\"");
    set_condition(*state, "Approved");
    assert_shows(*state, REQUESTS "/a",
                 "\"type\":\"Failed\",\"status\":\"True\",\"reason\":\"SignerValidationFailure\","
                 "\"message\":\"subject organization is not system:nodes\"",
                 true);
    assert_shows(*state, REQUESTS "/a", "\"certificate\"", false);
    assert_lives(*state, 1);
}

static void a_denied_request_is_not_signed(void **state)
{
    create(*state, REQUEST_USER, CLIENT, "\"client auth\"");
    set_condition(*state, "Denied");
    assert_shows(*state, REQUESTS "/a", "\"certificate\"", false);
    assert_lives(*state, 1);
}

static void a_denied_request_of_a_kubelet_is_not_approved(void **state)
{
    signing_world *s = *state;
    create(&s->world, REQUEST_NODE, KUBELET, "\"digital signature\",\"client auth\"");
    s->world.api->authz = NULL; /* allows everything */
    set_condition(&s->world, "Denied");
    pass_s(&s->world, 10);
    assert_shows(&s->world, REQUESTS "/a", "\"Approved\"", false);
}

static void requests_of_other_signers_are_left_to_them(void **state)
{
    create(*state, REQUEST_USER, "example.com/mine", "\"client auth\"");
    set_condition(*state, "Approved");
    assert_shows(*state, REQUESTS "/a", "\"certificate\"", false);
    assert_shows(*state, REQUESTS "/a", "\"Failed\"", false);
    assert_lives(*state, 24);
}

static void without_a_ca_nothing_is_signed(void **state)
{
    create(*state, REQUEST_USER, CLIENT, "\"client auth\"");
    set_condition(*state, "Approved");
    assert_shows(*state, REQUESTS "/a", "\"certificate\"", false);
}

#define SECRETS "/api/v1/namespaces/kube-system/secrets"

/* |expiration| is the text of a member of stringData. */
static void create_token(api_world *world, const char *name, const char *type,
                         const char *expiration)
{
    char body[BODY_SIZE];
    (void)snprintf(body, sizeof(body),
                   "{\"metadata\":{\"name\":\"%s\"},\"type\":\"%s\",\"stringData\":{%s}}", name,
                   type, expiration);
    do_send(world, "POST", SECRETS, body, 201);
    await_rest(world);
}

static void bootstrap_tokens_are_deleted_when_they_expire(void **state)
{
    static const char type[] = "bootstrap.kubernetes.io/token";
    static const char soon[] = "\"expiration\":\"2026-11-15T02:49:24Z\"";
    create_token(*state, "expiring", type, soon);
    create_token(*state, "lasting", type, "\"token-id\":\"abcdef\"");
    create_token(*state, "distant", type, "\"expiration\":\"2999-01-01T00:00:00Z\"");
    create_token(*state, "other", "Opaque", soon);
    create_token(*state, "odd", type, "\"expiration\":\"tomorrow\"");
    await_end(*state, SECRETS "/odd");
    pass_s(*state, HOUR_S - 5);
    assert_true(is_there(*state, SECRETS "/expiring"));
    pass_s(*state, 6);
    await_end(*state, SECRETS "/expiring");
    assert_true(is_there(*state, SECRETS "/lasting"));
    assert_true(is_there(*state, SECRETS "/distant"));
    assert_true(is_there(*state, SECRETS "/other"));
}

#define SIGNING_TEST(function)                                                                     \
    cmocka_unit_test_setup_teardown(function, signing_setup, signing_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SIGNING_TEST(a_request_is_signed_when_it_is_approved),
        SIGNING_TEST(a_client_certificate_of_a_kubelet_is_approved_by_permission),
        cmocka_unit_test_setup_teardown(without_permission_it_waits_and_is_looked_at_again,
                                        denying_setup, signing_teardown),
        SIGNING_TEST(what_is_not_of_a_kubelet_is_not_approved),
        SIGNING_TEST(a_request_that_the_signer_refuses_fails),
        SIGNING_TEST(a_denied_request_is_not_signed),
        cmocka_unit_test_setup_teardown(a_denied_request_of_a_kubelet_is_not_approved,
                                        denying_setup, signing_teardown),
        SIGNING_TEST(requests_of_other_signers_are_left_to_them),
        cmocka_unit_test_setup_teardown(without_a_ca_nothing_is_signed, unsigning_setup,
                                        signing_teardown),
        SIGNING_TEST(bootstrap_tokens_are_deleted_when_they_expire),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
