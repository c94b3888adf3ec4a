/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_certificate_request.c -- a certificate signing request of any bytes: what is read has been
 * signed by its key, and a signer that accepts it accepts only nodes. */
#include <stdlib.h>

#include "api/certificates/signer.h"
#include "base/str.h"
#include "base/text/base64.h"
#include "crypto/certificate_authority.h"
#include "fuzz/fuzz.h"

static void check_request(const lw_certificate_request *request)
{
    static const lw_str kubelet = LW_STR_INIT("kubernetes.io/kube-apiserver-client-kubelet");
    lw_tree *usages = NULL;
    size_t count = 0;
    const lw_str *organizations = lw_certificate_request_organizations(request, &count);
    if (count > LW_CERTIFICATE_GROUPS_MAX)
        abort();
    if (lw_tree_parse(&usages, LW_STR("[\"digital signature\",\"client auth\"]"), 0, NULL) < 0)
        return;
    if (lw_signer_accepts(lw_signer_find(kubelet), request, lw_tree_root(usages), NULL) &&
        (count != 1 || !lw_str_equal(organizations[0], LW_STR("system:nodes")) ||
         lw_certificate_request_sans(request) != 0))
        abort();
    lw_tree_free(usages);
}

/* The input is PEM, or DER that is wrapped in PEM here so that it is reached at all. */
static void run(lw_str pem)
{
    lw_certificate_request *request = NULL;
    lw_error err = LW_ERROR_INIT;
    int64_t expires_s = 0;
    lw_buf base64;
    lw_buf_init(&base64, 4 * LW_CERTIFICATE_REQUEST_MAX);
    lw_base64_encode(&base64, pem);
    if (base64.st == LW_OK) {
        lw_status st = lw_certificate_request_read(&request, lw_buf_view(&base64), &err);
        if ((st == LW_OK) != (request != NULL) || (st < 0 && err.message[0] == '\0'))
            abort(); /* a refused request has a reason */
        if (request)
            check_request(request);
        if (lw_certificate_check(lw_buf_view(&base64), &expires_s, NULL) == LW_OK && request)
            abort(); /* a request is not a certificate */
    }
    lw_certificate_request_free(request);
    lw_buf_done(&base64);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lw_str input = lw_str_make((const char *)data, size);
    lw_buf pem;
    run(input);
    lw_buf_init(&pem, 4 * LW_CERTIFICATE_REQUEST_MAX);
    lw_buf_append_text(&pem, "-----BEGIN CERTIFICATE REQUEST-----\n");
    lw_base64_encode(&pem, input);
    lw_buf_append_text(&pem, "\n-----END CERTIFICATE REQUEST-----\n");
    if (pem.st == LW_OK)
        run(lw_buf_view(&pem));
    lw_buf_done(&pem);
    return 0;
}
