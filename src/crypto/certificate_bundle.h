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

/* Returns true if who trusts any one of the certificates of |bundle| accepts the first certificate
 * of |chain|, which others of |chain| may have signed: the bundle has no CA of somebody else.
 * Whether they have expired does not matter.  A certificate that is in the bundle itself is
 * accepted, as Go does.  False for more than 16 certificates or 64 KiB, for a bundle with other
 * text than certificates, and if there is no memory. */
bool lw_certificate_bundle_verifies(lw_str bundle, lw_str chain);

#endif
