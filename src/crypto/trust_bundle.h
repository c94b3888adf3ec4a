/* SPDX-License-Identifier: Apache-2.0 */
/* trust_bundle.h -- checks a bundle of trust anchors: PEM blocks that are certificates of CAs.
 *
 * Threads: any. */
#ifndef LW_CRYPTO_TRUST_BUNDLE_H
#define LW_CRYPTO_TRUST_BUNDLE_H

#include <listwatch/error.h>
#include <listwatch/str.h>

enum {
    LW_TRUST_BUNDLE_MAX = 1024 * 1024, /* bytes of a bundle */
};

/* Calls |problem| with each problem of |pem|, in the words of Kubernetes: a block that is not a
 * certificate of a CA, none at all, or the same one twice.  LW_ERR_NOMEM; LW_ERR_LIMIT: it is
 * longer than LW_TRUST_BUNDLE_MAX. */
LW_MUST_CHECK lw_status lw_trust_bundle_check(lw_str pem, void (*problem)(const char *text, void *),
                                              void *arg);

#endif
