/* SPDX-License-Identifier: Apache-2.0 */
/* tls_digest.c -- digests with OpenSSL's EVP interface. */
#include "net/tls/tls_digest.h"

#include <openssl/err.h>
#include <openssl/evp.h>

lw_status lw_tls_sha1(const void *bytes, size_t len, unsigned char out[LW_TLS_SHA1_SIZE])
{
    if (EVP_Digest(bytes, len, out, NULL, EVP_sha1(), NULL) == 1)
        return LW_OK;
    unsigned long why = ERR_peek_last_error();
    ERR_clear_error();
    return ERR_GET_REASON(why) == ERR_R_MALLOC_FAILURE ? LW_ERR_NOMEM : LW_ERR_INTERNAL;
}
