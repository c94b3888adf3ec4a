/* SPDX-License-Identifier: Apache-2.0 */
/* reply_test.c -- replies of webhooks are checked as kube-apiserver checks them. */
#include "api/webhooks/reply.h"

#include "api/webhooks/plain_reply.h"
#include "base/str.h"
#include "unit/test.h"

#define REVIEW(response)                                                                           \
    "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"response\":{" response \
    "}}"
#define UID "\"uid\":\"u\","

/* Reads |json|; |expected| is the reason of a refusal, or NULL. */
static void check(const char *json, lw_hook_version version, bool is_mutating, const char *expected)
{
    lw_hook_reply reply;
    lw_buf why;
    lw_buf_init(&why, 4096);
    lw_status st =
        lw_hook_reply_read(&reply, lw_str_of(json), version, is_mutating, LW_STR("u"), &why);
    if (st == LW_OK)
        st = lw_hook_reply_read_patch(&reply, &why);
    assert_str_equal(lw_buf_view(&why), expected ? expected : "");
    assert_int_equal(st, expected ? LW_ERR_INVALID : LW_OK);
    lw_hook_reply_done(&reply);
    lw_buf_done(&why);
}

static void valid_replies_are_read(void **state)
{
    lw_hook_reply reply;
    lw_buf why;
    (void)state;
    lw_buf_init(&why, 4096);
    static const char json[] =
        REVIEW(UID "\"allowed\":true,\"warnings\":[\"w\"],\"auditAnnotations\":{\"k\":\"v\"},"
                   "\"patchType\":\"JSONPatch\",\"patch\":"
                   "\"W3sib3AiOiJyZW1vdmUiLCJwYXRoIjoiL2RhdGEifV0=\"");
    assert_int_equal(lw_hook_reply_read(&reply, lw_str_of(json), LW_HOOK_V1, true, LW_STR("u"),
                                        &why),
                     LW_OK);
    assert_true(reply.is_allowed);
    assert_int_equal(lw_node_count(reply.warnings), 1);
    assert_str_equal(lw_node_key_at(reply.annotations, 0), "k");
    assert_int_equal(lw_hook_reply_read_patch(&reply, &why), LW_OK);
    assert_int_equal(lw_node_count(lw_tree_root(reply.patch)), 1);
    lw_hook_reply_done(&reply);
    lw_buf_done(&why);
}

/* Whether |json|, a reply to the UID "u", is recognized as plain, and what reading it says: a plain
 * reply is allowed without anything else. */
static void check_plain(const char *json, bool is_plain)
{
    lw_hook_reply reply;
    lw_buf why;
    lw_buf_init(&why, 4096);
    if (lw_hook_reply_is_plain(lw_str_of(json), LW_STR("u")) != is_plain)
        fail_msg("%s: is plain: %d", json, !is_plain);
    lw_status st = lw_hook_reply_read(&reply, lw_str_of(json), LW_HOOK_V1, true, LW_STR("u"), &why);
    if (is_plain) {
        assert_int_equal(st, LW_OK);
        assert_true(reply.is_allowed);
        assert_null(reply.warnings);
        assert_null(reply.annotations);
        assert_int_equal(lw_hook_reply_read_patch(&reply, &why), LW_OK);
        assert_null(reply.patch);
    }
    lw_hook_reply_done(&reply);
    lw_buf_done(&why);
}

static void replies_that_only_allow_are_plain(void **state)
{
    (void)state;
    check_plain(REVIEW(UID "\"allowed\":true"), true);
    check_plain(REVIEW(UID UID "\"allowed\":true"), true);
    check_plain(" {\"response\" : {\"allowed\":true, \"uid\":\"u\"}, \"apiVersion\":"
                "\"admission.k8s.io/v1\",\"request\":{\"uid\":[\"x\"]},"
                "\"kind\":\"AdmissionReview\"}\n",
                true);
    check_plain(REVIEW(UID "\"allowed\":true,\"status\":{\"metadata\":{},\"code\":200},"
                           "\"other\":null"),
                true);
}

