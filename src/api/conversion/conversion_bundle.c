/* SPDX-License-Identifier: Apache-2.0 */
/* conversion_bundle.c -- checks CA bundles. */
#include "api/conversion/conversion_bundle.h"

#include "base/str.h"
#include "base/text/base64.h"
#include "crypto/certificate_bundle.h"
#include "json/fields.h"

const char *lw_conversion_bundle_fault(const lw_node *conversion)
{
    const lw_node *client = lw_fields_find(conversion, "/webhook/clientConfig");
    lw_str encoded = lw_fields_text(client, "caBundle");
    lw_buf pem;
    if (encoded.len == 0)
        return NULL;
    lw_buf_init(&pem, encoded.len);
    (void)lw_base64_decode_lenient(&pem, encoded);
    /* Without memory nothing is known: the webhook fails later, if at all. */
    const char *fault = pem.st < 0 ? NULL : lw_certificate_bundle_fault(lw_buf_view(&pem));
    lw_buf_done(&pem);
    return fault;
}
