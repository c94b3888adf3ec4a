/* SPDX-License-Identifier: Apache-2.0 */
/* exec_credential_test.c -- what is said to exec plugins, and what they may answer. */
#include "kubeconfig/exec.h"

#include "base/clock.h"
#include "base/str.h"
#include "unit/test.h"

#define V1      "client.authentication.k8s.io/v1"
#define V1BETA1 "client.authentication.k8s.io/v1beta1"
#define HEAD    "\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1 "\""

static void refuses(const char *json, const char *word)
{
    lw_exec_credential c;
    lw_error err = LW_ERROR_INIT;
    lw_exec_credential_init(&c);
    assert_int_equal(lw_exec_credential_read(&c, lw_str_of(json), V1, &err), LW_ERR_UNAUTHORIZED);
    if (!strstr(err.message, word))
        fail_msg("the message is: %s", err.message);
    lw_exec_credential_done(&c);
}

static void a_token_with_its_end(void **state)
{
    (void)state;
    lw_exec_credential c;
    lw_exec_credential_init(&c);
    assert_int_equal(lw_exec_credential_read(&c,
                                             LW_STR("{" HEAD ",\"status\":{\"token\":\"abc\","
                                                    "\"expirationTimestamp\":"
                                                    "\"1970-01-01T00:01:40Z\"}}"),
                                             V1, NULL),
                     LW_OK);
    assert_str_equal(lw_buf_view(&c.token), "abc");
    assert_true(c.does_expire);
    assert_int_equal(c.expires_ns, 100 * LW_NS_PER_S);
    lw_exec_credential_done(&c);
}

static void a_certificate_with_its_key(void **state)
{
    (void)state;
    lw_exec_credential c;
    lw_exec_credential_init(&c);
    assert_int_equal(
        lw_exec_credential_read(
            &c,
            LW_STR("{" HEAD ",\"status\":{\"clientCertificateData\":\"-----BEGIN A-----\\n\","
                   "\"clientKeyData\":\"-----BEGIN B-----\\n\",\"expirationTimestamp\":null}}"),
            V1, NULL),
        LW_OK);
    assert_str_equal(lw_buf_view(&c.cert_pem), "-----BEGIN A-----\n");
    assert_str_equal(lw_buf_view(&c.key_pem), "-----BEGIN B-----\n");
    assert_false(c.does_expire);
    lw_exec_credential_done(&c);
}

static void what_is_no_credential_is_refused(void **state)
{
    (void)state;
    refuses("", "not valid JSON");
    refuses("token", "not valid JSON");
    refuses("[]", "kind is not ExecCredential");
    refuses("{\"kind\":\"Pod\"}", "kind is not ExecCredential");
    refuses("{\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1BETA1 "\"}",
            "kubeconfig file specifies " V1);
    refuses("{" HEAD "}", "status is missing");
    refuses("{" HEAD ",\"status\":{}}", "neither a token");
    refuses("{" HEAD ",\"status\":{\"token\":\"\"}}", "neither a token");
    refuses("{" HEAD ",\"status\":{\"token\":5}}", "status.token is not a string");
    refuses("{" HEAD ",\"status\":{\"token\":\"a\\r\\nX: y\"}}", "status.token contains spaces");
    refuses("{" HEAD ",\"status\":{\"clientKeyData\":\"-----BEGIN B-----\"}}", "only one of");
    refuses("{" HEAD ",\"status\":{\"clientCertificateData\":\"x\",\"clientKeyData\":\"y\"}}",
            "is not PEM");
    refuses("{" HEAD ",\"status\":{\"token\":\"a\",\"expirationTimestamp\":\"soon\"}}",
            "expirationTimestamp");
    refuses("{" HEAD ",\"status\":{\"token\":\"a\",\"expirationTimestamp\":5}}",
            "expirationTimestamp");
    refuses("{" HEAD ",\"status\":{\"token\":\"a\"}} trailing", "not valid JSON");
}

static void a_plugin_is_told_of_the_cluster_when_it_asks(void **state)
{
    (void)state;
    lw_buf out;
    lw_buf_init(&out, 10000);
    lw_exec_info_write(&out, V1, NULL, false);
    assert_str_equal(lw_buf_view(&out), "{\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1
                                        "\",\"spec\":{\"interactive\":false}}");
    lw_buf_reset(&out);
    lw_exec_cluster cluster = { .server = "https://one",
                                .tls_server_name = "inner",
                                .proxy_url = "http://p",
                                .config_json = "{\"a\":1}",
                                .ca_pem = LW_STR("ca!"),
                                .is_insecure = true,
                                .is_compression_off = true };
    lw_exec_info_write(&out, V1, &cluster, true);
    assert_str_equal(lw_buf_view(&out),
                     "{\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1
                     "\",\"spec\":{\"cluster\":{\"server\":\"https://one\","
                     "\"tls-server-name\":\"inner\",\"insecure-skip-tls-verify\":true,"
                     "\"certificate-authority-data\":\"Y2Eh\",\"proxy-url\":\"http://p\","
                     "\"disable-compression\":true,\"config\":{\"a\":1}},\"interactive\":true}}");
    lw_buf_reset(&out);
    cluster = (lw_exec_cluster){ .server = "https://one" };
    lw_exec_info_write(&out, V1, &cluster, false);
    assert_str_equal(lw_buf_view(&out), "{\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1
                                        "\",\"spec\":{\"cluster\":{\"server\":\"https://one\","
                                        "\"config\":null},\"interactive\":false}}");
    lw_buf_done(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_token_with_its_end),
        TEST(a_certificate_with_its_key),
        TEST(what_is_no_credential_is_refused),
        TEST(a_plugin_is_told_of_the_cluster_when_it_asks),
    };
    return cmocka_run_group_tests_name("exec_credential", tests, NULL, NULL);
}
