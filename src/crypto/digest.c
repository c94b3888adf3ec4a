/* SPDX-License-Identifier: Apache-2.0 */
/* digest.c -- SHA-256 with OpenSSL. */
#include "crypto/digest.h"

#include <openssl/err.h>
#include <openssl/evp.h>

#include "base/alloc.h"
#include "base/error.h"

struct lw_digester {
    EVP_MD *sha256;
};

lw_status lw_digester_new(lw_digester **out, lw_error *err)
{
    lw_digester *digester = lw_alloc_zero(1, sizeof(*digester));
    if (!digester)
        return lw_error_nomem(err);
    digester->sha256 = EVP_MD_fetch(NULL, "SHA2-256", NULL);
    if (!digester->sha256) {
        ERR_clear_error();
        lw_free(digester);
        return lw_error_set(err, LW_ERR_INTERNAL, "OpenSSL does not provide SHA-256");
    }
    *out = digester;
    return LW_OK;
}

void lw_digester_free(lw_digester *digester)
{
    if (!digester)
        return;
    EVP_MD_free(digester->sha256);
    lw_free(digester);
}

lw_status lw_digest(const lw_digester *digester, lw_str bytes, uint8_t digest[LW_DIGEST_SIZE])
{
    if (EVP_Digest(bytes.ptr ? bytes.ptr : "", bytes.len, digest, NULL, digester->sha256, NULL) ==
        1)
        return LW_OK;
    ERR_clear_error();
    return LW_ERR_NOMEM;
}
