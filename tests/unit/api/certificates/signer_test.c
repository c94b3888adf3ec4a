/* SPDX-License-Identifier: Apache-2.0 */
/* signer_test.c -- which requests the signers accept. */
#include "api/certificates/signer.h"

#include "base/str.h"
#include "support/certificate_requests.h"
#include "unit/test.h"

#define CLIENT         "kubernetes.io/kube-apiserver-client"
#define KUBELET        "kubernetes.io/kube-apiserver-client-kubelet"
#define SERVING        "kubernetes.io/kubelet-serving"

#define CLIENT_USAGES  "[\"digital signature\",\"client auth\"]"
#define SERVING_USAGES "[\"key encipherment\",\"digital signature\",\"server auth\"]"

/* |why| is the reason for the refusal; empty: accepted. */
static void assert_signs(const char *signer, const char *base64, const char *usages,
                         const char *why)
{
    lw_certificate_request *request = NULL;
    lw_tree *tree = NULL;
    lw_buf text;
    lw_buf_init(&text, 1024);
    assert_int_equal(lw_certificate_request_read(&request, lw_str_of(base64), NULL), LW_OK);
    assert_int_equal(lw_tree_parse(&tree, lw_str_of(usages), 0, NULL), LW_OK);
    bool is_accepted =
        lw_signer_accepts(lw_signer_find(lw_str_of(signer)), request, lw_tree_root(tree), &text);
    assert_str_equal(lw_buf_view(&text), why);
    assert_int_equal(is_accepted, why[0] == '\0');
    lw_buf_done(&text);
    lw_tree_free(tree);
    lw_certificate_request_free(request);
}

static void client_certificates_have_any_subject_but_only_usages_of_clients(void **state)
{
    (void)state;
    assert_signs(CLIENT, REQUEST_USER, "[\"client auth\"]", "");
    assert_signs(CLIENT, REQUEST_SERVING,
                 "[\"key encipherment\",\"client auth\",\"digital signature\"]", "");
    assert_signs(CLIENT, REQUEST_USER, "[\"digital signature\"]",
                 "missing required usage for client certificate: client auth");
    assert_signs(CLIENT, REQUEST_USER, "[\"client auth\",\"cert sign\"]",
                 "invalid usage for client certificate: cert sign");
}

static void kubelet_clients_are_nodes_without_alternative_names(void **state)
{
    (void)state;
    assert_signs(KUBELET, REQUEST_NODE, CLIENT_USAGES, "");
    assert_signs(KUBELET, REQUEST_USER, CLIENT_USAGES, "subject organization is not system:nodes");
    assert_signs(KUBELET, REQUEST_OTHER, CLIENT_USAGES,
                 "subject common name does not begin with system:node:");
    assert_signs(KUBELET, REQUEST_SERVING, CLIENT_USAGES, "DNS subjectAltNames are not allowed");
    assert_signs(KUBELET, REQUEST_NAMES, CLIENT_USAGES, "Email subjectAltNames are not allowed");
    assert_signs(KUBELET, REQUEST_NODE, "[\"client auth\"]",
                 "usages did not match [client auth digital signature key encipherment]");
    assert_signs(KUBELET, REQUEST_NODE, SERVING_USAGES,
                 "usages did not match [client auth digital signature key encipherment]");
}

static void kubelet_servers_are_nodes_with_hosts(void **state)
{
    (void)state;
    assert_signs(SERVING, REQUEST_SERVING, SERVING_USAGES, "");
    assert_signs(SERVING, REQUEST_NODE, SERVING_USAGES, "DNS or IP subjectAltName is required");
    assert_signs(SERVING, REQUEST_NAMES, SERVING_USAGES, "DNS or IP subjectAltName is required");
    assert_signs(SERVING, REQUEST_USER, SERVING_USAGES, "subject organization is not system:nodes");
    assert_signs(SERVING, REQUEST_SERVING, CLIENT_USAGES,
                 "usages did not match [digital signature key encipherment server auth]");
}

static void others_sign_for_other_names(void **state)
{
    (void)state;
    assert_null(lw_signer_find(LW_STR("example.com/mine")));
    assert_null(lw_signer_find(LW_STR("kubernetes.io/legacy-unknown")));
    assert_true(lw_signer_is_kubelet_client(lw_signer_find(LW_STR(KUBELET))));
    assert_false(lw_signer_is_kubelet_client(lw_signer_find(LW_STR(SERVING))));
    assert_false(lw_signer_is_kubelet_client(lw_signer_find(LW_STR(CLIENT))));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(client_certificates_have_any_subject_but_only_usages_of_clients),
        cmocka_unit_test(kubelet_clients_are_nodes_without_alternative_names),
        cmocka_unit_test(kubelet_servers_are_nodes_with_hosts),
        cmocka_unit_test(others_sign_for_other_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