static void replies_that_say_more_are_not_plain(void **state)
{
    (void)state;
    check_plain(REVIEW(UID "\"allowed\":false"), false);
    check_plain(REVIEW(UID "\"allowed\":null"), false);
    check_plain(REVIEW(UID "\"allowed\":true,\"allowed\":false"), false);
    check_plain(REVIEW(UID UID "\"other\":true"), false);
    check_plain(REVIEW("\"allowed\":true"), false);
    check_plain(REVIEW("\"uid\":\"x\",\"allowed\":true"), false);
    check_plain(REVIEW("\"uid\":\"\\u0075\",\"allowed\":true"), false);
    check_plain(REVIEW(UID "\"allowed\":true,\"p\\u0061tch\":\"W10=\""), false);
    check_plain(REVIEW(UID "\"allowed\":true,\"patch\":\"W10=\""), false);
    check_plain(REVIEW(UID "\"allowed\":true,\"patchType\":\"JSONPatch\""), false);
    check_plain(REVIEW(UID "\"allowed\":true,\"warnings\":[\"w\"]"), false);
    check_plain(REVIEW(UID "\"allowed\":true,\"auditAnnotations\":{\"k\":\"v\"}"), false);
    check_plain(REVIEW(UID "\"allowed\":true,\"status\":1"), false);
    check_plain("{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1beta1\","
                "\"response\":{" UID "\"allowed\":true}}",
                false);
    check_plain("{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\","
                "\"response\":[]}",
                false);
    check_plain("[" REVIEW(UID "\"allowed\":true") "]", false);
    check_plain(REVIEW(UID "\"allowed\":true") "}", false);
    check_plain(REVIEW(UID "\"allowed\":true,\"other\":01"), false);
}

static void invalid_replies_say_why(void **state)
{
    (void)state;
    check(REVIEW("\"uid\":\"x\",\"allowed\":true"), LW_HOOK_V1, false,
          "received invalid webhook response: expected response.uid=\"u\", got \"x\"");
    check("{}", LW_HOOK_V1, false,
          "received invalid webhook response: expected webhook response of admission.k8s.io/v1, "
          "Kind=AdmissionReview, got /, Kind=");
    check("{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\"}", LW_HOOK_V1,
          false, "received invalid webhook response: webhook response was absent");
    check("{\"kind\":\"Other\",\"apiVersion\":\"admission.k8s.io/v1\"}", LW_HOOK_V1, false,
          "failed to call webhook: no kind \"Other\" is registered for version "
          "\"admission.k8s.io/v1\" in scheme \"pkg/runtime/scheme.go:111\"");
    check("{\"apiVersion\":\"example.com/v1\"}", LW_HOOK_V1BETA1, false,
          "failed to call webhook: no kind \"AdmissionReview\" is registered for version "
          "\"example.com/v1\" in scheme \"pkg/runtime/scheme.go:111\"");
    check(REVIEW(UID "\"allowed\":1"), LW_HOOK_V1, false,
          "failed to call webhook: json: cannot unmarshal number into Go struct field "
          "AdmissionResponse.response.allowed of type bool");
    check(REVIEW(UID "\"allowed\":true,\"patch\":\"W10=\""), LW_HOOK_V1, true,
          "received invalid webhook response: webhook returned response.patch but not "
          "response.patchType");
    check(REVIEW(UID "\"allowed\":true,\"patch\":\"W10=\""), LW_HOOK_V1, false,
          "received invalid webhook response: validating webhook may not return response.patch");
    check(REVIEW(UID "\"allowed\":true,\"patch\":\"!\",\"patchType\":\"JSONPatch\""), LW_HOOK_V1,
          true, "failed to call webhook: illegal base64 data at input byte 0");
    check(REVIEW(UID "\"allowed\":true,\"patch\":\"e30=\",\"patchType\":\"JSONPatch\""), LW_HOOK_V1,
          true,
          "received undecodable patch in webhook response: json: cannot unmarshal object into Go "
          "value of type jsonpatch.Patch");
}

static void v1beta1_is_less_strict(void **state)
{
    (void)state;
    check("{\"response\":{\"allowed\":true,\"patch\":\"W10=\"}}", LW_HOOK_V1BETA1, true, NULL);
    check("{\"response\":null}", LW_HOOK_V1BETA1, true,
          "received invalid webhook response: webhook response was absent");
}

static void check_refusal(const char *json, int code, const char *message)
{
    lw_tree *tree = NULL;
    lw_api_status status;
    assert_int_equal(lw_tree_parse(&tree, lw_str_of(json), 0, NULL), LW_OK);
    lw_hook_refusal(&status, LW_STR("h.example.com"), lw_tree_root(tree));
    assert_int_equal(status.code, code);
    assert_str_equal(lw_api_status_str(&status, status.message), message);
    lw_api_status_done(&status);
    lw_tree_free(tree);
}

static void refusals_name_the_webhook(void **state)
{
    (void)state;
    check_refusal("null", 400,
                  "admission webhook \"h.example.com\" denied the request without explanation");
    check_refusal("{\"code\":200,\"reason\":\"Because\"}", 400,
                  "admission webhook \"h.example.com\" denied the request: Because");
    check_refusal("{\"code\":418,\"reason\":\"R\",\"message\":\"no\"}", 418,
                  "admission webhook \"h.example.com\" denied the request: no");
    check_refusal("{\"code\":12345}", 400,
                  "admission webhook \"h.example.com\" denied the request without explanation");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(valid_replies_are_read),
        TEST(replies_that_only_allow_are_plain),
        TEST(replies_that_say_more_are_not_plain),
        TEST(invalid_replies_say_why),
        TEST(v1beta1_is_less_strict),
        TEST(refusals_name_the_webhook),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
