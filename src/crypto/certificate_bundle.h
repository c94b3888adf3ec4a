/* SPDX-License-Identifier: Apache-2.0 */
/* certificate_bundle.h -- certificates of authorities in one PEM text. */
#ifndef LW_CRYPTO_CERTIFICATE_BUNDLE_H
#define LW_CRYPTO_CERTIFICATE_BUNDLE_H

#include <stdbool.h>

#include <listwatch/str.h>

/* Returns true if |pem| has at least one certificate, and all its certificates can be read. */
bool lw_certificate_bundle_is_valid(lw_str pem);

/* Why |pem| cannot be used as CA certificates, in the words of Go: none of its certificates can be
 * read; NULL: one can be. */
const char *lw_certificate_bundle_fault(lw_str pem);

#endif
